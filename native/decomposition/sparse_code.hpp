// Sparse codes of many signals over one dictionary D (k atoms), from cross-products: the Gram matrix G = D D' (k x k)
// and, per signal x, the products b = D x. Signals are independent and shared among the threads.
#pragma once

#include "common/interrupt.hpp"
#include "common/status.hpp"
#include "common/view.hpp"

namespace statlearn::decomposition {

struct LassoPlan {
    double alpha;
    bool positive;
    bool exact;    // search over supports from what a few passes find
    double tol;    // of the duality gap, relative to |x|^2; not used if exact
    int max_iter;  // passes over the active atoms
};

// Minimises |x - D'c|^2 / 2 + alpha |c|_1 per signal by coordinate descent on the active atoms, from the given codes.
// Returns the number of signals that did not reach the tolerance.
Index lasso_codes(Matrix<const double> G, Matrix<const double> products, Span<const double> squares,
                  const LassoPlan& plan, const Interrupt& interrupt, Matrix<double> codes);

}  // namespace statlearn::decomposition
