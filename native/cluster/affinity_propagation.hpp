// Affinity propagation (Frey & Dueck, 2007): rows elect exemplars by messages.
#pragma once

#include <cstdint>

#include "common/interrupt.hpp"
#include "common/status.hpp"
#include "common/view.hpp"

namespace statlearn::cluster {

struct PropagationRule {
    double damping;  // share of the old message in the new one
    int max_iter;    // sweeps
    int patience;    // sweeps without a change of the exemplars that end the work
};

struct PropagationInfo {
    int n_iter;
    Status status;
};

// Responsibilities R and availabilities A for the similarities S (n x n, preferences on the diagonal, ties broken),
// both starting from 0:
//     R(i, k) <- S(i, k) - max over k' != k of (A(i, k') + S(i, k'))
//     A(i, k) <- min(0, R(k, k) + sum over i' not in {i, k} of max(0, R(i', k))),  A(k, k) <- that sum,
// each damped. exemplar[k] is 1 where A(k, k) + R(k, k) > 0 in the end. One pass over the three matrices per sweep.
// Same bits for any number of threads.
PropagationInfo affinity_propagation(Matrix<const double> S, PropagationRule rule, const Interrupt& interrupt,
                                     Matrix<double> R, Matrix<double> A, Span<std::uint8_t> exemplar);

}  // namespace statlearn::cluster
