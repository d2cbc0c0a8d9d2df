#include "neighbors/ball_tree.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <type_traits>

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

// Distances from a point to rows of the data: one call for all of them, so that the tree is built by one piece of code.
struct FromPoint {
    virtual ~FromPoint() = default;
    virtual void reduced(const double* point, Span<const int> rows, double* out) const = 0;
    virtual double distance(double r) const = 0;
};

template <class M, class T>
struct FromPointOf final : FromPoint {
    M metric;
    Matrix<const T> X;

    FromPointOf(const M& by, const Matrix<const T>& of) : metric(by), X(of) {}
    void reduced(const double* point, Span<const int> rows, double* out) const override {
        for (const int row : rows) *out++ = point_distance(metric, X.row(row), 1, point, X.cols);
    }
    double distance(double r) const override { return metric.distance(r); }
};

// What a thread needs to split a node.
struct Room {
    std::vector<Keyed> keyed;
    std::vector<double> first, second;
};

template <class T>
class Builder {
public:
    // `means`: the centre of a ball is the mean of its points, not one of them.
    Builder(const FromPoint& from, bool means, const Matrix<const T>& X, const TreeShape& shape, Span<int> rows,
            Span<T> blocks, Matrix<double> centres, Span<double> radii)
        : from_(from),
          means_(means),
          X_(X),
          shape_(shape),
          rows_(rows),
          blocks_(blocks),
          centres_(centres),
          radii_(radii) {}

    // The node's ball, and its two halves.
    void split(const TreeNode& node, Room& room) const {
        const Index begin = shape_.begin(node), end = shape_.end(node);
        const Span<int> rows = rows_.subspan(begin, end - begin);
        double* centre = centres_.row(node.id);
        set_centre(begin, end, centre);
        const auto a = farthest(rows, centre, room.first);
        radii_[node.id] = from_.distance(room.first[a]);
        if (node.is_leaf()) return fill_leaf(begin, end);
        std::vector<double> pole(shape_.p);
        std::copy_n(X_.row(rows[a]), shape_.p, pole.begin());
        const auto other = farthest(rows, pole.data(), room.first);
        std::copy_n(X_.row(rows[other]), shape_.p, pole.begin());
        room.second.resize(rows.size());
        from_.reduced(pole.data(), rows, room.second.data());
        room.keyed.resize(rows.size());
        for (Index i = 0; i < rows.size(); ++i) room.keyed[i] = {room.first[i] - room.second[i], rows[i]};
        std::nth_element(room.keyed.begin(), room.keyed.begin() + (shape_.begin(node.right()) - begin),
                         room.keyed.end());
        for (Index i = 0; i < rows.size(); ++i) rows[i] = room.keyed[i].row;
    }

    void subtree(const TreeNode& node, Room& room) const {
        split(node, room);
        if (node.is_leaf()) return;
        subtree(node.left(), room);
        subtree(node.right(), room);
    }

private:
    // The first of the rows that are farthest from the point; leaves all reduced distances in `reduced`.
    std::size_t farthest(Span<const int> rows, const double* point, std::vector<double>& reduced) const {
        reduced.resize(rows.size());
        from_.reduced(point, rows, reduced.data());
        std::size_t best = 0;
        double r = -1.0;
        for (Index i = 0; i < rows.size(); ++i)
            if (reduced[i] > r) r = reduced[i], best = i;
        return best;
    }

    void set_centre(Index begin, Index end, double* centre) const {
        const Index p = shape_.p;
        if (!means_) {
            std::copy_n(X_.row(rows_[begin + (end - begin) / 2]), p, centre);
            return;
        }
        std::fill_n(centre, p, 0.0);
        for (Index i = begin; i < end; ++i) {
            const T* x = X_.row(rows_[i]);
            for (Index j = 0; j < p; ++j) centre[j] += double(x[j]);
        }
        for (Index j = 0; j < p; ++j) centre[j] /= double(end - begin);
    }

    void fill_leaf(Index begin, Index end) const {
        for (Index place = begin; place < (end + kLanes - 1) / kLanes * kLanes; ++place) {
            const T* x = X_.row(rows_[std::min(place, end - 1)]);
            T* to = blocks_.data() + place / kLanes * shape_.block_size() + place % kLanes;
            for (Index j = 0; j < shape_.p; ++j) to[j * kLanes] = x[j];
        }
    }

    const FromPoint& from_;
    bool means_;
    Matrix<const T> X_;
    TreeShape shape_;
    Span<int> rows_;
    Span<T> blocks_;
    Matrix<double> centres_;
    Span<double> radii_;
};

