// A table of bins as the growers read it: bytes by row and by column, and the features that live in the columns.
#pragma once

#include <cstdint>
#include <vector>

#include "common/view.hpp"
#include "trees/bins.hpp"

namespace statlearn::trees {

// A feature that has a column to itself has bin b under the code b, and the missing values under kMissing (zero = -1).
// Features that share a column (a bundle of sparse ones) lie apart: the bins other than `zero`, the one of most rows,
// have the codes first, first + 1, ..., and every other code of the column means `zero`. They have no missing values.
//
// A feature of more categories than a byte can tell apart has a column of 16-bit codes (wide = its number, otherwise
// -1), the missing values under the code n_bins.
struct FeatureSlots {
    Span<const int> column, n_bins, first, zero, wide;
    Span<const std::uint8_t> ordered;  // 0: a feature of categories, whose bins have no order

    Index count() const { return Index(n_bins.size()); }
    bool shares_column(Index j) const { return zero[j] >= 0; }
    bool is_wide(Index j) const { return wide[j] >= 0; }
    int code(Index j, int bin) const { return first[j] + bin - (bin > zero[j] ? 1 : 0); }
    // The bin of feature j for a code of its column.
    int bin(Index j, int code) const {
        if (zero[j] < 0) return code;
        const int at = code - first[j];
        if (at < 0 || at >= n_bins[j] - 1) return zero[j];
        return at < zero[j] ? at : at + 1;
    }
};

struct BinnedRows {
    Matrix<const Bin> by_row;          // n x stride: histograms read a row's codes from one cache line
    Matrix<const Bin> by_column;       // columns x n: a split reads one column
    Matrix<const std::uint16_t> wide;  // n x wide columns
    FeatureSlots features;
    std::vector<Index> wide_cells;  // where the cells of each wide column begin in a histogram, and where they end

    Index columns() const { return by_column.rows; }
    Index cells() const { return wide_cells.back(); }

    // Lays out histograms: 256 cells for every column, then those of the wide ones.
    void lay_out() {
        wide_cells.assign(std::size_t(wide.cols) + 1, columns() * kBins);
        for (Index j = 0; j < features.wide.size(); ++j)
            if (features.wide[j] >= 0) wide_cells[features.wide[j] + 1] = features.n_bins[j] + 1;
        for (std::size_t w = 1; w < wide_cells.size(); ++w) wide_cells[w] += wide_cells[w - 1];
    }
    Index first_cell(Index j) const {
        return features.wide[j] >= 0 ? wide_cells[features.wide[j]] : Index(features.column[j]) * kBins;
    }
    // Codes of the feature's column, that of missing values included.
    int codes(Index j) const { return features.is_wide(j) ? features.n_bins[j] + 1 : kBins; }
};

}  // namespace statlearn::trees
