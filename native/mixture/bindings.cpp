#include <nanobind/nanobind.h>

namespace statlearn {

void bind_mixture(nanobind::module_&) {}

}  // namespace statlearn
