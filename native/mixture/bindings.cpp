#include <nanobind/nanobind.h>

namespace statlearn {

void bind_hmm(nanobind::module_& m);
void bind_normal_mixture(nanobind::module_& m);

void bind_mixture(nanobind::module_& m) {
    bind_hmm(m);
    bind_normal_mixture(m);
}

}  // namespace statlearn
