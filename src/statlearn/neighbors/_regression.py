"""Nearest-neighbour regression."""

import numpy as np
from scipy import sparse
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.warnings import warn
from statlearn._math.linalg.sparse_arrays import to_dense

from ._aggregate import distance_weights, local_lines, means, medians
from ._base import SEARCH_CONSTRAINTS, KNeighborsMixin, NeighborsBase, RadiusNeighborsMixin
from ._supervised import WEIGHT_RULES, SupervisedNeighbors, k_hoods

AGGREGATES = [Options("mean", "median", "local_linear")]


class NeighborsRegressor(SupervisedNeighbors, RegressorMixin):
    """Mixin for numeric responses, one column per output, and their summaries."""

    def _keep_targets(self, y):
        y = np.asarray(to_dense(y))
        if y.dtype.kind not in "fiub":
            y = y.astype(np.float64)
        self._y = y
        dense = not sparse.issparse(self._fit_X) and np.asarray(self._fit_X[:1]).dtype.kind == "f"
        precomputed = isinstance(self.metric, str) and self.metric == "precomputed"
        if self.aggregate == "local_linear" and (precomputed or not dense):
            raise ValueError(
                "`aggregate`='local_linear' requires dense numeric rows, because a slope cannot be "
                "fitted to distances alone."
            )

    def _summaries(self, hoods, Q):
        """One prediction per query and output; NaN for an empty neighbourhood."""
        y = self._y.reshape(len(self._y), -1)
        if self.aggregate == "median":
            out = medians(hoods, y)
        elif self.aggregate == "local_linear":
            rows = np.asarray(self._fit_X, dtype=np.float64)
            out = local_lines(hoods, y, rows, np.asarray(Q, dtype=np.float64))
        else:
            out = means(hoods, y)
        if self._y.dtype == np.float32:
            out = out.astype(np.float32)
        return out[:, 0] if self._y.ndim == 1 else out

    def _query_rows(self, X):
        """The queries as numbers, as required by a local fit."""
        if self.aggregate != "local_linear":
            return None
        return self._fit_X if X is None else self._validate_queries(X)

    def score(self, X, y, sample_weight=None):
        """Coefficient of determination; ``score(None, y)`` predicts each training row from the other rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features) or None
            None predicts each training row from the other rows.
        y : array-like of shape (n_queries,) or (n_queries, n_outputs)
        sample_weight : array-like of shape (n_queries,) or None, default=None

        Returns
        -------
        float
        """
        return super().score(X, y, sample_weight)


class KNeighborsRegressor(KNeighborsMixin, NeighborsRegressor, NeighborsBase):
    r"""Regression on the k nearest training rows by their mean, median, or a local plane.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours k. Choose it with :func:`choose_k`.
    weights : {"uniform", "distance"}, callable or None, default="uniform"
        "uniform" gives equal weights. "distance" weights rows by the inverse of the distance; rows at distance 0 then
        take all the weight. A callable maps an array of distances to an array of weights, for example a kernel. None is
        "uniform".
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        Search algorithm. It affects the speed, not the result.
    leaf_size : int, default=30
    p : float, default=2
        Power of the Minkowski metric.
    metric : str, callable or object, default="minkowski"
        See :func:`pairwise_distances`. With "precomputed", X contains distances instead of rows. "hamming" (also
        "matching", "overlap") is the fraction of columns that differ and takes columns of text and other categories as
        well; "hamming_count" is the number of cells that differ, with texts of one length compared letter by letter.
    metric_params : dict or None, default=None
    n_jobs : int or None, default=None
        Number of threads. It does not affect the result.
    aggregate : {"mean", "median", "local_linear"}, default="mean"
        Summary of the k responses. "mean" is the weighted mean. "median" is the weighted median, which is robust to
        outliers in y. "local_linear" is the value at the query of a weighted least-squares plane, which removes the
        bias of the mean at boundaries and on slopes.

    Attributes
    ----------
    effective_metric_ : str or callable
    effective_metric_params_ : dict
    n_samples_fit_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if X has column names that are all strings.

    See Also
    --------
    choose_k : choice of the number of neighbours by cross-validation.
    knn_smoother_matrix : the mean as a linear map of y.
    knn_risk : bias and variance for a known function.

    Notes
    -----
    The mean has n/k effective parameters. Scale the columns, or use ``metric="mahalanobis"``; with many columns a
    larger k does not help. A plane needs more neighbours than columns. With fewer, the minimum-norm plane is used, and
    directions in which the neighbours hardly vary get no slope. A plane extrapolates outside the data, where a mean
    remains constant. Ties in distance go to the smaller row index. ``predict(None)`` excludes each training row from
    its own neighbourhood. A row of weight w takes w of the k places, as w copies of it would.

    References
    ----------
    Cleveland, W. S. (1979). Robust locally weighted regression and smoothing scatterplots. JASA 74, 829-836.

    Examples
    --------
    >>> from statlearn.neighbors import KNeighborsRegressor
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 0.0, 1.0, 1.0]
    >>> KNeighborsRegressor(2).fit(X, y).predict([[1.5]])
    array([0.5])
    >>> KNeighborsRegressor(3, aggregate="median").fit(X, [0, 0, 100, 1]).predict([[1.0]])
    array([0.])
    """

    _constraints = {
        "n_neighbors": [Int(1, None)],
        "weights": WEIGHT_RULES,
        "aggregate": AGGREGATES,
        **SEARCH_CONSTRAINTS,
    }
    _search_space = SearchSpace("k nearest neighbours", grid={"n_neighbors": (30, 20, 12, 7, 4, 2, 1)})

    def __init__(
        self,
        n_neighbors=5,
        *,
        weights="uniform",
        algorithm="auto",
        leaf_size=30,
        p=2,
        metric="minkowski",
        metric_params=None,
        n_jobs=None,
        aggregate="mean",
    ):
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.aggregate = aggregate

    def fit(self, X, y, sample_weight=None):
        """Store the training rows in a search index.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), KDTree, BallTree or fitted estimator
            With ``metric="precomputed"``, the square matrix of distances.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row, a weight of 0 to omitting it.

        Returns
        -------
        self
        """
        check_params(self)
        return self._fit_rows(X, y, sample_weight)

    def predict(self, X):
        """Predict the response of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features) or None
            None predicts each training row from the other rows.

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)
        """
        hoods = self._k_hoods(X)
        return self._summaries(hoods, self._query_rows(X))

    def _along_k(self, distance, row, ks, loss, Q=None):
        """Predictions for each k of an increasing list, from the neighbours of the largest."""
        if self.aggregate != "mean" or callable(self.weights) or np.isnan(distance).any():
            for k in ks:
                yield self._summaries(k_hoods(distance[:, :k], row[:, :k], self.weights), Q)
            return
        # Weights do not depend on k: the sums of k neighbours are those of k - 1 and one more.
        m = len(row)
        weight = distance_weights(distance, np.repeat(np.arange(m), distance.shape[1]), self.weights)
        weight = np.ones(row.shape) if weight is None else weight.reshape(row.shape)
        y = self._y.reshape(len(self._y), -1)
        total, sums, done = np.zeros((m, 1)), np.zeros((m, y.shape[1])), 0
        for k in ks:
            for place in range(done, k):
                total += weight[:, place, None]
                sums += weight[:, place, None] * y[row[:, place]]
            done = k
            said = sums / total
            yield said[:, 0] if self._y.ndim == 1 else said


