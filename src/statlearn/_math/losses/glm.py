"""The loss of a response family and a link: half the unit deviance in terms of the linear predictor."""

import numpy as np
from scipy.special import expit, xlogy

from .families import Binomial, Poisson
from .links import LogitLink, LogLink


class GlmLoss:
    """Half the unit deviance as a function of the linear predictor."""

    smooth = True

    def __init__(self, y, family, link):
        self.y, self.family, self.link = np.asarray(y, dtype=np.float64), family, link
        self._logistic = isinstance(family, Binomial) and isinstance(link, LogitLink)
        self._poisson = isinstance(family, Poisson) and isinstance(link, LogLink)
        if self._logistic:
            self._constant = xlogy(self.y, self.y) + xlogy(1.0 - self.y, 1.0 - self.y)
            if not self._constant.any():
                self._constant = 0.0  # classes: no need to hold a number for each row
        elif self._poisson:
            self._constant = xlogy(self.y, self.y) - self.y

    def value(self, eta):
        """Loss of each row; infinite if eta is invalid for the link or the family."""
        y = self.y
        with np.errstate(all="ignore"):
            if self._logistic:
                return np.logaddexp(0.0, eta) - y * eta + self._constant
            if self._poisson:
                return np.exp(eta) - y * eta + self._constant
            ok = self.link.valid(eta)
            mu = self.link.inverse(np.where(ok, eta, 1.0))
            ok &= self.family.valid_mean(mu)
            return np.where(ok, 0.5 * self.family.unit_deviance(y, mu), np.inf)

    def derivatives(self, eta):
        """Slope and observed curvature in eta; with a non-canonical link the curvature can be negative."""
        slope, expected, correction = self._terms(eta)
        return slope, expected + correction

    def expected_curvature(self, eta):
        """Weights of the Fisher information, never negative."""
        return self._terms(eta)[1]

    def fisher(self, eta):
        """Slope in eta and weights of the Fisher information."""
        return self._terms(eta)[:2]

    def _terms(self, eta):
        if self._poisson:
            mu = np.exp(eta)
            return mu - self.y, mu, 0.0
        if self._logistic:
            p = expit(eta)
            return p - self.y, p * expit(-eta), 0.0
        mu = self.link.inverse(eta)
        first, second = self.link.slopes(eta)
        V, dV = self.family.variance(mu)
        short = self.y - mu
        ratio = first / V
        return -short * ratio, first * ratio, short * (dV * ratio**2 - second / V)
