#include "common/gate.hpp"
#include "trees/forest.hpp"

namespace statlearn {

namespace {

using Numbers = In<int>;

constexpr const char* kDamaged = "the arrays do not describe trees; the model may be damaged";

// Whether walking a few rows is less work than looking at all nodes.
bool few(std::size_t rows, std::size_t nodes) { return rows <= 16 && nodes >= 4096; }

template <class T>
void def_forest(nb::module_& m) {
    const auto run = [](InAny<T>& X, Numbers& feature, In<double>& threshold, Numbers& child,
                        In<std::uint8_t>& missing_left, Numbers& category_set, In<std::uint32_t, 2>& left_sets,
                        Numbers& roots, Numbers& output, auto& value, auto by_leaves, auto body) {
        const auto n = feature.shape(0);
        require(threshold.shape(0) == n && child.shape(0) == n && missing_left.shape(0) == n && value.shape(0) == n &&
                    category_set.shape(0) == n && output.shape(0) == roots.shape(0),
                "the arrays of the trees have different lengths");
        trees::ForestView forest{view(feature),   view(child),        view(category_set),
                                 view(threshold), view(missing_left), view(left_sets),
                                 view(roots),     view(output),       {}};
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, In<double>>) forest.value = view(value);
        if (few(X.shape(0), n)) {
            std::vector<int> at(X.shape(0) * roots.shape(0));
            const Matrix<int> leaves{at.data(), Index(X.shape(0)), Index(roots.shape(0)), Index(roots.shape(0)), 1};
            require(trees::forest_leaves_of_few<T>(forest, view(X), leaves), kDamaged);
            return by_leaves(forest, leaves);
        }
        run_native([&](const Interrupt& stop) {
            require(trees::is_sound(forest, Index(X.shape(1))), kDamaged);
            body(forest, stop);
        });
    };
    m.def(
        "forest_predict",
        [run](InAny<T> X, Numbers feature, In<double> threshold, Numbers child, In<std::uint8_t> missing_left,
              Numbers category_set, In<std::uint32_t, 2> left_sets, Numbers roots, Numbers output, In<double> value,
              Out<double, 2> sums) {
            require(sums.shape(0) == X.shape(0), "forest_predict: the arrays have different numbers of rows");
            for (const int k : view(output))
                require(0 <= k && std::size_t(k) < sums.shape(1), "forest_predict: the output index is out of range");
            run(
                X, feature, threshold, child, missing_left, category_set, left_sets, roots, output, value,
                [&](const auto& forest, Matrix<int> leaves) {
                    for (Index t = 0; t < leaves.cols; ++t)
                        for (Index i = 0; i < leaves.rows; ++i)
                            view(sums)(i, forest.output[t]) += forest.value[leaves(i, t)];
                },
                [&](const auto& forest, const Interrupt& stop) {
                    trees::forest_predict<T>(forest, view(X), stop, view(sums));
                });
        },
        "X"_array, "feature"_array, "threshold"_array, "child"_array, "missing_left"_array, "category_set"_array,
        "left_sets"_array, "roots"_array, "output"_array, "value"_array, "sums"_array);
    m.def(
        "forest_predict_vectors",
        [run](InAny<T> X, Numbers feature, In<double> threshold, Numbers child, In<std::uint8_t> missing_left,
              Numbers category_set, In<std::uint32_t, 2> left_sets, Numbers roots, Numbers output, In<double, 2> value,
              Out<double, 2> sums) {
            require(sums.shape(0) == X.shape(0) && sums.shape(1) == value.shape(1),
                    "forest_predict_vectors: the shapes of the arrays do not match");
            run(
                X, feature, threshold, child, missing_left, category_set, left_sets, roots, output, value,
                [&](const auto&, Matrix<int> leaves) {
                    for (Index t = 0; t < leaves.cols; ++t)
                        for (Index i = 0; i < leaves.rows; ++i)
                            for (Index k = 0; k < Index(value.shape(1)); ++k)
                                view(sums)(i, k) += view(value)(leaves(i, t), k);
                },
                [&](const auto& forest, const Interrupt& stop) {
                    trees::forest_predict_vectors<T>(forest, view(value), view(X), stop, view(sums));
                });
        },
        "X"_array, "feature"_array, "threshold"_array, "child"_array, "missing_left"_array, "category_set"_array,
        "left_sets"_array, "roots"_array, "output"_array, "value"_array, "sums"_array);
    m.def(
        "forest_apply",
        [run](InAny<T> X, Numbers feature, In<double> threshold, Numbers child, In<std::uint8_t> missing_left,
              Numbers category_set, In<std::uint32_t, 2> left_sets, Numbers roots, Numbers output, Out<int, 2> leaves) {
            require(leaves.shape(0) == X.shape(0) && leaves.shape(1) == roots.shape(0),
                    "forest_apply: the shapes of the arrays do not match");
            run(
                X, feature, threshold, child, missing_left, category_set, left_sets, roots, output, feature,
                [&](const auto&, Matrix<int> found) {
                    for (Index i = 0; i < found.rows; ++i)
                        for (Index t = 0; t < found.cols; ++t) view(leaves)(i, t) = found(i, t);
                },
                [&](const auto& forest, const Interrupt& stop) {
                    trees::forest_apply<T>(forest, view(X), stop, view(leaves));
                });
        },
        "X"_array, "feature"_array, "threshold"_array, "child"_array, "missing_left"_array, "category_set"_array,
        "left_sets"_array, "roots"_array, "output"_array, "leaves"_array);
}

}  // namespace

void bind_forest(nb::module_& m) {
    def_forest<float>(m);
    def_forest<double>(m);
    m.def(
        "node_depths",
        [](Numbers child, Numbers roots, Out<int, 1> depth) {
            require(depth.shape(0) == child.shape(0), "node_depths: the arrays have different lengths");
            const bool sound =
                run_native([&](const Interrupt&) { return trees::node_depths(view(child), view(roots), view(depth)); });
            require(sound, kDamaged);
        },
        "child"_array, "roots"_array, "depth"_array);
}

}  // namespace statlearn
