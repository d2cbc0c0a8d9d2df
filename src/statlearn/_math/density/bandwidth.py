"""Bandwidths of univariate density estimates: R's rules, and the likelihood of held-out rows."""

import numpy as np

from statlearn._core.selection import CVCurve, weighty_folds
from statlearn._core.warnings import AmbiguousInputWarning, StatlearnWarning, warn

from .kernels import canonical_ratio

SHORT = {"sj": "sheather_jones", "sj_dpi": "sheather_jones_dpi"}
RULES = ("nrd0", "nrd", "ucv", "bcv", "sheather_jones", "sheather_jones_dpi", *SHORT)
CV_TOL = 1e-6  # relative error of densities that are only compared
SMALLEST_BANDWIDTH = 1e-150  # squares of smaller ones underflow
_MOST_BINS = 1 << 18


def rule_bandwidth(x, weights, rule, n_bins=None):
    """The bandwidth by one of `RULES`; weights may be None."""
    rule = SHORT.get(rule, rule)
    if weights is not None:
        x, weights = x[weights > 0], weights[weights > 0]
    n = float(len(x) if weights is None else weights.sum())
    if n < 2:
        raise ValueError(f"Found array with {len(x)} sample(s) while a minimum of 2 is required by the rule {rule!r}.")
    deviation, quartiles = _spread(x, weights, n)
    if rule in ("nrd0", "nrd"):
        scale = min(deviation, quartiles / 1.34) or deviation
        if rule == "nrd0":
            scale = scale or abs(float(x[0])) or 1.0
        elif scale == 0:
            raise ValueError("All values are equal, so no rule can choose a bandwidth; set a number instead.")
        return (0.9 if rule == "nrd0" else 1.06) * scale * n**-0.2
    if deviation == 0:
        raise ValueError("All values are equal, so no rule can choose a bandwidth; set a number instead.")
    scale = min(deviation, quartiles / 1.349) or deviation
    widest = 1.144 * (deviation if rule in ("ucv", "bcv") else scale) * n**-0.2
    pairs = Pairs.count(x, weights, n, n_bins, widest)
    if rule in ("ucv", "bcv"):
        return _minimum(pairs.ucv if rule == "ucv" else pairs.bcv, widest, rule)
    return _sheather_jones(pairs, scale, widest, direct=rule == "sheather_jones_dpi")


def _spread(x, weights, n):
    """Weighted standard deviation and interquartile range, with weights as copies."""
    if weights is None:
        low, high = np.quantile(x, [0.25, 0.75])
        return float(x.std(ddof=1)), float(high - low)
    mean = weights @ x / n
    order = np.argsort(x, kind="stable")
    reached, ordered = np.cumsum(weights[order]), x[order]

    def copy(k):
        return ordered[min(np.searchsorted(reached, k + 0.5), len(x) - 1)]

    def quantile(share):
        place = share * (n - 1)
        low = np.floor(place)
        return copy(low) + (place - low) * (copy(low + 1) - copy(low))

    deviation = np.sqrt(weights @ (x - mean) ** 2 / (n - 1))
    return float(deviation), float(quantile(0.75) - quantile(0.25))


