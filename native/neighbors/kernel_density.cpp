#include "neighbors/kernel_density.hpp"

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "common/parallel.hpp"
#include "common/vmath.hpp"
#include "neighbors/tree_search.hpp"

namespace statlearn::neighbors {
namespace {

constexpr double kHalfPi = 1.57079632679489661923;
constexpr double kFar = std::numeric_limits<double>::infinity();

// A kernel as a decreasing function of u = d / h, or of u^2 where it is one of the square: its logarithm for those with
// unbounded support, where sums may vanish, its value for the others.
template <Kernel K>
struct Shape {
    static constexpr bool kLog = K == Kernel::gaussian || K == Kernel::exponential;
    static constexpr bool kSquare = K == Kernel::gaussian || K == Kernel::epanechnikov;
    static double value(double u) {
        if constexpr (K == Kernel::gaussian) return -0.5 * u;
        if constexpr (K == Kernel::exponential) return -u;
        if constexpr (K == Kernel::tophat) return u < 1.0 ? 1.0 : 0.0;
        if constexpr (K == Kernel::epanechnikov) return u < 1.0 ? 1.0 - u : 0.0;
        if constexpr (K == Kernel::linear) return u < 1.0 ? 1.0 - u : 0.0;
        return u < 1.0 ? std::cos(kHalfPi * u) : 0.0;
    }
};

// A sum of kernel values, relative to exp(shift) for kernels in logarithms.
template <bool Log>
struct Total {
    double sum = 0.0, shift = -kFar;

    // Makes room for terms of this logarithm: later exponentials stay within the range of doubles.
    void raise(double log_term) {
        if constexpr (Log) {
            if (log_term <= shift + 30.0) return;
            sum *= shift == -kFar ? 0.0 : std::exp(shift - log_term);
            shift = log_term;
        }
    }
    double term(double value) const {
        if constexpr (Log) return value - shift < -700.0 ? 0.0 : exp_fast(value - shift);
        return value;
    }
    double log() const { return std::log(sum) + (Log ? shift : 0.0); }
    double unit() const { return Log ? std::exp(-shift) : 1.0; }  // what an absolute error is measured in
};

// Reduced distances from a query to the nodes and points of a tree, whatever its metric and precision.
struct Space {
    TreeShape shape;

    explicit Space(const TreeShape& of) : shape(of) {}
    virtual ~Space() = default;
    // Bounds of the distances to all points of a node, a little wider than rounding could have made them.
    virtual double near(const TreeNode& node, const double* q) const = 0;
    virtual double far(const TreeNode& node, const double* q) const = 0;
    // Of the points of a leaf, in whole blocks.
    virtual void leaf(const TreeNode& node, const double* q, double* reduced) const = 0;
    // The distance over h for `count` reduced distances in their place, or its square.
    virtual void scale(double inverse_h, bool square, Index count, double* values) const = 0;
};

template <class T, class M>
struct SpaceOf final : Space {
    const KdTree<T>& tree;
    M metric;

    SpaceOf(const KdTree<T>& of, const M& by) : Space(of.shape), tree(of), metric(by) {}

    double near(const TreeNode& node, const double* q) const override {
        return box_bound(metric, tree.low.row(node.id), tree.high.row(node.id), q, shape.p);
    }
    double far(const TreeNode& node, const double* q) const override {
        const T *low = tree.low.row(node.id), *high = tree.high.row(node.id);
        Sum<double> s{0.0, 0.0};
        for (Index j = 0; j < shape.p; ++j)
            metric.add(s, max(std::abs(q[j] - double(low[j])), std::abs(double(high[j]) - q[j])), 0.0);
        return metric.reduced(s, shape.p) * (1.0 + double(shape.p + 4) * 4e-16);
    }
    void leaf(const TreeNode& node, const double* q, double* reduced) const override {
        const Index end = shape.end(node);
        for (Index place = shape.begin(node); place < end; place += kLanes, reduced += kLanes)
            store(block_distances(metric, tree.block(place / kLanes), q, shape.p), reduced);
    }
    void scale(double inverse_h, bool square, Index count, double* values) const override {
        if constexpr (std::is_same_v<M, Euclidean>) {
            if (square && metric.unit == Metric::euclidean) {
                for (Index l = 0; l < count; ++l) values[l] *= inverse_h * inverse_h;
                return;
            }
        }
        for (Index l = 0; l < count; ++l) {
            const double u = metric.distance(values[l]) * inverse_h;
            values[l] = square ? u * u : u;
        }
    }
};

struct Sums {
    const Space& space;
    Span<const double> weights;  // by place
    std::vector<double> before;  // weight of the places before each
    DensityRule rule;

    Sums(const Space& space_, Span<const double> weights_, DensityRule rule_)
        : space(space_), weights(weights_), before(std::size_t(space_.shape.n) + 1), rule(rule_) {
        for (std::size_t i = 0; i + 1 < before.size(); ++i)
            before[i + 1] = before[i] + (weights.empty() ? 1.0 : weights[i]);
    }
    double mass(const TreeNode& node) const { return before[space.shape.end(node)] - before[space.shape.begin(node)]; }

