#include "cluster/mean_shift.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "cluster/moment_tree.hpp"
#include "common/pair_blocks.hpp"

namespace statlearn::cluster {
namespace {

constexpr double kForgotten = 37.0;  // exp(-37) is below 1e-16
constexpr double kFaint = 300.0;     // kernels below exp(-300) are scaled by the nearest row's before they underflow

struct Climber {
    const MomentTree& tree;
    ShiftKernel kernel;
    StopRule stop;

    // Climbs from `point` in place; the moves after the first one, and the mass around the last place but one.
    std::pair<int, double> climb(double* point, Span<double> sum) const {
        const Index p = tree.dimensions();
        const double limit = stop.tol * kernel.bandwidth;
        const bool gaussian = kernel.rate > 0.0;
        // The density never falls on the way up, so that the nearest row of the start bounds it from below.
        double mass = 0.0, nearest = gaussian ? tree.nearest(point) : 0.0, offset = 0.0;
        for (int iteration = 0;; ++iteration) {
            std::fill(sum.begin(), sum.end(), 0.0);
            Moments found{sum};
            if (gaussian) {
                if (nearest * kernel.rate > kFaint) nearest = tree.nearest(point);
                offset = nearest * kernel.rate > kFaint ? nearest : 0.0;
                tree.gaussian(point, kernel.rate, offset, nearest + kForgotten / kernel.rate, found);
            } else {
                tree.ball(point, kernel.bandwidth, found);
            }
            // Nothing around: a seed far from all rows, or rounding has moved a ball of radius 0 off its rows.
            if (found.weight <= 0.0) return {iteration, mass};
            mass = gaussian ? found.weight * std::exp(-kernel.rate * offset) : found.weight;
            double moved = 0.0;
            for (Index j = 0; j < p; ++j) {
                const double mean = sum[j] / found.weight;
                moved += (mean - point[j]) * (mean - point[j]);
                point[j] = mean;
            }
            if (std::sqrt(moved) <= limit || iteration == stop.max_iter) return {iteration, mass};
        }
    }
};

}  // namespace

template <class T>
void mean_shift_climb(Matrix<const T> X, Span<const double> weights, ShiftKernel kernel, StopRule stop,
                      const Interrupt& interrupt, Matrix<double> points, Span<double> mass, Span<int> n_iter) {
    const MomentTree tree(X, weights);
    const Climber climber{tree, kernel, stop};
    const Blocks grid(points.rows, 16);
    parallel_for(grid.count(), [&](Index b) {
        std::vector<double> sum(points.cols);
        for (Index i = grid.begin(b); i < grid.end(b) && !interrupt.requested(); ++i) {
            const auto [moves, around] = climber.climb(points.row(i), sum);
            n_iter[i] = moves;
            mass[i] = around;
        }
    });
}

void mean_shift_merge(Matrix<const double> points, double radius, const Interrupt& interrupt, Span<std::uint8_t> keep) {
    const Index p = points.cols;
    const double limit = radius * radius;
    std::vector<double> kept;
    for (Index i = 0; i < points.rows && !interrupt.requested(); ++i) {
        const double* x = points.row(i);
        bool alone = true;
        for (std::size_t k = 0; alone && k < kept.size(); k += static_cast<std::size_t>(p)) {
            double d2 = 0.0;
            for (Index j = 0; j < p; ++j)
                d2 += (x[j] - kept[k + static_cast<std::size_t>(j)]) * (x[j] - kept[k + static_cast<std::size_t>(j)]);
            alone = d2 > limit;
        }
        if (alone) kept.insert(kept.end(), x, x + p);
        keep[i] = alone;
    }
}

template <class T>
void neighbor_radius(Matrix<const T> X, Span<const double> weights, double count, const Interrupt& interrupt,
                     Span<double> radius) {
    const Panels rows(X, {});
    const Index n = X.rows, step = (n + kPanel - 1) / kPanel * kPanel;
    const Blocks grid(n, kPanel);
    parallel_for(grid.count(), [&](Index b) {
        if (interrupt.requested()) return;
        std::vector<double> d2(kPanel * step);
        std::vector<std::pair<double, double>> near;
        pair_block<PairMetric::squared>(rows, grid.begin(b), grid.end(b), 0, n, d2.data(), step);
        for (Index i = grid.begin(b); i < grid.end(b); ++i) {
            double* line = d2.data() + (i - grid.begin(b)) * step;
            line[i] = 0.0;
            double found = 0.0;
            if (weights.empty()) {
                const Index place = std::clamp<Index>(static_cast<Index>(count), 1, n) - 1;
                std::nth_element(line, line + place, line + n);
                found = line[place];
            } else if (weights[i] > 0.0) {
                near.clear();
                for (Index j = 0; j < n; ++j) near.emplace_back(line[j], weights[j]);
                std::sort(near.begin(), near.end());
                double sum = 0.0;
                for (const auto& [d, w] : near) {
                    if (w > 0.0) found = d;
                    if ((sum += w) >= count) break;
                }
            }
            radius[i] = std::sqrt(found);
        }
    });
}

template void mean_shift_climb<float>(Matrix<const float>, Span<const double>, ShiftKernel, StopRule, const Interrupt&,
                                      Matrix<double>, Span<double>, Span<int>);
template void mean_shift_climb<double>(Matrix<const double>, Span<const double>, ShiftKernel, StopRule,
                                       const Interrupt&, Matrix<double>, Span<double>, Span<int>);
template void neighbor_radius<float>(Matrix<const float>, Span<const double>, double, const Interrupt&, Span<double>);
template void neighbor_radius<double>(Matrix<const double>, Span<const double>, double, const Interrupt&, Span<double>);

}  // namespace statlearn::cluster
