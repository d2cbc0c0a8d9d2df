// Covariance functions of Gaussian processes: a formula of kernels, evaluated and differentiated a block at a time.
//
// A formula is a list of nodes, each behind its children, the last one being the result. Leaves are kernels of two rows
// with parameters in natural units; the inner nodes are sums, products and powers. A block of pairs of rows passes
// through all nodes while it is in the cache. Derivatives go backwards through the same nodes, so that the gradient of
// all parameters costs one pass over the pairs and no memory beyond a few blocks: for a matrix M of weights,
// sum_ij M_ij dK_ij / d log(parameter) is formed without any dK.
//
// Sums over columns and the exponential of squares are those of kernel matrices (common/kernel_sums.hpp).
#pragma once

#include <vector>

#include "common/interrupt.hpp"
#include "common/kernel_matrix.hpp"
#include "common/view.hpp"

namespace statlearn::gp {

// With r^2 = sum ((x_k - z_k) / l_k)^2 and one or p length scales l, s = |x - z|.
enum class Op : int {
    constant = 0,            // c
    white = 1,               // v for a row with itself in one table, 0 for any other pair
    rbf = 2,                 // exp(-r^2 / 2)
    matern = 3,              // `extra` is the smoothness nu; 1/2, 3/2 and 5/2 in closed form
    rational_quadratic = 4,  // (1 + r^2 / (2 a))^-a; parameters a, l
    exp_sine_squared = 5,    // exp(-2 sin^2(pi s / period) / l^2); parameters l, period
    dot_product = 6,         // c^2 + <x, z>
    minimum = 7,             // c sum min(x_k, z_k)
    pairwise = 8,            // a kernel of common/kernel_matrix.hpp, its number in `extra`; parameter gamma
    sum = 9,
    product = 10,
    power = 11,  // of the left child, to `extra`
};
constexpr int kOps = 12;

struct Node {
    Op op;
    int left = -1, right = -1;  // children of inner nodes
    int first = 0, count = 0;   // parameters of a leaf
    double extra = 0.0;
};

struct Formula {
    std::vector<Node> nodes;
    Span<const double> values;  // parameters
    Span<const int> slots;      // place of each parameter in the gradient, or -1 if it is fixed
    Index n_slots = 0;
};

// Whether children precede their parents, parameters lie inside the values, and length scales are 1 or n_columns.
bool is_valid(const Formula& formula, Index n_columns);

// out(i, j) = k(x_i, x_j), row-major; both triangles, or the lower one only.
void covariance_gram(const Formula& formula, Matrix<const double> X, bool both, const Interrupt& interrupt,
                     Matrix<double> out);

// out(i, j) = k(x_i, z_j), row-major, for rows of different tables.
void covariance_cross(const Formula& formula, Matrix<const double> X, Matrix<const double> Z,
                      const Interrupt& interrupt, Matrix<double> out);

// out[s] = sum over i, j of (scale M_ij + sum_t U_it V_jt) dK_ij / d log(parameter s), where the matrix in brackets is
// symmetric and only the lower triangle of M is read. Cost O(n^2 p) in all, for all parameters together.
void covariance_trace(const Formula& formula, Matrix<const double> X, double scale, Matrix<const double> M,
                      Matrix<const double> U, Matrix<const double> V, const Interrupt& interrupt, Span<double> out);

// out(i, j, s) = dK_ij / d log(parameter s): n x n x n_slots numbers, row-major.
void covariance_gradient(const Formula& formula, Matrix<const double> X, const Interrupt& interrupt, Span<double> out);

// The same derivatives for rows of two tables, weighted and added: out[s] = sum_ij W_ij dk(x_i, z_j) / d log(s).
void covariance_cross_trace(const Formula& formula, Matrix<const double> X, Matrix<const double> Z,
                            Matrix<const double> W, const Interrupt& interrupt, Span<double> out);

// values[i] = k(x_i, x_i), and out[s] = sum_i dk(x_i, x_i) / d log(s).
void covariance_diagonal(const Formula& formula, Matrix<const double> X, const Interrupt& interrupt,
                         Span<double> values, Span<double> out);

}  // namespace statlearn::gp
