#include "ensemble/boosting.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "common/parallel.hpp"
#include "common/special.hpp"

namespace statlearn::ensemble {

namespace {

constexpr Index kBlock = 1 << 13;

template <class T>
struct Derivatives {
    T g, h, loss;
};

// Applies derivative(y, f) to all rows; the weighted sum of the losses, added block by block.
template <class T, class D>
double fill(Span<const T> y, Span<const T> f, Span<const T> weights, Span<T> g, Span<T> h, D derivative) {
    return parallel_sum(Blocks(Index(y.size()), 1024), [&](Index first, Index last) {
        std::array<T, 1024> loss;  // apart from its sum, so that the loop becomes vector code
        const auto begin = std::size_t(first), m = std::size_t(last - first);
        for (std::size_t i = 0; i < m; ++i) {
            const auto d = derivative(y[begin + i], f[begin + i]);
            g[begin + i] = d.g;
            h[begin + i] = d.h;
            loss[i] = d.loss;
        }
        double sum = 0.0;
        if (weights.empty()) {
            for (std::size_t i = 0; i < m; ++i) sum += double(loss[i]);
            return sum;
        }
        for (std::size_t i = 0; i < m; ++i) {
            const T w = weights[begin + i];
            g[begin + i] *= w;
            h[begin + i] *= w;
            sum += double(w) * double(loss[i]);
        }
        return sum;
    });
}

}  // namespace

template <class T>
double boosting_derivatives(std::string_view loss, double power, Span<const T> y, Span<const T> f,
                            Span<const T> weights, Span<T> g, Span<T> h) {
    using D = Derivatives<T>;
    const auto run = [&](auto derivative) { return fill(y, f, weights, g, h, derivative); };
    if (loss == "squared_error") return run([](T t, T s) { return D{s - t, T(1), (s - t) * (s - t) / 2}; });
    if (loss == "log_loss")
        return run([](T t, T s) {
            const T p = sigmoid(s);
            return D{p - t, p * (T(1) - p), softplus(-s) + (T(1) - t) * s};
        });
    if (loss == "deviance")
        return run([](T t, T s) {
            const T p = sigmoid(2 * s);
            return D{2 * (p - t), 4 * p * (T(1) - p), softplus(-2 * s) + (T(1) - t) * 2 * s};
        });
    if (loss == "exponential")
        return run([](T t, T s) {
            const T sign = T(2) * t - T(1), e = exp_fast(-sign * s);
            return D{-sign * e, e, e};
        });
    if (loss == "poisson")
        return run([](T t, T s) {
            const T mean = exp_fast(s);
            return D{mean - t, mean, mean - t * s};
        });
    if (loss == "gamma")
        return run([](T t, T s) {
            const T ratio = t * exp_fast(-s);
            return D{T(1) - ratio, ratio, ratio + s};
        });
    if (loss == "tweedie")
        return run([one = T(1.0 - power), two = T(2.0 - power)](T t, T s) {
            const T a = t * exp_fast(one * s), b = exp_fast(two * s);
            return D{b - a, two * b - one * a, b / two - a / one};
        });
    return std::numeric_limits<double>::quiet_NaN();
}

template <class T>
double multinomial_derivatives(Span<const int> y, Matrix<const T> f, Span<const T> weights, Matrix<T> g, Matrix<T> h) {
    const Index K = f.cols;
    const T factor = T(K) / T(K - 1);
    return parallel_sum(Blocks(f.rows, 1024), [&](Index first, Index last) {
        std::vector<T> p(f.cols);
        double loss = 0.0;
        for (Index i = first; i < last; ++i) {
            T most = f(i, 0), sum = 0;
            for (Index k = 1; k < K; ++k) most = std::max(most, f(i, k));
            for (Index k = 0; k < K; ++k) sum += p[k] = exp_fast(f(i, k) - most);
            const T w = weights.empty() ? T(1) : weights[i];
            const int label = y[i];
            loss += double(w) * (std::log(double(sum)) + double(most) - double(f(i, label)));
            for (Index k = 0; k < K; ++k) {
                const T share = p[k] / sum;
                g(k, i) = w * (share - T(label == k));
                h(k, i) = w * factor * share * (T(1) - share);
            }
        }
        return loss;
    });
}

template <class T>
void add_leaf_values(Span<const std::uint32_t> order, Span<const Index> first, Span<const Index> rows,
                     Span<const double> value, Index stride, Span<T> f) {
    struct Piece {
        Index begin, end;
        T value;
    };
    std::vector<Piece> pieces;
    for (Index k = 0; k < first.size(); ++k)
        for (Index b = first[k]; b < first[k] + rows[k]; b += kBlock)
            pieces.push_back({b, std::min(b + kBlock, first[k] + rows[k]), T(value[k])});
    parallel_for(Index(pieces.size()), [&](Index k) {
        const Piece& piece = pieces[k];
        for (Index i = piece.begin; i < piece.end; ++i) f[Index(order[i]) * stride] += piece.value;
    });
}

#define STATLEARN_INSTANTIATE(T)                                                                                       \
    template double boosting_derivatives(std::string_view, double, Span<const T>, Span<const T>, Span<const T>,        \
                                         Span<T>, Span<T>);                                                            \
    template double multinomial_derivatives(Span<const int>, Matrix<const T>, Span<const T>, Matrix<T>, Matrix<T>);    \
    template void add_leaf_values(Span<const std::uint32_t>, Span<const Index>, Span<const Index>, Span<const double>, \
                                  Index, Span<T>);
STATLEARN_INSTANTIATE(float)
STATLEARN_INSTANTIATE(double)
#undef STATLEARN_INSTANTIATE

}  // namespace statlearn::ensemble
