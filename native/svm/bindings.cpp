#include "common/gate.hpp"

namespace statlearn {

void bind_machines(nb::module_& m);
void bind_linear_machines(nb::module_& m);
void bind_sgd(nb::module_& m);

void bind_svm(nb::module_& m) {
    bind_machines(m);
    bind_linear_machines(m);
    bind_sgd(m);
}

}  // namespace statlearn
