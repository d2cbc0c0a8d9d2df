#include <nanobind/nanobind.h>

namespace statlearn {

void bind_cluster(nanobind::module_&) {}

}  // namespace statlearn
