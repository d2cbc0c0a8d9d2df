// Cross-products A'B of packed rows, of which only the upper triangle is formed: what syrk is to gemm, on tiles.
//
// A and B hold up to kGramRows rows in panels of kGramPanel<T> columns, one panel after the other, so that what a tile
// reads is contiguous. The sums are kept tile by tile in the order of the loop and stream by as well: `packed_place`
// finds an entry again.
#pragma once

#include "common/tile.hpp"

namespace statlearn {

constexpr Index kGramRows = 128;  // rows packed at once: A and B stay in the second-level cache

template <class T>
constexpr Index kGramPanel = kTileLanes<T>;

// Where the entry i <= j is kept.
template <class T>
constexpr Index packed_place(Index i, Index j) {
    constexpr Index size = kGramPanel<T>;
    const Index a = i / size, b = j / size;
    return ((b * (b + 1) / 2 + a) * size + i % size) * size + j % size;
}

// How many sums there are for `width` columns, a multiple of the panel's.
template <class T>
constexpr Index packed_size(Index width) {
    return packed_place<T>(0, width);
}

namespace detail {
inline void add_tile(const double* a, const double* b, Index rows, double* C) {
    tile_update(a, kTileCols, b, kTileCols, rows, C, kTileCols);
}
inline void add_tile(const float* a, const float* b, Index rows, double* C) {
    tile_update(a, kTileFloats, b, kTileFloats, rows, C);
}
}  // namespace detail

// Adds A'B to the upper triangle; panels on the diagonal in full.
template <class T>
void add_packed_gram(const T* A, const T* B, Index rows, Index panels, double* C) {
    constexpr Index size = kGramRows * kGramPanel<T>;
    for (Index j = 0; j < panels; ++j)
        for (Index i = 0; i <= j; ++i)
            for (Index s = 0; s < kGramPanel<T>; s += kTileRows, C += kTileRows * kGramPanel<T>)
                detail::add_tile(A + i * size + s, B + j * size, rows, C);
}

}  // namespace statlearn
