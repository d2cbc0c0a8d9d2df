// Nearest-neighbour (Vecchia) approximation of a Gaussian process: every observation given a few of those before it.
#pragma once

#include "gp/covariance.hpp"

namespace statlearn::gp {

constexpr Index kMostNeighbors = 47;  // they and the row itself fill a block

// log p(y) = sum_i log p(y_i | y_j, j in the neighbours of i), with independent noise of variance `noise` on every
// observation. Row i of `neighbors` holds numbers of rows before it, or -1 in the places that are not used. Unless
// `out` is empty, out[s] is the derivative by log(parameter s), and noise_slope the one by the noise variance. Cost O(n
// (k^3 + k^2 p)) for k neighbours. Returns NaN if a covariance matrix is not positive definite.
struct VecchiaValue {
    double log_likelihood, noise_slope;
};
VecchiaValue vecchia_likelihood(const Formula& formula, Matrix<const double> X, Span<const double> y,
                                Matrix<const int> neighbors, double noise, const Interrupt& interrupt,
                                Span<double> out);

// Mean and variance of the function at rows of `New`, each given its neighbours among the rows of X. Returns the number
// of rows whose covariance matrix is not positive definite; their values are NaN.
Index vecchia_predict(const Formula& formula, Matrix<const double> New, Matrix<const double> X, Span<const double> y,
                      Matrix<const int> neighbors, double noise, const Interrupt& interrupt, Span<double> mean,
                      Span<double> variance);

}  // namespace statlearn::gp
