// Linear quantile regression as a linear programme: interior point, then a vertex.
#pragma once

#include "common/interrupt.hpp"
#include "common/status.hpp"
#include "linear/row_design.hpp"

namespace statlearn::linear {

// Minimise over beta   sum_i above_i (r_i)_+ + below_i (-r_i)_+  +  sum_j penalty_j |beta_j|,   r = y - Z beta.
// All above and below are positive; a penalty of 0 leaves its column free. The columns of Z that have no penalty must
// be linearly independent, and of comparable size.
struct QuantileProblem {
    const RowDesign& Z;          // n x q
    Span<const double> y;        // n
    Span<const double> above;    // n, the price of a residual above the fit
    Span<const double> below;    // n, the price of a residual below it
    Span<const double> penalty;  // q
};

struct QuantileInfo {
    double gap;     // largest violation of the dual bounds at the vertex, relative to their width
    int n_iter;     // interior-point iterations
    int n_pivots;   // simplex steps from the vertex next to the interior point to an optimal one
    Status status;  // ok: the vertex is optimal; max_iter: it could not be proved to be
};

// 1. The Frisch-Newton method (Portnoy & Koenker, 1997): Mehrotra's predictor-corrector on the bounded dual
//    max y'd, Z'd = 0, -below <= d <= above. One weighted cross-product of Z per iteration, 10 to 30 of them.
//    Stops when the complementarity gap is at most tol times the objective.
// 2. A vertex: the q rows whose d is farthest from its bounds are fitted exactly. If the dual of that vertex leaves its
//    bounds, simplex steps with exact line search (Barrodale & Roberts, 1973) lead to one that does not.
// `basis` receives the q rows of zero residual; an entry n + j stands for beta_j = 0.
// Cost O(n q^2) per iteration, O(n q) per pivot; memory of a dozen vectors of length n + q.
QuantileInfo quantile_fit(const QuantileProblem& problem, StopRule stop, const Interrupt& interrupt, Span<double> beta,
                          Span<int> basis);

}  // namespace statlearn::linear
