"""Exponential-dispersion families of responses, as small objects.

With mean mu = g^-1(eta) and variance phi V(mu) / w, half the unit deviance is the negative log-likelihood of a row up
to phi and a constant; `loss.GlmLoss` computes its value and derivatives with respect to the linear predictor eta.
"""

import numpy as np
from scipy.special import digamma, gammaln, polygamma, xlogy


class Family:
    """A distribution of the response given its mean."""

    name = ""
    dispersion_known = False  # phi = 1 by the model, so that tests are z tests
    canonical = default_link = "identity"
    extra_parameters = 1  # estimated parameters other than the coefficients
    lower: float | None = None  # if y is at such a bound, eta can diverge without loss
    upper: float | None = None

    def variance(self, mu):
        """V(mu) and its derivative."""
        raise NotImplementedError

    def unit_deviance(self, y, mu):
        """2 (loglik(y; y) - loglik(y; mu)) phi of each row."""
        raise NotImplementedError

    def in_range(self, y):
        """Whether each y is in the range of the family."""
        return np.isfinite(y)

    def valid_mean(self, mu):
        return np.isfinite(mu)

    def start(self, y, weights):
        """A mean near y inside the open range of means."""
        return y

    def log_likelihood(self, y, mu, weights, *, frequency=True, dispersion=None):
        """Log-likelihood at the given or the maximum-likelihood dispersion, as in R's logLik of a glm.

        With `frequency`, a weight counts as that many rows; otherwise it divides the variance (R's prior weights).
        """
        return np.nan

    def describe(self):
        """Constructor arguments of `make_family`, plain values only."""
        return {"name": self.name}


class Gaussian(Family):
    name = "gaussian"

    def variance(self, mu):
        return np.ones_like(mu), np.zeros_like(mu)

    def unit_deviance(self, y, mu):
        return (y - mu) ** 2

    def log_likelihood(self, y, mu, weights, *, frequency=True, dispersion=None):
        n = weights.sum() if frequency else len(y)
        logs = 0.0 if frequency else np.log(weights).sum()
        deviance = weights @ self.unit_deviance(y, mu)
        phi = deviance / n if dispersion is None else dispersion
        if phi == 0:
            return np.inf
        return -0.5 * (n * np.log(2.0 * np.pi * phi) + deviance / phi - logs)


class _Positive(Family):
    default_link = "log"

    def valid_mean(self, mu):
        return np.isfinite(mu) & (mu > 0)


class Poisson(_Positive):
    name = "poisson"
    dispersion_known = True
    canonical = "log"
    extra_parameters = 0
    lower = 0.0

    def variance(self, mu):
        return mu, np.ones_like(mu)

    def unit_deviance(self, y, mu):
        return 2.0 * (xlogy(y, y / mu) - (y - mu))

    def in_range(self, y):
        return np.isfinite(y) & (y >= 0)

    def start(self, y, weights):
        return y + 0.1

    def log_likelihood(self, y, mu, weights, *, frequency=True, dispersion=None):
        return weights @ (xlogy(y, mu) - mu - gammaln(y + 1.0))


class Gamma(_Positive):
    name = "gamma"
    canonical = "inverse"

    def variance(self, mu):
        return mu**2, 2.0 * mu

    def unit_deviance(self, y, mu):
        ratio = y / mu
        return 2.0 * (ratio - 1.0 - np.log(ratio))

    def in_range(self, y):
        return np.isfinite(y) & (y > 0)

    def log_likelihood(self, y, mu, weights, *, frequency=True, dispersion=None):
        phi = weights @ self.unit_deviance(y, mu) / weights.sum() if dispersion is None else dispersion
        if phi == 0:
            return np.inf
        k = 1.0 / phi
        return weights @ ((k - 1.0) * np.log(y) - k * y / mu - k * np.log(mu * phi) - gammaln(k))


class InverseGaussian(_Positive):
    name = "inverse_gaussian"
    canonical = "inverse_squared"

    def variance(self, mu):
        return mu**3, 3.0 * mu**2

    def unit_deviance(self, y, mu):
        return (y - mu) ** 2 / (y * mu**2)

    def in_range(self, y):
        return np.isfinite(y) & (y > 0)

    def log_likelihood(self, y, mu, weights, *, frequency=True, dispersion=None):
        total, deviance = weights.sum(), weights @ self.unit_deviance(y, mu)
        phi = deviance / total if dispersion is None else dispersion
        if phi == 0:
            return np.inf
        return -0.5 * (total * np.log(2.0 * np.pi * phi) + deviance / phi + 3.0 * weights @ np.log(y))


class Binomial(Family):
    """Proportions y in [0, 1]; the weight of a row is its number of trials."""

    name = "binomial"
    dispersion_known = True
    canonical = default_link = "logit"
    extra_parameters = 0
    lower, upper = 0.0, 1.0

    def variance(self, mu):
        return mu * (1.0 - mu), 1.0 - 2.0 * mu

    def unit_deviance(self, y, mu):
        return 2.0 * (xlogy(y, y / mu) + xlogy(1.0 - y, (1.0 - y) / (1.0 - mu)))

    def in_range(self, y):
        return (y >= 0) & (y <= 1)

    def valid_mean(self, mu):
        return (mu > 0) & (mu < 1)

    def start(self, y, weights):
        return (weights * y + 0.5) / (weights + 1.0)

    def log_likelihood(self, y, mu, weights, *, frequency=True, dispersion=None):
        # R rounds the counts, so that a proportion of 0.333 with 3 trials counts as 1.
        successes, trials = np.round(weights * y), np.round(weights)
        choose = gammaln(trials + 1) - gammaln(successes + 1) - gammaln(trials - successes + 1)
        return np.sum(choose + xlogy(successes, mu) + xlogy(trials - successes, 1.0 - mu))


