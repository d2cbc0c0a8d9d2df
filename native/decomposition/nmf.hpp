// Updates of one factor of a non-negative factorisation X ~ W H, the other one fixed. All work on rows: the update of H
// is the same for X' ~ H' W'.
#pragma once

#include "common/interrupt.hpp"
#include "common/rows.hpp"
#include "common/view.hpp"

namespace statlearn::decomposition {

struct CoordinatePlan {
    double l1, l2;   // penalties, on the scale of the squared error with a factor 1/2
    int max_sweeps;  // over the coordinates of a row
    double enough;   // a block of rows is left when a sweep changes less than this share of what the first one did
};

// Minimises, row by row, w'(G + l2 I)w/2 - (a - l1)'w over w >= 0 by cyclic coordinate descent from the given W.
// A = X H' (n x k), G = H H' (k x k). `order` is the order of the coordinates.
// Returns the sum over the first sweep of the absolute projected gradients, which is 0 at the minimum.
// Cost O(n k^2) per sweep (Cichocki & Phan, 2009; several sweeps per product: Gillis & Glineur, 2012).
template <class T>
double nmf_coordinate_rows(Matrix<const T> A, Matrix<const double> G, Span<const int> order, const CoordinatePlan& plan,
                           const Interrupt& interrupt, Matrix<T> W);

struct AlternatingFacts {
    double violation;  // as above
    double size;       // sum of the absolute entries of X H'
    double squares;    // squared error of the observed cells of X at the given W and H; only if cells are missing
};

// One pass over the table that serves both factors: the rows of W are updated as above with A = X H', and the products
// X'W (p x k) with the new rows, for the update of H, are gathered while the cells are still in the cache.
//
// With `missing`, cells that are NaN count as their fitted values, before and after the update of their row (an EM
// step). Row i then moves by row_steps[i] of the change that this gives, or by the change itself if there are no steps:
// the fitted values of a row that lacks the share q of its cells hold it back by about 1 - q (Salakhutdinov & Roweis,
// 2003). Same bits for any number of threads. Cost 4 n p k, with missing cells 8 n p k, and the sweeps.
template <class T>
AlternatingFacts nmf_alternating_pass(Matrix<const T> X, Matrix<const T> H, Matrix<const double> G,
                                      Span<const int> order, const CoordinatePlan& plan, bool missing,
                                      Span<const T> row_steps, const Interrupt& interrupt, Matrix<T> W,
                                      Matrix<T> products);

// The update of the rows of W with cross-products of the row's own observed cells (not NaN) of X: H transposed is p x
// k. Each row stops on its own, when a sweep changes less than the share `enough` of what the first one did. Cost
// O(k^2) per observed cell.
template <class T>
void nmf_masked_rows(Matrix<const T> X, Matrix<const T> Ht, const CoordinatePlan& plan, const Interrupt& interrupt,
                     Matrix<T> W);

// Numerator and denominator of the multiplicative update of W for the beta divergence (Fevotte & Idier, 2011):
//     num = (X o (WH)^(beta-2)) H',    den = (WH)^(beta-1) H',
// over the cells that are not NaN. W is n x k, H is k x p, both row-major, X is n x p. With `columns`, the sums run
// over the rows instead: num = W'(...), k x p. The denominator is left out when `den` is empty (it is known if beta = 1
// and no cell is missing). Products are formed in tiles that never leave the cache. Cost 2 n p k per sum.
template <class T>
void nmf_beta_sums(Matrix<const T> X, Matrix<const T> W, Matrix<const T> H, double beta, bool columns,
                   const Interrupt& interrupt, Matrix<T> num, Matrix<T> den);

// The numerator over the stored cells of compressed rows, with H transposed (p x k): num = (X o (WH)^(beta-2)) H'.
template <class T>
void nmf_beta_sparse(const RowsView<T>& X, Matrix<const T> W, Matrix<const T> Ht, double beta,
                     const Interrupt& interrupt, Matrix<T> num);

// X with each NaN replaced by its fitted value (WH); `fitted` is n x p. The squared error of the other cells is
// returned.
template <class T>
double nmf_impute(Matrix<const T> X, Matrix<const T> W, Matrix<const T> H, const Interrupt& interrupt,
                  Matrix<T> filled);

// The beta divergence of X from W H over the cells that are not NaN (for beta = 2 half the squared error).
template <class T>
double nmf_divergence(Matrix<const T> X, Matrix<const T> W, Matrix<const T> H, double beta, const Interrupt& interrupt);

}  // namespace statlearn::decomposition
