"""Parameters of normal and Student-t mixtures, and the additive statistic that they are estimated from."""

from dataclasses import dataclass, field, replace

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import gammaln

from statlearn._core import native
from statlearn._core.blas import single_blas_thread

COVARIANCE_TYPES = ("full", "tied", "diag", "spherical")
_NONE = np.empty(0)
_SHAPES = {"full": 0, "tied": 1, "diag": 2, "spherical": 2}
_LOG_2PI = float(np.log(2.0 * np.pi))
# Keeps the divisor of an empty component away from 0, as in scikit-learn.
_TINY = 10 * np.finfo(np.float64).eps
_STIRLING = 20.0  # from here on, four terms of Stirling's series are exact to the last digit

COLLAPSED = (
    "Fitting the mixture model failed because some components have ill-defined empirical covariance (for instance "
    "caused by singleton or collapsed samples). Try to decrease the number of components, increase reg_covar, or scale "
    "the input data."
)


def precision_factor(covariances, covariance_type):
    """The square roots of the precisions: U upper triangular with U U' = precision, or 1 / standard deviation.

    Raises ValueError when a covariance is not positive definite.
    """
    covariances = np.asarray(covariances, dtype=np.float64)
    if covariance_type in ("diag", "spherical"):
        if not np.all(covariances > 0.0):
            raise ValueError(COLLAPSED)
        return 1.0 / np.sqrt(covariances)
    with single_blas_thread():
        try:
            lower = np.linalg.cholesky(covariances)
        except np.linalg.LinAlgError:
            raise ValueError(COLLAPSED) from None
        eye = np.eye(covariances.shape[-1])
        if covariance_type == "tied":
            return solve_triangular(lower, eye, lower=True, check_finite=False).T
        inverse = [solve_triangular(one, eye, lower=True, check_finite=False).T for one in lower]
    return np.ascontiguousarray(inverse)


def log_gamma_ratio(a, b):
    """log(gamma(a + b) / gamma(a)), by Stirling's series for large a: the difference of two logarithms loses digits."""
    a = np.asarray(a, dtype=np.float64)
    large = np.maximum(a, _STIRLING)

    def rest(z):
        return (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / (1680.0 * z**2)) / z**2) / z**2) / z

    series = (large + b - 0.5) * np.log1p(b / large) + b * (np.log(large) - 1.0) + rest(large + b) - rest(large)
    return np.where(a < _STIRLING, gammaln(a + b) - gammaln(a), series)


def factor_of_precisions(precisions, covariance_type):
    """Square roots of the covariances, from precisions."""
    precisions = np.asarray(precisions, dtype=np.float64)
    if covariance_type in ("diag", "spherical"):
        return np.sqrt(precisions)
    # U U' = P with U upper triangular is a Cholesky factor in reversed order.
    flipped = precisions[..., ::-1, ::-1]
    return np.ascontiguousarray(np.linalg.cholesky(flipped)[..., ::-1, ::-1])


def precisions_from_factor(factor, covariance_type):
    """U U', or squares."""
    if covariance_type in ("diag", "spherical"):
        return factor**2
    return factor @ np.swapaxes(factor, -1, -2)


def covariances_from_factor(factor, covariance_type):
    """The covariances behind the square roots of the precisions."""
    if covariance_type in ("diag", "spherical"):
        return 1.0 / factor**2
    inverse = np.linalg.inv(factor)
    return np.swapaxes(inverse, -1, -2) @ inverse


