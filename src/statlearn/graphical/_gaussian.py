"""The multivariate Gaussian: density, sampling, marginals, conditionals and partial correlations."""

import numpy as np
from scipy import linalg
from sklearn.utils import check_random_state

from statlearn._math.linalg.positive import cholesky

from ._penalised_likelihood import check_covariance

_SHOWN = 6  # variables at most of a distribution that is printed with its numbers


def _indices(which, p, argument):
    """Column numbers from one number or a list of numbers, checked."""
    index = np.atleast_1d(np.asarray(which))
    if index.dtype == bool:
        if index.shape != (p,):
            raise ValueError(f"`{argument}` is a mask of {index.size} entries for {p} variables.")
        index = np.flatnonzero(index)
    if index.size and index.dtype.kind not in "iu":
        raise TypeError(f"`{argument}` must contain column numbers, got {index.dtype}.")
    index = index.astype(np.intp)
    if index.size and (index.min() < 0 or index.max() >= p):
        raise ValueError(f"`{argument}` contains {int(index.max())}, but columns are numbered 0 to {p - 1}.")
    if len(np.unique(index)) < len(index):
        raise ValueError(f"`{argument}` contains a column twice.")
    return index


def _mean_of(mean, p):
    mean = np.zeros(p) if mean is None else np.asarray(mean, dtype=np.float64)
    if mean.shape != (p,):
        raise ValueError(f"`mean` must have shape ({p},), got {mean.shape}.")
    return mean


def marginal(mean, covariance, keep):
    """Marginal distribution of some variables of a Gaussian.

    Parameters
    ----------
    mean : array-like of shape (n_features,)
    covariance : array-like of shape (n_features, n_features)
    keep : int, list of int or boolean mask
        Variables to keep.

    Returns
    -------
    mean : ndarray of shape (n_kept,)
    covariance : ndarray of shape (n_kept, n_kept)

    Examples
    --------
    >>> from statlearn.graphical import marginal
    >>> marginal([1, 2], [[10, 1], [1, 10]], [1])
    (array([2.]), array([[10.]]))
    """
    S = check_covariance(covariance)
    A = _indices(keep, len(S), "keep")
    return _mean_of(mean, len(S))[A], S[np.ix_(A, A)]


def _solve_symmetric(S, right):
    """S^-1 right, by the pseudo-inverse if S is singular."""
    factor = cholesky(S)
    return linalg.pinvh(S) @ right if factor is None else factor.solve(right)


def conditional(mean, covariance, given, values):
    r"""Conditional distribution of a Gaussian given the values of some variables.

    .. math:: \mu_A + \Sigma_{AB} \Sigma_{BB}^{-1} (b - \mu_B), \qquad
        \Sigma_{AA} - \Sigma_{AB} \Sigma_{BB}^{-1} \Sigma_{BA}

    Parameters
    ----------
    mean : array-like of shape (n_features,)
    covariance : array-like of shape (n_features, n_features)
    given : int, list of int or boolean mask
        The observed variables B.
    values : float or array-like of shape (n_given,) or (n_rows, n_given)
        Their values b; several rows give several means.

    Returns
    -------
    mean : ndarray of shape (n_rest,) or (n_rows, n_rest)
    covariance : ndarray of shape (n_rest, n_rest)
        Does not depend on the values.

    Examples
    --------
    >>> from statlearn.graphical import conditional
    >>> mean, covariance = conditional([0.0, 0.0], [[1.0, 0.8], [0.8, 1.0]], given=1, values=2.0)
    >>> mean.round(6), covariance.round(6)
    (array([1.6]), array([[0.36]]))
    """
    S = check_covariance(covariance)
    mean = _mean_of(mean, len(S))
    B = _indices(given, len(S), "given")
    A = np.setdiff1d(np.arange(len(S)), B)
    b = np.asarray(values, dtype=np.float64)
    b = np.atleast_1d(b)
    if b.shape[-1] != len(B):
        raise ValueError(f"`values` has {b.shape[-1]} entries for {len(B)} given variables.")
    gain = _solve_symmetric(S[np.ix_(B, B)], S[np.ix_(B, A)]).T if len(B) else np.zeros((len(A), 0))
    C = S[np.ix_(A, A)] - gain @ S[np.ix_(B, A)]
    return mean[A] + (b - mean[B]) @ gain.T, (C + C.T) / 2.0


