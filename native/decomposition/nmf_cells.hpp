// Blocks of the table that is factorised, and their products with the factors, in tiles that never leave the cache.
#pragma once

#include <limits>
#include <vector>

#include "common/tile.hpp"
#include "common/view.hpp"

namespace statlearn::decomposition {

constexpr Index kBlockRows = 32;   // of X, a multiple of kTileRows
constexpr Index kPanelCols = 96;   // a multiple of the lanes of a tile, in both precisions
constexpr Index kChunkRows = 512;  // rows whose sums over columns are kept apart: the grid of the reduction
constexpr Index kTogether = 8;     // chunks whose sums are kept at a time

inline Index padded(Index n, Index step) { return (n + step - 1) / step * step; }

// H packed for products over the components: for each group of `lanes` columns, k x lanes.
template <class T>
std::vector<T> pack_columns(Matrix<const T> H) {
    constexpr Index lanes = kTileLanes<T>;
    const Index k = H.rows, p = H.cols, groups = (p + lanes - 1) / lanes;
    std::vector<T> packed(groups * lanes * k);
    for (Index g = 0; g < groups; ++g)
        for (Index l = 0; l < k; ++l)
            for (Index j = 0; j < lanes && g * lanes + j < p; ++j)
                packed[(g * k + l) * lanes + j] = H(l, g * lanes + j);
    return packed;
}

// H' with the components padded to whole registers: p x width.
template <class T>
std::vector<T> pack_transposed(Matrix<const T> H, Index width) {
    std::vector<T> packed(padded(H.cols, kPanelCols) * width);
    for (Index l = 0; l < H.rows; ++l)
        for (Index j = 0; j < H.cols; ++j) packed[j * width + l] = H(l, j);
    return packed;
}

// Where the cells of a block of rows and a panel of columns lie: in the table itself, or in a copy.
template <class T>
struct Panel {
    const T* at;
    Index step;  // from row to row
};

// Scratch of a unit of work: a block of rows against a panel of columns.
template <class T>
struct Cells {
    std::vector<T> rows;                   // of W: groups of four rows, k x 4 each
    std::vector<T> x, fit, first, second;  // kBlockRows x kPanelCols
    explicit Cells(Index k)
        : rows(kBlockRows * k), x(kBlockRows * kPanelCols), fit(x.size()), first(x.size()), second(x.size()) {}

    void take_rows(Matrix<const T> W, Index begin, Index used) {
        const Index k = W.cols;
        for (Index r = 0; r < kBlockRows; ++r)
            for (Index l = 0; l < k; ++l)
                rows[(r / kTileRows * k + l) * kTileRows + r % kTileRows] = r < used ? W(begin + r, l) : T(0);
    }

    // The fitted values of the panel, row-major; `packed` begins at its first column.
    void fit_panel(const T* packed, Index k, Index groups) {
        constexpr Index lanes = kTileLanes<T>;
        for (Index g = 0; g < groups; ++g)
            for (Index r = 0; r < kBlockRows; r += kTileRows) {
                TileSums<T> s{};
                tile_accumulate(rows.data() + r * k, kTileRows, packed + g * k * lanes, lanes, k, s);
                tile_store(s, fit.data() + r * kPanelCols + g * lanes, kPanelCols);
            }
    }

    // A copy in `x`, with `blank` in the cells that pad it to whole blocks and tiles.
    Panel<T> copy(Matrix<const T> X, Index begin, Index used, Index col, Index across, T blank) {
        const Index end = padded(across, kTileLanes<T>);
        for (Index r = 0; r < kBlockRows; ++r) {
            T* to = x.data() + r * kPanelCols;
            Index j = 0;
            if (r < used) {
                const T* from = X.row(begin + r) + col * X.col_stride;
                if (X.col_stride == 1)
                    for (; j < across; ++j) to[j] = from[j];
                else
                    for (; j < across; ++j) to[j] = from[j * X.col_stride];
            }
            for (; j < end; ++j) to[j] = blank;
        }
        return {x.data(), kPanelCols};
    }

    // The cells where they are if they need no padding, otherwise a copy. Rows that are a multiple of a large power of
    // two apart would compete for the same lines of the cache.
    Panel<T> take(Matrix<const T> X, Index begin, Index used, Index col, Index across, T blank) {
        const bool apart = X.row_stride * Index(sizeof(T)) % 512 != 0;
        if (X.col_stride == 1 && apart && used == kBlockRows && across % kTileLanes<T> == 0)
            return {X.row(begin) + col, X.row_stride};
        return copy(X, begin, used, col, across, blank);
    }
};

template <Index Packs, class T>
void add_packs_over_columns(const Panel<T>& cells, Index depth, const T* packed, Index width, T* sums) {
    for (Index r = 0; r < kBlockRows; r += kTileRows) {
        TileSums<T, kTileRows, Packs> s;
        tile_load(s, sums + r * width, width);
        const T *a = cells.at + r * cells.step, *b = packed;
        for (Index j = 0; j < depth; ++j, b += width) {
            PackOf<T> right[Packs];
            for (Index v = 0; v < Packs; ++v) right[v] = packs(b)[v];
            for (Index i = 0; i < kTileRows; ++i)
                for (Index v = 0; v < Packs; ++v) s.v[i][v] += a[i * cells.step + j] * right[v];
        }
        tile_store(s, sums + r * width, width);
    }
}

// sums (kBlockRows x width) += cells (kBlockRows x depth) * packed (depth x width)
template <class T>
void add_over_columns(const Panel<T>& cells, Index depth, const T* packed, Index width, T* sums) {
    constexpr Index pack = PackFor<T>::size;
    Index c = 0;
    for (; c + 3 * pack <= width; c += 3 * pack) add_packs_over_columns<3>(cells, depth, packed + c, width, sums + c);
    if (width - c == 2 * pack) add_packs_over_columns<2>(cells, depth, packed + c, width, sums + c);
    if (width - c == pack) add_packs_over_columns<1>(cells, depth, packed + c, width, sums + c);
}

// sums (k4 x ld) += rows' (k4 x kBlockRows) * cells (kBlockRows x groups of lanes); `rows` is kBlockRows x k4.
template <class T>
void add_over_rows(const T* rows, Index k4, const Panel<T>& cells, Index groups, T* sums, Index ld) {
    constexpr Index lanes = kTileLanes<T>;
    for (Index g = 0; g < groups; ++g)
        for (Index c = 0; c < k4; c += kTileRows) {
            TileSums<T> s;
            tile_load(s, sums + c * ld + g * lanes, ld);
            tile_accumulate(rows + c, k4, cells.at + g * lanes, cells.step, kBlockRows, s);
            tile_store(s, sums + c * ld + g * lanes, ld);
        }
}

}  // namespace statlearn::decomposition
