// Curves through responses over a projection of the rows, for sums of ridge functions.
#pragma once

#include <cstdint>

#include "smooth/supersmoother.hpp"

namespace statlearn::smooth {

struct RidgeRows {
    Span<const double> z;  // the projection, in any order
    Span<const double> t;  // the response
    Span<const double> w;  // positive
};

// Where a spline through the rows has knots: increasing places, and for the rows at each their weight, their mean
// response and their sum of squares around it. As long as there are rows.
struct RidgePlaces {
    Span<double> place, weight, mean, within;
};

// order = the numbers of the rows by increasing z, equal ones as they come.
void ridge_order(Span<const double> z, Span<std::int32_t> order);

// Fills the places of rows in this order, and returns their number. Up to 2 `most` rows have places of their own, but
// for those that differ by rounding; more are merged into at most `most` places of about equal weight.
Index ridge_places(RidgeRows rows, Span<const std::int32_t> order, Index most, RidgePlaces out);

struct RidgeCurve {
    Span<const double> knots, value, slope, second;  // a natural cubic spline, at its increasing knots
};

// The curve and its slope at the rows.
void ridge_evaluate(Span<const double> z, Span<const std::int32_t> order, RidgeCurve curve, Span<double> value,
                    Span<double> slope);

// The super smoother at the rows; false if interrupted.
bool ridge_supersmooth(RidgeRows rows, SuperRule rule, const Interrupt& interrupt, Span<double> value,
                       Span<double> slope);

}  // namespace statlearn::smooth
