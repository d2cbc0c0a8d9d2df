"""Tables of rows: products, weights and kernels of one table, additive statistics, sparse matrices for the kernels."""
