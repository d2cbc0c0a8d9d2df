"""Tables of rows: additive statistics, scores of linear models, sparse matrices for the kernels."""
