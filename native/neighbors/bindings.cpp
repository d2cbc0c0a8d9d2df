#include <nanobind/nanobind.h>

namespace statlearn {

void bind_neighbors(nanobind::module_&) {}

}  // namespace statlearn
