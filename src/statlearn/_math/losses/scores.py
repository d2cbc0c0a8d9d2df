"""Losses of a linear score, as small objects: value, gradient and curvature, row by row.

A loss is bound to its target once and then evaluated at scores ``f``; it knows neither weights nor penalties. There are
two kinds. A *smooth* loss has `value(f)` and `derivatives(f)`. A *piecewise linear* loss has `value(f)`, a subgradient
in `derivatives(f)` (its curvature is 0), and `pieces()`, the exact form that linear and quadratic programs need:

    loss_i(f) = low_i r_i + sum_m height_mi max(0, r_i - knot_mi) + constant_i      with  r_i = centre_i - f_i.

The public losses of `assess.losses` are these, with documentation.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit


@dataclass
class Pieces:
    """A piecewise linear loss written as a line plus hinges, see the module's docstring."""

    centre: np.ndarray  # (n,)
    low: np.ndarray  # (n,) slope of the leftmost line
    knots: np.ndarray  # (k, n)
    heights: np.ndarray  # (k, n) increase of the slope at the knot, positive
    constant: np.ndarray  # (n,)


class Loss:
    """Base of all losses; `y` is the target, for margin losses coded -1 and +1."""

    smooth = True

    def __init__(self, y):
        self.y = np.asarray(y, dtype=np.float64)

    def value(self, f):
        """Loss of each row."""
        raise NotImplementedError

    def derivatives(self, f):
        """First and second derivative with respect to the score, each of shape (n,)."""
        raise NotImplementedError

    def take(self, rows):
        """The loss on a subset of the rows."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.y = self.y[rows]
        return other


class SquaredError(Loss):
    """(y - f)^2 / 2, or (y - f)^2 with half=False."""

    def __init__(self, y, half=True):
        super().__init__(y)
        self.factor = 1.0 if half else 2.0

    def value(self, f):
        return 0.5 * self.factor * (self.y - f) ** 2

    def derivatives(self, f):
        return self.factor * (f - self.y), np.full_like(f, self.factor)


class Huber(Loss):
    """r^2 / 2 for abs(r) <= delta, else delta (abs(r) - delta / 2)."""

    def __init__(self, y, delta=1.0):
        super().__init__(y)
        self.delta = float(delta)

    def value(self, f):
        size = np.abs(self.y - f)
        inside = np.minimum(size, self.delta)
        return inside * (size - 0.5 * inside)

    def derivatives(self, f):
        r = f - self.y
        return np.clip(r, -self.delta, self.delta), (np.abs(r) <= self.delta).astype(np.float64)


class LogCosh(Loss):
    """log cosh(y - f), evaluated as abs(r) + log1p(exp(-2 abs(r))) - log 2."""

    def value(self, f):
        size = np.abs(self.y - f)
        return size + np.log1p(np.exp(-2.0 * size)) - np.log(2.0)

    def derivatives(self, f):
        r = f - self.y
        # 1 - tanh^2 loses all digits for large r; this form does not.
        e = np.exp(-2.0 * np.abs(r))
        return np.tanh(r), 4.0 * e / (1.0 + e) ** 2


class SquaredEpsilonInsensitive(Loss):
    """max(0, abs(y - f) - epsilon)^2."""

    def __init__(self, y, epsilon=0.1):
        super().__init__(y)
        self.epsilon = float(epsilon)

    def value(self, f):
        return np.maximum(np.abs(self.y - f) - self.epsilon, 0.0) ** 2

    def derivatives(self, f):
        r = f - self.y
        over = np.maximum(np.abs(r) - self.epsilon, 0.0)
        return 2.0 * np.sign(r) * over, 2.0 * (over > 0)


class _PiecewiseLinear(Loss):
    smooth = False

    def pieces(self):
        """The loss as a line plus hinges."""
        raise NotImplementedError


class EpsilonInsensitive(_PiecewiseLinear):
    """max(0, abs(y - f) - epsilon); epsilon = 0 is the absolute error."""

    def __init__(self, y, epsilon=0.1):
        super().__init__(y)
        self.epsilon = float(epsilon)

    def value(self, f):
        return np.maximum(np.abs(self.y - f) - self.epsilon, 0.0)

    def derivatives(self, f):
        r = f - self.y
        return np.sign(r) * (np.abs(r) > self.epsilon), np.zeros_like(f)

    def pieces(self):
        one = np.ones_like(self.y)
        if self.epsilon == 0.0:
            return Pieces(self.y, -one, np.zeros((1, len(one))), 2.0 * one[None], 0.0 * one)
        knots = self.epsilon * np.stack([-one, one])
        return Pieces(self.y, -one, knots, np.stack([one, one]), -self.epsilon * one)


class AbsoluteError(EpsilonInsensitive):
    """abs(y - f)."""

    def __init__(self, y):
        super().__init__(y, epsilon=0.0)


class Pinball(_PiecewiseLinear):
    """Check function of quantile regression: quantile r for r >= 0, (quantile - 1) r otherwise, r = y - f."""

    def __init__(self, y, quantile=0.5):
        super().__init__(y)
        self.quantile = float(quantile)

    def value(self, f):
        r = self.y - f
        return np.maximum(self.quantile * r, (self.quantile - 1.0) * r)

    def derivatives(self, f):
        r = self.y - f
        return np.where(r > 0, -self.quantile, np.where(r < 0, 1.0 - self.quantile, 0.0)), np.zeros_like(f)

    def pieces(self):
        one = np.ones_like(self.y)
        return Pieces(self.y, (self.quantile - 1.0) * one, np.zeros((1, len(one))), one[None], 0.0 * one)


class Logistic(Loss):
    """log(1 + exp(-y f)), y = -1 or +1."""

    def value(self, f):
        return np.logaddexp(0.0, -self.y * f)

    def derivatives(self, f):
        p = expit(-self.y * f)
        return -self.y * p, p * (1.0 - p)


class BinomialDeviance(Loss):
    """log(1 + exp(-2 y f)), y = -1 or +1: the logistic loss of twice the score."""

    def value(self, f):
        return np.logaddexp(0.0, -2.0 * self.y * f)

    def derivatives(self, f):
        p = expit(-2.0 * self.y * f)
        return -2.0 * self.y * p, 4.0 * p * (1.0 - p)


class Exponential(Loss):
    """exp(-y f), y = -1 or +1."""

    def value(self, f):
        return np.exp(-self.y * f)

    def derivatives(self, f):
        value = self.value(f)
        return -self.y * value, value


class MarginSquared(Loss):
    """(1 - y f)^2."""

    def value(self, f):
        return (1.0 - self.y * f) ** 2

    def derivatives(self, f):
        return -2.0 * self.y * (1.0 - self.y * f), np.full_like(f, 2.0)


class SquaredHinge(Loss):
    """max(0, 1 - y f)^2."""

    def value(self, f):
        return np.maximum(1.0 - self.y * f, 0.0) ** 2

    def derivatives(self, f):
        short = np.maximum(1.0 - self.y * f, 0.0)
        return -2.0 * self.y * short, 2.0 * (short > 0)


class ModifiedHuber(Loss):
    """Huberised squared hinge: -4 y f for y f < -1, max(0, 1 - y f)^2 otherwise."""

    def value(self, f):
        margin = self.y * f
        return np.where(margin < -1.0, -4.0 * margin, np.maximum(1.0 - margin, 0.0) ** 2)

    def derivatives(self, f):
        margin = self.y * f
        slope = -2.0 * np.clip(1.0 - margin, 0.0, 2.0)
        return self.y * slope, 2.0 * ((margin >= -1.0) & (margin < 1.0))


class Hinge(_PiecewiseLinear):
    """max(0, threshold - y f): the support vector machine's loss at threshold 1, the perceptron's at 0."""

    def __init__(self, y, threshold=1.0):
        super().__init__(y)
        self.threshold = float(threshold)

    def value(self, f):
        return np.maximum(self.threshold - self.y * f, 0.0)

    def derivatives(self, f):
        return np.where(self.y * f < self.threshold, -self.y, 0.0), np.zeros_like(f)

    def pieces(self):
        # y = -1: max(0, threshold + f) = max(0, -r) = -r + max(0, r) about the centre -threshold.
        zero = np.zeros_like(self.y)
        low = np.where(self.y > 0, 0.0, -1.0)
        return Pieces(self.threshold * self.y, low, zero[None], np.ones((1, len(zero))), zero)


class PerceptronLoss(Hinge):
    """max(0, -y f)."""

    def __init__(self, y):
        super().__init__(y, threshold=0.0)


def signed_distance(points, a, b):
    """Distance of points from the plane half-way between a and b, negative on the side of a."""
    return (2.0 * points @ (b - a) + a @ a - b @ b) / (2.0 * np.linalg.norm(b - a))


# Names of losses in other libraries.
LOSS_ALIASES = {"logistic": "log_loss", "pinball": "quantile"}


def loss_key(loss):
    """The first name of a loss; other values than names pass."""
    return LOSS_ALIASES.get(loss, loss) if isinstance(loss, str) else loss


def loss_names(names):
    """First and second names of the given losses."""
    return (*names, *(alias for alias, name in LOSS_ALIASES.items() if name in names))


MARGIN_LOSSES = {
    "hinge": Hinge,
    "squared_hinge": SquaredHinge,
    "log_loss": Logistic,
    "modified_huber": ModifiedHuber,
    "squared_error": MarginSquared,
    "perceptron": PerceptronLoss,
}

REGRESSION_LOSSES = {
    "squared_error": SquaredError,
    "absolute_error": AbsoluteError,
    "huber": Huber,
    "log_cosh": LogCosh,
    "epsilon_insensitive": EpsilonInsensitive,
    "squared_epsilon_insensitive": SquaredEpsilonInsensitive,
    "quantile": Pinball,
}
