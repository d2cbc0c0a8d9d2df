// Density-based clustering of points under the Euclidean distance, in memory proportional to their number.
#pragma once

#include <cstdint>

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::cluster {

// What DBSCAN asks: a point is a core point if the weights of all points within eps of it, itself included, sum to
// at least `least`. Points of weight 0 count as absent: they are never core points.
struct Density {
    double eps;
    double least;
    Span<const double> weights;  // empty: 1 each
};

// Marks core points (1) in `core` and writes the labels: clusters are the components of the core points that are within
// eps of each other, numbered in the order of their first core point; another point takes the smallest number among the
// core points within eps, or -1. X is n x p, row-major, finite. The same for any number of threads.
//
// `dbscan_grid`, for p <= 3, sorts the points into cells of diagonal eps (Gunawan, 2013; Wang, Gu & Shun, 2020): a cell
// of enough points holds core points only, all core points of a cell belong together, and the points of neighbouring
// cells are some contiguous ranges in the order of the cells. Returns false, with nothing done, if a side of the data
// is more than 2^20 cells long.
bool dbscan_grid(Span<const double> X, Index n, Index p, const Density& density, const Interrupt& interrupt,
                 Span<std::uint8_t> core, Span<Index> labels);

// For any p: neighbours are counted in a box tree, components found as those of a minimum spanning forest.
void dbscan_tree(Span<const double> X, Index n, Index p, const Density& density, const Interrupt& interrupt,
                 Span<std::uint8_t> core, Span<Index> labels);

// For any dissimilarity, from rows of its neighbour graph: row r of the graph (compressed, `indptr` and `columns`)
// lists the neighbours of point rows[r]. Joins neighbouring core points in `parent` (at first parent[i] = i).
void join_neighbours(Span<const Index> rows, Span<const Index> indptr, Span<const Index> columns,
                     Span<const std::uint8_t> core, Span<Index> parent);

}  // namespace statlearn::cluster
