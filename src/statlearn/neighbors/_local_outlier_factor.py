"""Outlier detection by local density."""

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.warnings import warn

from ._base import SEARCH_CONSTRAINTS, KNeighborsMixin, NeighborsBase

_FOR_NEW = {
    "predict": "predict is not available when novelty=False, use fit_predict if you want to predict on training data. "
    "Use novelty=True if you want to use LOF for novelty detection and predict on new unseen data.",
    "decision_function": "decision_function is not available when novelty=False. Use novelty=True if you want to use "
    "LOF for novelty detection and compute decision_function for new unseen data. Note that the opposite LOF of the "
    "training samples is always available by considering the negative_outlier_factor_ attribute.",
    "score_samples": "score_samples is not available when novelty=False. The scores of the training samples are always "
    "available through the negative_outlier_factor_ attribute. Use novelty=True if you want to use LOF for novelty "
    "detection and compute score_samples for new unseen data.",
}


def _only_for_new(method):
    def check(self):
        if not self.novelty:
            raise AttributeError(_FOR_NEW[method])
        return True

    return check


def _only_for_training(self):
    if self.novelty:
        raise AttributeError(
            "fit_predict is not available when novelty=True. Use novelty=False if you want to predict on the training "
            "set."
        )
    return True


class LocalOutlierFactor(KNeighborsMixin, OutlierMixin, NeighborsBase):
    r"""Local outlier factor: the density around the neighbours of a row relative to the density around the row.

    With the reachability distance :math:`r(x, o) = \max(d_k(o), d(x, o))`, where d_k is the distance to the k-th
    neighbour, the local density is the inverse of the mean of r over the k nearest rows of x, and

    .. math:: \mathrm{LOF}(x) = \frac1k \sum_{o \in N_k(x)} \frac{\mathrm{density}(o)}{\mathrm{density}(x)}

    The factor is about 1 inside a cluster of any density and grows as a row becomes more isolated.

    Parameters
    ----------
    n_neighbors : int, default=20
        Number of neighbours k, reduced to all other rows if there are fewer. It should exceed the size of the largest
        group of outliers.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
    leaf_size : int, default=30
    metric : str, callable or object, default="minkowski"
    p : float, default=2
    metric_params : dict or None, default=None
    contamination : "auto" or float, default="auto"
        Fraction of outliers among the training rows, up to 0.5, which sets the threshold. "auto" uses a factor of 1.5.
    novelty : bool, default=False
        Whether to score new rows (``predict``, ``decision_function``, ``score_samples``) rather than the training rows
        (``fit_predict``).
    n_jobs : int or None, default=None

    Attributes
    ----------
    negative_outlier_factor_ : ndarray of shape (n_samples,)
        Negative factor of each training row, about -1 for inliers and lower for outliers.
    offset_ : float
        Threshold: rows whose negative factor is below it are outliers.
    n_neighbors_ : int
        The number of neighbours used.
    effective_metric_ : str or callable
    effective_metric_params_ : dict
    n_samples_fit_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if X has column names that are all strings.

    Notes
    -----
    Scale the columns. More than k identical rows have infinite density, which is kept finite by adding 1e-10 to the
    distance. Rows around them then look like outliers, and a warning is issued; increase `n_neighbors`. With
    ``novelty=True``, a training row passed as a query is its own neighbour, so its score differs from
    ``negative_outlier_factor_``.

    References
    ----------
    Breunig, M., Kriegel, H.-P., Ng, R. & Sander, J. (2000). LOF: identifying density-based local outliers. SIGMOD
    Record 29, 93-104.

    Examples
    --------
    >>> from statlearn.neighbors import LocalOutlierFactor
    >>> model = LocalOutlierFactor(n_neighbors=2)
    >>> model.fit_predict([[-1.1], [0.2], [101.1], [0.3]])
    array([ 1,  1, -1,  1])
    >>> model.negative_outlier_factor_.round(2)
    array([ -0.98,  -1.04, -73.37,  -0.98])
    """

    _constraints = {
        "n_neighbors": [Int(1, None)],
        "contamination": [Options("auto"), Real(0, 0.5, closed="right")],
        "novelty": ["boolean"],
        **SEARCH_CONSTRAINTS,
    }

    def __init__(
        self,
        n_neighbors=20,
        *,
        algorithm="auto",
        leaf_size=30,
        metric="minkowski",
        p=2,
        metric_params=None,
        contamination="auto",
        novelty=False,
        n_jobs=None,
    ):
        self.n_neighbors = n_neighbors
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.contamination = contamination
        self.novelty = novelty
        self.n_jobs = n_jobs

    def fit(self, X, y=None):
        """Compute the factors of the training rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            With ``metric="precomputed"``, the square matrix of distances.
        y : None, default=None
            Ignored.

        Returns
        -------
        self
        """
        check_params(self)
        self._fit_index(self._validate_rows(X))
        n = self.n_samples_fit_
        if self.n_neighbors > n:
            warn(
                f"n_neighbors ({self.n_neighbors}) is greater than the total number of samples ({n}). n_neighbors will "
                "be set to (n_samples - 1) for estimation."
            )
        self.n_neighbors_ = max(1, min(self.n_neighbors, n - 1))
        distance, row = self.kneighbors(n_neighbors=self.n_neighbors_)
        self._reach = distance[:, -1].copy()
        self._density = self._densities(distance, row)
        factors = self._factors(self._density, row)
        if getattr(self._fit_X, "dtype", None) == np.float32:
            factors = factors.astype(np.float32)
        self.negative_outlier_factor_ = -factors
        if self.contamination == "auto":
            self.offset_ = -1.5
        else:
            self.offset_ = np.percentile(self.negative_outlier_factor_, 100.0 * self.contamination)
        if np.min(self.negative_outlier_factor_) < -1e7 and not self.novelty:
            warn(
                "Duplicate values are leading to incorrect results. Increase the number of neighbors for more accurate "
                "results."
            )
        return self

    def _densities(self, distance, row):
        """Inverse of the mean reachability distance to the neighbours."""
        return 1.0 / (np.mean(np.maximum(distance, self._reach[row]), axis=1) + 1e-10)

    def _factors(self, density, row):
        return np.mean(self._density[row], axis=1) / density

    @available_if(_only_for_training)
    def fit_predict(self, X, y=None):
        """Fit the model and label the training rows: 1 for inliers, -1 for outliers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : None, default=None
            Ignored.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.fit(X)._predict()

    @available_if(_only_for_new("predict"))
    def predict(self, X):
        """Label new rows: 1 for inliers, -1 for outliers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features)

        Returns
        -------
        ndarray of shape (n_queries,)
        """
        return self._predict(X)

    def _predict(self, X=None):
        """Labels of new rows, or of the training rows."""
        check_is_fitted(self)
        above = self.negative_outlier_factor_ - self.offset_ if X is None else self.decision_function(X)
        return np.where(above < 0, -1, 1)

    @available_if(_only_for_new("decision_function"))
    def decision_function(self, X):
        """Score of new rows relative to the threshold, negative for outliers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features)

        Returns
        -------
        ndarray of shape (n_queries,)
        """
        return self.score_samples(X) - self.offset_

    @available_if(_only_for_new("score_samples"))
    def score_samples(self, X):
        """Negative local outlier factor of new rows, relative to the training rows only.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features)

        Returns
        -------
        ndarray of shape (n_queries,)
        """
        check_is_fitted(self)
        distance, row = self.kneighbors(X, n_neighbors=self.n_neighbors_)
        scores = -self._factors(self._densities(distance, row), row)
        return scores.astype(np.float32) if getattr(self._fit_X, "dtype", None) == np.float32 else scores