def precision_matrix(covariance):
    """Inverse of a covariance matrix.

    Parameters
    ----------
    covariance : array-like of shape (n_features, n_features)
        Positive definite.

    Returns
    -------
    ndarray of shape (n_features, n_features)

    Examples
    --------
    >>> from statlearn.graphical import precision_matrix
    >>> precision_matrix([[2.0, 1.0], [1.0, 2.0]]).round(4)
    array([[ 0.6667, -0.3333],
           [-0.3333,  0.6667]])
    """
    S = check_covariance(covariance)
    factor = cholesky(S)
    if factor is None:
        low = float(np.linalg.eigvalsh(S)[0])
        raise ValueError(
            f"`covariance` is not positive definite (smallest eigenvalue {low:.3g}), so it has no inverse. Use a "
            "shrunk estimate such as LedoitWolf, or GraphicalLasso."
        )
    return factor.inverse()


def partial_correlation(covariance=None, *, precision=None):
    r"""Correlations of all pairs of variables given all others.

    .. math:: r_{uv} = -\frac{k_{uv}}{\sqrt{k_{uu} k_{vv}}}

    Parameters
    ----------
    covariance : array-like of shape (n_features, n_features), optional
    precision : array-like of shape (n_features, n_features), optional
        Give one of the two.

    Returns
    -------
    ndarray of shape (n_features, n_features)
        Symmetric with ones on the diagonal.

    Notes
    -----
    Compare these, not entries of the precision matrix, which depend on the units of the variables.

    Examples
    --------
    >>> from statlearn.graphical import partial_correlation
    >>> partial_correlation([[10, 2, 5], [2, 10, 2], [5, 2, 10]]).round(3)
    array([[1.   , 0.118, 0.479],
           [0.118, 1.   , 0.118],
           [0.479, 0.118, 1.   ]])
    """
    if (covariance is None) == (precision is None):
        raise ValueError("Give exactly one of `covariance` and `precision`.")
    K = precision_matrix(covariance) if precision is None else np.asarray(precision, dtype=np.float64)
    scale = np.sqrt(np.diag(K))
    if not (scale > 0).all():
        raise ValueError("`precision` must have a positive diagonal.")
    R = -K / np.outer(scale, scale)
    np.fill_diagonal(R, 1.0)
    return R


def regression_from_precision(precision, target):
    r"""Regression of one variable on all others, read from the precision matrix.

    .. math:: \beta_j = -\frac{k_{tj}}{k_{tt}}, \qquad \sigma^2 = \frac{1}{k_{tt}}

    Parameters
    ----------
    precision : array-like of shape (n_features, n_features)
    target : int
        The variable t.

    Returns
    -------
    coef : ndarray of shape (n_features - 1,)
        Coefficients of the other variables in their order.
    noise_variance : float

    Examples
    --------
    >>> from statlearn.graphical import regression_from_precision
    >>> coef, noise_variance = regression_from_precision([[2.0, -1.0], [-1.0, 2.0]], 0)
    >>> coef, noise_variance
    (array([0.5]), 0.5)
    """
    K = np.asarray(precision, dtype=np.float64)
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise ValueError(f"`precision` must be a square matrix, got shape {K.shape}.")
    (t,) = _indices(target, len(K), "target")
    return -np.delete(K[t], t) / K[t, t], float(1.0 / K[t, t])


