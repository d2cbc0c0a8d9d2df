// Several least squares problems with one design and a penalty that selects features for all of them.
#pragma once

#include "common/interrupt.hpp"
#include "common/status.hpp"
#include "common/view.hpp"

namespace statlearn::linear {

struct MultiTaskInfo {
    double gap;     // duality gap at exit, on the scale of the objective
    int n_iter;     // passes over the working set
    Status status;  // ok | max_iter | interrupted
};

// Minimises, from the given W (features x tasks),
//   |Y - X W|_F^2 / 2 + l1 sum_j |w_j|_2 + l2 |W|_F^2 / 2,   w_j the row of feature j,
// by block coordinate descent: with g = X_j' (residual) + |X_j|^2 w_j,
//   w_j = max(0, 1 - l1 / |g|_2) g / (|X_j|^2 + l2).
// Passes run over a working set of features, those that are used or that violate the optimality conditions most; it
// grows until the duality gap over all features is at most tol |Y|_F^2. `residual` (n x tasks) is Y on entry, task
// after task, and Y - X W on exit. Requires l1 > 0. Cost O(n tasks) per feature of a pass.
MultiTaskInfo multi_task_fit(Matrix<const double> X, double l1, double l2, StopRule stop, const Interrupt& interrupt,
                             Matrix<double> residual, Matrix<double> W);

}  // namespace statlearn::linear
