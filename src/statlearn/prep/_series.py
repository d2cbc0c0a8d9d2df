"""Summary features of time series."""

from math import factorial

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, ListOf, Options, Real, check_params
from statlearn._core.validation import FLOATS, validate_data

FAMILIES = ("distribution", "autocorrelation", "stationarity", "complexity", "nonlinear")
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
# Cells of the largest intermediate array: about 16 MB.
BLOCK = 2_000_000


def safe_divide(a, b, default=0.0):
    """a / b, or the default if b is 0."""
    a, b = np.broadcast_arrays(np.asarray(a, dtype=float), np.asarray(b, dtype=float))
    return np.divide(a, b, out=np.full(a.shape, default), where=b != 0)


def standardise(X):
    """Rows of mean 0 and variance 1; constant rows are 0."""
    centred = X - X.mean(axis=1, keepdims=True)
    spread = centred.std(axis=1, keepdims=True)
    # What is left of a constant row is rounding.
    noise = 10 * np.finfo(float).eps * np.abs(X).max(axis=1, keepdims=True)
    return np.where(spread > noise, safe_divide(centred, spread), 0.0)


def distribution(X, Z):
    """Mean, standard deviation, skewness, excess kurtosis and quantiles."""
    constant = ~Z.any(axis=1)
    out = {"mean": X.mean(axis=1), "sd": np.where(constant, 0.0, X.std(axis=1))}
    out["skewness"] = (Z**3).mean(axis=1)
    out["kurtosis"] = np.where(constant, 0.0, (Z**4).mean(axis=1) - 3)
    for share, values in zip(QUANTILES, np.quantile(X, QUANTILES, axis=1)):
        out[f"q{round(100 * share):02d}"] = values
    return out


def autocorrelations(Z, n_lags):
    """Autocorrelations at lags 0 to n_lags with divisor n; 0 beyond the length and for constant rows."""
    n = Z.shape[1]
    lags = min(n_lags, n - 1)
    spectrum = np.abs(np.fft.rfft(Z, 2 * n, axis=1)) ** 2
    covariances = np.fft.irfft(spectrum, axis=1)[:, : lags + 1] / n
    out = np.zeros((len(Z), n_lags + 1))
    out[:, : lags + 1] = safe_divide(covariances, covariances[:, :1] * np.ones(lags + 1))
    return out


def autocorrelation(Z, n_lags):
    """Autocorrelations at the first lags, and the first lag without a positive one, as a fraction of the length."""
    n = Z.shape[1]
    acf = autocorrelations(Z, max(n_lags, n - 1))
    out = {f"acf{k}": acf[:, k] for k in range(1, n_lags + 1)}
    below = acf[:, 1:n] <= 0
    out["first_zero"] = np.where(below.any(axis=1), below.argmax(axis=1) + 1, n) / n if n > 1 else np.ones(len(Z))
    return out


def stationarity(Z):
    """Changes between the halves, linear trend, dominant period and its fraction of the power."""
    n = Z.shape[1]
    half = n // 2
    first, second = Z[:, : max(half, 1)], Z[:, half:]
    time = np.linspace(-1, 1, n) if n > 1 else np.zeros(1)
    slope = safe_divide(Z @ time, np.sum(time**2))
    explained = safe_divide(slope**2 * np.sum(time**2), np.sum(Z**2, axis=1))
    period, strength = dominant_period(Z - slope[:, None] * time)
    variances = [part.var(axis=1) for part in (first, second)]
    return {
        "mean_change": second.mean(axis=1) - first.mean(axis=1),
        "variance_change": safe_divide(variances[1] - variances[0], variances[0] + variances[1]),
        "slope": slope,
        "trend": explained,
        "period": period,
        "seasonality": strength,
    }


def dominant_period(Z):
    """Period at the peak of the periodogram, interpolated between frequencies, and its fraction of the power."""
    n = Z.shape[1]
    if n < 4:
        return np.zeros(len(Z)), np.zeros(len(Z))
    taper = np.hanning(n + 2)[1:-1]  # so that the peak is a parabola in the logarithm, whatever its place
    power = np.abs(np.fft.rfft(Z * taper, axis=1)) ** 2
    power[:, 0] = 0
    total = power.sum(axis=1)
    peak = np.clip(power.argmax(axis=1), 1, power.shape[1] - 1)
    rows = np.arange(len(Z))
    around = [power[rows, np.clip(peak + d, 1, power.shape[1] - 1)] for d in (-1, 0, 1)]
    left, top, right = (np.log(np.maximum(a, np.finfo(float).tiny)) for a in around)
    inner = (peak > 1) & (peak < power.shape[1] - 1)
    shift = np.where(inner, 0.5 * safe_divide(left - right, left - 2 * top + right), 0.0)
    period = n / (peak + np.clip(shift, -0.5, 0.5))
    alive = total > 1e-20 * n
    return np.where(alive, period, 0.0), np.where(alive, safe_divide(sum(around), total), 0.0)


