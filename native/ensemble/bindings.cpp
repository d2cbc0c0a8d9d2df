#include <nanobind/nanobind.h>

namespace statlearn {

void bind_boosting(nanobind::module_& m);
void bind_forest_tools(nanobind::module_& m);
void bind_isolation_trees(nanobind::module_& m);
void bind_reweigh(nanobind::module_& m);
void bind_stump(nanobind::module_& m);

void bind_ensemble(nanobind::module_& m) {
    bind_boosting(m);
    bind_forest_tools(m);
    bind_isolation_trees(m);
    bind_reweigh(m);
    bind_stump(m);
}

}  // namespace statlearn
