// The inner problem of a proximal Newton step: a weighted least-squares fit with an L1 penalty.
#pragma once

#include "common/interrupt.hpp"
#include "common/status.hpp"
#include "common/view.hpp"

namespace statlearn::linear {

struct QuadraticInfo {
    double change;  // largest A_jj (change of w_j)^2 of the last full pass
    int n_iter;     // passes, over all coordinates or over the active ones
    Status status;  // ok | max_iter | interrupted
};

// Minimises w'Aw/2 - c'w + l1 |w|_1 by coordinate descent from the given w: w_j = S(c_j - sum_{k != j} A_jk w_k,
// l1)/A_jj. Passes over the non-zero coordinates until they settle alternate with passes over all of them; stops when
// no coordinate of a full pass moves by more than A_jj d_j^2 <= tol. Requires A symmetric (p x p, row-major), positive
// semidefinite. O(p) per coordinate that moves; allocates O(p).
QuadraticInfo quadratic_lasso_gram(Matrix<const double> A, Span<const double> c, double l1, StopRule stop,
                                   const Interrupt& interrupt, Span<double> w);

// Minimises sum_i h_i (z_i - b - x_i'w)^2 / 2 + l1 |w|_1 + l2 |w|^2 / 2 over w and, with `intercept`, b, likewise.
// The columns are centred implicitly (by their h-weighted means), so that the intercept never slows the descent and
// sparse columns stay sparse. On entry `residual` holds z - Xw - b at the given w and b, on exit the same at the
// solution. Requires h >= 0. O(n) (or the stored values) per coordinate; allocates O(n + p).
QuadraticInfo quadratic_lasso(Matrix<const double> X, Span<const double> h, double l1, double l2, bool intercept,
                              StopRule stop, const Interrupt& interrupt, Span<double> w, double& b,
                              Span<double> residual);
QuadraticInfo quadratic_lasso(const CscView<double>& X, Span<const double> h, double l1, double l2, bool intercept,
                              StopRule stop, const Interrupt& interrupt, Span<double> w, double& b,
                              Span<double> residual);

}  // namespace statlearn::linear
