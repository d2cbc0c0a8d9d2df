// Dissimilarities between rows of mixed columns: numbers, categories, presence and absence.
#pragma once

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::neighbors {

enum class ColumnKind : int { absolute = 0, squared = 1, nominal = 2, asymmetric = 3 };

// D(i, j) = sum_c weight_c scale_c d_c(x_ic, y_jc) / sum_c weight_c over the columns c that count for the pair.
// d_c is |x - y|, (x - y)^2, or 1 for unequal codes and 0 for equal ones; a cell that is NaN takes its column out of
// the pair, and so does a common absence (0 and 0) in an asymmetric column. A pair without any column has distance NaN.
// Requires X (n x p), Y (m x p), D (n x m). Cost O(n m p), parallel over rows of X.
void mixed_distances(Matrix<const double> X, Matrix<const double> Y, Span<const int> kinds, Span<const double> scale,
                     Span<const double> weight, const Interrupt& interrupt, Matrix<double> D);

}  // namespace statlearn::neighbors
