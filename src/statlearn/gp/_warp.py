"""A scale on which the values of an objective are modelled."""

import numpy as np


class Warp:
    r"""Logarithmic scale for the worse half of the values, and their own scale for the better half.

    Objectives such as cross-validated losses have values that are worse by orders of magnitude than the differences
    that matter. A model of the values themselves explains the former and takes the latter for noise. With m the median
    of the values of the first, evenly spread points and s its distance to the best of them, values y > m become
    :math:`m + s \log(1 + (y - m) / s)`. The map is monotone and has a continuous slope.

    Parameters
    ----------
    values : array-like
        Values of the first points; smaller is better.
    """

    def __init__(self, values):
        values = np.asarray(values, dtype=np.float64)
        self.centre = float(np.median(values)) if values.size else 0.0
        scale = self.centre - float(values.min()) if values.size else 0.0
        self.scale = scale if scale > 1e-12 * max(abs(self.centre), 1e-290) else None

    def __call__(self, values):
        """Values on the scale of the model."""
        values = np.asarray(values, dtype=np.float64)
        if self.scale is None:
            return values
        worse = np.maximum(values - self.centre, 0.0)
        return values - worse + self.scale * np.log1p(worse / self.scale)

    def inverse(self, values):
        """Values on the scale of the objective."""
        values = np.asarray(values, dtype=np.float64)
        if self.scale is None:
            return values
        worse = np.maximum(values - self.centre, 0.0)
        with np.errstate(over="ignore"):  # predictions far beyond all values
            return values - worse + self.scale * np.expm1(worse / self.scale)
