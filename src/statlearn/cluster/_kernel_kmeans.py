"""Kernel k-means clustering."""

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.blas import single_blas_thread
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, validate_data
from statlearn._core.warnings import MAX_ITER, OK, warn_if_stopped
from statlearn.kernels import pairwise_kernels

from ._kernel_input import kernel_weights
from ._kmeans import require_rows
from ._labels import warn_if_fewer
from ._seeding import row_order

KERNELS = (
    "linear", "rbf", "gaussian", "poly", "polynomial", "sigmoid", "laplacian", "cosine", "chi2", "additive_chi2", "min",
)  # fmt: skip
_BLOCK = 512  # rows of the kernel matrix computed at once where it is not kept


class _Gram:
    """Kernel matrix of the training rows: stored if it is small enough, otherwise recomputed in blocks."""

    def __init__(self, kernel, X, cache_bytes):
        self.kernel, self.X, self.n = kernel, X, X.shape[0]
        self.kept = None
        if kernel is None:
            self.kept = X
        elif 8 * self.n**2 <= cache_bytes:
            self.kept = kernel(X, X)
        self.diagonal = self._diagonal()

    def _diagonal(self):
        if self.kept is not None:
            return np.diagonal(self.kept).astype(np.float64)
        blocks = [slice(b, b + 64) for b in range(0, self.n, 64)]
        return np.concatenate([np.diagonal(self.kernel(self.X[b], self.X[b])) for b in blocks]).astype(np.float64)

    def column(self, j):
        return self.columns(np.array([j]))[:, 0]

    def columns(self, rows):
        if self.kept is not None:
            return self.kept[:, rows].astype(np.float64, copy=False)
        return self.kernel(self.X, self.X[rows]).astype(np.float64, copy=False)

    def times(self, rows, B):
        """K[:, rows] @ B, in a fixed order of blocks."""
        result = np.zeros((self.n, B.shape[1]))
        with single_blas_thread():
            for b in range(0, len(rows), _BLOCK):
                result += self.columns(rows[b : b + _BLOCK]) @ B[b : b + _BLOCK]
        return result


class _KernelRun:
    """One run from given labels; sums of the kernel over the clusters are updated by the rows that move."""

    def __init__(self, gram, weights, labels, k, max_iter):
        self.gram, self.weights, self.k = gram, weights, k
        self.labels = labels
        self.scatter = float(weights @ gram.diagonal)
        self.sums = gram.times(np.arange(gram.n), weights[:, None] * np.eye(k)[labels])  # sum_j w_j K_ij over clusters
        self.history = []
        self.status, self.n_iter = MAX_ITER, 0
        self._relocate()
        while self.n_iter < max_iter:
            self.n_iter += 1
            squares = self.squares()
            self.history.append(self.objective)
            new = squares.argmin(axis=1)
            self.history.append(float(weights @ np.take_along_axis(squares, new[:, None], axis=1)[:, 0]))
            moved = np.flatnonzero(new != self.labels)
            if len(moved) == 0:
                self.status = OK
                break
            self._move(moved, new[moved])
            self._relocate()
        self.squares()

    def squares(self):
        """Squared distances to the cluster means in feature space; also sets what prediction needs."""
        self.mass = np.bincount(self.labels, weights=self.weights, minlength=self.k)
        divisor = np.where(self.mass > 0, self.mass, 1.0)
        inside = np.zeros(self.k)
        own_sums = np.take_along_axis(self.sums, self.labels[:, None], axis=1)[:, 0]
        np.add.at(inside, self.labels, self.weights * own_sums)
        self.norms = np.where(self.mass > 0, inside / divisor**2, np.inf)  # an empty cluster is nearest to nothing
        # sum_i w_i K_ii minus the squared lengths of the means: the objective right after the means moved.
        self.objective = self.scatter - float(np.sum(inside / divisor))
        return np.maximum(self.gram.diagonal[:, None] - 2 * self.sums / divisor + self.norms, 0.0)

    def _move(self, rows, to):
        signs = np.eye(self.k)[to] - np.eye(self.k)[self.labels[rows]]
        self.sums += self.gram.times(rows, self.weights[rows, None] * signs)
        self.labels[rows] = to

    def _relocate(self):
        """Move the rows farthest from their cluster means to empty clusters."""
        sizes = np.bincount(self.labels, minlength=self.k)
        for empty in np.flatnonzero(sizes == 0):
            squares = np.take_along_axis(self.squares(), self.labels[:, None], axis=1)[:, 0]
            squares[np.bincount(self.labels, minlength=self.k)[self.labels] < 2] = 0.0
            far = int(squares.argmax())
            if squares[far] <= 1e-12 * max(1.0, abs(self.scatter)):
                return
            self._move(np.array([far]), np.array([empty]))


