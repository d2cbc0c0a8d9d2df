// The decomposition family's list of methods; each bind_<method>.cpp translates the arguments of one.
#include <nanobind/nanobind.h>

namespace statlearn {

void bind_components(nanobind::module_& m);

void bind_decomposition(nanobind::module_& m) { bind_components(m); }

}  // namespace statlearn
