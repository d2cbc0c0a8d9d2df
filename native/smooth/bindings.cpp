#include <nanobind/nanobind.h>

namespace statlearn {

void bind_smooth(nanobind::module_&) {}

}  // namespace statlearn
