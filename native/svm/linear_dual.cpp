#include "svm/linear_dual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "common/samplers.hpp"

namespace statlearn::svm {
namespace {

constexpr std::size_t kAhead = 4;  // rows asked for in advance; empirical
constexpr double kInfinite = std::numeric_limits<double>::infinity();

template <class T>
double row_square(const RowsView<T>& X, Index i) {
    double sum = 0.0;
    X.each(i, [&](std::size_t, double x) { sum += x * x; });
    return sum;
}

double shrunk(double x, double by) { return x > by ? x - by : x < -by ? x + by : 0.0; }

template <class T>
class Descent {
public:
    Descent(const RowsView<T>& X, const LinearDual& problem, double scale, Span<double> a, Span<double> w)
        : X_(X), problem_(problem), scale_(scale), a_(a), w_(w), curvature_(X.rows) {
        std::fill(w.begin(), w.end(), 0.0);
        for (Index i = 0; i < X.rows; ++i) {
            curvature_[i] = row_square(X, i) + scale * scale + problem.ridge[i];
            if (a[i] != 0.0) X.add(i, a[i], w.data());
            sum_ += a[i];
        }
        order_.resize(X.rows);
        std::iota(order_.begin(), order_.end(), Index{0});
    }

    double sum() const { return sum_; }
    double& offset() { return offset_; }

