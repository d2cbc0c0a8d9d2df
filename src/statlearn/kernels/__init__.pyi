"""The public names of the family and the modules that hold them."""

from ._pairwise import (
    additive_chi2_kernel,
    chi2_kernel,
    cosine_kernel,
    cosine_similarity,
    laplacian_kernel,
    linear_kernel,
    min_kernel,
    polynomial_kernel,
    rbf_kernel,
    sigmoid_kernel,
)

__all__ = [
    "additive_chi2_kernel",
    "chi2_kernel",
    "cosine_kernel",
    "cosine_similarity",
    "laplacian_kernel",
    "linear_kernel",
    "min_kernel",
    "polynomial_kernel",
    "rbf_kernel",
    "sigmoid_kernel",
]
