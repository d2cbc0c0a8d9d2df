"""Exact line search for convex losses: in closed form, by a weighted quantile, or by Newton's method.

A loss is bound to its target (see ``statlearn._math.losses.scores``). Steps minimise
``sum(weights * loss(f + step * h))``.
"""

import numpy as np

from statlearn._math.losses import scores as losses

LOSSES = {
    "squared_error": losses.SquaredError,
    "absolute_error": losses.AbsoluteError,
    "huber": losses.Huber,
    "log_cosh": losses.LogCosh,
    "quantile": losses.Pinball,
    "exponential": losses.Exponential,
    "log_loss": losses.Logistic,
    "binomial_deviance": losses.BinomialDeviance,
    "squared_hinge": losses.SquaredHinge,
    "hinge": losses.Hinge,
}
MARGIN_LOSSES = frozenset({"exponential", "log_loss", "binomial_deviance", "squared_hinge", "hinge"})

_SMALL = 1e-13  # derivative considered zero, relative to that at 0


def read_only(array):
    """A read-only view to pass to user functions, which must not modify the array."""
    view = array.view()
    view.flags.writeable = False
    return view


class OwnLoss(losses.Loss):
    """Custom loss: a function of y and f that returns the loss, gradient and hessian of every row."""

    def __init__(self, y, function, **settings):
        super().__init__(y)
        self.function, self.settings = function, settings

    def _parts(self, f):
        y = np.broadcast_to(self.y, f.shape)
        parts = self.function(read_only(y.ravel()), read_only(f.ravel()), **self.settings)
        if not isinstance(parts, (tuple, list)) or len(parts) != 3:
            raise ValueError("A custom `loss` must return three arrays: the loss, gradient and hessian of every row.")
        parts = [np.asarray(part, dtype=np.float64) for part in parts]
        if any(part.shape != (f.size,) for part in parts):
            raise ValueError(f"The custom `loss` must return arrays of length {f.size}, one entry for each row.")
        return [part.reshape(f.shape) for part in parts]

    def value(self, f):
        return self._parts(f)[0]

    def derivatives(self, f):
        return tuple(self._parts(f)[1:])


def bound_loss(loss, loss_params, y):
    """The loss bound to a target; `loss` is a name or a function, see :class:`OwnLoss`."""
    settings = loss_params or {}
    return LOSSES[losses.loss_key(loss)](y, **settings) if isinstance(loss, str) else OwnLoss(y, loss, **settings)


def check_target(loss, y):
    """Check that the target is -1 or +1 for losses of the margin y f."""
    if isinstance(loss, str) and losses.loss_key(loss) in MARGIN_LOSSES and not np.all(np.abs(y) == 1.0):
        raise ValueError(f"`loss`={loss!r} requires the labels in y to be -1 and +1.")


def check_finite(values, what, who="The loss"):
    """Raise if values returned by a loss or a member are not all finite."""
    if np.asarray(values).dtype.kind not in "biuf":
        raise ValueError(f"{who} returned a {what} that is not numeric.")
    if not np.all(np.isfinite(values)):
        raise ValueError(f"{who} returned a {what} that is not finite.")
    return values


def best_step(loss, f, h, weights):
    """The step along h that minimises the weighted loss; 0 if h is 0 on all rows."""
    moved = (h != 0) & (weights > 0)
    if not moved.any():
        return 0.0
    loss, f, h, weights = loss.take(moved), f[moved], h[moved], weights[moved]
    if isinstance(loss, losses.SquaredError):
        gradient = loss.derivatives(f)[0] / loss.factor
        return float(-np.sum(weights * h * gradient) / np.sum(weights * h * h))
    if not loss.smooth:
        halfway = isinstance(loss, (losses.AbsoluteError, losses.Pinball))
        return _at_a_knot(loss.pieces(), f, h, weights, halfway)
    if isinstance(loss, losses.Exponential) and np.all(np.abs(h) == 1.0):
        mass = weights * loss.value(f)
        error = np.sum(mass[h * loss.y < 0]) / np.sum(mass)
        error = np.clip(error, np.finfo(float).eps, 1 - np.finfo(float).eps)
        return float(0.5 * np.log((1 - error) / error))
    return float(newton_steps(loss, f, h[:, None], weights)[0])