class RadiusNeighborsRegressor(RadiusNeighborsMixin, NeighborsRegressor, NeighborsBase):
    """Regression on all training rows within a radius by their mean, median, or a local plane.

    Parameters
    ----------
    radius : float, default=1.0
        Rows at exactly this distance are included.
    weights : {"uniform", "distance"}, callable or None, default="uniform"
        As in :class:`KNeighborsRegressor`.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
    leaf_size : int, default=30
    p : float, default=2
    metric : str, callable or object, default="minkowski"
    metric_params : dict or None, default=None
    n_jobs : int or None, default=None
    aggregate : {"mean", "median", "local_linear"}, default="mean"
        As in :class:`KNeighborsRegressor`.

    Attributes
    ----------
    effective_metric_ : str or callable
    effective_metric_params_ : dict
    n_samples_fit_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if X has column names that are all strings.

    See Also
    --------
    KNeighborsRegressor : regression on a fixed number of rows.

    Notes
    -----
    The prediction is NaN, with a warning, for a query without any row within the radius.

    Examples
    --------
    >>> from statlearn.neighbors import RadiusNeighborsRegressor
    >>> RadiusNeighborsRegressor(1.0).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 0.0, 1.0, 1.0]).predict([[1.5]])
    array([0.5])
    """

    _constraints = {
        "radius": [Real(0, None, closed="both")],
        "weights": WEIGHT_RULES,
        "aggregate": AGGREGATES,
        **SEARCH_CONSTRAINTS,
    }

    def __init__(
        self,
        radius=1.0,
        *,
        weights="uniform",
        algorithm="auto",
        leaf_size=30,
        p=2,
        metric="minkowski",
        metric_params=None,
        n_jobs=None,
        aggregate="mean",
    ):
        self.radius = radius
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.aggregate = aggregate

    def fit(self, X, y, sample_weight=None):
        """Store the training rows in a search index.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), KDTree, BallTree or fitted estimator
            With ``metric="precomputed"``, the square matrix of distances.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row, a weight of 0 to omitting it.

        Returns
        -------
        self
        """
        check_params(self)
        return self._fit_rows(X, y, sample_weight)

    def predict(self, X):
        """Predict the response of each row; NaN, with a warning, if no training row is near enough.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features) or None
            None predicts each training row from the other rows.

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)
        """
        check_is_fitted(self)
        hoods = self._radius_hoods(X)
        if np.any(hoods.sizes == 0):
            warn("One or more samples have no neighbors within specified radius; predicting NaN.")
        return self._summaries(hoods, self._query_rows(X))
