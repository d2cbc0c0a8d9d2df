// Mean shift: points climb the density of the rows, and end points that are near one another are one mode.
#pragma once

#include <cstdint>

#include "common/interrupt.hpp"
#include "common/status.hpp"
#include "common/view.hpp"

namespace statlearn::cluster {

struct ShiftKernel {
    double bandwidth;
    double rate;  // 0: the flat kernel of radius `bandwidth`; otherwise exp(-rate d^2)
};

// Each point x becomes sum K(x - x_i) x_i / sum K(x - x_i) over the rows, again and again, until it moves by at most
// stop.tol x bandwidth or has moved stop.max_iter + 1 times. Rows count `weights` times (once each if empty).
//
// On return `points` holds the end points, `mass` the kernel-weighted rows around each (0: a point of a flat kernel
// that has no row around it, which stays where it is), `n_iter` the moves after the first one. Cost per move: of the
// flat kernel O(rows near the rim of the ball), of the Gaussian O(rows). Same bits for any number of threads.
template <class T>
void mean_shift_climb(Matrix<const T> X, Span<const double> weights, ShiftKernel kernel, StopRule stop,
                      const Interrupt& interrupt, Matrix<double> points, Span<double> mass, Span<int> n_iter);

// Goes through the points in their order, and keeps those that are farther than `radius` from all that were kept.
// keep[i] is 1 for those. Cost O(points x kept x dimensions).
void mean_shift_merge(Matrix<const double> points, double radius, const Interrupt& interrupt, Span<std::uint8_t> keep);

// For each row, the distance within which `count` rows lie, itself among them; rows count `weights` times (once each if
// empty), and rows of weight 0 get 0. Cost O(n^2 p).
template <class T>
void neighbor_radius(Matrix<const T> X, Span<const double> weights, double count, const Interrupt& interrupt,
                     Span<double> radius);

}  // namespace statlearn::cluster
