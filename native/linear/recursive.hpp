// Recursive least squares: one rank-one update of the inverse cross-products per row.
#pragma once

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::linear {

// Takes the rows of Z (n x q) with targets Y (n x m) and weights w (n, none negative) into the fit, in order. For each
// row z, with f = forget in (0, 1]:
//     P <- P / f;  g = w P z / (1 + w z'Pz);  B <- B + g (y - z'B)';  P <- P - g (P z)'
// P (q x q, symmetric, row-major) is the inverse of the weighted cross-products, B (q x m, row-major) the coefficients.
// Cost O(q (q + m)) per row; allocates O(q + m). Returns the rows taken: fewer than n only after an interrupt.
Index rls_update(Matrix<const double> Z, Matrix<const double> Y, Span<const double> weights, double forget,
                 const Interrupt& interrupt, Matrix<double> P, Matrix<double> B);

}  // namespace statlearn::linear
