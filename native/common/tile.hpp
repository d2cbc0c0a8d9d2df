// A 4 x 12 tile of products (4 x 24 in single precision) that stays in twelve vector registers while two packed panels
// stream by. Cross-products, matrix products, nearest centres, nearest neighbours and kernel rows differ in what the
// tile begins with and in what is made of it while it is still in the registers, its epilogue:
//
//     TileSums<T> s;
//     tile_fill_rows(s, start);                               // or tile_fill_cols, or T{} for zeros
//     tile_accumulate(a, a_step, b, b_step, depth, s);        // s[i][j] += sum over k of a_k[i] b_k[j]
//     tile_each(s, [&](Index i, Index j, PackOf<T> v) {...}); // the epilogue: v holds columns j, j + 1, ... of row i
//
// Packing: a_k = a + k * a_step holds the k-th coordinate of four rows, b_k = b + k * b_step that of 12 (24) columns.
#pragma once

#include "common/pack.hpp"
#include "common/view.hpp"

namespace statlearn {

constexpr Index kTileRows = 4;
constexpr Index kTileCols = 12;
constexpr Index kTileFloats = 24;  // columns of a tile in single precision
constexpr Index kTilePacks = 3;    // registers of a row

template <class T>
constexpr Index kTileLanes = kTilePacks * PackFor<T>::size;

template <class T, Index Rows = kTileRows, Index Packs = kTilePacks>
struct TileSums {
    PackOf<T> v[Rows][Packs];
};

// Row i of the tile begins with start[i].
template <class T, Index Rows, Index Packs>
inline void tile_fill_rows(TileSums<T, Rows, Packs>& s, const T* start) {
    for (Index i = 0; i < Rows; ++i)
        for (Index v = 0; v < Packs; ++v) s.v[i][v] = PackOf<T>{} + start[i];
}

// Column j of the tile begins with start[j].
template <class T, Index Rows, Index Packs>
inline void tile_fill_cols(TileSums<T, Rows, Packs>& s, const T* start) {
    for (Index v = 0; v < Packs; ++v)
        for (Index i = 0; i < Rows; ++i) s.v[i][v] = packs(start)[v];
}

// gather(s[i][j], a_k[i], b_k[j]) for k = 0, 1, ..., depth - 1.
template <class T, Index Rows, Index Packs, class F>
inline void tile_gather(const T* a, Index a_step, const T* b, Index b_step, Index depth, TileSums<T, Rows, Packs>& s,
                        F&& gather) {
    for (Index k = 0; k < depth; ++k, a += a_step, b += b_step) {
        PackOf<T> right[Packs];
        for (Index v = 0; v < Packs; ++v) right[v] = packs(b)[v];
        for (Index i = 0; i < Rows; ++i)
            for (Index v = 0; v < Packs; ++v) gather(s.v[i][v], a[i], right[v]);
    }
}

// s[i][j] += sum over k < depth of a_k[i] b_k[j].
template <class T, Index Rows, Index Packs>
inline void tile_accumulate(const T* a, Index a_step, const T* b, Index b_step, Index depth,
                            TileSums<T, Rows, Packs>& s) {
    tile_gather(a, a_step, b, b_step, depth, s, [](auto& sum, T x, const auto& y) { sum += x * y; });
}

// epilogue(i, j, pack) for the packs of the tile, row by row; lane l of the pack is column j + l.
template <class T, Index Rows, Index Packs, class F>
inline void tile_each(const TileSums<T, Rows, Packs>& s, F&& epilogue) {
    for (Index i = 0; i < Rows; ++i)
        for (Index v = 0; v < Packs; ++v) epilogue(i, v * PackFor<T>::size, s.v[i][v]);
}

// Reads and writes a tile, rows c_step apart.
template <class T, Index Rows, Index Packs>
inline void tile_load(TileSums<T, Rows, Packs>& s, const T* C, Index c_step) {
    for (Index i = 0; i < Rows; ++i)
        for (Index v = 0; v < Packs; ++v) s.v[i][v] = packs(C + i * c_step)[v];
}
template <class T, Index Rows, Index Packs>
inline void tile_store(const TileSums<T, Rows, Packs>& s, T* C, Index c_step) {
    for (Index i = 0; i < Rows; ++i)
        for (Index v = 0; v < Packs; ++v) packs(C + i * c_step)[v] = s.v[i][v];
}

// C[4 x 12] += sum over k < depth of a_k[4] (outer) b_k[12]; rows of C are c_step apart.
inline void tile_update(const double* a, Index a_step, const double* b, Index b_step, Index depth, double* C,
                        Index c_step) {
    TileSums<double> s{};
    tile_accumulate(a, a_step, b, b_step, depth, s);
    for (Index i = 0; i < kTileRows; ++i)
        for (Index v = 0; v < kTilePacks; ++v) packs(C + i * c_step)[v] += s.v[i][v];
}

// The same in single precision, C[4 x 24] contiguous and double: sums are exact to about sqrt(depth) units of a float.
inline void tile_update(const float* a, Index a_step, const float* b, Index b_step, Index depth, double* C) {
    TileSums<float> s{};
    tile_accumulate(a, a_step, b, b_step, depth, s);
    float sum[kTileRows * kTileFloats];
    tile_store(s, sum, kTileFloats);
    for (Index k = 0; k < kTileRows * kTileFloats; ++k) C[k] += double(sum[k]);
}

}  // namespace statlearn