def complexity(Z, radius):
    """Spectral and permutation entropy (relative to their maximum), approximate and sample entropy."""
    return {
        "spectral_entropy": spectral_entropy(Z),
        "permutation_entropy": permutation_entropy(Z),
        "approximate_entropy": approximate_entropy(Z, radius),
        "sample_entropy": sample_entropy(Z, radius),
    }


def entropy(p):
    """Entropy of rows of probabilities, in nats."""
    return -np.sum(np.where(p > 0, p * np.log(np.where(p > 0, p, 1)), 0), axis=1)


def spectral_entropy(Z):
    power = np.abs(np.fft.rfft(Z, axis=1))[:, 1:] ** 2
    if power.shape[1] < 2:
        return np.zeros(len(Z))
    return entropy(safe_divide(power, power.sum(axis=1, keepdims=True))) / np.log(power.shape[1])


def permutation_entropy(Z, order=3):
    """Permutation entropy of successive values; equal values keep their order in time."""
    n = Z.shape[1]
    if n < order:
        return np.zeros(len(Z))
    windows = np.lib.stride_tricks.sliding_window_view(Z, order, axis=1)
    codes = np.argsort(windows, axis=2, kind="stable") @ order ** np.arange(order)
    counts = np.array([np.bincount(row, minlength=order**order) for row in codes])
    return entropy(counts / (n - order + 1)) / np.log(factorial(order))


