#include "neighbors/ball_tree.hpp"

#include <algorithm>
#include <numeric>

#include "common/parallel.hpp"
#include "neighbors/tree_search.hpp"

namespace statlearn::neighbors {
namespace {

constexpr Index kUnits = 64;

struct Keyed {
    double key;
    int row;
    bool operator<(const Keyed& other) const { return key < other.key || (key == other.key && row < other.row); }
};

template <class M, class T>
class Builder {
public:
    Builder(const M& metric, const MatrixView<const T>& X, const TreeShape& shape, std::span<int> rows,
            std::span<T> blocks, MatrixView<double> centres, std::span<double> radii)
        : metric_(metric), X_(X), shape_(shape), rows_(rows), blocks_(blocks), centres_(centres), radii_(radii) {}

    // The node's ball, and its two halves.
    void split(const TreeNode& node, std::vector<Keyed>& keyed) const {
        const Index begin = shape_.begin(node), end = shape_.end(node);
        double* centre = centres_.row(node.id);
        set_centre(begin, end, centre);
        const Index a = farthest(begin, end, centre);
        radii_[std::size_t(node.id)] = metric_.distance(from(centre, rows_[std::size_t(a)]));
        if (node.is_leaf()) return fill_leaf(begin, end);
        std::vector<double> pole(std::size_t(shape_.p)), other(pole.size());
        std::copy_n(X_.row(rows_[std::size_t(a)]), shape_.p, pole.begin());
        std::copy_n(X_.row(rows_[std::size_t(farthest(begin, end, pole.data()))]), shape_.p, other.begin());
        keyed.resize(std::size_t(end - begin));
        for (Index i = begin; i < end; ++i) {
            const int row = rows_[std::size_t(i)];
            keyed[std::size_t(i - begin)] = {from(pole.data(), row) - from(other.data(), row), row};
        }
        std::nth_element(keyed.begin(), keyed.begin() + (shape_.begin(node.right()) - begin), keyed.end());
        for (Index i = begin; i < end; ++i) rows_[std::size_t(i)] = keyed[std::size_t(i - begin)].row;
    }

    void subtree(const TreeNode& node, std::vector<Keyed>& keyed) const {
        split(node, keyed);
        if (node.is_leaf()) return;
        subtree(node.left(), keyed);
        subtree(node.right(), keyed);
    }

private:
    double from(const double* point, int row) const { return point_distance(metric_, X_.row(row), 1, point, shape_.p); }

    Index farthest(Index begin, Index end, const double* point) const {
        Index best = begin;
        double r = -1.0;
        for (Index i = begin; i < end; ++i) {
            const double here = from(point, rows_[std::size_t(i)]);
            if (here > r) r = here, best = i;
        }
        return best;
    }

    void set_centre(Index begin, Index end, double* centre) const {
        const Index p = shape_.p;
        if constexpr (!kMeans) {
            std::copy_n(X_.row(rows_[std::size_t(begin + (end - begin) / 2)]), p, centre);
            return;
        }
        std::fill_n(centre, p, 0.0);
        for (Index i = begin; i < end; ++i) {
            const T* x = X_.row(rows_[std::size_t(i)]);
            for (Index j = 0; j < p; ++j) centre[j] += double(x[j]);
        }
        for (Index j = 0; j < p; ++j) centre[j] /= double(end - begin);
    }

    void fill_leaf(Index begin, Index end) const {
        for (Index place = begin; place < (end + kLanes - 1) / kLanes * kLanes; ++place) {
            const T* x = X_.row(rows_[std::size_t(std::min(place, end - 1))]);
            T* to = blocks_.data() + place / kLanes * shape_.block_size() + place % kLanes;
            for (Index j = 0; j < shape_.p; ++j) to[j * kLanes] = x[j];
        }
    }

