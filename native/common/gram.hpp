// Weighted cross-products of a tall matrix in one pass over its rows.
#pragma once

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn {

// Z = [X - shift, Y - shift_y, 1] has q = p + m + 1 columns. Adds nothing to memory but one q x q matrix per row chunk.
// Fills G (q x q, both halves) with Z' diag(w) Z, in double precision whatever the precision of X.
//
// The shift (any point near the middle of the data) keeps the digits that plain cross-products of uncentred data lose:
// the means and the centred cross-products follow from G and its last row without harm.
// `weights` may be empty (all 1). Any strides. Requires G of q*q elements. Cost n q^2 / 2 multiply-adds; same bits for
// any number of threads. Meant for q up to a few hundred: beyond, a BLAS syrk is as fast.
template <class T>
void gram_with_targets(Matrix<const T> X, Matrix<const T> Y, Span<const T> weights, Span<const double> shift,
                       const Interrupt& interrupt, Span<double> G);

// Adds sum_i a_i b_i' over `rows` packed rows to C, upper tiles only: A and B are row-major, rows x width, with `width`
// a multiple of kGramTile; C is width x width, row-major. (A is B scaled by the weights.)
constexpr Index kGramTile = 12;
void gram_update(const double* A, const double* B, Index rows, Index width, double* C);

}  // namespace statlearn
