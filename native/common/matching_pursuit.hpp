// Orthogonal matching pursuit of many signals over the same atoms: adds the atom with the largest absolute inner
// product with the residual (the lowest index among equals), refits all chosen atoms by least squares, and so on.
//
// The inner products with the residual are updated by an orthogonal basis of the chosen atoms that grows by one per
// step, expressed by its products with all atoms (a pivoted Cholesky factorisation of the Gram matrix): O(k m) for the
// m-th step, besides the row of the Gram matrix.
#pragma once

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn {

// The atoms: their Gram matrix (k x k, row-major), or they themselves as the columns of a column-major matrix, whose
// products are formed as they are needed.
struct PursuitAtoms {
    Matrix<const double> matrix;
    bool gram;
    Index count() const { return matrix.cols; }
};

struct PursuitPlan {
    int max_atoms;
    double tol;  // ends when |residual|^2 <= tol; negative: no such limit
};

// `products` (n x k) holds the inner products of each signal with the atoms, `squares` its squared norm. codes (n x k)
// may be the same array as `products`. `steps` is the number of atoms of each signal. Returns the number of signals
// where the pursuit ended early: the residual is 0 up to rounding, or the next atom depends on the chosen ones.
Index omp_codes(const PursuitAtoms& atoms, Matrix<const double> products, Span<const double> squares,
                const PursuitPlan& plan, const Interrupt& interrupt, Matrix<double> codes, Span<int> steps);

// All steps of the pursuit of one signal: the chosen atoms in order of entry, and in row s of `path` (max_atoms x
// max_atoms) the coefficients of the first s + 1 of them after step s + 1. Returns the number of steps, negative if it
// ended early (-1 for none, -2 for one, ...).
Index omp_path(const PursuitAtoms& atoms, Span<const double> products, double square, const PursuitPlan& plan,
               Span<int> chosen, Matrix<double> path);

}  // namespace statlearn
