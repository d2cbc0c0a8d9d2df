r"""Acquisition functions of the predicted mean and standard deviation.

Every function is larger for more promising points, apart from `lower_confidence_bound`, which is a bound in the unit of
the objective. Scores and gradients are computed from z = (m - mu - xi) / sigma, with m the best value so far.
"""

import math

import numpy as np
from scipy.special import erfcx, log1p, log_ndtr, ndtr

from statlearn._core.params import Int, Real, check_arguments

_LOG_ROOT_2PI = 0.5 * math.log(2 * math.pi)
_ROOT_HALF_PI = math.sqrt(math.pi / 2)


def _density(z):
    return np.exp(-0.5 * z * z - _LOG_ROOT_2PI)


def _arrays(mean, std):
    mean, std = np.asarray(mean, dtype=np.float64), np.asarray(std, dtype=np.float64)
    if np.isnan(mean).any():
        raise ValueError("`mean` contains NaN.")
    if not (std >= 0).all():
        raise ValueError("`std` must be non-negative and must not contain NaN.")
    return np.broadcast_arrays(mean, std)


def _gap(mean, std, best, xi, maximize, function):
    """Expected improvement over the best value minus xi, and the standard deviation."""
    check_arguments(function, xi=(xi, [Real(0, None)]), maximize=(maximize, ["boolean"]))
    mean, std = _arrays(mean, std)
    if not np.isfinite(best).all():
        raise ValueError(f"`best` must be finite, got {best!r}.")
    return (mean - best if maximize else best - mean) - xi, std


def _plain(values):
    return float(values) if np.ndim(values) == 0 else values


def expected_improvement(mean, std, best, *, xi=0.0, maximize=False):
    r"""Expected improvement over the best value so far.

    For minimisation and best value m, it is the exact expectation

    .. math:: E[(m - Y - \xi)^+] = (m - \mu - \xi)\,\Phi(z) + \sigma\,\varphi(z), \qquad z = (m - \mu - \xi) / \sigma,

    of a normal Y with mean :math:`\mu` and standard deviation :math:`\sigma`, and :math:`\max(m - \mu - \xi, 0)` if
    :math:`\sigma = 0`.

    Parameters
    ----------
    mean, std : array-like
        Mean and standard deviation of the prediction.
    best : float
        Best value so far.
    xi : float, default=0.0
        Smallest improvement that counts; a larger value explores more.
    maximize : bool, default=False
        Whether a larger value of the objective is better.

    Returns
    -------
    improvement : float or ndarray

    See Also
    --------
    log_expected_improvement : does not vanish far from the best point.

    References
    ----------
    Jones, D., Schonlau, M. & Welch, W. (1998). Efficient global optimization of expensive black-box functions. Journal
    of Global Optimization 13, 455-492.

    Examples
    --------
    >>> from statlearn.gp import expected_improvement
    >>> round(expected_improvement(0.8, 0.5, best=1.0), 7)
    0.3152194
    """
    gap, std = _gap(mean, std, best, xi, maximize, expected_improvement)
    safe = np.where(std > 0, std, 1.0)
    z = gap / safe
    # Below z = -1 the two terms cancel; there the ratio of tail and density is used.
    far = np.minimum(z, -1.0)
    tail = _density(far) * (1.0 + far * _ROOT_HALF_PI * erfcx(-far / math.sqrt(2)))
    near = np.maximum(z, -1.0)
    value = safe * np.where(z < -1.0, np.maximum(tail, 0.0), near * ndtr(near) + _density(near))
    return _plain(np.where(std > 0, value, np.maximum(gap, 0.0)))


