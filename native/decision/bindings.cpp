#include <nanobind/nanobind.h>

namespace statlearn {

void bind_mdp(nanobind::module_& m);

void bind_decision(nanobind::module_& m) { bind_mdp(m); }

}  // namespace statlearn
