"""Finite hypothesis spaces, posteriors on a grid, and closed-form maximum-likelihood fits."""

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp
from sklearn.utils import check_random_state


class HypothesisSpace:
    """Finite list of hypotheses with a prior, updated by data.

    Parameters
    ----------
    prior : array-like of shape (n_hypotheses,) or None, default=None
        Prior probabilities; None means uniform. They must sum to 1.
    outcomes : array-like of shape (n_hypotheses, n_outcomes) or None, default=None
        Probability of each outcome under each hypothesis. A vector of shape (n_hypotheses,) is the probability of the
        outcome 1, and the outcomes are then 0 and 1.
    likelihood : callable or None, default=None
        ``likelihood(observation)`` returns the probability (or density) of one observation under each hypothesis; it
        replaces `outcomes`.
    names : list of str or None, default=None

    Attributes
    ----------
    prior_, log_posterior_ : ndarray of shape (n_hypotheses,)
    log_likelihood_ : ndarray of shape (n_hypotheses,)
        Of all data so far.

    Examples
    --------
    Five kinds of bags of sweets, with different shares of cherry (1) and lime (0):

    >>> from statlearn.bayes import HypothesisSpace
    >>> bags = HypothesisSpace([0.1, 0.2, 0.4, 0.2, 0.1], [1, 0.75, 0.5, 0.25, 0])
    >>> bags.update([1])
    HypothesisSpace(h1: 0.2, h2: 0.3, h3: 0.4, h4: 0.1, h5: 0)
    >>> bags.map_hypothesis(), bags.ml_hypothesis(), bags.predict().round(4).tolist()
    (2, 0, [0.35, 0.65])
    """

    def __init__(self, prior=None, outcomes=None, *, likelihood=None, names=None):
        if (outcomes is None) == (likelihood is None):
            raise ValueError("Pass either `outcomes` or `likelihood`.")
        self.outcomes = None
        if outcomes is not None:
            table = np.array(outcomes, dtype=np.float64)
            if table.ndim == 1:
                table = np.column_stack([1 - table, table])
            if table.ndim != 2 or not np.allclose(table.sum(axis=1), 1.0) or np.any(table < 0):
                raise ValueError("`outcomes` must contain a probability distribution for each hypothesis.")
            self.outcomes = table
        n = None if prior is None else np.size(prior)
        n = len(self.outcomes) if n is None and self.outcomes is not None else n
        n = len(names) if n is None and names is not None else n
        if n is None:
            raise ValueError("`prior` is required with `likelihood`, to know the number of hypotheses.")
        self.prior_ = np.full(n, 1.0 / n) if prior is None else np.array(prior, dtype=np.float64)
        if self.prior_.ndim != 1 or np.any(self.prior_ < 0) or not np.isclose(self.prior_.sum(), 1.0):
            raise ValueError(f"`prior` must contain non-negative numbers that sum to 1, got {prior!r}.")
        if self.outcomes is not None and len(self.outcomes) != n:
            raise ValueError(f"`outcomes` has {len(self.outcomes)} hypotheses, but `prior` has {n}.")
        self.likelihood = likelihood
        self.names = [f"h{k + 1}" for k in range(n)] if names is None else list(names)
        if len(self.names) != n:
            raise ValueError(f"`names` has {len(self.names)} entries for {n} hypotheses.")
        self.log_likelihood_ = np.zeros(n)
        self._renew()

    def _renew(self):
        with np.errstate(divide="ignore"):
            joint = np.log(self.prior_) + self.log_likelihood_
        total = logsumexp(joint)
        if np.isneginf(total):
            raise ValueError("The data have probability 0 under every hypothesis, so there is no posterior.")
        self.log_evidence_, self.log_posterior_ = float(total), joint - total

    def likelihoods(self, observation):
        """Probability of an observation under each hypothesis, or of a sequence of independent outcomes.

        With `likelihood`, its argument is always a single observation; `log_likelihoods` takes sequences.
        """
        if self.likelihood is None and np.ndim(observation) > 0:
            return np.exp(self.log_likelihoods(observation))
        return self._of_one(observation)

    def log_likelihoods(self, sequence, *, base=None):
        """Log probability of a sequence of independent observations under each hypothesis.

        Parameters
        ----------
        sequence : array-like of observations
        base : float or None, default=None
            Base of the logarithm: 2 gives minus the bits of the sequence. None uses natural logarithms.

        Returns
        -------
        ndarray of shape (n_hypotheses,)
        """
        if base is not None and not (np.isfinite(base) and base > 0 and base != 1):
            raise ValueError(f"`base` must be positive and not 1, got {base!r}.")
        logs = np.zeros(len(self.prior_))
        with np.errstate(divide="ignore"):
            for observation in sequence:
                logs = logs + np.log(self._of_one(observation))
        return logs if base is None else logs / np.log(base)

    def _of_one(self, observation):
        if self.likelihood is not None:
            values = np.asarray(self.likelihood(observation), dtype=np.float64)
            if values.shape != self.prior_.shape or np.any(values < 0) or np.any(np.isnan(values)):
                raise ValueError("`likelihood` must return one non-negative number for each hypothesis.")
            return values
        k = self.outcomes.shape[1]
        if np.ndim(observation) > 0 or observation != int(observation) or not 0 <= observation < k:
            raise ValueError(f"Observation {observation!r} is not one of the outcomes 0, ..., {k - 1}.")
        return self.outcomes[:, int(observation)]

    def update(self, data):
        """Include independent observations; returns self."""
        before = self.log_likelihood_
        self.log_likelihood_ = before + self.log_likelihoods(data)
        try:
            self._renew()
        except ValueError:
            self.log_likelihood_ = before
            raise
        return self

    @property
    def posterior(self):
        """Posterior probabilities of the hypotheses."""
        return np.exp(self.log_posterior_)

    def map_hypothesis(self):
        """Index of the hypothesis with the largest posterior probability; the first among ties."""
        return int(np.argmax(self.log_posterior_))

    def ml_hypothesis(self):
        """Index of the hypothesis with the largest likelihood; the first among ties."""
        return int(np.argmax(self.log_likelihood_))

    def predict(self, method="bayes"):
        """Distribution of the next outcome.

        Parameters
        ----------
        method : {"bayes", "map", "ml"}, default="bayes"
            Average over the posterior, or the prediction of a single hypothesis.

        Returns
        -------
        ndarray of shape (n_outcomes,)
        """
        if self.outcomes is None:
            raise ValueError("`predict` requires `outcomes`; with a `likelihood` use `predict_likelihood`.")
        if method == "bayes":
            return self.posterior @ self.outcomes
        if method not in ("map", "ml"):
            raise ValueError(f"`method` must be 'bayes', 'map' or 'ml', got {method!r}.")
        return self.outcomes[self.map_hypothesis() if method == "map" else self.ml_hypothesis()].copy()

    def predict_likelihood(self, observation):
        """Posterior average of the probability (or density) of one observation."""
        return float(self.posterior @ self.likelihoods(observation))

    def description_length(self):
        """Bits for the data and the hypothesis, -log2 P(D | h) - log2 P(h); smallest for the MAP hypothesis."""
        with np.errstate(divide="ignore"):
            return -(self.log_likelihood_ + np.log(self.prior_)) / np.log(2.0)

    def __repr__(self):
        parts = ", ".join(f"{name}: {p:.4g}" for name, p in zip(self.names, self.posterior))
        return f"HypothesisSpace({parts})"


