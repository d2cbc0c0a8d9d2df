"""Theory of nearest neighbours: the error of one neighbour, and its distance in high dimensions."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array

from statlearn._core.params import Int, check_arguments, check_value


def _probability_rows(probabilities):
    P = check_array(np.atleast_2d(probabilities), dtype=np.float64, input_name="probabilities")
    if np.any(P < 0) or not np.allclose(P.sum(axis=1), 1.0, rtol=0, atol=1e-8):
        raise ValueError("`probabilities`: every row must contain non-negative numbers that sum to 1.")
    return P


def asymptotic_1nn_error(probabilities):
    r"""Asymptotic error of the nearest-neighbour rule at a point.

    .. math:: \varepsilon(x) = 1 - \sum_c p_c(x)^2

    In the limit of many training rows, the label of the nearest neighbour is an independent draw from the same class
    probabilities.

    Parameters
    ----------
    probabilities : array-like of shape (n_classes,) or (n_points, n_classes)
        Class probabilities at one point, or at several points.

    Returns
    -------
    float or ndarray of shape (n_points,)

    See Also
    --------
    cover_hart_bounds : bounds from the Bayes error alone.

    References
    ----------
    Cover, T. & Hart, P. (1967). Nearest neighbor pattern classification. IEEE Trans. Information Theory 13, 21-27.

    Examples
    --------
    >>> from statlearn.neighbors import asymptotic_1nn_error
    >>> round(asymptotic_1nn_error([0.7, 0.3]), 12)
    0.42
    """
    error = 1.0 - np.sum(_probability_rows(probabilities) ** 2, axis=1)
    return float(error[0]) if np.ndim(probabilities) == 1 else error


def cover_hart_bounds(bayes_error, n_classes=2):
    r"""Cover-Hart bounds on the asymptotic nearest-neighbour error, from the Bayes error B and the number of classes C.

    .. math:: B \le \varepsilon \le 2B - \frac{C}{C-1} B^2

    Parameters
    ----------
    bayes_error : float or array-like
        Between 0 and (C - 1) / C, the error of guessing among equally probable classes.
    n_classes : int, default=2

    Returns
    -------
    lower, upper : float or ndarray

    Notes
    -----
    "Twice the Bayes error" is only an upper bound, and a loose one unless B is small. For two classes the sharper upper
    bound is attained at every point, but not when averaged over points with different probabilities.

    References
    ----------
    Cover, T. & Hart, P. (1967). Nearest neighbor pattern classification. IEEE Trans. Information Theory 13, 21-27.

    Examples
    --------
    >>> from statlearn.neighbors import cover_hart_bounds
    >>> lower, upper = cover_hart_bounds(0.3)
    >>> round(lower, 12), round(upper, 12)
    (0.3, 0.42)
    """
    check_arguments(cover_hart_bounds, n_classes=(n_classes, [Int(2, None)]))
    B = np.asarray(bayes_error, dtype=np.float64)
    largest = (n_classes - 1) / n_classes
    if not np.all((B >= 0) & (largest * (1 + 1e-12) >= B)):
        raise ValueError(
            f"`bayes_error` must be between 0 and {largest:.6g} for {n_classes} classes, got {bayes_error!r}."
        )
    upper = 2 * B - B**2 / largest
    return (float(B), float(upper)) if B.ndim == 0 else (B, upper)


def median_nn_distance(n_features, n_samples):
    r"""Median distance from the centre of the unit ball to the nearest of N uniformly distributed points.

    .. math:: \left(1 - \left(\tfrac12\right)^{1/N}\right)^{1/p}

    Parameters
    ----------
    n_features : float or array-like
        Dimension p.
    n_samples : float or array-like
        Number of points N.

    Returns
    -------
    float or ndarray

    Notes
    -----
    In ten dimensions the nearest of 500 points is more than half way to the boundary: neighbours are not local, and the
    prediction at the centre is an extrapolation. The difference is computed without cancellation, so N may be
    arbitrarily large.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, equation (2.24).

    Examples
    --------
    >>> from statlearn.neighbors import median_nn_distance
    >>> round(median_nn_distance(10, 500), 7)
    0.5177921
    """
    p, n = np.asarray(n_features, dtype=np.float64), np.asarray(n_samples, dtype=np.float64)
    if not (np.all(p > 0) and np.all(n > 0) and np.all(np.isfinite(p)) and np.all(np.isfinite(n))):
        raise ValueError("`n_features` and `n_samples` must be positive and finite.")
    distance = np.exp(np.log(-np.expm1(-np.log(2.0) / n)) / p)
    return float(distance) if distance.ndim == 0 else distance


@dataclass
class CurseSimulation:
    """Result of :func:`curse_simulation`; arrays have one entry per dimension.

    Parameters
    ----------
    n_features : ndarray of int
        Dimensions.
    estimate, estimate_std : ndarray
        Mean and standard deviation of the estimate at the origin over the repetitions.
    distance, distance_std : ndarray
        Mean and standard deviation of the distance from the origin to the nearest point.
    truth : float
        Value of the function at the origin.
    n_samples, n_repeats : int
    """

    n_features: np.ndarray
    estimate: np.ndarray
    estimate_std: np.ndarray
    distance: np.ndarray
    distance_std: np.ndarray
    truth: float
    n_samples: int
    n_repeats: int

    @property
    def squared_bias(self):
        """Squared difference between the mean estimate and the truth."""
        return (self.estimate - self.truth) ** 2

    @property
    def mean_squared_error(self):
        """Squared bias plus the variance over the repetitions."""
        return self.squared_bias + self.estimate_std**2

    def to_frame(self):
        """One row per dimension, as a pandas DataFrame."""
        import pandas as pd

        columns = ("estimate", "estimate_std", "distance", "distance_std", "squared_bias", "mean_squared_error")
        index = pd.Index(self.n_features, name="n_features")
        return pd.DataFrame({name: getattr(self, name) for name in columns}, index=index)

    def plot(self, axes=None):
        """Plot of nearest distance and estimate by dimension, with one-standard-deviation bands; returns both axes."""
        from statlearn._draw.dimension import plot_curse

        return plot_curse(self, axes=axes)


def _bump(X):
    """The textbook's function, 1 at the origin and almost 0 at a distance of one half."""
    return np.exp(-8.0 * np.einsum("ij,ij->i", X, X))


