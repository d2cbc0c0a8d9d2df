// Sums of distances from every row to every cluster: what silhouettes and within-cluster distances are made of.
#pragma once

#include "common/interrupt.hpp"
#include "common/pair_blocks.hpp"
#include "common/view.hpp"

namespace statlearn::cluster {

// sums(i - begin, c) = sum over the rows j of cluster c of distance(i, j), for the rows order[begin .. end).
//
// `order` lists the rows cluster by cluster, cluster c at places starts[c] .. starts[c + 1]. Row i of the result
// belongs to order[begin + i]. When all rows are asked for, each distance is computed once for both of its rows. Cost
// O(n (end - begin) p), memory O(np) beside the result. Same bits for any number of threads.
template <class T>
void cluster_sums(Matrix<const T> X, Span<const Index> order, Span<const Index> starts, PairMetric metric, Index begin,
                  const Interrupt& interrupt, Matrix<double> sums);

}  // namespace statlearn::cluster
