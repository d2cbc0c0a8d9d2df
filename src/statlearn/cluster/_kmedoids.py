"""k-medoids clustering: clusters around rows, for any dissimilarity."""

import itertools
import math

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core import native
from statlearn._core.memory import require_memory
from statlearn._core.params import Instance, Int, Options, check_params
from statlearn._core.validation import FLOATS, validate_data
from statlearn._core.warnings import OK, warn_if_stopped
from statlearn._math.distances.metrics import warn_of_distances

from ._dissimilarity import check_dissimilarity
from ._kernel_input import kernel_weights
from ._kmeans import require_rows
from ._seeding import row_order

_MANY_CHOICES = 5_000_000  # sets of medoids that an exhaustive search looks at


class _MedoidSearch:
    """Medoids of one dissimilarity matrix by one of the methods, and the results."""

    def __init__(self, D, weights):
        self.D, self.weights = D, weights
        self.history = np.empty(0)
        self.n_iter, self.n_swaps, self.status = 1, 0, OK

    def iterate(self, medoids, max_iter, *, by_swaps):
        self.medoids = np.array(medoids, dtype=np.intp)
        labels = np.empty(len(self.D), dtype=np.int32)
        self.loss, self.n_iter, self.n_swaps, self.status, self.history = native.cluster.medoids_fit(
            self.D, self.weights, by_swaps, max_iter, self.medoids, labels
        )
        return self

    def exhaust(self, n_clusters):
        """The best of all sets of medoids; ties go to the first."""
        n = len(self.D)
        choices = math.comb(n, n_clusters)
        if choices > _MANY_CHOICES:
            raise ValueError(
                f"`method`='exhaustive' would examine {choices} sets of medoids, more than the limit of "
                f"{_MANY_CHOICES}. Use `method`='fasterpam'."
            )
        weights = self.weights if len(self.weights) else np.ones(n)
        best, medoids = np.inf, None
        sets = itertools.combinations(range(n), n_clusters)
        block = max(1, 2_000_000 // (n * n_clusters))
        while chunk := list(itertools.islice(sets, block)):
            losses = self.D[np.array(chunk)].min(axis=1) @ weights
            at = int(losses.argmin())
            if losses[at] < best * (1 - 1e-14) or medoids is None:
                best, medoids = losses[at], chunk[at]
        self.loss, self.medoids, self.history = float(best), np.array(medoids), np.array([best])
        return self

    def better_than(self, other):
        return other is None or self.loss < other.loss * (1 - 1e-12)


def _draw_far(D, weights, n_clusters, random_state):
    """Rows drawn by weight times dissimilarity to the nearest drawn row, each the best of a few draws."""
    n = len(D)
    weights = weights if len(weights) else np.ones(n)
    trials = 2 + int(np.log(n_clusters))

    def draw(mass):
        cumulated = np.cumsum(mass)
        return min(int(np.searchsorted(cumulated, random_state.uniform() * cumulated[-1], side="right")), n - 1)

    medoids = [draw(weights)]
    nearest = D[medoids[0]].astype(np.float64)
    while len(medoids) < n_clusters:
        mass = weights * nearest
        if mass.sum() <= 0:  # all rows are copies of chosen ones, so any others are equivalent
            mass = np.where(np.isin(np.arange(n), medoids), 0.0, weights)
            candidates = [draw(mass)]
        else:
            candidates = [draw(mass) for _ in range(trials)]
        losses = [weights @ np.minimum(nearest, D[c]) for c in candidates]
        medoids.append(candidates[int(np.argmin(losses))])
        nearest = np.minimum(nearest, D[medoids[-1]])
    return np.array(medoids, dtype=np.intp)


class KMedoids(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    r"""k-medoids clustering: each row belongs to the nearest of k medoids, which are rows themselves.

    Minimises over sets M of k medoids, with weights s and any dissimilarity d,

    .. math:: \sum_i s_i \min_{m \in M} d(x_i, x_m) ,

    a plain sum (`inertia_`), without squares. Only dissimilarities between rows are used, so d need not be a metric; it
    must be symmetric, non-negative and 0 between a row and itself. Medoids are actual rows, and outliers have less
    influence than in k-means.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters k.
    metric : str or callable, default="euclidean"
        A metric of :func:`statlearn.neighbors.pairwise_distances`, a function of two rows, or "precomputed". X is then
        the dissimilarity matrix.
    method : {"fasterpam", "alternate", "clara", "exhaustive"}, default="fasterpam"
        "fasterpam" swaps medoids with other rows until no swap improves the loss (the result of PAM, k times faster).
        "alternate" alternates between assigning rows and moving each medoid within its cluster, which is even faster
        but finds worse optima. "clara" runs FasterPAM on subsamples and keeps the medoids that are best for all rows,
        without a matrix of all pairs. "exhaustive" examines all sets of medoids, for tiny tables.
    init : {"k-medoids++", "random", "build"} or array-like of shape (n_clusters,), default="k-medoids++"
        Initialisation: rows far from one another, random rows, rows chosen one by one to reduce the loss most (the
        BUILD phase of PAM, k n^2 operations), or an array of row indices.
    n_init : int or "auto", default="auto"
        Number of initialisations; the run with the smallest loss is kept. "auto" means 10 for "random" and 1 otherwise.
    max_iter : int, default=300
        Maximum number of passes over the rows per initialisation.
    metric_params : dict or None, default=None
        Parameters of the metric.
    n_subsamples : int, default=5
        Number of subsamples for method "clara".
    subsample_size : int or None, default=None
        Number of rows in a subsample; None means 80 + 4 k.
    random_state : int, RandomState instance or None, default=None
        Seed of the initialisations and subsamples.

    Attributes
    ----------
    medoid_indices_ : ndarray of shape (n_clusters,)
        Indices of the medoids in X.
    cluster_centers_ : ndarray of shape (n_clusters, n_features) or None
        Rows of the medoids; None for a precomputed matrix.
    labels_ : ndarray of shape (n_samples,)
        Index of the nearest medoid of each row; ties go to the first.
    inertia_ : float
        Weighted sum of dissimilarities to the nearest medoid.
    n_iter_ : int
        Number of passes of the best run.
    n_swaps_ : int
        Number of swaps in the best run.
    history_ : ndarray
        Loss of the best run, initially and after each swap.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names of X, if it has any.

    See Also
    --------
    KMeans : centres are means and the distance is Euclidean.

    Notes
    -----
    A pass of FasterPAM costs n^2 operations, and all methods except "clara" store the n x n matrix. Candidates are
    tried in parallel, with the same result as trying them one after the other.

    References
    ----------
    Kaufman and Rousseeuw (1990), Finding Groups in Data, Wiley.
    Schubert and Rousseeuw (2021), Fast and eager k-medoids clustering, Information Systems 101.

    Examples
    --------
    >>> from statlearn.cluster import KMedoids
    >>> model = KMedoids(2, metric="manhattan", random_state=0).fit([[1.0], [2.0], [3.0], [10.0], [11.0], [90.0]])
    >>> sorted(model.cluster_centers_[:, 0].tolist())
    [3.0, 90.0]
    """

    _constraints = {
        "n_clusters": [Int(1, None)],
        "metric": [Instance(str), "callable"],
        "method": [Options("fasterpam", "alternate", "clara", "exhaustive")],
        "init": [Options("k-medoids++", "random", "build"), "array-like"],
        "n_init": [Options("auto"), Int(1, None)],
        "max_iter": [Int(1, None)],
        "metric_params": [Instance(dict), None],
        "n_subsamples": [Int(1, 1000)],
        "subsample_size": [Int(1, None), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_clusters=8,
        *,
        metric="euclidean",
        method="fasterpam",
        init="k-medoids++",
        n_init="auto",
        max_iter=300,
        metric_params=None,
        n_subsamples=5,
        subsample_size=None,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.metric = metric
        self.method = method
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.metric_params = metric_params
        self.n_subsamples = n_subsamples
        self.subsample_size = subsample_size
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        """Compute the medoids.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or (n_samples, n_samples) if precomputed
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row, a weight of 0 to omitting it.

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_data(self, X, dtype=FLOATS, order="C")
        if self._precomputed:
            check_dissimilarity(X)
        warn_of_distances(X, self.metric)
        weights, present = kernel_weights(sample_weight, X)
        self._set_metric_params(X if present is None else X[present])
        rows = np.arange(len(X)) if present is None else present
        require_rows(len(rows), self.n_clusters)
        passed = None if isinstance(self.init, str) else self._check_medoids(len(X))
        if not self._precomputed and passed is None:
            # Rows in a canonical order, copies together, so that the result does not depend on the order of X.
            order = row_order(X[rows])
            rows, weights = rows[order], weights[order] if len(weights) else weights
        random_state = check_random_state(self.random_state)
        if self.method == "clara" and len(rows) > self._sample_size():
            best = self._clara(X, rows, weights, random_state, passed)
        else:
            best = self._best(self._matrix(X, rows), weights, random_state, passed, rows)
            best.medoids = rows[best.medoids]

        self.medoid_indices_ = best.medoids
        self.cluster_centers_ = None if self._precomputed else X[best.medoids]
        distances = self._to_medoids(X)
        self.labels_ = distances.argmin(axis=1).astype(np.int32)
        nearest = distances[rows].min(axis=1)
        self.inertia_ = float(nearest @ weights if len(weights) else nearest.sum())
        self.n_iter_, self.n_swaps_, self.history_ = best.n_iter, best.n_swaps, best.history
        warn_if_stopped(
            self, best.status, f"medoids still change after {best.n_iter} passes", remedy="Increase max_iter."
        )
        return self

    def fit_predict(self, X, y=None, sample_weight=None):
        """Fit the model and return the cluster label of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or (n_samples, n_samples) if precomputed
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return self.fit(X, sample_weight=sample_weight).labels_

    def predict(self, X):
        """Nearest medoid of each row.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features), or (n_queries, n_samples) if precomputed
            With "precomputed", the dissimilarities to all training rows.

        Returns
        -------
        labels : ndarray of shape (n_queries,)
        """
        return self._checked_distances(X).argmin(axis=1).astype(np.int32)

    def transform(self, X):
        """Dissimilarities from the rows to the medoids.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features), or (n_queries, n_samples) if precomputed

        Returns
        -------
        distances : ndarray of shape (n_queries, n_clusters)
        """
        return self._checked_distances(X)

    def _checked_distances(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, order="C", reset=False)
        return self._to_medoids(X).astype(X.dtype, copy=False)

    @property
    def _precomputed(self):
        return isinstance(self.metric, str) and self.metric == "precomputed"

    @property
    def _n_features_out(self):
        return len(self.medoid_indices_)

    def _set_metric_params(self, X):
        """Compute the metric parameters that depend on the data, once, from the training rows."""
        self._metric, self._params = self.metric, dict(self.metric_params or {})
        if self.metric == "mahalanobis" and not {"V", "VI"} & set(self._params):
            self._params["V"] = np.atleast_2d(np.cov(X, rowvar=False))
        if self.metric == "seuclidean" and "V" not in self._params:
            self._params["V"] = X.var(axis=0, ddof=1)

    def _distances(self, A, B):
        from statlearn.neighbors import pairwise_distances

        return pairwise_distances(A, B, metric=self._metric, **self._params)

    def _to_medoids(self, X):
        if self.cluster_centers_ is None:  # fitted to a matrix of dissimilarities
            return X[:, self.medoid_indices_]
        return self._distances(X, self.cluster_centers_)

    def _matrix(self, X, rows):
        if self._precomputed:
            return X if len(rows) == len(X) else np.ascontiguousarray(X[np.ix_(rows, rows)])
        n = len(rows)
        require_memory(8 * n * n, f"The {n} x {n} dissimilarity matrix of KMedoids", "Use method='clara'.")
        return np.ascontiguousarray(self._distances(X[rows], X[rows]))

    def _check_medoids(self, n):
        medoids = np.asarray(self.init)
        if medoids.shape != (self.n_clusters,) or medoids.dtype.kind not in "iu":
            raise ValueError(f"`init` must contain n_clusters={self.n_clusters} row indices, got {self.init!r}.")
        if len(np.unique(medoids)) < len(medoids) or medoids.min() < 0 or medoids.max() >= n:
            raise ValueError(f"`init` must contain distinct row indices between 0 and {n - 1}, got {self.init!r}.")
        return medoids.astype(np.intp)

    def _best(self, D, weights, random_state, fixed, rows):
        """The best of all runs on one matrix; medoids are positions in it."""
        search = _MedoidSearch(D, weights)
        if self.method == "exhaustive":
            return search.exhaust(self.n_clusters)
        by_swaps = self.method != "alternate"
        if fixed is not None:
            if not np.isin(fixed, rows).all():
                raise ValueError("`init` contains rows with sample_weight 0; choose rows with positive weight.")
            starts = [np.searchsorted(rows, fixed)]
        elif self.init == "build":
            starts = [np.empty(self.n_clusters, dtype=np.intp)]
            native.cluster.medoids_build(D, weights, starts[0])
        else:
            count = (10 if self.init == "random" else 1) if self.n_init == "auto" else self.n_init
            starts = (self._draw(D, weights, random_state) for _ in range(count))
        best = None
        for start in starts:
            solution = _MedoidSearch(D, weights).iterate(start, self.max_iter, by_swaps=by_swaps)
            if solution.better_than(best):
                best = solution
        return best

    def _draw(self, D, weights, random_state):
        if self.init == "random":
            share = weights / weights.sum() if len(weights) else None
            return random_state.choice(len(D), size=self.n_clusters, replace=False, p=share)
        return _draw_far(D, weights, self.n_clusters, random_state)

    def _sample_size(self):
        size = 80 + 4 * self.n_clusters if self.subsample_size is None else self.subsample_size
        return max(size, self.n_clusters + 1)

    def _clara(self, X, rows, weights, random_state, start):
        """FasterPAM on subsamples, each including the best medoids so far; evaluated on all rows."""
        best, medoids = None, start
        for _ in range(self.n_subsamples):
            sample = random_state.choice(len(rows), size=self._sample_size(), replace=False)
            if medoids is not None:
                sample = np.union1d(sample, np.flatnonzero(np.isin(rows, medoids)))
            sample.sort()
            chosen = rows[sample]
            sample_weights = weights[sample] if len(weights) else weights
            run = self._best(self._matrix(X, chosen), sample_weights, random_state, None, chosen)
            run.medoids = chosen[run.medoids]
            nearest = (
                X[np.ix_(rows, run.medoids)] if self._precomputed else self._distances(X[rows], X[run.medoids])
            ).min(axis=1)
            run.loss = float(nearest @ weights if len(weights) else nearest.sum())
            run.history = np.array([run.loss])
            if run.better_than(best):
                best, medoids = run, run.medoids
        return best

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
