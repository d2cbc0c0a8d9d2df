#include "trees/cart.hpp"

#include "trees/cart_grower.hpp"

namespace statlearn::trees {

namespace {

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
    to.insert(to.end(), from.begin(), from.end());
}

// Fractions of rows are weights.
bool is_weighted(const CartJob& job) {
    return !job.target.weights.empty() || job.rule.missing == CartMissing::fractional;
}

template <template <bool, bool> class Crit>
CartTree grow_variant(const CartJob& job) {
    if (job.target.outputs > 1) return grow_with<Crit<true, false>>(job);
    const bool weighted = is_weighted(job);
    return weighted ? grow_with<Crit<true, true>>(job) : grow_with<Crit<false, true>>(job);
}

template <bool kWeighted, bool kSingle>
using Gini = ClassCriterion<GiniMeasure, kWeighted, kSingle>;
template <bool kWeighted, bool kSingle>
using Entropy = ClassCriterion<EntropyMeasure, kWeighted, kSingle>;

}  // namespace

extern template CartTree grow_with<BinaryGini<true>>(const CartJob&);
extern template CartTree grow_with<BinaryGini<false>>(const CartJob&);
extern template CartTree grow_with<Gini<true, false>>(const CartJob&);
extern template CartTree grow_with<Gini<true, true>>(const CartJob&);
extern template CartTree grow_with<Gini<false, true>>(const CartJob&);
extern template CartTree grow_with<Entropy<true, false>>(const CartJob&);
extern template CartTree grow_with<Entropy<true, true>>(const CartJob&);
extern template CartTree grow_with<Entropy<false, true>>(const CartJob&);
extern template CartTree grow_with<ClassCriterion<ErrorMeasure, true, false>>(const CartJob&);
extern template CartTree grow_with<ClassCriterion<LossMeasure, true, false>>(const CartJob&);
extern template CartTree grow_with<SquaredCriterion<true, false>>(const CartJob&);
extern template CartTree grow_with<SquaredCriterion<true, true>>(const CartJob&);
extern template CartTree grow_with<SquaredCriterion<false, true>>(const CartJob&);
extern template CartTree grow_with<PoissonCriterion>(const CartJob&);
extern template CartTree grow_with<AbsoluteCriterion>(const CartJob&);

CartTree cart_grow(CartColumns& columns, const CartTarget& target, const CartRule& rule, const Interrupt& interrupt) {
    const CartJob job{columns, target, rule, interrupt};
    switch (rule.criterion) {
        case CartCriterion::gini:
            if (target.outputs == 1 && target.classes == 2)
                return is_weighted(job) ? grow_with<BinaryGini<true>>(job) : grow_with<BinaryGini<false>>(job);
            return grow_variant<Gini>(job);
        case CartCriterion::entropy:
            return grow_variant<Entropy>(job);
        case CartCriterion::error:
            return grow_with<ClassCriterion<ErrorMeasure, true, false>>(job);
        case CartCriterion::loss:
            return grow_with<ClassCriterion<LossMeasure, true, false>>(job);
        case CartCriterion::squared:
            return grow_variant<SquaredCriterion>(job);
        case CartCriterion::poisson:
            return grow_with<PoissonCriterion>(job);
        case CartCriterion::absolute:
            return grow_with<AbsoluteCriterion>(job);
    }
    return {};
}

