// The forces of t-distributed stochastic neighbour embedding (van der Maaten and Hinton, 2008).
//
// Points y_i attract each other by similarities p_ij and repel each other by (1 + |y_i - y_j|^2)^-1. The gradient of
// the Kullback-Leibler divergence is 4 (A_i - R_i / Z) with
//     A_i = sum_j p_ij (y_i - y_j) / (1 + d_ij^2),  R_i = sum_j (y_i - y_j) / (1 + d_ij^2)^2,  Z = sum_{i != j} 1 / (1
//     + d_ij^2).
#pragma once

#include "common/interrupt.hpp"
#include "common/rows.hpp"
#include "common/view.hpp"

namespace statlearn::manifold {

// P(i, k) = exp(-beta_i square(i, k)) / sum of the row, with beta_i such that the entropy of the row is
// log(perplexity). Squared distances (n x k, row-major), perplexity < k. Bisection of beta, at most 64 steps, to 1e-5
// in the entropy.
void perplexity_weights(Matrix<const double> square, double perplexity, const Interrupt& interrupt, Matrix<double> P);

// A_i for all rows of a sparse symmetric P. With `divergence` also the sum of p_ij log(1 + d_ij^2), added in the order
// of the rows, else 0.
double tsne_attraction(const RowsView<double>& P, Matrix<const double> Y, bool divergence, const Interrupt& interrupt,
                       Matrix<double> A);

// R_i for all rows, exactly, O(n^2 q), and Z.
double tsne_repulsion(Matrix<const double> Y, const Interrupt& interrupt, Matrix<double> R);

// A square grid over the plane: node (a, b) lies at (low_x + a step, low_y + b step).
struct Grid {
    double low_x, low_y, step;
};

// Spreads a unit mass of every point onto the 4 x 4 nodes around it, with the weights of cubic interpolation. `mass` is
// set. Points must lie at least one step inside the grid, with two nodes beyond them.
void spread_on_grid(Matrix<const double> Y, Grid grid, Matrix<double> mass);

// Values of three fields on the grid, interpolated at the points: potential(i, f), f = 0, 1, 2.
void gather_from_grid(Matrix<const double> Y, Grid grid, Span<const Matrix<const double>> fields,
                      Matrix<double> potential);

// What the points find of themselves on the grid, summed: spread, weighted by 1 / (1 + d^2) and interpolated. It would
// be the number of points but for the error of the interpolation.
double own_weights(Matrix<const double> Y, Grid grid);

}  // namespace statlearn::manifold
