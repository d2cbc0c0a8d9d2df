"""Conjugate models: prior and posterior in one object that can be updated, sampled and plotted."""

from dataclasses import dataclass

import numpy as np
from scipy import stats
from scipy.special import betaln, gammaln, xlogy
from sklearn.utils import check_random_state


def _positive(name, *values):
    for value in values:
        array = np.asarray(value, dtype=np.float64)
        if not (np.all(np.isfinite(array)) and np.all(array > 0)):
            raise ValueError(f"`{name}` must be positive and finite, got {value!r}.")


def _counts(name, value):
    array = np.asarray(value, dtype=np.float64)
    if not (np.all(np.isfinite(array)) and np.all(array >= 0)):
        raise ValueError(f"`{name}` must contain non-negative numbers, got {value!r}.")
    return array


def _level(level):
    if not 0 < level < 1:
        raise ValueError(f"`level` must be between 0 and 1, got {level!r}.")
    return (1 - level) / 2


def _plot_density(ax, grid, density, label):
    from statlearn._draw.axes import new_axes

    ax = new_axes(ax)
    ax.plot(grid, density, label=label)
    ax.set_ylim(bottom=0, auto=True)
    ax.set_ylabel("density")
    return ax


@dataclass(frozen=True)
class BetaBernoulli:
    """Beta distribution of a probability, updated by ones and zeros.

    After N1 ones and N0 zeros, the posterior of Beta(a, b) is Beta(a + N1, b + N0).

    Parameters
    ----------
    a, b : float, default=1.0
        Parameters of the beta distribution; both 1 is uniform.
    ones, zeros : float, default=0.0
        Observations so far, which are already included in `a` and `b`.

    Notes
    -----
    `update` returns a new object, so that prior and posterior can be compared. Any split and order of the data give the
    same posterior. The mode depends on the parametrisation; report the mean or an interval for small samples.

    Examples
    --------
    >>> from statlearn.bayes import BetaBernoulli
    >>> posterior = BetaBernoulli(2, 2).update(ones=7, zeros=3)
    >>> posterior
    BetaBernoulli(a=9.0, b=5.0, ones=7.0, zeros=3.0)
    >>> round(posterior.mean, 4), round(posterior.mode, 4), posterior.mle
    (0.6429, 0.6667, 0.7)
    """

    a: float = 1.0
    b: float = 1.0
    ones: float = 0.0
    zeros: float = 0.0

    def __post_init__(self):
        _positive("a", self.a)
        _positive("b", self.b)
        for name in ("a", "b", "ones", "zeros"):
            object.__setattr__(self, name, float(getattr(self, name)))

    def update(self, data=None, *, ones=None, zeros=None):
        """The posterior after more data: an array of zeros and ones (missing values are ignored), or their numbers."""
        if data is not None:
            if ones is not None or zeros is not None:
                raise ValueError("Pass either `data`, or `ones` and `zeros`.")
            data = np.asarray(data, dtype=np.float64).ravel()
            data = data[~np.isnan(data)]
            if not np.all((data == 0) | (data == 1)):
                raise ValueError("`data` must contain only zeros and ones.")
            ones, zeros = data.sum(), len(data) - data.sum()
        ones = float(_counts("ones", 0.0 if ones is None else ones))
        zeros = float(_counts("zeros", 0.0 if zeros is None else zeros))
        return BetaBernoulli(self.a + ones, self.b + zeros, self.ones + ones, self.zeros + zeros)

    @property
    def distribution(self):
        """The frozen scipy distribution."""
        return stats.beta(self.a, self.b)

    @property
    def mean(self):
        """Posterior mean a / (a + b)."""
        return self.a / (self.a + self.b)

    @property
    def variance(self):
        """Posterior variance a b / ((a + b)^2 (a + b + 1))."""
        total = self.a + self.b
        return self.a * self.b / (total**2 * (total + 1))

    @property
    def mode(self):
        """Posterior mode (MAP); NaN if the density has no unique maximum."""
        if self.a > 1 and self.b > 1:
            return (self.a - 1) / (self.a + self.b - 2)
        if self.a == self.b:
            return np.nan
        return 0.0 if self.a < self.b and self.a <= 1 else 1.0

    @property
    def mle(self):
        """Relative frequency of ones in the data, without the prior; NaN without data."""
        total = self.ones + self.zeros
        return self.ones / total if total > 0 else np.nan

    def interval(self, level=0.95):
        """Credible interval with equal tails."""
        tail = _level(level)
        return tuple(float(v) for v in self.distribution.ppf([tail, 1 - tail]))

    def pdf(self, theta):
        """Density of the probability."""
        return self.distribution.pdf(theta)

    def predictive(self, n=1):
        """Distribution of the number of ones among the next n: a `BetaBinomial`."""
        return BetaBinomial(n, self.a, self.b)

    def sample(self, n_samples=1, random_state=None):
        """Draws of the probability."""
        return check_random_state(random_state).beta(self.a, self.b, size=n_samples)

    def plot(self, ax=None, *, label=None):
        """Draw the density; returns the axes."""
        grid = np.linspace(0, 1, 501)[1:-1]
        ax = _plot_density(ax, grid, self.pdf(grid), label or f"Beta({self.a:g}, {self.b:g})")
        ax.set_xlabel("probability")
        return ax


