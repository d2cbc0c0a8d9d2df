// Search by looking at every point, for any dissimilarity of distances.hpp; and the full matrix of distances.
#pragma once

#include "common/interrupt.hpp"
#include "neighbors/kd_tree.hpp"

namespace statlearn::neighbors {

// The rows of X (n x p, row-major) in blocks of eight points, coordinate by coordinate; lanes beyond n repeat the last
// row. `blocks` has ceil(n / 8) * p * 8 elements.
template <class T>
void pack_blocks(Matrix<const T> X, const Interrupt& interrupt, Span<T> blocks);

// Y = X A, each row on its own: equal rows have equal images, which BLAS does not promise.
template <class T>
void linear_map(Matrix<const T> X, Matrix<const double> A, const Interrupt& interrupt, Matrix<T> Y);

// Rows of length 1, first centred if `centre`: half the squared distance of two of them is one minus their cosine. Y
// has two columns more than X: a row without direction becomes the unit vector of column X.cols + pole, which is at
// distance 1 from everything when data and queries have different poles.
template <class T>
void unit_rows(Matrix<const T> X, bool centre, Index pole, const Interrupt& interrupt, Matrix<T> Y);

// Points of the unit sphere (n x 3) from latitude and longitude in radians (n x 2).
void sphere_rows(Matrix<const double> X, Matrix<double> Y);

// Points in blocks, as pack_blocks leaves them.
template <class T>
struct PointBlocks {
    Span<const T> data;
    Index n, p;

    Index count() const { return (n + kLanes - 1) / kLanes; }
    const T* block(Index b) const { return data.data() + b * p * kLanes; }
    Index lanes(Index b) const { return std::min(kLanes, n - b * kLanes); }
};

// The k nearest of every query, by (distance, row). A distance that is not a number is no neighbour: places that stay
// free hold NaN and the row -1. Cost O(n p) for a query.
template <class T>
void brute_query(PointBlocks<T> points, Matrix<const double> Q, Index k, SearchRule rule, const Interrupt& interrupt,
                 Matrix<double> distances, Matrix<std::int64_t> found);

template <class T>
Within brute_radius(PointBlocks<T> points, Matrix<const double> Q, Span<const double> radius, bool by_distance,
                    SearchRule rule, const Interrupt& interrupt);

// D(i, j) = distance from query i to point j, row-major.
template <class T>
void distance_matrix(PointBlocks<T> points, Matrix<const double> Q, Metric metric, double power,
                     const Interrupt& interrupt, Matrix<double> D);

}  // namespace statlearn::neighbors
