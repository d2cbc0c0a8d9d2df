// Sweeps over a Markov decision process whose state and action are pairs that move independently of one another.
#pragma once

#include <cstdint>
#include <vector>

#include "common/interrupt.hpp"
#include "common/status.hpp"
#include "common/view.hpp"

namespace statlearn::decision {

// One of the two parts: row a * n_states + s holds the next states of the part's action a in its state s.
struct Factor {
    Span<const std::int64_t> indptr;
    Span<const int> next;
    Span<const double> chance;
    Index n_states = 0, n_actions = 0;
};

// State (i, j) has number i * second.n_states + j, action (a, b) number a * second.n_actions + b, and
// P((i', j') | (i, j), (a, b)) = first(i' | i, a) second(j' | j, b).
// The reward is max(floor, state_reward[i, j] + action_reward[a, b]).
struct FactoredMdp {
    Factor first, second;
    Span<const double> state_reward, action_reward;
    double floor = 0.0, discount = 0.0;
};

// Value iteration as in sparse_mdp.hpp, synchronous. The expectation over the next pair is a product of two sparse
// matrices with V, first' V second, taken for eight rows at a time, so that nothing of the size of the pairs of pairs
// is ever stored. Cost of a sweep: |first| |j| + |second| |i| n_actions(first), where |.| counts entries or states.
Status factored_value_iteration(const FactoredMdp& mdp, double tol, int max_iter, const Interrupt& interrupt,
                                Span<double> V, std::vector<double>& changes);

// Q of every state and action from V: n_states x n_actions in C order, in single precision (these tables are large).
Status factored_action_values(const FactoredMdp& mdp, Span<const double> V, const Interrupt& interrupt, Span<float> Q);

}  // namespace statlearn::decision
