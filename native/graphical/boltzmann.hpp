// Sampling and learning of networks of binary units in {0, 1}.
#pragma once

#include <cstdint>

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::graphical {

// Gibbs sweeps of p(x) ~ exp(b'x + x'Jx / 2), J symmetric with a zero diagonal: every row of `states` is a chain of its
// own (the random stream is keyed by its number), whose units with free[j] != 0 are drawn in turn, `sweeps` times.
// `mean` (rows x p, or empty) receives the average of the chain over the sweeps. Cost O(p^2) per chain and sweep.
void gibbs_sweeps(Matrix<const double> J, Span<const double> b, Span<const std::uint8_t> free, int sweeps,
                  std::uint64_t seed, const Interrupt& interrupt, Matrix<std::uint8_t> states, Matrix<double> mean);

// What an epoch of contrastive divergence works with. W holds one row per visible unit (p x h, row-major).
template <class T>
struct RbmState {
    Matrix<T> W;
    Span<T> visible_bias, hidden_bias;
    Matrix<T> chains;  // batch x h: hidden states of the persistent chains
};

struct RbmRule {
    int batch;        // rows per step
    int k;            // Gibbs steps of the negative phase
    bool persistent;  // its chains go on from the last step, else they start at the data
    double rate;      // learning rate, divided by the rows of a step
};

// One pass over the rows of X in their order, a step per batch: W += rate (<v h>_data - <v h>_model), as in Tieleman
// (2008) and Hinton (2002). `first_step` counts the steps of earlier passes and keys the random numbers. Zeros of X and
// of the sampled units cost nothing. Returns the mean squared difference between X and the means of its reconstruction.
template <class T>
double rbm_epoch(Matrix<const T> X, RbmRule rule, std::uint64_t seed, std::uint64_t first_step,
                 const Interrupt& interrupt, RbmState<T> state);

}  // namespace statlearn::graphical
