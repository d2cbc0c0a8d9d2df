// Ward's hierarchy from the points themselves, in memory proportional to their number.
#pragma once

#include <vector>

#include "cluster/merge_tree.hpp"
#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::cluster {

// Merges, again and again, the two clusters whose union raises the sum of squares about the centres least. The height
// of a merge is sqrt(2 a b / (a + b)) |c_a - c_b| with the sizes a, b and the centres c: its square is twice the rise,
// and for two points it is their distance.
//
// Two clusters that are each other's nearest can be merged at once, whatever happens elsewhere (the measure is
// reducible): all such pairs are merged in rounds, with nearest neighbours found in parallel in a box tree of the
// centres. Where a round would find few pairs for its searches (many clusters with one common neighbour),
// nearest-neighbour chains (Murtagh, 1983) go on from there, so that at most O(n) searches of O(n p) are made in all.
//
// X is n x p, row-major, finite, n >= 2. Returns n - 1 merges in the order
// found (fewer if interrupted); the same for any number of threads.
std::vector<Merge> ward_merges(Span<const double> X, Index n, Index p, const Interrupt& interrupt);

}  // namespace statlearn::cluster
