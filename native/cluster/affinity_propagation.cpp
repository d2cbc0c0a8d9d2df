#include "cluster/affinity_propagation.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "common/parallel.hpp"
#include "common/scratch.hpp"

namespace statlearn::cluster {
namespace {

constexpr Index kRows = 64;  // of a block: its sums are added in the order of the blocks

// The largest of n numbers, in eight lanes so that the loop becomes vector code.
double largest(const double* x, Index n) {
    constexpr Index kLanes = 8;
    double lane[kLanes];
    std::fill(lane, lane + kLanes, -std::numeric_limits<double>::infinity());
    Index k = 0;
    for (; k + kLanes <= n; k += kLanes)
        for (Index l = 0; l < kLanes; ++l) lane[l] = x[k + l] > lane[l] ? x[k + l] : lane[l];
    double best = *std::max_element(lane, lane + kLanes);
    for (; k < n; ++k) best = std::max(best, x[k]);
    return best;
}

// New responsibilities of row i; `both` receives A + S.
void respond(const double* s, const double* a, Index n, double damping, double* both, double* r) {
    for (Index k = 0; k < n; ++k) both[k] = a[k] + s[k];
    const double first = largest(both, n);
    const Index top = std::find(both, both + n, first) - both;
    if (top == n) return;  // all NaN, after an overflow
    both[top] = -std::numeric_limits<double>::infinity();
    const double second = largest(both, n);
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
    bool settled(Span<const std::uint8_t> exemplar, int patience) {
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

PropagationInfo affinity_propagation(Matrix<const double> S, PropagationRule rule, const Interrupt& interrupt,
                                     Matrix<double> R, Matrix<double> A, Span<std::uint8_t> exemplar) {
    const Index n = S.rows;
    const Blocks grid(n, kRows);
    std::vector<double> sums(n), part(grid.count() * n);
    Watch watch(n);
    PropagationInfo info{rule.max_iter, Status::max_iter};
    for (int sweep = 0; sweep < rule.max_iter; ++sweep) {
        if (interrupt.requested()) return {sweep, Status::interrupted};
        // A row's availabilities of the sweep before and its responsibilities of this one: one visit to its memory.
        parallel_for(grid.count(), [&](Index b) {
            Scratch<double> both(n);
            double* mine = part.data() + b * n;
            std::fill(mine, mine + n, 0.0);
            for (Index i = grid.begin(b); i < grid.end(b); ++i) {
                double* r = R.row(i);
                if (sweep > 0) avail(i, r, sums.data(), n, rule.damping, A.row(i));
                respond(S.row(i), A.row(i), n, rule.damping, both.data(), r);
                const double own = r[i];
                for (Index k = 0; k < n; ++k) mine[k] += std::max(r[k], 0.0);
                mine[i] += own - std::max(own, 0.0);
            }
        });
        std::fill(sums.begin(), sums.end(), 0.0);
        for (Index b = 0; b < grid.count(); ++b)
            for (Index k = 0; k < n; ++k) sums[k] += part[b * n + k];
        for (Index i = 0; i < n; ++i) {
            const double own = rule.damping * A(i, i) + (1.0 - rule.damping) * (sums[i] - R(i, i));
            exemplar[i] = own + R(i, i) > 0.0;
        }
        // The first `patience` sweeps never end the work: messages that have just begun look settled.
        if (watch.settled(exemplar, rule.patience) && sweep >= rule.patience) {
            info = {sweep + 1, Status::ok};
            break;
        }
    }
    parallel_for(n, [&](Index i) { avail(i, R.row(i), sums.data(), n, rule.damping, A.row(i)); });
    return info;
}

}  // namespace statlearn::cluster
