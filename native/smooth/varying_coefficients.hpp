// Varying coefficients: y = x'beta(z), where beta(z0) is the constant part of a weighted least squares fit of
// x'(b0 + b1 (z - z0) + ...) with weights w_i K(|z_i - z0| / h).
#pragma once

#include "common/interrupt.hpp"
#include "common/view.hpp"
#include "smooth/local_polynomial.hpp"

namespace statlearn::smooth {

struct VaryingData {
    Span<const double> z;    // increasing, ties allowed
    Matrix<const double> X;  // n x q, row-major: the columns whose coefficients vary
    Span<const double> y;
    Span<const double> w;  // empty: all 1
};

struct VaryingQueries {
    Span<const double> z;
    Span<const double> bandwidth;  // one for each query; empty where neighbours are counted
    Matrix<const double> X;        // x at each query, for the leverage and spread of x'beta(z), or no rows
};

struct VaryingFit {
    Matrix<double> coef;      // queries x q
    Matrix<double> variance;  // of each coefficient for noise of variance 1 / w, or no rows
    Span<double> leverage;    // of a row of weight 1 that is the query, or empty
    Span<double> spread;      // variance of x'beta(z), or empty; needs `variance` too
};

// False if interrupted. Where a window has too few rows, the columns it cannot determine have coefficient 0, the
// slopes in z first; where it is empty, the nearest rows are taken. Cost of a query: rows in the window times the
// square of the number of columns.
bool varying_coefficients(const VaryingData& data, const VaryingQueries& queries, LocalRule rule,
                          const Interrupt& interrupt, VaryingFit fit);

}  // namespace statlearn::smooth
