// The extension module: one submodule per family. Each family's bindings.cpp fills its own.
#include <nanobind/nanobind.h>

namespace statlearn {
void bind_cluster(nanobind::module_& m);
void bind_common(nanobind::module_& m);
void bind_ensemble(nanobind::module_& m);
void bind_linear(nanobind::module_& m);
void bind_mixture(nanobind::module_& m);
void bind_neighbors(nanobind::module_& m);
void bind_smooth(nanobind::module_& m);
void bind_trees(nanobind::module_& m);
}  // namespace statlearn

NB_MODULE(STATLEARN_MODULE, m) {
    auto cluster = m.def_submodule("cluster");
    statlearn::bind_cluster(cluster);
    auto common = m.def_submodule("common");
    statlearn::bind_common(common);
    auto ensemble = m.def_submodule("ensemble");
    statlearn::bind_ensemble(ensemble);
    auto linear = m.def_submodule("linear");
    statlearn::bind_linear(linear);
    auto mixture = m.def_submodule("mixture");
    statlearn::bind_mixture(mixture);
    auto neighbors = m.def_submodule("neighbors");
    statlearn::bind_neighbors(neighbors);
    auto smooth = m.def_submodule("smooth");
    statlearn::bind_smooth(smooth);
    auto trees = m.def_submodule("trees");
    statlearn::bind_trees(trees);
}
