#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "cluster/box_tree.hpp"
#include "cluster/dbscan.hpp"
#include "cluster/spanning_tree.hpp"
#include "common/parallel.hpp"
#include "common/union_find.hpp"

namespace statlearn::cluster {

namespace {

class TreeDbscan {
public:
    TreeDbscan(Span<const double> points, Index rows, Index cols, const Density& density, const Interrupt& stop)
        : X(points), n(rows), p(cols), square(density.eps * density.eps), least(density.least), interrupt(stop) {
        tree.build(X.data(), n, p);
        weigh(density.weights);
    }

    void run(Span<std::uint8_t> core, Span<Index> labels) {
        for_slots([&](Index s, const double* x) {
            const Index row = tree.row[s];
            core[row] = mass[s] > 0.0 && dense(x);
        });
        if (interrupt.requested()) return;
        std::fill(labels.begin(), labels.end(), -1);
        label_cores(core, labels);
        if (interrupt.requested()) return;
        std::vector<Index> of_slot(tree.row.size(), -1);  // cluster of the core point in a slot
        for (std::size_t s = 0; s < of_slot.size(); ++s)
            if (tree.row[s] >= 0) of_slot[s] = labels[tree.row[s]];
        for_slots([&](Index s, const double* x) {
            const Index row = tree.row[s];
            if (!core[row]) labels[row] = first_within(x, of_slot);
        });
    }

private:
    template <class Body>
    void for_slots(Body&& body) {
        const Blocks blocks(Index(tree.row.size()), 256);
        parallel_for(blocks.count(), [&](Index b) {
            if (interrupt.requested()) return;
            std::vector<double> x(p);
            for (Index s = blocks.begin(b); s < blocks.end(b); ++s) {
                if (tree.row[s] < 0) continue;
                tree.point(s, x.data());
                body(s, x.data());
            }
        });
    }

    void weigh(Span<const double> weights) {
        mass.assign(tree.row.size(), 0.0);
        node_mass.assign(tree.nodes(), 0.0);
        for (std::size_t s = 0; s < mass.size(); ++s) {
            if (tree.row[s] < 0) continue;
            mass[s] = weights.empty() ? 1.0 : weights[tree.row[s]];
            node_mass[std::size_t(tree.first_leaf()) + s / kLeaf] += mass[s];
        }
        for (Index node = tree.first_leaf() - 1; node >= 0; --node)
            node_mass[node] = node_mass[2 * node + 1] + node_mass[2 * node + 2];
    }

    // Squared distance to the farthest corner of a box: all its points are at most so far.
    double far_corner(Index node, const double* x) const {
        const double* low = tree.box.data() + 2 * p * node;
        double sum = 0.0;
        for (Index j = 0; j < p; ++j) {
            const double t = std::max(x[j] - low[j], low[p + j] - x[j]);
            sum += t * t;
        }
        return sum;
    }

    bool dense(const double* x) const {
        double sum = 0.0;
        visit_leaves(
            tree,
            [&](Index node) {
                const double near = tree.box_distance(node, x);
                if (near > square || node == 0 || far_corner(node, x) > square) return near;
                sum += node_mass[node];  // all within: no need to look
                return kInfinity;
            },
            [&] { return sum >= least ? -1.0 : square; },
            [&](Index leaf) {
                double squared[kLeaf];
                for (unsigned bits = tree.leaf_within(leaf, x, square, squared); bits != 0; bits &= bits - 1)
                    sum += mass[leaf * kLeaf + std::countr_zero(bits)];
            });
        return sum >= least;
    }

    // Components of the core points, numbered by their first rows.
    void label_cores(Span<const std::uint8_t> core, Span<Index> labels) {
        std::vector<Index> rows;
        for (Index i = 0; i < n; ++i)
            if (core[i]) rows.push_back(i);
        const auto count = Index(rows.size());
        std::vector<double> points(count * p);
        for (Index k = 0; k < count; ++k) std::copy_n(X.data() + rows[k] * p, p, points.data() + k * p);
        UnionFind sets(count);
        if (count > 1)
            for (const Merge& edge : spanning_tree(points, count, p, {}, 1.0, square, interrupt))
                sets.join(edge.a, edge.b);
        Index next = 0;
        for (Index k = 0; k < count; ++k) {
            const int root = sets.find(int(k));  // the first of its set
            labels[rows[k]] = root == int(k) ? next++ : labels[rows[root]];
        }
    }

    Index first_within(const double* x, const std::vector<Index>& of_slot) const {
        Index best = -1;
        visit_leaves(
            tree, [&](Index node) { return tree.box_distance(node, x); }, [&] { return square; },
            [&](Index leaf) {
                double squared[kLeaf];
                for (unsigned bits = tree.leaf_within(leaf, x, square, squared); bits != 0; bits &= bits - 1) {
                    const Index name = of_slot[leaf * kLeaf + std::countr_zero(bits)];
                    if (name >= 0 && (best < 0 || name < best)) best = name;
                }
            });
        return best;
    }

    Span<const double> X;
    Index n, p;
    double square, least;
    const Interrupt& interrupt;
    BoxTree tree;
    std::vector<double> mass, node_mass;
};

}  // namespace

void dbscan_tree(Span<const double> X, Index n, Index p, const Density& density, const Interrupt& interrupt,
                 Span<std::uint8_t> core, Span<Index> labels) {
    if (n > 0) TreeDbscan(X, n, p, density, interrupt).run(core, labels);
}

void join_neighbours(Span<const Index> rows, Span<const Index> indptr, Span<const Index> columns,
                     Span<const std::uint8_t> core, Span<Index> parent) {
    for (Index r = 0; r < rows.size(); ++r) {
        if (!core[rows[r]]) continue;
        for (Index k = indptr[r]; k < indptr[r + 1]; ++k) {
            const Index other = columns[k];
            if (core[other]) join_sets(parent, rows[r], other);
        }
    }
}

}  // namespace statlearn::cluster
