"""Empirical and shrunk covariance matrices."""

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, Real, check_arguments, check_params
from statlearn._core.validation import FLOATS, check_weights, naming, require_finite, validate_data
from statlearn._core.warnings import warn
from statlearn._math.linalg import covariance as core
from statlearn._math.linalg.positive import cholesky


def log_det(matrix):
    """Log-determinant of a symmetric matrix; -inf if it is not positive definite."""
    sign, value = np.linalg.slogdet(matrix)
    return float(value) if sign > 0 else -np.inf


def inverse(matrix):
    """Inverse of a symmetric positive definite matrix; the pseudo-inverse if it is singular."""
    require_finite(matrix)
    factor = cholesky(matrix, cutoff=10.0 * matrix.shape[0] * np.finfo(np.float64).eps)
    if factor is not None:
        result = factor.inverse()
        require_finite(result)
        return result
    with np.errstate(over="ignore", invalid="ignore"):
        result = linalg.pinvh(matrix, check_finite=False)
    require_finite(result)
    return result


def log_likelihood(emp_cov, precision):
    """Mean Gaussian log-likelihood per row of data with covariance `emp_cov` under a precision matrix.

    Parameters
    ----------
    emp_cov : ndarray of shape (n_features, n_features)
        Covariance of the data about the model's mean, with the divisor n.
    precision : ndarray of shape (n_features, n_features)

    Returns
    -------
    float
        ``(log det precision - tr(emp_cov precision) - p log 2 pi) / 2``.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import log_likelihood
    >>> round(log_likelihood(np.eye(2), np.eye(2)), 4)
    -2.8379
    """
    require_finite(precision)
    p = precision.shape[0]
    value = -np.sum(emp_cov * precision) + log_det(precision) - p * np.log(2.0 * np.pi)
    return float(value / 2.0)


def _checked_table(X, name="X"):
    with naming(name):
        return check_array(X, ensure_2d=True, dtype=np.float64)


def _warn_of_one_row(X):
    if X.shape[0] == 1:
        warn("Only one sample available. You may want to reshape your data array")


def empirical_covariance(X, *, assume_centered=False, sample_weight=None):
    """Maximum-likelihood covariance, with the divisor n.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    assume_centered : bool, default=False
        Whether the mean is taken to be zero.
    sample_weight : array-like of shape (n_samples,) or None, default=None

    Returns
    -------
    ndarray of shape (n_features, n_features)

    Examples
    --------
    >>> from statlearn.graphical import empirical_covariance
    >>> empirical_covariance([[1, 1, 1], [1, 1, 1], [1, 1, 1], [0, 0, 0], [0, 0, 0], [0, 0, 0]])
    array([[0.25, 0.25, 0.25],
           [0.25, 0.25, 0.25],
           [0.25, 0.25, 0.25]])
    """
    check_arguments(empirical_covariance, assume_centered=(assume_centered, ["boolean"]))
    X = np.asarray(X)
    X = _checked_table(np.reshape(X, (1, -1)) if X.ndim == 1 else X)
    _warn_of_one_row(X)
    return core.empirical_covariance(X, check_weights(sample_weight, X), assume_centered=assume_centered)[1]


def shrunk_covariance(emp_cov, shrinkage=0.1):
    """Convex combination of a covariance and the scaled identity.

    Parameters
    ----------
    emp_cov : array-like of shape (..., n_features, n_features)
        One covariance, or a stack of them.
    shrinkage : float, default=0.1
        Weight of the identity, in [0, 1].

    Returns
    -------
    ndarray of shape (..., n_features, n_features)
        ``(1 - shrinkage) emp_cov + shrinkage mu I`` with mu the mean variance.

    Examples
    --------
    >>> from statlearn.graphical import shrunk_covariance
    >>> shrunk_covariance([[1.0, 0.5], [0.5, 3.0]], shrinkage=0.5)
    array([[1.5 , 0.25],
           [0.25, 2.5 ]])
    """
    check_arguments(shrunk_covariance, shrinkage=(shrinkage, [Real(0, 1, closed="both")]))
    with naming("emp_cov"):
        emp_cov = check_array(emp_cov, allow_nd=True, dtype=np.float64)
    return core.shrink(emp_cov, shrinkage)


