#include "smooth/loess_blend.hpp"

#include <algorithm>
#include <atomic>

#include "common/parallel.hpp"

namespace statlearn::smooth {
namespace {

constexpr Index kDeep = 64;  // levels of cells whose path is kept

// Cubic Hermite functions at h in [0, 1] of a cell of some width: shares of the values and slopes at both ends.
struct Hermite {
    double value[2], slope[2];

    Hermite() = default;
    Hermite(double z, double from, double to) {
        const double width = to - from, h = (z - from) / width, rest = 1.0 - h;
        value[0] = rest * rest * (1.0 + 2.0 * h);
        value[1] = h * h * (3.0 - 2.0 * h);
        slope[0] = h * rest * rest * width;
        slope[1] = -h * h * rest * width;
    }
};

// Cells from the root to the leaf around a point.
struct Path {
    int cells[kDeep];
    Index size = 0;
    int leaf = 0;
};

int descend(const LoessCellsView& cells, int cell, const double* z, Path* path = nullptr) {
    while (cells.column[std::size_t(cell)] >= 0) {
        if (path != nullptr && path->size < kDeep) path->cells[path->size++] = cell;
        const auto at = std::size_t(cell);
        cell = z[cells.column[at]] <= cells.cut[at] ? cells.low[at] : cells.high[at];
    }
    return cell;
}

// Collects the vertices of a blend, each once.
struct Collect {
    Blend& blend;
    Index parts;

    void operator()(int vertex, const double* shares) const {
        Index t = 0;
        while (t < blend.size && blend.index[t] != vertex) ++t;
        double* to = blend.shares[t];
        if (t == blend.size) {
            blend.index[blend.size++] = vertex;
            std::fill(to, to + parts, 0.0);
        }
        for (Index part = 0; part < parts; ++part) to[part] += shares[part];
    }
};

// Adds up the blended value.
struct Sum {
    const MatrixView<const double>& known;
    double value = 0.0;

    void operator()(int vertex, const double* shares) {
        const double* values = known.row(vertex);
        for (Index part = 0; part < known.cols; ++part) value += shares[part] * values[part];
    }
};

// Products of Hermite functions of all columns.
template <class Sink>
void add_tensor(const LoessCellsView& cells, const int* corner, const Hermite* hermite, double factor, Sink& sink) {
    const Index d = cells.d();
    for (Index c = 0; c < Index(1) << d; ++c) {
        double shares[kLoessColumns + 1];
        shares[0] = factor;
        for (Index j = 0; j < d; ++j) shares[0] *= hermite[j].value[c >> j & 1];
        for (Index i = 0; i < d; ++i) {
            shares[1 + i] = factor * hermite[i].slope[c >> i & 1];
            for (Index j = 0; j < d; ++j)
                if (j != i) shares[1 + i] *= hermite[j].value[c >> j & 1];
        }
        sink(corner[c], shares);
    }
}

// One edge of a cell in two columns: the side `upper` across column `across`. The edge may be divided by vertices of
// the cell on the other side; then the part beside z counts. Its value has the share `value`, its slope across the edge
// the share `slope`.
template <class Sink>
void add_edge(const LoessCellsView& cells, const Path& path, const double* z, Index across, int upper, double value,
              double slope, Sink& sink) {
    const Index along = 1 - across;
    const int *corner = cells.corners.row(path.leaf), side = upper << across;
    int from = corner[side], to = corner[side | 1 << along];
    const double level = cells.vertices(from, across);
    for (Index m = path.size - 1; m >= 0; --m) {
        const auto cell = std::size_t(path.cells[m]);
        if (cells.column[cell] != int(across) || cells.cut[cell] != level) continue;
        const int other = descend(cells, upper ? cells.high[cell] : cells.low[cell], z);
        const int* beyond = cells.corners.row(other);
        const int facing = (1 - upper) << across;
        const int begin = beyond[facing], end = beyond[facing | 1 << along];
        if (cells.vertices(from, along) < cells.vertices(begin, along)) from = begin;
        if (cells.vertices(end, along) < cells.vertices(to, along)) to = end;
        break;
    }
    const Hermite h(z[along], cells.vertices(from, along), cells.vertices(to, along));
    for (int end = 0; end < 2; ++end) {
        double shares[3];
        shares[0] = value * h.value[end];
        shares[1 + along] = value * h.slope[end];
        shares[1 + across] = slope * h.value[end];
        sink(end == 0 ? from : to, shares);
    }
}

template <class Sink>
void blend_into(const LoessCellsView& cells, const double* z, Sink& sink) {
    const Index d = cells.d();
    Path path;
    path.leaf = descend(cells, 0, z, d == 2 ? &path : nullptr);
    const int* corner = cells.corners.row(path.leaf);
    const int first = corner[0], last = corner[(Index(1) << d) - 1];
    Hermite hermite[kLoessColumns];
    for (Index j = 0; j < d; ++j) hermite[j] = Hermite(z[j], cells.vertices(first, j), cells.vertices(last, j));
    if (d != 2) {
        add_tensor(cells, corner, hermite, 1.0, sink);
        return;
    }
    // Both ruled surfaces between opposite edges, less what they count twice.
    add_tensor(cells, corner, hermite, -1.0, sink);
    for (Index across = 0; across < 2; ++across)
        for (int upper = 0; upper < 2; ++upper)
            add_edge(cells, path, z, across, upper, hermite[across].value[upper], hermite[across].slope[upper], sink);
}

}  // namespace

void blend_at(const LoessCellsView& cells, const double* z, Blend& blend) {
    blend.size = 0;
    Collect collect{blend, cells.d() + 1};
    blend_into(cells, z, collect);
}

bool loess_surface(const LoessCellsView& cells, MatrixView<const double> known, MatrixView<const double> at,
                   const Interrupt& interrupt, std::span<double> out) {
    const Blocks blocks(at.rows, 1024);
    std::atomic<bool> stopped{false};
    parallel_for(blocks.count(), [&](Index block) {
        if (stopped || interrupt.requested()) {
            stopped = true;
            return;
        }
        for (Index i = blocks.begin(block); i < blocks.end(block); ++i) {
            Sum sum{known};
            blend_into(cells, at.row(i), sum);
            out[std::size_t(i)] = sum.value;
        }
    });
    return !stopped;
}

void loess_blends(const LoessCellsView& cells, MatrixView<const double> at, MatrixView<int> index,
                  std::span<double> shares) {
    const Index parts = cells.d() + 1, capacity = index.cols;
    const Blocks blocks(at.rows, 1024);
    parallel_for(blocks.count(), [&](Index block) {
        Blend blend;
        for (Index i = blocks.begin(block); i < blocks.end(block); ++i) {
            blend_at(cells, at.row(i), blend);
            double* row = shares.data() + i * capacity * parts;
            for (Index t = 0; t < capacity; ++t) {
                index(i, t) = t < blend.size ? blend.index[t] : -1;
                for (Index part = 0; part < parts; ++part)
                    row[t * parts + part] = t < blend.size ? blend.shares[t][part] : 0.0;
            }
        }
    });
}

}  // namespace statlearn::smooth
