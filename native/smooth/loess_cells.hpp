// The cells on which loess interpolates: a box around the rows, cut at medians of its widest column until few rows are
// left in a cell. The corners of the cells are the places of the local fits.
#pragma once

#include <vector>

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::smooth {

struct LoessCells {
    Index d = 0;
    std::vector<int> column;       // in which a cell is cut; -1: a leaf
    std::vector<double> cut;       // rows up to this value go to the low part
    std::vector<int> low, high;    // the parts of a cell that is cut
    std::vector<int> corners;      // cells x 2^d vertices; bit j of the number says which end of column j
    std::vector<double> vertices;  // vertices x d
};

// X is n x d, column-major; only the first `near` columns are cut. A cell is a leaf if its rows, each counted `counts`
// times (empty: once), are at most `most`, or if the median is on its boundary.
LoessCells loess_cells(Matrix<const double> X, Span<const double> counts, Index near, double most,
                       const Interrupt& interrupt);

}  // namespace statlearn::smooth