def _at_a_knot(pieces, f, h, weights, halfway):
    """The smallest minimiser of a piecewise linear loss along h, or the middle of the minimisers.

    The derivative starts at its limit on the left and increases by weight x height x abs(h) at every knot. For the
    absolute error this is the weighted median of r / h with weights abs(h).
    """
    r = pieces.centre - f
    slope = np.where(h > 0, pieces.low + pieces.heights.sum(axis=0), pieces.low)
    start = -np.sum(weights * h * slope)
    places = ((r - pieces.knots) / h).ravel()
    rises = (pieces.heights * (weights * np.abs(h))).ravel()
    order = np.argsort(places, kind="stable")
    level = start + np.cumsum(rises[order])
    tolerance = 1e-12 * rises.sum()
    last = len(order) - 1
    low = places[order[min(np.searchsorted(level, -tolerance), last)]]
    if not halfway:
        return float(low)
    high = places[order[min(np.searchsorted(level, tolerance, side="right"), last)]]
    return float(low + (high - low) / 2)


def newton_steps(loss, f, H, weights, max_iter=200):
    """The optimal step along each column of H, by bracketed Newton's method.

    `loss` is bound to a target with the shape of f, (n,). Columns without a finite minimiser (H separates the classes)
    stop when the derivative has almost vanished.
    """
    wide = _column_loss(loss)
    w, base = weights[:, None], f[:, None]

    def slopes(step):
        g, curvature = wide.derivatives(base + step * H)
        return np.sum(w * g * H, axis=0), np.sum(w * curvature * H**2, axis=0)

    step = np.zeros(H.shape[1])
    first, curvature = slopes(step)
    goal = _SMALL * np.sum(np.abs(w * wide.derivatives(base)[0] * H), axis=0) + np.finfo(float).tiny
    low, high = np.full(step.shape, -np.inf), np.full(step.shape, np.inf)
    slope = first
    for _ in range(max_iter):
        low, high = np.where(slope < 0, step, low), np.where(slope > 0, step, high)
        going = (np.abs(slope) > goal) & (high - low > 1e-14 * (1 + np.abs(step)))
        if not going.any():
            break
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            newton = step - slope / curvature
            middle = 0.5 * (low + high)
        # Outside the bracket: bisect it, or double the step if one side is still open.
        far = step - np.sign(slope) * np.maximum(1.0, 2 * np.abs(step))
        fallback = np.where(np.isfinite(middle), middle, far)
        reach = np.abs(newton - step) <= 10 * np.maximum(1.0, np.abs(step))
        inside = np.isfinite(newton) & (newton > low) & (newton < high) & reach
        step = np.where(going, np.where(inside, newton, fallback), step)
        slope, curvature = slopes(step)
    return step


def _column_loss(loss):
    """Loss for scores (n, m), one column per candidate, summed over the rows."""
    wide = loss.take(slice(None))
    wide.y = loss.y[:, None]
    return wide


def candidate_losses(loss, f, H, weights):
    """The optimal step along each column of H, and the weighted loss there."""
    wide = _column_loss(loss)
    steps = newton_steps(loss, f, H, weights)
    return steps, np.sum(weights[:, None] * wide.value(f[:, None] + steps * H), axis=0)


def best_constant(loss, weights):
    """The constant score that minimises the loss."""
    n = len(loss.y)
    if isinstance(loss, losses.SquaredError):
        return float(np.average(loss.y, weights=weights))
    return best_step(loss, np.zeros(n), np.ones(n), weights)
