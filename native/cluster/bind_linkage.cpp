#include <limits>

#include "cluster/box_tree.hpp"
#include "cluster/constrained_linkage.hpp"
#include "cluster/linkage_matrix.hpp"
#include "cluster/merge_tree.hpp"
#include "cluster/spanning_tree.hpp"
#include "cluster/ward.hpp"
#include "common/gate.hpp"

namespace statlearn {

namespace {

constexpr std::size_t kMostItems = std::size_t{1} << 30;

using Points = In<double, 2>;

Span<const double> flat(const Points& X) { return {X.data(), X.size()}; }
Span<double> flat(const Out<double, 2>& Z) { return {Z.data(), Z.size()}; }

void require_tree(const Out<double, 2>& Z, std::size_t n) {
    require(2 <= n && n < kMostItems, "linkage: the number of items must be between 2 and 10^9");
    require(Z.shape(0) == n - 1 && Z.shape(1) == 4, "linkage: Z must have n - 1 rows and 4 columns");
}

// Runs a kernel that returns merges and writes their tree; an interrupted one leaves nothing to write.
template <class F>
void write_tree(std::size_t n, bool sort, const Out<double, 2>& Z, F&& kernel) {
    run_native([&](const Interrupt& stop) {
        auto merges = kernel(stop);
        if (merges.size() == n - 1) cluster::merge_tree(merges, Index(n), sort, flat(Z));
    });
}

}  // namespace

void bind_linkage(nb::module_& m) {
    m.def(
        "ward_linkage",
        [](Points X, Out<double, 2> Z) {
            const auto n = X.shape(0);
            require_tree(Z, n);
            write_tree(n, true, Z, [&](const Interrupt& stop) {
                return cluster::ward_merges(flat(X), Index(n), Index(X.shape(1)), stop);
            });
        },
        "X"_array, "Z"_array);
    m.def(
        "matrix_linkage",
        [](Out<double> D, int linkage, Out<double, 2> Z) {
            const auto n = Z.shape(0) + 1;
            require_tree(Z, n);
            require(D.shape(0) == n * (n - 1) / 2, "linkage: the condensed matrix has the wrong size");
            require(0 <= linkage && linkage <= int(cluster::Linkage::median), "linkage: unknown linkage");
            const auto kind = cluster::Linkage(linkage);
            write_tree(n, kind < cluster::Linkage::centroid, Z,
                       [&](const Interrupt& stop) { return cluster::matrix_merges(view(D), Index(n), kind, stop); });
        },
        "D"_array, "linkage"_a, "Z"_array);
    m.def(
        "spatial_order",
        [](Points X) {
            const auto n = X.shape(0);
            require(1 <= n && n < kMostItems, "spatial_order: the number of rows is wrong");
            auto order = run_native([&](const Interrupt&) {
                cluster::BoxTree tree;
                tree.build(X.data(), Index(n), Index(X.shape(1)));
                std::vector<Index> rows;
                for (const int row : tree.row)
                    if (row >= 0) rows.push_back(row);
                return rows;
            });
            return to_numpy(std::move(order), {n});
        },
        "X"_array);
    m.def(
        "condensed_distances",
        [](Points X, Out<double> D) {
            const auto n = X.shape(0);
            require(D.shape(0) == n * (n - 1) / 2, "condensed_distances: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                cluster::condensed_distances(flat(X), Index(n), Index(X.shape(1)), stop, view(D));
            });
        },
        "X"_array, "D"_array);
    m.def(
        "single_linkage",
        [](Points X, std::optional<In<double>> core, double alpha, Out<double, 2> Z) {
            const auto n = X.shape(0);
            require_tree(Z, n);
            require(!core || core->shape(0) == n, "single_linkage: pass one core distance per row");
            const Span<const double> cores = core ? view(*core) : Span<const double>{};
            write_tree(n, true, Z, [&](const Interrupt& stop) {
                return cluster::spanning_tree(flat(X), Index(n), Index(X.shape(1)), cores, alpha,
                                              std::numeric_limits<double>::infinity(), stop);
            });
        },
        "X"_array, "core"_array.none(), "alpha"_a, "Z"_array);
    m.def(
        "single_linkage_matrix",
        [](Points D, std::optional<In<double>> core, Out<double, 2> Z) {
            const auto n = D.shape(0);
            require_tree(Z, n);
            require(D.shape(1) == n && (!core || core->shape(0) == n),
                    "single_linkage_matrix: the shapes of the arrays do not match");
            const Span<const double> cores = core ? view(*core) : Span<const double>{};
            write_tree(n, true, Z,
                       [&](const Interrupt& stop) { return cluster::spanning_tree(flat(D), Index(n), cores, stop); });
        },
        "D"_array, "core"_array.none(), "Z"_array);
    m.def(
        "constrained_linkage",
        [](Index n, In<int> a, In<int> b, In<double> length, int linkage, std::optional<Points> X, Index count) {
            require(1 < n && n < Index(kMostItems) && 0 <= count && count < n,
                    "constrained_linkage: the numbers of rows and clusters do not match");
            require(a.shape(0) == b.shape(0) && a.shape(0) == length.shape(0),
                    "constrained_linkage: the arrays have different lengths");
            const auto kind = cluster::Linkage(linkage);
            require(kind == cluster::Linkage::complete || kind == cluster::Linkage::average ||
                        (kind == cluster::Linkage::ward && X && Index(X->shape(0)) == n),
                    "constrained_linkage: unknown linkage");
            std::vector<cluster::Edge> edges;
            for (std::size_t k = 0; k < a.shape(0); ++k) {
                require(0 <= b(k) && b(k) < a(k) && a(k) < int(n),
                        "constrained_linkage: the edges must go from later to earlier items");
                edges.push_back({a(k), b(k), length(k)});
            }
            std::vector<double> heights;
            auto children = run_native([&](const Interrupt& stop) {
                const auto rows = X ? flat(*X) : Span<const double>{};
                return cluster::constrained_merges(n, edges, kind, rows, X ? Index(X->shape(1)) : 0, count, stop,
                                                   heights);
            });
            const auto merges = heights.size();
            return nb::make_tuple(to_numpy(std::move(children), {merges, 2}), to_numpy(std::move(heights), {merges}));
        },
        "n"_a, "a"_array, "b"_array, "length"_array, "linkage"_a, "X"_array.none(), "count"_a);
    m.def(
        "tree_of_edges",
        [](In<int> a, In<int> b, In<double> length, Out<double, 2> Z) {
            const auto n = Z.shape(0) + 1;
            require_tree(Z, n);
            require(a.shape(0) == n - 1 && b.shape(0) == n - 1 && length.shape(0) == n - 1,
                    "tree_of_edges: the arrays have different lengths");
            for (std::size_t k = 0; k + 1 < n; ++k)
                require(0 <= a(k) && a(k) < int(n) && 0 <= b(k) && b(k) < int(n),
                        "tree_of_edges: an item index is out of range");
            write_tree(n, true, Z, [&](const Interrupt&) {
                std::vector<cluster::Merge> edges;
                for (std::size_t k = 0; k + 1 < n; ++k) edges.push_back({a(k), b(k), length(k)});
                return edges;
            });
        },
        "a"_array, "b"_array, "length"_array, "Z"_array);
    m.def(
        "core_distances",
        [](Points X, Index k, Out<double> core) {
            const auto n = Index(X.shape(0));
            require(1 <= k && k <= n && Index(core.shape(0)) == n,
                    "core_distances: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                cluster::core_distances(flat(X), n, Index(X.shape(1)), k, stop, view(core));
            });
        },
        "X"_array, "k"_a, "core"_array);
    m.def(
        "spread_labels",
        [](In<Index, 2> children, Out<Index> labels) {
            const auto merges = children.shape(0);
            require(children.shape(1) == 2 && labels.shape(0) > merges,
                    "spread_labels: the shapes of the arrays do not match");
            const auto n = Index(labels.shape(0) - merges);
            for (std::size_t k = 0; k < merges; ++k)
                for (std::size_t s = 0; s < 2; ++s)
                    require(0 <= children(k, s) && children(k, s) < n + Index(k),
                            "spread_labels: the arrays do not describe a tree");
            run_native(
                [&](const Interrupt&) { cluster::spread_labels({children.data(), children.size()}, n, view(labels)); });
        },
        "children"_array, "labels"_array);
    m.def(
        "cophenetic",
        [](In<double, 2> Z, Out<double> out) {
            const auto n = Z.shape(0) + 1;
            require(Z.shape(1) == 4 && out.shape(0) == n * (n - 1) / 2,
                    "cophenetic: the shapes of the arrays do not match");
            for (std::size_t k = 0; k + 1 < n; ++k)
                require(0 <= Z(k, 0) && Z(k, 0) < double(n + k) && 0 <= Z(k, 1) && Z(k, 1) < double(n + k) &&
                            Z(k, 0) != Z(k, 1),
                        "cophenetic: the arrays do not describe a tree");
            run_native([&](const Interrupt&) { cluster::cophenetic(flat(Z), Index(n), view(out)); });
        },
        "Z"_array, "out"_array);
}

}  // namespace statlearn
