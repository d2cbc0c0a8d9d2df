// Passes over the rows of X for logistic and multinomial regression: loss, gradient and Hessian in one reading.
#pragma once

#include "linear/row_pass.hpp"

namespace statlearn::linear {

// Two classes, coded as sign_i = -1 or +1: with eta_i = x_i'w + b + offset_i, returns sum_i weight_i
// log(1 + exp(-sign_i eta_i)) and its derivatives, as row_pass does.
template <class Rows>
double logistic_pass(const Rows& X, Span<const double> sign, Span<const double> weights, Span<const double> offset,
                     Span<const double> theta, const Interrupt& interrupt, Span<double> grad, Span<double> hess);

// K classes, coded 0..K-1: theta and grad are K x q (one row per class), offset n x K or empty, softmax over the K
// scores. Returns the weighted sum of -log P(class_i). As above, gradients belong to the intercepts at `shift`.
template <class Rows>
double multinomial_pass(const Rows& X, Index n_classes, Span<const int> codes, Span<const double> weights,
                        Span<const double> offset, Span<const double> theta, const Interrupt& interrupt,
                        Span<double> grad);

// Hessian of the same loss, about `shift`: for the pairs k <= l of classes in order (only k = l if `diagonal`) one
// q x q matrix sum_i weight_i mu_ik (1[k = l] - mu_il) z_i z_i', for the first `used` classes.
// hess holds (pairs, q, q).
template <class Rows>
void multinomial_hessian(const Rows& X, Index n_classes, Index used, bool diagonal, Span<const double> weights,
                         Span<const double> offset, Span<const double> theta, const Interrupt& interrupt,
                         Span<double> hess);

}  // namespace statlearn::linear