def ledoit_wolf_shrinkage(X, assume_centered=False, block_size=1000, sample_weight=None):
    """Amount of shrinkage by Ledoit and Wolf's formula.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    assume_centered : bool, default=False
    block_size : int, default=1000
        Has no effect; kept so that calls written for scikit-learn work.
    sample_weight : array-like of shape (n_samples,) or None, default=None

    Returns
    -------
    float
        In [0, 1]; 0 for a single column.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import ledoit_wolf_shrinkage
    >>> X = np.random.RandomState(0).normal(size=(50, 3)) @ np.diag([1, 2, 3])
    >>> round(ledoit_wolf_shrinkage(X), 3)
    0.168
    """
    check_arguments(
        ledoit_wolf_shrinkage,
        assume_centered=(assume_centered, ["boolean"]),
        block_size=(block_size, [Int(1, None)]),
    )
    X = _checked_table(X)
    _warn_of_one_row(X)
    return core.ledoit_wolf_amount(X, check_weights(sample_weight, X), assume_centered=assume_centered)


def ledoit_wolf(X, *, assume_centered=False, block_size=1000, sample_weight=None):
    """Covariance shrunk by Ledoit and Wolf's formula.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    assume_centered : bool, default=False
    block_size : int, default=1000
        Has no effect; kept so that calls written for scikit-learn work.
    sample_weight : array-like of shape (n_samples,) or None, default=None

    Returns
    -------
    shrunk_cov : ndarray of shape (n_features, n_features)
    shrinkage : float

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import ledoit_wolf
    >>> X = np.random.RandomState(0).normal(size=(50, 2)) @ np.diag([1, 2])
    >>> covariance, shrinkage = ledoit_wolf(X)
    >>> covariance.round(2)
    array([[ 1.31, -0.05],
           [-0.05,  3.62]])
    """
    check_arguments(
        ledoit_wolf, assume_centered=(assume_centered, ["boolean"]), block_size=(block_size, [Int(1, None)])
    )
    X = _checked_table(X)
    _warn_of_one_row(X)
    return core.ledoit_wolf(X, check_weights(sample_weight, X), assume_centered=assume_centered)[1:]


def oas(X, *, assume_centered=False, sample_weight=None):
    """Covariance with oracle approximating shrinkage.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    assume_centered : bool, default=False
    sample_weight : array-like of shape (n_samples,) or None, default=None

    Returns
    -------
    shrunk_cov : ndarray of shape (n_features, n_features)
    shrinkage : float

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import oas
    >>> X = np.random.RandomState(0).normal(size=(50, 2)) @ np.diag([1, 2])
    >>> covariance, shrinkage = oas(X)
    >>> round(shrinkage, 3)
    0.2
    """
    check_arguments(oas, assume_centered=(assume_centered, ["boolean"]))
    X = _checked_table(X)
    _warn_of_one_row(X)
    return core.oas(X, check_weights(sample_weight, X), assume_centered=assume_centered)[1:]


