// Alternating least squares and stochastic gradients for the factorisation of ratings.
#pragma once

#include "common/interrupt.hpp"
#include "common/rows.hpp"
#include "common/view.hpp"

namespace statlearn::decomposition {

struct AlsPlan {
    double reg, reg_bias;  // penalties of the factors and of the bias
    bool bias;             // solve for a bias as well
    bool by_count;         // penalties are multiplied by the number (weight) of the row's ratings
};

// Ridge regressions, one per row: minimises over u (k factors) and b
//     sum_j w_j (r_j - offset_j - b - u'v_j)^2 / 2 + reg |u|^2 / 2 + reg_bias b^2 / 2
// over the stored entries of the row. V is columns x k; `offset` (per column) may be empty, `weights` (per stored
// entry) too. A row without entries becomes 0. Cost O(nnz k^2 + rows k^3).
void als_rows(const RowsView<double>& R, Span<const double> weights, Matrix<const double> V, Span<const double> offset,
              const AlsPlan& plan, const Interrupt& interrupt, Matrix<double> U, Span<double> bias);

// sum_(i, j) w_ij (r_ij - mean - b_i - c_j - u_i'v_j)^2 over the stored entries; `weights` may be empty. Same bits for
// any number of threads.
double rating_squares(const RowsView<double>& R, Span<const double> weights, Matrix<const double> U,
                      Matrix<const double> V, double mean, Span<const double> row_bias, Span<const double> col_bias,
                      const Interrupt& interrupt);

struct ImplicitPlan {
    double reg, alpha;
    int cg_steps;  // of conjugate gradients from the given row; 0 for the exact solution
};

// The same for implicit feedback (Hu, Koren & Volinsky, 2008): confidence 1 + alpha r on a preference of 1 for stored
// entries, confidence 1 on a preference of 0 elsewhere. `gram` is V'V.
void als_implicit_rows(const RowsView<double>& R, Matrix<const double> V, Matrix<const double> gram,
                       const ImplicitPlan& plan, const Interrupt& interrupt, Matrix<double> U);

// The inner products of pairs of rows of U and V: out[e] = U[rows[e]]'V[cols[e]].
void pair_products(Span<const int> rows, Span<const int> cols, Matrix<const double> U, Matrix<const double> V,
                   const Interrupt& interrupt, Span<double> out);

struct SgdPlan {
    double mean, rate, reg, reg_bias;
    bool bias;
};

// One pass of stochastic gradient steps over the ratings in the given order; both factors of a rating move from the
// same values. `row_share` and `col_share` are the shares of the penalty of a row or column that one of its ratings
// bears. Returns the sum of squared errors met on the way.
double sgd_pass(Span<const int> rows, Span<const int> cols, Span<const double> ratings, Span<const double> weights,
                Span<const int> order, Span<const double> row_share, Span<const double> col_share, const SgdPlan& plan,
                const Interrupt& interrupt, Matrix<double> U, Matrix<double> V, Span<double> row_bias,
                Span<double> col_bias);

}  // namespace statlearn::decomposition
