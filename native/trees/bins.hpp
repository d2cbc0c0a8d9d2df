// Columns cut into at most 255 bins, so that a tree reads one byte per value.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::trees {

using Bin = std::uint8_t;
constexpr int kBins = 256;     // cells of a column's histogram
constexpr Bin kMissing = 255;  // the bin of NaN; values have bins 0..254

// A number between a and b, a < b, with a <= result < b in T's own precision.
template <class T>
T between(T a, T b) {
    const T middle = a + (b - a) / 2;
    if (std::isfinite(middle)) return middle < b ? middle : a;
    const T halves = a / 2 + b / 2;  // b - a overflowed, or an end is infinite
    return std::isfinite(halves) && halves < b ? halves : a;
}

// Upper edges of the bins of one column, increasing: bin b holds edges[b-1] < x <= edges[b], the last bin what is
// above the last edge. Edges are mid-points of neighbouring distinct values, so that a few distinct values get a bin
// each; otherwise the bins hold about equally many rows of the sample, and a frequent value one of its own.
// `even` of those edges then divide the range into equal parts: a number drawn from the range is seldom far from one.
// `values` is sorted in place and must be free of NaN. At most max_bins - 1 edges; max_bins is 2 to 255.
template <class T>
std::vector<T> bin_edges(Span<T> values, int max_bins, int even = 0);

// The bins of X: `by_row` (n x stride, row-major, stride >= p, the padding is zero) and `by_column` (p x n).
// `edges` holds the edges of all columns, those of column j at starts[j]..starts[j+1].
template <class T>
void bin_rows(Matrix<const T> X, Span<const T> edges, Span<const int> starts, const Interrupt& interrupt,
              Matrix<Bin> by_row, Matrix<Bin> by_column);

}  // namespace statlearn::trees
