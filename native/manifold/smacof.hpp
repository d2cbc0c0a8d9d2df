// One step of multidimensional scaling by majorisation.
#pragma once

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::manifold {

struct StressSums {
    double squared_error;      // sum over pairs i < j of (|z_i - z_j| - target_ij)^2
    double squared_distances;  // sum over pairs i < j of |z_i - z_j|^2
};

// The Guttman transform of Z (n x q, row-major) for the target dissimilarities (n x n, symmetric, row-major), Z' =
// B(Z) Z / n with b_ij = -target_ij / |z_i - z_j| off the diagonal (0 where the points coincide) and rows that sum to
// 0. It never raises the stress. Returns the sums of the old Z. Cost O(n^2 q); rows are divided among threads and sums
// are added in their order.
StressSums guttman_transform(Matrix<const double> target, Matrix<const double> Z, const Interrupt& interrupt,
                             Matrix<double> updated);

}  // namespace statlearn::manifold
