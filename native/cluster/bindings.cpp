// The cluster family's list of methods; each bind_<method>.cpp translates the arguments of one.
#include <nanobind/nanobind.h>

namespace statlearn {

void bind_kmeans(nanobind::module_& m);
void bind_kmedoids(nanobind::module_& m);

void bind_cluster(nanobind::module_& m) {
    bind_kmeans(m);
    bind_kmedoids(m);
}

}  // namespace statlearn
