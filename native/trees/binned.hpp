// A table of bins as the growers read it: bytes by row and by column, and the features that live in the columns.
#pragma once

#include <cstdint>
#include <span>

#include "common/view.hpp"
#include "trees/bins.hpp"

namespace statlearn::trees {

// A feature that has a column to itself has bin b under the code b, and the missing values under kMissing (zero = -1).
// Features that share a column (a bundle of sparse ones) lie apart: the bins other than `zero`, the one of most rows,
// have the codes first, first + 1, ..., and every other code of the column means `zero`. They have no missing values.
struct FeatureSlots {
    std::span<const int> column, n_bins, first, zero;
    std::span<const std::uint8_t> ordered;  // 0: a feature of categories, whose bins have no order

    Index count() const { return Index(n_bins.size()); }
    bool shares_column(Index j) const { return zero[std::size_t(j)] >= 0; }
    int code(Index j, int bin) const {
        const auto k = std::size_t(j);
        return first[k] + bin - (bin > zero[k] ? 1 : 0);
    }
    // The bin of feature j for a code of its column.
    int bin(Index j, int code) const {
        const auto k = std::size_t(j);
        if (zero[k] < 0) return code;
        const int at = code - first[k];
        if (at < 0 || at >= n_bins[k] - 1) return zero[k];
        return at < zero[k] ? at : at + 1;
    }
};

struct BinnedRows {
    MatrixView<const Bin> by_row;     // n x stride: histograms read a row's codes from one cache line
    MatrixView<const Bin> by_column;  // columns x n: a split reads one column
    FeatureSlots features;

    Index columns() const { return by_column.rows; }
};

}  // namespace statlearn::trees
