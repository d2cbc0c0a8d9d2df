#include "common/gate.hpp"
#include "trees/multiway.hpp"

namespace statlearn {

namespace {

using trees::AttributeTable;
using trees::MultiwayTree;
using trees::MultiwayView;
using Numbers = In<int>;

// Codes index arrays of the kernels: each must be one of its column's levels, or missing.
AttributeTable table_of(const InF<double>& X, const Numbers& levels, const Numbers& classes, const In<double>& weights,
                        int n_classes) {
    const auto n = X.shape(0), p = X.shape(1);
    require(levels.shape(0) == p && classes.shape(0) == n && weights.shape(0) == n,
            "multiway tree: the shapes of the arrays do not match");
    require(n > 0 && n_classes > 0, "multiway tree: the table has no rows or no classes");
    for (const int c : view(classes)) require(0 <= c && c < n_classes, "multiway tree: a class code is out of range");
    for (const double w : view(weights)) require(w > 0.0, "multiway tree: weights must be positive");
    const auto table = view(X);
    for (std::size_t j = 0; j < p; ++j) {
        const int L = view(levels)[j];
        require(L >= 0, "multiway tree: a number of levels is negative");
        if (L == 0) continue;
        for (Index i = 0; i < table.rows; ++i) {
            const double x = table(i, Index(j));
            require(x != x || (x >= 0.0 && x < L && x == double(int(x))), "multiway tree: a code is out of range");
        }
    }
    return {table, view(levels), view(classes), view(weights), n_classes};
}

MultiwayView tree_of(const Numbers& feature, const In<double>& threshold, const Numbers& first_child,
                     const Numbers& n_children, const Numbers& branch, const In<double, 2>& weight,
                     const Numbers& levels) {
    const auto n = feature.shape(0);
    require(threshold.shape(0) == n && first_child.shape(0) == n && n_children.shape(0) == n && branch.shape(0) == n &&
                weight.shape(0) == n,
            "the arrays of the tree have different lengths");
    const Span<const double> weights(weight.data(), weight.shape(0) * weight.shape(1));
    const MultiwayView tree{view(feature), view(threshold), view(first_child),    view(n_children),
                            view(branch),  weights,         int(weight.shape(1)), view(levels)};
    require(trees::is_sound(tree, Index(levels.shape(0))),
            "the arrays do not describe a tree; the model may be damaged");
    return tree;
}

nb::dict as_dict(MultiwayTree&& tree, std::size_t n_classes) {
    const auto n = tree.feature.size();
    nb::dict out;
    out["feature"] = to_numpy(std::move(tree.feature), {n});
    out["threshold"] = to_numpy(std::move(tree.threshold), {n});
    out["first_child"] = to_numpy(std::move(tree.first_child), {n});
    out["n_children"] = to_numpy(std::move(tree.n_children), {n});
    out["branch"] = to_numpy(std::move(tree.branch), {n});
    out["weight"] = to_numpy(std::move(tree.weight), {n, n_classes});
    return out;
}

}  // namespace

void bind_multiway(nb::module_& m) {
    m.def(
        "multiway_grow",
        [](InF<double> X, Numbers levels, Numbers classes, In<double> weights, int n_classes, bool gain_ratio,
           bool threshold_penalty, double min_leaf, double min_gain, int max_depth) {
            const auto data = table_of(X, levels, classes, weights, n_classes);
            return as_dict(run_native([&](const Interrupt& stop) {
                               return trees::multiway_grow(
                                   data, {gain_ratio, threshold_penalty, min_leaf, min_gain, max_depth}, stop);
                           }),
                           n_classes);
        },
        "X"_array, "levels"_array, "classes"_array, "weights"_array, "n_classes"_a, "gain_ratio"_a,
        "threshold_penalty"_a, "min_leaf"_a, "min_gain"_a, "max_depth"_a);
    m.def(
        "multiway_prune",
        [](InF<double> X, Numbers levels, Numbers classes, In<double> weights, Numbers feature, In<double> threshold,
           Numbers first_child, Numbers n_children, Numbers branch, In<double, 2> weight, double confidence,
           bool raising) {
            const int n_classes = int(weight.shape(1));
            require(0.0 < confidence && confidence <= 0.5, "multiway_prune: `confidence` must be between 0 and 1/2");
            const auto data = table_of(X, levels, classes, weights, n_classes);
            const auto tree = tree_of(feature, threshold, first_child, n_children, branch, weight, levels);
            return as_dict(run_native([&](const Interrupt& stop) {
                               return trees::multiway_prune(data, tree, confidence, raising, stop);
                           }),
                           n_classes);
        },
        "X"_array, "levels"_array, "classes"_array, "weights"_array, "feature"_array, "threshold"_array,
        "first_child"_array, "n_children"_array, "branch"_array, "weight"_array, "confidence"_a, "raising"_a);
    m.def(
        "multiway_predict",
        [](InAny<double> X, Numbers levels, Numbers feature, In<double> threshold, Numbers first_child,
           Numbers n_children, Numbers branch, In<double, 2> weight, double smoothing, Out<double, 2> shares) {
            require(smoothing >= 0.0, "multiway_predict: `smoothing` must not be negative");
            require(
                X.shape(1) == levels.shape(0) && shares.shape(0) == X.shape(0) && shares.shape(1) == weight.shape(1),
                "multiway_predict: the shapes of the arrays do not match");
            const auto tree = tree_of(feature, threshold, first_child, n_children, branch, weight, levels);
            run_native(
                [&](const Interrupt& stop) { trees::multiway_predict(tree, view(X), smoothing, stop, view(shares)); });
        },
        "X"_array, "levels"_array, "feature"_array, "threshold"_array, "first_child"_array, "n_children"_array,
        "branch"_array, "weight"_array, "smoothing"_a, "shares"_array);
}

}  // namespace statlearn
