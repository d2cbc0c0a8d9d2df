// Histograms of derivatives over the codes of every column, in two arithmetics.
//
// A "row value" is what a row adds to each of its cells, a "cell" is a sum of them in a node's histogram:
//   Exact   row value {g, h}           cell {sum g, sum h, rows, weight}  doubles, added in row order
//   Packed  row value g * 2^16 + h     cell sum g * 2^32 + sum h          integers, any order gives the same bits
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/parallel.hpp"
#include "common/view.hpp"
#include "trees/binned.hpp"
#include "trees/split.hpp"

namespace statlearn::trees {

struct ExactCell {
    double g = 0.0, h = 0.0, rows = 0.0, weight = 0.0;
    ExactCell& operator+=(const ExactCell& o) {
        g += o.g, h += o.h, rows += o.rows, weight += o.weight;
        return *this;
    }
    ExactCell& operator-=(const ExactCell& o) {
        g -= o.g, h -= o.h, rows -= o.rows, weight -= o.weight;
        return *this;
    }
};

template <class T>
class ExactMode {
public:
    using Cell = ExactCell;

    // `row_weight` may be empty.
    ExactMode(const BinnedRows& binned, Span<const T> gradient, Span<const T> hessian, Span<const T> row_weight)
        : data(binned), g(gradient), h(hessian), weight(row_weight) {}

    static bool present(const Cell& cell) { return cell.rows > 0.5; }
    double rows_per_h(const Cell&, Index) const { return 0.0; }  // the cells know their rows
    Sums sums(const Cell& cell, double) const { return {cell.g, cell.h, cell.rows, cell.weight}; }

    void running_sums(const Cell* cells, int bins, double, Prefix& prefix) const {
        Cell run;
        for (int b = 0; b < bins; ++b) {
            run += cells[b];
            prefix.set(b, {run.g, run.h, run.rows, run.weight});
        }
    }

    // One column at a time and its rows in order: the same bits for any number of threads.
    void build(Span<const std::uint32_t> order, bool shared, Index, Cell* cells) const {
        std::fill_n(cells, data.cells(), Cell{});
        const Index columns = data.columns();
        parallel_for(columns + data.wide.cols, shared ? threads() : 1, [&](Index j) {
            if (j < columns) {
                const Bin* bins = data.by_column.row(j);
                add_column(order, [&](std::uint32_t i) { return bins[i]; }, cells + j * kBins);
            } else {
                const Index w = j - columns;
                add_column(order, [&](std::uint32_t i) { return data.wide(i, w); }, cells + data.wide_cells[w]);
            }
        });
    }

private:
    template <class CodeOf>
    void add_column(Span<const std::uint32_t> order, CodeOf code_of, Cell* column) const {
        if (weight.empty())
            for (const auto i : order) column[code_of(i)] += Cell{double(g[i]), double(h[i]), 1.0, 0.0};
        else
            for (const auto i : order) column[code_of(i)] += Cell{double(g[i]), double(h[i]), 1.0, double(weight[i])};
    }

    const BinnedRows& data;
    Span<const T> g, h, weight;
};

using PackedRow = std::int32_t;
using PackedCell = std::int64_t;

inline std::int32_t packed_g(PackedCell cell) { return std::int32_t(cell >> 32); }
inline std::uint32_t packed_h(PackedCell cell) { return std::uint32_t(cell); }

// Rounded derivatives of every row, and what a unit of them is worth.
struct PackedRows {
    Span<const PackedRow> value;  // by row number
    double g_unit = 1.0, h_unit = 1.0;
    Index block = 1;  // rows whose sums cannot leave 16 bits
};

// Rounds the derivatives of the given rows at random, without bias, to whole numbers of units, which go to `value`.
template <class T>
PackedRows pack_rows(Span<const T> g, Span<const T> h, Span<const std::uint32_t> order, std::uint64_t seed,
                     Span<PackedRow> value);

// Adds up to `block` rows to 32-bit sums in the first-level cache and moves these to the cells.
class PackedTile {
public:
    static constexpr Index kColumns = 28;  // 28 KiB of sums

    PackedTile() : sums_(kColumns * kBins) {}

    void add(const Matrix<const Bin>& bins, const PackedRows& rows, Span<const std::uint32_t> order, Index first_column,
             Index columns, PackedCell* cells);

private:
    std::vector<std::int32_t> sums_;
};

struct PackedMode {
    using Cell = PackedCell;

    const BinnedRows& data;
    PackedRows rows;
    std::vector<PackedTile> tiles;         // one per worker
    std::vector<std::vector<Cell>> parts;  // likewise, for nodes whose rows are shared out

    PackedMode(const BinnedRows& binned, PackedRows packed, int workers);

    static bool present(Cell cell) { return cell != 0; }

    // The rows of a cell are judged by its share of the node's h.
    double rows_per_h(Cell total, Index count) const {
        return packed_h(total) ? double(count) / double(packed_h(total)) : 0.0;
    }
    Sums sums(Cell cell, double per_h) const {
        return {packed_g(cell) * rows.g_unit, packed_h(cell) * rows.h_unit, packed_h(cell) * per_h, 0.0};
    }

    void running_sums(const Cell* cells, int bins, double per_h, Prefix& prefix) const;
    void build(Span<const std::uint32_t> order, bool shared, Index worker, Cell* cells);

private:
    void add_rows(Span<const std::uint32_t> order, PackedTile& tile, Cell* cells) const;
    template <int kColumns>
    void add_wide(Span<const std::uint32_t> order, Index first, Cell* cells) const;
};

}  // namespace statlearn::trees
