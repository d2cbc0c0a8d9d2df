// Group lasso path by block coordinate descent on covariances, with working sets.
#pragma once

#include <span>
#include <vector>

#include "common/interrupt.hpp"
#include "common/status.hpp"
#include "common/view.hpp"

namespace statlearn::linear {

struct GroupLassoData {
    MatrixView<const double> X;       // n x p, column-major, as the user gave it
    std::span<const double> y;        // centred if there is an intercept
    std::span<const double> weights;  // of the rows; empty means all 1
    std::span<const double> means;    // weighted column means; 0 without intercept
    std::span<const int> columns;     // the p columns, group after group
    std::span<const int> starts;      // group g owns columns[starts[g]] to columns[starts[g + 1] - 1]
    std::span<const double> penalty;  // weight of each group in the penalty; 0 leaves it free
};

struct GroupLassoInfo {
    Status status = Status::ok;
    int n_stopped = 0;  // penalties at which max_iter was hit
};

// Minimises, for each of the decreasing alphas and with s the row weights and S their sum,
//   (1 / 2S) sum_i s_i (y_i - (x_i - mean)'b)^2 + alpha sum_g penalty_g |b_g|_2,
// warm-started. Stops when the duality gap is at most tol times the objective at b = 0; the gap of each penalty (same
// scale as the objective) is left in `gaps`, the sweeps in `sweeps`, the coefficients in the rows of `coefs`.
//
// A group that becomes active is rotated to the eigenvectors of its own Gram matrix, where the block problem is one
// equation in the norm of the block (solved by Newton's method on its reciprocal root). Descent runs on the Gram matrix
// of the active groups. The others are checked with X'r, but only where a bound from their last check (it moves at most
// by the spectral norm of the block times the distance the residual has moved) cannot rule them out: those that pass
// the sequential strong rule first (Tibshirani et al. 2012), then all.
GroupLassoInfo group_lasso_path(const GroupLassoData& data, std::span<const double> alphas, StopRule stop,
                                const Interrupt& interrupt, MatrixView<double> coefs, std::span<double> gaps,
                                std::span<int> sweeps);

}  // namespace statlearn::linear