    static constexpr bool kMeans = M::kBox && !std::is_same_v<M, Sphere>;  // a mean is not on the sphere
    M metric_;
    MatrixView<const T> X_;
    TreeShape shape_;
    std::span<int> rows_;
    std::span<T> blocks_;
    MatrixView<double> centres_;
    std::span<double> radii_;
};

// d(q, x) >= d(q, centre) - radius, less what rounding may have added.
template <class M, class T>
struct BallBound {
    const BallTree<T>& tree;
    const M& metric;
    double operator()(const TreeNode& node, const double* q) const {
        const Index p = tree.shape.p;
        const double d = metric.distance(point_distance(metric, tree.centres.row(node.id), 1, q, p));
        const double radius = tree.radii[std::size_t(node.id)];
        const double bound = d - radius - (d + radius) * double(p + 16) * 1e-15;
        return bound > 0.0 ? metric.reduce(bound) * (1.0 - 1e-14) : 0.0;
    }
};

// The policies that obey the triangle inequality, by their metric.
template <class F>
auto with_true_metric(Metric metric, double power, F&& f) {
    switch (metric) {
        case Metric::hamming:
            return f(Hamming{});
        case Metric::canberra:
            return f(Canberra{});
        case Metric::jaccard:
            return f(Jaccard{});
        case Metric::rogerstanimoto:
            return f(RogersTanimoto{});
        case Metric::russellrao:
            return f(RussellRao{});
        case Metric::sokalsneath:
            return f(SokalSneath{});
        default:
            return with_box_metric(metric, power, f);
    }
}

}  // namespace

template <class T>
void ball_tree_build(MatrixView<const T> X, TreeShape shape, Metric metric, double power, const Interrupt& interrupt,
                     std::span<int> rows, std::span<T> blocks, MatrixView<double> centres, std::span<double> radii) {
    std::iota(rows.begin(), rows.end(), 0);
    std::vector<TreeNode> level{shape.root()};
    const Index most = std::max<Index>(1, (shape.leaves() + kUnits - 1) / kUnits);
    with_true_metric(metric, power, [&](const auto& policy) {
        using M = std::decay_t<decltype(policy)>;
        const Builder<M, T> builder(policy, X, shape, rows, blocks, centres, radii);
        // Level by level while nodes are large, then whole subtrees.
        for (bool deeper = true; deeper;) {
            deeper = level.front().count > most || level.back().count > most;
            parallel_for(Index(level.size()), [&](Index u) {
                if (interrupt.requested()) return;
                std::vector<Keyed> keyed;
                if (deeper)
                    builder.split(level[std::size_t(u)], keyed);
                else
                    builder.subtree(level[std::size_t(u)], keyed);
            });
            if (interrupt.requested()) return;
            std::vector<TreeNode> next;
            for (const TreeNode& node : level)
                if (!node.is_leaf()) next.push_back(node.left()), next.push_back(node.right());
            level = std::move(next);
        }
    });
}

template <class T>
void ball_tree_query(const BallTree<T>& tree, MatrixView<const double> Q, Index k, SearchRule rule,
                     const Interrupt& interrupt, MatrixView<double> distances, MatrixView<std::int64_t> found) {
    with_true_metric(rule.metric, rule.power, [&](const auto& metric) {
        using M = std::decay_t<decltype(metric)>;
        tree_query(tree, BallBound<M, T>{tree, metric}, metric, Q, k, rule.self, interrupt, distances, found);
    });
}

template <class T>
Within ball_tree_radius(const BallTree<T>& tree, MatrixView<const double> Q, std::span<const double> radius,
                        bool by_distance, SearchRule rule, const Interrupt& interrupt) {
    return with_true_metric(rule.metric, rule.power, [&](const auto& metric) {
        using M = std::decay_t<decltype(metric)>;
        return tree_radius(tree, BallBound<M, T>{tree, metric}, metric, Q, radius, by_distance, rule.self, interrupt);
    });
}

#define STATLEARN_BALL_TREE(T)                                                                                         \
    template void ball_tree_build<T>(MatrixView<const T>, TreeShape, Metric, double, const Interrupt&, std::span<int>, \
                                     std::span<T>, MatrixView<double>, std::span<double>);                             \
    template void ball_tree_query<T>(const BallTree<T>&, MatrixView<const double>, Index, SearchRule,                  \
                                     const Interrupt&, MatrixView<double>, MatrixView<std::int64_t>);                  \
    template Within ball_tree_radius<T>(const BallTree<T>&, MatrixView<const double>, std::span<const double>, bool,   \
                                        SearchRule, const Interrupt&);
STATLEARN_BALL_TREE(float)
STATLEARN_BALL_TREE(double)
#undef STATLEARN_BALL_TREE

}  // namespace statlearn::neighbors
