// Steps of gradient descent over a flat vector of parameters.
//
// Each is one pass over the memory, where a sequence of vector operations would be eight. Every element is computed on
// its own, so the bits do not depend on the number of threads.
#pragma once

#include <span>

#include "common/view.hpp"

namespace statlearn::neural {

// Row 0 of `parts` becomes (sum of the rows + alpha w) / total, where only the first w.size() elements are penalised;
// n elements of each row are used. Returns the sum of squares of w.
template <class T>
double gradient_sum(MatrixView<T> parts, Index n, std::span<const T> w, double alpha, double total);

// Kingma & Ba (2015), in the order of operations of the end of their section 2: `rate` is the step size with the
// corrections of both moments. first = b1 first + (1 - b1) g; second = b2 second + (1 - b2) g^2;
// w -= rate first / (sqrt(second) + epsilon).
struct AdamRule {
    double rate, beta_1, beta_2, epsilon;
};
template <class T>
void adam_step(std::span<T> w, std::span<const T> gradient, std::span<T> first, std::span<T> second,
               const AdamRule& rule);

// velocity = momentum velocity - rate g; w += velocity, or with Nesterov's momentum w += momentum velocity - rate g.
struct MomentumRule {
    double rate, momentum;
    bool nesterov;
};
template <class T>
void momentum_step(std::span<T> w, std::span<const T> gradient, std::span<T> velocity, const MomentumRule& rule);

}  // namespace statlearn::neural