@dataclass
class GridPosterior:
    """Result of :func:`grid_posterior`.

    Parameters
    ----------
    grid : ndarray of shape (n,)
        Values of the parameter.
    density : ndarray of shape (n,)
        Posterior density, which integrates to 1 over the grid by the trapezoidal rule.
    log_evidence : float
        Log of the integral of prior times likelihood.
    """

    grid: np.ndarray
    density: np.ndarray
    log_evidence: float

    @property
    def weights(self):
        """Probability of each grid point, by the trapezoidal rule."""
        steps = np.diff(self.grid)
        widths = np.concatenate([[steps[0]], steps[:-1] + steps[1:], [steps[-1]]]) / 2
        mass = self.density * widths
        return mass / mass.sum()

    @property
    def mean(self):
        """Posterior mean."""
        return float(self.weights @ self.grid)

    @property
    def variance(self):
        """Posterior variance."""
        return float(self.weights @ (self.grid - self.mean) ** 2)

    @property
    def mode(self):
        """Grid point of the largest density."""
        return float(self.grid[np.argmax(self.density)])

    def cdf(self):
        """Distribution function at the grid points."""
        area = np.concatenate([[0.0], np.cumsum(np.diff(self.grid) * (self.density[1:] + self.density[:-1]) / 2)])
        return area / area[-1]

    def interval(self, level=0.95):
        """Credible interval with equal tails."""
        tail = (1 - level) / 2
        return tuple(float(v) for v in np.interp([tail, 1 - tail], self.cdf(), self.grid))

    def predictive(self, function):
        """Posterior mean of ``function(parameter)``, such as the probability of the next observation."""
        return float(self.weights @ np.array([function(value) for value in self.grid], dtype=np.float64))

    def plot(self, ax=None, *, label=None):
        """Draw the density; returns the axes."""
        from statlearn._draw.axes import new_axes

        ax = new_axes(ax)
        ax.plot(self.grid, self.density, label=label)
        ax.set(xlabel="parameter", ylabel="posterior density")
        ax.set_ylim(bottom=0, auto=True)
        return ax


