// Naive Bayes: sums by class in one pass over the rows, and the scores of rows.
//
// Codes of classes are 0..k-1. All sums are made in blocks of rows that depend on n only and added in block order, so
// the bits do not depend on the number of threads. Missing numbers (NaN) and codes below 0 have no factor.
#pragma once

#include <cstdint>

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::bayes {

// Weight, mean and sum of squares about the mean, of every column (p) within every class (k): arrays k x p.
// Sums are taken about the mean of the first rows of the class, which keeps the digits of data far from zero.
// weights is empty or has n entries. Cost O(np); memory O(kp) per block of rows.
template <class T>
void class_moments(Matrix<const T> X, Span<const int> labels, Span<const double> weights, Index classes,
                   const Interrupt& interrupt, Matrix<double> count, Matrix<double> mean, Matrix<double> scatter);

// out(i, c) = offset[c] + sum_j (constant(c, j) - (x_ij - mean(c, j))^2 * precision(c, j)).
template <class T>
void gaussian_scores(Matrix<const T> X, Matrix<const double> mean, Matrix<const double> precision,
                     Matrix<const double> constant, Span<const double> offset, const Interrupt& interrupt,
                     Matrix<double> out);

// counts(starts[j] + code, c): total weight of the rows of class c with that code in column j; column j has
// starts[j + 1] - starts[j] codes, and codes outside are left out. Returns false if there was one beyond the last.
bool category_counts(Matrix<const std::int64_t> codes, Span<const int> labels, Span<const double> weights,
                     Span<const std::int64_t> starts, const Interrupt& interrupt, Matrix<double> counts);

// Smallest and largest code of every column; 0 and -1 without rows.
void code_ranges(Matrix<const std::int64_t> codes, const Interrupt& interrupt, Span<std::int64_t> low,
                 Span<std::int64_t> high);

// out(i, c) = offset[c] + sum_j table(starts[j] + code, c). The last row of a column's part of the table is used for
// codes beyond it.
void category_scores(Matrix<const std::int64_t> codes, Span<const std::int64_t> starts, Matrix<const double> table,
                     Span<const double> offset, const Interrupt& interrupt, Matrix<double> out);

// Rows of a sparse matrix in compressed rows: `of_rows.rows` is the number of columns of X.
template <class T>
void sparse_class_sums(const CscView<T>& of_rows, Span<const int> labels, Span<const double> weights,
                       const Interrupt& interrupt, Matrix<double> sums);

// out(i, c) = offset[c] + sum_j x_ij table(j, c).
template <class T>
void sparse_scores(const CscView<T>& of_rows, Matrix<const double> table, Span<const double> offset,
                   const Interrupt& interrupt, Matrix<double> out);

}  // namespace statlearn::bayes
