#include "neighbors/kd_tree.hpp"

#include <algorithm>
#include <numeric>

#include "common/parallel.hpp"
#include "neighbors/tree_search.hpp"

namespace statlearn::neighbors {
namespace {

constexpr Index kSample = 128;      // rows that judge which coordinate is widest
constexpr Index kLocalRows = 4096;  // a node of this size is copied and split within the cache
constexpr Index kUnits = 64;        // subtrees that are built side by side

struct Keyed {
    double key;
    int row;
    bool operator<(const Keyed& other) const { return key < other.key || (key == other.key && row < other.row); }
};

// Builds subtrees of the permutation `rows`; `scratch` has room for the largest.
template <class T>
class Splitter {
public:
    Splitter(const Matrix<const T>& X, const TreeShape& shape, Span<int> rows) : X_(X), shape_(shape), rows_(rows) {}

    // Moves the rows of the left half before those of the right half.
    void split(const TreeNode& node, std::vector<Keyed>& keyed) const {
        const Index begin = shape_.begin(node), end = shape_.end(node), middle = shape_.begin(node.right());
        const Index j = widest(begin, end);
        keyed.resize(end - begin);
        for (Index i = begin; i < end; ++i) {
            const int row = rows_[i];
            keyed[i - begin] = {double(X_.row(row)[j]), row};
        }
        std::nth_element(keyed.begin(), keyed.begin() + (middle - begin), keyed.end());
        for (Index i = begin; i < end; ++i) rows_[i] = keyed[i - begin].row;
    }

    void subtree(const TreeNode& node, std::vector<Keyed>& keyed) const {
        if (node.is_leaf()) return;
        split(node, keyed);
        subtree(node.left(), keyed);
        subtree(node.right(), keyed);
    }

private:
    Index widest(Index begin, Index end) const {
        const Index step = std::max<Index>(1, (end - begin) / kSample);
        Index best = 0;
        double width = -1.0;
        for (Index j = 0; j < shape_.p; ++j) {
            T low = X_.row(rows_[begin])[j], high = low;
            for (Index i = begin; i < end; i += step) {
                const T x = X_.row(rows_[i])[j];
                low = std::min(low, x);
                high = std::max(high, x);
            }
            if (double(high) - double(low) > width) width = double(high) - double(low), best = j;
        }
        return best;
    }

