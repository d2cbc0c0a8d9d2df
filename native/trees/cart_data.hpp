// What an exact tree learns from: columns as ranks in sorted order, and the target.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::trees {

constexpr std::uint32_t kMissingRank = std::numeric_limits<std::uint32_t>::max();

// A row and the rank of its value among the distinct values of a column (the code of a category).
struct Cell {
    std::uint32_t row, rank;
};

struct CartColumns {
    Index rows = 0, cols = 0;
    std::vector<std::vector<Cell>> sorted;    // of each column: by rank, then by row; missing values last
    std::vector<std::vector<double>> values;  // of each rank; empty for categories
    std::vector<std::uint32_t> n_levels;      // number of ranks
    Span<const std::uint8_t> categorical;
};

// Sorts the columns of X, in parallel over them. NaN is missing; a categorical column holds codes 0, 1, ...
// Requires fewer than 2^32 - 1 rows and codes below that number. After an interrupt columns may be empty.
template <class T>
CartColumns sort_columns(Matrix<const T> X, Span<const std::uint8_t> categorical, const Interrupt& interrupt);

// The target and the weights of rows 0..rows-1. A number has `y`, a class has `codes`; n x outputs each.
struct CartTarget {
    Index rows = 0, outputs = 1;
    Span<const double> y;
    Span<const int> codes;
    Span<const int> n_classes;             // of each output
    Span<const double> weights;            // empty: all 1
    Span<const double> losses;             // K x K, symmetric, of the loss-weighted Gini index
    Span<const double> count_entropy;      // k log2 k for k = 0..rows, where the weights are all 1
    const Interrupt* interrupt = nullptr;  // asked in loops that may take seconds
    Index classes = 1;                     // the largest of n_classes, 1 for a number

    Index width() const { return outputs * classes; }
    double weight(std::uint32_t row) const { return weights.empty() ? 1.0 : weights[row]; }
};

}  // namespace statlearn::trees
