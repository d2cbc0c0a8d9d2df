// Sums and cross-products of groups of rows in one pass: all that linear and quadratic discriminants learn from.
#pragma once

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::discriminant {

// With z_i = x_i - shift_g for the rows i of group g, fills
//   sums(g, :)  = sum over the group of w_i z_i,
//   scatter     = sum over the group of w_i z_i z_i', one p x p matrix per group, or one for all groups if `pool`.
//
// `order` lists rows group by group, group g at places starts[g] .. starts[g + 1]; rows that are not listed are absent.
// A shift near the mean of its group keeps the digits that the scatter about the mean would otherwise lose. Products
// are made in the precision of X and added in double precision. `weights` (by row of X) may be empty: all 1.
// Cost n p^2 / 2 multiply-adds; memory one half matrix per chunk of rows. Same bits for any number of threads.
template <class T>
void group_scatter(Matrix<const T> X, Span<const Index> order, Span<const Index> starts, Span<const T> weights,
                   Matrix<const double> shift, bool pool, const Interrupt& interrupt, Matrix<double> sums,
                   Span<double> scatter);

}  // namespace statlearn::discriminant
