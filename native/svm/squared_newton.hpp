// Newton's method for linear machines with squared losses, for dense tables with more rows than columns.
#pragma once

#include "common/interrupt.hpp"
#include "common/status.hpp"
#include "common/view.hpp"
#include "svm/squared_machine.hpp"

namespace statlearn::svm {

// Stops when the predicted decrease of a step is at most tol times the objective (that step is still taken).
// One pass over X per step gives scores, gradient and the change of the Hessian: only rows that enter or leave the
// set with a loss are added to or taken from it. w has p + 1 entries. Cost n p per step and p^2 per changed row.
template <class T>
SquaredInfo squared_newton_fit(Matrix<const T> X, const SquaredMachine& machine, StopRule stop,
                               const Interrupt& interrupt, Span<double> w);

}  // namespace statlearn::svm
