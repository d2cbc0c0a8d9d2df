#include "linear/quadratic_lasso.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/vector.hpp"

namespace statlearn::linear {
namespace {

// Alternates passes over the active coordinates with passes over all; `visit(j)` updates a coordinate and returns
// A_jj (change)^2.
template <class Visit>
QuadraticInfo descend(Span<const double> w, StopRule stop, const Interrupt& interrupt, Visit&& visit) {
    const std::size_t p = w.size();
    std::vector<std::size_t> active;
    active.reserve(p);
    for (int pass = 1; pass <= stop.max_iter;) {
        double change = 0.0;
        for (std::size_t j = 0; j < p; ++j) change = std::max(change, visit(j));
        if (interrupt.requested()) return {change, pass, Status::interrupted};
        if (change <= stop.tol) return {change, pass, Status::ok};
        active.clear();
        for (std::size_t j = 0; j < p; ++j)
            if (w[j] != 0.0) active.push_back(j);
        for (++pass; pass <= stop.max_iter; ++pass) {
            double inner = 0.0;
            for (const auto j : active) inner = std::max(inner, visit(j));
            if (interrupt.requested()) return {inner, pass, Status::interrupted};
            if (inner <= stop.tol) break;
        }
        if (pass > stop.max_iter) return {change, stop.max_iter, Status::max_iter};
    }
    return {0.0, stop.max_iter, Status::max_iter};
}

// Both kinds of columns offer moments (sum h x, sum h x^2), the product with h (r + shift), and r -= step x.
struct DenseColumns {
    const Matrix<const double>& X;  // column-major

    void moments(std::size_t j, Span<const double> h, double& sum, double& squares) const {
        const double* x = X.col(Index(j));
        for (Index i = 0; i < h.size(); ++i) {
            sum += h[i] * x[i];
            squares += h[i] * x[i] * x[i];
        }
    }
    // Eight running sums in a fixed order: the compiler may use vectors without changing the result's definition.
    double dot(std::size_t j, Span<const double> h, Span<const double> r, double shift) const {
        constexpr std::size_t kLanes = 8;
        const double* x = X.col(Index(j));
        const std::size_t n = h.size(), whole = n / kLanes * kLanes;
        double lane[kLanes] = {};
        for (std::size_t i = 0; i < whole; i += kLanes)
            for (std::size_t k = 0; k < kLanes; ++k) lane[k] += h[i + k] * x[i + k] * (r[i + k] + shift);
        double sum = 0.0;
        for (const double value : lane) sum += value;
        for (std::size_t i = whole; i < n; ++i) sum += h[i] * x[i] * (r[i] + shift);
        return sum;
    }
    void subtract(std::size_t j, double step, Span<double> r) const {
        const double* x = X.col(Index(j));
        for (Index i = 0; i < r.size(); ++i) r[i] -= step * x[i];
    }
};

struct SparseColumns {
    const CscView<double>& X;

    void moments(std::size_t j, Span<const double> h, double& sum, double& squares) const {
        each(j, [&](std::size_t i, double x) {
            sum += h[i] * x;
            squares += h[i] * x * x;
        });
    }
    double dot(std::size_t j, Span<const double> h, Span<const double> r, double shift) const {
        double sum = 0.0;
        each(j, [&](std::size_t i, double x) { sum += h[i] * x * (r[i] + shift); });
        return sum;
    }
    void subtract(std::size_t j, double step, Span<double> r) const {
        each(j, [&](std::size_t i, double x) { r[i] -= step * x; });
    }

private:
    template <class F>
    void each(std::size_t j, F&& f) const {
        for (int k = X.indptr[j]; k < X.indptr[j + 1]; ++k) f(std::size_t(X.rows_of[k]), X.values[k]);
    }
};

template <class Columns>
QuadraticInfo over_columns(const Columns& columns, Span<const double> h, double l1, double l2, bool intercept,
                           StopRule stop, const Interrupt& interrupt, Span<double> w, double& b,
                           Span<double> residual) {
    const std::size_t n = h.size(), p = w.size();
    double total = 0.0;
    for (const double weight : h) total += weight;
    intercept = intercept && total > 0.0;
    std::vector<double> mean(p, 0.0), curvature(p, 0.0);
    for (std::size_t j = 0; j < p; ++j) {
        double sum = 0.0, squares = 0.0;
        columns.moments(j, h, sum, squares);
        mean[j] = intercept ? sum / total : 0.0;
        // Around the mean; the loss of digits only makes the step too short, never wrong.
        curvature[j] = std::max(squares - mean[j] * mean[j] * total, 1e-14 * squares);
    }
    // The residual is stored as residual[i] + shift; with an intercept its h-weighted sum is kept at 0.
    double shift = 0.0;
    if (intercept) {
        double sum = 0.0;
        for (std::size_t i = 0; i < n; ++i) sum += h[i] * residual[i];
        shift = -sum / total;
    }
    const auto visit = [&](std::size_t j) {
        const double a = curvature[j];
        if (a + l2 <= 0.0) return 0.0;
        const double dot = columns.dot(j, h, residual, shift);
        const double before = w[j], now = soft_threshold(dot + a * before, l1) / (a + l2), step = now - before;
        if (step == 0.0) return 0.0;
        w[j] = now;
        columns.subtract(j, step, residual);
        shift += step * mean[j];
        return (a + l2) * step * step;
    };
    const auto info = descend(w, stop, interrupt, visit);
    for (std::size_t i = 0; i < n; ++i) residual[i] += shift;
    b -= shift;
    return info;
}

}  // namespace

QuadraticInfo quadratic_lasso_gram(Matrix<const double> A, Span<const double> c, double l1, StopRule stop,
                                   const Interrupt& interrupt, Span<double> w) {
    const std::size_t p = w.size();
    std::vector<double> slope(c.begin(), c.end());  // c - Aw
    for (std::size_t j = 0; j < p; ++j) {
        if (w[j] == 0.0) continue;
        const double* row = A.row(Index(j));
        for (std::size_t k = 0; k < p; ++k) slope[k] -= row[k] * w[j];
    }
    return descend(w, stop, interrupt, [&](std::size_t j) {
        const double* row = A.row(Index(j));
        const double a = row[j];
        if (a <= 0.0) return 0.0;
        const double before = w[j], now = soft_threshold(slope[j] + a * before, l1) / a, step = now - before;
        if (step == 0.0) return 0.0;
        w[j] = now;
        for (std::size_t k = 0; k < p; ++k) slope[k] -= step * row[k];
        return a * step * step;
    });
}

QuadraticInfo quadratic_lasso(Matrix<const double> X, Span<const double> h, double l1, double l2, bool intercept,
                              StopRule stop, const Interrupt& interrupt, Span<double> w, double& b,
                              Span<double> residual) {
    return over_columns(DenseColumns{X}, h, l1, l2, intercept, stop, interrupt, w, b, residual);
}

QuadraticInfo quadratic_lasso(const CscView<double>& X, Span<const double> h, double l1, double l2, bool intercept,
                              StopRule stop, const Interrupt& interrupt, Span<double> w, double& b,
                              Span<double> residual) {
    return over_columns(SparseColumns{X}, h, l1, l2, intercept, stop, interrupt, w, b, residual);
}

}  // namespace statlearn::linear
