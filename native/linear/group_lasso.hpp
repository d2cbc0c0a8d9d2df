// Group lasso path by block coordinate descent with working sets.
#pragma once

#include <vector>

#include "common/interrupt.hpp"
#include "common/status.hpp"
#include "common/view.hpp"
#include "linear/columns.hpp"

namespace statlearn::linear {

struct Groups {
    Span<const int> columns;     // the p columns, group after group
    Span<const int> starts;      // group g owns columns[starts[g]] to columns[starts[g + 1] - 1]
    Span<const double> penalty;  // weight of each group in the penalty; 0 leaves it free

    int count() const { return int(penalty.size()); }
    Index size(int g) const { return starts[g + 1] - starts[g]; }
};

struct GroupLassoInfo {
    Status status = Status::ok;
    int n_stopped = 0;  // penalties at which the gap was not reached
};

// Minimises, for each of the decreasing alphas, with X and y weighted and centred as the source says (columns.hpp) and
// S the sum of the weights,
//   (1 / 2S) |y - X b|^2 + alpha sum_g penalty_g |b_g|_2.
// Stops when the duality gap is at most tol times the objective at b = 0; the gap of each penalty (same scale as the
// objective) is left in `gaps`, the sweeps in `sweeps`, the coefficients in the rows of `coefs`.
//
// In the eigenvectors of its own Gram matrix the problem of one group is one equation in the norm of its coefficients.
// Sweeps run over a working set (column_blocks.hpp), which is predicted by extrapolating all gradients along the path;
// so is the starting point of each penalty, and sweeps are extrapolated too (anderson.hpp). Several penalties are
// solved ahead, then one pass over X gives the gradients of all groups for all of them: the gap of each is exact, and a
// penalty that is not certified is solved again with the groups that were missing.
GroupLassoInfo group_lasso_path(DenseSource& source, const Groups& groups, Span<const double> alphas, StopRule stop,
                                const Interrupt& interrupt, Matrix<double> coefs, Span<double> gaps, Span<int> sweeps);
GroupLassoInfo group_lasso_path(SparseSource& source, const Groups& groups, Span<const double> alphas, StopRule stop,
                                const Interrupt& interrupt, Matrix<double> coefs, Span<double> gaps, Span<int> sweeps);

}  // namespace statlearn::linear