def grid_posterior(log_likelihood, grid, *, log_prior=None):
    """Posterior of one parameter on a grid, for any likelihood.

    Parameters
    ----------
    log_likelihood : callable
        ``log_likelihood(value)`` is the log likelihood of the data for one value of the parameter; -inf is allowed.
    grid : array-like of shape (n,)
        Increasing values of the parameter, with at least three points.
    log_prior : callable or None, default=None
        Log prior density, up to a constant; None means flat over the grid.

    Returns
    -------
    GridPosterior

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.bayes import grid_posterior
    >>> posterior = grid_posterior(lambda p: 7 * np.log(p) + 3 * np.log(1 - p), np.linspace(0.001, 0.999, 999))
    >>> round(posterior.mean, 4), round(posterior.mode, 3)
    (0.6667, 0.7)
    """
    grid = np.array(grid, dtype=np.float64)
    if grid.ndim != 1 or len(grid) < 3 or not np.all(np.isfinite(grid)) or np.any(np.diff(grid) <= 0):
        raise ValueError("`grid` must contain at least three finite, increasing values.")
    logs = np.array([log_likelihood(value) for value in grid], dtype=np.float64)
    if log_prior is not None:
        logs = logs + np.array([log_prior(value) for value in grid], dtype=np.float64)
    if np.any(np.isnan(logs)) or np.any(np.isposinf(logs)):
        at = grid[np.flatnonzero(np.isnan(logs) | np.isposinf(logs))[0]]
        raise ValueError(f"`log_likelihood` or `log_prior` is not a number below infinity at {at:.6g}.")
    top = logs.max()
    if np.isneginf(top):
        raise ValueError("The data have probability 0 at every point of `grid`.")
    density = np.exp(logs - top)
    area = np.trapezoid(density, grid)
    return GridPosterior(grid, density / area, float(np.log(area) + top))


def sample_posterior(posterior, n_samples=1, random_state=None):
    """Draws from a posterior on a grid, by inverting its piecewise linear distribution function.

    Parameters
    ----------
    posterior : GridPosterior
    n_samples : int, default=1
    random_state : int, RandomState or None, default=None

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.bayes import grid_posterior, sample_posterior
    >>> posterior = grid_posterior(lambda m: -0.5 * (m - 2) ** 2, np.linspace(-4, 8, 500))
    >>> draws = sample_posterior(posterior, 20_000, random_state=0)
    >>> bool(abs(draws.mean() - 2) < 0.05)
    True
    """
    uniform = check_random_state(random_state).uniform(size=n_samples)
    return np.interp(uniform, posterior.cdf(), posterior.grid)