class EmpiricalCovariance(BaseEstimator):
    r"""Maximum-likelihood covariance.

    .. math:: \hat\mu = \frac{1}{W} \sum_i w_i x_i, \qquad
        \hat\Sigma = \frac{1}{W} \sum_i w_i (x_i - \hat\mu)(x_i - \hat\mu)^\top

    with W the sum of the weights. The divisor is n, not n - 1.

    Parameters
    ----------
    store_precision : bool, default=True
        Whether to store the precision matrix, the inverse of the covariance.
    assume_centered : bool, default=False
        Whether the mean is taken to be zero.

    Attributes
    ----------
    location_ : ndarray of shape (n_features,)
        Estimated mean.
    covariance_ : ndarray of shape (n_features, n_features)
    precision_ : ndarray of shape (n_features, n_features)
        Inverse of the covariance, or its pseudo-inverse if it is singular; only if `store_precision` is True.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    LedoitWolf : a better estimate unless there are many more rows than columns.
    MinCovDet : resists outliers.
    GraphicalLasso : a sparse precision matrix.

    Notes
    -----
    With fewer rows than columns the covariance is singular, and likelihoods and Mahalanobis distances from its
    pseudo-inverse mean little. Use a shrunk estimate then.

    References
    ----------
    Mardia, K. V., Kent, J. T. and Bibby, J. M. (1979). Multivariate Analysis. Academic Press.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import EmpiricalCovariance
    >>> X = np.random.RandomState(0).multivariate_normal([0, 0], [[0.8, 0.3], [0.3, 0.4]], size=500)
    >>> EmpiricalCovariance().fit(X).covariance_.round(3)
    array([[0.757, 0.282],
           [0.282, 0.393]])
    """

    _constraints: dict[str, list] = {"store_precision": ["boolean"], "assume_centered": ["boolean"]}

    def __init__(self, *, store_precision=True, assume_centered=False):
        self.store_precision = store_precision
        self.assume_centered = assume_centered

    def fit(self, X, y=None, sample_weight=None):
        """Estimate the mean and the covariance.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k counts a row k times.

        Returns
        -------
        self : object
        """
        check_params(self)
        X = validate_data(self, X, dtype=FLOATS)
        _warn_of_one_row(X)
        self._estimate(X, check_weights(sample_weight, X))
        return self

    def _estimate(self, X, weights):
        self.location_, covariance = core.empirical_covariance(X, weights, assume_centered=self.assume_centered)
        self._set_covariance(covariance)

    def _set_covariance(self, covariance):
        require_finite(covariance)
        self.covariance_ = covariance
        if self.store_precision:
            self.precision_ = inverse(covariance)
        else:
            self.precision_ = None

    def get_precision(self):
        """The precision matrix, computed if it was not stored.

        Returns
        -------
        ndarray of shape (n_features, n_features)
        """
        check_is_fitted(self)
        stored = getattr(self, "precision_", None)
        return inverse(self.covariance_) if stored is None else stored

    def score(self, X_test, y=None, sample_weight=None):
        """Mean Gaussian log-likelihood per row.

        Parameters
        ----------
        X_test : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        float
        """
        check_is_fitted(self)
        X = validate_data(self, X_test, reset=False, dtype=np.float64)
        weights = check_weights(sample_weight, X)
        _, covariance = core.empirical_covariance(X - self.location_, weights, assume_centered=True)
        return log_likelihood(covariance, self.get_precision())

    def error_norm(self, comp_cov, norm="frobenius", scaling=True, squared=True):
        """Distance between the estimated and another covariance.

        Parameters
        ----------
        comp_cov : array-like of shape (n_features, n_features)
        norm : {"frobenius", "spectral"}, default="frobenius"
        scaling : bool, default=True
            Whether to divide the squared norm by the number of columns.
        squared : bool, default=True

        Returns
        -------
        float
        """
        check_is_fitted(self)
        error = np.asarray(comp_cov) - self.covariance_
        if norm == "frobenius":
            value = np.sum(error**2)
        elif norm == "spectral":
            value = np.max(linalg.svdvals(error)) ** 2
        else:
            raise NotImplementedError(f"norm={norm!r}: only 'frobenius' and 'spectral' norms are implemented.")
        if scaling:
            value = value / error.shape[0]
        return value if squared else np.sqrt(value)

    def mahalanobis(self, X):
        """Squared Mahalanobis distances of rows from the estimated mean.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        Z = X - self.location_
        return np.einsum("ij,ij->i", Z @ self.get_precision(), Z)


class ShrunkCovariance(EmpiricalCovariance):
    r"""Covariance shrunk towards the scaled identity by a given amount.

    .. math:: (1 - \rho) S + \rho \frac{\operatorname{tr} S}{p} I

    Parameters
    ----------
    store_precision : bool, default=True
        Whether to store the precision matrix.
    assume_centered : bool, default=False
        Whether the mean is taken to be zero.
    shrinkage : float, default=0.1
        Weight ρ of the identity, in [0, 1]. Choose it by cross-validation of `score`, or use `LedoitWolf`.

    Attributes
    ----------
    location_ : ndarray of shape (n_features,)
        Estimated mean.
    covariance_ : ndarray of shape (n_features, n_features)
    precision_ : ndarray of shape (n_features, n_features)
        Only if `store_precision` is True.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    LedoitWolf : the amount computed from the data.
    OAS : another formula for it.

    References
    ----------
    Friedman, J. H. (1989). Regularized discriminant analysis. JASA 84, 165-175.

    Examples
    --------
    >>> from statlearn.graphical import ShrunkCovariance
    >>> ShrunkCovariance(shrinkage=0.5).fit([[0.0, 1.0], [2.0, 0.0], [4.0, 2.0]]).covariance_.round(3)
    array([[2.167, 0.333],
           [0.333, 1.167]])
    """

    _constraints = {**EmpiricalCovariance._constraints, "shrinkage": [Real(0, 1, closed="both")]}

    def __init__(self, *, store_precision=True, assume_centered=False, shrinkage=0.1):
        super().__init__(store_precision=store_precision, assume_centered=assume_centered)
        self.shrinkage = shrinkage

    def _estimate(self, X, weights):
        self.location_, S = core.empirical_covariance(X, weights, assume_centered=self.assume_centered)
        self._set_covariance(core.shrink(S, self.shrinkage))


class LedoitWolf(EmpiricalCovariance):
    r"""Covariance shrunk towards the scaled identity by Ledoit and Wolf's formula.

    .. math:: (1 - \rho) S + \rho \frac{\operatorname{tr} S}{p} I, \qquad
        \rho = \min\left\{1, \frac{n^{-2} \sum_i \lVert x_i x_i^\top - S \rVert_F^2}
        {\lVert S - \frac{\operatorname{tr} S}{p} I \rVert_F^2}\right\}

    with centred rows x_i. The amount ρ estimates the one with the smallest expected squared error.

    Parameters
    ----------
    store_precision : bool, default=True
        Whether to store the precision matrix.
    assume_centered : bool, default=False
        Whether the mean is taken to be zero.
    block_size : int, default=1000
        Has no effect; kept so that calls written for scikit-learn work.

    Attributes
    ----------
    location_ : ndarray of shape (n_features,)
        Estimated mean.
    covariance_ : ndarray of shape (n_features, n_features)
    precision_ : ndarray of shape (n_features, n_features)
        Only if `store_precision` is True.
    shrinkage_ : float
        The amount ρ.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    OAS : the same target, another formula; often better for Gaussian data with few rows.

    Notes
    -----
    The target has equal variances: standardise columns of different units first. The cost is one product X'X.

    References
    ----------
    Ledoit, O. and Wolf, M. (2004). A well-conditioned estimator for large-dimensional covariance matrices. Journal of
    Multivariate Analysis 88, 365-411.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import LedoitWolf
    >>> X = np.random.RandomState(0).multivariate_normal([0, 0], [[0.4, 0.2], [0.2, 0.8]], size=50)
    >>> model = LedoitWolf().fit(X)
    >>> round(model.shrinkage_, 3)
    0.23
    """

    _constraints = {**EmpiricalCovariance._constraints, "block_size": [Int(1, None)]}

    def __init__(self, *, store_precision=True, assume_centered=False, block_size=1000):
        super().__init__(store_precision=store_precision, assume_centered=assume_centered)
        self.block_size = block_size

    def _estimate(self, X, weights):
        self.location_, covariance, self.shrinkage_ = core.ledoit_wolf(X, weights, assume_centered=self.assume_centered)
        self._set_covariance(covariance)


class OAS(EmpiricalCovariance):
    r"""Covariance with oracle approximating shrinkage towards the scaled identity.

    .. math:: (1 - \rho) S + \rho \frac{\operatorname{tr} S}{p} I, \qquad
        \rho = \min\left\{1, \frac{\operatorname{tr}(S^2) + \operatorname{tr}(S)^2}
        {(n + 1) (\operatorname{tr}(S^2) - \operatorname{tr}(S)^2 / p)}\right\}

    The limit of an iteration towards the shrinkage with the smallest expected squared error for Gaussian data.

    Parameters
    ----------
    store_precision : bool, default=True
        Whether to store the precision matrix.
    assume_centered : bool, default=False
        Whether the mean is taken to be zero.

    Attributes
    ----------
    location_ : ndarray of shape (n_features,)
        Estimated mean.
    covariance_ : ndarray of shape (n_features, n_features)
    precision_ : ndarray of shape (n_features, n_features)
        Only if `store_precision` is True.
    shrinkage_ : float
        The amount ρ.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    LedoitWolf : needs no Gaussian data.

    Notes
    -----
    The factor 2 / p of the article's formula is left out, as in scikit-learn; it matters only for few columns.

    References
    ----------
    Chen, Y., Wiesel, A., Eldar, Y. C. and Hero, A. O. (2010). Shrinkage algorithms for MMSE covariance estimation. IEEE
    Transactions on Signal Processing 58, 5016-5029.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import OAS
    >>> X = np.random.RandomState(0).multivariate_normal([0, 0], [[0.8, 0.3], [0.3, 0.4]], size=500)
    >>> round(OAS().fit(X).shrinkage_, 4)
    0.0196
    """

    def _estimate(self, X, weights):
        self.location_, covariance, self.shrinkage_ = core.oas(X, weights, assume_centered=self.assume_centered)
        self._set_covariance(covariance)
