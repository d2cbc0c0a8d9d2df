r"""The density of the Tweedie family with powers between 1 and 2: a Poisson number of gamma summands.

For y > 0 the density is :math:`y^{-1} W(y, \phi) \exp\{[y \mu^{1-p}/(1-p) - \mu^{2-p}/(2-p)]/\phi\}` with a series
W (Dunn and Smyth, 2005). Its terms depend on y and :math:`\phi` through one number only,

.. math:: u = -\alpha \log y - (1 - \alpha) \log \phi, \qquad \alpha = \frac{2 - p}{1 - p} < 0,

so that log W is a function of one variable: for many rows it is tabulated and interpolated.
"""

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import gammaln

_NEGLIGIBLE = 37.0  # exp(-37) is rounding
_STEP = 0.02  # of the table
_FEW = 2000  # rows that are summed one by one
_MANY = 1e5  # the largest term of a series whose terms vary too slowly to be counted


class TweedieDensity:
    """Log-density for one power.

    Parameters
    ----------
    power : float
        Between 1 and 2.
    """

    def __init__(self, power):
        self.power = float(power)
        self.alpha = (2.0 - self.power) / (1.0 - self.power)
        self._table = None

    def log_density(self, y, mu, phi):
        """Log-density of each row; a log-probability if y is 0."""
        p, a = self.power, self.alpha
        out = -(mu ** (2.0 - p)) / ((2.0 - p) * phi)
        at = np.flatnonzero(y > 0)
        log_y = np.log(y[at])
        out[at] += y[at] * mu[at] ** (1.0 - p) / ((1.0 - p) * phi) - log_y
        out[at] += self.log_series(-a * log_y - (1.0 - a) * np.log(phi))
        return out

    def log_series(self, u):
        """log W where its terms are given by u."""
        u = np.asarray(u, np.float64)
        if u.size <= _FEW:
            return self._sum(u)
        low, high = u.min(), u.max()
        if self._table is None or low < self._table.x[0] or high > self._table.x[-1]:
            known = (low, high) if self._table is None else (self._table.x[0], self._table.x[-1])
            places = np.arange(min(low, known[0]) - 2.0, max(high, known[1]) + 2.0 + _STEP, _STEP)
            self._table = CubicSpline(places, self._sum(places))
        return self._table(u)

    def _sum(self, u):
        """The series, from its largest term in both directions until nothing is added."""
        a = self.alpha
        log_z = u + a * np.log(self.power - 1.0) - np.log(2.0 - self.power)

        def term(j, rows):
            return j * log_z[rows] - gammaln(1.0 + j) - gammaln(-a * j)

        # By Stirling's formula the terms are largest near j with (1 - a) log j = log z + a log(-a), where their
        # logarithm has the second derivative -(1 - a) / j.
        summit = np.exp(np.minimum((log_z + a * np.log(-a)) / (1.0 - a), 500.0))
        largest = np.where(summit < _MANY, np.maximum(1.0, np.floor(summit)), summit)
        top = term(largest, slice(None))
        total = np.ones(len(u))
        for step in (1.0, -1.0):
            rows = np.flatnonzero(summit < _MANY)
            j = largest[rows]
            while len(rows):
                j = j + step
                rows, j = rows[j >= 1], j[j >= 1]
                size = term(j, rows) - top[rows]
                total[rows] += np.exp(size)
                going = size > -_NEGLIGIBLE
                rows, j = rows[going], j[going]
        smooth = summit >= _MANY  # the sum is approximated by an integral
        total[smooth] = np.sqrt(2.0 * np.pi * summit[smooth] / (1.0 - a))
        return top + np.log(total)