class MultivariateGaussian:
    r"""Multivariate Gaussian distribution, possibly with a singular covariance.

    A covariance of rank r is written as :math:`x = A z + \mu` with r standard normal variables z. The density is then
    that on the plane of possible values, and minus infinity (its logarithm) off it.

    Parameters
    ----------
    mean : array-like of shape (n_features,)
    covariance : array-like of shape (n_features, n_features), optional
        Positive semi-definite.
    factor : array-like of shape (n_features, rank), optional
        The matrix A; the covariance is A A'. Give one of the two.

    Attributes
    ----------
    mean : ndarray of shape (n_features,)
    covariance : ndarray of shape (n_features, n_features)
    factor : ndarray of shape (n_features, rank)
    rank : int

    Examples
    --------
    >>> from statlearn.graphical import MultivariateGaussian
    >>> law = MultivariateGaussian([0, 0], [[1, 0], [0, 1]])
    >>> law.logpdf([[0, 0]]).round(4)
    array([-1.8379])
    >>> MultivariateGaussian([0, 0], [[1, 1], [1, 1]]).rank
    1
    >>> MultivariateGaussian([1, 2, -3], [[4, 2, -2], [2, 5, -5], [-2, -5, 8]]).conditional(2, 3.0)
    MultivariateGaussian(2 variables, rank 2)
         mean    std  correlations
    0    -0.5  1.871
    1   -1.75  1.369   0.293
    """

    def __init__(self, mean, covariance=None, *, factor=None):
        if (covariance is None) == (factor is None):
            raise ValueError("Give exactly one of `covariance` and `factor`.")
        if factor is not None:
            A = np.asarray(factor, dtype=np.float64)
            if A.ndim != 2 or not np.isfinite(A).all():
                raise ValueError("`factor` must be a finite matrix.")
            covariance = A @ A.T
        self.covariance = check_covariance(covariance)
        self.mean = _mean_of(mean, len(self.covariance))
        if not np.isfinite(self.mean).all():
            raise ValueError("`mean` contains NaN or infinity.")
        values, vectors = np.linalg.eigh(self.covariance)
        largest = max(values[-1], 0.0)
        rounding = len(values) * np.finfo(float).eps * largest
        if values[0] < -1e3 * rounding - 1e-300:
            raise ValueError(f"`covariance` is not positive semi-definite: it has the eigenvalue {values[0]:.3g}.")
        nonzero = values > 10.0 * rounding
        self._values, self._vectors = values[nonzero], vectors[:, nonzero]
        self.rank = int(nonzero.sum())
        self.factor = self._vectors * np.sqrt(self._values)

    def __repr__(self):
        p = len(self.mean)
        lines = [f"MultivariateGaussian({p} {'variable' if p == 1 else 'variables'}, rank {self.rank})"]
        if p > _SHOWN:
            return lines[0]
        deviations = np.sqrt(np.diagonal(self.covariance))
        scale = np.where(deviations > 0, deviations, 1.0)
        correlations = self.covariance / np.outer(scale, scale)
        cells = [["", "mean", "std", *(["correlations"] if p > 1 else [])]]
        for j in range(p):
            row = [f"{correlations[j, k]:.3f}" for k in range(j)]
            cells.append([str(j), f"{self.mean[j]:.4g}", f"{deviations[j]:.4g}", *row])
        widths = [max(len(row[k]) for row in cells if len(row) > k) for k in range(3)]
        for row in cells:
            start = "  ".join(text.rjust(width) for text, width in zip(row, widths))
            rest = row[3:] if row is cells[0] else [text.rjust(6) for text in row[3:]]
            lines.append("  ".join([start, *rest]).rstrip())
        return "\n".join(lines)

    def logpdf(self, X):
        """Log-density of rows.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features) or (n_features,)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        Z = np.atleast_2d(np.asarray(X, dtype=np.float64)) - self.mean
        if Z.shape[1] != len(self.mean):
            raise ValueError(f"X has {Z.shape[1]} columns, but the distribution has {len(self.mean)} variables.")
        scores = Z @ self._vectors
        value = -0.5 * (
            np.sum(scores**2 / self._values, axis=1) + np.sum(np.log(self._values)) + self.rank * np.log(2.0 * np.pi)
        )
        if self.rank < len(self.mean):
            off = np.linalg.norm(Z - scores @ self._vectors.T, axis=1)
            scale = np.sqrt(self._values.max(initial=0.0)) + np.linalg.norm(Z, axis=1)
            value = np.where(off > 1e-8 * scale, -np.inf, value)
        return value

    def pdf(self, X):
        """Density of rows; see `logpdf`."""
        return np.exp(self.logpdf(X))

    def rvs(self, size=1, *, random_state=None):
        """Random rows ``A z + mean``.

        Parameters
        ----------
        size : int, default=1
        random_state : int, RandomState or None, default=None

        Returns
        -------
        ndarray of shape (size, n_features)
        """
        z = check_random_state(random_state).standard_normal((size, self.rank))
        return z @ self.factor.T + self.mean

    def marginal(self, keep):
        """Distribution of some variables; see `marginal`."""
        return MultivariateGaussian(*marginal(self.mean, self.covariance, keep))

    def conditional(self, given, values):
        """Distribution of the other variables given values of some; see `conditional`."""
        mean, covariance = conditional(self.mean, self.covariance, given, values)
        if mean.ndim != 1:
            raise ValueError("`values` must be a single row; use the function `conditional` for several.")
        return MultivariateGaussian(mean, covariance)
