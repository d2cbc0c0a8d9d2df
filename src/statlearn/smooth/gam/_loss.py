"""The loss of an additive model over many rows, a block of them at a time: temporaries stay in the cache."""

import numpy as np

from statlearn._math.losses.glm import GlmLoss

_BLOCK = 1 << 14


def blocks(n):
    """Slices that cut n rows into blocks."""
    return [slice(start, min(start + _BLOCK, n)) for start in range(0, n, _BLOCK)]


def constant(value, n):
    """n times the same number, which is held once."""
    return np.broadcast_to(np.float64(value), n)


def all_are(value, array):
    """Whether an array is `constant(value, n)`."""
    return array.strides == (0,) and len(array) > 0 and array[0] == value


class RowLoss:
    """Half the deviance of weighted rows as a function of their linear predictors.

    Parameters
    ----------
    y : ndarray of shape (n,)
    family : Family
    link : Link
    weights : ndarray of shape (n,)
        Ones at best as `constant(1.0, n)`.
    """

    def __init__(self, y, family, link, weights):
        y = np.asarray(y, np.float64)
        self.y, self.family, self.link, self.weights = y, family, link, weights
        self.unit = all_are(1.0, weights)
        self.n = float(len(y)) if self.unit else float(weights.sum())
        self.parts = [(at, GlmLoss(y[at], family, link)) for at in blocks(len(y))]

    def weighted(self, values, at):
        """Values of a block of rows times their weights."""
        return values if self.unit else self.weights[at] * values

    def dot(self, values, at):
        """The weighted sum of values of a block of rows."""
        return float(values.sum() if self.unit else self.weights[at] @ values)

    def sum(self, function):
        """The weighted sum of `function(at, y)` over blocks of rows."""
        return sum(self.dot(function(at, part.y), at) for at, part in self.parts)

    def total(self, eta):
        """Half the deviance."""
        return sum(self.dot(part.value(eta[at]), at) for at, part in self.parts)

    def derivatives(self, eta):
        """Weighted slopes and observed curvatures of the rows."""
        slope, curvature = np.empty_like(eta), np.empty_like(eta)
        for at, part in self.parts:
            first, second = part.derivatives(eta[at])
            slope[at], curvature[at] = self.weighted(first, at), self.weighted(second, at)
        return slope, curvature

    def expected(self, eta):
        """Weighted expected curvatures of the rows."""
        curvature = np.empty_like(eta)
        for at, part in self.parts:
            curvature[at] = self.weighted(part.fisher(eta[at])[1], at)
        return curvature

    def working(self, eta, offset):
        """Weights w, products w z and the sum of w z^2 of the least-squares problem of a Newton step at eta."""
        w, wz, zz = np.empty_like(eta), np.empty_like(eta), 0.0
        for at, part in self.parts:
            slope, curvature = (self.weighted(values, at) for values in part.fisher(eta[at]))
            z = eta[at] - offset[at]
            z -= np.divide(slope, curvature, out=np.zeros_like(z), where=curvature > 0)
            w[at] = curvature
            wz[at] = curvature * z
            zz += float(wz[at] @ z)
        return w, wz, zz

    def first_step(self, offset):
        """Weights and products of weighted least squares on the responses themselves."""
        w, wz = np.empty(len(self.y)), np.empty(len(self.y))
        for at, part in self.parts:
            eta = self.near(self.family.start(part.y, self.weights[at]))
            slope, curvature = (self.weighted(values, at) for values in part.fisher(eta))
            w[at] = curvature
            wz[at] = curvature * (eta - offset[at]) - slope
        return w, wz

    def near(self, mu):
        """The linear predictors of means, of a usual size where the link has none: log(-1)."""
        with np.errstate(all="ignore"):
            eta, usual = self.link.link(mu), self.link.link(np.mean(np.abs(self.y)))
            wrong = ~(np.isfinite(eta) & self.link.valid(eta))
            if np.any(wrong):
                eta[wrong] = usual if np.isfinite(usual) and self.link.valid(usual) else 1.0
        return eta

    def curvature_slopes(self, eta, factors, *, expected=False):
        """Multiply `factors`, one for each row, by the weighted slopes of the observed (or expected) curvatures."""
        for at, part in self.parts:
            step = 1e-5 * (1.0 + np.abs(eta[at]))
            curvature = part.fisher if expected else part.derivatives
            change = curvature(eta[at] + step)[1] - curvature(eta[at] - step)[1]
            factors[at] *= self.weighted(change / (2 * step), at)
