"""Validation of precomputed dissimilarity matrices."""

import numpy as np

from statlearn._core import native

# Numbers of MatrixFault in native/cluster/kmedoids.hpp.
_FAULTS = {
    1: "is negative: D[{i}, {j}] = {x:.6g}, D[{j}, {i}] = {y:.6g}",
    2: "does not have a zero diagonal: D[{i}, {i}] = {x:.6g}",
    3: "is not symmetric: D[{i}, {j}] = {x:.6g} but D[{j}, {i}] = {y:.6g}",
    4: "contains NaN or infinity: D[{i}, {j}] = {x:.6g}, D[{j}, {i}] = {y:.6g}",
}


def check_dissimilarity(D):
    """Check that a matrix is square, symmetric, non-negative and zero on the diagonal; the error names the entry.

    Parameters
    ----------
    D : ndarray of shape (n, n), float32 or float64, C-contiguous

    Returns
    -------
    D : the same array
    """
    if D.ndim != 2 or D.shape[0] != D.shape[1]:
        raise ValueError(
            f"X must be a square matrix of dissimilarities with `metric`='precomputed', got shape {D.shape}."
        )
    tolerance = 1e-5 if D.dtype == np.float32 else 1e-9
    kind, i, j = native.cluster.dissimilarity_fault(D, tolerance)
    if kind:
        what = _FAULTS[kind].format(i=i, j=j, x=D[i, j], y=D[j, i])
        raise ValueError(f"The precomputed dissimilarity matrix X {what}.")
    return D
