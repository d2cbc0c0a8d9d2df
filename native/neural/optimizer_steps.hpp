// Steps of gradient descent over a flat vector of parameters.
//
// Each is one pass over the memory, where a sequence of vector operations would be ten: the gradient of some elements
// is summed, used and forgotten while it is in the first cache. Every element is computed on its own, so the bits do
// not depend on the number of threads.
#pragma once

#include "common/view.hpp"

namespace statlearn::neural {

// The gradient of a penalised mean loss, as the pieces of a batch leave it: (sum of the rows of `parts` + alpha w) /
// total, where only the first `penalised` elements of w are penalised.
template <class T>
struct GradientPieces {
    Matrix<const T> parts;
    Index penalised;
    double alpha, total;
};

// Writes the gradient at w to `gradient`, which may be a row of the parts. Returns the sum of squares of the penalised
// elements of w.
template <class T>
double gradient_sum(const GradientPieces<T>& pieces, Span<const T> w, Span<T> gradient);

// Kingma & Ba (2015), in the order of operations of the end of their section 2: `rate` is the step size with the
// corrections of both moments. first = b1 first + (1 - b1) g; second = b2 second + (1 - b2) g^2;
// w -= rate first / (sqrt(second) + epsilon). Returns the sum of squares of the penalised elements before the step.
struct AdamRule {
    double rate, beta_1, beta_2, epsilon;
};
template <class T>
double adam_step(Span<T> w, const GradientPieces<T>& pieces, Span<T> first, Span<T> second, const AdamRule& rule);

// velocity = momentum velocity - rate g; w += velocity, or with Nesterov's momentum w += momentum velocity - rate g.
// Returns the same sum.
struct MomentumRule {
    double rate, momentum;
    bool nesterov;
};
template <class T>
double momentum_step(Span<T> w, const GradientPieces<T>& pieces, Span<T> velocity, const MomentumRule& rule);

}  // namespace statlearn::neural
