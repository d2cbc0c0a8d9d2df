#include "cluster/hdbscan_tree.hpp"
#include "common/gate.hpp"

namespace statlearn {

void bind_hdbscan(nb::module_& m) {
    m.def(
        "hdbscan_labels",
        [](In<double, 2> Z, Index least, bool leaves, bool single, double epsilon, Index largest, Out<Index> labels,
           Out<double> strengths) {
            const auto n = Z.shape(0) + 1;
            require(n >= 2 && Z.shape(1) == 4 && labels.shape(0) == n && strengths.shape(0) == n,
                    "hdbscan_labels: shapes differ");
            require(least >= 2, "hdbscan_labels: clusters have at least two points");
            for (std::size_t k = 0; k + 1 < n; ++k)
                require(0 <= Z(k, 0) && Z(k, 0) < double(n + k) && 0 <= Z(k, 1) && Z(k, 1) < double(n + k),
                        "hdbscan_labels: not a tree");
            run_native([&](const Interrupt&) {
                const auto tree = cluster::condense({Z.data(), Z.size()}, Index(n), least);
                cluster::select_clusters(tree, Index(n), {leaves, single, epsilon, largest}, view(labels),
                                         view(strengths));
                return 0;
            });
        },
        "Z"_a.noconvert(), "least"_a, "leaves"_a, "single"_a, "epsilon"_a, "largest"_a, "labels"_a.noconvert(),
        "strengths"_a.noconvert());
    m.def(
        "hdbscan_condense",
        [](In<double, 2> Z, Index least) {
            const auto n = Z.shape(0) + 1;
            require(n >= 2 && Z.shape(1) == 4 && least >= 2, "hdbscan_condense: shapes differ");
            for (std::size_t k = 0; k + 1 < n; ++k)
                require(0 <= Z(k, 0) && Z(k, 0) < double(n + k) && 0 <= Z(k, 1) && Z(k, 1) < double(n + k),
                        "hdbscan_condense: not a tree");
            std::vector<double> rows;
            run_native([&](const Interrupt&) {
                for (const auto& d : cluster::condense({Z.data(), Z.size()}, Index(n), least))
                    rows.insert(rows.end(), {double(d.parent), double(d.child), d.lambda, double(d.size)});
                return 0;
            });
            const auto count = rows.size() / 4;
            return to_numpy(std::move(rows), {count, 4});
        },
        "Z"_a.noconvert(), "least"_a);
}

}  // namespace statlearn
