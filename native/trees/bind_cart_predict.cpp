#include "common/gate.hpp"
#include "trees/cart_predict.hpp"

namespace statlearn {

namespace {

using Numbers = In<int>;

trees::ForestView checked(Index n_features, Numbers& feature, In<double>& threshold, Numbers& child,
                          In<std::uint8_t>& missing_left, Numbers& category_set, In<std::uint32_t, 2>& left_sets,
                          Numbers& roots, Numbers& output) {
    const auto n = feature.shape(0);
    require(threshold.shape(0) == n && child.shape(0) == n && missing_left.shape(0) == n &&
                category_set.shape(0) == n && output.shape(0) == roots.shape(0) && roots.shape(0) == 1,
            "the arrays of the tree have different lengths");
    const trees::ForestView forest{view(feature),   view(child),        view(category_set),
                                   view(threshold), view(missing_left), view(left_sets),
                                   view(roots),     view(output),       {}};
    const bool sound = run_native([&](const Interrupt&) { return trees::is_sound(forest, n_features); });
    require(sound, "the arrays do not describe trees; the model may be damaged");
    return forest;
}

template <class T>
void def_predict(nb::module_& m) {
    m.def(
        "surrogate_apply",
        [](InAny<T> X, Numbers feature, In<double> threshold, Numbers child, In<std::uint8_t> missing_left,
           Numbers category_set, In<std::uint32_t, 2> left_sets, Numbers roots, Numbers output, Numbers starts,
           Numbers s_feature, In<double> s_threshold, In<std::uint8_t> below_left, Numbers s_set, Out<int> leaves) {
            const auto forest = checked(Index(X.shape(1)), feature, threshold, child, missing_left, category_set,
                                        left_sets, roots, output);
            const auto k = s_feature.shape(0);
            require(s_threshold.shape(0) == k && below_left.shape(0) == k && s_set.shape(0) == k,
                    "the arrays of the surrogates have different lengths");
            require(leaves.shape(0) == X.shape(0), "surrogate_apply: the arrays have different numbers of rows");
            const trees::SurrogateView surrogates{view(starts), view(s_feature), view(s_set), view(s_threshold),
                                                  view(below_left)};
            require(trees::is_sound(surrogates, forest, Index(X.shape(1))),
                    "the arrays do not describe surrogates; the model may be damaged");
            run_native([&](const Interrupt& stop) {
                trees::surrogate_apply<T>(forest, surrogates, view(X), stop, view(leaves));
            });
        },
        "X"_array, "feature"_array, "threshold"_array, "child"_array, "missing_left"_array, "category_set"_array,
        "left_sets"_array, "roots"_array, "output"_array, "starts"_array, "surrogate_feature"_array,
        "surrogate_threshold"_array, "below_left"_array, "surrogate_set"_array, "leaves"_array);
    m.def(
        "fractional_predict",
        [](InAny<T> X, Numbers feature, In<double> threshold, Numbers child, In<std::uint8_t> missing_left,
           Numbers category_set, In<std::uint32_t, 2> left_sets, Numbers roots, Numbers output, In<double> left_share,
           In<double, 2> values, Out<double, 2> sums) {
            const auto forest = checked(Index(X.shape(1)), feature, threshold, child, missing_left, category_set,
                                        left_sets, roots, output);
            require(left_share.shape(0) == feature.shape(0) && values.shape(0) == feature.shape(0),
                    "the arrays of the tree have different lengths");
            require(sums.shape(0) == X.shape(0) && sums.shape(1) == values.shape(1),
                    "fractional_predict: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                trees::fractional_predict<T>(forest, view(left_share), view(values), view(X), stop, view(sums));
            });
        },
        "X"_array, "feature"_array, "threshold"_array, "child"_array, "missing_left"_array, "category_set"_array,
        "left_sets"_array, "roots"_array, "output"_array, "left_share"_array, "values"_array, "sums"_array);
}

}  // namespace

void bind_cart_predict(nb::module_& m) {
    def_predict<float>(m);
    def_predict<double>(m);
    m.def(
        "collapse_alphas",
        [](Numbers child, In<double> cost, Out<double> alpha) {
            const auto n = child.shape(0);
            require(cost.shape(0) == n && alpha.shape(0) == n, "collapse_alphas: the arrays have different lengths");
            const auto nodes = view(child);
            for (std::size_t k = 0; k < n; ++k)
                require(nodes[k] == int(k) || (nodes[k] > int(k) && std::size_t(nodes[k]) + 1 < n),
                        "the arrays do not describe trees; the model may be damaged");
            run_native([&](const Interrupt&) { trees::collapse_alphas(nodes, view(cost), view(alpha)); });
        },
        "child"_array, "cost"_array, "alpha"_array);
}

}  // namespace statlearn