@dataclass(frozen=True)
class BetaBinomial:
    r"""Beta-binomial distribution: number of ones among n whose probability has a beta distribution.

    .. math:: P(y) = \binom{n}{y} \frac{B(y + a, n - y + b)}{B(a, b)}

    Parameters
    ----------
    n : int
    a, b : float
        Parameters of the beta distribution of the probability.

    Examples
    --------
    >>> from statlearn.bayes import BetaBinomial
    >>> BetaBinomial(10, 2, 3).variance
    6.0
    """

    n: int
    a: float = 1.0
    b: float = 1.0

    def __post_init__(self):
        if int(self.n) != self.n or self.n < 0:
            raise ValueError(f"`n` must be a non-negative integer, got {self.n!r}.")
        _positive("a", self.a)
        _positive("b", self.b)

    def logpmf(self, y):
        """Log probability of y ones."""
        y = np.asarray(y, dtype=np.float64)
        inside = (y >= 0) & (y <= self.n) & (y == np.floor(y))
        safe = np.where(inside, y, 0.0)
        choose = gammaln(self.n + 1) - gammaln(safe + 1) - gammaln(self.n - safe + 1)
        logs = choose + betaln(safe + self.a, self.n - safe + self.b) - betaln(self.a, self.b)
        return np.where(inside, logs, -np.inf)

    def pmf(self, y):
        """Probability of y ones."""
        return np.exp(self.logpmf(y))

    def joint_pdf(self, y, theta):
        """Joint density of y ones and the probability theta."""
        return stats.binom.pmf(y, self.n, theta) * stats.beta.pdf(theta, self.a, self.b)

    def posterior(self, y):
        """Posterior of the probability after y ones: a `BetaBernoulli`."""
        return BetaBernoulli(self.a, self.b).update(ones=y, zeros=self.n - y)

    @property
    def mean(self):
        """n a / (a + b)."""
        return self.n * self.a / (self.a + self.b)

    @property
    def variance(self):
        """n mu (1 - mu) (1 + (n - 1) / (a + b + 1)) with mu = a / (a + b)."""
        mu = self.a / (self.a + self.b)
        return self.n * mu * (1 - mu) * (1 + (self.n - 1) / (self.a + self.b + 1))

    def sample(self, n_samples=1, random_state=None):
        """Draws of the number of ones."""
        rng = check_random_state(random_state)
        return rng.binomial(self.n, rng.beta(self.a, self.b, size=n_samples))


