// The neural family's list of methods; each bind_<method>.cpp translates the arguments of one.
#include <nanobind/nanobind.h>

namespace statlearn {

void bind_dense(nanobind::module_& m);
void bind_steps(nanobind::module_& m);

void bind_neural(nanobind::module_& m) {
    bind_dense(m);
    bind_steps(m);
}

}  // namespace statlearn
