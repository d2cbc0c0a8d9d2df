#include "trees/forest.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "common/parallel.hpp"
#include "trees/quick_forest.hpp"
#include "trees/set_forest.hpp"

namespace statlearn::trees {

namespace {

constexpr Index kLanes = 16;  // walks in flight: their loads overlap

// What a step reads, in one piece of 16 or 24 bytes.
template <class T>
struct Step {
    T threshold;
    int child, feature;
    int flags;  // bit 0: missing goes left; above it: 1 + number of the category set, 0 for ordered columns
};

template <class T>
std::vector<Step<T>> pack(const ForestView& forest) {
    std::vector<Step<T>> steps(forest.feature.size());
    const Blocks blocks(Index(steps.size()), 1 << 16);
    parallel_for(blocks.count(), [&](Index b) {
        for (Index k = blocks.begin(b); k < blocks.end(b); ++k) {
            const bool leaf = forest.child[k] == int(k);
            // A leaf leads to itself: every number is at most infinity, and a missing one goes left.
            steps[k] = leaf ? Step<T>{std::numeric_limits<T>::infinity(), int(k), 0, 1}
                            : Step<T>{floor_to<T>(forest.threshold[k]), forest.child[k], forest.feature[k],
                                      int(forest.missing_left[k]) | (forest.category_set[k] + 1) << 1};
        }
    });
    return steps;
}

// One step down. kPlain: no category sets in the forest, no NaN among the rows.
template <bool kPlain, class T>
int walk(const Step<T>* steps, int node, const T* row, const Matrix<const std::uint32_t>& sets) {
    const Step<T>& step = steps[node];
    const T x = row[step.feature];
    if constexpr (kPlain) {
        return step.child + (x > step.threshold);
    } else {
        if (x != x) return step.child + (step.flags & 1 ? 0 : 1);
        const int set = (step.flags >> 1) - 1;
        if (set < 0) return step.child + (x > step.threshold);
        if (!(x >= 0 && x < T(32 * sets.cols))) return step.child + (step.flags & 1 ? 0 : 1);  // a category never seen
        const int bin = int(x);
        return step.child + !(sets(set, bin / 32) >> (bin % 32) & 1u);
    }
}

// Calls visit(row, tree, leaf) for every row of the block and every tree, trees outermost.
template <bool kPlain, class T, class Visit>
void walk_block(const std::vector<Step<T>>& steps, const ForestView& forest, const T* X, Index stride, Index rows,
                Visit visit) {
    for (Index t = 0; t < forest.roots.size(); ++t) {
        for (Index first = 0; first < rows; first += kLanes) {
            const Index lanes = std::min(kLanes, rows - first);
            std::array<int, kLanes> at;
            at.fill(forest.roots[t]);
            const T* row = X + first * stride;
            for (bool moved = true; moved;) {
                moved = false;
                for (Index l = 0; l < lanes; ++l) {
                    const int next = walk<kPlain>(steps.data(), at[l], row + l * stride, forest.left_sets);
                    moved |= next != at[l];
                    at[l] = next;
                }
            }
            for (Index l = 0; l < lanes; ++l) visit(first + l, t, at[l]);
        }
    }
}

// Rows that are walked together. They come back to every tree: where a cache cannot hold the forest, many at once, so
// that its trees are read from memory seldom. The same number for every thread; no result depends on it.
Index block_rows(Index n_steps, Index rows, Index columns) {
    constexpr Index kFew = 256, kMany = 4096, kCachedSteps = 1 << 15, kCachedValues = 1 << 18;
    if (n_steps <= kCachedSteps) return kFew;
    const Index most = std::clamp(kCachedValues / std::max<Index>(columns, 1), kFew, kMany);
    const Index share = (rows + threads() - 1) / threads();
    const Index turns = (share + most - 1) / most;
    return std::max(kFew, (share + turns - 1) / std::max<Index>(turns, 1));
}

template <class T, class Visit>
void walk_forest(const ForestView& forest, Matrix<const T> X, const Interrupt& interrupt, Visit visit) {
    const auto steps = pack<T>(forest);
    const bool ordered = forest.left_sets.rows == 0;
    const Blocks blocks(X.rows, block_rows(Index(steps.size()), X.rows, X.cols));
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        const Index first = blocks.begin(b), m = blocks.end(b) - first;
        // The rows side by side, whatever the table's strides.
        std::vector<T> rows(m * X.cols);
        bool complete = true;
        for (Index j = 0; j < X.cols; ++j)
            for (Index i = 0; i < m; ++i) {
                const T x = X(first + i, j);
                complete &= x == x;
                rows[i * X.cols + j] = x;
            }
        const auto at_row = [&](Index i, std::size_t t, int leaf) { visit(first + i, t, leaf); };
        if (ordered && complete)
            walk_block<true>(steps, forest, rows.data(), X.cols, m, at_row);
        else
            walk_block<false>(steps, forest, rows.data(), X.cols, m, at_row);
    });
}

// Where the nodes of a tree begin and end.
std::pair<Index, Index> tree_range(const ForestView& forest, Index t) {
    return {forest.roots[t], t + 1 < forest.roots.size() ? forest.roots[t + 1] : Index(forest.feature.size())};
}

// Whether the nodes begin .. end - 1 are one tree: no node has two parents, and its parent lies before it. Nodes that
// pruning has cut off may have none.
bool is_tree(Span<const int> child, Index begin, Index end) {
    std::vector<std::uint8_t> has_parent(end - begin, 0);
    for (Index k = begin; k < end; ++k) {
        const Index first = child[k];
        if (first == k) continue;
        if (first <= k || first + 1 >= end) return false;
        auto& left = has_parent[first - begin];
        auto& right = has_parent[first - begin + 1];
        if (left || right) return false;
        left = right = 1;
    }
    return true;
}

