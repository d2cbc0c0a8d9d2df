// B-splines of degree p on a non-decreasing vector of K + p + 1 knots: at any x only p + 1 of the K functions are not
// 0.
#pragma once

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::smooth {

constexpr int kMaxDegree = 24;

// values(i, j) is the derivative of order `derivative` (0 to p) of function start[i] + j at x[i], j = 0..p, by Cox and
// de Boor's recursion with 0/0 = 0. Intervals are half-open, the last one closed; beyond the base interval, knots p to
// K, the outermost polynomials go on.
bool bspline_values(Span<const double> x, Span<const double> knots, int degree, int derivative,
                    const Interrupt& interrupt, Matrix<double> values, Span<int> start);

// The same values written into a matrix of zeros, function k in column k modulo `functions` (a smaller number than K
// makes the basis periodic); columns that `out` does not have are left out.
template <class T>
bool bspline_design(Span<const double> x, Span<const double> knots, int degree, int derivative, Index functions,
                    const Interrupt& interrupt, Matrix<T> out);

// The normal equations of least squares on such a basis: band(d, k) = sum_i w_i B_k(x_i) B_{k+d}(x_i), d = 0..p, and
// products(k, m) = sum_i w_i B_k(x_i) Y(i, m). Weights may be empty. Sums are those of fixed blocks of rows, added in
// order.
bool bspline_normal_equations(Matrix<const double> values, Span<const int> start, Span<const double> w,
                              Matrix<const double> Y, const Interrupt& interrupt, Matrix<double> band,
                              Matrix<double> products);

// Adds f(x_i) to out_i for a piecewise polynomial: pieces(k, d) is the coefficient of (x - breaks[k - 1])^d right of
// breaks[k - 1], pieces(0, d) that of (x - breaks[0])^d left of all. `step`: from one x to the next.
bool piecewise_add(const double* x, Index step, Span<const double> breaks, Matrix<const double> pieces,
                   const Interrupt& interrupt, Span<double> out);

}  // namespace statlearn::smooth
