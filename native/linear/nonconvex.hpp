// Least squares with the MCP or SCAD penalty by coordinate descent.
#pragma once

#include "common/interrupt.hpp"
#include "common/status.hpp"
#include "common/view.hpp"
#include "linear/columns.hpp"

namespace statlearn::linear {

enum class Concave : int { mcp = 0, scad = 1 };

// The value of the penalty at |b| for strength lambda: it rises with slope lambda at 0 and is flat from gamma lambda
// on.
double concave_penalty(Concave kind, double b, double lambda, double gamma);

// The minimiser of v b^2 / 2 - z b + penalty(|b|): the best of the stationary points of the pieces.
double concave_threshold(Concave kind, double z, double v, double lambda, double gamma);

struct NonconvexInfo {
    Status status = Status::ok;
    int n_stopped = 0;
};

// For each of the decreasing alphas a local minimum of |y - Xb|^2 / (2S) + sum_j penalty(scale_j |b_j|; alpha, gamma),
// reached by cyclic descent from the solution before (Breheny & Huang 2011). X and y are weighted and centred as the
// source says (columns.hpp), S is the sum of the weights; scale_j = 0 leaves a column out. Stops when no coefficient
// moves the fit by more than tol |y|. Descent runs on the columns that were ever in; the others are checked with X'r.
NonconvexInfo nonconvex_path(ColumnSource& source, Span<const double> scale, Concave kind, double gamma,
                             Span<const double> alphas, StopRule stop, const Interrupt& interrupt, Matrix<double> coefs,
                             Span<int> sweeps);

}  // namespace statlearn::linear
