"""Spectrum of a graph Laplacian and the number of clusters it suggests."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state

from statlearn._core.params import Int, Options, Real, check_arguments
from statlearn._math.graphs.laplacian import Laplacian, check_affinity, smallest_eigenpairs


@dataclass(frozen=True)
class Eigengap:
    """Result of `eigengap`.

    Attributes
    ----------
    eigenvalues : ndarray
        Smallest eigenvalues of the Laplacian, in increasing order.
    n_zero : int
        Number of (nearly) zero eigenvalues, which is the number of connected components of the graph.
    n_clusters : int
        Number of eigenvalues before the largest gap.
    gaps : ndarray
        Differences between consecutive eigenvalues.
    """

    eigenvalues: np.ndarray
    n_zero: int
    n_clusters: int
    gaps: np.ndarray

    def plot(self, ax=None):
        """Plot of the spectrum and its largest gap; returns the matplotlib axes."""
        from ._plots import plot_spectrum

        return plot_spectrum(self, ax=ax)


def eigengap(affinity, *, n_eigenvalues=10, laplacian="sym", tol=1e-8, random_state=0):
    """Eigengap heuristic: smallest eigenvalues of a graph Laplacian, the number of zeros, and the largest gap.

    Parameters
    ----------
    affinity : {array-like, sparse matrix} of shape (n_samples, n_samples)
        Similarities, for example from `similarity_graph`.
    n_eigenvalues : int, default=10
    laplacian : {"sym", "rw", "unnormalized"}, default="sym"
        "sym" and "rw" have the same eigenvalues.
    tol : float, default=1e-8
        Eigenvalues below `tol` times the largest possible one are counted as zero.
    random_state : int, RandomState or None, default=0
        Seed of the eigensolver.

    Returns
    -------
    Eigengap

    Notes
    -----
    The number of zero eigenvalues is the number of connected components. For nearly separate clusters they are nearly
    zero, and the gap after them suggests the number of clusters.

    Examples
    --------
    >>> from statlearn.cluster import eigengap, similarity_graph
    >>> X = [[0.0], [0.1], [0.2], [9.0], [9.1], [9.2], [99.0], [99.1], [99.2]]
    >>> found = eigengap(similarity_graph(X), n_eigenvalues=5)
    >>> found.n_zero, found.n_clusters
    (3, 3)
    """
    check_arguments(
        eigengap,
        n_eigenvalues=(n_eigenvalues, [Int(2, None)]),
        laplacian=(laplacian, [Options("sym", "rw", "unnormalized")]),
        tol=(tol, [Real(0, None)]),
        random_state=(random_state, ["random_state"]),
    )
    operator = Laplacian(check_affinity(affinity), laplacian)
    k = min(n_eigenvalues, operator.W.shape[0])
    values = smallest_eigenpairs(operator, k, check_random_state(random_state))[0]
    gaps = np.diff(values)
    n_zero = int(np.count_nonzero(values <= tol * operator.top))
    return Eigengap(values, n_zero, int(np.argmax(gaps)) + 1 if len(gaps) else 1, gaps)
