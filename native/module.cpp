// The extension module: one submodule per family. Each family's bindings.cpp fills its own.
#include <nanobind/nanobind.h>

namespace statlearn {
void bind_common(nanobind::module_& m);
void bind_ensemble(nanobind::module_& m);
void bind_linear(nanobind::module_& m);
void bind_trees(nanobind::module_& m);
}  // namespace statlearn

NB_MODULE(STATLEARN_MODULE, m) {
    auto common = m.def_submodule("common");
    statlearn::bind_common(common);
    auto ensemble = m.def_submodule("ensemble");
    statlearn::bind_ensemble(ensemble);
    auto linear = m.def_submodule("linear");
    statlearn::bind_linear(linear);
    auto trees = m.def_submodule("trees");
    statlearn::bind_trees(trees);
}
