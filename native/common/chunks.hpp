// The grid of a sum whose parts take memory: each chunk of rows has a part of its own, and the parts are added in the
// order of the chunks. It depends on the sizes of the problem only, never on the threads.
#pragma once

#include <algorithm>

#include "common/parallel.hpp"

namespace statlearn {

// Chunks of at least `least` rows, in whole multiples of `unit`, and at most `most` of them.
inline Blocks chunk_grid(Index n, Index least, Index most, Index unit = 1) {
    const Index rows = std::max({least, (n + most - 1) / most, Index{1}});
    return Blocks(n, (rows + unit - 1) / unit * unit);
}

}  // namespace statlearn
