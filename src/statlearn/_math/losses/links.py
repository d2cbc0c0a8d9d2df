"""Link functions eta = g(mu), as small objects."""

import numpy as np
from scipy.special import expit, ndtr, ndtri

_TINY = np.finfo(np.float64).eps


class Link:
    """eta = g(mu), with the inverse and its first two derivatives in eta."""

    name = ""
    lower = -np.inf  # infimum of the linear predictors

    def link(self, mu):
        raise NotImplementedError

    def inverse(self, eta):
        raise NotImplementedError

    def slopes(self, eta):
        """First and second derivative of the inverse."""
        raise NotImplementedError

    def valid(self, eta):
        """Mask of the values at which the inverse and its derivatives exist."""
        return np.isfinite(eta) & (eta > self.lower)

    def has_mean(self, eta):
        """Mask of the values at which the inverse exists."""
        return eta > self.lower


class IdentityLink(Link):
    name = "identity"

    def link(self, mu):
        return np.asarray(mu, dtype=np.float64)

    def inverse(self, eta):
        return eta

    def slopes(self, eta):
        return np.ones_like(eta), np.zeros_like(eta)


class LogLink(Link):
    name = "log"

    def link(self, mu):
        return np.log(mu)

    def inverse(self, eta):
        # A mean of exactly 0 or infinity is outside the range of every family.
        return np.exp(np.clip(eta, -690.0, 690.0))

    def slopes(self, eta):
        mu = self.inverse(eta)
        return mu, mu


class PowerLink(Link):
    """eta = mu^power; "inverse", "inverse_squared" and "sqrt" are the powers -1, -2 and 1/2."""

    lower = 0.0

    def __init__(self, power, name="power"):
        self.power, self.name = float(power), name

    def link(self, mu):
        return np.asarray(mu, dtype=np.float64) ** self.power

    def inverse(self, eta):
        return eta ** (1.0 / self.power)

    def has_mean(self, eta):
        return eta > 0.0 if self.power < 0.0 else eta >= 0.0

    def slopes(self, eta):
        k = 1.0 / self.power
        return k * eta ** (k - 1.0), k * (k - 1.0) * eta ** (k - 2.0)


class LogitLink(Link):
    name = "logit"

    def link(self, mu):
        return np.log(mu / (1.0 - mu))

    def inverse(self, eta):
        return np.clip(expit(eta), 1e-300, 1.0 - _TINY)

    def slopes(self, eta):
        p = expit(eta)
        d = p * expit(-eta)
        return d, d * (1.0 - 2.0 * p)


class ProbitLink(Link):
    name = "probit"

    def link(self, mu):
        return ndtri(mu)

    def inverse(self, eta):
        return np.clip(ndtr(eta), _TINY, 1.0 - _TINY)

    def slopes(self, eta):
        d = np.exp(-0.5 * eta**2) / np.sqrt(2.0 * np.pi)
        return d, -eta * d


class CloglogLink(Link):
    name = "cloglog"

    def link(self, mu):
        return np.log(-np.log1p(-mu))

    def inverse(self, eta):
        return np.clip(-np.expm1(-np.exp(np.minimum(eta, 700.0))), _TINY, 1.0 - _TINY)

    def slopes(self, eta):
        e = np.exp(np.minimum(eta, 700.0))
        d = np.maximum(e * np.exp(-e), 1e-300)
        return d, d * (1.0 - e)


class CauchitLink(Link):
    """Quantile function of the Cauchy distribution; outliers have less influence than with the other links."""

    name = "cauchit"

    def link(self, mu):
        return np.tan(np.pi * (np.asarray(mu, dtype=np.float64) - 0.5))

    def inverse(self, eta):
        return np.clip(0.5 + np.arctan(eta) / np.pi, _TINY, 1.0 - _TINY)

    def slopes(self, eta):
        d = 1.0 / (np.pi * (1.0 + eta**2))
        return d, -2.0 * eta / (1.0 + eta**2) * d


LINKS = ("identity", "log", "inverse", "inverse_squared", "sqrt", "logit", "probit", "cloglog", "cauchit", "power")


def make_link(name, power=None):
    """The link of the given name; `power` is the exponent of the link "power" (0 means the logarithm)."""
    if name == "power":
        if power is None:
            raise ValueError("link='power' requires link_power, the exponent.")
        if power == 0:
            return LogLink()
        return IdentityLink() if power == 1 else PowerLink(power)
    simple = {
        "identity": IdentityLink,
        "log": LogLink,
        "logit": LogitLink,
        "probit": ProbitLink,
        "cloglog": CloglogLink,
        "cauchit": CauchitLink,
    }
    if name in simple:
        return simple[name]()
    return PowerLink({"inverse": -1.0, "inverse_squared": -2.0, "sqrt": 0.5}[name], name)
