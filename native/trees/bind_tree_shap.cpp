#include "common/gate.hpp"
#include "trees/tree_shap.hpp"

namespace statlearn {

namespace {

using Numbers = In<int>;

// The arrays of the trees as Python hands them over, in this order.
#define STATLEARN_TREES                                                                                        \
    Numbers feature, In<double> threshold, Numbers child, In<std::uint8_t> missing_left, Numbers category_set, \
        In<std::uint32_t, 2> left_sets, Numbers roots, Numbers output, In<double, 2> value, In<double> cover
#define STATLEARN_TREE_NAMES                                                                                          \
    "feature"_array, "threshold"_array, "child"_array, "missing_left"_array, "category_set"_array, "left_sets"_array, \
        "roots"_array, "output"_array, "value"_array, "cover"_array
#define STATLEARN_TREE_VIEW(features, outputs)                                                                         \
    checked(features, outputs, feature, threshold, child, missing_left, category_set, left_sets, roots, output, value, \
            cover)

trees::WeightedForest checked(std::size_t n_features, std::size_t n_outputs, const Numbers& feature,
                              const In<double>& threshold, const Numbers& child, const In<std::uint8_t>& missing_left,
                              const Numbers& category_set, const In<std::uint32_t, 2>& left_sets, const Numbers& roots,
                              const Numbers& output, const In<double, 2>& value, const In<double>& cover) {
    const auto n = feature.shape(0);
    require(threshold.shape(0) == n && child.shape(0) == n && missing_left.shape(0) == n && value.shape(0) == n &&
                category_set.shape(0) == n && cover.shape(0) == n && output.shape(0) == roots.shape(0),
            "the arrays of the trees have different lengths");
    const trees::WeightedForest found{{view(feature),
                                       view(child),
                                       view(category_set),
                                       view(threshold),
                                       view(missing_left),
                                       view(left_sets),
                                       view(roots),
                                       view(output),
                                       {}},
                                      view(cover),
                                      view(value),
                                      Index(n_outputs)};
    const bool sound = run_native([&](const Interrupt&) { return trees::is_sound(found.forest, Index(n_features)); });
    require(sound, "the arrays do not describe trees; the model may be damaged");
    require(value.shape(1) == 1 || value.shape(1) == n_outputs, "the numbers of values and outputs differ");
    for (const int k : view(output)) require(0 <= k && std::size_t(k) < n_outputs, "the output index is out of range");
    for (const double c : view(cover)) require(c >= 0.0 && c <= 1e300, "covers must be finite and not negative");
    return found;
}

template <class T>
void def_tree_shap(nb::module_& m) {
    m.def(
        "tree_shap",
        [](InAny<T> X, STATLEARN_TREES, Out<double, 3> phi, bool hide_missing) {
            require(phi.shape(0) == X.shape(0) && phi.shape(1) == X.shape(1),
                    "tree_shap: the shapes of the arrays do not match");
            auto trees = STATLEARN_TREE_VIEW(X.shape(1), phi.shape(2));
            trees.hide_missing = hide_missing;
            const Index wide = Index(phi.shape(1) * phi.shape(2));
            run_native([&](const Interrupt& stop) {
                trees::tree_shap<T>(trees, view(X), stop, {phi.data(), Index(phi.shape(0)), wide, wide, 1});
            });
        },
        "X"_array, STATLEARN_TREE_NAMES, "phi"_array, "hide_missing"_a = false);
    m.def(
        "tree_shap_interactions",
        [](InAny<T> X, STATLEARN_TREES, Out<double, 4> phi, bool hide_missing) {
            require(phi.shape(0) == X.shape(0) && phi.shape(1) == X.shape(1) && phi.shape(2) == X.shape(1),
                    "tree_shap_interactions: the shapes of the arrays do not match");
            auto trees = STATLEARN_TREE_VIEW(X.shape(1), phi.shape(3));
            trees.hide_missing = hide_missing;
            const Index wide = Index(phi.shape(1) * phi.shape(2) * phi.shape(3));
            run_native([&](const Interrupt& stop) {
                trees::tree_shap_interactions<T>(trees, view(X), stop,
                                                 {phi.data(), Index(phi.shape(0)), wide, wide, 1});
            });
        },
        "X"_array, STATLEARN_TREE_NAMES, "phi"_array, "hide_missing"_a = false);
    m.def(
        "tree_shap_interventional",
        [](InAny<T> X, STATLEARN_TREES, InAny<T> background, In<double> weights, Out<double, 3> phi) {
            require(phi.shape(0) == X.shape(0) && phi.shape(1) == X.shape(1) && background.shape(1) == X.shape(1) &&
                        weights.shape(0) == background.shape(0),
                    "tree_shap_interventional: the shapes of the arrays do not match");
            const auto trees = STATLEARN_TREE_VIEW(X.shape(1), phi.shape(2));
            const Index wide = Index(phi.shape(1) * phi.shape(2));
            run_native([&](const Interrupt& stop) {
                trees::tree_shap_interventional<T>(trees, view(X), view(background), view(weights), stop,
                                                   {phi.data(), Index(phi.shape(0)), wide, wide, 1});
            });
        },
        "X"_array, STATLEARN_TREE_NAMES, "background"_array, "weights"_array, "phi"_array);
    m.def(
        "forest_partial_dependence",
        [](InAny<T> grid, STATLEARN_TREES, Numbers columns, int n_features, Out<double, 2> sums) {
            require(sums.shape(0) == grid.shape(0) && columns.shape(0) == grid.shape(1) && n_features >= 0,
                    "forest_partial_dependence: the shapes of the arrays do not match");
            const auto trees = STATLEARN_TREE_VIEW(std::size_t(n_features), sums.shape(1));
            run_native([&](const Interrupt& stop) {
                trees::forest_partial_dependence<T>(trees, view(columns), view(grid), stop, view(sums));
            });
        },
        "grid"_array, STATLEARN_TREE_NAMES, "columns"_array, "n_features"_a, "sums"_array);
}

#undef STATLEARN_TREES
#undef STATLEARN_TREE_NAMES
#undef STATLEARN_TREE_VIEW

}  // namespace

void bind_tree_shap(nb::module_& m) {
    def_tree_shap<float>(m);
    def_tree_shap<double>(m);
}

}  // namespace statlearn
