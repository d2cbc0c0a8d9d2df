// Histograms of derivatives over the bins of every column, in two arithmetics.
//
// A "row value" is what a row adds to each of its cells, a "cell" is a sum of them in a node's histogram:
//   Exact   row value {g, h}           cell {sum g, sum h, rows}          doubles, added in row order
//   Packed  row value g * 2^16 + h     cell sum g * 2^32 + sum h          integers, any order gives the same bits
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/parallel.hpp"
#include "common/view.hpp"
#include "trees/bins.hpp"

namespace statlearn::trees {

struct Sums {
    double g = 0.0, h = 0.0;
    double rows = 0.0;  // exact in Exact, the share of h in Packed
};

struct ExactCell {
    double g = 0.0, h = 0.0, rows = 0.0;
    ExactCell& operator+=(const ExactCell& o) {
        g += o.g, h += o.h, rows += o.rows;
        return *this;
    }
    ExactCell& operator-=(const ExactCell& o) {
        g -= o.g, h -= o.h, rows -= o.rows;
        return *this;
    }
};

using PackedRow = std::int32_t;
using PackedCell = std::int64_t;

inline std::int32_t packed_g(PackedCell cell) { return std::int32_t(cell >> 32); }
inline std::uint32_t packed_h(PackedCell cell) { return std::uint32_t(cell); }

// Rounded derivatives of every row, and what a unit of them is worth.
struct PackedRows {
    std::vector<PackedRow> value;  // by row number
    double g_unit = 1.0, h_unit = 1.0;
    Index block = 1;  // rows whose sums cannot leave 16 bits
};

// Adds up to `block` rows to 32-bit sums in the first-level cache and moves these to the cells.
class PackedTile {
public:
    static constexpr Index kColumns = 28;  // 28 KiB of sums

    PackedTile() : sums_(std::size_t(kColumns * kBins)) {}

    void add(const MatrixView<const Bin>& bins, const PackedRows& rows, std::span<const std::uint32_t> order,
             Index first_column, Index columns, PackedCell* cells) {
        std::int32_t* sums = sums_.data();
        for (std::size_t begin = 0; begin < order.size(); begin += std::size_t(rows.block)) {
            const auto end = std::min(order.size(), begin + std::size_t(rows.block));
            std::fill_n(sums, columns * kBins, 0);
            constexpr std::size_t kAhead = 16;
            const std::size_t prefetched = end > kAhead ? end - kAhead : begin;
            std::size_t i = begin;
            for (; i < prefetched; ++i) {
                __builtin_prefetch(&bins(order[i + kAhead], first_column));
                add_row(&bins(order[i], first_column), rows.value[order[i]], columns, sums);
            }
            for (; i < end; ++i) add_row(&bins(order[i], first_column), rows.value[order[i]], columns, sums);
            for (Index c = 0; c < columns * kBins; ++c) {
                const std::int32_t sum = sums[c];
                cells[c] += PackedCell(sum >> 16) * (PackedCell{1} << 32) + (sum & 0xFFFF);
            }
        }
    }

private:
    static void add_row(const Bin* bin, PackedRow value, Index columns, std::int32_t* sums) {
        Index j = 0;
        for (; j + 4 <= columns; j += 4) {
            sums[bin[j]] += value;
            sums[kBins + bin[j + 1]] += value;
            sums[2 * kBins + bin[j + 2]] += value;
            sums[3 * kBins + bin[j + 3]] += value;
            sums += 4 * kBins;
        }
        for (; j < columns; ++j, sums += kBins) sums[bin[j]] += value;
    }

    std::vector<std::int32_t> sums_;
};

}  // namespace statlearn::trees
