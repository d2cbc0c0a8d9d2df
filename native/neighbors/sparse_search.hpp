// Brute-force search among sparse rows, through the lists of the columns.
//
// A query touches only the columns in which it has entries: over their lists, |x|^2 - 2 x'q (or, for Manhattan, sum |x|
// + sum over common columns of |x - q| - |x| - |q|) is gathered for all rows in double precision. These scores are a
// filter with a margin, as in panel_search.hpp; what passes is computed again entry by entry in the order of the
// columns, which gives the bits of the dense engines, for which the zeros add nothing.
#pragma once

#include "common/interrupt.hpp"
#include "neighbors/kd_tree.hpp"

namespace statlearn::neighbors {

// The data twice: `rows` holds row i as its "column" i, `columns` holds the lists of the columns. Entries of a row are
// sorted by column, each column at most once.
template <class T>
struct SparsePoints {
    CscView<T> rows, columns;
    Index n() const { return rows.cols; }
    Index p() const { return rows.rows; }
};

// Metrics: euclidean, sqeuclidean, half_square, manhattan. `queries` holds query i as its "column" i. Cost: the entries
// of the query's columns, and n.
template <class T>
void sparse_query(const SparsePoints<T>& points, const CscView<double>& queries, Index k, SearchRule rule,
                  const Interrupt& interrupt, Matrix<double> distances, Matrix<std::int64_t> found);

template <class T>
Within sparse_radius(const SparsePoints<T>& points, const CscView<double>& queries, Span<const double> radius,
                     bool by_distance, SearchRule rule, const Interrupt& interrupt);

// Divides the entries of each row by the row's length, as unit_rows does; empty[i] tells the rows without one.
template <class T>
void sparse_unit_rows(Span<T> values, Span<const int> starts, Span<std::uint8_t> empty);

}  // namespace statlearn::neighbors
