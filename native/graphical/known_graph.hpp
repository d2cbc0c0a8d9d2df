// Maximum likelihood of a Gaussian graphical model whose graph is known.
#pragma once

#include "common/interrupt.hpp"
#include "common/status.hpp"
#include "common/view.hpp"

namespace statlearn::graphical {

struct KnownGraphInfo {
    double change;  // largest change of an entry of W in the last sweep, relative to the standard deviations
    int n_iter;     // sweeps
    Status status;  // ok | max_iter | interrupted | diverged (a regression on neighbours is singular)
    Index column;   // the column at which it diverged
};

// Cyclic regressions on the neighbours: for every j solve W_NN b = S_Nj over its neighbours N and set column j of W to
// W b, until no entry changes by more than tol (relative to the standard deviations). The limit equals S on the edges
// and the diagonal, and its inverse is zero elsewhere. W starts from S, or any positive definite matrix with its
// diagonal; B (p x p, row j for variable j) receives the coefficients. The neighbours of j are
// neighbours[starts[j]..starts[j + 1]). Cost per sweep: sum of degree^3 + p degree.
KnownGraphInfo known_graph_fit(Matrix<const double> S, Span<const int> starts, Span<const int> neighbours,
                               StopRule stop, const Interrupt& interrupt, Matrix<double> W, Matrix<double> B);

}  // namespace statlearn::graphical
