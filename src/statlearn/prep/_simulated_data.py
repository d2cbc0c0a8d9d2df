"""Simulated data with a known truth."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import chdtr, gammaincinv, ndtr
from sklearn.utils import check_random_state

from statlearn._core.params import Int, Options, Real, check_arguments


@dataclass
class Scenario:
    """Result of :func:`make_scenario`.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Classes 0, 1, ... or numbers.
    truth : callable
        Probability of class 1 for two classes, ring for "rings", and mean of y for regression, at rows of X.
    bayes_error : float
        Smallest possible error: misclassification rate, or mean squared error.
    coef : ndarray or None
        True coefficients of a linear model.
    """

    X: np.ndarray
    y: np.ndarray
    truth: object
    bayes_error: float
    coef: np.ndarray | None = None


def chi2_quantile(q, df):
    """Quantile of the chi-squared distribution."""
    return 2 * gammaincinv(df / 2, q)


def _halves(n):
    """Two classes of sizes as equal as possible."""
    return np.arange(n) >= (n + 1) // 2


def gaussians(n, p, rng, *, distance=2.0):
    """One Gaussian with unit covariance per class, the means `distance` apart on the diagonal of the first two axes."""
    axis = np.zeros(p)
    axis[:2] = [1, -1] if p > 1 else [1]
    axis *= distance / 2 / np.linalg.norm(axis)
    y = _halves(n).astype(int)
    X = rng.normal(size=(n, p)) + np.where(y[:, None] == 0, axis, -axis)
    truth = lambda X: 1 / (1 + np.exp(2 * np.asarray(X) @ axis))  # noqa: E731
    return Scenario(X, y, truth, float(ndtr(-distance / 2)))


def mixture(n, p, rng):
    """Ten Gaussians of variance 1/5 per class, with means drawn from N((1, 0), I) and N((0, 1), I)."""
    centres = rng.normal(size=(2, 10, 2)) + np.array([[[1, 0]], [[0, 1]]])
    y = _halves(n).astype(int)
    X = centres[y, rng.randint(10, size=n)] + rng.normal(size=(n, 2)) / np.sqrt(5)

    def densities(X):
        squares = ((np.asarray(X)[:, None, None] - centres) ** 2).sum(axis=3)
        return (5 / (2 * np.pi) * np.exp(-2.5 * squares)).mean(axis=2)

    def truth(X):
        density = densities(X)
        return density[:, 1] / np.maximum(density.sum(axis=1), np.finfo(float).tiny)

    # The smaller density, integrated over a grid that reaches five standard deviations beyond the centres.
    low, high = centres.min(axis=(0, 1)) - 2.3, centres.max(axis=(0, 1)) + 2.3
    axes = [np.linspace(a, b, 160) for a, b in zip(low, high)]
    grid = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
    cell = np.prod([axis[1] - axis[0] for axis in axes])
    return Scenario(X, y, truth, float(densities(grid).min(axis=1).sum() * cell / 2))


def nested_spheres(n, p, rng):
    """Standard normal rows; class 1 lies outside the sphere that contains half of them."""
    radius = chi2_quantile(0.5, p)
    X = rng.normal(size=(n, p))
    truth = lambda X: ((np.asarray(X) ** 2).sum(axis=1) > radius).astype(float)  # noqa: E731
    return Scenario(X, truth(X).astype(int), truth, 0.0)


def orange_skin(n, p, rng):
    """Class 0 is standard normal in four columns, class 1 the same given a squared length between 9 and 16."""
    if p < 4:
        raise ValueError("`n_features` must be at least 4 for 'orange_skin'; further features are noise.")
    inner, outer = chdtr(4, 9), chdtr(4, 16)
    share = outer - inner
    y = _halves(n).astype(int)
    X = rng.normal(size=(n, p))
    skin = y == 1
    length = np.sqrt(chi2_quantile(rng.uniform(inner, outer, size=skin.sum()), 4))
    X[skin, :4] *= (length / np.linalg.norm(X[skin, :4], axis=1))[:, None]

    def truth(X):
        squared = (np.asarray(X)[:, :4] ** 2).sum(axis=1)
        return np.where((squared >= 9) & (squared <= 16), 1 / (1 + share), 0.0)

    return Scenario(X, y, truth, float(share / 2))


def corner_boxes(n, p, rng, *, share=0.25, noise=0.0):
    """Uniform rows in the unit cube; class 1 in the box at the upper corner with volume `share`; labels flipped."""
    side = share ** (1 / p)
    X = rng.uniform(size=(n, p))
    truth = lambda X: np.where((np.asarray(X) > 1 - side).all(axis=1), 1 - noise, noise)  # noqa: E731
    return Scenario(X, (rng.uniform(size=n) < truth(X)).astype(int), truth, float(min(noise, 1 - noise)))


def rings(n, p, rng, *, noise=0.25):
    """Three circles of radius 1, 2.8 and 5 with Gaussian noise on the points."""
    radii = np.array([1.0, 2.8, 5.0])
    y = np.arange(n) * 3 // n
    angle = rng.uniform(0, 2 * np.pi, size=n)
    X = radii[y][:, None] * np.column_stack([np.cos(angle), np.sin(angle)]) + noise * rng.normal(size=(n, 2))

    def truth(X):
        return np.abs(np.linalg.norm(np.asarray(X), axis=1)[:, None] - radii).argmin(axis=1)

    return Scenario(X, y, truth, np.nan)


def cubic(n, p, rng, *, noise=1.0):
    """y = x^3 - 2x + noise, x uniform on (-2, 2)."""
    X = rng.uniform(-2, 2, size=(n, 1))
    truth = lambda X: np.asarray(X)[:, 0] ** 3 - 2 * np.asarray(X)[:, 0]  # noqa: E731
    return Scenario(X, truth(X) + noise * rng.normal(size=n), truth, float(noise**2))


def ridge_design(n, p, rng, *, correlation=0.2, snr=2.0):
    """Normal columns with equal correlations, coefficients from N(0, 1), signal-to-noise variance ratio `snr`."""
    common = rng.normal(size=(n, 1))
    X = np.sqrt(correlation) * common + np.sqrt(1 - correlation) * rng.normal(size=(n, p))
    coef = rng.normal(size=p)
    variance = correlation * coef.sum() ** 2 + (1 - correlation) * (coef**2).sum()
    noise = variance / snr
    truth = lambda X: np.asarray(X) @ coef  # noqa: E731
    return Scenario(X, truth(X) + np.sqrt(noise) * rng.normal(size=n), truth, float(noise), coef)


# Name: generator, default columns, whether others are allowed, names of its options.
SCENARIOS = {
    "gaussians": (gaussians, 2, True, ("distance",)),
    "mixture": (mixture, 2, False, ()),
    "nested_spheres": (nested_spheres, 10, True, ()),
    "orange_skin": (orange_skin, 4, True, ()),
    "corner_boxes": (corner_boxes, 2, True, ("share", "noise")),
    "rings": (rings, 2, False, ("noise",)),
    "cubic": (cubic, 1, False, ("noise",)),
    "ridge_design": (ridge_design, 1000, True, ("correlation", "snr")),
}
_OPTION_RULES = {
    "distance": [Real(0, None)],
    "share": [Real(0, 1, closed="neither")],
    "noise": [Real(0, None)],
    "correlation": [Real(0, 1)],
    "snr": [Real(0, None, closed="neither")],
}


def make_scenario(name, n_samples=200, *, n_features=None, random_state=None, **options):
    r"""Simulated data sets of the textbooks, with their truth.

    - "gaussians": one spherical Gaussian per class, the means `distance` = 2 apart; Bayes error
      :math:`\Phi(-distance/2)`.
    - "mixture": ten small Gaussians per class, whose centres are drawn too (two columns).
    - "nested_spheres": ten standard normal columns, class 1 where the squared length exceeds its median (9.34).
    - "orange_skin": class 0 standard normal in four columns, class 1 the same given a squared length between 9 and 16;
      further columns are noise. Bayes error .029040.
    - "corner_boxes": uniform on the unit square (or cube), class 1 in a corner box that holds the `share` 0.25; labels
      flipped with the probability `noise` = 0.
    - "rings": three circles of radius 1, 2.8 and 5 with `noise` = 0.25.
    - "cubic": :math:`y = x^3 - 2x + \varepsilon`, x uniform on (-2, 2), standard deviation `noise` = 1.
    - "ridge_design": p = 1000 normal columns with pairwise `correlation` = 0.2, coefficients from N(0, 1), ratio of
      signal to noise variance `snr` = 2.

    Parameters
    ----------
    name : str
        Name of the simulation.
    n_samples : int, default=200
        Number of rows. Simulations with fixed class sizes make them as equal as possible.
    n_features : int or None, default=None
        Number of columns, if the simulation allows a choice.
    random_state : int, RandomState or None, default=None
        Seed of the draws.
    **options : float
        Options of the simulation, as listed above.

    Returns
    -------
    Scenario
        Has `X`, `y`, `truth` (a function of rows), `bayes_error` (NaN if unknown) and `coef`.

    References
    ----------
    Hastie, T., Tibshirani, R. and Friedman, J. (2009). *The Elements of Statistical Learning*, 2nd ed., sections 2.3,
    9.3, 10.2, 12.3, 14.5 and 18.1.

    Examples
    --------
    >>> from statlearn.prep import make_scenario
    >>> skin = make_scenario("orange_skin", 100, n_features=10, random_state=0)
    >>> skin.X.shape, round(skin.bayes_error, 5)
    ((100, 10), 0.02904)
    """
    check_arguments(
        make_scenario,
        name=(name, [Options(*SCENARIOS)]),
        n_samples=(n_samples, [Int(1, None)]),
        n_features=(n_features, [Int(1, None), None]),
        random_state=(random_state, ["random_state"]),
    )
    generator, columns, free, known = SCENARIOS[name]
    if n_features is not None and n_features != columns and not free:
        raise ValueError(f"`n_features` must be {columns} for {name!r}, got {n_features}.")
    unknown = [option for option in options if option not in known]
    if unknown:
        raise TypeError(f"{name!r} has no option {unknown[0]!r}; its options are {list(known)}.")
    check_arguments(make_scenario, **{option: (value, _OPTION_RULES[option]) for option, value in options.items()})
    draw = partial(generator, n_samples, n_features or columns, check_random_state(random_state))
    return draw(**options)
