// Newton's method for linear machines with squared losses, for dense tables with more rows than columns.
#pragma once

#include <span>

#include "common/interrupt.hpp"
#include "common/status.hpp"
#include "common/view.hpp"

namespace statlearn::svm {

// min over w of |w|^2 / 2 + sum_i C_i loss(y_i, f_i), f = X w + s w_p, with the last weight (of the constant s)
// penalised or not. Classification (y = +-1): loss = max(0, 1 - y f)^2; regression: loss = max(0, |y - f| - epsilon)^2.
struct SquaredMachine {
    std::span<const double> y, price;
    bool regression = false;
    double epsilon = 0.0;
    double intercept_scale = 0.0;  // s; 0: no intercept
    bool free_intercept = false;
};

struct SquaredInfo {
    int n_iter;
    double objective, decrease;  // the decrease that the last step predicted
    Status status;
};

// Stops when the predicted decrease of a step is at most tol times the objective (that step is still taken).
// One pass over X per step gives scores, gradient and the change of the Hessian: only rows that enter or leave the
// set with a loss are added to or taken from it. w has p + 1 entries. Cost n p per step and p^2 per changed row.
template <class T>
SquaredInfo squared_newton_fit(MatrixView<const T> X, const SquaredMachine& machine, StopRule stop,
                               const Interrupt& interrupt, std::span<double> w);

}  // namespace statlearn::svm
