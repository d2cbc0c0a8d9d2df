"""MCP and SCAD: penalties that leave large coefficients alone."""

import numpy as np

from .penalty import Penalty, soft_threshold


class _Concave(Penalty):
    """A penalty of each coefficient that has slope alpha > 0 at 0, is concave, and flat beyond gamma alpha."""

    def __init__(self, alpha=1.0, gamma=None):
        self.alpha = alpha
        self.gamma = self.default_gamma if gamma is None else float(gamma)

    def value(self, w):
        return float(np.sum(self.values(w)))

    def prox(self, v, step):
        """The best of the minimum of each piece: the objective of a coordinate may have several local minima."""
        options = np.stack([np.zeros_like(v), *self._pieces(v, step)])
        cost = 0.5 * (options - v) ** 2 + step * self.values(options)
        return options[np.argmin(cost, axis=0), np.arange(len(v))]

    def largest(self, gradient):
        return np.inf if self.alpha == 0 else float(np.abs(gradient).max(initial=0.0)) / self.alpha


class MCP(_Concave):
    """Minimax concave penalty (Zhang 2010): alpha |w| - w^2 / (2 gamma) up to |w| = gamma alpha, constant beyond."""

    least_gamma, default_gamma = 1.0, 3.0

    @property
    def concavity(self):
        """The largest negative curvature."""
        return 1.0 / self.gamma

    def values(self, w):
        size, end = np.abs(w), self.gamma * self.alpha
        return np.where(size <= end, self.alpha * size - w**2 / (2.0 * self.gamma), 0.5 * end * self.alpha)

    def _pieces(self, v, step):
        end, bend = self.gamma * self.alpha, 1.0 - step / self.gamma
        inner = soft_threshold(v, step * self.alpha) / bend if bend > 0 else np.zeros_like(v)
        return np.clip(inner, -end, end), np.sign(v) * np.maximum(np.abs(v), end)


class SCAD(_Concave):
    """Smoothly clipped absolute deviation (Fan & Li 2001): slope alpha up to |w| = alpha, 0 beyond gamma alpha."""

    least_gamma, default_gamma = 2.0, 3.7

    @property
    def concavity(self):
        """The largest negative curvature."""
        return 1.0 / (self.gamma - 1.0)

    def values(self, w):
        size, a, gamma = np.abs(w), self.alpha, self.gamma
        middle = (2.0 * gamma * a * size - size**2 - a**2) / (2.0 * (gamma - 1.0))
        return np.where(size <= a, a * size, np.where(size <= gamma * a, middle, 0.5 * a**2 * (gamma + 1.0)))

    def _pieces(self, v, step):
        a, gamma, bend = self.alpha, self.gamma, 1.0 - step / (self.gamma - 1.0)
        first = np.clip(soft_threshold(v, step * a), -a, a)
        size = (np.abs(v) - step * gamma * a / (gamma - 1.0)) / bend if bend > 0 else np.full(len(v), a)
        middle = np.sign(v) * np.clip(size, a, gamma * a)
        return first, middle, np.sign(v) * np.maximum(np.abs(v), gamma * a)
