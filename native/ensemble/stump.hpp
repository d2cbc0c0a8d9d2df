// Trees with one split, for ensembles that fit hundreds of them to the same rows under changing weights.
#pragma once

#include <cstdint>

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::ensemble {

// Marks a row of a sorted column whose value is smaller than the next one: a threshold may stand behind it.
constexpr std::uint32_t kCut = std::uint32_t{1} << 31;
constexpr Index kStumpBins = 256;  // pieces of a sorted column
constexpr Index kStumpGroup = 4;   // columns whose piece numbers stand side by side

// What is learned about a table once, for all stumps on it.
struct StumpTable {
    Matrix<const std::uint32_t> order;  // p x n: rows of each column by value, with their marks
    Matrix<const std::uint32_t> ends;   // p x 256: one past the last place of each piece; empty pieces at the end
    Matrix<const std::uint8_t> bins;    // groups x 4n: the piece of each row, four columns side by side
};

// Sorts the rows of every column of X (n x p) by value, ties by row number, and cuts the sorted columns into pieces of
// about n / 256 rows without parting equal values. Requires n < 2^31 and no NaN. Cost O(np); columns in parallel.
template <class T>
void stump_sort(Matrix<const T> X, const Interrupt& interrupt, Matrix<std::uint32_t> order, Matrix<std::uint32_t> ends,
                Matrix<std::uint8_t> bins);

struct StumpCut {
    Index feature = -1;                        // -1: no column has two values
    Index position = 0;                        // the rows up to this place of the sorted column go left
    double gain = 0.0;                         // fall of the criterion, see below
    double left_weight = 0.0, left_sum = 0.0;  // of weights and of weighted targets on the left
};

// The split that maximises  L^2 / W_left + R^2 / W_right  over all columns and thresholds, with L, R sums of targets
// and W sums of weights: for weight x target the regression stump, for weight x (+1 or -1) the Gini stump of two
// classes. `sums` holds for each row its weight (above 0) and its weighted target, for regression followed by the
// positive part of the latter and a zero (n x 2 or n x 4). `gain` is the maximum less the same of all rows. Of splits
// within `tie` of the best the one of the lowest column and threshold is taken.
//
// Exact, without looking at all thresholds: the sums over the pieces of the columns bound the criterion inside each
// piece, since it is convex in the sums of the left side, which grow from one end of the piece to the other. Only
// pieces that may hold the maximum are gone through row by row. Cost O(np) sequential additions and a small rest.
StumpCut stump_search(const StumpTable& table, Matrix<const double> sums, double tie, const Interrupt& interrupt);

// The Gini stump of any number of classes: maximises the sum over both sides of  sum_k S_k^2 / W,  S_k the weight of
// class k. Goes through all thresholds; cost O(np) whatever the number of classes.
StumpCut stump_search_classes(Matrix<const std::uint32_t> order, Span<const double> weights, Span<const int> codes,
                              Index n_classes, double tie, const Interrupt& interrupt);

}  // namespace statlearn::ensemble
