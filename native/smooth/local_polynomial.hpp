// Local polynomial regression: at each query a weighted least squares fit of degree 0, 1 or 2 in the offsets from it,
// with weights w_i K(d_i / h), whose intercept is the estimate.
#pragma once

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::smooth {

enum class Profile : int { epanechnikov = 0, tricube = 1, gaussian = 2, uniform = 3 };

// The kernel at distance t >= 0 in units of the bandwidth; the Gaussian one is exp(-exponent t^2).
double profile_at(double t, Profile profile, double exponent);

struct LocalData {
    Matrix<const double> X;  // rows, by increasing value if there is one column
    Matrix<const double> Z;  // the same rows in the coordinates in which distances are Euclidean
    Span<const double> y;
    Span<const double> w;  // empty: all 1
};

struct LocalRule {
    Profile profile;
    int degree;
    double exponent;  // of the Gaussian profile exp(-exponent t^2)
    Index neighbors;  // if positive, h is the distance to this nearest row, else as given for each query
};

struct LocalQueries {
    Matrix<const double> X, Z;
    Span<const double> bandwidth;  // one for each query; not read where neighbours are counted
};

// Writes the estimates, and (X'WX)^-1 in the place of the intercept times K(0): the leverage of a row of weight 1 at
// the query itself. `rows` (queries x n, or empty) receives the weights of the responses in each estimate. Directions
// that a window does not determine are left out of its polynomial; an empty window takes the nearest rows. False if
// interrupted.
bool local_polynomial(const LocalData& data, const LocalQueries& queries, LocalRule rule, const Interrupt& interrupt,
                      Span<double> fitted, Span<double> leverage, Matrix<double> rows);

}  // namespace statlearn::smooth
