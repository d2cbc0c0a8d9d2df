// Weighted cross-products of the rows of a sparse matrix.
#pragma once

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn {

// Fills G (p x p, both halves, row-major) with X' diag(w) X for X (n x p) in compressed rows: row i holds the entries
// indptr[i] to indptr[i + 1] - 1. `weights` may be empty (all 1). Requires that no row names a column twice; any order
// will do. Cost sum of squared row lengths / 2, in double precision; adds one p x p matrix per chunk of rows to memory;
// same bits for any number of threads.
template <class T>
void gram_sparse_rows(Span<const T> values, Span<const int> columns, Span<const int> indptr, Index p,
                      Span<const double> weights, const Interrupt& interrupt, Span<double> G);

}  // namespace statlearn
