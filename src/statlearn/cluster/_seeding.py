"""Initialisation of k-means: random rows, rows far from one another, or points in the box around the data."""

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array

from statlearn._core import native
from statlearn._core.params import Int, check_arguments
from statlearn._core.validation import FLOATS
from statlearn._math.linalg.sparse_arrays import to_dense

from ._kernel_input import NO_WEIGHTS, kernel_rows, kernel_weights

STARTS = ("k-means++", "k-means||", "random", "box")


def kmeans_plusplus(X, n_clusters, *, sample_weight=None, x_squared_norms=None, random_state=None, n_local_trials=None):
    """k-means++ initialisation: rows drawn far from one another.

    The first row is drawn with probability proportional to its weight, each further one with probability proportional
    to its weight times the squared distance to the nearest row drawn so far. Of `n_local_trials` candidates, the one
    that reduces the objective most is chosen. With one trial, the expected objective is within a factor 8 (log k + 2)
    of the optimum.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows to draw from.
    n_clusters : int
        Number of rows to draw.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        A weight of k is equivalent to k copies of the row; rows of weight 0 are never drawn.
    x_squared_norms : array-like of shape (n_samples,) or None, default=None
        Accepted for compatibility with scikit-learn; only its length is checked.
    random_state : int, RandomState instance or None, default=None
        Seed. The draws depend on it and on the set of rows, but not on their order.
    n_local_trials : int or None, default=None
        Number of candidates per row, up to 10,000; None means ``2 + int(log(n_clusters))``, and 1 is the method of the
        original paper.

    Returns
    -------
    centers : ndarray of shape (n_clusters, n_features)
        The drawn rows.
    indices : ndarray of shape (n_clusters,)
        Indices of the rows in X.

    References
    ----------
    Arthur and Vassilvitskii (2007), k-means++: the advantages of careful seeding, SODA.

    Examples
    --------
    >>> from statlearn.cluster import kmeans_plusplus
    >>> centers, indices = kmeans_plusplus([[0.0], [0.1], [9.0], [9.1]], 2, random_state=0)
    >>> sorted(round(float(c)) for c in centers[:, 0])
    [0, 9]
    """
    check_arguments(
        kmeans_plusplus,
        n_clusters=(n_clusters, [Int(1, None)]),
        n_local_trials=(n_local_trials, [Int(1, 10_000), None]),
        random_state=(random_state, ["random_state"]),
    )
    X = check_array(X, accept_sparse="csr", dtype=FLOATS, order="C", accept_large_sparse=False)
    if X.shape[0] < n_clusters:
        raise ValueError(f"n_samples={X.shape[0]} should be >= n_clusters={n_clusters}.")
    if (x_squared_norms is not None and np.shape(x_squared_norms)[0] != X.shape[0]) or np.ndim(x_squared_norms) > 1:
        raise ValueError(
            f"The length of x_squared_norms {np.shape(x_squared_norms)} should be equal to the length of n_samples "
            f"{X.shape[0]}."
        )
    weights, present = kernel_weights(sample_weight, X)
    rows = X if present is None else X[present]
    chosen = draw_plusplus(rows, weights, n_clusters, check_random_state(random_state), n_local_trials)
    indices = chosen if present is None else present[chosen]
    return dense_rows(X, indices), indices


def dense_rows(X, indices):
    """Rows of a dense or sparse table as a dense array of the same precision."""
    rows = X[indices]
    return to_dense(rows)


def row_keys(X):
    """A hash of every row that depends only on its entries."""
    keys = np.empty(X.shape[0])
    native.cluster.row_keys(*kernel_rows(X), keys)
    return keys


def row_order(X):
    """Order of the rows that depends on their entries, not on their positions; copies are adjacent."""
    return np.argsort(row_keys(X)).astype(np.intp, copy=False)


def draw_rows(X, weights, size, random_state):
    """Distinct rows, drawn one by one by weight; copies of a row only if no others are left.

    As in k-means++, the draws depend on the set of rows, not on their order, and weights are equivalent to copies.
    """
    keys = row_keys(X)
    order = np.argsort(keys)
    cumulated = np.cumsum(weights[order]) if len(weights) else np.arange(1.0, len(order) + 1)
    chosen, seen, refused = [], set(), 0
    taken = np.zeros(len(order), dtype=bool)
    while len(chosen) < size:
        place = np.searchsorted(cumulated, random_state.uniform() * cumulated[-1], side="right")
        row = int(order[min(place, len(order) - 1)])
        # After many draws of known rows, rows that differ only in position are accepted.
        if keys[row] in seen and (refused < 20 * size or taken[row]):
            refused += 1
            if refused > 40 * size:
                chosen.extend(np.flatnonzero(~taken)[: size - len(chosen)].tolist())
                break
            continue
        seen.add(float(keys[row]))
        taken[row] = True
        chosen.append(row)
    return np.array(chosen[:size], dtype=np.intp)


