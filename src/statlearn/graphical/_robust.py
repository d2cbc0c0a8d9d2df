"""The minimum covariance determinant, and outlier detection with it."""

import numpy as np
from scipy.special import chdtr, chdtri
from sklearn.base import OutlierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Real, check_params
from statlearn._core.validation import check_array, naming, validate_data
from statlearn._core.warnings import warn
from statlearn._math.linalg import covariance as core

from ._covariance import EmpiricalCovariance, inverse

_ZERO = (
    "The covariance matrix of the support data is equal to 0, try to increase support_fraction: more than half of the "
    "rows are equal."
)


def _chi2_quantile(p, tail):
    """The value that a chi-squared variable with p degrees of freedom exceeds with probability `tail`."""
    return float(chdtri(p, tail))


def _consistency(p, fraction):
    """Factor that makes the covariance of the innermost fraction of Gaussian rows consistent (Croux and Haesbroeck)."""
    if fraction >= 1.0:
        return 1.0
    return fraction / float(chdtr(p + 2, _chi2_quantile(p, 1.0 - fraction)))


def _distances(X, locations, covariances):
    """Squared Mahalanobis distances (subsets, rows) from each location, by pseudo-inverses where singular."""
    try:
        factor = np.linalg.cholesky(covariances)
        pivot = np.diagonal(factor, axis1=1, axis2=2)
        if np.any(pivot.min(axis=1) <= 1e-8 * pivot.max(axis=1)):
            raise np.linalg.LinAlgError
        Z = np.swapaxes(X[None] - locations[:, None], 1, 2)
        return np.sum(np.linalg.solve(factor, Z) ** 2, axis=1)
    except np.linalg.LinAlgError:
        result = np.empty((len(locations), X.shape[0]))
        for k, (location, covariance) in enumerate(zip(locations, covariances)):
            Z = X - location
            result[k] = np.einsum("ij,ij->i", Z @ inverse(covariance), Z)
        return result


def _moments(X, support, moments=None):
    """Mean and covariance of each subset of rows (subsets, h)."""
    if moments is not None:
        covariances = np.array([moments(X[rows]) for rows in support])
        return X[support].mean(axis=1), covariances
    rows = X[support]
    locations = rows.mean(axis=1)
    Z = rows - locations[:, None]
    return locations, np.swapaxes(Z, 1, 2) @ Z / support.shape[1]