def curse_simulation(n_features=(1, 2, 3, 5, 10), *, n_samples=1000, n_repeats=200, f=None, random_state=None):
    r"""Simulation of one nearest neighbour at the origin from uniform points in the cube [-1, 1]^p, for increasing p.

    There is no noise: :math:`y = f(x)`, by default :math:`e^{-8\lVert x\rVert^2}`, which is 1 at the origin. All error
    of the estimate is due to the distance of the nearest point.

    Parameters
    ----------
    n_features : sequence of int, default=(1, 2, 3, 5, 10)
        Dimensions p.
    n_samples : int, default=1000
        Number of points in each training set.
    n_repeats : int, default=200
        Number of training sets per dimension.
    f : callable or None, default=None
        Function to estimate; maps an array of shape (n, p) to n numbers.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    CurseSimulation
        Has arrays ``estimate`` and ``distance`` (means over the repetitions), their standard deviations, and the
        methods ``to_frame`` and ``plot``.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, figure 2.7.

    Examples
    --------
    >>> from statlearn.neighbors import curse_simulation
    >>> result = curse_simulation((1, 10), n_repeats=50, random_state=0)
    >>> bool(result.estimate[0] > 0.99), bool(result.estimate[1] < 0.05)
    (True, True)
    """
    check_arguments(
        curse_simulation,
        n_samples=(n_samples, [Int(1, None)]),
        n_repeats=(n_repeats, [Int(1, None)]),
        f=(f, ["callable", None]),
        random_state=(random_state, ["random_state"]),
    )
    dimensions = np.atleast_1d(np.asarray(n_features))
    for p in dimensions.tolist():
        check_value("n_features", p, [Int(1, None)], "curse_simulation")
    rng, f = check_random_state(random_state), _bump if f is None else f
    estimates = np.empty((len(dimensions), n_repeats))
    distances = np.empty((len(dimensions), n_repeats))
    for row, p in enumerate(dimensions.tolist()):
        for repeat in range(n_repeats):
            X = rng.uniform(-1.0, 1.0, size=(n_samples, p))
            squared = np.einsum("ij,ij->i", X, X)
            nearest = int(np.argmin(squared))
            estimates[row, repeat] = np.asarray(f(X[nearest : nearest + 1])).item()
            distances[row, repeat] = np.sqrt(squared[nearest])
    return CurseSimulation(
        dimensions,
        estimates.mean(axis=1),
        estimates.std(axis=1),
        distances.mean(axis=1),
        distances.std(axis=1),
        np.asarray(f(np.zeros((1, int(dimensions[0]))))).item(),
        n_samples,
        n_repeats,
    )
