"""Relative entropy and cross-entropy of two densities."""

import itertools
import math
from dataclasses import dataclass

import numpy as np

from ._entropy import differential_entropy, log_scale

_NAMES = {"normal": ("mean", "scale", "cov"), "exponential": ("mean",), "uniform": ("low", "high")}
_OUTSIDE = 1e-10  # probability of p where q is 0 that is more than an error of the integration


@dataclass
class _Density:
    """A density by its name and parameters, or as a function on an interval."""

    name: str
    parameters: dict
    function: object
    support: tuple
    quantiles: tuple = ()

    def log(self, x):
        if self.function is not None:
            value = float(self.function(x))
            if not value >= 0:
                raise ValueError(f"A density must not be negative, got {value} at {x:.6g}.")
            return math.log(value) if value > 0 else -math.inf
        low, high = self.support
        if not low <= x <= high:
            return -math.inf
        if self.name == "normal":
            z = (x - self.parameters["mean"]) / self.parameters["scale"]
            return -0.5 * z * z - math.log(self.parameters["scale"] * math.sqrt(2.0 * math.pi))
        if self.name == "exponential":
            return -x / self.parameters["mean"] - math.log(self.parameters["mean"])
        return -math.log(high - low)

    @property
    def pieces(self):
        """Integration intervals that begin and end where the mass is."""
        low, high = self.support
        if self.quantiles:
            ends = sorted({low, high, *self.quantiles})
            return list(itertools.pairwise(ends))
        if self.name == "normal":
            mean, scale = self.parameters["mean"], self.parameters["scale"]
            return [(mean + a * scale, mean + b * scale) for a, b in ((-40, -6), (-6, 0), (0, 6), (6, 40))]
        if self.name == "exponential":
            mean = self.parameters["mean"]
            return [(0.0, 5.0 * mean), (5.0 * mean, 700.0 * mean)]
        return [(low, high)]


def _density(given, which, support):
    if hasattr(given, "pdf") and not callable(given):
        return _of_scipy(given, which)
    if callable(given):
        low, high = support
        if not low < high:
            raise ValueError(f"`support` must be an interval (low, high) with low < high, got {support!r}.")
        return _Density("", {}, given, (float(low), float(high)))
    name, parameters = (given, {}) if isinstance(given, str) else _pair(given, which)
    if name not in _NAMES:
        raise ValueError(f"`{which}` must name one of {list(_NAMES)} or be a density, got {name!r}.")
    unknown = set(parameters) - set(_NAMES[name])
    if unknown:
        raise ValueError(f"`{which}`: {name!r} has the parameters {list(_NAMES[name])}, got {sorted(unknown)}.")
    if name == "normal" and "cov" in parameters:
        return _multivariate(parameters, which)
    usual = {"normal": {"mean": 0.0, "scale": 1.0}, "exponential": {"mean": 1.0}, "uniform": {"low": 0.0, "high": 1.0}}
    values = {key: float(value) for key, value in {**usual[name], **parameters}.items()}
    width = {"normal": "scale", "exponential": "mean"}.get(name)
    positive = values[width] if width else values["high"] - values["low"]
    if not all(map(math.isfinite, values.values())) or not positive > 0:
        what = width or "high - low"
        raise ValueError(f"`{which}`: {what} must be positive and all parameters finite, got {values}.")
    supports = {"normal": (-math.inf, math.inf), "exponential": (0.0, math.inf)}
    return _Density(name, values, None, supports.get(name) or (values["low"], values["high"]))


def _of_scipy(frozen, which):
    """The density of a distribution of scipy.stats with its parameters, by its closed form if there is one here."""
    if not hasattr(frozen, "ppf"):
        mean, cov = getattr(frozen, "mean", None), getattr(frozen, "cov", None)
        if np.ndim(mean) != 1 or np.ndim(cov) != 2:
            raise ValueError(f"`{which}`: of the distributions of several dimensions only normal ones are supported.")
        return _multivariate({"mean": mean, "cov": cov}, which)
    low, high = (float(end) for end in frozen.support())
    family = getattr(getattr(frozen, "dist", None), "name", "")
    if family == "norm":
        return _density(("normal", {"mean": frozen.mean(), "scale": frozen.std()}), which, None)
    if family == "expon" and low == 0.0:
        return _density(("exponential", {"mean": frozen.mean()}), which, None)
    if family == "uniform":
        return _density(("uniform", {"low": low, "high": high}), which, None)
    inner = np.unique(frozen.ppf([1e-9, 1e-3, 0.25, 0.5, 0.75, 1 - 1e-3, 1 - 1e-9]))
    return _Density("", {}, frozen.pdf, (low, high), tuple(float(q) for q in inner if low < q < high))


def _pair(given, which):
    if not isinstance(given, (tuple, list)) or len(given) != 2 or not isinstance(given[1], dict):
        raise ValueError(
            f"`{which}` must be a name, a pair of a name and a dict of parameters, or a density, got {given!r}."
        )
    return given[0], given[1]


def _multivariate(parameters, which):
    if "scale" in parameters:
        raise ValueError(f"`{which}`: set either `scale` or `cov` of the normal distribution, not both.")
    cov = np.array(parameters["cov"], dtype=np.float64)
    symmetric = cov.ndim == 2 and cov.shape[0] == cov.shape[1] and np.isfinite(cov).all() and np.allclose(cov, cov.T)
    if not symmetric or np.linalg.eigvalsh(cov)[0] <= 0:
        raise ValueError(f"`{which}`: `cov` must be a symmetric, positive definite matrix.")
    mean = np.array(parameters.get("mean", np.zeros(len(cov))), dtype=np.float64)
    if mean.shape != (len(cov),):
        raise ValueError(f"`{which}`: `mean` must have {len(cov)} entries, as `cov`, got shape {mean.shape}.")
    return _Density("multivariate normal", {"mean": mean, "cov": cov}, None, None)


