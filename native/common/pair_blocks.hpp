// Distances between the rows of a table, a square block of pairs at a time.
//
// Differences are taken before they are squared: the expansion |x|^2 + |y|^2 - 2xy would lose the small distances, on
// which clusters rest, to cancellation.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/interrupt.hpp"
#include "common/parallel.hpp"
#include "common/tile.hpp"
#include "common/view.hpp"

namespace statlearn {

enum class PairMetric : int { euclidean = 0, squared = 1, manhattan = 2, chebyshev = 3 };

constexpr Index kPairBlock = 128;  // rows of a block: its distances (128 KB) stay in the second cache
constexpr Index kPanel = 8;        // rows that lie side by side, coordinate by coordinate

// Rows of a table in panels of eight, in the order given (all rows as they are if it is empty); filled up with zeros.
class Panels {
public:
    template <class T>
    Panels(Matrix<const T> X, Span<const Index> order)
        : n(X.rows), p(X.cols), data_((n + kPanel - 1) / kPanel * kPanel * p) {
        parallel_for(Blocks(n, kPairBlock).count(), [&](Index b) {
            const Blocks grid(n, kPairBlock);
            for (Index i = grid.begin(b); i < grid.end(b); ++i) {
                const T* row = X.row(order.empty() ? i : order[i]);
                double* at = data_.data() + i / kPanel * kPanel * p + i % kPanel;
                for (Index j = 0; j < p; ++j) at[j * kPanel] = static_cast<double>(row[j * X.col_stride]);
            }
        });
    }

    const Index n, p;

    const double* panel(Index i) const { return data_.data() + i / kPanel * kPanel * p; }

private:
    std::vector<double> data_;
};

namespace detail {

template <PairMetric metric>
inline void gather(Pack4& sum, Pack4 difference) {
    if constexpr (metric == PairMetric::manhattan) {
        sum += absolute(difference);
    } else if constexpr (metric == PairMetric::chebyshev) {
        sum = largest(absolute(difference), sum);
    } else {
        sum += difference * difference;
    }
}

// Distances of four rows, lanes a[0..3] of a panel, to the eight rows of a panel b.
template <PairMetric metric>
inline void four_by_eight(const double* a, const double* b, Index p, double* out, Index step) {
    TileSums<double, 4, 2> s{};
    tile_gather(a, kPanel, b, kPanel, p, s, [](Pack4& sum, double x, Pack4 y) { gather<metric>(sum, y - x); });
    tile_store(s, out, step);
}

}  // namespace detail

// out[(i - i0) * step + (j - j0)] = distance of rows i0 <= i < i1 and j0 <= j < j1. i0 and j0 are multiples of eight;
// `out` and `step` leave room for ends rounded up to multiples of eight, where the values mean nothing.
template <PairMetric metric>
void pair_block(const Panels& rows, Index i0, Index i1, Index j0, Index j1, double* out, Index step) {
    for (Index i = i0; i < i1; i += 4)
        for (Index j = j0; j < j1; j += kPanel)
            detail::four_by_eight<metric>(rows.panel(i) + i % kPanel, rows.panel(j), rows.p,
                                          out + (i - i0) * step + (j - j0), step);
    if constexpr (metric == PairMetric::euclidean)
        for (Index i = 0; i < i1 - i0; ++i)
            for (Index j = 0; j < j1 - j0; ++j) out[i * step + j] = std::sqrt(out[i * step + j]);
}

inline void pair_block(PairMetric metric, const Panels& rows, Index i0, Index i1, Index j0, Index j1, double* out,
                       Index step) {
    switch (metric) {
        case PairMetric::euclidean:
            return pair_block<PairMetric::euclidean>(rows, i0, i1, j0, j1, out, step);
        case PairMetric::squared:
            return pair_block<PairMetric::squared>(rows, i0, i1, j0, j1, out, step);
        case PairMetric::manhattan:
            return pair_block<PairMetric::manhattan>(rows, i0, i1, j0, j1, out, step);
        case PairMetric::chebyshev:
            return pair_block<PairMetric::chebyshev>(rows, i0, i1, j0, j1, out, step);
    }
}

namespace detail {

// body(I, J) for every unordered pair of groups, the pairs I = J among them, in rounds as in a tournament: within a
// round no group appears twice.
template <class F>
void tournament(Index groups, const Interrupt& interrupt, F&& body) {
    parallel_for(groups, [&](Index g) { body(g, g); });
    const Index players = groups + groups % 2, ring = players - 1;  // one sits still, the others turn
    for (Index round = 0; round < ring && groups > 1; ++round) {
        if (interrupt.requested()) return;
        parallel_for(players / 2, [&](Index table) {
            const Index a = table == 0 ? ring : (round + table) % ring;
            const Index b = (round - table + ring) % ring;
            if (std::max(a, b) < groups) body(std::min(a, b), std::max(a, b));
        });
    }
}

}  // namespace detail

// body(i0, i1, j0, j1) for every unordered pair of blocks of rows 0 .. n - 1, the pairs of a block with itself among
// them. body may write to the rows of both: no two threads work on a row at a time, and every row meets the others in
// the same order whatever the number of threads. Stops early when interrupted.
//
// Blocks go in groups, since threads wait for one another after each round of groups.
template <class F>
void for_each_pair(Index n, const Interrupt& interrupt, F&& body) {
    const Index groups = n < 20000 ? 16 : 64;  // half of them can be at work at once
    const Index size = std::max<Index>(1, (n + groups * kPairBlock - 1) / (groups * kPairBlock)) * kPairBlock;
    const Blocks outer(n, size), inner(n, kPairBlock);
    const Index step = size / kPairBlock;
    detail::tournament(outer.count(), interrupt, [&](Index a, Index b) {
        for (Index i = a * step; i < std::min((a + 1) * step, inner.count()); ++i)
            for (Index j = a == b ? i : b * step; j < std::min((b + 1) * step, inner.count()); ++j) {
                if (interrupt.requested()) return;
                body(inner.begin(i), inner.end(i), inner.begin(j), inner.end(j));
            }
    });
}

}  // namespace statlearn
