"""What a penalty is: its value and its proximal map. The rest follows from them."""

import numpy as np


class Penalty:
    """A penalty P of the coefficients w, without the intercept.

    A new penalty defines `value` and `prox`. The other methods follow from these two; a closed form may replace them.
    """

    def value(self, w):
        """P(w)."""
        raise NotImplementedError

    def prox(self, v, step):
        """The minimiser of ``|w - v|^2 / 2 + step * P(w)`` over w."""
        raise NotImplementedError

    def violation(self, w, gradient):
        """How far w is from minimising a loss with this gradient plus P, in units of the gradient; 0 at a minimum."""
        return float(np.abs(w - self.prox(w - gradient, 1.0)).max(initial=0.0))

    def largest(self, gradient):
        """The smallest t at which w = 0 minimises a loss with this gradient at 0 plus t P."""

        def is_zero(t):
            return not self.prox(-gradient, t).any()

        low, high = 0.0, 1.0
        while not is_zero(high):
            low, high = high, 2.0 * high
            if not np.isfinite(high):
                return np.inf
        while high - low > 1e-15 * high:
            middle = 0.5 * (low + high)
            if not low < middle < high:
                break
            low, high = (low, middle) if is_zero(middle) else (middle, high)
        return high


def soft_threshold(v, level):
    """The entries of v moved towards 0 by `level`, and to 0 if they are smaller."""
    return np.sign(v) * np.maximum(np.abs(v) - level, 0.0)