def differential_kl(p, q, *, support=(-np.inf, np.inf), base=None):
    r"""Kullback-Leibler divergence of two densities, :math:`D(p \| q) = \int p \log (p / q)`.

    Parameters
    ----------
    p, q : str, (str, dict), distribution of scipy.stats or callable
        A name with default parameters, a name with parameters, a distribution with its parameters such as
        ``scipy.stats.norm(0, 2)``, or a density f(x) of a number. The names are ``"normal"`` (`mean` 0, `scale` 1, or
        a vector `mean` with a matrix `cov`), ``"exponential"`` (`mean` 1) and ``"uniform"`` (`low` 0, `high` 1).
    support : (float, float), default=(-inf, inf)
        Interval on which p is positive, if p is a function.
    base : float or None, default=None
        Base of the logarithm. None uses natural logarithms.

    Returns
    -------
    float
        At least 0, and 0 only for equal densities. Infinite if p has mass where q is 0.

    Notes
    -----
    Two densities of the same name have closed forms; other pairs are integrated numerically.

    See Also
    --------
    kl_divergence : For probabilities of categories.
    differential_cross_entropy : This divergence plus the entropy of p.

    References
    ----------
    Cover, T. M. and Thomas, J. A. (2006). *Elements of Information Theory*, 2nd ed., chapter 8.

    Examples
    --------
    >>> from statlearn.trees import differential_kl
    >>> round(differential_kl("normal", ("normal", {"mean": 1, "scale": 2})), 7)
    0.4431472
    >>> differential_kl("uniform", ("uniform", {"low": 0.5, "high": 2}))
    inf
    """
    p, q = _density(p, "p", support), _density(q, "q", support)
    return float(_divergence(p, q) / log_scale(base))


def differential_cross_entropy(p, q, *, support=(-np.inf, np.inf), base=None):
    r"""Cross-entropy of two densities, :math:`-\int p \log q = H(p) + D(p \| q)`.

    Parameters
    ----------
    p, q : str, (str, dict) or callable
        As in :func:`differential_kl`.
    support : (float, float), default=(-inf, inf)
        Interval on which p is positive, if p is a function.
    base : float or None, default=None
        Base of the logarithm. None uses natural logarithms.

    Returns
    -------
    float
        The expected surprise of who believes in q while p is true; smallest, the differential entropy, for q = p.

    Examples
    --------
    >>> from statlearn.trees import differential_cross_entropy
    >>> round(differential_cross_entropy("normal", ("normal", {"mean": 1, "scale": 2})), 7)
    1.8620857
    """
    p, q = _density(p, "p", support), _density(q, "q", support)
    return float((_entropy(p) + _divergence(p, q)) / log_scale(base))


def _entropy(p):
    if p.function is not None:
        return differential_entropy(p.function, support=p.support)
    if p.name == "multivariate normal":
        return differential_entropy("normal", cov=p.parameters["cov"])
    parameters = {key: value for key, value in p.parameters.items() if (p.name, key) != ("normal", "mean")}
    return differential_entropy(p.name, **parameters)


def _divergence(p, q):
    if (p.name == "multivariate normal") != (q.name == "multivariate normal"):
        raise ValueError("`p` and `q` must have the same dimension; a normal density with `cov` needs another one.")
    a, b = p.parameters, q.parameters
    if p.name != q.name or p.function is not None or q.function is not None:
        return _integrated(p, q)
    if p.name == "normal":
        ratio = a["scale"] / b["scale"]
        return 0.5 * (ratio**2 - 1.0 + ((a["mean"] - b["mean"]) / b["scale"]) ** 2) - math.log(ratio)
    if p.name == "exponential":
        ratio = a["mean"] / b["mean"]
        return ratio - 1.0 - math.log(ratio)
    if p.name == "uniform":
        inside = b["low"] <= a["low"] and a["high"] <= b["high"]
        return math.log((b["high"] - b["low"]) / (a["high"] - a["low"])) if inside else math.inf
    if len(a["mean"]) != len(b["mean"]):
        raise ValueError(f"`p` and `q` must have the same dimension, got {len(a['mean'])} and {len(b['mean'])}.")
    gap = b["mean"] - a["mean"]
    trace = np.trace(np.linalg.solve(b["cov"], a["cov"])) + gap @ np.linalg.solve(b["cov"], gap)
    logs = np.linalg.slogdet(b["cov"])[1] - np.linalg.slogdet(a["cov"])[1]
    return 0.5 * (trace - len(gap) + logs)


def _integrated(p, q):
    from scipy.integrate import quad

    def over(function):
        return sum(quad(function, low, high, limit=200)[0] for low, high in p.pieces)

    def mass(x):
        return math.exp(p.log(x))

    def outside(x):
        return mass(x) if q.log(x) == -math.inf else 0.0

    def integrand(x):
        here, there = p.log(x), q.log(x)
        return math.exp(here) * (here - there) if here > -math.inf and there > -math.inf else 0.0

    total = over(mass)
    if not abs(total - 1.0) < 1e-4:
        raise ValueError(f"`p` must integrate to 1 over `support`={p.support}, but its integral is {total:.6g}.")
    return math.inf if over(outside) > _OUTSIDE else max(over(integrand), 0.0)
