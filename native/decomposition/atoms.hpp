// Updates of the atoms of a dictionary.
#pragma once

#include "common/view.hpp"

namespace statlearn::decomposition {

// Block coordinate descent on tr(D'AD)/2 - tr(D'B) over the atoms (rows of D, k x p) from `first` on, in place:
//     d_j += (b_j - sum_l a_jl d_l) / a_jj, without its negative entries if `positive`, scaled to norm 1 if it is
//     longer.
// A (k x k) = C'C and B (k x p) = C'X for codes C (Mairal, Bach, Ponce & Sapiro, 2009, algorithm 2). Stops at the first
// atom with a_jj <= rare, and returns its number, or k. Cost O(k p) per atom.
Index atoms_update(Matrix<const double> A, Matrix<const double> B, Index first, double rare, bool positive,
                   Matrix<double> D);

}  // namespace statlearn::decomposition
