// Posterior means and variances at new rows, a block of rows at a time: no matrix of all pairs is stored.
#pragma once

#include "gp/covariance.hpp"

namespace statlearn::gp {

// For rows x of `New`: mean(x, t) = k(x, X) A_t and, unless `reduction` is empty, reduction(x) = |L^-1 k(X, x)|^2,
// which is the part of the prior variance that the data explain. With a matrix `H` of q columns (L^-1 H of a basis),
// cross(x, c) = (L^-1 k(X, x))' H_c as well. If `weight` is not empty, its entries multiply those of k(X, x) before
// L^-1 is applied. Cost per row O(n p + n^2); allocates O(n) per row of a block.
void predict_rows(const Formula& formula, Matrix<const double> New, Matrix<const double> X, Matrix<const double> A,
                  Matrix<const double> L, Matrix<const double> H, Span<const double> weight, const Interrupt& interrupt,
                  Matrix<double> mean, Span<double> reduction, Matrix<double> cross);

}  // namespace statlearn::gp
