// The smallest eigenvalues of the Laplacian of a sparse graph, and their vectors.
//
// Locally optimal block conjugate gradients (Knyazev, 2001) with a multigrid cycle as the preconditioner, started from
// the eigenvectors of the coarsest graph, which are carried up and improved level by level. The work is proportional to
// the entries of the matrix: no factor that fills up, no Krylov space that grows.
#pragma once

#include <cstdint>

#include "common/interrupt.hpp"
#include "common/rows.hpp"
#include "common/status.hpp"
#include "common/view.hpp"

namespace statlearn {

struct PairsInfo {
    double residual;  // largest residual norm of the wanted pairs
    int n_iter;       // steps on the finest level
    Status status;    // ok | max_iter | interrupted | diverged (values that were not found are NaN)
};

// The `values.size()` smallest eigenvalues of A outside of the span of `null`, in increasing order, and their
// orthonormal vectors (rows x number, row-major). Stops when every residual norm is at most stop.tol.
// Requires A finite, symmetric, positive semi-definite, with a stored diagonal and ties as negative entries; `null`
// row-major, rows x n_null, orthonormal and mapped to zero by A; `near` without zeros and (nearly) mapped to zero by A;
// BLAS in a single thread. The same bits for any number of threads.
PairsInfo smallest_pairs(const RowsView<double>& A, Matrix<const double> null, Span<const double> near, StopRule stop,
                         std::uint64_t seed, const Interrupt& interrupt, Span<double> values, Matrix<double> vectors);

}  // namespace statlearn
