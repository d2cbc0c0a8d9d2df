// The graphical lasso: sparse inverse covariance by penalised Gaussian likelihood.
//
//   minimise over positive definite K   f(K) = -log det K + tr(S K) + sum_ij L_ij |K_ij|
//
// S is a covariance (p x p), L a symmetric matrix of penalties: 0 leaves an entry free, infinity forces it to zero. The
// dual problem maximises log det V + p over positive definite V with |V_ij - S_ij| <= L_ij. Both solvers stop when the
// duality gap, f(K) minus the dual objective at the inverse of K moved into that box, is at most tol: a certificate
// that needs no assumption on the iterations.
//
// All matrices are symmetric and stored in full, so that their order does not matter. K enters as a positive definite
// start and leaves as the answer; W leaves as the inverse of K.
#pragma once

#include <vector>

#include "common/interrupt.hpp"
#include "common/status.hpp"
#include "common/view.hpp"

namespace statlearn::graphical {

struct GlassoInfo {
    double objective;  // f(K)
    double gap;        // duality gap at exit; infinity if the dual point is not positive definite
    int n_iter;        // Newton steps, or sweeps over all columns
    Status status;     // ok | max_iter | interrupted | diverged (no step lowers f, or K is not positive definite)
};

// One line of the record of a fit: objective and duality gap (a lower bound of it where no certificate was computed).
struct GlassoStep {
    double objective, gap;
};

// Proximal Newton steps in the manner of Hsieh, Sustik, Dhillon & Ravikumar (2014): the quadratic model is minimised by
// coordinate descent over the entries that are not zero or violate the optimality conditions, and a step is halved
// until f falls enough. Cost per step: one Cholesky factorisation and inverse, and O(p) per entry and pass; memory 5
// p^2.
GlassoInfo glasso_newton(Matrix<const double> S, Matrix<const double> L, StopRule stop, const Interrupt& interrupt,
                         Matrix<double> K, Matrix<double> W, std::vector<GlassoStep>& steps);

// Block coordinate descent of Friedman, Hastie & Tibshirani (2008): each column of W is a lasso regression on the other
// columns. Starts from the dual point W, which must be feasible and positive definite (S + diag(L), for instance), with
// regression coefficients B (column j holds those of variable j), zero or from an earlier fit. Cost per sweep:
// O(p^2 times the number of neighbours).
GlassoInfo glasso_columns(Matrix<const double> S, Matrix<const double> L, StopRule stop, double inner_tol,
                          const Interrupt& interrupt, Matrix<double> K, Matrix<double> W, Matrix<double> B,
                          std::vector<GlassoStep>& steps);

// The step of the above for one column: updates row and column j of W, and column j of B.
void glasso_column(Matrix<const double> S, Matrix<const double> L, Index j, double inner_tol, Matrix<double> W,
                   Matrix<double> B);

// Duality gap of a positive definite K, given its inverse W (moved into the box); infinity without a certificate.
double glasso_gap(Matrix<const double> S, Matrix<const double> L, Matrix<const double> K, Matrix<const double> W,
                  double objective);

}  // namespace statlearn::graphical
