"""How well an embedding keeps neighbourhoods."""

import numpy as np
from sklearn.utils.validation import check_array, check_consistent_length

from statlearn._core.params import Int, check_arguments
from statlearn._math.distances.metrics import pairwise_distances
from statlearn._math.distances.neighbor_index import build_index


def trustworthiness(X, X_embedded, *, n_neighbors=5, metric="euclidean"):
    r"""Trustworthiness of an embedding, from 0 to 1.

    :math:`1 - \frac{2}{nk(2n - 3k - 1)} \sum_i \sum_{j \in N_k(i)} \max(0, r(i, j) - k)`, where :math:`N_k(i)` are the
    neighbours of i in the embedding and :math:`r(i, j)` is the rank of j among the neighbours of i in the original
    space. Rows that are close in the embedding only are penalised.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Original rows, or distances with ``metric="precomputed"``.
    X_embedded : array-like of shape (n_samples, n_components)
    n_neighbors : int, default=5
        Size of the neighbourhoods; less than half of the rows.
    metric : str or callable, default="euclidean"
        Metric of the original rows.

    Returns
    -------
    trustworthiness : float

    References
    ----------
    Venna and Kaski (2001), Neighborhood preservation in nonlinear projection methods. ICANN.

    Examples
    --------
    >>> from statlearn.manifold import trustworthiness
    >>> trustworthiness([[0, 0], [1, 0], [3, 0], [7, 0]], [[0], [1], [3], [7]], n_neighbors=1)
    1.0
    """
    check_arguments(trustworthiness, n_neighbors=(n_neighbors, [Int(1, None)]))
    X = check_array(X, dtype=np.float64, order="C", input_name="X")
    Y = check_array(X_embedded, dtype=np.float64, order="C", input_name="X_embedded")
    check_consistent_length(X, Y)
    n, k = len(X), n_neighbors
    if k >= n / 2:
        raise ValueError(f"n_neighbors ({k}) should be less than n_samples / 2 ({n / 2}).")
    near = build_index(Y, "euclidean").query(None, k, exclude_self=True)[1]
    precomputed = isinstance(metric, str) and metric == "precomputed"
    penalty = 0
    for begin in range(0, n, 512):  # never all n^2 distances at once
        rows = slice(begin, min(begin + 512, n))
        D = X[rows] if precomputed else pairwise_distances(X[rows], X, metric=metric)
        D = D.copy()
        D[np.arange(D.shape[0]), np.arange(rows.start, rows.stop)] = np.inf  # the row itself comes last
        order = np.argsort(D, axis=1, kind="stable")
        rank = np.empty_like(order)
        np.put_along_axis(rank, order, np.arange(1, n + 1)[None, :], axis=1)
        penalty += int(np.maximum(np.take_along_axis(rank, near[rows], axis=1) - k, 0).sum())
    return float(1.0 - penalty * (2.0 / (n * k * (2.0 * n - 3.0 * k - 1.0))))