void graft(CartTree& tree, int at, const CartTree& branch) {
    if (tree.size() == 0) {
        tree = branch;
        return;
    }
    // The branch's root takes the place of `at`; its other nodes follow at the end.
    const auto n = tree.feature.size(), m = branch.feature.size();
    const int sets = int(tree.left_sets.size() / std::size_t(tree.words)), shift = int(n) - 1;
    const auto k = std::size_t(at);
    const auto move_in = [&](auto& to, const auto& from) {
        to[k] = from[0];
        to.insert(to.end(), from.begin() + 1, from.end());
    };
    move_in(tree.feature, branch.feature);
    move_in(tree.child, branch.child);
    move_in(tree.category_set, branch.category_set);
    move_in(tree.threshold, branch.threshold);
    move_in(tree.gain, branch.gain);
    move_in(tree.impurity, branch.impurity);
    move_in(tree.weight, branch.weight);
    move_in(tree.missing_left, branch.missing_left);
    move_in(tree.rows, branch.rows);
    const auto width = std::size_t(tree.width);
    std::copy_n(branch.value.begin(), width, tree.value.begin() + std::ptrdiff_t(k * width));
    tree.value.insert(tree.value.end(), branch.value.begin() + std::ptrdiff_t(width), branch.value.end());
    append(tree.left_sets, branch.left_sets);
    const auto settle = [&](std::size_t node) {
        if (tree.child[node] > 0) tree.child[node] += shift;
        if (tree.category_set[node] >= 0) tree.category_set[node] += sets;
    };
    settle(k);
    for (std::size_t node = n; node < n + m - 1; ++node) settle(node);
    for (std::size_t s = 0; s < branch.surrogate_node.size(); ++s) {
        const int node = branch.surrogate_node[s], set = branch.surrogate_set[s];
        tree.surrogate_node.push_back(node == 0 ? at : node + shift);
        tree.surrogate_set.push_back(set < 0 ? -1 : set + sets);
    }
    append(tree.surrogate_feature, branch.surrogate_feature);
    append(tree.surrogate_threshold, branch.surrogate_threshold);
    append(tree.surrogate_agreement, branch.surrogate_agreement);
    append(tree.surrogate_adjusted, branch.surrogate_adjusted);
    append(tree.surrogate_below_left, branch.surrogate_below_left);
    tree.evaluations += branch.evaluations;
}

CartTree in_order(const CartTree& tree) {
    const auto n = tree.feature.size(), width = std::size_t(tree.width);
    CartTree out = tree;
    if (n == 0) return out;
    std::vector<int> old_of(n), new_of(n);
    std::vector<int> stack{0};
    int next = 1;
    while (!stack.empty()) {
        const int node = stack.back();
        stack.pop_back();
        const int first = tree.child[std::size_t(node)];
        if (first == 0) continue;
        for (const int side : {0, 1}) {
            new_of[std::size_t(first + side)] = next + side;
            old_of[std::size_t(next + side)] = first + side;
        }
        next += 2;
        stack.push_back(first + 1);
        stack.push_back(first);
    }
    for (std::size_t k = 0; k < n; ++k) {
        const auto from = std::size_t(old_of[k]);
        out.feature[k] = tree.feature[from];
        out.child[k] = tree.child[from] == 0 ? 0 : new_of[std::size_t(tree.child[from])];
        out.category_set[k] = tree.category_set[from];
        out.threshold[k] = tree.threshold[from];
        out.gain[k] = tree.gain[from];
        out.impurity[k] = tree.impurity[from];
        out.weight[k] = tree.weight[from];
        out.missing_left[k] = tree.missing_left[from];
        out.rows[k] = tree.rows[from];
        std::copy_n(tree.value.begin() + std::ptrdiff_t(from * width), width,
                    out.value.begin() + std::ptrdiff_t(k * width));
    }
    // Surrogates of a node stay together, in the order of the nodes.
    const auto m = tree.surrogate_node.size();
    std::vector<std::size_t> order(m);
    std::iota(order.begin(), order.end(), std::size_t(0));
    const auto node_of = [&](std::size_t s) { return new_of[std::size_t(tree.surrogate_node[s])]; };
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return node_of(a) < node_of(b); });
    for (std::size_t s = 0; s < m; ++s) {
        out.surrogate_node[s] = node_of(order[s]);
        out.surrogate_feature[s] = tree.surrogate_feature[order[s]];
        out.surrogate_set[s] = tree.surrogate_set[order[s]];
        out.surrogate_threshold[s] = tree.surrogate_threshold[order[s]];
        out.surrogate_agreement[s] = tree.surrogate_agreement[order[s]];
        out.surrogate_adjusted[s] = tree.surrogate_adjusted[order[s]];
        out.surrogate_below_left[s] = tree.surrogate_below_left[order[s]];
    }
    return out;
}

}  // namespace statlearn::trees
