// The symmetric graph of the nearest neighbours.
#pragma once

#include <cstdint>

#include "common/interrupt.hpp"
#include "common/sparse_rows.hpp"
#include "common/view.hpp"

namespace statlearn {

enum class Ties : int {
    average = 0,  // weight 1 if each row is a neighbour of the other, 1/2 if one is
    either = 1,   // 1 in both cases
    both = 2,     // mutual neighbours only
};

// The k nearest rows of every row, in no order.
struct NearSets {
    Index k;
    Span<const int> rows;         // row i of the sets is the row rows[i], which decides between ties
    UnsetVector<int> places;      // n x k, numbers of rows of the sets
    UnsetVector<double> squares;  // n x k, squared distances, the same in both directions
    std::vector<double> reach;    // the largest of each row
    std::vector<int> last;        // the largest rows[i] among those at this distance
};

// The symmetric graph of the sets: row i of the result is row i of the sets, with its columns in no order of their own.
// The weights of the ties are multiplied by exp(-gamma d^2). Cost O(n k).
SparseRows neighbor_graph(const NearSets& sets, Ties ties, double gamma, const Interrupt& interrupt);

// Row i is tied to the rows near(i, :), at these distances; the weights of the ties are multiplied by exp(-gamma d^2).
// Columns are in increasing order. If `order` is not empty, row i of all arrays and of the result is the row order[i];
// the graph is made sooner, and so are its products with vectors, if neighbours are close to each other in that order,
// but its columns are in no order of their own. Requires distinct rows in each row of `near`, all in 0..n-1, and
// distances that increase in each row and are the same in both directions. Cost O(n k).
SparseRows neighbor_graph(Matrix<const std::int64_t> near, Matrix<const double> distances, Span<const int> order,
                          Ties ties, double gamma, const Interrupt& interrupt);

// values(i, j) = left[i] A(i, j) right[j].
void scale_rows_and_columns(const RowsView<double>& A, Span<const double> left, Span<const double> right,
                            Span<double> values);

}  // namespace statlearn
