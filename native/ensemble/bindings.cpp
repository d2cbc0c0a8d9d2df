#include <nanobind/nanobind.h>

namespace statlearn {

void bind_boosting(nanobind::module_& m);

void bind_ensemble(nanobind::module_& m) { bind_boosting(m); }

}  // namespace statlearn
