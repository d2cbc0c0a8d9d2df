// Forward stagewise regression: coefficients move one at a time and are never re-fitted.
#pragma once

#include <vector>

#include "common/interrupt.hpp"
#include "common/status.hpp"
#include "common/view.hpp"

namespace statlearn::linear {

struct StagewiseOptions {
    double epsilon;    // size of a step; 0 moves the chosen coefficient to its least-squares value given the others
    double tol;        // stop when the largest inner product has fallen to this share of its start
    int max_iter;      // largest number of steps
    int record_every;  // a node of the path after so many steps
};

struct StagewisePath {
    std::vector<double> coefs;  // nodes x p, the first one 0
    std::vector<double> rss;    // of the nodes
    std::vector<int> steps;     // taken before each node
    int n_iter = 0;
    Status status = Status::ok;  // ok: no step lowers the residual sum of squares any more, or tol was reached
};

// The incremental version moves by +-epsilon the coefficient of the column with the largest absolute inner product with
// the residual; the full version chooses the column with the largest absolute correlation, which lowers the residual
// sum of squares most. Runs on inner products: O(p) per step, and O(np) for the first step of each column. Requires X
// (n x p, column-major) and y centred.
StagewisePath stagewise_path(Matrix<const double> X, Span<const double> y, const StagewiseOptions& options,
                             const Interrupt& interrupt);

}  // namespace statlearn::linear
