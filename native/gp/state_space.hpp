// Gaussian processes on the line with Matern covariance as linear state-space models: Kalman filter and smoother, O(n).
//
// The state holds the function and its derivatives, the k-th divided by lambda^k with lambda = sqrt(2 nu) / length.
// Over a gap of g it moves by a matrix of t = lambda g, and its stationary covariance is `variance` times a constant
// matrix.
#pragma once

#include <cstdint>

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::gp {

struct LineModel {
    int order;  // nu + 1/2: 1, 2 or 3
    double variance, length, noise;
};

struct LineValue {
    double log_likelihood;
    double slope[3];  // by the logarithms of variance, length and noise
};

// Log-likelihood of y at the ascending times t, and its gradient. Cost O(n).
LineValue line_likelihood(const LineModel& model, Span<const double> t, Span<const double> y,
                          const Interrupt& interrupt);

// Mean and variance of the function at all times, given y where `seen` is not 0. Cost O(n); allocates O(n).
void line_smooth(const LineModel& model, Span<const double> t, Span<const double> y, Span<const std::uint8_t> seen,
                 const Interrupt& interrupt, Span<double> mean, Span<double> variance);

}  // namespace statlearn::gp