def template_counts(Z, m, radius, n_templates):
    """Number of templates of length m within the radius (maximum norm) of each, including itself."""
    out = np.empty((len(Z), n_templates))
    chunk = max(1, min(n_templates, BLOCK // n_templates))
    series = max(1, BLOCK // (chunk * n_templates))
    for a in range(0, len(Z), series):
        block = Z[a : a + series]
        for i in range(0, n_templates, chunk):
            stop = min(i + chunk, n_templates)
            near = np.ones((len(block), stop - i, n_templates), dtype=bool)
            for k in range(m):
                near &= np.abs(block[:, i + k : stop + k, None] - block[:, None, k : k + n_templates]) <= radius
            out[a : a + series, i:stop] = near.sum(axis=2)
    return out


def approximate_entropy(Z, radius, m=2):
    n = Z.shape[1]
    if n < m + 2:
        return np.zeros(len(Z))
    levels = []
    for length in (m, m + 1):
        templates = n - length + 1
        levels.append(np.log(template_counts(Z, length, radius, templates) / templates).mean(axis=1))
    return levels[0] - levels[1]


def sample_entropy(Z, radius, m=2):
    """Minus the log of the fraction of template pairs that remain near when extended by one; the bound without any."""
    n = Z.shape[1]
    if n < m + 2:
        return np.zeros(len(Z))
    templates = n - m
    short = template_counts(Z, m, radius, templates).sum(axis=1) - templates
    long = template_counts(Z, m + 1, radius, templates).sum(axis=1) - templates
    bound = np.log(templates * (templates - 1))
    return np.where(long > 0, -np.log(safe_divide(np.maximum(long, 1), np.maximum(short, 1))), bound)


def nonlinear(Z):
    """Time asymmetry, divergence rate of neighbouring segments (the sign of a Lyapunov exponent), third moment c3."""
    n = Z.shape[1]
    steps = np.diff(Z, axis=1)
    none = np.zeros(len(Z))
    if n < 2:
        return {"time_asymmetry": none, "divergence": none, "c3": none}
    asymmetry = safe_divide((steps**3).mean(axis=1), (steps**2).mean(axis=1) ** 1.5)
    triples = (Z[:, 2:] * Z[:, 1:-1] * Z[:, :-2]).mean(axis=1) if n > 2 else none
    return {"time_asymmetry": asymmetry, "divergence": np.array([divergence(z) for z in Z]), "c3": triples}


def divergence(z, m=3, ahead=3):
    """Mean growth per step of the log distance between a segment of the series and its nearest other segment."""
    from scipy.spatial import cKDTree

    last = len(z) - m - ahead + 1
    if last < 2 * m + 2 or not z.any():
        return 0.0
    stretches = np.lib.stride_tricks.sliding_window_view(z, m)
    k = min(2 * m + 2, last)  # more than the stretches that overlap
    distance, place = cKDTree(stretches[:last]).query(stretches[:last], k=k)
    apart = (np.abs(place - np.arange(last)[:, None]) > m) & (distance > 1e-12)
    rows = np.flatnonzero(apart.any(axis=1))
    if not rows.size:
        return 0.0
    nearest = apart[rows].argmax(axis=1)
    start = distance[rows, nearest]
    end = np.linalg.norm(stretches[rows + ahead] - stretches[place[rows, nearest] + ahead], axis=1)
    moved = end > 1e-12
    return float(np.log(end[moved] / start[moved]).mean() / ahead) if moved.any() else 0.0


class SeriesFeatures(TransformerMixin, BaseEstimator):
    r"""Summary features of time series, one series per row, from five families.

    - "distribution": mean, sd (divisor n), skewness, excess kurtosis, five quantiles.
    - "autocorrelation": at lags 1 to `n_lags`; the first lag without positive autocorrelation, as a fraction of the
      length.
    - "stationarity": change of mean and variance from the first half to the second, slope and fraction of variance of
      a linear trend, dominant period (in steps) and its fraction of the power.
    - "complexity": spectral entropy and permutation entropy of three successive values (0 regular, 1 noise),
      approximate and sample entropy.
    - "nonlinear": asymmetry under time reversal, divergence rate of neighbouring segments, mean product c3 of three
      successive values.

    All families except the first use the series standardised to mean 0 and variance 1.

    Parameters
    ----------
    families : list of str or None, default=None
        Families to compute; None uses all.
    n_lags : int, default=5
        Number of autocorrelations.
    radius : float, default=0.2
        Distance below which two segments are near, for approximate and sample entropy, in standard deviations.

    Attributes
    ----------
    names_ : list of str
        Names of the features.
    n_features_in_ : int
        Length of the series.
    feature_names_in_ : ndarray of str

    Notes
    -----
    Constant and very short series give finite numbers; undefined features are 0. A sample entropy without near pairs is
    set to its largest possible value, :math:`\log (N(N-1))` for N segments. Approximate and sample entropy cost
    :math:`O(T^2)` for a series of length T, the others :math:`O(T \log T)`.

    References
    ----------
    Fulcher, B. D. and Jones, N. S. (2014). Highly comparative feature-based time-series classification. *IEEE TKDE* 26,
    3026-3037.
    Richman, J. S. and Moorman, J. R. (2000). Physiological time-series analysis using approximate entropy and sample
    entropy. *Am. J. Physiol.* 278, H2039-H2049.
    Bandt, C. and Pompe, B. (2002). Permutation entropy. *Phys. Rev. Lett.* 88, 174102.
    Rosenstein, M. T., Collins, J. J. and De Luca, C. J. (1993). A practical method for calculating largest Lyapunov
    exponents from small data sets. *Physica D* 65, 117-134.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.prep import SeriesFeatures
    >>> wave = np.sin(2 * np.pi * np.arange(200) / 25)[None]
    >>> features = SeriesFeatures(["stationarity"]).fit(wave)
    >>> dict(zip(features.get_feature_names_out(), features.transform(wave)[0].round(2).tolist()))["period"]
    25.0
    """

    _constraints = {
        "families": [ListOf(Options(*FAMILIES)), None],
        "n_lags": [Int(1, 10_000)],
        "radius": [Real(0, None, closed="neither")],
    }

    def __init__(self, families=None, *, n_lags=5, radius=0.2):
        self.families = families
        self.n_lags = n_lags
        self.radius = radius

    def fit(self, X, y=None):
        """Store the length of the series; nothing else is learned.

        Parameters
        ----------
        X : array-like of shape (n_series, length)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_data(self, X, dtype=FLOATS)
        self.names_ = list(self._describe(X[:1].astype(np.float64)))
        return self

    def _describe(self, X):
        Z = standardise(X)
        makers = {
            "distribution": lambda: distribution(X, Z),
            "autocorrelation": lambda: autocorrelation(Z, self.n_lags),
            "stationarity": lambda: stationarity(Z),
            "complexity": lambda: complexity(Z, self.radius),
            "nonlinear": lambda: nonlinear(Z),
        }
        out = {}
        for family in FAMILIES if self.families is None else self.families:
            out.update(makers[family]())
        return out

    def transform(self, X):
        """Features of each series.

        Parameters
        ----------
        X : array-like of shape (n_series, length)

        Returns
        -------
        ndarray of shape (n_series, n_features)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        return np.column_stack(list(self._describe(X.astype(np.float64)).values()))

    def get_feature_names_out(self, input_features=None):
        """Names of the features, such as "sd" and "acf1".

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Checked against the names of the training columns, otherwise unused.

        Returns
        -------
        ndarray of str
        """
        from statlearn._core.names import input_names

        check_is_fitted(self)
        input_names(self, input_features)
        return np.asarray(self.names_, dtype=object)