class Pairs:
    """Number of pairs of points that are k bins apart, and the sums over pairs that the rules need."""

    def __init__(self, counts, width, n):
        self.counts, self.width, self.n = counts, width, n

    @classmethod
    def count(cls, x, weights, n, n_bins, widest):
        low, high = float(x.min()), float(x.max())
        bins = n_bins or int(min(max(1000, np.ceil(10.1 * (high - low) / widest)), _MOST_BINS))
        width = 1.01 * (high - low) / bins
        # R truncates towards 0, which shortens distances across 0 by a bin; followed only if all values have one sign.
        place = np.floor((-x if high <= 0 else x) / width)
        if max(abs(low), abs(high)) > 1e15 * width:  # far from 0, use the same bins with another origin
            place = np.floor((x - low) / width)
        place = place.astype(np.int64)
        held = np.bincount(place - place.min(), weights=weights, minlength=bins).astype(np.float64)
        if bins <= 2048:
            apart = np.correlate(held, held, "full")[len(held) - 1 :]
        else:
            from scipy.fft import irfft, next_fast_len, rfft

            size = next_fast_len(2 * len(held), real=True)
            apart = irfft(np.abs(rfft(held, size)) ** 2, size)[: len(held)]
        apart[0] = 0.5 * (apart[0] - n)  # pairs within a bin, each once
        return cls(np.maximum(apart, 0.0), width, n)

    def _sum(self, h, term):
        delta = (np.arange(len(self.counts)) * (self.width / h)) ** 2
        near = int(np.searchsorted(delta, 1000.0))
        return float(self.counts[:near] @ term(delta[:near]))

    def fourth(self, h):
        """Estimate of the integral of f'' squared with bandwidth h."""
        inner = self._sum(h, lambda d: np.exp(-d / 2) * (d**2 - 6 * d + 3))
        return (2 * inner + 3 * self.n) / (self.n * (self.n - 1) * h**5 * np.sqrt(2 * np.pi))

    def sixth(self, h):
        """Minus the estimate of the integral of f''' squared with bandwidth h."""
        inner = self._sum(h, lambda d: np.exp(-d / 2) * (d**3 - 15 * d**2 + 45 * d - 15))
        return (2 * inner - 15 * self.n) / (self.n * (self.n - 1) * h**7 * np.sqrt(2 * np.pi))

    def ucv(self, h):
        """Leave-one-out estimate of the integrated squared error, up to a constant."""
        inner = self._sum(h, lambda d: np.exp(-d / 4) - np.sqrt(8.0) * np.exp(-d / 2))
        return (0.5 + inner / self.n) / (self.n * h * np.sqrt(np.pi))

    def bcv(self, h):
        """Asymptotic integrated squared error."""
        inner = self._sum(h, lambda d: np.exp(-d / 4) * (d**2 - 12 * d + 12))
        return (1 + inner / (32 * self.n)) / (2 * self.n * h * np.sqrt(np.pi))


def _sheather_jones(pairs, scale, widest, *, direct):
    from scipy.optimize import brentq

    n = pairs.n
    third = -pairs.sixth(1.23 * scale * n ** (-1 / 9))
    sparse = "The sample is too sparse for the Sheather-Jones rule; use 'nrd0' or set a bandwidth."
    if not (np.isfinite(third) and third > 0):
        raise ValueError(sparse)
    constant = 1 / (2 * np.sqrt(np.pi) * n)
    if direct:
        return float((constant / pairs.fourth((2.394 / (n * third)) ** (1 / 7))) ** 0.2)
    ratio = pairs.fourth(1.24 * scale * n ** (-1 / 7)) / third
    if not (np.isfinite(ratio) and ratio > 0):
        raise ValueError(sparse)
    pilot = 1.357 * ratio ** (1 / 7)

    def excess(h):
        curvature = pairs.fourth(pilot * h ** (5 / 7))
        return (constant / curvature) ** 0.2 - h if curvature > 0 else np.inf

    low, high = 0.1 * widest, widest
    for attempt in range(100):
        if excess(low) * excess(high) <= 0:
            return float(brentq(excess, low, high, xtol=1e-14 * widest, rtol=1e-14))
        low, high = (low / 1.2, high) if attempt % 2 else (low, high * 1.2)
    raise ValueError(sparse)


def _minimum(criterion, widest, rule):
    from scipy.optimize import minimize_scalar

    low, high = 0.1 * widest, widest
    minimum = float(minimize_scalar(criterion, bounds=(low, high), method="bounded", options={"xatol": 1e-12 * high}).x)
    edge = 0.01 * low
    if minimum < low + edge or minimum > high - edge:
        warn(
            f"The rule {rule!r} has its minimum at an end of the range [{low:.3g}, {high:.3g}], because values "
            "are tied or too few. The bandwidth is unreliable; try 'sheather_jones'.",
            StatlearnWarning,
        )
    return minimum