    // Passes until the projected gradients lie within `tol`; returns the range of the last one.
    double run(double tol, int max_iter, int& n_iter, Rng& rng, const Interrupt& interrupt, Status& status) {
        std::size_t active = order_.size();
        double most = kInfinite, least = -kInfinite, range = kInfinite;
        status = Status::max_iter;
        while (n_iter < max_iter) {
            if (interrupt.requested()) {
                status = Status::interrupted;
                break;
            }
            draw_to_front(order_.begin(), active, active, rng);
            double next_most = -kInfinite, next_least = kInfinite;
            for (std::size_t s = 0; s < active; ++s) {
                const Index i = order_[s];
                if (s + kAhead < active) X_.prefetch(order_[s + kAhead]);
                const double value = a_[i], epsilon = problem_.epsilon;
                const double g = X_.dot(i, w_.data()) + scale_ * scale_ * sum_ + offset_ - problem_.target[i] +
                                 problem_.ridge[i] * value;
                const double right = g + (value >= 0.0 ? epsilon : -epsilon);  // derivative when a grows
                const double left = g + (value > 0.0 ? epsilon : -epsilon);    // and when it falls
                const bool grows = value<problem_.upper[i], falls = value> problem_.lower[i];
                // Firmly at its end, or at the corner 0: it is not looked at again until the others have settled.
                if ((!grows || right > most) && (!falls || left < least)) {
                    if (most < kInfinite) {
                        std::swap(order_[s--], order_[--active]);
                        continue;
                    }
                }
                const double slope = grows && right < 0.0 ? right : falls && left > 0.0 ? left : 0.0;
                next_most = std::max(next_most, slope);
                next_least = std::min(next_least, slope);
                if (std::abs(slope) < 1e-12 || !(curvature_[i] > 0.0)) continue;
                const double moved = std::clamp(shrunk(value - g / curvature_[i], epsilon / curvature_[i]),
                                                problem_.lower[i], problem_.upper[i]);
                const double change = moved - value;
                if (change == 0.0) continue;
                a_[i] = moved;
                sum_ += change;
                X_.add(i, change, w_.data());
            }
            ++n_iter;
            range = active == 0 ? 0.0 : next_most - next_least;
            if (range <= tol) {
                if (active == order_.size()) {
                    status = Status::ok;
                    break;
                }
                active = order_.size();
                most = kInfinite, least = -kInfinite;
                continue;
            }
            most = next_most > 0.0 ? next_most : kInfinite;
            least = next_least < 0.0 ? next_least : -kInfinite;
        }
        return range;
    }

private:
    const RowsView<T>& X_;
    const LinearDual& problem_;
    double scale_, offset_ = 0.0, sum_ = 0.0;
    Span<double> a_, w_;
    std::vector<double> curvature_;
    std::vector<Index> order_;
};

}  // namespace

template <class T>
LinearDualInfo linear_dual_fit(const RowsView<T>& X, const LinearDual& problem, const LinearDualOptions& options,
                               const Interrupt& interrupt, Span<double> a, Span<double> w, double& b) {
    double scale = options.intercept_scale;
    if (options.free_intercept) {
        double square = 0.0;
        for (Index i = 0; i < X.rows; ++i) square += row_square(X, i);
        scale = std::sqrt(std::max(square / double(X.rows), 1e-6));
    }
    Rng rng(options.seed, 0);
    Descent<T> descent(X, problem, scale, a, w);
    LinearDualInfo info{0, kInfinite, Status::ok};
    descent.offset() = options.free_intercept ? b : 0.0;
    while (true) {
        info.violation = descent.run(options.tol, options.max_iter, info.n_iter, rng, interrupt, info.status);
        b = descent.offset() + scale * scale * descent.sum();
        if (!options.free_intercept || info.status != Status::ok) return info;
        double total = 0.0;
        for (const double value : a) total += std::abs(value);
        if (std::abs(descent.sum()) <= 1e-2 * options.tol * std::max(total, 1e-300)) return info;
        descent.offset() = b;
    }
}

template <class T>
LinearDualInfo crammer_singer_fit(const RowsView<T>& X, Span<const int> classes, int n_classes,
                                  Span<const double> upper, const LinearDualOptions& options,
                                  const Interrupt& interrupt, Span<double> W) {
    const Index K = n_classes;
    const Index width = X.cols + 1;
    const double scale = options.intercept_scale;
    std::vector<double> a(std::size_t(X.rows) * K, 0.0), square(X.rows), g(K), sorted(K), next(K);
    for (Index i = 0; i < X.rows; ++i) square[i] = row_square(X, i) + scale * scale;
    std::vector<Index> order(X.rows);
    std::iota(order.begin(), order.end(), Index{0});
    Rng rng(options.seed, 0);
    LinearDualInfo info{0, kInfinite, Status::max_iter};
    while (info.n_iter < options.max_iter) {
        if (interrupt.requested()) {
            info.status = Status::interrupted;
            return info;
        }
        draw_to_front(order.begin(), order.size(), order.size(), rng);
        double worst = 0.0;
        for (const Index i : order) {
            const double A = square[i], C = upper[i];
            if (!(A > 0.0)) continue;
            double* own = a.data() + i * K;
            const int y = classes[i];
            double most = -kInfinite, least = kInfinite;
            for (Index m = 0; m < K; ++m) {
                const double* w = W.data() + Index(m) * width;
                g[m] = X.dot(i, w) + scale * w[X.cols] + (m == y ? 0.0 : 1.0);
                most = std::max(most, g[m]);
                if (own[m] < (m == y ? C : 0.0)) least = std::min(least, g[m]);
            }
            worst = std::max(worst, most - least);
            if (most - least <= 1e-12) continue;
            // min A |a|^2 / 2 + B'a with sum 0 and a_m <= C_m, B = g - A a: a_m = min(C_m, (level - B_m) / A).
            for (Index m = 0; m < K; ++m) sorted[m] = (g[m] - A * own[m]) + (m == y ? A * C : 0.0);
            next = sorted;  // D_m = B_m + A C_m
            std::sort(sorted.begin(), sorted.end(), std::greater<>());
            double level = sorted[0] - A * C;
            Index r = 1;
            for (; r < K && level < double(r) * sorted[r]; ++r) level += sorted[r];
            level /= double(r);
            for (Index m = 0; m < K; ++m) {
                const double bound = m == y ? C : 0.0;
                const double moved = std::min(bound, (level - (next[m] - A * bound)) / A);
                const double change = moved - own[m];
                if (std::abs(change) < 1e-15) continue;
                own[m] = moved;
                double* w = W.data() + Index(m) * width;
                X.add(i, change, w);
                w[X.cols] += scale * change;
            }
        }
        ++info.n_iter;
        info.violation = worst;
        if (worst <= options.tol) {
            info.status = Status::ok;
            return info;
        }
    }
    return info;
}

template LinearDualInfo linear_dual_fit<float>(const RowsView<float>&, const LinearDual&, const LinearDualOptions&,
                                               const Interrupt&, Span<double>, Span<double>, double&);
template LinearDualInfo linear_dual_fit<double>(const RowsView<double>&, const LinearDual&, const LinearDualOptions&,
                                                const Interrupt&, Span<double>, Span<double>, double&);
template LinearDualInfo crammer_singer_fit<float>(const RowsView<float>&, Span<const int>, int, Span<const double>,
                                                  const LinearDualOptions&, const Interrupt&, Span<double>);
template LinearDualInfo crammer_singer_fit<double>(const RowsView<double>&, Span<const int>, int, Span<const double>,
                                                   const LinearDualOptions&, const Interrupt&, Span<double>);

}  // namespace statlearn::svm
