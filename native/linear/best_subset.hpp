// The best subsets of every size in least squares, by branch and bound on a tree of triangular factors.
#pragma once

#include <cstdint>
#include <vector>

#include "common/interrupt.hpp"
#include "common/status.hpp"
#include "common/view.hpp"

namespace statlearn::linear {

struct Subset {
    std::uint64_t columns;  // bit j set: column j is in
    double rss;
};

struct BestSubsets {
    std::vector<std::vector<Subset>> by_size;  // index size - 1; ascending in the residual sum of squares
    std::int64_t n_nodes = 0;                  // nodes of the tree that were visited
    Status status = Status::ok;
};

// `R` (p x p, upper triangular, column-major) and `z` (p) come from the QR decomposition of the centred design: R'R =
// X'X, R'z = X'y, and `rss` is the residual sum of squares on all columns. Keeps the `n_best` subsets of every size up
// to `max_size`.
//
// A node is a set of columns of which the first k must stay. Its factor gives the residual sums of squares of all
// leading subsets at once; a child drops one of the later columns by Givens rotations. Since a subset cannot fit better
// than the set it comes from, a child is cut when its set already fits no better than what is kept for every size below
// it (Furnival & Wilson 1974; the tree and the ordering of columns by the loss of dropping them: Gatu & Kontoghiorghes
// 2006). Worst case 2^p nodes, in practice far fewer. Requires p <= 64 and a non-singular R.
// Same result for any number of threads: what prunes a subtree depends on a fixed schedule of rounds only.
BestSubsets best_subsets(Matrix<const double> R, Span<const double> z, double rss, int max_size, int n_best,
                         const Interrupt& interrupt);

}  // namespace statlearn::linear