class NegativeBinomial(_Positive):
    """V(mu) = mu + mu^2 / theta."""

    name = "negative_binomial"
    dispersion_known = True
    canonical = "log"  # by custom; the natural parameter log(mu / (mu + theta)) is not used in practice
    extra_parameters = 0
    lower = 0.0

    def __init__(self, theta):
        self.theta = float(theta)

    def variance(self, mu):
        return mu + mu**2 / self.theta, 1.0 + 2.0 * mu / self.theta

    def unit_deviance(self, y, mu):
        t = self.theta
        return 2.0 * (xlogy(y, y / mu) - (y + t) * np.log((y + t) / (mu + t)))

    def in_range(self, y):
        return np.isfinite(y) & (y >= 0)

    def start(self, y, weights):
        return y + (y == 0) / 6.0

    def log_likelihood(self, y, mu, weights, *, frequency=True, dispersion=None):
        t = self.theta
        return weights @ (
            gammaln(t + y) - gammaln(t) - gammaln(y + 1.0) + t * np.log(t) + xlogy(y, mu) - (t + y) * np.log(t + mu)
        )

    def describe(self):
        return {"name": self.name, "theta": self.theta}


class Tweedie(_Positive):
    """V(mu) = mu^power: compound Poisson-gamma for powers between 1 and 2, no distribution between 0 and 1."""

    name = "tweedie"

    def __init__(self, power):
        self.power = float(power)
        self.canonical = "log" if self.power == 1 else "power"
        self.lower = 0.0 if 1 <= self.power < 2 else None

    def variance(self, mu):
        p = self.power
        return mu**p, p * mu ** (p - 1.0)

    def unit_deviance(self, y, mu):
        p = self.power
        constant = np.maximum(y, 0.0) ** (2.0 - p) / ((1.0 - p) * (2.0 - p))
        return 2.0 * (constant - y * mu ** (1.0 - p) / (1.0 - p) + mu ** (2.0 - p) / (2.0 - p))

    def in_range(self, y):
        if self.power < 0:
            return np.isfinite(y)
        return np.isfinite(y) & (y >= 0 if self.power < 2 else y > 0)

    def start(self, y, weights):
        return np.where(y > 0, y, 0.1)

    def log_likelihood(self, y, mu, weights, *, frequency=True, dispersion=None):
        if not 1 < self.power < 2:
            return np.nan  # other series
        from .tweedie import TweedieDensity

        phi = weights @ self.unit_deviance(y, mu) / weights.sum() if dispersion is None else dispersion
        return np.inf if phi == 0 else weights @ TweedieDensity(self.power).log_density(y, mu, phi)

    def describe(self):
        return {"name": self.name, "power": self.power}


FAMILIES = ("gaussian", "binomial", "poisson", "gamma", "inverse_gaussian", "negative_binomial", "tweedie")


def make_family(name, *, theta=1.0, power=1.5):
    """The family of the given name; the Tweedie powers 0, 1, 2 and 3 return the equivalent families."""
    if name == "tweedie":
        if 0 < power < 1:
            raise ValueError(f"power={power} is invalid: no Tweedie distribution exists for powers between 0 and 1.")
        name = {0: "gaussian", 1: "poisson", 2: "gamma", 3: "inverse_gaussian"}.get(power, name)
    if name == "tweedie":
        return Tweedie(power)
    if name == "negative_binomial":
        return NegativeBinomial(theta)
    known = (Gaussian, Binomial, Poisson, Gamma, InverseGaussian)
    return {family.name: family for family in known}[name]()


def theta_ml(y, mu, weights, *, max_iter=100):
    """Maximum-likelihood theta of a negative binomial at given means, and its standard error.

    Newton's method on log(theta) from the moment estimate; (inf, inf) if the likelihood increases towards the Poisson
    limit.
    """
    total = weights.sum()
    start = total / max(weights @ (y / mu - 1.0) ** 2, 1e-10)
    # Towards infinity the score behaves as c / theta^2; its sign shows whether an interior maximum exists.
    if weights @ ((y - mu) ** 2 - y) <= 0 and _score(1e7, y, mu, weights)[0] >= 0:
        return np.inf, np.inf
    low, high, theta = 0.0, np.inf, start
    for _ in range(max_iter):
        score, information = _score(theta, y, mu, weights)
        if score > 0:
            low = theta
        else:
            high = theta
        # Step in log(theta): d/dlog = theta score, second derivative = theta score - theta^2 information.
        curvature = theta * information - score
        new = (
            theta * np.exp(np.clip(score / curvature, -2.0, 2.0))
            if curvature > 0
            else theta * (4.0 if score > 0 else 0.25)
        )
        if not low < new < high:
            new = np.sqrt(max(low, theta * 1e-3) * min(high, theta * 1e3))
        if abs(new - theta) <= 1e-12 * theta:
            theta = new
            break
        theta = new
        if theta > 1e8:
            return np.inf, np.inf
    information = _score(theta, y, mu, weights)[1]
    return theta, 1.0 / np.sqrt(information) if information > 0 else np.inf


def _score(theta, y, mu, weights):
    """Derivative of the log-likelihood in theta, and minus the second one."""
    score = digamma(theta + y) - digamma(theta) + np.log(theta) + 1.0 - np.log(theta + mu) - (y + theta) / (mu + theta)
    information = (
        polygamma(1, theta)
        - polygamma(1, theta + y)
        - 1.0 / theta
        + 2.0 / (mu + theta)
        - (y + theta) / (mu + theta) ** 2
    )
    return weights @ score, weights @ information