def log_expected_improvement(mean, std, best, *, xi=0.0, maximize=False):
    r"""Logarithm of the expected improvement.

    Far from the best point, expected improvement underflows to 0 and has no gradient. Its logarithm

    .. math:: \log \sigma + \log\bigl(\varphi(z) + z\,\Phi(z)\bigr)

    stays finite and smooth. It is computed from the scaled complementary error function for negative z, and from an
    asymptotic series below z = -100.

    Parameters
    ----------
    mean, std : array-like
        Mean and standard deviation of the prediction.
    best : float
        Best value so far.
    xi : float, default=0.0
        Smallest improvement that counts.
    maximize : bool, default=False
        Whether a larger value of the objective is better.

    Returns
    -------
    log_improvement : float or ndarray
        -inf where the improvement is exactly 0, that is where `std` is 0 and `mean` is no better than `best`.

    References
    ----------
    Ament, S. et al. (2023). Unexpected improvements to expected improvement for Bayesian optimization. NeurIPS 36.

    Examples
    --------
    >>> from statlearn.gp import expected_improvement, log_expected_improvement
    >>> expected_improvement(100.0, 1.0, best=0.0), round(log_expected_improvement(100.0, 1.0, best=0.0), 3)
    (0.0, -5010.13)
    """
    gap, std = _gap(mean, std, best, xi, maximize, log_expected_improvement)
    safe = np.where(std > 0, std, 1.0)
    value = np.log(safe) + log_h(gap / safe)
    with np.errstate(divide="ignore"):
        certain = np.log(np.maximum(gap, 0.0))
    return _plain(np.where(std > 0, value, certain))


def log_h(z):
    r"""log(phi(z) + z Phi(z)), accurate for all z."""
    z = np.asarray(z, dtype=np.float64)
    near, far = z > -1.0, z <= -100.0
    value = np.full_like(z, np.nan)
    for where, branch in ((near, _log_h_near), (~near & (z > -100.0), _log_h_middle), (far, _log_h_far)):
        if where.any():
            value[where] = branch(z[where])
    return value


def _log_h_near(z):
    return np.log(_density(z) + z * ndtr(z))


def _log_h_middle(z):
    # 1 + z Phi/phi = 1 - |z| sqrt(pi/2) erfcx(|z|/sqrt 2)
    ratio = 1.0 + z * _ROOT_HALF_PI * erfcx(-z / math.sqrt(2))
    return -0.5 * z * z - _LOG_ROOT_2PI + np.log(np.maximum(ratio, 1e-300))


def _log_h_far(z):
    # The same ratio as a series in 1/z^2: 1/z^2 - 3/z^4 + 15/z^6 - ...
    with np.errstate(over="ignore", divide="ignore"):
        q = 1.0 / (z * z)
        return -0.5 * z * z - _LOG_ROOT_2PI + (np.log(q) + log1p(q * (-3.0 + q * (15.0 - 105.0 * q))))


def log_h_slope(z, log_h_z):
    """Derivative of `log_h`, given its value: Phi(z) / (phi(z) + z Phi(z))."""
    return np.exp(log_ndtr(z) - log_h_z)


def probability_of_improvement(mean, std, best, *, xi=0.0, maximize=False):
    r"""Probability of an improvement over the best value so far.

    For minimisation it is :math:`\Phi((m - \mu - \xi) / \sigma)`. Where `std` is 0 it is 1 for a gain and 0 otherwise.
    With ``xi=0`` it prefers safe and tiny gains close to the best point.

    Parameters
    ----------
    mean, std : array-like
        Mean and standard deviation of the prediction.
    best : float
        Best value so far.
    xi : float, default=0.0
        Smallest improvement that counts.
    maximize : bool, default=False
        Whether a larger value of the objective is better.

    Returns
    -------
    probability : float or ndarray

    Examples
    --------
    >>> from statlearn.gp import probability_of_improvement
    >>> round(probability_of_improvement(0.8, 0.5, best=1.0), 7)
    0.6554217
    """
    gap, std = _gap(mean, std, best, xi, maximize, probability_of_improvement)
    safe = np.where(std > 0, std, 1.0)
    return _plain(np.where(std > 0, ndtr(gap / safe), (gap > 0).astype(np.float64)))


def lower_confidence_bound(mean, std, *, kappa=1.96, maximize=False):
    r"""Confidence bound :math:`\mu - \kappa\sigma`, the value that an optimist expects.

    Parameters
    ----------
    mean, std : array-like
        Mean and standard deviation of the prediction.
    kappa : float, default=1.96
        Number of standard deviations; a larger value explores more.
    maximize : bool, default=False
        If True, the upper bound :math:`\mu + \kappa\sigma`.

    Returns
    -------
    bound : float or ndarray
        In the unit of the objective. The next point is its minimiser, or its maximiser if `maximize`.

    Examples
    --------
    >>> from statlearn.gp import lower_confidence_bound
    >>> round(lower_confidence_bound(0.8, 0.5), 7)
    -0.18
    """
    check_arguments(lower_confidence_bound, kappa=(kappa, [Real(0, None)]), maximize=(maximize, ["boolean"]))
    mean, std = _arrays(mean, std)
    return _plain(mean + kappa * std if maximize else mean - kappa * std)