# ------------------------------------------------------------------------------------------- likelihood of folds


def bandwidth_grid(X, weights, kernel):
    """Bandwidths around the one for a normal density, the largest first."""
    if len(X) < 2:
        raise ValueError("Found array with 1 sample(s) while a minimum of 2 is required by bandwidth='cv'.")
    n = float(len(X) if weights is None else weights.sum())
    centre = np.average(X, axis=0, weights=weights)
    with np.errstate(over="ignore"):
        scale = float(np.sqrt(np.mean(np.average((X - centre) ** 2, axis=0, weights=weights))))
    if not np.isfinite(scale):
        raise ValueError(f"X contains {np.abs(X).max():.3g}, whose square overflows; scale X.")
    if scale == 0:
        raise ValueError("All rows of X are equal, so `bandwidth`='cv' has nothing to choose; set a number instead.")
    reference = scale * max(n, 2.0) ** (-1 / (X.shape[1] + 4)) * canonical_ratio(kernel)
    return np.geomspace(4.0, 0.05, 25) * reference


def likelihood_curve(make, X, weights, values, cv):
    """CVCurve of minus the mean log density of held-out rows; `make` returns an unfitted estimate for a bandwidth."""
    from sklearn.model_selection import KFold, check_cv

    folds = min(cv or 5, len(X)) if cv is None or isinstance(cv, (int, np.integer)) else cv
    if isinstance(folds, (int, np.integer)) and folds < 2:
        raise ValueError("Found array with 1 sample(s) while a minimum of 2 is required by bandwidth='cv'.")
    splitter = KFold(folds, shuffle=True, random_state=0) if isinstance(folds, (int, np.integer)) else check_cv(folds)
    loss, share = [], []
    for train, test in weighty_folds(splitter.split(X), weights):
        model = make(float(values[0])).fit(X[train], sample_weight=None if weights is None else weights[train])
        test = test[np.argsort(X[test, 0], kind="stable")]  # consecutive neighbours make good use of the cache
        w = None if weights is None else weights[test]
        row = []
        for h in values:
            model.bandwidth_ = float(h)
            row.append(-np.average(model._log_density(X[test]), weights=w))
        loss.append(row)
        share.append(len(test) if w is None else w.sum())
    return CVCurve(np.asarray(values, dtype=np.float64), np.array(loss).T, np.array(share, float), name="bandwidth")


def chosen_bandwidth(curve):
    """Best value of a curve, with a warning if it is at an end."""
    best = curve.best
    if not np.isfinite(curve.mean[best]):
        raise ValueError(
            "Every bandwidth leaves some row with zero density; use larger `bandwidths` or a kernel with "
            "unbounded support."
        )
    if len(curve.parameter) > 2 and best in (0, len(curve.parameter) - 1):
        end = "largest" if best == 0 else "smallest"
        warn(
            f"The cross-validated likelihood prefers the {end} bandwidth tried, {curve.parameter[best]:.3g}. The "
            "best one may lie outside the range; extend `bandwidths`, or use another rule if the values are "
            "rounded and repeated.",
            StatlearnWarning,
        )
    return float(curve.parameter[best])


def check_unused_choice(estimator):
    """Refuse candidates, and warn of folds, for a bandwidth that is given.

    Folds are not refused, because scikit-learn's checks set `cv` of every estimator that has it.
    """
    bandwidth = estimator.bandwidth
    if isinstance(bandwidth, str) and bandwidth == "cv":
        return
    if estimator.bandwidths is not None:
        raise ValueError(f"`bandwidths` is used with bandwidth='cv' only, got `bandwidth`={bandwidth!r}.")
    if estimator.cv is not None:
        warn(
            f"`cv` is used with bandwidth='cv' only, and ignored with `bandwidth`={bandwidth!r}.", AmbiguousInputWarning
        )