    Matrix<const T> X_;
    TreeShape shape_;
    Span<int> rows_;
};

// The nodes with at most `most` leaves whose parents have more, from left to right; `above` gets the parents, level by
// level.
void cut_at(const TreeNode& root, Index most, std::vector<TreeNode>& below, std::vector<std::vector<TreeNode>>& above) {
    std::vector<TreeNode> level{root};
    while (!level.empty()) {
        std::vector<TreeNode> split, next;
        for (const TreeNode& node : level) {
            if (node.count <= most) {
                below.push_back(node);
                continue;
            }
            split.push_back(node);
            next.push_back(node.left());
            next.push_back(node.right());
        }
        if (!split.empty()) above.push_back(std::move(split));
        level = std::move(next);
    }
}

template <class T>
void fill_leaf(const Matrix<const T>& X, const TreeShape& shape, const TreeNode& leaf, Span<const int> rows,
               Span<T> blocks, T* low, T* high) {
    const Index begin = shape.begin(leaf), end = shape.end(leaf), p = shape.p;
    std::copy_n(X.row(rows[begin]), p, low);
    std::copy_n(low, p, high);
    for (Index place = begin; place < (end + kLanes - 1) / kLanes * kLanes; ++place) {
        const T* x = X.row(rows[std::min(place, end - 1)]);
        T* to = blocks.data() + place / kLanes * shape.block_size() + place % kLanes;
        for (Index j = 0; j < p; ++j) {
            to[j * kLanes] = x[j];
            low[j] = std::min(low[j], x[j]);
            high[j] = std::max(high[j], x[j]);
        }
    }
}

template <class T>
void merge_boxes(const TreeNode& node, Matrix<T> low, Matrix<T> high) {
    const Index a = node.left().id, b = node.right().id;
    for (Index j = 0; j < low.cols; ++j) {
        low(node.id, j) = std::min(low(a, j), low(b, j));
        high(node.id, j) = std::max(high(a, j), high(b, j));
    }
}

template <class T>
void fill_subtree(const Matrix<const T>& X, const TreeShape& shape, const TreeNode& node, Span<const int> rows,
                  Span<T> blocks, Matrix<T> low, Matrix<T> high) {
    if (node.is_leaf()) return fill_leaf(X, shape, node, rows, blocks, low.row(node.id), high.row(node.id));
    fill_subtree(X, shape, node.left(), rows, blocks, low, high);
    fill_subtree(X, shape, node.right(), rows, blocks, low, high);
    merge_boxes(node, low, high);
}

// Bounds of the nodes of a KD-tree, for tree_search.hpp.
template <class M, class T>
struct BoxBound {
    const KdTree<T>& tree;
    const M& metric;
    double operator()(const TreeNode& node, const double* q) const {
        return box_bound(metric, tree.low.row(node.id), tree.high.row(node.id), q, tree.shape.p);
    }
};

}  // namespace

template <class T>
void kd_tree_build(Matrix<const T> X, TreeShape shape, const Interrupt& interrupt, Span<int> rows, Span<T> blocks,
                   Matrix<T> low, Matrix<T> high) {
    std::iota(rows.begin(), rows.end(), 0);
    const Splitter<T> splitter(X, shape, rows);
    std::vector<TreeNode> below;
    std::vector<std::vector<TreeNode>> above;
    cut_at(shape.root(), std::max<Index>(1, (shape.leaves() + kUnits - 1) / kUnits), below, above);
    for (const auto& level : above)
        parallel_for(Index(level.size()), [&](Index u) {
            if (interrupt.requested()) return;
            std::vector<Keyed> keyed;
            splitter.split(level[u], keyed);
        });
    parallel_for(Index(below.size()), [&](Index u) {
        if (interrupt.requested()) return;
        const TreeNode& node = below[u];
        std::vector<Keyed> keyed;
        splitter.subtree(node, keyed);
        fill_subtree(X, shape, node, Span<const int>(rows), blocks, low, high);
    });
    if (interrupt.requested()) return;
    for (auto level = above.rbegin(); level != above.rend(); ++level)
        for (const TreeNode& node : *level) merge_boxes(node, low, high);
}

template <class T>
void kd_tree_query(const KdTree<T>& tree, Matrix<const double> Q, Index k, SearchRule rule, const Interrupt& interrupt,
                   Matrix<double> distances, Matrix<std::int64_t> found) {
    with_box_metric(rule.metric, rule.power, [&](const auto& metric) {
        using M = std::decay_t<decltype(metric)>;
        tree_query(tree, BoxBound<M, T>{tree, metric}, metric, Q, k, rule.self, interrupt, distances, found);
    });
}

template <class T>
Within kd_tree_radius(const KdTree<T>& tree, Matrix<const double> Q, Span<const double> radius, bool by_distance,
                      SearchRule rule, const Interrupt& interrupt) {
    return with_box_metric(rule.metric, rule.power, [&](const auto& metric) {
        using M = std::decay_t<decltype(metric)>;
        return tree_radius(tree, BoxBound<M, T>{tree, metric}, metric, Q, radius, by_distance, rule.self, interrupt);
    });
}

#define STATLEARN_KD_TREE(T)                                                                                        \
    template void kd_tree_build<T>(Matrix<const T>, TreeShape, const Interrupt&, Span<int>, Span<T>, Matrix<T>,     \
                                   Matrix<T>);                                                                      \
    template void kd_tree_query<T>(const KdTree<T>&, Matrix<const double>, Index, SearchRule, const Interrupt&,     \
                                   Matrix<double>, Matrix<std::int64_t>);                                           \
    template Within kd_tree_radius<T>(const KdTree<T>&, Matrix<const double>, Span<const double>, bool, SearchRule, \
                                      const Interrupt&);
STATLEARN_KD_TREE(float)
STATLEARN_KD_TREE(double)
#undef STATLEARN_KD_TREE

}  // namespace statlearn::neighbors
