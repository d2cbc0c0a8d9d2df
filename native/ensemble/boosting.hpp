// The two passes over the rows that every round of gradient boosting makes beside its tree.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::ensemble {

// First and second derivatives of the loss with respect to the scores f, times the weights (none: all 1):
//   squared_error   (y - f)^2 / 2                        poisson   e^f - y f
//   log_loss        log(1 + e^f) - y f,  y = 0 or 1      gamma     y e^-f + f
//   deviance        log(1 + e^(-2 (2y - 1) f))
//   exponential     e^(-(2y - 1) f)                      tweedie   e^((2-q) f) / (2-q) - y e^((1-q) f) / (1-q)
// Returns the weighted sum of the losses; NaN for a name that is none of these. `power` is q.
template <class T>
double boosting_derivatives(std::string_view loss, double power, Span<const T> y, Span<const T> f,
                            Span<const T> weights, Span<T> g, Span<T> h);

// The same for K classes: row i has scores f(i, 0..K-1), y_i is its class, and the derivatives of score k go to g(k,
// i). The hessian is the diagonal p (1 - p) times K / (K - 1) (Friedman, 2001). Returns the weighted sum of -log p_y.
template <class T>
double multinomial_derivatives(Span<const int> y, Matrix<const T> f, Span<const T> weights, Matrix<T> g, Matrix<T> h);

// f[i * stride] += value[k] for the rows i of leaf k: order[first[k]] .. order[first[k] + rows[k] - 1].
template <class T>
void add_leaf_values(Span<const std::uint32_t> order, Span<const Index> first, Span<const Index> rows,
                     Span<const double> value, Index stride, Span<T> f);

}  // namespace statlearn::ensemble