def q_expected_improvement(mean, cov, best, *, xi=0.0, maximize=False, n_samples=4096, random_state=0):
    r"""Expected improvement of several points evaluated together.

    For q points with a joint normal prediction Y it is

    .. math:: E\Bigl[\bigl(m - \min_j Y_j - \xi\bigr)^+\Bigr],

    the mean over scrambled Sobol points. The same `random_state` uses the same numbers, so that two sets of
    points are compared without simulation noise. For a single point the closed form is returned.

    Parameters
    ----------
    mean : array-like of shape (q,) or (n_sets, q)
    cov : array-like of shape (q, q) or (n_sets, q, q)
        Means and covariances of the predictions.
    best : float
        Best value so far.
    xi : float, default=0.0
        Smallest improvement that counts.
    maximize : bool, default=False
        Whether a larger value of the objective is better.
    n_samples : int, default=4096
        Number of simulated predictions, rounded up to a power of 2.
    random_state : int, RandomState or None, default=0

    Returns
    -------
    improvement : float or ndarray of shape (n_sets,)

    References
    ----------
    Ginsbourger, D., Le Riche, R. & Carraro, L. (2010). Kriging is well-suited to parallelize optimization.
    Computational Intelligence in Expensive Optimization Problems, 131-162.

    Examples
    --------
    >>> from statlearn.gp import q_expected_improvement
    >>> one = q_expected_improvement([0.8], [[0.25]], best=1.0)
    >>> two = q_expected_improvement([0.8, 0.8], [[0.25, 0.1], [0.1, 0.25]], best=1.0)
    >>> round(one, 4), bool(one < two < 2 * one)
    (0.3152, True)
    """
    check_arguments(
        q_expected_improvement,
        xi=(xi, [Real(0, None)]),
        maximize=(maximize, ["boolean"]),
        n_samples=(n_samples, [Int(1, None)]),
        random_state=(random_state, ["random_state"]),
    )
    mean, cov = np.asarray(mean, dtype=np.float64), np.asarray(cov, dtype=np.float64)
    if mean.ndim not in (1, 2) or cov.shape != (*mean.shape, mean.shape[-1]) or mean.size == 0:
        raise ValueError(
            f"`cov` must have shape {(*mean.shape, mean.shape[-1] if mean.ndim else 1)} to suit `mean` of shape "
            f"{mean.shape}, got {cov.shape}."
        )
    if not (np.isfinite(mean).all() and np.isfinite(cov).all() and np.isfinite(best)):
        raise ValueError("`mean`, `cov` and `best` must be finite.")
    sign = -1.0 if maximize else 1.0
    q = mean.shape[-1]
    if q == 1:
        std = np.sqrt(np.maximum(cov[..., 0, 0], 0.0))
        return _plain(expected_improvement(sign * mean[..., 0], std, sign * best, xi=xi))
    draws = normal_draws(n_samples, q, random_state)
    values, vectors = np.linalg.eigh((cov + np.swapaxes(cov, -1, -2)) / 2)  # also for covariances of low rank
    root = vectors * np.sqrt(np.maximum(values, 0.0))[..., None, :]
    samples = sign * (mean[..., None, :] + draws @ np.swapaxes(root, -1, -2))
    return _plain(np.maximum(sign * best - xi - samples.min(axis=-1), 0.0).mean(axis=-1))


def normal_draws(n_samples, q, random_state):
    """Standard normal draws from scrambled Sobol points, of shape (n, q) with n the next power of 2."""
    from scipy.stats import norm, qmc
    from sklearn.utils import check_random_state

    seed = check_random_state(random_state).randint(2**31 - 1)
    points = qmc.Sobol(q, rng=np.random.default_rng(seed)).random_base2(math.ceil(math.log2(max(n_samples, 2))))
    return norm.ppf(np.clip(points, 1e-12, 1 - 1e-12))