    // `room` holds the distances of a leaf.
    template <Kernel K>
    double log_sum(const double* q, std::vector<double>& room) const {
        using S = Shape<K>;
        const TreeShape& shape = space.shape;
        const double inverse = 1.0 / rule.bandwidth, total = before.back();
        const double rtol = max(rule.rtol, 1e-16);
        const auto value = [&](double reduced) {
            space.scale(inverse, S::kSquare, 1, &reduced);
            return S::value(reduced);
        };
        Total<S::kLog> sum;
        Waiting stack[kDeepest];
        Index depth = 0;
        stack[depth++] = {space.near(shape.root(), q), shape.root()};
        while (depth > 0) {
            const auto [bound, node] = stack[--depth];
            const double most = value(bound);
            if (!S::kLog && most <= 0.0) continue;
            if (rule.atol > 0.0) sum.raise(most);
            if (sum.sum > 0.0 || rule.atol > 0.0) {
                const double high = sum.term(most), low = sum.term(value(space.far(node, q)));
                const double allowed = (rule.atol > 0.0 ? rule.atol * sum.unit() : 0.0) + rtol * sum.sum / total;
                if (0.5 * (high - low) <= allowed) {
                    sum.sum += 0.5 * (high + low) * mass(node);
                    continue;
                }
            }
            if (!node.is_leaf()) {
                TreeNode near = node.left(), far = node.right();
                double to_near = space.near(near, q), to_far = space.near(far, q);
                if (to_far < to_near) std::swap(near, far), std::swap(to_near, to_far);
                stack[depth++] = {to_far, far};
                stack[depth++] = {to_near, near};
                continue;
            }
            const Index begin = shape.begin(node), end = shape.end(node);
            space.leaf(node, q, room.data());
            space.scale(inverse, S::kSquare, (end - begin + kLanes - 1) / kLanes * kLanes, room.data());
            double* u = room.data();
            for (Index place = begin; place < end; place += kLanes, u += kLanes) {
                const Index count = std::min(kLanes, end - place);
                double largest = -kFar;
                for (Index l = 0; l < kLanes; ++l) u[l] = S::value(u[l]);
                for (Index l = 0; l < count; ++l) largest = max(largest, u[l]);
                sum.raise(largest);
                for (Index l = 0; l < kLanes; ++l) u[l] = sum.term(u[l]);
                if (!weights.empty())
                    for (Index l = 0; l < count; ++l) u[l] *= weights[place + l];
                for (Index l = 0; l < count; ++l) sum.sum += u[l];
            }
        }
        return sum.log();
    }
};

template <Kernel K>
void all_queries(const Sums& sums, Span<const Index> order, Matrix<const double> Q, const Interrupt& interrupt,
                 Span<double> log_sums) {
    const Blocks blocks(Q.rows, 16);
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        std::vector<double> room(sums.space.shape.leaf);
        for (Index o = blocks.begin(b); o < blocks.end(b); ++o) {
            const Index i = order[o];
            log_sums[i] = sums.log_sum<K>(Q.row(i), room);
        }
    });
}

void all_kernels(const Space& space, Matrix<const double> Q, Span<const double> weights, DensityRule rule,
                 const Interrupt& interrupt, Span<double> log_sums) {
    const Sums sums(space, weights, rule);
    const auto near = [&](const TreeNode& node, const double* q) { return space.near(node, q); };
    const auto order = spatial_order(space, near, Q, interrupt);
    const auto go = [&]<Kernel K>() { all_queries<K>(sums, order, Q, interrupt, log_sums); };
    switch (rule.kernel) {
        case Kernel::gaussian:
            return go.template operator()<Kernel::gaussian>();
        case Kernel::tophat:
            return go.template operator()<Kernel::tophat>();
        case Kernel::epanechnikov:
            return go.template operator()<Kernel::epanechnikov>();
        case Kernel::exponential:
            return go.template operator()<Kernel::exponential>();
        case Kernel::linear:
            return go.template operator()<Kernel::linear>();
        case Kernel::cosine:
            return go.template operator()<Kernel::cosine>();
    }
}

}  // namespace

template <class T>
void kernel_density(const KdTree<T>& tree, Matrix<const double> Q, Span<const double> weights, DensityRule rule,
                    const Interrupt& interrupt, Span<double> log_sums) {
    with_box_metric(rule.metric, rule.power, [&](const auto& metric) {
        const SpaceOf<T, std::decay_t<decltype(metric)>> space(tree, metric);
        all_kernels(space, Q, weights, rule, interrupt, log_sums);
    });
}

template void kernel_density(const KdTree<float>&, Matrix<const double>, Span<const double>, DensityRule,
                             const Interrupt&, Span<double>);
template void kernel_density(const KdTree<double>&, Matrix<const double>, Span<const double>, DensityRule,
                             const Interrupt&, Span<double>);

}  // namespace statlearn::neighbors
