// The cluster family's list of methods; each bind_<method>.cpp translates the arguments of one.
#include <nanobind/nanobind.h>

namespace statlearn {

void bind_affinity_propagation(nanobind::module_& m);
void bind_cluster_sums(nanobind::module_& m);
void bind_dbscan(nanobind::module_& m);
void bind_hdbscan(nanobind::module_& m);
void bind_kmeans(nanobind::module_& m);
void bind_kmedoids(nanobind::module_& m);
void bind_linkage(nanobind::module_& m);
void bind_mean_shift(nanobind::module_& m);

void bind_cluster(nanobind::module_& m) {
    bind_affinity_propagation(m);
    bind_cluster_sums(m);
    bind_dbscan(m);
    bind_hdbscan(m);
    bind_kmeans(m);
    bind_kmedoids(m);
    bind_linkage(m);
    bind_mean_shift(m);
}

}  // namespace statlearn
