#include "ensemble/reweigh.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/parallel.hpp"
#include "common/vmath.hpp"

namespace statlearn::ensemble {

double marked_weight(Span<const double> weights, Span<const std::uint8_t> marks) {
    return parallel_sum(Blocks(Index(weights.size()), 16384), [&](Index begin, Index end) {
        double sum[4] = {0.0, 0.0, 0.0, 0.0};  // so that additions need not wait for each other
        for (Index i = begin; i < end; ++i) sum[i & 3] += marks[i] != 0 ? weights[i] : 0.0;
        return (sum[0] + sum[1]) + (sum[2] + sum[3]);
    });
}

Reweighed reweigh(Span<const std::uint8_t> wrong, double right, double wrong_move, Span<const double> start,
                  Span<const std::uint8_t> second, double floor, Span<double> margins, Span<double> weights) {
    const Blocks blocks(Index(weights.size()), 16384);
    std::vector<Reweighed> part(blocks.count());
    const double factor[2] = {std::exp(-right), std::exp(-wrong_move)}, move[2] = {right, wrong_move};
    std::vector<double> next(weights.size());
    parallel_for(blocks.count(), [&](Index b) {
        Reweighed sum{0.0, 0.0, 0.0};
        double term[64];
        for (Index begin = blocks.begin(b); begin < blocks.end(b); begin += 64) {
            const Index size = std::min<Index>(64, blocks.end(b) - begin);
            for (Index k = 0; k < size; ++k) {
                const bool w = wrong[begin + k] != 0;
                next[begin + k] = weights[begin + k] * (w ? factor[1] : factor[0]);
                margins[begin + k] += w ? move[1] : move[0];
            }
            for (Index k = 0; k < size; ++k) term[k] = start[begin + k] * exp_fast(-margins[begin + k]);
            for (Index k = 0; k < size; ++k) {
                const double m = margins[begin + k];
                sum.total += next[begin + k];
                sum.loss += term[k];
                sum.error += m < 0.0 || (m == 0.0 && second[begin + k] != 0) ? start[begin + k] : 0.0;
            }
        }
        part[b] = sum;
    });
    Reweighed all{0.0, 0.0, 0.0};
    for (const auto& p : part) {
        all.total += p.total;
        all.loss += p.loss;
        all.error += p.error;
    }
    if (!std::isfinite(all.total) || !(all.total > 0.0)) return all;
    parallel_for(blocks.count(), [&](Index b) {
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) weights[i] = std::max(next[i] / all.total, floor);
    });
    return all;
}

}  // namespace statlearn::ensemble
