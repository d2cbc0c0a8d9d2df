// k-medoids by swaps, on a matrix of dissimilarities.
#pragma once

#include <cstdint>
#include <vector>

#include "common/interrupt.hpp"
#include "common/status.hpp"
#include "common/view.hpp"

namespace statlearn::cluster {

struct MedoidsInfo {
    double loss;    // weighted sum of dissimilarities to the nearest medoid
    int n_iter;     // passes over the candidates, the last one without a swap if status is ok
    int n_swaps;    // swaps of a medoid for another row
    Status status;  // ok | max_iter | interrupted
};

// Minimises sum_i w_i D(i, nearest medoid) from the given medoids (distinct rows; replaced by the result) by FasterPAM
// (Schubert & Rousseeuw, 2021): rows are tried one by one in place of the medoid whose loss they lower most, and a swap
// is made as soon as it helps by more than rounding. The end point allows no improving swap.
//
// Requires D (n x n, row-major) symmetric and finite; weights may be empty (all 1). `history` gets the loss at the
// start and after every swap. Cost n^2 per pass. Candidates are tried in batches, in parallel, and the first that helps
// is taken: the result is that of trying them one after the other, for any number of threads.
template <class T>
MedoidsInfo fasterpam(Matrix<const T> D, Span<const double> weights, StopRule stop, const Interrupt& interrupt,
                      Span<Index> medoids, Span<int> labels, std::vector<double>& history);

// Alternates between assigning every row to the nearest medoid (the first among equals) and making the member with the
// smallest weighted sum of dissimilarities the medoid of its cluster (the lowest row among equals), until nothing
// changes. `history` gets the loss after every half step.
template <class T>
MedoidsInfo alternate_medoids(Matrix<const T> D, Span<const double> weights, StopRule stop, const Interrupt& interrupt,
                              Span<Index> medoids, Span<int> labels, std::vector<double>& history);

// The best n_clusters = medoids.size() rows one by one (the BUILD phase of PAM): each lowers the loss most.
template <class T>
void build_medoids(Matrix<const T> D, Span<const double> weights, const Interrupt& interrupt, Span<Index> medoids);

// Looks for an entry that a dissimilarity matrix must not have; `kind` is 0 if there is none.
struct MatrixFault {
    enum Kind : int { none = 0, negative = 1, diagonal = 2, asymmetric = 3, not_finite = 4 } kind;
    Index row, col;
};
template <class T>
MatrixFault dissimilarity_fault(Matrix<const T> D, double tolerance, const Interrupt& interrupt);

}  // namespace statlearn::cluster