class KernelKMeans(ClusterMixin, BaseEstimator):
    r"""Kernel k-means: clusters that are not linearly separable.

    Minimises the weighted sum of squared distances between the images of the rows in feature space and their cluster
    means. With the kernel matrix K, the squared distance of row i to cluster c of weight W is

    .. math:: K_{ii} - \frac{2}{W} \sum_{j \in c} s_j K_{ij} + \frac{1}{W^2} \sum_{j, l \in c} s_j s_l K_{jl} .

    Labels and means are updated in turn until no label changes; the objective never increases (`history_`). With the
    linear kernel this is :class:`KMeans`.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    kernel : str, kernel object or callable, default="rbf"
        A name of :func:`statlearn.kernels.pairwise_kernels`, an object of :mod:`statlearn.kernels`, a function of two
        rows, or "precomputed". X is then the kernel matrix.
    gamma : float or None, default=None
        Parameter of "rbf", "laplacian", "poly", "sigmoid" and "chi2"; None means 1 / n_features (1 for "chi2").
    degree : float, default=3
        Degree of "poly".
    coef0 : float, default=1
        Constant term of "poly" and "sigmoid".
    kernel_params : dict or None, default=None
        Additional parameters of a callable.
    init : {"k-means++", "random"} or array-like of shape (n_samples,), default="k-means++"
        Initialisation: rows far from one another in feature space, random rows, or initial labels.
    n_init : int or "auto", default="auto"
        Number of initialisations; the best run is kept. "auto" means 10 for "random" and 1 otherwise.
    max_iter : int, default=300
        Maximum number of iterations per initialisation.
    cache_size : float, default=500
        Maximum size of the stored kernel matrix in megabytes. A larger matrix is not stored but recomputed in blocks
        for the rows that change.
    random_state : int, RandomState instance or None, default=None
        Seed of the initialisations.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    inertia_ : float
        The objective.
    history_ : ndarray
        Objective of the best run after each half step: means, labels, means, ...
    n_iter_ : int
        Number of iterations of the best run.
    X_fit_ : ndarray
        Rows with positive weight, needed for prediction (their indices for "precomputed").
    fit_labels_, fit_weights_ : ndarray
        Clusters and weights of these rows.
    center_norms_ : ndarray of shape (n_clusters,)
        Squared norms of the cluster means in feature space.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names of X, if it has any.

    See Also
    --------
    SpectralClustering : relaxation of the weighted version.

    Notes
    -----
    An iteration costs n operations per row that changes, and n k for the distances. The result depends on the kernel
    and its width. There are many local optima; use several initialisations, or start from another clustering.

    References
    ----------
    Dhillon, Guan and Kulis (2004), Kernel k-means, spectral clustering and normalized cuts, KDD.

    Examples
    --------
    >>> from statlearn.cluster import KernelKMeans
    >>> model = KernelKMeans(2, kernel="linear", random_state=0).fit([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]])
    >>> round(model.inertia_, 6)
    4.0
    """

    _constraints = {
        "n_clusters": [Int(1, None)],
        "kernel": [Options(*KERNELS, "precomputed"), "callable"],
        "gamma": [Real(0, None), None],
        "degree": [Real(0, None)],
        "coef0": [Real(None, None, closed="neither")],
        "kernel_params": [Instance(dict), None],
        "init": [Options("k-means++", "random"), "array-like"],
        "n_init": [Options("auto"), Int(1, None)],
        "max_iter": [Int(1, None)],
        "cache_size": [Real(0, None)],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_clusters=8,
        *,
        kernel="rbf",
        gamma=None,
        degree=3,
        coef0=1,
        kernel_params=None,
        init="k-means++",
        n_init="auto",
        max_iter=300,
        cache_size=500,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        """Compute the clustering.

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
        if self._precomputed and X.shape[0] != X.shape[1]:
            raise ValueError(f"X must be a square kernel matrix with `kernel`='precomputed', got shape {X.shape}.")
        if self._precomputed and not np.allclose(X, X.T, rtol=1e-6, atol=1e-8 * np.abs(X).max()):
            raise ValueError("X must be a symmetric kernel matrix with `kernel`='precomputed'.")
        self._set_kernel()
        weights, present = kernel_weights(sample_weight, X)
        rows = np.arange(X.shape[0]) if present is None else present
        require_rows(len(rows), self.n_clusters)
        start_labels = None if isinstance(self.init, str) else self._check_labels(X.shape[0])
        weights = weights if len(weights) else np.ones(len(rows))
        if not self._precomputed:
            order = row_order(X[rows])  # copies side by side: the result does not depend on how the rows came
            rows, weights = rows[order], weights[order]
        inside = X[np.ix_(rows, rows)] if self._precomputed else X[rows]
        gram = _Gram(None if self._precomputed else self._kernel, inside, 1e6 * self.cache_size)
        random_state = check_random_state(self.random_state)
        if start_labels is not None:
            starts = [start_labels[rows]]
        else:
            count = (10 if self.init == "random" else 1) if self.n_init == "auto" else self.n_init
            starts = (self._start(gram, weights, random_state) for _ in range(count))
        best = None
        for labels in starts:
            run = _KernelRun(gram, weights, labels, self.n_clusters, self.max_iter)
            if best is None or run.objective < best.objective - 1e-12 * abs(best.objective):
                best = run

        self.X_fit_ = rows if self._precomputed else inside
        self.fit_labels_, self.fit_weights_ = best.labels.astype(np.int32), weights
        self.center_norms_ = best.norms
        self.labels_ = np.empty(X.shape[0], dtype=np.int32)
        self.labels_[rows] = best.labels
        if present is not None:
            absent = np.setdiff1d(np.arange(X.shape[0]), rows)
            self.labels_[absent] = self._nearest(X[absent])
        self.inertia_, self.n_iter_ = max(best.objective, 0.0), best.n_iter
        self.history_ = np.maximum(best.history, 0.0)
        warn_if_fewer(self, best.labels)
        warn_if_stopped(self, best.status, f"labels still change after {best.n_iter} iterations",
                        remedy="Increase max_iter.")  # fmt: skip
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
        """Cluster with the nearest mean in feature space.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features), or (n_queries, n_samples) if precomputed
            With "precomputed", the kernel between these rows and all training rows.

        Returns
        -------
        labels : ndarray of shape (n_queries,)
        """
        check_is_fitted(self)
        return self._nearest(validate_data(self, X, dtype=FLOATS, order="C", reset=False))

    @property
    def _precomputed(self):
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _set_kernel(self):
        """Store the kernel, so that later changes of the parameters do not affect predictions."""
        self._fit_kernel = self.kernel
        if callable(self.kernel):
            self._params = dict(self.kernel_params or {})
            return
        gamma = 1.0 if self.kernel == "chi2" and self.gamma is None else self.gamma
        self._params = {"gamma": gamma, "degree": self.degree, "coef0": self.coef0}

    def _kernel(self, A, B):
        if callable(self._fit_kernel):
            return pairwise_kernels(A, B, metric=self._fit_kernel, **self._params)
        with single_blas_thread():
            return pairwise_kernels(A, B, metric=self._fit_kernel, filter_params=True, **self._params)

    def _check_labels(self, n):
        labels = np.asarray(self.init)
        if labels.shape != (n,) or labels.dtype.kind not in "iu":
            raise ValueError(f"`init` must contain one integer label per row ({n} rows), got shape {labels.shape}.")
        if labels.min() < 0 or labels.max() >= self.n_clusters:
            raise ValueError(f"`init`: labels must be between 0 and n_clusters - 1 = {self.n_clusters - 1}.")
        return labels.astype(np.intp)

    def _start(self, gram, weights, random_state):
        """Labels of the nearest of some rows, drawn by k-means++ in feature space or uniformly."""
        cumulated_weights = np.cumsum(weights)

        def draw(cumulated):
            return min(int(np.searchsorted(cumulated, random_state.uniform() * cumulated[-1], "right")), gram.n - 1)

        def squares(row):
            return np.maximum(gram.diagonal - 2 * gram.column(row) + gram.diagonal[row], 0.0)

        best, labels = np.full(gram.n, np.inf), np.zeros(gram.n, dtype=np.intp)
        trials = 2 + int(np.log(self.n_clusters)) if self.init == "k-means++" else 1
        for c in range(self.n_clusters):
            mass = weights * best if c and self.init == "k-means++" else weights
            cumulated = np.cumsum(mass) if mass.sum() > 0 else cumulated_weights
            options = [squares(draw(cumulated)) for _ in range(trials if c else 1)]
            distance = options[int(np.argmin([weights @ np.minimum(best, option) for option in options]))]
            nearer = distance < best
            labels[nearer], best[nearer] = c, distance[nearer]
        return labels

    def _nearest(self, X):
        """Labels of new rows, block by block."""
        share = self.fit_weights_[:, None] * np.eye(len(self.center_norms_))[self.fit_labels_]
        mass = share.sum(axis=0)
        share /= np.where(mass > 0, mass, 1.0)
        labels = np.empty(X.shape[0], dtype=np.int32)
        for b in range(0, X.shape[0], _BLOCK):
            block = X[b : b + _BLOCK]
            K = block[:, self.X_fit_] if self.X_fit_.ndim == 1 else self._kernel(block, self.X_fit_)
            with single_blas_thread():
                labels[b : b + _BLOCK] = (self.center_norms_ - 2 * (K.astype(np.float64) @ share)).argmin(axis=1)
        return labels

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        tags.input_tags.positive_only = (
            self.kernel in ("chi2", "additive_chi2") if isinstance(self.kernel, str) else False
        )
        return tags
