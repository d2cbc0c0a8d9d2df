// Hierarchies from a matrix of dissimilarities.
#pragma once

#include <vector>

#include "cluster/merge_tree.hpp"
#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::cluster {

// How the dissimilarity of a union follows from those of its parts (Lance & Williams, 1967). The last three work on
// squares of the entries.
enum class Linkage : int { single = 0, complete, average, weighted, ward, centroid, median };

// Euclidean distances between the rows of X (n x p, row-major): entry (i, j), i < j, of the upper triangle, row by row.
void condensed_distances(Span<const double> X, Index n, Index p, const Interrupt& interrupt, Span<double> D);

// Agglomerates n >= 2 items with the condensed dissimilarities D (n (n - 1) / 2 entries, which are used up).
//
// All but the last two linkages are reducible: clusters that are each other's nearest may be merged at once. As long as
// a round finds many such pairs, all of them are merged in one pass over the rows of the matrix, in parallel, which
// also finds the next neighbours; then nearest-neighbour chains go on. O(n^2) in all, and no memory beyond D but O(n).
// Centroid and median linkage keep a list of nearest neighbours: O(n^2) as a rule, O(n^3) at worst, and heights may
// fall. The same for any number of threads.
std::vector<Merge> matrix_merges(Span<double> D, Index n, Linkage linkage, const Interrupt& interrupt);

}  // namespace statlearn::cluster