def fit_bernoulli(data, sample_weight=None):
    """Maximum-likelihood probability of a one: c / (c + l) for c ones and l zeros.

    Parameters
    ----------
    data : array-like of zeros and ones
    sample_weight : array-like or None, default=None

    Returns
    -------
    float

    Examples
    --------
    >>> from statlearn.bayes import fit_bernoulli
    >>> fit_bernoulli([1, 1, 0, 1])
    0.75
    """
    data, weights = _weighted(data, sample_weight)
    if not np.all((data == 0) | (data == 1)):
        raise ValueError("`data` must contain only zeros and ones.")
    return float(weights @ data / weights.sum())


def fit_gaussian(data, sample_weight=None):
    """Maximum-likelihood mean and variance (divisor N) of a Gaussian.

    Parameters
    ----------
    data : array-like
    sample_weight : array-like or None, default=None

    Returns
    -------
    mean, variance : float

    Examples
    --------
    >>> from statlearn.bayes import fit_gaussian
    >>> fit_gaussian([1.0, 2.0, 6.0])
    (3.0, 4.666666666666667)
    """
    data, weights = _weighted(data, sample_weight)
    mean = weights @ data / weights.sum()
    return float(mean), float(weights @ (data - mean) ** 2 / weights.sum())


def _weighted(data, sample_weight):
    data = np.asarray(data, dtype=np.float64).ravel()
    weights = np.ones(len(data)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64).ravel()
    if weights.shape != data.shape:
        raise ValueError(f"`sample_weight` has {len(weights)} entries for {len(data)} values in `data`.")
    if not np.all(np.isfinite(data)) or np.any(weights < 0) or not weights.sum() > 0:
        raise ValueError("`data` must be finite, and `sample_weight` non-negative with a positive sum.")
    return data, weights


@dataclass
class LinearGaussian:
    """Result of :func:`fit_linear_gaussian`: y given x is normal with mean intercept + x coef and one variance."""

    coef: np.ndarray
    intercept: float
    variance: float

    def logpdf(self, X, y):
        """Log density of y given X."""
        mean = np.asarray(X, dtype=np.float64).reshape(len(y), -1) @ self.coef + self.intercept
        gap = np.asarray(y, dtype=np.float64) - mean
        return -0.5 * (np.log(2 * np.pi * self.variance) + gap**2 / self.variance)


def fit_linear_gaussian(X, y, sample_weight=None):
    """Maximum-likelihood linear-Gaussian conditional: least squares, with the variance RSS / N.

    Parameters
    ----------
    X : array-like of shape (n_samples,) or (n_samples, n_features)
    y : array-like of shape (n_samples,)
    sample_weight : array-like or None, default=None

    Returns
    -------
    LinearGaussian

    Examples
    --------
    >>> from statlearn.bayes import fit_linear_gaussian
    >>> model = fit_linear_gaussian([0.0, 1.0, 2.0], [1.0, 3.0, 4.0])
    >>> model.coef.round(6).tolist(), round(model.intercept, 4), round(model.variance, 4)
    ([1.5], 1.1667, 0.0556)
    """
    y, weights = _weighted(y, sample_weight)
    X = np.asarray(X, dtype=np.float64)
    if X.ndim > 2 or X.shape[0] != len(y):
        raise ValueError(f"`X` must have {len(y)} rows, got shape {X.shape}.")
    X = X.reshape(len(y), -1)
    centre, middle = weights @ X / weights.sum(), weights @ y / weights.sum()
    root = np.sqrt(weights)
    coef = np.linalg.lstsq((X - centre) * root[:, None], (y - middle) * root, rcond=None)[0]
    rest = y - middle - (X - centre) @ coef
    return LinearGaussian(coef, float(middle - centre @ coef), float(weights @ rest**2 / weights.sum()))