// Whether a step from node k of a tree that ends at `end` leads on inside the tree.
bool is_sound_step(const ForestView& forest, Index k, Index end, Index n_features) {
    const Index child = forest.child[k];
    if (child == k) return true;
    return child > k && child + 1 < end && forest.feature[k] >= 0 && forest.feature[k] < n_features &&
           forest.category_set[k] >= -1 && forest.category_set[k] < forest.left_sets.rows;
}

}  // namespace

bool is_sound(const ForestView& forest, Index n_features) {
    const auto n = Index(forest.feature.size());
    if (forest.roots.empty()) return n == 0;
    if (forest.roots[0] != 0) return false;
    std::vector<std::uint8_t> sound(forest.roots.size(), 0);
    parallel_for(Index(sound.size()), [&](Index t) {
        const auto [begin, end] = tree_range(forest, std::size_t(t));
        if (begin < 0 || begin >= end || end > n) return;
        for (Index k = begin; k < end; ++k)
            if (!is_sound_step(forest, k, end, n_features)) return;
        sound[t] = is_tree(forest.child, begin, end);
    });
    return std::find(sound.begin(), sound.end(), 0) == sound.end();
}

template <class T>
bool forest_leaves_of_few(const ForestView& forest, Matrix<const T> X, Matrix<int> leaves) {
    const auto n = Index(forest.feature.size());
    for (Index t = 0; t < forest.roots.size(); ++t) {
        const auto [begin, end] = tree_range(forest, t);
        if (begin < 0 || begin >= end || end > n) return false;
        for (Index i = 0; i < X.rows; ++i) {
            Index k = begin;
            while (forest.child[k] != k) {
                if (!is_sound_step(forest, k, end, X.cols)) return false;
                k = forest.child[k] + !goes_left(forest, std::size_t(k), X(i, forest.feature[k]));
            }
            leaves(i, Index(t)) = int(k);
        }
    }
    return true;
}

template <class T>
void forest_predict(const ForestView& forest, Matrix<const T> X, const Interrupt& interrupt, Matrix<double> sums) {
    const auto in_blocks = [&](const auto& ready, Index size) {
        const Blocks blocks(X.rows, size);
        parallel_for(blocks.count(), [&](Index b) {
            if (!interrupt.requested()) ready.add(X, blocks.begin(b), blocks.end(b) - blocks.begin(b), sums);
        });
    };
    if (X.rows >= QuickForest<T>::kRows) {
        if (forest.left_sets.rows == 0) {
            if (const auto quick = QuickForest<T>::prepare(forest)) return in_blocks(*quick, QuickForest<T>::kRows);
        } else if (const auto sets = SetForest<T>::prepare(forest, X.rows)) {
            return in_blocks(*sets, SetForest<T>::kRows);
        }
    }
    walk_forest(forest, X, interrupt,
                [&](Index i, std::size_t t, int leaf) { sums(i, forest.output[t]) += forest.value[leaf]; });
}

template <class T>
void forest_predict_vectors(const ForestView& forest, Matrix<const double> values, Matrix<const T> X,
                            const Interrupt& interrupt, Matrix<double> sums) {
    walk_forest(forest, X, interrupt, [&](Index i, std::size_t, int leaf) {
        const double* value = values.row(leaf);
        double* sum = sums.row(i);
        for (Index k = 0; k < values.cols; ++k) sum[k] += value[k];
    });
}

bool node_depths(Span<const int> child, Span<const int> roots, Span<int> depth) {
    const auto n = Index(child.size());
    if (roots.empty() ? n != 0 : roots[0] != 0) return false;
    for (Index t = 0; t < roots.size(); ++t) {
        const Index begin = roots[t], end = t + 1 < roots.size() ? roots[t + 1] : n;
        if (begin < 0 || begin >= end || end > n || !is_tree(child, begin, end)) return false;
        std::fill(depth.begin() + begin, depth.begin() + end, 0);
        for (Index k = begin; k < end; ++k)
            if (const Index first = child[k]; Index(first) != k) depth[first] = depth[first + 1] = depth[k] + 1;
    }
    return true;
}

template <class T>
void forest_apply(const ForestView& forest, Matrix<const T> X, const Interrupt& interrupt, Matrix<int> leaves) {
    walk_forest(forest, X, interrupt, [&](Index i, std::size_t t, int leaf) { leaves(i, Index(t)) = leaf; });
}

template void forest_predict(const ForestView&, Matrix<const float>, const Interrupt&, Matrix<double>);
template void forest_predict(const ForestView&, Matrix<const double>, const Interrupt&, Matrix<double>);
template void forest_predict_vectors(const ForestView&, Matrix<const double>, Matrix<const float>, const Interrupt&,
                                     Matrix<double>);
template void forest_predict_vectors(const ForestView&, Matrix<const double>, Matrix<const double>, const Interrupt&,
                                     Matrix<double>);
template bool forest_leaves_of_few(const ForestView&, Matrix<const float>, Matrix<int>);
template bool forest_leaves_of_few(const ForestView&, Matrix<const double>, Matrix<int>);
template void forest_apply(const ForestView&, Matrix<const float>, const Interrupt&, Matrix<int>);
template void forest_apply(const ForestView&, Matrix<const double>, const Interrupt&, Matrix<int>);

}  // namespace statlearn::trees