def expected_hypervolume_improvement(mean, std, front, reference):
    r"""Expected gain of hypervolume for two objectives that are minimised.

    The hypervolume is the area that is dominated by the front and bounded by the reference point. With the front sorted
    by the first objective, :math:`y^{(1)}, \ldots, y^{(n)}`, and independent predictions of the two objectives it is

    .. math:: \sum_{i=1}^{n+1} \bigl[\psi_1(y_1^{(i)}) - \psi_1(y_1^{(i-1)})\bigr]\, \psi_2(y_2^{(i-1)}),
        \qquad \psi_k(a) = E[(a - Y_k)^+],

    with :math:`y_1^{(0)} = -\infty`, and the reference point for :math:`y_2^{(0)}` and :math:`y_1^{(n+1)}`.

    Parameters
    ----------
    mean, std : array-like of shape (n_points, 2) or (2,)
        Mean and standard deviation of both objectives.
    front : array-like of shape (n_front, 2)
        Observed values; dominated ones and those beyond the reference point are ignored. May be empty.
    reference : array-like of shape (2,)
        Reference point, worse than all values of interest.

    Returns
    -------
    gain : float or ndarray of shape (n_points,)

    References
    ----------
    Emmerich, M., Giannakoglou, K. & Naujoks, B. (2006). Single- and multiobjective evolutionary optimization assisted
    by Gaussian random field metamodels. IEEE Transactions on Evolutionary Computation 10, 421-439.

    Examples
    --------
    >>> from statlearn.gp import expected_hypervolume_improvement
    >>> round(expected_hypervolume_improvement([1.0, 1.0], [0.0, 0.0], [[0.0, 2.0], [2.0, 0.0]], [3.0, 3.0]), 6)
    1.0
    """
    mean, std = _arrays(mean, std)
    if mean.shape[-1:] != (2,) or mean.ndim > 2:
        raise ValueError(f"`mean` must have shape (n_points, 2) or (2,), got {mean.shape}.")
    strips = FrontStrips(front, reference)
    value, _, _ = strips.gain(np.atleast_2d(mean), np.atleast_2d(std))
    return float(value[0]) if mean.ndim == 1 else value


class FrontStrips:
    """A front of two objectives, cut into the strips of the expected hypervolume improvement."""

    def __init__(self, front, reference):
        reference = np.asarray(reference, dtype=np.float64)
        if reference.shape != (2,) or not np.isfinite(reference).all():
            raise ValueError(f"`reference` must be two finite numbers, got {reference}.")
        front = np.asarray(front, dtype=np.float64).reshape(-1, 2)
        if np.isnan(front).any():
            raise ValueError("`front` contains NaN.")
        front = front[np.all(front < reference, axis=1)]
        front = front[np.lexsort((front[:, 1], front[:, 0]))]
        if len(front):
            lowest = np.minimum.accumulate(front[:, 1])
            front = front[np.r_[True, front[1:, 1] < lowest[:-1]]]
        self.front = front
        self.right = np.r_[front[:, 0], reference[0]]  # y_1 of strips 1..n+1
        self.top = np.r_[reference[1], front[:, 1]]  # y_2 of strips 0..n

    def gain(self, mean, std):
        """Expected gain and its derivatives by mean and by standard deviation, each of shape (n, 2)."""
        first, first_mean, first_std = _psi(self.right, mean[:, :1], std[:, :1])
        second, second_mean, second_std = _psi(self.top, mean[:, 1:], std[:, 1:])

        def widths(values):
            return np.diff(values, axis=1, prepend=0.0)

        gain = np.sum(widths(first) * second, axis=1)
        by_mean = np.stack([np.sum(widths(first_mean) * second, 1), np.sum(widths(first) * second_mean, 1)], axis=1)
        by_std = np.stack([np.sum(widths(first_std) * second, 1), np.sum(widths(first) * second_std, 1)], axis=1)
        return np.maximum(gain, 0.0), by_mean, by_std


def _psi(level, mean, std):
    """E[(level - Y)^+] and its derivatives by mean and standard deviation; shape (n, n_levels)."""
    safe = np.where(std > 0, std, 1.0)
    z = (level - mean) / safe
    below, density = np.where(std > 0, ndtr(z), level > mean), np.where(std > 0, _density(z), 0.0)
    return np.maximum((level - mean) * below + safe * density, 0.0), -below, density
