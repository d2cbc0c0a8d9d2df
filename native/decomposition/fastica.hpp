// One pass of independent component analysis over whitened data.
#pragma once

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::decomposition {

enum class Contrast { log_cosh, exponential, cube };

// For the projections y = W z of the columns z of Z (k x n, row-major) and the derivative g of the contrast,
//     moments(c, l) = sum_i g(y_ci) z_li,      slopes[c] = sum_i g'(y_ci).
// log_cosh: g(y) = tanh(a y); exponential: g(y) = y exp(-y^2 / 2); cube: g(y) = y^3.
// W is m x k, moments m x k. Cost 2 n m k and n m evaluations of g; same bits for any number of threads.
void ica_moments(Matrix<const double> Z, Matrix<const double> W, Contrast contrast, double a,
                 const Interrupt& interrupt, Matrix<double> moments, Span<double> slopes);

}  // namespace statlearn::decomposition
