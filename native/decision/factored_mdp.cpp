#include "decision/factored_mdp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/parallel.hpp"

namespace statlearn::decision {
namespace {

constexpr Index kLanes = 8;  // rows of V that are worked on together: two or four vector registers

// Room for one block of rows; rows become lanes, so that the sums over the second part read and add whole registers.
struct Scratch {
    std::vector<double> line;      // one row of first' V
    std::vector<double> expected;  // [j'][lane]: first' V for one action a
    explicit Scratch(Index m) : line(m), expected(m * kLanes) {}
};

// expected[j'][lane] = sum over i' of first(i' | i + lane, a) V[i', j'].
void expect_first(const Factor& first, Index a, Index begin, Index end, Span<const double> V, Index m,
                  Scratch& scratch) {
    for (Index i = begin; i < begin + kLanes; ++i) {
        auto& line = scratch.line;
        std::fill(line.begin(), line.end(), 0.0);
        if (i < end) {
            const Index row = a * first.n_states + i;
            for (auto k = first.indptr[row]; k < first.indptr[row + 1]; ++k) {
                const double chance = first.chance[k];
                const double* values = V.data() + first.next[k] * m;
                for (Index j = 0; j < m; ++j) line[j] += chance * values[j];
            }
        }
        for (Index j = 0; j < m; ++j) scratch.expected[j * kLanes + i - begin] = line[j];
    }
}

// Calls use(a, b, j, E) for every action and every j, with E[lane] the expected value of the next state.
template <class Use>
void expect_block(const FactoredMdp& mdp, Index begin, Index end, Span<const double> V, Scratch& scratch, Use&& use) {
    const Factor& second = mdp.second;
    const Index m = second.n_states;
    for (Index a = 0; a < mdp.first.n_actions; ++a) {
        expect_first(mdp.first, a, begin, end, V, m, scratch);
        for (Index b = 0; b < second.n_actions; ++b)
            for (Index j = 0; j < m; ++j) {
                double sum[kLanes] = {};
                const Index row = b * m + j;
                for (auto k = second.indptr[row]; k < second.indptr[row + 1]; ++k) {
                    const double chance = second.chance[k];
                    const double* from = scratch.expected.data() + second.next[k] * kLanes;
                    for (Index lane = 0; lane < kLanes; ++lane) sum[lane] += chance * from[lane];
                }
                use(a, b, j, sum);
            }
    }
}

double reward(const FactoredMdp& mdp, Index state, Index action) {
    return std::max(mdp.floor, mdp.state_reward[state] + mdp.action_reward[action]);
}

}  // namespace

Status factored_value_iteration(const FactoredMdp& mdp, double tol, int max_iter, const Interrupt& interrupt,
                                Span<double> V, std::vector<double>& changes) {
    const Index n = mdp.first.n_states, m = mdp.second.n_states, second_actions = mdp.second.n_actions;
    std::vector<double> updated(V.size());
    const Blocks blocks(n, kLanes);
    std::vector<double> change(blocks.count());
    for (int sweep = 0; sweep < max_iter; ++sweep) {
        parallel_for(blocks.count(), [&](Index block) {
            if (interrupt.requested()) return;
            Scratch scratch(m);
            const Index begin = blocks.begin(block), end = blocks.end(block);
            for (Index i = begin; i < end; ++i)
                std::fill_n(updated.data() + i * m, m, -std::numeric_limits<double>::infinity());
            expect_block(mdp, begin, end, V, scratch, [&](Index a, Index b, Index j, const double* expected) {
                for (Index i = begin; i < end; ++i) {
                    const double q =
                        reward(mdp, i * m + j, a * second_actions + b) + mdp.discount * expected[i - begin];
                    double& best = updated[i * m + j];
                    best = std::max(best, q);
                }
            });
            double most = 0.0;
            for (Index s = begin * m; s < end * m; ++s) most = std::max(most, std::abs(updated[s] - V[s]));
            change[block] = most;
        });
        if (interrupt.requested()) return Status::interrupted;
        std::copy(updated.begin(), updated.end(), V.begin());
        changes.push_back(*std::max_element(change.begin(), change.end()));
        if (changes.back() <= tol) return Status::ok;
    }
    return Status::max_iter;
}

Status factored_action_values(const FactoredMdp& mdp, Span<const double> V, const Interrupt& interrupt, Span<float> Q) {
    const Index n = mdp.first.n_states, m = mdp.second.n_states, second_actions = mdp.second.n_actions;
    const Index n_actions = mdp.first.n_actions * second_actions;
    const Blocks blocks(n, kLanes);
    parallel_for(blocks.count(), [&](Index block) {
        if (interrupt.requested()) return;
        Scratch scratch(m);
        const Index begin = blocks.begin(block), end = blocks.end(block);
        expect_block(mdp, begin, end, V, scratch, [&](Index a, Index b, Index j, const double* expected) {
            const Index action = a * second_actions + b;
            for (Index i = begin; i < end; ++i)
                Q[(i * m + j) * n_actions + action] =
                    float(reward(mdp, i * m + j, action) + mdp.discount * expected[i - begin]);
        });
    });
    return interrupt.requested() ? Status::interrupted : Status::ok;
}

}  // namespace statlearn::decision
