"""How far from normal, and how independent, components are."""

import functools

import numpy as np
from scipy.special import digamma, gammaln

from statlearn._core.params import Int, Real, check_arguments
from statlearn._core.validation import check_array
from statlearn._math.distances.neighbor_index import build_index


@functools.cache
def _normal_log_cosh(a):
    """E log cosh(a Z) / a for standard normal Z, by Gauss-Hermite quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    return float(np.sum(weights * _log_cosh(a * nodes)) / np.sum(weights) / a)


def _log_cosh(u):
    u = np.abs(u)
    return u + np.log1p(np.exp(-2.0 * u)) - np.log(2.0)


def negentropy(Y, *, a=1.0, standardize=True):
    r"""Approximate negentropy of each column: squared distance of a moment from that of the normal distribution.

    .. math:: [E\,G(Y) - E\,G(Z)]^2, \qquad G(u) = \log\cosh(a u) / a

    for standardised Y and standard normal Z. It is 0 for a normal column and grows with its distance from normality,
    in arbitrary units.

    Parameters
    ----------
    Y : array-like of shape (n_samples,) or (n_samples, n_components)
    a : float, default=1.0
        Between 1 and 2.
    standardize : bool, default=True
        Subtract the mean of each column and divide by its standard deviation first.

    Returns
    -------
    values : float or ndarray of shape (n_components,)

    References
    ----------
    Hyvärinen (1999), Fast and robust fixed-point algorithms for independent component analysis. IEEE Transactions on
    Neural Networks 10.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decomposition import negentropy
    >>> rng = np.random.default_rng(0)
    >>> values = negentropy(np.column_stack([rng.normal(size=5000), rng.uniform(size=5000)]))
    >>> bool(values[1] > 10 * values[0])
    True
    """
    check_arguments(negentropy, a=(a, [Real(1, 2, closed="both")]), standardize=(standardize, ["boolean"]))
    single = np.ndim(Y) == 1
    Y = check_array(np.reshape(Y, (-1, 1)) if single else Y, dtype=np.float64, input_name="Y", ensure_min_samples=2)
    if standardize:
        deviation = Y.std(axis=0)
        if np.any(deviation == 0):
            raise ValueError("Y has a constant column, which has no negentropy.")
        Y = (Y - Y.mean(axis=0)) / deviation
    values = (np.mean(_log_cosh(a * Y), axis=0) / a - _normal_log_cosh(float(a))) ** 2
    return float(values[0]) if single else values


def spacing_entropy(y):
    """Differential entropy of one column from spacings of its sorted values (Vasicek, corrected by Ebrahimi)."""
    y = np.sort(np.asarray(y, dtype=np.float64))
    n = len(y)
    m = max(1, round(np.sqrt(n)))
    m = min(m, max(1, (n - 1) // 2))
    i = np.arange(n)
    spacing = y[np.minimum(i + m, n - 1)] - y[np.maximum(i - m, 0)]
    left, right = np.minimum(i / m, 1.0), np.minimum((n - 1 - i) / m, 1.0)
    share = 1.0 + np.minimum(left, right)
    floor = np.finfo(np.float64).tiny
    return float(np.mean(np.log(np.maximum(n * spacing / (share * m), floor))))


def neighbour_entropy(X, k=5):
    """Differential entropy of rows from the distances to their k-th neighbours (Kozachenko and Leonenko)."""
    n, p = X.shape
    distance = build_index(np.ascontiguousarray(X)).query(X, k, exclude_self=True)[0][:, -1]
    ball = 0.5 * p * np.log(np.pi) - gammaln(0.5 * p + 1.0)
    floor = np.finfo(np.float64).tiny
    return float(digamma(n) - digamma(k) + ball + p * np.mean(np.log(np.maximum(distance, floor))))


def ica_mutual_information(X, components, *, n_neighbors=5):
    r"""Mutual information of the components Y = A X of a table, from entropy estimates.

    .. math:: I(Y) = \sum_j H(Y_j) - H(X) - \log |\det A|

    The entropies of single columns are estimated from spacings, that of X from distances to nearest neighbours. The
    value is 0 for independent components, up to the errors of the estimates, and smaller is better. Comparing two
    unmixing matrices for the same X, :math:`H(X)` and its error cancel.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    components : array-like of shape (n_features, n_features)
        The regular matrix A, such as ``FastICA().fit(X).components_``.
    n_neighbors : int, default=5
        Neighbours in the estimate of the entropy of X.

    Returns
    -------
    information : float
        In nats.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decomposition import FastICA, ica_mutual_information
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(1000, 2)) @ [[1.0, 0.8], [0.2, 1.0]]
    >>> A = FastICA(random_state=0).fit(X).components_
    >>> bool(ica_mutual_information(X, A) < ica_mutual_information(X, np.eye(2)))
    True
    """
    check_arguments(ica_mutual_information, n_neighbors=(n_neighbors, [Int(1, None)]))
    X = check_array(X, dtype=np.float64, input_name="X", ensure_min_samples=n_neighbors + 1)
    A = check_array(components, dtype=np.float64, input_name="components")
    p = X.shape[1]
    if A.shape != (p, p):
        raise ValueError(f"`components` must have shape ({p}, {p}), got {A.shape}.")
    sign, log_det = np.linalg.slogdet(A)
    if sign == 0:
        raise ValueError("`components` must be a regular matrix.")
    Y = (X - X.mean(axis=0)) @ A.T
    marginal = sum(spacing_entropy(Y[:, j]) for j in range(p))
    return marginal - neighbour_entropy(X, n_neighbors) - float(log_det)
