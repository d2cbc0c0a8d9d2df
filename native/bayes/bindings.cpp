#include <nanobind/nanobind.h>

namespace statlearn {

void bind_naive(nanobind::module_& m);
void bind_network(nanobind::module_& m);

void bind_bayes(nanobind::module_& m) {
    bind_naive(m);
    bind_network(m);
}

}  // namespace statlearn
