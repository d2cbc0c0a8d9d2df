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

template <class T>
struct Sums {
    const KdTree<T>& tree;
    std::span<const double> weights;  // by place
    std::vector<double> before;       // weight of the places before each
    DensityRule rule;

    Sums(const KdTree<T>& tree_, std::span<const double> weights_, DensityRule rule_)
        : tree(tree_), weights(weights_), before(std::size_t(tree_.shape.n) + 1), rule(rule_) {
        for (std::size_t i = 0; i + 1 < before.size(); ++i)
            before[i + 1] = before[i] + (weights.empty() ? 1.0 : weights[i]);
    }
    double mass(const TreeNode& node) const {
        return before[std::size_t(tree.shape.end(node))] - before[std::size_t(tree.shape.begin(node))];
    }

    // Reduced distance to the farthest corner of a node's box, made a little larger than rounding could have made it.
    template <class M>
    double far_bound(const M& metric, const TreeNode& node, const double* q) const {
        const T *low = tree.low.row(node.id), *high = tree.high.row(node.id);
        const Index p = tree.shape.p;
        Sum<double> s{0.0, 0.0};
        for (Index j = 0; j < p; ++j)
            metric.add(s, max(std::abs(q[j] - double(low[j])), std::abs(double(high[j]) - q[j])), 0.0);
        return metric.reduced(s, p) * (1.0 + double(p + 4) * 4e-16);
    }

    template <Kernel K, class M>
    double log_sum(const M& metric, const double* q) const {
        using S = Shape<K>;
        const TreeShape& shape = tree.shape;
        const double inverse = 1.0 / rule.bandwidth, square = inverse * inverse, total = before.back();
        const double rtol = max(rule.rtol, 1e-16);
        const auto value = [&](double reduced) {
            if constexpr (S::kSquare && std::is_same_v<M, Euclidean>) return S::value(reduced * square);
            const double u = metric.distance(reduced) * inverse;
            return S::value(S::kSquare ? u * u : u);
        };
        const auto near_bound = [&](const TreeNode& node) {
            return box_bound(metric, tree.low.row(node.id), tree.high.row(node.id), q, shape.p);
        };
        Total<S::kLog> sum;
        Waiting stack[kDeepest];
        Index depth = 0;
        stack[depth++] = {near_bound(shape.root()), shape.root()};
        while (depth > 0) {
            const auto [bound, node] = stack[--depth];
            const double most = value(bound);
            if (!S::kLog && most <= 0.0) continue;
            if (rule.atol > 0.0) sum.raise(most);
            if (sum.sum > 0.0 || rule.atol > 0.0) {
                const double high = sum.term(most), low = sum.term(value(far_bound(metric, node, q)));
                const double allowed = (rule.atol > 0.0 ? rule.atol * sum.unit() : 0.0) + rtol * sum.sum / total;
                if (0.5 * (high - low) <= allowed) {
                    sum.sum += 0.5 * (high + low) * mass(node);
                    continue;
                }
            }
            if (!node.is_leaf()) {
                TreeNode near = node.left(), far = node.right();
                double to_near = near_bound(near), to_far = near_bound(far);
                if (to_far < to_near) std::swap(near, far), std::swap(to_near, to_far);
                stack[depth++] = {to_far, far};
                stack[depth++] = {to_near, near};
                continue;
            }
            const Index end = shape.end(node);
            for (Index place = shape.begin(node); place < end; place += kLanes) {
                double u[kLanes];
                store(block_distances(metric, tree.block(place / kLanes), q, shape.p), u);
                const Index count = std::min(kLanes, end - place);
                double largest = -kFar;
                for (Index l = 0; l < kLanes; ++l) u[l] = value(u[l]);
                for (Index l = 0; l < count; ++l) largest = max(largest, u[l]);
                sum.raise(largest);
                for (Index l = 0; l < kLanes; ++l) u[l] = sum.term(u[l]);
                if (!weights.empty())
                    for (Index l = 0; l < count; ++l) u[l] *= weights[std::size_t(place + l)];
                for (Index l = 0; l < count; ++l) sum.sum += u[l];
            }
        }
        return sum.log();
    }
};

template <Kernel K, class T, class M>
void all_queries(const Sums<T>& sums, const M& metric, MatrixView<const double> Q, const Interrupt& interrupt,
                 std::span<double> log_sums) {
    const auto bound = [&](const TreeNode& node, const double* q) {
        return box_bound(metric, sums.tree.low.row(node.id), sums.tree.high.row(node.id), q, sums.tree.shape.p);
    };
    const auto order = spatial_order(sums.tree, bound, Q, interrupt);
    const Blocks blocks(Q.rows, 16);
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        for (Index o = blocks.begin(b); o < blocks.end(b); ++o) {
            const Index i = order[std::size_t(o)];
            log_sums[std::size_t(i)] = sums.template log_sum<K>(metric, Q.row(i));
        }
    });
}

}  // namespace

template <class T>
void kernel_density(const KdTree<T>& tree, MatrixView<const double> Q, std::span<const double> weights,
                    DensityRule rule, const Interrupt& interrupt, std::span<double> log_sums) {
    const Sums<T> sums(tree, weights, rule);
    with_box_metric(rule.metric, rule.power, [&](const auto& metric) {
        const auto go = [&]<Kernel K>() { all_queries<K>(sums, metric, Q, interrupt, log_sums); };
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
    });
}

template void kernel_density(const KdTree<float>&, MatrixView<const double>, std::span<const double>, DensityRule,
                             const Interrupt&, std::span<double>);
template void kernel_density(const KdTree<double>&, MatrixView<const double>, std::span<const double>, DensityRule,
                             const Interrupt&, std::span<double>);

}  // namespace statlearn::neighbors
