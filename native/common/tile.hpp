// The inner product of packed panels from which cross-products and matrix products are made: a 4 x 12 tile of the
// result stays in twelve vector registers while the panels stream by.
#pragma once

#include "common/view.hpp"

namespace statlearn {

constexpr Index kTileRows = 4;
constexpr Index kTileCols = 12;
constexpr Index kTileFloats = 24;  // columns of a tile in single precision

#if defined(__GNUC__)
typedef double Pack4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef float Pack8 __attribute__((vector_size(32), aligned(4), may_alias));

// C[4 x 12] += sum over k < depth of a_k[4] (outer) b_k[12], with a_k = a + k * a_step, b_k = b + k * b_step; rows of C
// are c_step apart.
inline void tile_update(const double* a, Index a_step, const double* b, Index b_step, Index depth, double* C,
                        Index c_step) {
    Pack4 c[kTileRows][3] = {};
    for (Index k = 0; k < depth; ++k, a += a_step, b += b_step) {
        const Pack4 b0 = *reinterpret_cast<const Pack4*>(b);
        const Pack4 b1 = *reinterpret_cast<const Pack4*>(b + 4);
        const Pack4 b2 = *reinterpret_cast<const Pack4*>(b + 8);
        for (Index i = 0; i < kTileRows; ++i) {
            c[i][0] += a[i] * b0;
            c[i][1] += a[i] * b1;
            c[i][2] += a[i] * b2;
        }
    }
    for (Index i = 0; i < kTileRows; ++i)
        for (Index v = 0; v < 3; ++v) *reinterpret_cast<Pack4*>(C + i * c_step + 4 * v) += c[i][v];
}

// The same in single precision, C[4 x 24] contiguous and double: sums are exact to about sqrt(depth) units of a float.
inline void tile_update(const float* a, Index a_step, const float* b, Index b_step, Index depth, double* C) {
    Pack8 c[kTileRows][3] = {};
    for (Index k = 0; k < depth; ++k, a += a_step, b += b_step) {
        const Pack8 b0 = *reinterpret_cast<const Pack8*>(b);
        const Pack8 b1 = *reinterpret_cast<const Pack8*>(b + 8);
        const Pack8 b2 = *reinterpret_cast<const Pack8*>(b + 16);
        for (Index i = 0; i < kTileRows; ++i) {
            c[i][0] += a[i] * b0;
            c[i][1] += a[i] * b1;
            c[i][2] += a[i] * b2;
        }
    }
    float sum[kTileRows * kTileFloats];
    for (Index i = 0; i < kTileRows; ++i)
        for (Index v = 0; v < 3; ++v) *reinterpret_cast<Pack8*>(sum + i * kTileFloats + 8 * v) = c[i][v];
    for (Index k = 0; k < kTileRows * kTileFloats; ++k) C[k] += double(sum[k]);
}
#else
inline void tile_update(const double* a, Index a_step, const double* b, Index b_step, Index depth, double* C,
                        Index c_step) {
    double c[kTileRows][kTileCols] = {};
    for (Index k = 0; k < depth; ++k, a += a_step, b += b_step)
        for (Index i = 0; i < kTileRows; ++i)
            for (Index j = 0; j < kTileCols; ++j) c[i][j] += a[i] * b[j];
    for (Index i = 0; i < kTileRows; ++i)
        for (Index j = 0; j < kTileCols; ++j) C[i * c_step + j] += c[i][j];
}
inline void tile_update(const float* a, Index a_step, const float* b, Index b_step, Index depth, double* C) {
    float c[kTileRows][kTileFloats] = {};
    for (Index k = 0; k < depth; ++k, a += a_step, b += b_step)
        for (Index i = 0; i < kTileRows; ++i)
            for (Index j = 0; j < kTileFloats; ++j) c[i][j] += a[i] * b[j];
    for (Index i = 0; i < kTileRows; ++i)
        for (Index j = 0; j < kTileFloats; ++j) C[i * kTileFloats + j] += double(c[i][j]);
}
#endif

}  // namespace statlearn
