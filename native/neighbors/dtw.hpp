// Dynamic time warping of two sequences.
#pragma once

#include <cstdint>

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::neighbors {

enum class StepCost : int { absolute = 0, squared = 1, euclidean = 2 };

// The least sum of costs c(i, j) over monotone paths from (0, 0) to (n - 1, m - 1) with steps (1, 0), (0, 1), (1, 1):
//     D(i, j) = c(i, j) + min(D(i - 1, j - 1), D(i - 1, j), D(i, j - 1)).
// Cells with |i - j| > window are closed (Sakoe and Chiba's band). The cost of two rows is their absolute (L1), squared
// or Euclidean distance. `moves` is empty, or n x (2 window + 1) with entry (i, j - i + window): the step that led
// there, 0 diagonal, 1 from i - 1, 2 from j - 1; ties go to the diagonal, then to i - 1. Requires rows of equal length,
// n, m >= 1 and window >= |n - m|. Cost O(n window p); memory O(m) beside the moves.
double dtw_distance(Matrix<const double> a, Matrix<const double> b, StepCost cost, Index window,
                    const Interrupt& interrupt, Span<std::uint8_t> moves);

// The same for given costs, n x m.
double dtw_costs(Matrix<const double> costs, Index window, const Interrupt& interrupt, Span<std::uint8_t> moves);

}  // namespace statlearn::neighbors
