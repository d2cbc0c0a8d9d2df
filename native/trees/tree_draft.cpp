#include "trees/tree_draft.hpp"

#include <algorithm>
#include <utility>

#include "common/parallel.hpp"

namespace statlearn::trees {

namespace {

void make_leaf(BoostingTree& tree, std::size_t k) {
    tree.child[k] = 0;
    tree.feature[k] = tree.bin[k] = tree.categories[k] = -1;
    tree.gain[k] = tree.threshold[k] = 0.0;
    tree.missing_left[k] = 0;
}

// Drops the nodes that no path from the root reaches; the others keep their order, and pairs stay together.
void drop_unreachable(BoostingTree& tree) {
    const auto n = tree.feature.size();
    std::vector<int> place(n, -1);
    place[0] = 0;
    int kept = 0;
    std::vector<std::size_t> old;
    for (std::size_t k = 0; k < n; ++k) {
        if (place[k] < 0) continue;
        place[k] = kept++;
        old.push_back(k);
        if (const auto child = std::size_t(tree.child[k])) place[child] = place[child + 1] = 0;
    }
    if (old.size() == n) return;
    const auto keep = [&](auto& array) {
        for (std::size_t i = 0; i < old.size(); ++i) array[i] = array[old[i]];
        array.resize(old.size());
    };
    keep(tree.feature), keep(tree.bin), keep(tree.threshold), keep(tree.child), keep(tree.missing_left);
    keep(tree.categories), keep(tree.gain), keep(tree.value), keep(tree.hessian), keep(tree.gradient);
    keep(tree.rows), keep(tree.first);
    for (auto& child : tree.child)
        if (child) child = place[child];
}

}  // namespace

int TreeDraft::add_node(const Bounds& bounds) {
    tree_.feature.push_back(-1);
    tree_.bin.push_back(-1);
    tree_.threshold.push_back(0.0);
    tree_.child.push_back(0);
    tree_.missing_left.push_back(0);
    tree_.categories.push_back(-1);
    tree_.gain.push_back(0.0);
    tree_.rows.push_back(0);
    tree_.first.push_back(0);
    bounds_.push_back(bounds);
    return int(tree_.feature.size()) - 1;
}

int TreeDraft::split(int node, const BoostingSplit& split, Index begin, Index end, const Bounds& left,
                     const Bounds& right) {
    const Index k = node;
    tree_.feature[k] = split.feature;
    tree_.bin[k] = split.bin;
    tree_.threshold[k] = split.threshold;
    tree_.missing_left[k] = split.missing_left;
    tree_.gain[k] = split.gain;
    tree_.rows[k] = end - begin;
    tree_.first[k] = begin;
    if (split.by_set) {
        tree_.categories[k] = int(tree_.left_sets.size());
        tree_.left_sets.push_back(split.left_set);
    }
    const int child = add_node(left);
    add_node(right);
    tree_.child[k] = child;
    return child;
}

template <class T>
BoostingTree TreeDraft::finish(Span<const LeafRows> leaves, Span<const std::uint32_t> order, Span<const T> g,
                               Span<const T> h, const GrowRule& rule) && {
    const auto n_nodes = tree_.feature.size();
    std::vector<LeafRows> pieces;  // of leaves, so that a large one is shared out
    constexpr Index kPiece = 1 << 14;
    for (const auto& leaf : leaves)
        for (Index b = leaf.begin; b < leaf.end; b += kPiece)
            pieces.push_back({leaf.node, b, std::min(b + kPiece, leaf.end)});
    std::vector<std::pair<double, double>> sums(pieces.size());
    parallel_for(Index(pieces.size()), [&](Index b) {
        const auto& piece = pieces[b];
        double sum_g = 0.0, sum_h = 0.0;
        for (Index k = piece.begin; k < piece.end; ++k) {
            sum_g += double(g[order[k]]);
            sum_h += double(h[order[k]]);
        }
        sums[b] = {sum_g, sum_h};
    });
    tree_.gradient.assign(n_nodes, 0.0);
    tree_.hessian.assign(n_nodes, 0.0);
    tree_.value.assign(n_nodes, 0.0);
    for (std::size_t b = 0; b < pieces.size(); ++b) {
        const Index k = pieces[b].node;
        tree_.gradient[k] += sums[b].first;
        tree_.hessian[k] += sums[b].second;
    }
    for (const auto& leaf : leaves) {
        tree_.rows[leaf.node] = leaf.end - leaf.begin;
        tree_.first[leaf.node] = leaf.begin;
    }
    for (std::size_t k = n_nodes; k-- > 0;) {
        if (const auto child = std::size_t(tree_.child[k])) {
            tree_.gradient[k] = tree_.gradient[child] + tree_.gradient[child + 1];
            tree_.hessian[k] = tree_.hessian[child] + tree_.hessian[child + 1];
        }
        tree_.value[k] = leaf_value(tree_.gradient[k], tree_.hessian[k], rule, bounds_[k]);
    }
    if (rule.post_prune) prune_losses(tree_);
    if (rule.prune_gain > 0) prune_weakest(tree_, rule.prune_gain, rule.gamma);
    return std::move(tree_);
}

void prune_losses(BoostingTree& tree) {
    for (std::size_t k = tree.feature.size(); k-- > 0;) {
        const Index child = tree.child[k];
        if (child && !tree.child[child] && !tree.child[child + 1] && tree.gain[k] < 0) make_leaf(tree, k);
    }
    drop_unreachable(tree);
}

void prune_weakest(BoostingTree& tree, double per_leaf, double gamma) {
    for (;;) {
        const auto n = tree.feature.size();
        std::vector<double> gain(n, 0.0);
        std::vector<int> splits(n, 0);
        std::size_t weakest = n;
        double least = per_leaf;
        for (std::size_t k = n; k-- > 0;) {
            const Index child = tree.child[k];
            if (!child) continue;
            gain[k] = tree.gain[k] + gamma + gain[child] + gain[child + 1];
            splits[k] = 1 + splits[child] + splits[child + 1];
            const double each = gain[k] / splits[k];
            if (each <= least) least = each, weakest = k;
        }
        if (weakest == n) return;
        make_leaf(tree, weakest);
        drop_unreachable(tree);
    }
}

template BoostingTree TreeDraft::finish(Span<const LeafRows>, Span<const std::uint32_t>, Span<const float>,
                                        Span<const float>, const GrowRule&) &&;
template BoostingTree TreeDraft::finish(Span<const LeafRows>, Span<const std::uint32_t>, Span<const double>,
                                        Span<const double>, const GrowRule&) &&;

}  // namespace statlearn::trees
