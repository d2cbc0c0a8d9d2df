"""The elastic net: L1 and squared L2 norm, with a factor for each coefficient."""

import numpy as np

from .penalty import Penalty, soft_threshold


class ElasticNetPenalty(Penalty):
    """sum_j factor_j (l1 |w_j| + l2/2 w_j^2), restricted to w >= 0 with `positive`."""

    def __init__(self, l1=0.0, l2=0.0, *, factor=None, positive=False):
        self.l1, self.l2, self.positive = l1, l2, positive
        self.factor = factor

    @property
    def _factor(self):
        return 1.0 if self.factor is None else self.factor

    def value(self, w):
        if self.factor is None:
            return self.l1 * np.abs(w).sum() + 0.5 * self.l2 * w @ w
        return float(np.sum(self.factor * (self.l1 * np.abs(w) + 0.5 * self.l2 * w**2)))

    def prox(self, v, step):
        v = np.maximum(v, 0.0) if self.positive else v
        return soft_threshold(v, step * self.l1 * self._factor) / (1.0 + step * self.l2 * self._factor)

    def violation(self, w, gradient):
        g = gradient + self._factor * self.l2 * w
        l1 = self._factor * self.l1
        at_zero = np.maximum((-g if self.positive else np.abs(g)) - l1, 0.0)
        return float(np.where(w != 0, np.abs(g + l1 * np.sign(w)), at_zero).max(initial=0.0))

    def largest(self, gradient):
        """The smallest t at which the penalised coefficients are 0; the unpenalised ones are to be at their optimum."""
        size = np.maximum(-gradient, 0.0) if self.positive else np.abs(gradient)
        if self.factor is not None:
            size = size[self.factor > 0] / self.factor[self.factor > 0]
        return size.max(initial=0.0) / self.l1
