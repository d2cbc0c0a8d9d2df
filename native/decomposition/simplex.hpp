// Least squares with weights that are non-negative and sum to 1.
#pragma once

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::decomposition {

// Minimises, row by row, w'Gw/2 - a'w over w >= 0, sum w = 1, from the given W (rows in the simplex), by exact steps
// along the pair of coordinates that violates the conditions most, the one with the smallest gradient against the used
// one with the largest. Stops when these gradients differ by at most tol times the largest diagonal entry of G, or
// after max_steps. Products A (n x k), G (k x k).
void simplex_rows(Matrix<const double> A, Matrix<const double> G, double tol, int max_steps, const Interrupt& interrupt,
                  Matrix<double> W);

}  // namespace statlearn::decomposition
