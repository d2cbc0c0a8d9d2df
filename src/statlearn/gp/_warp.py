"""A scale on which the values of an objective are modelled."""

import numpy as np

POWERS = (0.0, 2.0)  # every map in between is onto all numbers, so that it has an inverse
WIDEST = 20.0  # logarithm of the largest deviation, in units of the scale, that is raised to powers above 1


class Warp:
    r"""Yeo and Johnson's power map of an objective's values about the middle of the first ones.

    Few objectives look like draws from a stationary Gaussian process. Cross-validated losses have values that are worse
    by orders of magnitude than the differences that matter; others are flat except for a few deep valleys. With m the
    median of the values of the first, evenly spread points, s its distance to the best of them and
    :math:`z = (y - m) / s`, the values are modelled as

    .. math:: m + s\,\frac{(1 + z)^\lambda - 1}{\lambda} \text{ for } z \ge 0, \qquad
        m - s\,\frac{(1 - z)^{2 - \lambda} - 1}{2 - \lambda} \text{ for } z < 0,

    with logarithms in the limits. The map is monotone and has a continuous slope. The power 1 leaves the values as they
    are, smaller ones draw bad values together, and larger ones good values.

    Parameters
    ----------
    values : array-like
        Values of the first points; smaller is better.
    power : float, default=1.0
        :math:`\lambda`, between 0 and 2. `Surrogate` estimates it with the hyper-parameters.
    """

    def __init__(self, values, power=1.0):
        values = np.asarray(values, dtype=np.float64)
        self.power = float(power)
        self.centre = float(np.median(values)) if values.size else 0.0
        scale = self.centre - float(values.min()) if values.size else 0.0
        self.scale = scale if scale > 1e-12 * max(abs(self.centre), 1e-290) else None

    def at(self, power):
        """The map with another power."""
        other = Warp([], power)
        other.centre, other.scale = self.centre, self.scale
        return other

    def powers(self, values):
        """Smallest and largest power for these values: no power above 1 for values that are very far away."""
        if self.scale is None:
            return 1.0, 1.0
        size, bad = self._sizes(values)
        far = size > WIDEST
        return (1.0 if np.any(far & ~bad) else POWERS[0]), (1.0 if np.any(far & bad) else POWERS[1])

    def __call__(self, values):
        """Values on the scale of the model."""
        values = np.asarray(values, dtype=np.float64)
        if self.scale is None or self.power == 1.0:
            return values
        size, bad = self._sizes(values)
        up, down = _grown(np.where(bad, size, 0.0), self.power), _grown(np.where(bad, 0.0, size), 2.0 - self.power)
        return self.centre + self.scale * (up - down)

    def inverse(self, values):
        """Values on the scale of the objective."""
        values = np.asarray(values, dtype=np.float64)
        if self.scale is None or self.power == 1.0:
            return values
        z = (values - self.centre) / self.scale
        with np.errstate(over="ignore"):  # predictions far beyond all values
            up, down = _shrunk(np.maximum(z, 0.0), self.power), _shrunk(np.maximum(-z, 0.0), 2.0 - self.power)
        return self.centre + self.scale * (up - down)

    def by_power(self, values):
        """Derivatives of the values on the scale of the model by the power."""
        size, bad = self._sizes(values)
        return self.scale * _grown_slope(size, np.where(bad, self.power, 2.0 - self.power))

    def log_slope(self, values):
        """Sum of the logarithms of the map's slopes at the values, and its derivative by the power."""
        size, bad = self._sizes(values)
        total = float(np.sum(np.where(bad, size, -size)))
        return (self.power - 1.0) * total, total

    def _sizes(self, values):
        z = (np.asarray(values, dtype=np.float64) - self.centre) / self.scale
        return np.log1p(np.abs(z)), z >= 0.0


def _grown(size, power):
    """Value ((1 + z)^power - 1) / power from size = log(1 + z)."""
    return size if power < 1e-9 else np.expm1(power * size) / power


def _shrunk(grown, power):
    """Inverse of `_grown`: z."""
    return np.expm1(grown if power < 1e-9 else np.log1p(power * grown) / power)


def _grown_slope(size, power):
    """Derivative of `_grown` by the power."""
    small = power * size < 1e-4
    safe = np.where(small, 1.0, power)
    exact = (size * np.exp(safe * size) - np.expm1(safe * size) / safe) / safe
    return np.where(small, size**2 * (0.5 + power * size / 3.0), exact)
