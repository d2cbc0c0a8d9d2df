// Dual coordinate descent for linear machines.
#pragma once

#include <cstdint>

#include "common/interrupt.hpp"
#include "common/rows.hpp"
#include "common/status.hpp"

namespace statlearn::svm {

// min over multipliers a of |sum_i a_i x_i|^2 / 2 + sum_i (d_i a_i^2 / 2 - c_i a_i + epsilon |a_i|), lower <= a <=
// upper.
//
// With w = sum a_i x_i this is the dual of
//   hinge           c = y = +-1, a between 0 and C y, d = 0          squared hinge   the same without the end C, d =
//   1/(2C) epsilon tube    c = y, a in [-C, C], d = 0                       its square      a unbounded, d = 1/(2C)
struct LinearDual {
    Span<const double> target, lower, upper, ridge;  // c, bounds, d
    double epsilon = 0.0;
};

struct LinearDualOptions {
    double intercept_scale;  // the column that is added to X, 0: none; its weight is penalised like the others
    bool free_intercept;     // an unpenalised intercept instead: the sum of a is 0 at the solution
    double tol;              // on the range of the projected gradients, as in liblinear
    int max_iter;            // passes over the rows
    std::uint64_t seed;      // of the order of the rows
};

struct LinearDualInfo {
    int n_iter;
    double violation;
    Status status;  // ok | max_iter | interrupted
};

// Hsieh, Chang, Lin, Keerthi & Sundararajan (2008), with random order and shrinking; w and b receive the solution, `a`
// holds the start and the end. The free intercept is found by proximal steps: the penalty |b - b_k|^2 / (2 s^2) pulls
// towards the last intercept instead of 0 until nothing moves. Cost: the stored values of X per pass.
template <class T>
LinearDualInfo linear_dual_fit(const RowsView<T>& X, const LinearDual& problem, const LinearDualOptions& options,
                               const Interrupt& interrupt, Span<double> a, Span<double> w, double& b);

// The joint machine of Crammer and Singer (2001): min sum_m |w_m|^2 / 2 + sum_i C_i max_m (1[m != y_i] + (w_m - w_yi)
// x_i). One step solves the problem of the multipliers of one row exactly, by sorting (Keerthi et al. 2008). W is
// classes x (cols + 1), the last column belonging to the constant `intercept_scale` (0: none).
template <class T>
LinearDualInfo crammer_singer_fit(const RowsView<T>& X, Span<const int> classes, int n_classes,
                                  Span<const double> upper, const LinearDualOptions& options,
                                  const Interrupt& interrupt, Span<double> W);

}  // namespace statlearn::svm
