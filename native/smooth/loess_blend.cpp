#include "smooth/loess_blend.hpp"

#include <algorithm>
#include <atomic>

#include "common/parallel.hpp"

namespace statlearn::smooth {
// Cubic Hermite functions between two ends: shares of the values and slopes there.
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

namespace {

int descend(const LoessCellsView& cells, int cell, const double* z) {
    while (cells.column[cell] >= 0) {
        const Index at = cell;
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
    const Matrix<const double>& known;
    double value = 0.0;

    void operator()(int vertex, const double* shares) {
        const double* values = known.row(vertex);
        for (Index part = 0; part < known.cols; ++part) value += shares[part] * values[part];
    }
};

// Products of Hermite functions of all columns.
template <class Sink>
void add_tensor(const int* corner, const Hermite* hermite, Index d, double factor, Sink& sink) {
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

}  // namespace

Blender::Blender(const LoessCellsView& cells) : cells_(cells) {
    if (cells.d() != 2) return;
    // Edge 2 * across + upper. The parts of a cell share its edges, and meet at its cut.
    beyond_.assign(4 * cells.column.size(), -1);
    for (Index cell = 0; cell < cells.column.size(); ++cell) {
        const int across = cells.column[cell];
        if (across < 0) continue;
        const auto low = std::size_t(cells.low[cell]), high = std::size_t(cells.high[cell]);
        for (std::size_t edge = 0; edge < 4; ++edge)
            beyond_[4 * low + edge] = beyond_[4 * high + edge] = beyond_[4 * cell + edge];
        beyond_[4 * low + std::size_t(2 * across + 1)] = int(high);
        beyond_[4 * high + std::size_t(2 * across)] = int(low);
    }
}

// One edge of a leaf in two columns: the side `upper` across column `across`. The edge may be divided by vertices of
// the cell on the other side; then the part beside z counts. What is known of the edge is its value and its slope
// across.
template <class Sink>
void Blender::add_edge(const double* z, int leaf, Index across, int upper, const Hermite* hermite, Sink& sink) const {
    const Index along = 1 - across;
    const int *corner = cells_.corners.row(leaf), side = upper << across;
    int from = corner[side], to = corner[side | 1 << along];
    Hermite part;
    const Hermite* h = &hermite[along];
    const int other = beyond_[4 * leaf + 2 * across + upper];
    if (other >= 0) {
        const int* opposite = cells_.corners.row(descend(cells_, other, z));
        const int facing = (1 - upper) << across;
        const int begin = opposite[facing], end = opposite[facing | 1 << along];
        const bool later = cells_.vertices(from, along) < cells_.vertices(begin, along);
        const bool sooner = cells_.vertices(end, along) < cells_.vertices(to, along);
        if (later) from = begin;
        if (sooner) to = end;
        if (later || sooner) {
            part = Hermite(z[along], cells_.vertices(from, along), cells_.vertices(to, along));
            h = &part;
        }
    }
    const double value = hermite[across].value[upper], slope = hermite[across].slope[upper];
    for (int end = 0; end < 2; ++end) {
        double shares[3];
        shares[0] = value * h->value[end];
        shares[1 + along] = value * h->slope[end];
        shares[1 + across] = slope * h->value[end];
        sink(end == 0 ? from : to, shares);
    }
}

template <class Sink>
void Blender::blend(const double* z, Sink& sink) const {
    const Index d = cells_.d();
    const int leaf = descend(cells_, 0, z);
    const int* corner = cells_.corners.row(leaf);
    const double *low = cells_.vertices.row(corner[0]), *high = cells_.vertices.row(corner[(Index(1) << d) - 1]);
    Hermite hermite[kLoessColumns];
    for (Index j = 0; j < d; ++j) hermite[j] = Hermite(z[j], low[j], high[j]);
    if (d != 2) {
        add_tensor(corner, hermite, d, 1.0, sink);
        return;
    }
    // Both ruled surfaces between opposite edges, less what they count twice.
    add_tensor(corner, hermite, 2, -1.0, sink);
    for (Index across = 0; across < 2; ++across)
        for (int upper = 0; upper < 2; ++upper) add_edge(z, leaf, across, upper, hermite, sink);
}

int Blender::leaf(const double* z) const { return descend(cells_, 0, z); }

void Blender::collect(const double* z, Blend& blend) const {
    blend.size = 0;
    Collect collect{blend, cells_.d() + 1};
    this->blend(z, collect);
}

double Blender::value(const double* z, const Matrix<const double>& known) const {
    Sum sum{known};
    blend(z, sum);
    return sum.value;
}

bool loess_surface(const LoessCellsView& cells, Matrix<const double> known, Matrix<const double> at,
                   const Interrupt& interrupt, Span<double> out) {
    const Blender blender(cells);
    const Blocks blocks(at.rows, 1024);
    std::atomic<bool> stopped{false};
    parallel_for(blocks.count(), [&](Index block) {
        if (stopped || interrupt.requested()) {
            stopped = true;
            return;
        }
        for (Index i = blocks.begin(block); i < blocks.end(block); ++i) out[i] = blender.value(at.row(i), known);
    });
    return !stopped;
}

void loess_blends(const LoessCellsView& cells, Matrix<const double> at, Matrix<int> index, Span<double> shares) {
    const Index parts = cells.d() + 1, capacity = index.cols;
    const Blender blender(cells);
    const Blocks blocks(at.rows, 1024);
    parallel_for(blocks.count(), [&](Index block) {
        Blend blend;
        for (Index i = blocks.begin(block); i < blocks.end(block); ++i) {
            blender.collect(at.row(i), blend);
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
