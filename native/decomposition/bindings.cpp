// The decomposition family's list of methods; each bind_<method>.cpp translates the arguments of one.
#include <nanobind/nanobind.h>

namespace statlearn {

void bind_components(nanobind::module_& m);
void bind_nmf(nanobind::module_& m);
void bind_ratings(nanobind::module_& m);
void bind_simplex(nanobind::module_& m);
void bind_sparse_code(nanobind::module_& m);
void bind_topics(nanobind::module_& m);

void bind_decomposition(nanobind::module_& m) {
    bind_components(m);
    bind_nmf(m);
    bind_ratings(m);
    bind_simplex(m);
    bind_sparse_code(m);
    bind_topics(m);
}

}  // namespace statlearn
