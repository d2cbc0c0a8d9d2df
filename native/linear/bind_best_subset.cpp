#include <cmath>

#include "common/gate.hpp"
#include "linear/best_subset.hpp"

namespace statlearn {

void bind_best_subset(nb::module_& m) {
    m.def(
        "best_subsets",
        [](InF<double> R, In<double> z, double rss, int max_size, int n_best) {
            const auto p = R.shape(1);
            require(p >= 1 && p <= 64, "best_subsets: X must have 1 to 64 columns");
            require(R.shape(0) == p && z.shape(0) == p, "best_subsets: the shapes of the arrays do not match");
            require(max_size >= 1 && std::size_t(max_size) <= p && n_best >= 1,
                    "best_subsets: a subset size is out of range");
            for (std::size_t j = 0; j < p; ++j)
                require(std::abs(R(j, j)) > 0.0, "best_subsets: the triangular factor is singular");
            auto found = run_native([&](const Interrupt& stop) {
                return linear::best_subsets(view(R), view(z), rss, max_size, n_best, stop);
            });
            nb::list subsets;
            for (const auto& list : found.by_size)
                for (const auto& subset : list) {
                    nb::list columns;
                    for (std::size_t j = 0; j < p; ++j)
                        if (subset.columns >> j & 1) columns.append(int(j));
                    subsets.append(nb::make_tuple(columns, subset.rss));
                }
            return nb::make_tuple(subsets, found.n_nodes, int(found.status));
        },
        "R"_array, "z"_array, "rss"_a, "max_size"_a, "n_best"_a);
}

}  // namespace statlearn
