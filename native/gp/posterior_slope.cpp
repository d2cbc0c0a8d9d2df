#include "gp/posterior_slope.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/cholesky.hpp"
#include "common/parallel.hpp"
#include "common/vector.hpp"
#include "common/vmath.hpp"

namespace statlearn::gp {
namespace {

// k(r^2) in place of the squares, and dk / d(r^2) in `slope`.
void radial(Radial kernel, double variance, Span<double> squares, Span<double> slope) {
    const Index n = Index(squares.size());
    double *k = squares.data(), *d = slope.data();
    switch (kernel) {
        case Radial::rbf:
            for (Index i = 0; i < n; ++i) {
                k[i] = variance * exp_fast(-0.5 * k[i]);
                d[i] = -0.5 * k[i];
            }
            break;
        case Radial::matern_3_2:
            for (Index i = 0; i < n; ++i) {
                const double s = std::sqrt(3.0 * k[i]), e = variance * exp_fast(-s);
                k[i] = (1.0 + s) * e;
                d[i] = -1.5 * e;
            }
            break;
        case Radial::matern_5_2:
            for (Index i = 0; i < n; ++i) {
                const double s = std::sqrt(5.0 * k[i]), e = variance * exp_fast(-s);
                k[i] = (1.0 + s + s * s / 3.0) * e;
                d[i] = -(5.0 / 6.0) * (1.0 + s) * e;
            }
            break;
    }
}

// out = 2 sum_i weight_i d_i (q - x_i)
void slope_of(const FittedProcess& process, const double* q, Span<const double> weight, Span<const double> d,
              double* out) {
    const Index n = process.X.rows, p = process.X.cols;
    std::fill_n(out, p, 0.0);
    for (Index i = 0; i < n; ++i) {
        const double* x = process.X.row(i);
        const double factor = 2.0 * weight[i] * d[i];
        for (Index j = 0; j < p; ++j) out[j] += factor * (q[j] - x[j]);
    }
}

}  // namespace

void posterior_slope(const FittedProcess& process, Matrix<const double> Q, const Interrupt& interrupt,
                     Span<double> mean, Span<double> var, Matrix<double> mean_slope, Matrix<double> var_slope) {
    const Index n = process.X.rows, p = process.X.cols, m = Q.rows;
    const bool slopes = mean_slope.rows == m && m > 0;
    const Blocks blocks(m, 16);
    const auto row = [&](Index i) { return process.L.row(i); };
    parallel_for(blocks.count(), Work(double(m) * double(n) * double(n + 4 * p + 20)), [&](Index b) {
        if (interrupt.requested()) return;
        std::vector<double> k(n), d(n);
        for (Index u = blocks.begin(b); u < blocks.end(b); ++u) {
            const double* q = Q.row(u);
            for (Index i = 0; i < n; ++i) {
                const double* x = process.X.row(i);
                double sum = 0.0;
                for (Index j = 0; j < p; ++j) sum += (q[j] - x[j]) * (q[j] - x[j]);
                k[i] = sum;
            }
            radial(process.kernel, process.variance, k, d);
            mean[u] = dot(k.data(), process.alpha.data(), n);
            if (slopes) slope_of(process, q, process.alpha, d, mean_slope.row(u));
            lower_solve(row, n, k.data());
            const double left = process.variance - dot(k.data(), k.data(), n);
            var[u] = std::max(left, 0.0);
            if (!slopes) continue;
            lower_solve_transposed(row, n, k.data());
            slope_of(process, q, k, d, var_slope.row(u));
            for (Index j = 0; j < p; ++j) var_slope(u, j) *= left > 0.0 ? -2.0 : 0.0;
        }
    });
}

}  // namespace statlearn::gp
