#include "neighbors/dtw.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace statlearn::neighbors {
namespace {

// `cost(i, j)` is asked once for every open cell, row by row.
template <class Cost>
double warp(Index n, Index m, Index window, const Cost& cost, const Interrupt& interrupt, Span<std::uint8_t> moves) {
    constexpr double kClosed = std::numeric_limits<double>::infinity();
    // before[j + 1] is D(i - 1, j), now[j + 1] is D(i, j); index 0 stands for j = -1.
    std::vector<double> before(std::size_t(m) + 1, kClosed), now(std::size_t(m) + 1, kClosed);
    before[0] = 0.0;
    for (Index i = 0; i < n; ++i) {
        if (i % 256 == 0 && interrupt.requested()) return kClosed;
        const Index first = std::max<Index>(0, i - window), last = std::min(m - 1, i + window);
        now[first] = kClosed;  // left of the band, or j = -1
        for (Index j = first; j <= last; ++j) {
            double best = before[j];
            std::uint8_t move = 0;
            if (before[j + 1] < best) best = before[j + 1], move = 1;
            if (now[j] < best) best = now[j], move = 2;
            now[j + 1] = cost(i, j) + best;
            if (!moves.empty()) moves[i * (2 * window + 1) + j - i + window] = move;
        }
        if (last + 1 < m) now[last + 2] = kClosed;  // the next row reads one cell beyond this band
        std::swap(before, now);
    }
    return before[m];
}

}  // namespace

double dtw_distance(Matrix<const double> a, Matrix<const double> b, StepCost cost, Index window,
                    const Interrupt& interrupt, Span<std::uint8_t> moves) {
    const Index p = a.cols;
    const auto absolute = [&](Index i, Index j) {
        const double *x = a.row(i), *y = b.row(j);
        double sum = 0.0;
        for (Index k = 0; k < p; ++k) sum += std::abs(x[k] - y[k]);
        return sum;
    };
    const auto squared = [&](Index i, Index j) {
        const double *x = a.row(i), *y = b.row(j);
        double sum = 0.0;
        for (Index k = 0; k < p; ++k) sum += (x[k] - y[k]) * (x[k] - y[k]);
        return sum;
    };
    switch (cost) {
        case StepCost::absolute:
            return warp(a.rows, b.rows, window, absolute, interrupt, moves);
        case StepCost::squared:
            return warp(a.rows, b.rows, window, squared, interrupt, moves);
        default:
            return warp(
                a.rows, b.rows, window, [&](Index i, Index j) { return std::sqrt(squared(i, j)); }, interrupt, moves);
    }
}

double dtw_costs(Matrix<const double> costs, Index window, const Interrupt& interrupt, Span<std::uint8_t> moves) {
    return warp(costs.rows, costs.cols, window, [&](Index i, Index j) { return costs(i, j); }, interrupt, moves);
}

}  // namespace statlearn::neighbors