@dataclass(frozen=True)
class DirichletMultinomial:
    r"""Dirichlet distribution of category probabilities, updated by counts.

    After counts N, the posterior of Dir(alpha) is Dir(alpha + N).

    Parameters
    ----------
    alpha : array-like of shape (n_categories,)
    counts : array-like of shape (n_categories,) or None
        Observations so far, which are already included in `alpha`.

    Examples
    --------
    >>> from statlearn.bayes import DirichletMultinomial
    >>> posterior = DirichletMultinomial([1, 1, 1]).update([3, 0, 1])
    >>> posterior.mean.round(3).tolist(), posterior.mode.tolist()
    ([0.571, 0.143, 0.286], [0.75, 0.0, 0.25])
    """

    alpha: tuple
    counts: tuple | None = None

    def __post_init__(self):
        alpha = np.array(self.alpha, dtype=np.float64)
        if alpha.ndim != 1 or len(alpha) < 2:
            k = int(alpha) if alpha.ndim == 0 and 2 <= alpha <= 1000 and alpha == np.round(alpha) else None
            said = "" if k is None else f" For {k} categories with a uniform prior write [1]*{k}."
            raise ValueError(f"`alpha` must have at least two parameters, got {self.alpha!r}.{said}")
        _positive("alpha", alpha)
        counts = np.zeros_like(alpha) if self.counts is None else _counts("counts", self.counts)
        object.__setattr__(self, "alpha", alpha)
        object.__setattr__(self, "counts", counts)

    def __eq__(self, other):
        return (
            isinstance(other, DirichletMultinomial)
            and np.array_equal(self.alpha, other.alpha)
            and np.array_equal(self.counts, other.counts)
        )

    def __hash__(self):
        return hash((self.alpha.tobytes(), self.counts.tobytes()))

    def update(self, counts):
        """The posterior after more counts."""
        counts = _counts("counts", counts)
        if counts.shape != self.alpha.shape:
            raise ValueError(f"`counts` must have {len(self.alpha)} entries, got shape {counts.shape}.")
        return DirichletMultinomial(self.alpha + counts, self.counts + counts)

    @property
    def mean(self):
        """Posterior mean of the probabilities."""
        return self.alpha / self.alpha.sum()

    @property
    def variance(self):
        """Posterior variances of the probabilities."""
        total = self.alpha.sum()
        return self.mean * (1 - self.mean) / (total + 1)

    @property
    def mode(self):
        """Posterior mode (alpha - 1) / (sum alpha - K); NaN if some parameter is below 1 or all are 1."""
        top = self.alpha - 1
        if np.any(top < 0) or top.sum() == 0:
            return np.full(len(top), np.nan)
        return top / top.sum()

    @property
    def mle(self):
        """Relative frequencies of the data, without the prior; NaN without data."""
        total = self.counts.sum()
        return self.counts / total if total > 0 else np.full(len(self.counts), np.nan)

    def marginal(self, k):
        """Distribution of one probability: a `BetaBernoulli`."""
        return BetaBernoulli(self.alpha[k], self.alpha.sum() - self.alpha[k])

    def interval(self, level=0.95):
        """Credible intervals of the single probabilities, of shape (n_categories, 2)."""
        return np.array([self.marginal(k).interval(level) for k in range(len(self.alpha))])

    def logpdf(self, theta):
        """Log density of the probabilities `theta`, of shape (..., n_categories); -inf off the simplex."""
        theta, inside = self._on_simplex(theta)
        constant = gammaln(self.alpha.sum()) - gammaln(self.alpha).sum()
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = constant + xlogy(self.alpha - 1.0, theta).sum(axis=-1)
        return np.where(inside & ~np.isnan(logs), logs, -np.inf)

    def pdf(self, theta):
        """Density of the probabilities `theta`, of shape (..., n_categories); 0 off the simplex."""
        return np.exp(self.logpdf(theta))

    def joint_pdf(self, counts, theta):
        """Joint density of counts among the next sum(counts) observations and the probabilities `theta`."""
        counts = np.asarray(counts, dtype=np.float64)
        if counts.shape[-1:] != self.alpha.shape:
            raise ValueError(f"`counts` must have {len(self.alpha)} entries, got shape {counts.shape}.")
        whole = np.all((counts >= 0) & (counts == np.floor(counts)), axis=-1)
        safe = np.where(whole[..., None], counts, 0.0)
        theta, inside = self._on_simplex(theta)
        choose = gammaln(safe.sum(axis=-1) + 1) - gammaln(safe + 1).sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            # Exponents of theta are added first, so that no 0 meets an infinite density.
            logs = choose + gammaln(self.alpha.sum()) - gammaln(self.alpha).sum()
            logs = logs + xlogy(safe + self.alpha - 1.0, theta).sum(axis=-1)
        return np.exp(np.where(whole & inside & ~np.isnan(logs), logs, -np.inf))

    def _on_simplex(self, theta):
        """The probabilities, with 1/K instead of those off the simplex, and whether each row is on it."""
        theta = np.asarray(theta, dtype=np.float64)
        if theta.shape[-1:] != self.alpha.shape:
            raise ValueError(f"`theta` must have {len(self.alpha)} entries, got shape {theta.shape}.")
        inside = np.all(theta >= 0, axis=-1) & (np.abs(theta.sum(axis=-1) - 1.0) <= 1e-9)
        return np.where(inside[..., None], theta, 1.0 / len(self.alpha)), inside

    def logpmf(self, counts):
        """Log probability of a vector of counts among the next sum(counts) observations."""
        counts = np.asarray(counts, dtype=np.float64)
        n, total = counts.sum(axis=-1), self.alpha.sum()
        logs = gammaln(n + 1) + gammaln(total) - gammaln(n + total)
        parts = gammaln(counts + self.alpha) - gammaln(self.alpha) - gammaln(counts + 1)
        return logs + parts.sum(axis=-1)

    def pmf(self, counts):
        """Probability of a vector of counts."""
        return np.exp(self.logpmf(counts))

    def count_mean(self, n):
        """Mean of the counts among the next n observations."""
        return n * self.mean

    def count_variance(self, n):
        """Variances n mu (1 - mu) (1 + (n - 1) / (sum alpha + 1)) of the counts among the next n observations."""
        return n * self.mean * (1 - self.mean) * (1 + (n - 1) / (self.alpha.sum() + 1))

    def count_marginal(self, k, n):
        """Distribution of one count among the next n observations: a `BetaBinomial`."""
        return BetaBinomial(n, self.alpha[k], self.alpha.sum() - self.alpha[k])

    def sample(self, n_samples=1, random_state=None):
        """Draws of the probabilities, of shape (n_samples, n_categories)."""
        return check_random_state(random_state).dirichlet(self.alpha, size=n_samples)

    def sample_counts(self, n, n_samples=1, random_state=None):
        """Draws of the counts among the next n observations, of shape (n_samples, n_categories)."""
        rng = check_random_state(random_state)
        return np.array([rng.multinomial(n, p) for p in rng.dirichlet(self.alpha, size=n_samples)])

    def plot(self, ax=None, *, labels=None, level=0.95):
        """Draw the posterior means with credible intervals; returns the axes."""
        from statlearn._draw.axes import new_axes

        ax = new_axes(ax)
        mean, bounds = self.mean, self.interval(level)
        at = np.arange(len(mean))
        ax.errorbar(at, mean, yerr=[mean - bounds[:, 0], bounds[:, 1] - mean], fmt="o", capsize=4)
        ax.set_xticks(at, labels=list(labels) if labels is not None else [str(k) for k in at])
        ax.set_ylim(bottom=0, auto=True)
        ax.set_ylabel(f"probability, {level:.0%} interval")
        return ax

    def plot_ternary(self, ax=None, *, labels=None, n_levels=12):
        """Draw the density of three probabilities as contours in a triangle; returns the axes.

        Each corner is a probability of 1 for the category beside it.
        """
        from matplotlib.tri import Triangulation

        from statlearn._draw.axes import new_axes

        if len(self.alpha) != 3:
            raise ValueError(f"A ternary picture shows three probabilities, got {len(self.alpha)}; use `plot`.")
        corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
        steps = 80
        grid = np.array([(i, j, steps - i - j) for i in range(steps + 1) for j in range(steps + 1 - i)])
        theta = np.clip(grid / steps, 1e-3, None)  # off the edges, where the density may be infinite
        theta /= theta.sum(axis=1, keepdims=True)
        ax = new_axes(ax)
        at = theta @ corners
        ax.tricontourf(Triangulation(*at.T), self.pdf(theta), levels=n_levels)
        ax.plot(*corners[[0, 1, 2, 0]].T, color="0.3", linewidth=1)
        ax.plot(*(self.mean @ corners), "o", color="white", markeredgecolor="0.2", label="mean")
        names = [str(k) for k in range(3)] if labels is None else [str(label) for label in labels]
        for corner, name, side in zip(corners, names, ("right", "left", "center")):
            ax.annotate(name, corner, (0, 6 if side == "center" else -12), textcoords="offset points", ha=side)
        ax.set_aspect("equal")
        ax.axis("off")
        return ax


