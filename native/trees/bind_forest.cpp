#include "common/gate.hpp"
#include "trees/forest.hpp"

namespace statlearn {

namespace {

using Numbers = In<int>;

template <class T>
void def_forest(nb::module_& m) {
    const auto run = [](InAny<T>& X, Numbers& feature, In<double>& threshold, Numbers& child,
                        In<std::uint8_t>& missing_left, Numbers& category_set, In<std::uint32_t, 2>& left_sets,
                        Numbers& roots, Numbers& output, auto& value, auto body) {
        const auto n = feature.shape(0);
        require(threshold.shape(0) == n && child.shape(0) == n && missing_left.shape(0) == n && value.shape(0) == n &&
                    category_set.shape(0) == n && output.shape(0) == roots.shape(0),
                "the arrays of the trees differ in length");
        trees::ForestView forest{view(feature),   view(child),        view(category_set),
                                 view(threshold), view(missing_left), view(left_sets),
                                 view(roots),     view(output),       {}};
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, In<double>>) forest.value = view(value);
        require(trees::is_sound(forest, Index(X.shape(1))), "the arrays do not describe trees: was the model damaged?");
        run_native([&](const Interrupt& stop) {
            body(forest, stop);
            return 0;
        });
    };
    m.def(
        "forest_predict",
        [run](InAny<T> X, Numbers feature, In<double> threshold, Numbers child, In<std::uint8_t> missing_left,
              Numbers category_set, In<std::uint32_t, 2> left_sets, Numbers roots, Numbers output, In<double> value,
              Out<double, 2> sums) {
            require(sums.shape(0) == X.shape(0), "forest_predict: row counts differ");
            for (const int k : view(output))
                require(0 <= k && std::size_t(k) < sums.shape(1), "forest_predict: output out of range");
            run(X, feature, threshold, child, missing_left, category_set, left_sets, roots, output, value,
                [&](const auto& forest, const Interrupt& stop) {
                    trees::forest_predict<T>(forest, view(X), stop, view(sums));
                });
        },
        "X"_a.noconvert(), "feature"_a.noconvert(), "threshold"_a.noconvert(), "child"_a.noconvert(),
        "missing_left"_a.noconvert(), "category_set"_a.noconvert(), "left_sets"_a.noconvert(), "roots"_a.noconvert(),
        "output"_a.noconvert(), "value"_a.noconvert(), "sums"_a.noconvert());
    m.def(
        "forest_predict_vectors",
        [run](InAny<T> X, Numbers feature, In<double> threshold, Numbers child, In<std::uint8_t> missing_left,
              Numbers category_set, In<std::uint32_t, 2> left_sets, Numbers roots, Numbers output, In<double, 2> value,
              Out<double, 2> sums) {
            require(sums.shape(0) == X.shape(0) && sums.shape(1) == value.shape(1),
                    "forest_predict_vectors: shapes differ");
            run(X, feature, threshold, child, missing_left, category_set, left_sets, roots, output, value,
                [&](const auto& forest, const Interrupt& stop) {
                    trees::forest_predict_vectors<T>(forest, view(value), view(X), stop, view(sums));
                });
        },
        "X"_a.noconvert(), "feature"_a.noconvert(), "threshold"_a.noconvert(), "child"_a.noconvert(),
        "missing_left"_a.noconvert(), "category_set"_a.noconvert(), "left_sets"_a.noconvert(), "roots"_a.noconvert(),
        "output"_a.noconvert(), "value"_a.noconvert(), "sums"_a.noconvert());
    m.def(
        "forest_apply",
        [run](InAny<T> X, Numbers feature, In<double> threshold, Numbers child, In<std::uint8_t> missing_left,
              Numbers category_set, In<std::uint32_t, 2> left_sets, Numbers roots, Numbers output, Out<int, 2> leaves) {
            require(leaves.shape(0) == X.shape(0) && leaves.shape(1) == roots.shape(0), "forest_apply: shapes differ");
            run(X, feature, threshold, child, missing_left, category_set, left_sets, roots, output, feature,
                [&](const auto& forest, const Interrupt& stop) {
                    trees::forest_apply<T>(forest, view(X), stop, view(leaves));
                });
        },
        "X"_a.noconvert(), "feature"_a.noconvert(), "threshold"_a.noconvert(), "child"_a.noconvert(),
        "missing_left"_a.noconvert(), "category_set"_a.noconvert(), "left_sets"_a.noconvert(), "roots"_a.noconvert(),
        "output"_a.noconvert(), "leaves"_a.noconvert());
}

}  // namespace

void bind_forest(nb::module_& m) {
    def_forest<float>(m);
    def_forest<double>(m);
    m.def(
        "node_depths",
        [](Numbers child, Out<int, 1> depth) {
            require(depth.shape(0) == child.shape(0), "node_depths: lengths differ");
            require(trees::node_depths(view(child), view(depth)),
                    "the arrays do not describe trees: was the model damaged?");
        },
        "child"_a.noconvert(), "depth"_a.noconvert());
}

}  // namespace statlearn
