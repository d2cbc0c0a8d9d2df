// Sums over rows for Gaussian processes with inducing points: what the variational bound needs of n rows is of the size
// of the m points.
#pragma once

#include "gp/covariance.hpp"

namespace statlearn::gp {

// With K the n x m covariances of rows X and points Z: moments = K'K (lower triangle) and products = K'y. Blocks of
// rows are made, used and forgotten. Cost O(n m (m + p)); allocates some m x m matrices.
void sparse_moments(const Formula& formula, Matrix<const double> X, Span<const double> y, Matrix<const double> Z,
                    const Interrupt& interrupt, Matrix<double> moments, Span<double> products);

// out[s] = sum over rows i and points j of W_ij dK_ij / d log(parameter s) with W = 2 K G + y g', for a symmetric G.
void sparse_gradient(const Formula& formula, Matrix<const double> X, Span<const double> y, Matrix<const double> Z,
                     Matrix<const double> G, Span<const double> g, const Interrupt& interrupt, Span<double> out);

}  // namespace statlearn::gp
