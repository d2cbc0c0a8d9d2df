// Newton's method with conjugate gradients for linear machines with squared losses, for sparse or very wide tables.
#pragma once

#include "common/interrupt.hpp"
#include "common/rows.hpp"
#include "common/status.hpp"
#include "svm/squared_machine.hpp"

namespace statlearn::svm {

// The problem of squared_newton_fit, for tables whose Hessian is too large to be formed. Each
// step solves the Newton system of the rows with a loss until its residual has fallen enough, and then goes to the
// least objective along that direction (Keerthi & DeCoste, 2005). The preconditioner is made once from all rows: the
// exact Hessian of the most frequent columns and the diagonal of the rest. If the classes can be separated and C is
// large, the set of rows with a loss changes by a few rows a step: start from the solution of a smaller C then.
//
// The predicted decrease is that of the present rows with a loss, which can be tiny far from the end if C is large. So
// half the squared gradient, a bound of the distance from the minimum, must be below 100 tol times the objective, too.
//
// w has p + 1 entries and holds the start. Cost: twice the stored values of X per step and per inner iteration; memory:
// one vector of p + 1 numbers per chunk of rows, and as many chunks as keep that below an eighth of the stored values.
template <class T>
SquaredInfo truncated_newton_fit(const RowsView<T>& X, const SquaredMachine& machine, StopRule stop,
                                 const Interrupt& interrupt, Span<double> w);

}  // namespace statlearn::svm
