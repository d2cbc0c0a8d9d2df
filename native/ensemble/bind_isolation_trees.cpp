#include "common/gate.hpp"
#include "common/index_checks.hpp"
#include "ensemble/isolation_trees.hpp"

namespace statlearn {

namespace {

template <class T>
void def_trees(nb::module_& m) {
    m.def(
        "isolation_trees",
        [](InAny<T> X, In<std::int64_t, 2> rows, In<int, 2> columns, In<std::uint64_t> seeds, int max_depth,
           Out<int> feature, Out<int> child, Out<double> threshold, Out<double> value, Out<std::uint8_t> missing_left,
           Out<std::int64_t> node_rows, Out<int> size) {
            const auto trees = rows.shape(0), draws = rows.shape(1), room = 2 * trees * draws;
            require(0 < trees && 0 < draws && draws < (std::size_t{1} << 30), "isolation_trees: too few or many rows");
            require(
                columns.shape(0) == trees && columns.shape(1) > 0 && seeds.shape(0) == trees && size.shape(0) == trees,
                "isolation_trees: one sample of columns, seed and size for each tree");
            for (const auto length : {feature.shape(0), child.shape(0), threshold.shape(0), value.shape(0),
                                      missing_left.shape(0), node_rows.shape(0)})
                require(length == room, "isolation_trees: room for twice as many nodes as rows");
            run_native([&](const Interrupt& stop) {
                require(all_below(rows.data(), Index(rows.size()), X.shape(0)) &&
                            all_below(columns.data(), Index(columns.size()), X.shape(1)),
                        "isolation_trees: a row or column index is out of range");
                ensemble::isolation_trees<T>(view(X), view(rows), view(columns), view(seeds), max_depth, stop,
                                             {view(feature), view(child), view(threshold), view(value),
                                              view(missing_left), view(node_rows), view(size)});
            });
        },
        "X"_array, "rows"_array, "columns"_array, "seeds"_array, "max_depth"_a, "feature"_array, "child"_array,
        "threshold"_array, "value"_array, "missing_left"_array, "node_rows"_array, "size"_array);
}

}  // namespace

void bind_isolation_trees(nb::module_& m) {
    def_trees<float>(m);
    def_trees<double>(m);
}

}  // namespace statlearn
