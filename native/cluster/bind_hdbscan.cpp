#include "cluster/hdbscan_tree.hpp"
#include "common/gate.hpp"

namespace statlearn {
namespace {

// Row k joins two of the points 0..n-1 and of the joined groups n..n+k-1, each of which is joined only once: with a
// second parent the walks through the tree would write beyond their ends.
void require_tree(const In<double, 2>& Z, const char* message) {
    const auto n = Z.shape(0) + 1;
    std::vector<std::uint8_t> joined(n + Z.shape(0), 0);
    for (std::size_t k = 0; k < Z.shape(0); ++k)
        for (std::size_t side = 0; side < 2; ++side) {
            const double child = Z(k, side);
            require(0.0 <= child && child < double(n + k), message);
            auto& once = joined[Index(child)];
            require(double(std::size_t(child)) == child && !once, message);
            once = 1;
        }
}

}  // namespace

void bind_hdbscan(nb::module_& m) {
    m.def(
        "hdbscan_labels",
        [](In<double, 2> Z, Index least, bool leaves, bool single, double epsilon, Index largest, Out<Index> labels,
           Out<double> strengths) {
            const auto n = Z.shape(0) + 1;
            require(n >= 2 && Z.shape(1) == 4 && labels.shape(0) == n && strengths.shape(0) == n,
                    "hdbscan_labels: the shapes of the arrays do not match");
            require(least >= 2, "hdbscan_labels: a cluster must have at least two points");
            require_tree(Z, "hdbscan_labels: the arrays do not describe a tree");
            run_native([&](const Interrupt&) {
                const auto tree = cluster::condense({Z.data(), Z.size()}, Index(n), least);
                cluster::select_clusters(tree, Index(n), {leaves, single, epsilon, largest}, view(labels),
                                         view(strengths));
            });
        },
        "Z"_array, "least"_a, "leaves"_a, "single"_a, "epsilon"_a, "largest"_a, "labels"_array, "strengths"_array);
    m.def(
        "hdbscan_condense",
        [](In<double, 2> Z, Index least) {
            const auto n = Z.shape(0) + 1;
            require(n >= 2 && Z.shape(1) == 4 && least >= 2, "hdbscan_condense: the shapes of the arrays do not match");
            require_tree(Z, "hdbscan_condense: the arrays do not describe a tree");
            std::vector<double> rows;
            run_native([&](const Interrupt&) {
                for (const auto& d : cluster::condense({Z.data(), Z.size()}, Index(n), least))
                    rows.insert(rows.end(), {double(d.parent), double(d.child), d.lambda, double(d.size)});
            });
            const auto count = rows.size() / 4;
            return to_numpy(std::move(rows), {count, 4});
        },
        "Z"_array, "least"_a);
}

}  // namespace statlearn