@dataclass
class NormalParameters:
    """Parameters of a mixture of normal (or, with degrees of freedom, Student-t) distributions.

    weights : (k,), means : (k, p), covariances and factor (square roots of the precisions): shapes as in
    scikit-learn's `GaussianMixture`; dof : (k,) or empty.
    """

    covariance_type: str
    weights: np.ndarray
    means: np.ndarray
    covariances: np.ndarray
    factor: np.ndarray
    dof: np.ndarray = field(default_factory=lambda: _NONE)

    @classmethod
    def of(cls, covariance_type, weights, means, covariances, dof=_NONE):
        factor = precision_factor(covariances, covariance_type)
        return cls(covariance_type, weights, means, covariances, factor, dof)

    @property
    def shape(self):
        return self.means.shape

    def log_det(self):
        """log of the determinant of U, for each component."""
        k, p = self.shape
        if self.covariance_type == "full":
            return np.log(np.diagonal(self.factor, axis1=1, axis2=2)).sum(axis=1)
        if self.covariance_type == "tied":
            return np.full(k, np.log(np.diagonal(self.factor)).sum())
        if self.covariance_type == "diag":
            return np.log(self.factor).sum(axis=1)
        return p * np.log(self.factor)

    def log_weights(self):
        with np.errstate(divide="ignore"):
            return np.log(self.weights)

    def log_scale(self, log_weights=None):
        """Terms of the log density of each component other than the distance, including the mixing weight."""
        p = self.shape[1]
        known = self.log_det() + (self.log_weights() if log_weights is None else log_weights)
        if self.dof.size:
            return known + (log_gamma_ratio(0.5 * self.dof, 0.5 * p) - 0.5 * p * np.log(self.dof * np.pi))
        return known - 0.5 * p * _LOG_2PI

    def for_kernel(self, log_scale=None):
        """(shape, means, factor, scale, dof) in the form the native passes expect."""
        factor = self.factor
        if self.covariance_type == "spherical":
            factor = np.repeat(factor[:, None], self.shape[1], axis=1)
        scale = self.log_scale() if log_scale is None else log_scale
        arrays = [np.ascontiguousarray(a, dtype=np.float64) for a in (self.means, factor.ravel(), scale, self.dof)]
        return (_SHAPES[self.covariance_type], *arrays)

    def log_joint(self, X, log_scale=None):
        """log(weight_k density_k(x_i)), an (n, k) array; X has no missing values."""
        out = np.empty((X.shape[0], self.shape[0]))
        native.mixture.mixture_log_density(X, *self.for_kernel(log_scale), out)
        return out

    def marginal(self, columns):
        """Marginal mixture of some columns."""
        columns = np.asarray(columns)
        covariances = self.covariances
        if self.covariance_type in ("full", "tied"):
            covariances = covariances[..., columns[:, None], columns]
        elif self.covariance_type == "diag":
            covariances = covariances[:, columns]
        means = np.ascontiguousarray(self.means[:, columns])
        return NormalParameters.of(self.covariance_type, self.weights, means, covariances, self.dof)

    def full_covariances(self):
        """Every covariance as a matrix, (k, p, p)."""
        return full_matrices(self.covariances, self.covariance_type, *self.shape)

    def lower_factors(self):
        """Lower triangular L with L L' the covariance of each component, (k, p, p)."""
        try:
            return np.linalg.cholesky(self.full_covariances())
        except np.linalg.LinAlgError:
            # Rounded to float32, a covariance that is almost singular need not be positive definite. The factor of its
            # precision was computed before rounding.
            return full_matrices(np.swapaxes(np.linalg.inv(self.factor), -1, -2), self.covariance_type, *self.shape)

    def n_free(self):
        """Number of free parameters, excluding degrees of freedom."""
        k, p = self.shape
        of_shape = {"full": k * p * (p + 1) // 2, "tied": p * (p + 1) // 2, "diag": k * p, "spherical": k}
        return of_shape[self.covariance_type] + k * p + k - 1

    # Unconstrained coordinates: log weights, means, and the factor with the logarithm of its diagonal.

    def pack(self):
        factor = self.factor
        if self.covariance_type in ("full", "tied"):
            p = self.shape[1]
            diagonal = np.log(np.diagonal(factor, axis1=-2, axis2=-1))
            upper = factor[..., *np.triu_indices(p, 1)]
            parts = [diagonal.ravel(), upper.ravel()]
        else:
            parts = [np.log(factor).ravel()]
        return np.concatenate([np.log(np.maximum(self.weights, 1e-300)), self.means.ravel(), *parts, np.log(self.dof)])

    def unpack(self, vector):
        k, p = self.shape
        cut = np.split(vector, np.cumsum([k, k * p, vector.size - k - k * p - self.dof.size]))
        log_weights, means, shape, log_dof = cut
        weights = np.exp(log_weights - log_weights.max())
        if self.covariance_type in ("full", "tied"):
            m = k if self.covariance_type == "full" else 1
            factor = np.zeros((m, p, p))
            factor[:, np.arange(p), np.arange(p)] = np.exp(shape[: m * p]).reshape(m, p)
            factor[:, *np.triu_indices(p, 1)] = shape[m * p :].reshape(m, -1)
            factor = factor if self.covariance_type == "full" else factor[0]
        else:
            factor = np.exp(shape).reshape(self.factor.shape)
        return replace(
            self,
            weights=weights / weights.sum(),
            means=means.reshape(k, p),
            covariances=covariances_from_factor(factor, self.covariance_type),
            factor=factor,
            dof=np.exp(log_dof),
        )


def full_matrices(covariances, covariance_type, k, p):
    """Covariances of any type as (k, p, p) matrices."""
    if covariance_type == "full":
        return covariances
    if covariance_type == "tied":
        return np.broadcast_to(covariances, (k, p, p))
    diagonal = covariances if covariance_type == "diag" else np.repeat(covariances[:, None], p, axis=1)
    return diagonal[:, :, None] * np.eye(p)


@dataclass
class NormalMoments:  # an AdditiveStatistic, see _math/rows/statistics.py
    """The additive statistic of normal and Student-t mixtures: sums of responsibilities times powers of x - centre.

    centre : (k, p), the means that the responsibilities were computed with; total, precision, log_gap : (k,); first :
    (k, p); second : (k, p, p) for full matrices, (k, p) for diagonals, None where the total scatter is known. See
    native/mixture/normal_mixture.hpp for the sums themselves. Blocks of rows merge by addition when their centres
    agree.
    """

    centre: np.ndarray
    total: np.ndarray
    precision: np.ndarray
    log_gap: np.ndarray
    first: np.ndarray
    second: np.ndarray | None
    log_likelihood: float = 0.0
    entropy: float = 0.0

    @classmethod
    def _empty(cls, centre, order):
        k, p = centre.shape
        second = np.empty({0: 0, 1: k * p, 2: k * p * p}[order])
        return cls(centre, np.empty(k), np.empty(k), np.empty(k), np.empty((k, p)), second)

    def _buffers(self):
        return self.total, self.precision, self.log_gap, self.first, self.second

    def _shaped(self, order):
        k, p = self.centre.shape
        self.second = None if order == 0 else self.second.reshape((k, p) if order == 1 else (k, p, p))
        return self

    @classmethod
    def from_block(cls, X, parameters, weights=None, *, order=None, log_scale=None):
        """The E step and the sums of the M step on rows X, in one native pass."""
        order = order_of(parameters.covariance_type) if order is None else order
        shape, centre, *rest = parameters.for_kernel(log_scale)
        moments = cls._empty(centre, order)
        w = _NONE if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        moments.log_likelihood, moments.entropy = native.mixture.mixture_pass(
            X, w, shape, centre, *rest, order, *moments._buffers()
        )
        return moments._shaped(order)

    @classmethod
    def from_responsibilities(cls, X, R, centre, weights=None, *, order=2):
        """The sums with given responsibilities R of shape (n, k)."""
        centre = np.ascontiguousarray(centre, dtype=np.float64)
        moments = cls._empty(centre, order)
        w = _NONE if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        native.mixture.mixture_moments(X, w, np.asarray(R, dtype=np.float64), centre, order, *moments._buffers())
        return moments._shaped(order)

    def merge(self, other):
        """The statistic of both blocks together."""
        if not np.array_equal(self.centre, other.centre):
            raise ValueError("blocks with different parameters cannot be merged.")
        second = None if self.second is None else self.second + other.second
        sums = [getattr(self, name) + getattr(other, name) for name in ("total", "precision", "log_gap", "first")]
        return NormalMoments(
            self.centre, *sums, second, self.log_likelihood + other.log_likelihood, self.entropy + other.entropy
        )

    def means(self):
        """The component means."""
        return self.centre + self.first / (self.precision + _TINY)[:, None]

    def estimates(self, covariance_type, scatter=None):
        """(counts, means, covariances) without regularisation.

        `scatter` is a `TotalScatter`, for tied covariances of which only first moments were summed.
        """
        counts = self.total + _TINY
        means = self.means()
        shift = means - self.centre
        if covariance_type == "tied":
            if self.second is None:
                return counts, means, scatter.within(counts, means)
            pooled = self.second.sum(axis=0) - (self.precision[:, None] * shift).T @ shift
            return counts, means, _symmetric(pooled / counts.sum())
        ratio = self.precision / counts  # 1, except for Student components
        if covariance_type == "full":
            covariances = self.second / counts[:, None, None]
            covariances -= (ratio[:, None] * shift)[:, :, None] * shift[:, None, :]
            return counts, means, _symmetric(covariances)
        diagonal = np.maximum(self.second / counts[:, None] - ratio[:, None] * shift**2, 0.0)
        return counts, means, diagonal if covariance_type == "diag" else diagonal.mean(axis=1)

    def solve(self, covariance_type, reg_covar=0.0, scatter=None):
        """The M step: `NormalParameters` of the maximum, with `reg_covar` added to the variances."""
        counts, means, covariances = self.estimates(covariance_type, scatter)
        return NormalParameters.of(
            covariance_type, counts / counts.sum(), means, regularised(covariances, covariance_type, reg_covar)
        )


def order_of(covariance_type):
    """Which second moments a pass must sum: see native/mixture/normal_mixture.hpp."""
    return {"full": 2, "tied": 0, "diag": 1, "spherical": 1}[covariance_type]


def regularised(covariances, covariance_type, reg_covar):
    """`reg_covar` added to the variances."""
    if reg_covar == 0.0:
        return covariances
    if covariance_type in ("full", "tied"):
        return covariances + reg_covar * np.eye(covariances.shape[-1])
    return covariances + reg_covar


def _symmetric(matrices):
    return 0.5 * (matrices + np.swapaxes(matrices, -1, -2))


@dataclass
class TotalScatter:
    """Scatter of all rows about their mean, needed once for tied covariances.

    mean : (p,), matrix : (p, p) weighted sum of squares, weight : sum of the weights.
    """

    mean: np.ndarray
    matrix: np.ndarray
    weight: float

    @classmethod
    def from_block(cls, X, weights=None):
        centre = np.average(X, axis=0, weights=weights).astype(np.float64)[None]
        sums = NormalMoments.from_responsibilities(X, np.ones((X.shape[0], 1)), centre, weights)
        shift = sums.first[0] / sums.total[0]
        return cls(centre[0] + shift, sums.second[0] - sums.total[0] * np.outer(shift, shift), float(sums.total[0]))

    def within(self, counts, means):
        """Pooled covariance about component means."""
        gap = means - self.mean
        return _symmetric((self.matrix - (counts[:, None] * gap).T @ gap) / self.weight)
