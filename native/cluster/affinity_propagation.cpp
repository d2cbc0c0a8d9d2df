#include "cluster/affinity_propagation.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "common/parallel.hpp"

namespace statlearn::cluster {
namespace {

constexpr Index kRows = 64;  // of a block: its sums are added in the order of the blocks

// New responsibilities of row i; `best` receives A + S.
void respond(const double* s, const double* a, Index n, double damping, double* best, double* r) {
    Index top = 0;
    double first = -std::numeric_limits<double>::infinity(), second = first;
    for (Index k = 0; k < n; ++k) best[k] = a[k] + s[k];
    for (Index k = 0; k < n; ++k) {
        if (best[k] > first) {
            second = first, first = best[k], top = k;
        } else if (best[k] > second) {
            second = best[k];
        }
    }
    const double fresh = 1.0 - damping, kept = r[top];
    for (Index k = 0; k < n; ++k) r[k] = damping * r[k] + fresh * (s[k] - first);
    r[top] = damping * kept + fresh * (s[top] - second);
}

// New availabilities of row i from the sums over each column of max(0, R), the diagonal taken as it is.
void avail(Index i, const double* r, const double* sums, Index n, double damping, double* a) {
    const double fresh = 1.0 - damping, kept = a[i];
    for (Index k = 0; k < n; ++k) {
        const double others = sums[k] - std::max(r[k], 0.0);
        a[k] = damping * a[k] + fresh * std::min(0.0, others);
    }
    a[i] = damping * kept + fresh * (sums[i] - r[i]);
}

// Counts the sweeps for which nothing changed.
class Watch {
public:
    explicit Watch(std::size_t n) : last_(n, 2) {}

    // Whether the exemplars have been the same, and some at all, for more than `patience` sweeps.
    bool settled(std::span<const std::uint8_t> exemplar, int patience) {
        const bool same = std::equal(exemplar.begin(), exemplar.end(), last_.begin());
        std::copy(exemplar.begin(), exemplar.end(), last_.begin());
        still_ = same ? still_ + 1 : 1;
        return still_ >= patience && std::find(exemplar.begin(), exemplar.end(), 1) != exemplar.end();
    }

private:
    std::vector<std::uint8_t> last_;
    int still_ = 0;
};

}  // namespace

PropagationInfo affinity_propagation(MatrixView<const double> S, PropagationRule rule, const Interrupt& interrupt,
                                     MatrixView<double> R, MatrixView<double> A, std::span<std::uint8_t> exemplar) {
    const Index n = S.rows;
    const Blocks grid(n, kRows);
    std::vector<double> sums(static_cast<std::size_t>(n)), part(static_cast<std::size_t>(grid.count() * n));
    Watch watch(static_cast<std::size_t>(n));
    for (int sweep = 0; sweep < rule.max_iter; ++sweep) {
        if (interrupt.requested()) return {sweep, Status::interrupted};
        parallel_for(grid.count(), [&](Index b) {
            std::vector<double> best(static_cast<std::size_t>(n));
            double* mine = part.data() + b * n;
            std::fill(mine, mine + n, 0.0);
            for (Index i = grid.begin(b); i < grid.end(b); ++i) {
                double* r = R.row(i);
                respond(S.row(i), A.row(i), n, rule.damping, best.data(), r);
                const double own = r[i];
                for (Index k = 0; k < n; ++k) mine[k] += std::max(r[k], 0.0);
                mine[i] += own - std::max(own, 0.0);
            }
        });
        std::fill(sums.begin(), sums.end(), 0.0);
        for (Index b = 0; b < grid.count(); ++b)
            for (Index k = 0; k < n; ++k)
                sums[static_cast<std::size_t>(k)] += part[static_cast<std::size_t>(b * n + k)];
        parallel_for(grid.count(), [&](Index b) {
            for (Index i = grid.begin(b); i < grid.end(b); ++i) {
                avail(i, R.row(i), sums.data(), n, rule.damping, A.row(i));
                exemplar[static_cast<std::size_t>(i)] = A(i, i) + R(i, i) > 0.0;
            }
        });
        // The first `patience` sweeps never end the work: messages that have just begun look settled.
        if (watch.settled(exemplar, rule.patience) && sweep >= rule.patience) return {sweep + 1, Status::ok};
    }
    return {rule.max_iter, Status::max_iter};
}

}  // namespace statlearn::cluster
