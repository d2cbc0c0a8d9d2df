// Multigrid for the Laplacians of graphs: coarser and coarser graphs by smoothed aggregation (Vanek, Mandel & Brezina,
// 1996), and a cycle through them that approximates the inverse at the cost of a few products with the matrix.
//
// Rows that are strongly joined form an aggregate, which is a row of the next level. The prolongation P is exact for
// the near-null vector of the matrix: one Jacobi step on its restrictions to the aggregates. The coarse matrix is P'AP.
#pragma once

#include <vector>

#include "common/interrupt.hpp"
#include "common/sparse_rows.hpp"

namespace statlearn {

struct GraphLevel {
    RowsView<double> A;                         // symmetric, positive semi-definite
    SparseRows own;                             // what A looks at, but for the finest level
    std::vector<double> null;                   // null vectors, rows x n_null, row-major and orthonormal
    std::vector<double> step;                   // of Jacobi's method, one for each row
    SparseRows P, Pt;                           // to this level from the next one, and back
    mutable std::vector<double> r, x, y, rest;  // scratch of a cycle
};

class Multilevel {
public:
    // `null` is rows x n_null, row-major, with orthonormal columns that A maps to zero; `near` is a vector without
    // zeros that A maps to (nearly) zero, such as the sum of them.
    Multilevel(const RowsView<double>& A, Span<const double> null, Index n_null, Span<const double> near,
               const Interrupt& interrupt);

    Index count() const { return Index(levels_.size()); }
    Index n_null() const { return n_null_; }
    const GraphLevel& level(Index l) const { return levels_[l]; }

    // X = approximately A^-1 R on level l; a symmetric operator. R and X have the same width.
    void cycle(Index l, const VectorBlock& R, const VectorBlock& X) const;

    // Eigenvectors of the coarsest level in increasing order of their values, column-major, the null vectors first.
    std::vector<double> coarsest_vectors() const;

private:
    void solve_coarsest(const VectorBlock& R, const VectorBlock& X) const;

    std::vector<GraphLevel> levels_;
    Index n_null_;
    std::vector<double> inverse_;  // of the coarsest matrix, slightly shifted; empty if that is too large
};

}  // namespace statlearn
