// Passes over the rows of X for generalised linear models: loss, gradient and Hessian in one reading.
#pragma once

#include "linear/glm_rows.hpp"
#include "linear/row_pass.hpp"

namespace statlearn::linear {

// Sum of weight_i times half the unit deviance of row i, less what does not depend on the coefficients, and its
// derivatives, as row_pass does. The curvature is the observed one, never negative for these families and links.
template <class Rows>
double glm_pass(const Rows& X, GlmFamily family, double parameter, Span<const double> y, Span<const double> weights,
                Span<const double> offset, Span<const double> theta, const Interrupt& interrupt, Span<double> grad,
                Span<double> hess);

// What glm_pass leaves out.
double glm_constant(GlmFamily family, double parameter, Span<const double> y, Span<const double> weights);

}  // namespace statlearn::linear
