// Predictions of a Gaussian process with an isotropic kernel, and their slopes: what the search for the next point of
// an optimisation needs thousands of times.
#pragma once

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::gp {

// With r the distance of two rows that are divided by the length scales.
enum class Radial : int {
    rbf = 0,         // exp(-r^2 / 2)
    matern_3_2 = 1,  // (1 + s) exp(-s), s = sqrt(3) r
    matern_5_2 = 2,  // (1 + s + s^2 / 3) exp(-s), s = sqrt(5) r
};

struct FittedProcess {
    Radial kernel;
    double variance;           // of the process, times the kernel
    Matrix<const double> X;    // n x p training rows over the length scales, row-major
    Span<const double> alpha;  // (K + noise)^-1 y
    Matrix<const double> L;    // lower Cholesky factor of K + noise, row-major
};

// mean[i] and var[i] of the process at row i of Q (m x p, over the length scales), and, unless the views are empty, the
// derivatives by the coordinates of Q in mean_slope and var_slope (m x p). Variances are at least 0.
// Cost O(n (n + p)) per row, rows in parallel; allocates O(n) per row.
void posterior_slope(const FittedProcess& process, Matrix<const double> Q, const Interrupt& interrupt,
                     Span<double> mean, Span<double> var, Matrix<double> mean_slope, Matrix<double> var_slope);

}  // namespace statlearn::gp
