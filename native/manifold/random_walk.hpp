// The random walk on a graph, as diffusion maps decompose it.
#pragma once

#include "common/rows.hpp"

namespace statlearn::manifold {

// For similarities K: density_i = (sum_j K_ij)^-alpha, K_ij becomes K_ij density_i density_j, degree_i = sum_j K_ij,
// and L = I - D^-1/2 K D^-1/2 is written to `values`, entry by entry of K; the memory of K's own values may be given.
// False if a row has no similarity to any, and then `degree` holds the sums where that shows. A row must have an entry
// on the diagonal. Sums run over the entries of a row in their order, whatever the number of threads.
bool walk_laplacian(const RowsView<double>& K, double alpha, Span<double> density, Span<double> degree,
                    Span<double> values);

// Whether every row has an entry on the diagonal.
bool has_diagonal(const RowsView<double>& K);

}  // namespace statlearn::manifold
