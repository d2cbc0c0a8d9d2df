// The best cut of each of several columns of numbers, for trees whose tests are half-spaces.
#pragma once

#include <cstdint>

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::trees {

// What is added up over the rows of a side, and what its weighted impurity is:
//   gini, entropy   one weight per class        n - sum n_k^2 / n,   n log2 n - sum n_k log2 n_k
//   squares         w, w y, w y^2               sum of squares around the mean
enum class Mass : int { gini = 0, entropy = 1, squares = 2 };

// For every column of Z (m x q) the cut that leaves the least mass on both sides together, with at least min_leaf rows
// on each: left[j] is that mass (infinite where the column cannot be cut) and cut[j] the middle of the two values. A
// tie within rounding goes to the lowest cut. `parts` has the rows of Z. Cost O(q m log m).
template <class T>
void best_cuts(Matrix<const T> Z, Matrix<const double> parts, Mass mass, Index min_leaf, const Interrupt& interrupt,
               Span<double> left, Span<double> cut);

}  // namespace statlearn::trees
