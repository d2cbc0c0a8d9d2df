// Brute-force search for Euclid's distance at the speed of a matrix product.
//
// |x - q|^2 - |q|^2 = |x|^2 - 2 x'q is computed in single precision, a tile of 4 queries and 24 points in registers,
// and compared there with what the query still accepts: no matrix of distances is ever stored. The comparison is a
// filter with a proved margin; what passes is computed again in double precision, coordinate by coordinate
// (distances.hpp), so that the answer is that of every other engine, to the bit.
//
// The margin. Data and queries are centred and scaled (by a power of 2) in double precision and rounded to floats, u =
// 2^-24. Rounding the inputs costs at most 4 u |x||q|, rounding |x|^2 u |x|^2, and the p fused steps at most p u times
// the largest partial sum, |x|^2 + 2|x||q|. With 2|x||q| <= |x|^2 + |q|^2 the sum is below c (|x|^2 + |q|^2), where
// c = (2 p + 8) u. What is stored is (1 - c)|x|^2, so that a score is a lower bound up to c |q|^2, and the score plus
// 2 c |x|^2 an upper bound.
#pragma once

#include "common/interrupt.hpp"
#include "neighbors/kd_tree.hpp"

namespace statlearn::neighbors {

constexpr Index kPanel = 24;  // points side by side: kTileFloats

// Points in panels of 24, coordinate by coordinate; beyond n the norm is infinite.
template <class T>
struct Panels {
    Matrix<const T> X;          // the points themselves
    Span<const float> data;     // panels x p x 24
    Span<const float> norms;    // panels x 24: (1 - c)|x|^2
    Span<const double> centre;  // p
    double scale;               // a power of 2

    Index count() const { return (X.rows + kPanel - 1) / kPanel; }
};

// Fills data and norms and returns the scale. Requires finite X and centre. O(n p).
template <class T>
double panels_pack(Matrix<const T> X, Span<const double> centre, const Interrupt& interrupt, Span<float> data,
                   Span<float> norms);

// As brute_query, for the metrics euclidean, sqeuclidean and half_square.
template <class T>
void panels_query(const Panels<T>& points, Matrix<const double> Q, Index k, SearchRule rule, const Interrupt& interrupt,
                  Matrix<double> distances, Matrix<std::int64_t> found);

template <class T>
Within panels_radius(const Panels<T>& points, Matrix<const double> Q, Span<const double> radius, bool by_distance,
                     SearchRule rule, const Interrupt& interrupt);

}  // namespace statlearn::neighbors
