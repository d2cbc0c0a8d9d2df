#include "common/gate.hpp"
#include "trees/row_walker.hpp"

namespace statlearn {

void bind_row_walker(nb::module_& m) {
    using trees::RowWalker;
    nb::class_<RowWalker>(m, "RowWalker")
        .def(
            "__init__",
            [](RowWalker* self, In<int> feature, In<double> threshold, In<int> child, In<std::uint8_t> missing_left,
               In<int> category_set, In<std::uint32_t, 2> left_sets, In<int> roots, In<int> output, In<double> value,
               In<double> start, Index n_features) {
                const auto n = feature.shape(0);
                require(threshold.shape(0) == n && child.shape(0) == n && missing_left.shape(0) == n &&
                            value.shape(0) == n && category_set.shape(0) == n && output.shape(0) == roots.shape(0),
                        "the arrays of the trees have different lengths");
                const trees::ForestView forest{view(feature),   view(child),        view(category_set),
                                               view(threshold), view(missing_left), view(left_sets),
                                               view(roots),     view(output),       view(value)};
                const bool sound = run_native([&](const Interrupt&) { return trees::is_sound(forest, n_features); });
                require(sound, "the arrays do not describe trees; the model may be damaged");
                for (const int k : view(output))
                    require(0 <= k && std::size_t(k) < start.shape(0), "RowWalker: the output index is out of range");
                new (self) RowWalker(forest, view(start), n_features);
            },
            "feature"_array, "threshold"_array, "child"_array, "missing_left"_array, "category_set"_array,
            "left_sets"_array, "roots"_array, "output"_array, "value"_array, "start"_array, "n_features"_a)
        .def(
            "scores",
            [](const RowWalker& self, In<double> row) {
                require(Index(row.shape(0)) == self.n_features(), "the row has the wrong number of features");
                std::vector<double> out(self.n_outputs());
                self.scores(row.data(), out.data());
                nb::list scores;
                for (const double score : out) scores.append(score);
                return scores;
            },
            "row"_a);
}

}  // namespace statlearn
