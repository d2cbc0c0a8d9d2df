#include "gp/state_space.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace statlearn::gp {
namespace {

// A number with its derivatives by three parameters.
struct Dual {
    double v = 0.0;
    double d[3] = {0.0, 0.0, 0.0};
    Dual() = default;
    Dual(double value) : v(value) {}  // NOLINT: constants convert
};

inline Dual operator+(const Dual& a, const Dual& b) {
    Dual c(a.v + b.v);
    for (int k = 0; k < 3; ++k) c.d[k] = a.d[k] + b.d[k];
    return c;
}
inline Dual operator-(const Dual& a, const Dual& b) {
    Dual c(a.v - b.v);
    for (int k = 0; k < 3; ++k) c.d[k] = a.d[k] - b.d[k];
    return c;
}
inline Dual operator*(const Dual& a, const Dual& b) {
    Dual c(a.v * b.v);
    for (int k = 0; k < 3; ++k) c.d[k] = a.v * b.d[k] + a.d[k] * b.v;
    return c;
}
inline Dual operator/(const Dual& a, const Dual& b) {
    Dual c(a.v / b.v);
    for (int k = 0; k < 3; ++k) c.d[k] = (a.d[k] - c.v * b.d[k]) / b.v;
    return c;
}
inline Dual exp(const Dual& a) {
    Dual c(std::exp(a.v));
    for (int k = 0; k < 3; ++k) c.d[k] = c.v * a.d[k];
    return c;
}
inline Dual log(const Dual& a) {
    Dual c(std::log(a.v));
    for (int k = 0; k < 3; ++k) c.d[k] = a.d[k] / a.v;
    return c;
}
using std::exp;
using std::log;

template <class T, int D>
using Square = std::array<std::array<T, D>, D>;

template <class T, int D>
Square<T, D> product(const Square<T, D>& A, const Square<T, D>& B, bool transposed) {
    Square<T, D> C{};
    for (int i = 0; i < D; ++i)
        for (int j = 0; j < D; ++j)
            for (int k = 0; k < D; ++k) C[i][j] = C[i][j] + A[i][k] * (transposed ? B[j][k] : B[k][j]);
    return C;
}

// The state after a gap with t = lambda * gap.
template <class T, int D>
Square<T, D> transition(const T& t) {
    const T e = exp(T(0.0) - t);
    if constexpr (D == 1) {
        return {{{e}}};
    } else if constexpr (D == 2) {
        return {{{e * (T(1.0) + t), e * t}, {T(0.0) - e * t, e * (T(1.0) - t)}}};
    } else {
        const T h = T(0.5) * t * t, s = t * t;
        return {{{e * (T(1.0) + t + h), e * (t + s), e * h},
                 {T(0.0) - e * h, e * (T(1.0) + t - s), e * (t - h)},
                 {e * (h - t), e * (s - T(3.0) * t), e * (T(1.0) - T(2.0) * t + h)}}};
    }
}

template <class T, int D>
Square<T, D> stationary(const T& variance) {
    Square<T, D> P{};
    for (int i = 0; i < D; ++i) P[i][i] = variance;
    if constexpr (D == 3) {
        P[1][1] = variance / T(3.0);
        P[0][2] = P[2][0] = T(0.0) - variance / T(3.0);
    }
    return P;
}

template <class T, int D>
struct Filter {
    std::array<T, D> m{};
    Square<T, D> P, rest;
    T lambda, noise;

    Filter(const T& variance, const T& length, const T& noise_variance)
        : P(stationary<T, D>(variance)), rest(P), noise(noise_variance) {
        lambda = T(std::sqrt(2.0 * D - 1.0)) / length;  // 2 nu = 2 D - 1
    }

    void move(double gap) {
        if (gap == 0.0) return;
        const auto A = transition<T, D>(lambda * T(gap));
        std::array<T, D> next{};
        for (int i = 0; i < D; ++i)
            for (int k = 0; k < D; ++k) next[i] = next[i] + A[i][k] * m[k];
        m = next;
        // P = A P A' + rest - A rest A'.
        Square<T, D> gone;
        for (int i = 0; i < D; ++i)
            for (int j = 0; j < D; ++j) gone[i][j] = P[i][j] - rest[i][j];
        gone = product<T, D>(product<T, D>(A, gone, false), A, true);
        for (int i = 0; i < D; ++i)
            for (int j = 0; j < D; ++j) P[i][j] = gone[i][j] + rest[i][j];
    }

