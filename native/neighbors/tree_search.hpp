// The walk that KD-tree and ball tree share: nearest child first, a child is left out when its bound exceeds the
// distance of the k-th neighbour so far (equal is not enough: a smaller row number may hide there). Queries are taken
// in spatial order, by the leaf that they fall into, so that neighbours in time read the same nodes.
#pragma once

#include <numeric>

#include "common/parallel.hpp"
#include "neighbors/kd_tree.hpp"

namespace statlearn::neighbors {

constexpr Index kQueryBlock = 64;      // queries of one unit of work
constexpr Index kDeepest = 64;         // levels of the largest tree
constexpr Index kWorthSorting = 1024;  // fewer queries are answered as they come

// For every place in the order of work, the number of a query.
template <class Tree, class Bound>
std::vector<Index> spatial_order(const Tree& tree, const Bound& bound, const Matrix<const double>& Q,
                                 const Interrupt& interrupt) {
    std::vector<Index> order(Q.rows);
    std::iota(order.begin(), order.end(), Index(0));
    if (Q.rows < kWorthSorting || tree.shape.leaves() < 2) return order;
    std::vector<int> leaf_of(order.size());
    const Blocks blocks(Q.rows, 1024);
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            const double* q = Q.row(i);
            TreeNode node = tree.shape.root();
            while (!node.is_leaf()) {
                const TreeNode left = node.left(), right = node.right();
                node = bound(right, q) < bound(left, q) ? right : left;
            }
            leaf_of[i] = int(node.first);
        }
    });
    if (interrupt.requested()) return order;
    std::vector<Index> start(static_cast<std::size_t>(tree.shape.leaves()) + 1, 0);
    for (const int leaf : leaf_of) ++start[leaf + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    for (std::size_t i = 0; i < leaf_of.size(); ++i) order[start[leaf_of[i]]++] = Index(i);
    return order;
}

// The order of the data's own rows is known.
inline std::vector<Index> own_order(Span<const int> rows) { return {rows.begin(), rows.end()}; }

struct Waiting {
    double bound;
    TreeNode node;
};

// Calls leaf(node) for every leaf whose bound is at most limit(), nearest children first.
template <class Bound, class Limit, class Leaf>
void walk(const TreeNode& root, const Bound& bound, const double* q, Limit&& limit, Leaf&& leaf) {
    Waiting stack[kDeepest];
    Index depth = 0;
    TreeNode node = root;
    for (;;) {
        while (!node.is_leaf()) {
            TreeNode near = node.left(), far = node.right();
            double to_near = bound(near, q), to_far = bound(far, q);
            if (to_far < to_near) std::swap(near, far), std::swap(to_near, to_far);
            if (to_far <= limit()) stack[depth++] = {to_far, far};
            node = near;
        }
        leaf(node);
        do {
            if (depth == 0) return;
            --depth;
        } while (stack[depth].bound > limit());
        node = stack[depth].node;
    }
}

// Upper bounds of the reduced distance from a query to its k-th neighbour, from those of earlier queries: by the
// triangle inequality the neighbours of one are neighbours of the other, not much farther away. With room for rounding
// errors.
template <class M>
class EarlierQueries {
public:
    EarlierQueries(const M&, Index) {}
    void add(const double*, double) {}
    double bound(const double*) const { return std::numeric_limits<double>::infinity(); }
};

template <>
class EarlierQueries<Euclidean> {
public:
    EarlierQueries(const Euclidean& metric, Index p) : metric_(metric), p_(p) {}

    void add(const double* q, double farthest) { known_.push_back({q, std::sqrt(farthest)}); }

    double bound(const double* q) const {
        constexpr double kRoom = 1.0 + 1e-9;
        double least = std::numeric_limits<double>::infinity();
        for (const Known& one : known_)
            least = std::min(least, one.radius + std::sqrt(point_distance(metric_, one.q, 1, q, p_)));
        return least * least * kRoom;
    }

private:
    struct Known {
        const double* q;
        double radius;
    };
    Euclidean metric_;
    Index p_;
    std::vector<Known> known_;
};

template <class Tree, class Bound, class M>
void tree_query(const Tree& tree, const Bound& bound, const M& metric, const Matrix<const double>& Q, Index k,
                bool self, const Interrupt& interrupt, Matrix<double> distances, Matrix<std::int64_t> found) {
    const TreeShape& shape = tree.shape;
    const auto order = self ? own_order(tree.rows) : spatial_order(tree, bound, Q, interrupt);
    const Blocks blocks(Q.rows, kQueryBlock);
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        TopK best(k);
        EarlierQueries<M> earlier(metric, shape.p);
        for (Index o = blocks.begin(b); o < blocks.end(b); ++o) {
            const Index i = order[o];
            const double* q = Q.row(i);
            const auto search = [&](double limit) {
                best.clear(limit);
                walk(
                    shape.root(), bound, q, [&] { return best.worst(); },
                    [&](const TreeNode& leaf) {
                        const Index end = shape.end(leaf);
                        for (Index place = shape.begin(leaf); place < end; place += kLanes) {
                            const Lanes r = block_distances(metric, tree.block(place / kLanes), q, shape.p);
                            unsigned bits = at_most(r, best.worst());
                            if (!bits) continue;
                            if (end - place < kLanes) bits &= (1u << (end - place)) - 1;
                            const int* rows = tree.rows.data() + place;
                            if (self)
                                for (Index l = 0; l < std::min(kLanes, end - place); ++l)
                                    if (rows[l] == i) bits &= ~(1u << l);
                            best.offer(r, bits, rows);
                        }
                    });
            };
            search(earlier.bound(q));
            if (!best.complete()) search(std::numeric_limits<double>::infinity());
            best.write(metric, distances.row(i), found.row(i));
            earlier.add(q, best.farthest());
        }
    });
}

template <class Tree, class Bound, class M>
Within tree_radius(const Tree& tree, const Bound& bound, const M& metric, const Matrix<const double>& Q,
                   Span<const double> radius, bool by_distance, bool self, const Interrupt& interrupt) {
    const TreeShape& shape = tree.shape;
    const auto order = self ? own_order(tree.rows) : spatial_order(tree, bound, Q, interrupt);
    const Blocks blocks(Q.rows, kQueryBlock);
    WithinBlocks answers(Q.rows, blocks.count());
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        auto& items = answers.part(b).items;
        for (Index o = blocks.begin(b); o < blocks.end(b); ++o) {
            const Index i = order[o];
            const double* q = Q.row(i);
            const double r = radius[radius.size() == 1 ? 0 : std::size_t(i)];
            const double limit = loose_limit(metric, r);
            const std::size_t first = items.size();
            walk(
                shape.root(), bound, q, [&] { return limit; },
                [&](const TreeNode& leaf) {
                    const Index end = shape.end(leaf);
                    for (Index place = shape.begin(leaf); place < end; place += kLanes)
                        collect(metric, block_distances(metric, tree.block(place / kLanes), q, shape.p), limit, r,
                                tree.rows.data() + place, std::min(kLanes, end - place), self ? i : -1, items);
                });
            arrange(items, first, by_distance);
            answers.count(i, items.size() - first);
        }
    });
    return answers.join(metric, [&](Index b) {
        return Span<const Index>(order.data() + blocks.begin(b), blocks.end(b) - blocks.begin(b));
    });
}

}  // namespace statlearn::neighbors
