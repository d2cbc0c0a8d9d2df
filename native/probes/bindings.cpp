// What only tests call: the ground of native/common as functions of Python. Builds for development have it, wheels do
// not (STATLEARN_PROBES).
#include "common/gate.hpp"

namespace statlearn {

void bind_lapack(nb::module_& m);
void bind_pool(nb::module_& m);
void bind_vocabulary(nb::module_& m);

void bind_probes(nb::module_& m) {
    bind_lapack(m);
    bind_pool(m);
    bind_vocabulary(m);
}

}  // namespace statlearn