    // Takes in an observation; returns its log density.
    T see(double y) {
        const T error = T(y) - m[0], S = P[0][0] + noise;
        std::array<T, D> gain;
        for (int i = 0; i < D; ++i) gain[i] = P[i][0] / S;
        const auto first = P[0];
        for (int i = 0; i < D; ++i) {
            m[i] = m[i] + gain[i] * error;
            for (int j = 0; j < D; ++j) P[i][j] = P[i][j] - gain[i] * first[j];
        }
        return T(-0.5) * (log(T(2.0 * std::numbers::pi) * S) + error * error / S);
    }
};

template <int D>
LineValue likelihood(const LineModel& model, Span<const double> t, Span<const double> y, const Interrupt& interrupt) {
    Dual variance(model.variance), length(model.length), noise(model.noise);
    variance.d[0] = model.variance;
    length.d[1] = model.length;
    noise.d[2] = model.noise;
    Filter<Dual, D> filter(variance, length, noise);
    Dual total(0.0);
    for (Index i = 0; i < t.size(); ++i) {
        if (i % 65536 == 0 && interrupt.requested()) break;
        if (i > 0) filter.move(t[i] - t[i - 1]);
        total = total + filter.see(y[i]);
    }
    return {total.v, {total.d[0], total.d[1], total.d[2]}};
}

// X with X B = A for a symmetric positive definite B, by Cholesky; a pivot that vanishes leaves its column out.
template <int D>
Square<double, D> divide(const Square<double, D>& A, const Square<double, D>& B) {
    Square<double, D> L{}, X = A;
    for (int i = 0; i < D; ++i)
        for (int j = 0; j <= i; ++j) {
            double sum = B[i][j];
            for (int k = 0; k < j; ++k) sum -= L[i][k] * L[j][k];
            if (i == j)
                L[i][j] = sum > 1e-14 * B[i][i] ? std::sqrt(sum) : 0.0;
            else
                L[i][j] = L[j][j] > 0.0 ? sum / L[j][j] : 0.0;
        }
    for (int r = 0; r < D; ++r) {
        for (int j = 0; j < D; ++j) {
            double sum = X[r][j];
            for (int k = 0; k < j; ++k) sum -= X[r][k] * L[j][k];
            X[r][j] = L[j][j] > 0.0 ? sum / L[j][j] : 0.0;
        }
        for (int j = D - 1; j >= 0; --j) {
            double sum = X[r][j];
            for (int k = j + 1; k < D; ++k) sum -= X[r][k] * L[k][j];
            X[r][j] = L[j][j] > 0.0 ? sum / L[j][j] : 0.0;
        }
    }
    return X;
}

template <int D>
void smooth(const LineModel& model, Span<const double> t, Span<const double> y, Span<const std::uint8_t> seen,
            const Interrupt& interrupt, Span<double> mean, Span<double> variance) {
    struct Moments {
        std::array<double, D> m;
        Square<double, D> P;
    };
    const std::size_t n = t.size();
    std::vector<Moments> kept(n);
    Filter<double, D> filter(model.variance, model.length, model.noise);
    for (std::size_t i = 0; i < n; ++i) {
        if (i % 65536 == 0 && interrupt.requested()) return;
        if (i > 0) filter.move(t[i] - t[i - 1]);
        if (seen[i]) filter.see(y[i]);
        kept[i] = {filter.m, filter.P};
    }
    // Rauch, Tung and Striebel: from the last time back.
    for (std::size_t i = n; i-- > 0;) {
        if (i + 1 < n && t[i + 1] == t[i]) {
            kept[i] = kept[i + 1];
        } else if (i + 1 < n) {
            const Moments& next = kept[i + 1];
            Moments& own = kept[i];
            Filter<double, D> ahead(model.variance, model.length, model.noise);
            ahead.m = own.m;
            ahead.P = own.P;
            ahead.move(t[i + 1] - t[i]);
            const auto A = transition<double, D>(ahead.lambda * (t[i + 1] - t[i]));
            const auto G = divide<D>(product<double, D>(own.P, A, true), ahead.P);
            Square<double, D> change;
            for (int a = 0; a < D; ++a) {
                for (int b = 0; b < D; ++b) {
                    own.m[a] += G[a][b] * (next.m[b] - ahead.m[b]);
                    change[a][b] = next.P[a][b] - ahead.P[a][b];
                }
            }
            change = product<double, D>(product<double, D>(G, change, false), G, true);
            for (int a = 0; a < D; ++a)
                for (int b = 0; b < D; ++b) own.P[a][b] += change[a][b];
        }
        mean[i] = kept[i].m[0];
        variance[i] = kept[i].P[0][0] > 0.0 ? kept[i].P[0][0] : 0.0;
    }
}

}  // namespace

LineValue line_likelihood(const LineModel& model, Span<const double> t, Span<const double> y,
                          const Interrupt& interrupt) {
    switch (model.order) {
        case 1:
            return likelihood<1>(model, t, y, interrupt);
        case 2:
            return likelihood<2>(model, t, y, interrupt);
        default:
            return likelihood<3>(model, t, y, interrupt);
    }
}

void line_smooth(const LineModel& model, Span<const double> t, Span<const double> y, Span<const std::uint8_t> seen,
                 const Interrupt& interrupt, Span<double> mean, Span<double> variance) {
    switch (model.order) {
        case 1:
            return smooth<1>(model, t, y, seen, interrupt, mean, variance);
        case 2:
            return smooth<2>(model, t, y, seen, interrupt, mean, variance);
        default:
            return smooth<3>(model, t, y, seen, interrupt, mean, variance);
    }
}

}  // namespace statlearn::gp
