// The cubic smoothing spline: the curve f with the smallest
//
//     sum_i w_i (y_i - f(x_i))^2 + lambda * integral f''(t)^2 dt
//
// for n increasing, distinct x_i. It is the mean of an integrated Wiener process with a diffuse start, whose state
// (f, f') is Markov: what the knots to the left say about the state at x_i, and what those to the right say, are two
// quadratics of two variables, and their sum has the fit at its minimum. Both run along the knots by sums of terms of
// one sign, so that no digits are lost however close the knots are (Reinsch's equations and those of B-splines lose
// about lambda n^3 of them). A knot of weight 0 is a place to look at, not an observation.
//
// Cost: three steps of some forty operations a knot, for four penalties at once; memory of n/128 states. The two
// halves of the knots are two units of work whatever the number of threads.
#pragma once

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::smooth {

struct Knots {
    Span<const double> x;  // increasing, distinct
    Span<const double> w;  // weights, at least 0, two of them positive
};

// What a penalty is judged by.
struct SplineScore {
    double rss;        // sum of w (y - f)^2
    double df;         // trace of the smoother
    double loo;        // sum of (within + w (y - f)^2) / (1 - v)^2, v the variance of f for noise of variance 1
    double penalised;  // sum of w (y - f)^2 + lambda * roughness, by sum of w y (y - f)
    double log_det;    // log determinant of the restricted likelihood, up to a constant; 0 unless asked for
    double held;       // sum of held_w (held_y - f)^2
};

struct SplineTargets {
    Span<const double> y;               // one response a knot: the mean of those with this x
    Span<const double> within;          // their weighted squares around it
    Span<const double> held_y, held_w;  // responses to be predicted and their weights, or empty
};

// Scores of several penalties lambda > 0. False if interrupted.
bool smoothing_spline_scores(Knots knots, SplineTargets targets, Span<const double> lambda, bool likelihood,
                             const Interrupt& interrupt, Span<SplineScore> scores);

struct SplineCurve {
    Span<double> value, slope, second;  // f, f', f'' at the knots
    Span<double> variance;              // of f for noise of variance 1 and the curve's prior: w v is the leverage
};

bool smoothing_spline_fit(Knots knots, Span<const double> y, double lambda, const Interrupt& interrupt,
                          SplineCurve curve);

// (W + lambda K)^-1 times each column of `pulls` (n x k), where f'Kf is the roughness of the curve through f: the pull
// w y gives a fit, a unit vector the row of the smoother at a knot, divided by the weights.
bool smoothing_spline_columns(Knots knots, Matrix<const double> pulls, double lambda, const Interrupt& interrupt,
                              Matrix<double> fitted);

}  // namespace statlearn::smooth
