// The matrix that takes the responses to the fitted values of loess, and what inference needs of it, without forming it
// where the surface is interpolated: it is then B O with B (rows x r) the blends and O (r x rows) the values and slopes
// of the r / (1 + d) vertices as functions of the responses.
#pragma once

#include "smooth/loess_blend.hpp"
#include "smooth/loess_fit.hpp"

namespace statlearn::smooth {

// Blends of some rows, as loess_blends writes them.
struct LoessBlends {
    Matrix<const int> index;
    Span<const double> shares;
};

// Rows of the operator (blends x n).
bool loess_rows(const LoessData& data, const LoessRule& rule, const LoessFits& fits, const LoessBlends& blends,
                const Interrupt& interrupt, Matrix<double> rows);

// Its diagonal for the surface over the cells, at the training rows.
bool loess_diagonal(const LoessData& data, const LoessRule& rule, const LoessFits& fits, const LoessCellsView& cells,
                    const Interrupt& interrupt, Span<double> diagonal);

// Cross-products of O diag(divide)^-1/2 (G is r x r), or of [B' diag(divide)^1/2; O diag(divide)^-1/2] with the blends
// B of the training rows (G is 2r x 2r); `divide` may be empty (all 1). A row meets few of many vertices: O(n) work for
// a given span times the square of the vertices that a neighbourhood reaches.
bool loess_gram(const LoessData& data, const LoessRule& rule, const LoessFits& fits, const LoessCellsView& cells,
                Span<const double> divide, const Interrupt& interrupt, Matrix<double> G);

// b' S b for each blend b.
void loess_norms(const LoessBlends& blends, Matrix<const double> S, Span<double> out);

}  // namespace statlearn::smooth
