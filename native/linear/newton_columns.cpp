#include "linear/newton_columns.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/parallel.hpp"
#include "common/tile.hpp"
#include "common/vector.hpp"

namespace statlearn::linear {
namespace {

constexpr Index kRows = 1024;                   // rows per unit of work
constexpr Index kKeptEntries = Index{1} << 26;  // scaled columns kept in memory: 256 MB
constexpr Index kStep = kTileRows;              // cross-products are made in tiles of kStep columns by a panel
constexpr Index kPanel = kTileFloats;           // columns of a packed panel
constexpr Index kPackRows = 128;                // rows of a panel that stay in the first-level cache
constexpr Index kUnitRows = 4 * kPanel, kUnitPanels = 4;

// Part of the lower triangle of cross-products: some rows, in steps of kStep, by some panels of columns. What it reads
// of a few rows of data stays in the second-level cache.
struct Unit {
    Index rows, rows_end, panels, panels_end;

    // Where the sums of a tile (kStep rows by one panel) begin.
    Index tile(Index step, Index panel) const {
        return ((panel - panels) * ((rows_end - rows) / kStep) + step - rows / kStep) * kStep * kPanel;
    }
};

// The units that hold all products of columns first..m-1 with themselves and those before.
std::vector<Unit> plan(Index first, Index m) {
    std::vector<Unit> units;
    const Index end = (m + kStep - 1) / kStep * kStep;
    for (Index row = first / kStep * kStep; row < end; row += kUnitRows) {
        const Index row_end = std::min(row + kUnitRows, end), panels = (row_end + kPanel - 1) / kPanel;
        for (Index panel = 0; panel < panels; panel += kUnitPanels)
            units.push_back({row, row_end, panel, std::min(panel + kUnitPanels, panels)});
    }
    return units;
}

// Adds the products of the packed rows to the sums C of a unit.
void add(const Unit& unit, const float* Z, Index rows, Vector& C) {
    if (C.empty()) C.assign(unit.tile(unit.rows / kStep, unit.panels_end), 0.0);
    for (Index i = 0; i < rows; i += kPackRows)
        for (Index P = unit.panels; P < unit.panels_end; ++P)
            for (Index row = std::max(unit.rows, P * kPanel); row < unit.rows_end; row += kStep)
                tile_update(Z + (row / kPanel * rows + i) * kPanel + row % kPanel, kPanel, Z + (P * rows + i) * kPanel,
                            kPanel, std::min(kPackRows, rows - i), C.data() + unit.tile(row / kStep, P));
}

// Packs the rows of the kPanel columns from `slot` on, a few rows of every column at a time; zeros behind the last.
template <class T>
void pack(const DenseByColumn<T>& X, const std::vector<Index>& columns, Index slot, Index begin, Index rows,
          const Vector& root, float* panel) {
    constexpr Index kLine = 16;
    const Index used = std::min(kPanel, Index(columns.size()) - slot);
    for (Index i = 0; i < rows; i += kLine) {
        const Index count = std::min(kLine, rows - i);
        const double* scale = root.data() + begin + i;
        for (Index c = 0; c < used; ++c) {
            const Index j = columns[slot + c];
            const T* x = X.X.col(j) + begin + i;
            const double shift = X.shift[j];
            for (Index l = 0; l < count; ++l) panel[(i + l) * kPanel + c] = float(scale[l] * (double(x[l]) - shift));
        }
        for (Index l = 0; l < count; ++l) std::fill_n(panel + (i + l) * kPanel + used, kPanel - used, 0.0F);
    }
}

}  // namespace

template <class T>
double column_dot(const DenseByColumn<T>& X, Index j, const double* v, double sum_v) {
    return dot(X.X.col(j), v, X.rows()) - X.shift[j] * sum_v;
}
template <class T>
double column_dot(const SparseByColumn<T>& X, Index j, const double* v, double) {
    double sum = 0.0;
    for (int k = X.X.indptr[j]; k < X.X.indptr[j + 1]; ++k) sum += double(X.X.values[k]) * v[X.X.rows_of[k]];
    return sum;
}

template <class T>
void combine(const DenseByColumn<T>& X, const std::vector<Index>& columns, const Vector& delta, double constant,
             Vector& out) {
    for (std::size_t s = 0; s < columns.size(); ++s) constant -= delta[s] * X.shift[columns[s]];
    const Blocks blocks(X.rows(), kRows);
    parallel_for(blocks.count(), [&](Index b) {
        const Index begin = blocks.begin(b), m = blocks.end(b) - begin;
        double* to = out.data() + begin;
        std::fill(to, to + m, constant);
        for (std::size_t s = 0; s < columns.size(); ++s) {
            if (delta[s] == 0.0) continue;
            const T* x = X.X.col(columns[s]) + begin;
            for (Index i = 0; i < m; ++i) to[i] += delta[s] * double(x[i]);
        }
    });
}
template <class T>
void combine(const SparseByColumn<T>& X, const std::vector<Index>& columns, const Vector& delta, double constant,
             Vector& out) {
    std::fill(out.begin(), out.end(), constant);
    for (std::size_t s = 0; s < columns.size(); ++s) {
        const Index j = columns[s];
        if (delta[s] == 0.0) continue;
        for (int k = X.X.indptr[j]; k < X.X.indptr[j + 1]; ++k) out[X.X.rows_of[k]] += delta[s] * double(X.X.values[k]);
    }
}

// Works on panels of kPanel columns, packed row by row and scaled by the root of the weights. Z keeps them from call to
// call while that is affordable.
template <class T>
void cross_products(const DenseByColumn<T>& X, const std::vector<Index>& columns, Index first, const Vector& h,
                    const Interrupt& interrupt, const GramStore& store, std::vector<float>& Z) {
    const Index n = X.rows(), m = Index(columns.size()), panels = (m + kPanel - 1) / kPanel;
    if (first == m) return;
    const bool keep = n * m <= kKeptEntries;
    const Blocks strips(n, keep ? n : std::max<Index>(kPackRows, kKeptEntries / m));
    const Index packed = keep ? first / kPanel : 0;  // panels that Z holds already
    const std::vector<Unit> units = plan(first, m);
    std::vector<Vector> sums(units.size());
    Z.resize(strips.size * panels * kPanel);
    Vector root(h.size());
    for (std::size_t i = 0; i < h.size(); ++i) root[i] = std::sqrt(h[i]);
    for (Index s = 0; s < strips.count(); ++s) {
        const Index begin = strips.begin(s), rows = strips.end(s) - begin;
        parallel_for(panels - packed, [&](Index P) {
            pack(X, columns, (packed + P) * kPanel, begin, rows, root, Z.data() + (packed + P) * kPanel * rows);
        });
        parallel_for(Index(units.size()), [&](Index u) {
            if (!interrupt.requested()) add(units[u], Z.data(), rows, sums[u]);
        });
    }
    if (!keep) Z = std::vector<float>();
    parallel_for(Index(units.size()), [&](Index u) {
        const Unit& unit = units[u];
        const Vector& C = sums[u];
        if (C.empty()) return;  // interrupted
        for (Index row = std::max(first, unit.rows); row < std::min(m, unit.rows_end); ++row)
            for (Index P = unit.panels; P < unit.panels_end; ++P) {
                const double* sum = C.data() + unit.tile(row / kStep, P) + row % kStep * kPanel;
                for (Index c = 0; c < kPanel && P * kPanel + c <= row; ++c) store(row, P * kPanel + c, sum[c]);
            }
    });
}
template <class T>
void cross_products(const SparseByColumn<T>& X, const std::vector<Index>& columns, Index first, const Vector& h,
                    const Interrupt& interrupt, const GramStore& store, std::vector<float>&) {
    const Index m = Index(columns.size());
    parallel_for(m - first, [&](Index a) {
        if (interrupt.requested()) return;
        const Index j = columns[first + a];
        Vector spread(X.rows(), 0.0);
        for (int k = X.X.indptr[j]; k < X.X.indptr[j + 1]; ++k) {
            const int i = X.X.rows_of[k];
            spread[i] += h[i] * double(X.X.values[k]);
        }
        for (Index c = 0; c <= first + a; ++c) store(first + a, c, column_dot(X, columns[c], spread.data(), 0.0));
    });
}

#define STATLEARN_BY_COLUMN(Columns)                                                                                \
    template double column_dot(const Columns&, Index, const double*, double);                                       \
    template void combine(const Columns&, const std::vector<Index>&, const Vector&, double, Vector&);               \
    template void cross_products(const Columns&, const std::vector<Index>&, Index, const Vector&, const Interrupt&, \
                                 const GramStore&, std::vector<float>&);
STATLEARN_BY_COLUMN(DenseByColumn<double>)
STATLEARN_BY_COLUMN(DenseByColumn<float>)
STATLEARN_BY_COLUMN(SparseByColumn<double>)
STATLEARN_BY_COLUMN(SparseByColumn<float>)
#undef STATLEARN_BY_COLUMN

}  // namespace statlearn::linear