def _c_steps(X, support, h, n_steps, moments):
    """Concentration steps: to the h rows nearest in Mahalanobis distance, repeatedly; the determinant never grows.

    Returns supports (subsets, h) and log-determinants, in batches of bounded memory.
    """
    batch = max(1, int(2e6) // max(1, X.size))
    subsets, values = [], []
    for start in range(0, len(support), batch):
        part = support[start : start + batch]
        locations, covariances = _moments(X, part, moments)
        last = np.full(len(part), np.inf)
        for _ in range(n_steps):
            distance = _distances(X, locations, covariances)
            part = np.sort(np.argpartition(distance, h - 1, axis=1)[:, :h], axis=1)
            locations, covariances = _moments(X, part, moments)
            value = np.linalg.slogdet(covariances)[1]
            if np.all(last - value <= 1e-12 * np.abs(value)) or np.all(np.isneginf(value)):
                break
            last = value
        subsets.append(part)
        values.append(np.linalg.slogdet(covariances)[1])
    return np.concatenate(subsets), np.concatenate(values)


def _random_subsets(n, size, count, rng):
    return np.argpartition(rng.random_sample((count, n)), size - 1, axis=1)[:, :size]


def _best(X, starts, h, keep, n_steps, moments):
    """The `keep` supports with the smallest determinants after a few concentration steps."""
    supports, values = _c_steps(X, starts, h, n_steps, moments)
    order = np.argsort(values, kind="stable")[:keep]
    return supports[order], values[order]


def _shortest_half(X, h):
    """The exact answer for one column: the interval of h sorted values with the smallest variance."""
    order = np.argsort(X[:, 0], kind="stable")
    x = X[order, 0] - np.median(X[:, 0])
    total = np.concatenate([[0.0], np.cumsum(x)])
    square = np.concatenate([[0.0], np.cumsum(x * x)])
    mean = (total[h:] - total[:-h]) / h
    first = int(np.argmin((square[h:] - square[:-h]) / h - mean**2))
    return order[first : first + h]


def fast_mcd(X, support_fraction=None, cov_computation_method=None, random_state=None):
    """The subset of rows whose covariance has the smallest determinant, by FAST-MCD.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    support_fraction : float or None, default=None
        Fraction of the rows in the subset. None takes ``(n_samples + n_features + 1) / 2`` rows, which resists the
        largest number of outliers.
    cov_computation_method : callable or None, default=None
        Function of rows that returns their covariance. None uses the maximum-likelihood covariance.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    location : ndarray of shape (n_features,)
    covariance : ndarray of shape (n_features, n_features)
        Raw covariance of the subset, without a correction for consistency.
    support : ndarray of shape (n_samples,)
        Boolean mask of the subset.
    dist : ndarray of shape (n_samples,)
        Squared Mahalanobis distances.

    References
    ----------
    Rousseeuw, P. J. and Van Driessen, K. (1999). A fast algorithm for the minimum covariance determinant estimator.
    Technometrics 41, 212-223.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import fast_mcd
    >>> X = np.array([[0.0], [0.1], [0.2], [0.3], [0.4], [50.0], [60.0]])
    >>> fast_mcd(X, random_state=0)[2]
    array([ True,  True,  True,  True,  True, False, False])
    """
    rng = check_random_state(random_state)
    with naming("X"):
        X = check_array(X, ensure_min_samples=2, dtype=np.float64)
    n, p = X.shape
    h = int(np.ceil(0.5 * (n + p + 1))) if support_fraction is None else int(support_fraction * n)
    h = min(max(h, 1), n)
    moments = cov_computation_method
    if p == 1 and moments is None:
        rows = _shortest_half(X, h)
    elif h == n:
        rows = np.arange(n)
    else:
        rows = _multivariate_rows(X, h, rng, moments)
    locations, covariances = _moments(X, rows[None], moments)
    location, covariance = locations[0], np.atleast_2d(covariances[0])
    support = np.zeros(n, dtype=bool)
    support[rows] = True
    if not np.any(covariance):
        # More than half of the rows are equal; distances from that point cannot be scaled.
        return location, covariance, support, np.where(np.any(location != X, axis=1), np.inf, 0.0)
    return location, covariance, support, _distances(X, location[None], covariance[None])[0]


def _multivariate_rows(X, h, rng, moments):
    n, p = X.shape
    if n <= 500:
        starts = _random_subsets(n, min(h, p + 1), 500, rng)
        supports, _ = _best(X, starts, h, 10, 2, moments)
        return _best(X, supports, h, 1, 30, moments)[0][0]
    # Large tables: search in disjoint subsets, carry the best to their union, then to all rows.
    n_subsets = min(5, n // 300)
    size = n // n_subsets if n < 1500 else 300
    shuffled = rng.permutation(n)[: size * n_subsets]
    h_small = max(int(np.ceil(size * h / n)), min(size, p + 1))
    n_trials = max(10, 500 // n_subsets)
    carried = []
    for k in range(n_subsets):
        rows = shuffled[k * size : (k + 1) * size]
        starts = _random_subsets(size, min(h_small, p + 1), n_trials, rng)
        supports, _ = _best(X[rows], starts, h_small, 10, 2, moments)
        carried.append(rows[supports])
    merged = shuffled
    h_merged = max(int(np.ceil(len(merged) * h / n)), min(len(merged), p + 1))
    position = np.empty(n, dtype=np.intp)
    position[merged] = np.arange(len(merged))
    supports, _ = _best(X[merged], position[np.concatenate(carried)], h_merged, 10, 2, moments)
    return _best(X, merged[supports], h, 1, 100, moments)[0][0]


class MinCovDet(EmpiricalCovariance):
    r"""Minimum covariance determinant: mean and covariance that resist outliers.

    The mean and covariance of the h rows whose covariance has the smallest determinant, found by FAST-MCD and scaled to
    be consistent for Gaussian data. Then both are computed again from all rows with a squared distance below the 97.5 %
    quantile of the chi-squared distribution, and the covariance is scaled again. The scale of the covariance of the
    innermost fraction a of the rows is

    .. math:: c(a) = a / F_{\chi^2_{p+2}}(\chi^2_{p, a})

    Parameters
    ----------
    store_precision : bool, default=True
        Whether to store the precision matrix.
    assume_centered : bool, default=False
        Whether the robust mean is taken to be zero.
    support_fraction : float or None, default=None
        Fraction of the rows in the raw estimate, in (0, 1]. None takes ``(n_samples + n_features + 1) / 2`` rows.
    random_state : int, RandomState or None, default=None
        Seed of the random subsets.

    Attributes
    ----------
    raw_location_ : ndarray of shape (n_features,)
        Mean before correction and reweighting.
    raw_covariance_ : ndarray of shape (n_features, n_features)
        Covariance before correction and reweighting.
    raw_support_ : ndarray of shape (n_samples,)
        Rows of the raw estimates.
    location_ : ndarray of shape (n_features,)
        Robust mean.
    covariance_ : ndarray of shape (n_features, n_features)
        Robust covariance.
    precision_ : ndarray of shape (n_features, n_features)
        Only if `store_precision` is True.
    support_ : ndarray of shape (n_samples,)
        Rows that the reweighted estimates use.
    dist_ : ndarray of shape (n_samples,)
        Squared Mahalanobis distances of the training rows.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    EllipticEnvelope : outlier detection with these distances.

    Notes
    -----
    Needs many more rows than columns; n > 5 p is a usual advice. The search is random: the determinant found is a local
    minimum from 500 random starts.

    References
    ----------
    Rousseeuw, P. J. (1984). Least median of squares regression. JASA 79, 871-881.

    Rousseeuw, P. J. and Van Driessen, K. (1999). A fast algorithm for the minimum covariance determinant estimator.
    Technometrics 41, 212-223.

    Croux, C. and Haesbroeck, G. (1999). Influence function and efficiency of the minimum covariance determinant scatter
    matrix estimator. Journal of Multivariate Analysis 71, 161-190.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import MinCovDet
    >>> X = np.random.RandomState(0).normal(size=(100, 2))
    >>> X[:20] += 10  # outliers
    >>> MinCovDet(random_state=0).fit(X).location_.round(2)
    array([-0.13,  0.15])
    """

    _constraints = {
        **EmpiricalCovariance._constraints,
        "support_fraction": [Real(0, 1, closed="right"), None],
        "random_state": ["random_state"],
    }

    def __init__(self, *, store_precision=True, assume_centered=False, support_fraction=None, random_state=None):
        super().__init__(store_precision=store_precision, assume_centered=assume_centered)
        self.support_fraction = support_fraction
        self.random_state = random_state

    def fit(self, X, y=None):
        """Compute the robust mean and covariance.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self : object
        """
        check_params(self)
        X = validate_data(self, X, ensure_min_samples=2, dtype=np.float64)
        n, p = X.shape
        # numpy's rank forms a product that may overflow for huge columns; the scale does not matter here.
        largest = np.abs(X).max(axis=0)
        scaled = X / np.where(largest > 0, largest, 1.0)
        if np.linalg.matrix_rank(scaled.T @ scaled / n) < p:
            warn(
                "The covariance matrix associated to your dataset is not full rank: a column is constant, or a "
                "combination of others. Distances use a pseudo-inverse; drop such columns."
            )
        location, covariance, support, dist = fast_mcd(
            X, support_fraction=self.support_fraction, random_state=check_random_state(self.random_state)
        )
        if self.assume_centered:
            location = np.zeros(p)
            covariance = core.empirical_covariance(X[support], assume_centered=True)[1]
            dist = np.einsum("ij,ij->i", X @ inverse(covariance), X)
        self.raw_location_, self.raw_covariance_, self.raw_support_ = location, covariance, support
        self.location_, self.support_, self.dist_ = location, support, dist
        self.correct_covariance(X)
        self.reweight_covariance(X)
        return self

    def correct_covariance(self, data):
        """Scale the raw covariance to be consistent for Gaussian data.

        Parameters
        ----------
        data : array-like of shape (n_samples, n_features)
            The data that the raw estimates come from.

        Returns
        -------
        ndarray of shape (n_features, n_features)
        """
        if np.trace(self.raw_covariance_) <= 1e-14 * np.sum(np.var(data, axis=0)):
            raise ValueError(_ZERO)
        correction = _consistency(self.raw_covariance_.shape[0], float(np.mean(self.support_)))
        corrected = self.raw_covariance_ * correction
        self.dist_ = self.dist_ / correction
        return corrected

    def reweight_covariance(self, data):
        """Compute mean and covariance again from the rows that are no outliers, and set the fitted attributes.

        Parameters
        ----------
        data : array-like of shape (n_samples, n_features)

        Returns
        -------
        location : ndarray of shape (n_features,)
        covariance : ndarray of shape (n_features, n_features)
        support : ndarray of shape (n_samples,)
        """
        data = np.asarray(data, dtype=np.float64)
        support = self.dist_ < _chi2_quantile(data.shape[1], 0.025)
        location, covariance = core.empirical_covariance(data[support], assume_centered=self.assume_centered)
        covariance = covariance * _consistency(data.shape[1], 0.975)
        self.location_, self.support_ = location, support
        self._set_covariance(covariance)
        Z = data - location
        self.dist_ = np.einsum("ij,ij->i", Z @ self.get_precision(), Z)
        return location, covariance, support


class EllipticEnvelope(OutlierMixin, MinCovDet):
    r"""Outlier detection by robust Mahalanobis distances.

    Fits `MinCovDet` and calls the `contamination` fraction of the training rows with the largest distances outliers.

    Parameters
    ----------
    store_precision : bool, default=True
        Whether to store the precision matrix.
    assume_centered : bool, default=False
        Whether the robust mean is taken to be zero.
    support_fraction : float or None, default=None
        Fraction of the rows in the raw estimate, in (0, 1]. None takes ``(n_samples + n_features + 1) / 2`` rows.
    contamination : float, default=0.1
        Fraction of outliers in the training data, in (0, 0.5].
    random_state : int, RandomState or None, default=None
        Seed of the random subsets.

    Attributes
    ----------
    location_ : ndarray of shape (n_features,)
        Robust mean.
    covariance_ : ndarray of shape (n_features, n_features)
        Robust covariance.
    precision_ : ndarray of shape (n_features, n_features)
        Only if `store_precision` is True.
    support_ : ndarray of shape (n_samples,)
        Rows that the reweighted estimates use.
    offset_ : float
        Threshold: ``decision_function = score_samples - offset_``.
    raw_location_ : ndarray of shape (n_features,)
    raw_covariance_ : ndarray of shape (n_features, n_features)
    raw_support_ : ndarray of shape (n_samples,)
    dist_ : ndarray of shape (n_samples,)
        Squared Mahalanobis distances of the training rows.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    MinCovDet : the estimate of mean and covariance.

    Notes
    -----
    Assumes one elliptical cloud. With several clusters, or with fewer than some five rows per column, distances mean
    little.

    References
    ----------
    Rousseeuw, P. J. and Van Driessen, K. (1999). A fast algorithm for the minimum covariance determinant estimator.
    Technometrics 41, 212-223.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import EllipticEnvelope
    >>> X = np.random.RandomState(0).multivariate_normal([0, 0], [[0.8, 0.3], [0.3, 0.4]], size=500)
    >>> EllipticEnvelope(random_state=0).fit(X).predict([[0, 0], [3, 3]])
    array([ 1, -1])
    """

    _constraints = {**MinCovDet._constraints, "contamination": [Real(0, 0.5, closed="right")]}

    def __init__(
        self,
        *,
        store_precision=True,
        assume_centered=False,
        support_fraction=None,
        contamination=0.1,
        random_state=None,
    ):
        super().__init__(
            store_precision=store_precision,
            assume_centered=assume_centered,
            support_fraction=support_fraction,
            random_state=random_state,
        )
        self.contamination = contamination

    def fit(self, X, y=None):
        """Fit the robust covariance and set the threshold.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self : object
        """
        super().fit(X)
        self.offset_ = float(np.percentile(-self.dist_, 100.0 * self.contamination))
        return self

    def score_samples(self, X):
        """Negative squared Mahalanobis distances.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return -self.mahalanobis(X)

    def decision_function(self, X):
        """Scores shifted so that outliers are negative.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self.score_samples(X) - self.offset_

    def predict(self, X):
        """1 for inliers, -1 for outliers.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return np.where(self.decision_function(X) >= 0, 1, -1)

    def score(self, X, y, sample_weight=None):
        """Accuracy of `predict`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            1 for inliers, -1 for outliers.
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        float
        """
        return accuracy_score(y, self.predict(X), sample_weight=sample_weight)
