// Start values for k-means: D^2 sampling.
#pragma once

#include <cstdint>

#include "common/interrupt.hpp"
#include "common/rows.hpp"
#include "common/view.hpp"

namespace statlearn::cluster {

// A number for every row that depends on its entries only: sorting by it gives an order that rows can be drawn in
// whatever order they came in, copies side by side.
template <class T>
void row_keys(const RowsView<T>& X, const Interrupt& interrupt, Span<double> keys);

// k-means++ (Arthur & Vassilvitskii, 2007): the first row is drawn in proportion to the weights, each further one in
// proportion to weight times squared distance to the nearest row chosen so far. Of `trials` draws the one that lowers
// the sum of these most is taken. When all rows are chosen ones or copies of them, the rest is drawn by the weights.
//
// `order` lists the rows in the order of the cumulative sums that draws are looked up in. `weights` may be empty (all
// 1). Writes the chosen rows. Cost n p k trials, memory n (trials + 1); draws from Rng(seed, step).
template <class T>
void kmeans_plusplus(const RowsView<T>& X, Span<const double> weights, Span<const Index> order, Index k, int trials,
                     std::uint64_t seed, const Interrupt& interrupt, Span<Index> chosen);

}  // namespace statlearn::cluster
