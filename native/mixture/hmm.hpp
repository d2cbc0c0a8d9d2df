// Hidden Markov models with finitely many symbols: forward-backward sums and the best path.
#pragma once

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::mixture {

// Probabilities: start (S), transition (S x S, from row to column), emission (S x V), row-major.
struct HmmModel {
    Index states, symbols;
    Span<const double> start, transition, emission;
};

// Expected numbers of visits under the posterior, summed over weighted sequences.
struct HmmCounts {
    Span<double> start, transition, emission;  // S, S x S, S x V
};

// Each row of `symbols` is a sequence; -1 is a symbol that was not seen, and a sequence ends with its last seen symbol.
// Fills log_likelihood (one entry per row, -inf where the model forbids the sequence), and adds nothing but the counts.
// Cost O(T S^2) per sequence; rows run in parallel. Same bits for any number of threads.
void hmm_expect(Matrix<const int> symbols, Span<const double> weights, const HmmModel& model,
                const Interrupt& interrupt, Span<double> log_likelihood, const HmmCounts& counts);

// Forward and backward probabilities, each scaled to sum 1 at every time (T x S per row), and the log-likelihood
// by either direction.
void hmm_forward_backward(Matrix<const int> symbols, const HmmModel& model, const Interrupt& interrupt,
                          Span<double> forward, Span<double> backward, Span<double> by_forward,
                          Span<double> by_backward);

// The most probable path of each row, and the logarithm of its joint probability with the symbols. Ties go to the
// lowest state.
void hmm_viterbi(Matrix<const int> symbols, const HmmModel& model, const Interrupt& interrupt, Matrix<int> paths,
                 Span<double> log_probability);

}  // namespace statlearn::mixture
