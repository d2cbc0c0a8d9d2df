// Naive Bayes: sums by class in one pass over the rows, and the scores of rows.
//
// Codes of classes are 0..k-1. All sums are made in blocks of rows that depend on n only and added in block order, so
// the bits do not depend on the number of threads. Missing numbers (NaN) and codes below 0 have no factor.
#pragma once

#include <cstdint>
#include <span>

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::bayes {

// Weight, mean and sum of squares about the mean, of every column (p) within every class (k): arrays k x p.
// Sums are taken about the mean of the first rows of the class, which keeps the digits of data far from zero.
// weights is empty or has n entries. Cost O(np); memory O(kp) per block of rows.
template <class T>
void class_moments(MatrixView<const T> X, std::span<const int> labels, std::span<const double> weights, Index classes,
                   const Interrupt& interrupt, MatrixView<double> count, MatrixView<double> mean,
                   MatrixView<double> scatter);

// out(i, c) = offset[c] + sum_j (constant(c, j) - (x_ij - mean(c, j))^2 * precision(c, j)).
template <class T>
void gaussian_scores(MatrixView<const T> X, MatrixView<const double> mean, MatrixView<const double> precision,
                     MatrixView<const double> constant, std::span<const double> offset, const Interrupt& interrupt,
                     MatrixView<double> out);

// counts(starts[j] + code, c): total weight of the rows of class c with that code in column j; column j has
// starts[j + 1] - starts[j] codes, and codes outside are left out. Returns false if there was one beyond the last.
bool category_counts(MatrixView<const std::int64_t> codes, std::span<const int> labels, std::span<const double> weights,
                     std::span<const std::int64_t> starts, const Interrupt& interrupt, MatrixView<double> counts);

// Smallest and largest code of every column; 0 and -1 without rows.
void code_ranges(MatrixView<const std::int64_t> codes, const Interrupt& interrupt, std::span<std::int64_t> low,
                 std::span<std::int64_t> high);

// out(i, c) = offset[c] + sum_j table(starts[j] + code, c). The last row of a column's part of the table is used for
// codes beyond it.
void category_scores(MatrixView<const std::int64_t> codes, std::span<const std::int64_t> starts,
                     MatrixView<const double> table, std::span<const double> offset, const Interrupt& interrupt,
                     MatrixView<double> out);

// Rows of a sparse matrix in compressed rows: `of_rows.rows` is the number of columns of X.
template <class T>
void sparse_class_sums(const CscView<T>& of_rows, std::span<const int> labels, std::span<const double> weights,
                       const Interrupt& interrupt, MatrixView<double> sums);

// out(i, c) = offset[c] + sum_j x_ij table(j, c).
template <class T>
void sparse_scores(const CscView<T>& of_rows, MatrixView<const double> table, std::span<const double> offset,
                   const Interrupt& interrupt, MatrixView<double> out);

}  // namespace statlearn::bayes
