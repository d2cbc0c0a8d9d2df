#include "trees/cart_predict.hpp"

#include <algorithm>
#include <queue>
#include <utility>
#include <vector>

#include "common/parallel.hpp"

namespace statlearn::trees {

namespace {

constexpr Index kRows = 256;

bool in_set(const ForestView& forest, int set, double x, bool otherwise) {
    if (!(x >= 0 && x < double(32 * forest.left_sets.cols))) return otherwise;
    const auto level = Index(x);
    return forest.left_sets(set, level / 32) >> (level % 32) & 1u;
}

bool goes_left(const ForestView& forest, std::size_t node, double x) {
    if (forest.category_set[node] >= 0)
        return in_set(forest, forest.category_set[node], x, forest.missing_left[node] != 0);
    return x <= forest.threshold[node];
}

}  // namespace

bool is_sound(const SurrogateView& s, const ForestView& forest, Index n_features) {
    const auto nodes = forest.feature.size();
    if (s.start.size() != nodes + 1 || s.start[0] != 0 || s.start[nodes] != s.feature.size()) return false;
    if (!std::is_sorted(s.start.begin(), s.start.end())) return false;
    for (Index k = 0; k < s.feature.size(); ++k) {
        if (s.feature[k] < 0 || s.feature[k] >= n_features) return false;
        if (s.set[k] < -1 || s.set[k] >= forest.left_sets.rows) return false;
    }
    return true;
}

template <class T>
void surrogate_apply(const ForestView& forest, const SurrogateView& s, Matrix<const T> X, const Interrupt& interrupt,
                     Span<int> leaves) {
    const Blocks blocks(X.rows, kRows);
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            std::size_t node = 0;
            while (std::size_t(forest.child[node]) != node) {
                const double x = double(X(i, forest.feature[node]));
                bool left = forest.missing_left[node] != 0;
                if (x == x) {
                    left = goes_left(forest, node, x);
                } else {
                    for (int k = s.start[node]; k < s.start[node + 1]; ++k) {
                        const Index at = k;
                        const double z = double(X(i, s.feature[at]));
                        if (z != z) continue;
                        left = s.set[at] >= 0 ? in_set(forest, s.set[at], z, left)
                                              : (z <= s.threshold[at]) == (s.below_left[at] != 0);
                        break;
                    }
                }
                node = std::size_t(forest.child[node]) + (left ? 0 : 1);
            }
            leaves[i] = int(node);
        }
    });
}

template <class T>
void fractional_predict(const ForestView& forest, Span<const double> left_share, Matrix<const double> values,
                        Matrix<const T> X, const Interrupt& interrupt, Matrix<double> sums) {
    const Blocks blocks(X.rows, kRows);
    parallel_for(blocks.count(), [&](Index b) {
        std::vector<std::pair<Index, double>> stack;
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            if (interrupt.requested()) return;
            stack.assign(1, {0, 1.0});
            while (!stack.empty()) {
                auto [node, share] = stack.back();
                stack.pop_back();
                const Index child = forest.child[node];
                if (child == node) {
                    for (Index k = 0; k < values.cols; ++k) sums(i, k) += share * values(Index(node), k);
                    continue;
                }
                const double x = double(X(i, forest.feature[node]));
                if (x == x) {
                    stack.emplace_back(child + (goes_left(forest, node, x) ? 0 : 1), share);
                } else {
                    stack.emplace_back(child + 1, share * (1.0 - left_share[node]));
                    stack.emplace_back(child, share * left_share[node]);
                }
            }
        }
    });
}

void collapse_alphas(Span<const int> child, Span<const double> cost, Span<double> alpha) {
    const auto n = child.size();
    std::vector<int> parent(n, -1), leaves(n, 1);
    std::vector<double> below(cost.begin(), cost.end());  // cost of the leaves below
    std::vector<std::uint8_t> open(n, 0);
    for (Index k = n; k-- > 0;) {
        alpha[k] = 0.0;
        const Index c = child[k];
        if (c == k) continue;
        open[k] = 1;
        parent[c] = parent[c + 1] = int(k);
        leaves[k] = leaves[c] + leaves[c + 1];
        below[k] = below[c] + below[c + 1];
    }
    const auto link = [&](std::size_t k) { return std::max(0.0, (cost[k] - below[k]) / double(leaves[k] - 1)); };
    // The strength of a node's link changes when a branch below it goes; what the queue holds of older ones is skipped.
    using Entry = std::pair<double, std::size_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> weakest;
    std::vector<double> strength(n, 0.0);
    const auto offer = [&](std::size_t k) {
        strength[k] = link(k);
        weakest.emplace(strength[k], k);
    };
    for (Index k = 0; k < n; ++k)
        if (open[k]) offer(k);
    double now = 0.0;
    std::vector<std::size_t> stack;
    while (!weakest.empty()) {
        const auto [value, node] = weakest.top();
        weakest.pop();
        if (!open[node] || value != strength[node]) continue;
        now = std::max(now, value);
        stack.assign(1, node);
        while (!stack.empty()) {
            const auto k = stack.back();
            stack.pop_back();
            if (!open[k]) continue;
            open[k] = 0;
            alpha[k] = now;
            stack.push_back(std::size_t(child[k]));
            stack.push_back(std::size_t(child[k]) + 1);
        }
        const int gone = leaves[node] - 1;
        const double more = cost[node] - below[node];
        leaves[node] = 1;
        below[node] = cost[node];
        for (int up = parent[node]; up >= 0; up = parent[up]) {
            const Index k = up;
            leaves[k] -= gone;
            below[k] += more;
            offer(k);
        }
    }
}

template void surrogate_apply(const ForestView&, const SurrogateView&, Matrix<const float>, const Interrupt&,
                              Span<int>);
template void surrogate_apply(const ForestView&, const SurrogateView&, Matrix<const double>, const Interrupt&,
                              Span<int>);
template void fractional_predict(const ForestView&, Span<const double>, Matrix<const double>, Matrix<const float>,
                                 const Interrupt&, Matrix<double>);
template void fractional_predict(const ForestView&, Span<const double>, Matrix<const double>, Matrix<const double>,
                                 const Interrupt&, Matrix<double>);

}  // namespace statlearn::trees
