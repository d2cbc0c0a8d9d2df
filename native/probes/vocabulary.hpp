// The shared words of the kernels (vector.hpp, tile.hpp, vmath.hpp, cholesky.hpp) as functions of their own, compiled
// for every level: what their tests call.
#pragma once

#include <vector>

#include "common/view.hpp"

namespace statlearn::probes {

enum class Function : int { exp = 0, log = 1, log1p = 2, tanh = 3 };

void apply(Function f, Span<const double> x, Span<double> out);
void apply(Function f, Span<const float> x, Span<float> out);  // exp only

template <class T>
double inner(Span<const T> x, Span<const double> y);

// C (m x n, row-major) = A B' - 2 row sums of A + column starts, by tiles with an epilogue: A is m x k, B n x k.
template <class T>
void tiled_product(Matrix<const T> A, Matrix<const T> B, Span<const T> start, Matrix<T> C);

// A CholeskySet of columns of G that join (j >= 0) and leave (-1 - place), and the solution for b of what is left.
// Returns the columns in their order; a column that depends on the others does not join.
std::vector<int> joined_solve(Matrix<const double> G, Span<const int> steps, double singular, Span<const double> b,
                              Span<double> x);

}  // namespace statlearn::probes