// d(q, x) >= d(q, centre) - radius, less what rounding may have added.
template <class M, class T>
struct BallBound {
    const BallTree<T>& tree;
    const M& metric;
    double operator()(const TreeNode& node, const double* q) const {
        const Index p = tree.shape.p;
        const double d = metric.distance(point_distance(metric, tree.centres.row(node.id), 1, q, p));
        const double radius = tree.radii[node.id];
        const double bound = d - radius - (d + radius) * double(p + 16) * 1e-15;
        return bound > 0.0 ? metric.reduce(bound) * (1.0 - 1e-14) : 0.0;
    }
};

// The policies that obey the triangle inequality, by their metric.
template <class T, class F>
auto with_true_metric(Metric metric, double power, F&& f) {
    switch (metric) {
        case Metric::hamming:
            return f(Chosen<T>::of(Hamming{}));
        case Metric::canberra:
            return f(Chosen<T>::of(Canberra{}));
        case Metric::jaccard:
            return f(Chosen<T>::of(Jaccard{}));
        case Metric::rogerstanimoto:
            return f(Chosen<T>::of(RogersTanimoto{}));
        case Metric::russellrao:
            return f(Chosen<T>::of(RussellRao{}));
        case Metric::sokalsneath:
            return f(Chosen<T>::of(SokalSneath{}));
        default:
            return with_box_metric(metric, power, f);
    }
}

}  // namespace

template <class T>
void ball_tree_build(Matrix<const T> X, TreeShape shape, Metric metric, double power, const Interrupt& interrupt,
                     Span<int> rows, Span<T> blocks, Matrix<double> centres, Span<double> radii) {
    std::iota(rows.begin(), rows.end(), 0);
    const auto from = with_true_metric<T>(metric, power, [&](const auto& policy) -> std::unique_ptr<FromPoint> {
        return std::make_unique<FromPointOf<std::decay_t<decltype(policy)>, T>>(policy, X);
    });
    const bool means = box_metric(metric) && metric != Metric::haversine;  // a mean is not on the sphere
    const Builder<T> builder(*from, means, X, shape, rows, blocks, centres, radii);
    std::vector<TreeNode> level{shape.root()};
    const Index most = std::max<Index>(1, (shape.leaves() + kUnits - 1) / kUnits);
    // Level by level while nodes are large, then whole subtrees.
    for (bool deeper = true; deeper;) {
        deeper = level.front().count > most || level.back().count > most;
        parallel_for(Index(level.size()), [&](Index u) {
            if (interrupt.requested()) return;
            Room room;
            if (deeper)
                builder.split(level[u], room);
            else
                builder.subtree(level[u], room);
        });
        if (interrupt.requested()) return;
        std::vector<TreeNode> next;
        for (const TreeNode& node : level)
            if (!node.is_leaf()) next.push_back(node.left()), next.push_back(node.right());
        level = std::move(next);
    }
}

template <class T>
void ball_tree_query(const BallTree<T>& tree, Matrix<const double> Q, Index k, SearchRule rule,
                     const Interrupt& interrupt, Matrix<double> distances, Matrix<std::int64_t> found) {
    with_true_metric<T>(rule.metric, rule.power, [&](const auto& metric) {
        using M = std::decay_t<decltype(metric)>;
        tree_query(tree, BallBound<M, T>{tree, metric}, metric, Q, k, rule.self, interrupt, distances, found);
    });
}

template <class T>
Within ball_tree_radius(const BallTree<T>& tree, Matrix<const double> Q, Span<const double> radius, bool by_distance,
                        SearchRule rule, const Interrupt& interrupt) {
    return with_true_metric<T>(rule.metric, rule.power, [&](const auto& metric) {
        using M = std::decay_t<decltype(metric)>;
        return tree_radius(tree, BallBound<M, T>{tree, metric}, metric, Q, radius, by_distance, rule.self, interrupt);
    });
}

#define STATLEARN_BALL_TREE(T)                                                                                         \
    template void ball_tree_build<T>(Matrix<const T>, TreeShape, Metric, double, const Interrupt&, Span<int>, Span<T>, \
                                     Matrix<double>, Span<double>);                                                    \
    template void ball_tree_query<T>(const BallTree<T>&, Matrix<const double>, Index, SearchRule, const Interrupt&,    \
                                     Matrix<double>, Matrix<std::int64_t>);                                            \
    template Within ball_tree_radius<T>(const BallTree<T>&, Matrix<const double>, Span<const double>, bool,            \
                                        SearchRule, const Interrupt&);
STATLEARN_BALL_TREE(float)
STATLEARN_BALL_TREE(double)
#undef STATLEARN_BALL_TREE

}  // namespace statlearn::neighbors