def draw_plusplus(X, weights, n_clusters, random_state, trials=None, order=None):
    """Indices of the rows drawn by k-means++; `weights` is empty or positive."""
    chosen = np.empty(n_clusters, dtype=np.intp)
    trials = 2 + int(np.log(n_clusters)) if trials is None else trials
    order = row_order(X) if order is None else order
    seed = int(random_state.randint(2**31 - 1))
    native.cluster.kmeans_plusplus(*kernel_rows(X), weights, order, trials, seed, chosen)
    return chosen


def draw_parallel(X, weights, n_clusters, random_state, trials=None, rounds=5):
    """Centres by k-means|| (Bahmani et al., 2012): few rounds of many independent draws, then k-means++ on them.

    In each of five rounds every row is drawn with probability 2 k times its fraction of the objective. The drawn rows,
    weighted by the number of rows nearest to them, are clustered by k-means++ and a few iterations of Lloyd's
    algorithm.
    """
    n = X.shape[0]
    w = weights if len(weights) else np.ones(n)
    first = int(np.searchsorted(np.cumsum(w), random_state.uniform() * w.sum(), side="right"))
    drawn = [np.array([min(first, n - 1)])]
    nearest = nearest_centres(X, dense_rows(X, drawn[0]).astype(np.float64))[1]
    for _ in range(rounds):
        total = float(w @ nearest)
        if total <= 0:
            break
        new = np.flatnonzero(random_state.uniform(size=n) * total < 2.0 * n_clusters * w * nearest)
        if len(new):
            drawn.append(new)
            nearest = np.minimum(nearest, nearest_centres(X, dense_rows(X, new).astype(np.float64))[1])
    rows = np.concatenate(drawn)
    candidates = np.ascontiguousarray(dense_rows(X, rows))
    if len(rows) <= n_clusters:  # fewer distinct rows than clusters: fill up with rows by weight
        more = random_state.choice(n, size=n_clusters - len(rows), p=w / w.sum())
        return np.vstack([candidates, dense_rows(X, more)])
    share = np.bincount(nearest_centres(X, candidates.astype(np.float64))[0], weights=w, minlength=len(rows))
    keep = share > 0  # a copy of an earlier candidate gets no rows
    if keep.sum() >= n_clusters:
        candidates, share = np.ascontiguousarray(candidates[keep]), share[keep]
    chosen = draw_plusplus(candidates, np.maximum(share, 1e-300), n_clusters, random_state, trials)
    centres = candidates[chosen].astype(np.float64)
    labels = np.empty(len(candidates), dtype=np.int32)
    mean = np.average(candidates, axis=0, weights=share)
    scatter = float(share @ ((candidates - mean) ** 2).sum(axis=1))
    native.cluster.kmeans_fit(
        *kernel_rows(candidates), np.maximum(share, 1e-300), 1, 0.0, 10, mean, scatter, centres, labels
    )
    return centres


def nearest_centres(X, centres, *, distances=True):
    """Label of the nearest centre of every row, and its squared distance (empty without `distances`)."""
    labels = np.empty(X.shape[0], dtype=np.int32)
    squares = np.empty(X.shape[0] if distances else 0)
    origin = np.zeros(X.shape[1]) if sparse.issparse(X) else centres.mean(axis=0)
    native.cluster.nearest_centres(*kernel_rows(X), np.ascontiguousarray(centres), origin, labels, squares)
    return labels, squares


def box(X):
    """Smallest and largest entry of every column."""
    if sparse.issparse(X):
        return X.min(axis=0).toarray().ravel(), X.max(axis=0).toarray().ravel()
    return X.min(axis=0), X.max(axis=0)


def check_centres(centres, X, n_clusters):
    """Initial centres passed by the user, in double precision; their shape is checked."""
    centres = check_array(centres, dtype=np.float64, copy=True, order="C", input_name="init")
    if centres.shape[0] != n_clusters:
        raise ValueError(
            f"The shape of the initial centers {centres.shape} does not match the number of clusters {n_clusters}."
        )
    if centres.shape[1] != X.shape[1]:
        raise ValueError(
            f"The shape of the initial centers {centres.shape} does not match the number of features of the data "
            f"{X.shape[1]}."
        )
    return centres


def initial_centres(init, X, weights, n_clusters, random_state, trials=None, order=None):
    """Initial centres as doubles: from a named method, a function of the data, or an array."""
    if callable(init):
        return check_centres(init(X, n_clusters, random_state=random_state), X, n_clusters)
    if not isinstance(init, str):
        return check_centres(init, X, n_clusters)
    if init == "k-means||":
        return np.ascontiguousarray(draw_parallel(X, weights, n_clusters, random_state, trials), dtype=np.float64)
    if init == "box":
        low, high = box(X)
        return random_state.uniform(low, high, size=(n_clusters, X.shape[1]))
    if init == "random":
        rows = draw_rows(X, weights, n_clusters, random_state)
    else:
        rows = draw_plusplus(X, weights, n_clusters, random_state, trials, order)
    return dense_rows(X, rows).astype(np.float64, order="C")


__all__ = ["NO_WEIGHTS", "STARTS", "initial_centres", "kmeans_plusplus", "nearest_centres", "row_order"]
