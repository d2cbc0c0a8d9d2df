// Sweeps over a finite Markov decision process with sparse transitions.
#pragma once

#include <cstdint>
#include <vector>

#include "common/interrupt.hpp"
#include "common/status.hpp"
#include "common/view.hpp"

namespace statlearn::decision {

// Row s * n_actions + a holds the next states of action a in state s: entries indptr[row] to indptr[row + 1].
struct SparseMdp {
    Span<const std::int64_t> indptr;
    Span<const int> next;       // state of each entry
    Span<const double> chance;  // its probability
    Span<const double> reward;  // one per row
    Index n_states = 0, n_actions = 0;
    double discount = 0.0;
};

// Solves V(s) = max_a Q(s, a), Q(s, a) = R(s, a) + discount * sum over s' of P(s' | s, a) V(s') by value iteration from
// the given V. A synchronous sweep reads the old V only and runs in parallel; a Gauss-Seidel sweep uses new values as
// soon as they are there, state by state, in one thread. Stops when no V changes by more than `tol`.
// `changes` receives the largest change of each sweep; V the last values. Cost: one pass over the entries per sweep.
Status mdp_value_iteration(const SparseMdp& mdp, bool gauss_seidel, double tol, int max_iter,
                           const Interrupt& interrupt, Span<double> V, std::vector<double>& changes);

// Values of a fixed policy by sweeps of V(s) = R(s, policy(s)) + discount * sum P V; at most `max_iter` of them.
Status mdp_policy_sweeps(const SparseMdp& mdp, Span<const int> policy, double tol, int max_iter,
                         const Interrupt& interrupt, Span<double> V, std::vector<double>& changes);

// Q(s, a), n_states x n_actions in C order, from V.
void mdp_action_values(const SparseMdp& mdp, Span<const double> V, Span<double> Q);

}  // namespace statlearn::decision
