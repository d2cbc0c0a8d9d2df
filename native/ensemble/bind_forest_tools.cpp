#include "common/gate.hpp"
#include "ensemble/forest_tools.hpp"

namespace statlearn {

namespace {

using Numbers = In<int>;
using Bytes = In<std::uint8_t, 2>;

void check_leaves(const In<int, 2>& leaves, std::size_t nodes) {
    for (std::size_t i = 0; i < leaves.size(); ++i)
        require(leaves.data()[i] >= 0 && std::size_t(leaves.data()[i]) < nodes, "a leaf index is out of range");
}

template <class T>
void def_oob_importance(nb::module_& m) {
    m.def(
        "oob_importance",
        [](InAny<T> X, Numbers feature, In<double> threshold, Numbers child, In<std::uint8_t> missing_left,
           Numbers category_set, In<std::uint32_t, 2> left_sets, Numbers roots, Numbers output,
           In<std::int64_t> node_rows, In<double, 2> decision, bool labels, In<double, 2> y, Bytes bags,
           bool random_side, std::uint64_t seed, Out<double, 2> importance) {
            const auto nodes = feature.shape(0), n = X.shape(0);
            require(threshold.shape(0) == nodes && child.shape(0) == nodes && missing_left.shape(0) == nodes &&
                        category_set.shape(0) == nodes && node_rows.shape(0) == nodes && decision.shape(0) == nodes,
                    "the arrays of the trees have different lengths");
            require(y.shape(0) == n && y.shape(1) == decision.shape(1), "oob_importance: y has the wrong length");
            require(bags.shape(0) == roots.shape(0) && 8 * bags.shape(1) >= n,
                    "oob_importance: the bags do not match the rows");
            require(importance.shape(0) == roots.shape(0) && importance.shape(1) == X.shape(1),
                    "oob_importance: the result has the wrong shape");
            const trees::ForestView forest{view(feature),   view(child),        view(category_set),
                                           view(threshold), view(missing_left), view(left_sets),
                                           view(roots),     view(output),       {}};
            run_native([&](const Interrupt& stop) {
                require(trees::is_sound(forest, Index(X.shape(1))),
                        "the arrays do not describe trees; the model may be damaged");
                ensemble::oob_importance<T>(forest, view(node_rows), view(decision), labels, view(X), view(y),
                                            view(bags), ensemble::Void(random_side), seed, stop, view(importance));
            });
        },
        "X"_array, "feature"_array, "threshold"_array, "child"_array, "missing_left"_array, "category_set"_array,
        "left_sets"_array, "roots"_array, "output"_array, "node_rows"_array, "decision"_array, "labels"_a, "y"_array,
        "bags"_array, "random_side"_a, "seed"_a, "importance"_array);
}

}  // namespace

void bind_forest_tools(nb::module_& m) {
    def_oob_importance<float>(m);
    def_oob_importance<double>(m);
    m.def(
        "bootstrap_bags",
        [](In<std::uint64_t> seeds, Index draws, In<double> cumulative, Index n, Out<std::uint8_t, 2> bags) {
            require(n > 0 && (cumulative.shape(0) == 0 || Index(cumulative.shape(0)) == n),
                    "bootstrap_bags: the arrays have different numbers of rows");
            require(bags.shape(0) == seeds.shape(0) && 8 * Index(bags.shape(1)) >= n,
                    "bootstrap_bags: the shapes of the arrays do not match");
            run_native([&](const Interrupt&) {
                ensemble::bootstrap_bags(view(seeds), draws, view(cumulative), n, view(bags));
            });
        },
        "seeds"_array, "draws"_a, "cumulative"_array, "n"_a, "bags"_array);
    m.def(
        "oob_add",
        [](In<int, 2> leaves, Bytes bags, Index first_row, In<double, 2> value, Out<double, 2> sums,
           Out<std::int64_t> trees) {
            const auto m_rows = leaves.shape(0);
            require(bags.shape(0) == leaves.shape(1) && first_row >= 0 &&
                        8 * bags.shape(1) >= std::size_t(first_row) + m_rows,
                    "oob_add: the bags do not match the rows");
            require(sums.shape(0) == m_rows && sums.shape(1) == value.shape(1) && trees.shape(0) == m_rows,
                    "oob_add: the shapes of the arrays do not match");
            check_leaves(leaves, value.shape(0));
            run_native([&](const Interrupt&) {
                ensemble::oob_add(view(leaves), view(bags), first_row, view(value), view(sums), view(trees));
            });
        },
        "leaves"_array, "bags"_array, "first_row"_a, "value"_array, "sums"_array, "trees"_array);
    m.def(
        "proximities",
        [](In<int, 2> by_tree, Bytes bags, Out<double, 2> share) {
            const auto n = by_tree.shape(1);
            require(bags.shape(0) == 0 || (bags.shape(0) == by_tree.shape(0) && 8 * bags.shape(1) >= n),
                    "proximities: the bags do not match the rows");
            require(share.shape(0) == n && share.shape(1) == n, "proximities: the shapes of the arrays do not match");
            run_native(
                [&](const Interrupt& stop) { ensemble::proximities(view(by_tree), view(bags), stop, view(share)); });
        },
        "by_tree"_array, "bags"_array, "share"_array);
    m.def(
        "leaf_rows",
        [](In<int, 2> leaves, Index nodes, In<std::uint64_t> seeds, Index draws, In<double> cumulative) {
            require(seeds.shape(0) == leaves.shape(1) && leaves.shape(0) > 0,
                    "leaf_rows: the shapes of the arrays do not match");
            require(cumulative.shape(0) == 0 || cumulative.shape(0) == leaves.shape(0),
                    "leaf_rows: the shapes of the arrays do not match");
            check_leaves(leaves, std::size_t(nodes));
            auto all = run_native([&](const Interrupt&) {
                return ensemble::leaf_rows(view(leaves), nodes, view(seeds), draws, view(cumulative));
            });
            const auto starts = all.start.size(), entries = all.row.size();
            return nb::make_tuple(to_numpy(std::move(all.start), {starts}), to_numpy(std::move(all.row), {entries}),
                                  to_numpy(std::move(all.count), {entries}));
        },
        "leaves"_array, "nodes"_a, "seeds"_array, "draws"_a, "cumulative"_array);
    m.def(
        "leaf_quantiles",
        [](In<int, 2> leaves, In<std::int64_t> start, In<std::uint32_t> row, In<std::uint32_t> count,
           In<std::uint32_t> rank, In<double> sorted, In<double> levels, Out<double, 2> quantiles) {
            require(start.shape(0) > 0 && row.shape(0) == count.shape(0) && rank.shape(0) == sorted.shape(0),
                    "leaf_quantiles: the arrays have different lengths");
            require(quantiles.shape(0) == leaves.shape(0) && quantiles.shape(1) == levels.shape(0),
                    "leaf_quantiles: the shapes of the arrays do not match");
            const auto starts = view(start);
            for (std::size_t k = 0; k + 1 < starts.size(); ++k)
                require(0 <= starts[k] && starts[k] <= starts[k + 1], "leaf_quantiles: the leaves must be contiguous");
            require(std::size_t(starts.back()) <= row.shape(0), "leaf_quantiles: the leaves do not match the rows");
            for (const auto r : view(row)) require(r < rank.shape(0), "leaf_quantiles: a row index is out of range");
            for (const auto r : view(rank)) require(r < sorted.shape(0), "leaf_quantiles: a rank is out of range");
            check_leaves(leaves, start.shape(0) - 1);
            for (std::size_t i = 0; i < leaves.size(); ++i)
                require(starts[leaves.data()[i]] < starts[leaves.data()[i] + 1], "leaf_quantiles: a leaf has no rows");
            run_native([&](const Interrupt& stop) {
                ensemble::leaf_quantiles(view(leaves), starts, view(row), view(count), view(rank), view(sorted),
                                         view(levels), stop, view(quantiles));
            });
        },
        "leaves"_array, "start"_array, "row"_array, "count"_array, "rank"_array, "sorted"_array, "levels"_array,
        "quantiles"_array);
}

}  // namespace statlearn
