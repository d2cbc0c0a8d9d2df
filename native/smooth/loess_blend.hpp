// Interpolation between the corners of a cell, where values and slopes are known: cubic Hermite functions along each
// column; in two columns the edges are blended, so that cells of different size meet without a step.
#pragma once

#include <vector>

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::smooth {

constexpr Index kLoessColumns = 8;  // most columns that are interpolated over: a cell has 2^d corners

// Cells in the arrays of LoessCells.
struct LoessCellsView {
    Span<const int> column;
    Span<const double> cut;
    Span<const int> low, high;
    Matrix<const int> corners;      // cells x 2^d
    Matrix<const double> vertices;  // vertices x d

    Index d() const { return vertices.cols; }
};

// An interpolated value is sum_t shares[t] . (value, slopes) of vertex index[t].
struct Blend {
    static constexpr Index kMost = Index(1) << kLoessColumns;
    Index size = 0;
    int index[kMost];
    double shares[kMost][kLoessColumns + 1];
};

// The most vertices of a blend: the corners, and in two columns two for each edge.
constexpr Index blend_capacity(Index d) { return d == 2 ? 12 : Index(1) << d; }

struct Hermite;

// Finds the blends of any points within the box.
class Blender {
public:
    explicit Blender(const LoessCellsView& cells);

    int leaf(const double* z) const;
    void collect(const double* z, Blend& blend) const;
    // The blended value, given value and slopes at the vertices.
    double value(const double* z, const Matrix<const double>& known) const;

private:
    template <class Sink>
    void blend(const double* z, Sink& sink) const;
    template <class Sink>
    void add_edge(const double* z, int leaf, Index across, int upper, const Hermite* hermite, Sink& sink) const;

    LoessCellsView cells_;
    std::vector<int> beyond_;  // in two columns: the part of the tree on the other side of each edge of a cell, or -1
};

// Values at the rows of `at` (row-major, within the box), given value and slopes at the vertices (vertices x (1 + d)).
// False if interrupted.
bool loess_surface(const LoessCellsView& cells, Matrix<const double> known, Matrix<const double> at,
                   const Interrupt& interrupt, Span<double> out);

// The blends of the rows of `at`: index is rows x capacity (-1 where unused), shares rows x capacity x (1 + d).
void loess_blends(const LoessCellsView& cells, Matrix<const double> at, Matrix<int> index, Span<double> shares);

}  // namespace statlearn::smooth