@dataclass(frozen=True)
class NormalMean:
    """Normal distribution of the mean of a Gaussian with known variance.

    Parameters
    ----------
    mean, variance : float
        Mean and variance of the distribution of the unknown mean.
    noise_variance : float, default=1.0
        Known variance of the observations.

    Notes
    -----
    Precisions add up: 1 / variance + n / noise_variance. The mean is the average weighted by precisions.

    Examples
    --------
    >>> from statlearn.bayes import NormalMean
    >>> NormalMean(0.0, 1.0, noise_variance=4.0).update([2.0, 4.0, 3.0, 3.0])
    NormalMean(mean=1.5, variance=0.5, noise_variance=4.0)
    """

    mean: float = 0.0
    variance: float = 1.0
    noise_variance: float = 1.0

    def __post_init__(self):
        _positive("variance", self.variance)
        _positive("noise_variance", self.noise_variance)

    def update(self, data):
        """The posterior after more observations; missing values are ignored."""
        data = _numbers(data)
        precision = 1 / self.variance + len(data) / self.noise_variance
        mean = (self.mean / self.variance + data.sum() / self.noise_variance) / precision
        return NormalMean(float(mean), float(1 / precision), self.noise_variance)

    @property
    def mode(self):
        """The mean."""
        return self.mean

    @property
    def distribution(self):
        """The frozen scipy distribution of the unknown mean."""
        return stats.norm(self.mean, np.sqrt(self.variance))

    def pdf(self, mu):
        """Density of the unknown mean."""
        return self.distribution.pdf(mu)

    def predictive(self):
        """Distribution of the next observation, a frozen scipy distribution."""
        return stats.norm(self.mean, np.sqrt(self.variance + self.noise_variance))

    def interval(self, level=0.95):
        """Credible interval of the mean."""
        tail = _level(level)
        return tuple(float(v) for v in self.distribution.ppf([tail, 1 - tail]))

    def sample(self, n_samples=1, random_state=None):
        """Draws of the mean."""
        return check_random_state(random_state).normal(self.mean, np.sqrt(self.variance), size=n_samples)

    def plot(self, ax=None, *, label=None):
        """Draw the density; returns the axes."""
        spread = 4 * np.sqrt(self.variance)
        grid = np.linspace(self.mean - spread, self.mean + spread, 501)
        ax = _plot_density(ax, grid, self.pdf(grid), label or f"N({self.mean:.4g}, {self.variance:.4g})")
        ax.set_xlabel("mean")
        return ax


