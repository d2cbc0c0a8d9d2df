"""Distances between the rows of two tables, of numbers or of cells that are equal or not."""

import numpy as np
from scipy import sparse

from statlearn._math.distances import metrics

from ._cells import CELL_METRICS, CellCoder, has_text


def pairwise_distances(X, Y=None, metric="euclidean", *, n_jobs=None, **kwds):
    r"""Distances between all rows of X and all rows of Y.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples_X, n_features)
        With ``metric="precomputed"``, the matrix itself, which is checked and returned.
    Y : {array-like, sparse matrix} of shape (n_samples_Y, n_features), default=None
        None means X.
    metric : str, callable or object, default="euclidean"
        "euclidean", "manhattan", "chebyshev", "minkowski" (``p=``, ``w=``), "sqeuclidean", "seuclidean" (``V=``),
        "mahalanobis" (``V=`` or ``VI=``; without either the covariance of X with divisor n - 1), "cosine",
        "correlation", "hamming", "canberra", "braycurtis", "haversine", "nan_euclidean", the binary "jaccard", "dice",
        "rogerstanimoto", "russellrao", "sokalsneath", "yule", and for rows of probabilities "kl"
        (:math:`\sum_j x_j \log(x_j / y_j)`) and "jeffreys" (its sum over both directions); a function of two rows; an
        object with ``pairwise``; or "precomputed". "hamming" and its other names "matching" and "overlap" take tables
        with text, whose cells are equal or not. "hamming_count" is the number of cells that differ, and compares texts
        of one length letter by letter.
    n_jobs : int or None, default=None
        Number of threads; None uses all that are available. It does not affect the result.
    **kwds : dict
        Parameters of the metric.

    Returns
    -------
    D : ndarray of shape (n_samples_X, n_samples_Y)

    Notes
    -----
    Squared differences are added coordinate by coordinate in double precision. The distance of equal rows is exactly 0,
    and no digits are lost far from the origin, unlike in the usual :math:`\lVert x \rVert^2 + \lVert y \rVert^2 - 2
    x^\top y`. The cost is :math:`O(n_X n_Y p)` time and one matrix of memory.

    Examples
    --------
    >>> from statlearn.neighbors import pairwise_distances
    >>> pairwise_distances([[0, 0], [3, 4]], metric="manhattan")
    array([[0., 7.],
           [7., 0.]])
    >>> pairwise_distances([["toned"], ["roses"]], metric="hamming_count")
    array([[0., 3.],
           [3., 0.]])
    """
    by_cells = isinstance(metric, str) and metric in CELL_METRICS and not (sparse.issparse(X) or sparse.issparse(Y))
    if not by_cells or not (metric == "hamming_count" or has_text(X)):
        return metrics.pairwise_distances(X, Y, metric, n_jobs=n_jobs, **kwds)
    if kwds:
        raise ValueError(f"`metric`={metric!r} does not accept {sorted(kwds)} for tables with text.")
    coder = CellCoder(metric == "hamming_count")
    codes = coder.fit_transform(X)
    name = "manhattan" if metric == "hamming_count" else "hamming"
    D = metrics.pairwise_distances(codes, coder.transform(X if Y is None else Y), name, n_jobs=n_jobs)
    if Y is None:
        np.fill_diagonal(D, 0.0)  # also of rows with missing values, which differ from all others
    return D