@dataclass(frozen=True)
class NormalGamma:
    r"""Normal-gamma distribution of the mean and the precision of a Gaussian.

    The precision :math:`\lambda = 1/\sigma^2` (not :math:`1/\sigma`) has a gamma distribution with the given shape and
    rate, and the mean is normal with mean `mean` and precision :math:`\kappa \lambda` given it.

    Parameters
    ----------
    mean : float, default=0.0
    kappa : float, default=1.0
        Number of observations that the prior of the mean is worth.
    shape, rate : float, default=1.0
        Of the gamma distribution of the precision, which has the mean shape / rate.

    Examples
    --------
    >>> from statlearn.bayes import NormalGamma
    >>> NormalGamma().update([1.0, 3.0])
    NormalGamma(mean=1.3333333333333333, kappa=3.0, shape=2.0, rate=3.333333333333333)
    """

    mean: float = 0.0
    kappa: float = 1.0
    shape: float = 1.0
    rate: float = 1.0

    def __post_init__(self):
        for name in ("kappa", "shape", "rate"):
            _positive(name, getattr(self, name))

    def update(self, data):
        """The posterior after more observations; missing values are ignored."""
        data = _numbers(data)
        n = len(data)
        if n == 0:
            return self
        average = data.mean()
        kappa = self.kappa + n
        rate = self.rate + 0.5 * np.sum((data - average) ** 2)
        rate += 0.5 * self.kappa * n / kappa * (average - self.mean) ** 2
        mean = (self.kappa * self.mean + n * average) / kappa
        return NormalGamma(float(mean), float(kappa), self.shape + n / 2, float(rate))

    @property
    def precision_mean(self):
        """Mean of the precision."""
        return self.shape / self.rate

    @property
    def variance_mean(self):
        """Mean of the variance of the observations; infinite for a shape of at most 1."""
        return self.rate / (self.shape - 1) if self.shape > 1 else np.inf

    def mean_distribution(self):
        """Marginal distribution of the mean, a frozen Student t distribution."""
        scale = np.sqrt(self.rate / (self.shape * self.kappa))
        return stats.t(2 * self.shape, loc=self.mean, scale=scale)

    def precision_distribution(self):
        """Marginal distribution of the precision, a frozen gamma distribution."""
        return stats.gamma(self.shape, scale=1 / self.rate)

    def predictive(self):
        """Distribution of the next observation, a frozen Student t distribution."""
        scale = np.sqrt(self.rate * (self.kappa + 1) / (self.shape * self.kappa))
        return stats.t(2 * self.shape, loc=self.mean, scale=scale)

    def interval(self, level=0.95):
        """Credible interval of the mean."""
        tail = _level(level)
        return tuple(float(v) for v in self.mean_distribution().ppf([tail, 1 - tail]))

    def sample(self, n_samples=1, random_state=None):
        """Draws of (mean, precision), of shape (n_samples, 2)."""
        rng = check_random_state(random_state)
        precision = rng.gamma(self.shape, 1 / self.rate, size=n_samples)
        return np.column_stack([rng.normal(self.mean, 1 / np.sqrt(self.kappa * precision)), precision])

    def plot(self, ax=None, *, label=None):
        """Draw the marginal density of the mean; returns the axes."""
        marginal = self.mean_distribution()
        grid = np.linspace(*marginal.ppf([0.001, 0.999]), 501)
        ax = _plot_density(ax, grid, marginal.pdf(grid), label or f"t({2 * self.shape:g})")
        ax.set_xlabel("mean")
        return ax


def _numbers(data):
    data = np.asarray(data, dtype=np.float64).ravel()
    data = data[~np.isnan(data)]
    if not np.all(np.isfinite(data)):
        raise ValueError("`data` must contain finite numbers.")
    return data
