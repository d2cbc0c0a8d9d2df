"""Losses for gradient boosting: initial score, derivatives, and leaf values for losses without Newton steps.

Scores have the shape (n, K), with K = 1 except for more than two classes. `derivatives` fills g and h, of shape (K, n),
and returns the mean loss at the scores; `value` returns only that mean, for validation rows.
"""

import numpy as np
from scipy.special import expit, logit, logsumexp, softmax

from statlearn._core.native import ensemble as native
from statlearn._math.linalg.quantiles import weighted_quantile
from statlearn._math.losses import scores as losses

from ._line_search import best_constant, read_only

_ROUNDING = 8 * np.finfo(np.float64).eps  # relative increase of a loss that is only rounding
_MAX_HALVINGS = 1100  # from the largest float64 to the smallest


class BoostingLoss:
    """Base class of losses with a second derivative, whose leaf values are Newton steps."""

    power = 0.0
    n_scores = 1
    has_log_link = False
    log_odds_factor = 1.0  # log-odds of two classes per unit of the score
    adapts = False  # whether the loss changes from round to round
    report_factor = 1.0  # squared error and binary log loss are reported as deviances, twice the loss

    def __init__(self, name):
        self.name = name
        self.report_factor = 2.0 if name == "squared_error" else 1.0

    def start(self, y, weights):
        """The constant score that minimises the loss."""
        return np.array([self.link(np.average(y, weights=weights))])

    def scores_of(self, predictions):
        """The scores (n, K) that correspond to given predictions, the inverse of `prediction`."""
        return self.link(np.asarray(predictions, np.float64).reshape(len(predictions), -1))

    def link(self, mean):
        return mean

    def derivatives(self, y, scores, weights, g, h):
        total = native.boosting_derivatives(self.name, self.power, y, scores[:, 0], weights, g[0], h[0])
        return total / (len(y) if weights is None else weights.sum(dtype=np.float64))

    def value(self, y, scores, weights):
        g, h = np.empty((2, self.n_scores, len(y)), scores.dtype)
        return self.derivatives(y, np.ascontiguousarray(scores), weights, g, h)

    def leaf_value(self, y, scores, weights, newton):
        """The value added to the score by a leaf with these rows; `newton` is the Newton step."""
        return newton

    newton_leaves = True

    def prediction(self, scores):
        """The predictions that correspond to the scores."""
        return scores[:, 0]


class LogLinkLoss(BoostingLoss):
    """Poisson, gamma and Tweedie deviances; the score is the logarithm of the mean."""

    has_log_link = True

    def __init__(self, name, power=0.0):
        super().__init__(name)
        self.power = power

    def link(self, mean):
        return np.log(np.maximum(mean, np.finfo(np.float64).tiny))

    def prediction(self, scores):
        return np.exp(scores[:, 0])


class BinaryLoss(BoostingLoss):
    """Log loss (the score is the log-odds), deviance and exponential loss (half the log-odds), for y = 0 or 1."""

    def __init__(self, name):
        super().__init__(name)
        self.report_factor = 2.0 if name == "log_loss" else 1.0
        self.log_odds_factor = 1.0 if name == "log_loss" else 2.0

    def scores_of(self, predictions):
        return self.link(predictions[:, 1:])

    def link(self, mean):
        mean = np.clip(mean, 1e-15, 1 - 1e-15)
        odds = np.log(mean / (1 - mean))
        return odds / self.log_odds_factor

    def prediction(self, scores):
        p = expit(self.log_odds_factor * scores[:, 0])
        return np.column_stack([1 - p, p])


class MultinomialLoss(BoostingLoss):
    """Log loss of K classes, with one score and one tree per round for each class."""

    def __init__(self, n_classes):
        super().__init__("log_loss")
        self.n_scores = n_classes

    def start(self, y, weights):
        share = np.bincount(y, weights=weights, minlength=self.n_scores) / (
            len(y) if weights is None else weights.sum()
        )
        logs = np.log(np.clip(share, 1e-15, None))
        return logs - logs.mean()

    def derivatives(self, y, scores, weights, g, h):
        total = native.multinomial_derivatives(y, scores, weights, g, h)
        return total / (len(y) if weights is None else weights.sum(dtype=np.float64))

    def scores_of(self, predictions):
        eps = np.finfo(np.float64).eps
        logs = np.log(np.clip(predictions, eps, 1 - eps))
        return logs - logs.mean(axis=1, keepdims=True)

    def value(self, y, scores, weights):
        return np.average(logsumexp(scores, axis=1) - scores[np.arange(len(y)), y], weights=weights)

    def prediction(self, scores):
        return softmax(scores, axis=1)


class RankLoss(BoostingLoss):
    """Losses with linear tails: trees are fitted to the gradient, and then each leaf value to its own rows."""

    newton_leaves = False

    def derivatives(self, y, scores, weights, g, h):
        r = y - scores[:, 0]
        self.prepare(r, weights)
        g[0] = -self.slope(r)
        h[0] = 1.0
        if weights is not None:
            g[0] *= weights
            h[0] *= weights
        return np.average(self.loss(r), weights=weights)

    def prepare(self, r, weights):
        """Update the loss from the residuals (threshold of the Huber loss)."""

    def value(self, y, scores, weights):
        return np.average(self.loss(y - scores[:, 0]), weights=weights)

    def leaf_value(self, y, scores, weights, newton):
        return self.centre(y - scores, weights)

    def start(self, y, weights):
        return np.array([self.centre(y, weights)])


class QuantileLoss(RankLoss):
    """Check loss quantile * r for r >= 0, (quantile - 1) * r otherwise; twice that at 0.5 is the absolute error."""

    def __init__(self, name, quantile):
        super().__init__(name)
        self.quantile = quantile
        self.scale = 2.0 if name == "absolute_error" else 1.0

    def slope(self, r):
        return self.scale * np.where(r > 0, self.quantile, np.where(r < 0, self.quantile - 1.0, 0.0))

    def loss(self, r):
        return self.scale * np.maximum(self.quantile * r, (self.quantile - 1.0) * r)

    def centre(self, r, weights):
        return weighted_quantile(r, weights, self.quantile, midpoint=True)


class HuberLoss(RankLoss):
    """Huber loss: r^2 / 2 up to delta, linear beyond; delta is fixed or the `quantile` of the absolute residuals.

    With `one_step`, constants are Friedman's (2001) median plus one step instead of minimisers.
    """

    def __init__(self, quantile, delta=None, one_step=False):
        super().__init__("huber")
        self.quantile, self.delta, self.adapts, self.one_step = quantile, delta, delta is None, one_step

    def prepare(self, r, weights):
        if self.adapts:
            self.delta = weighted_quantile(np.abs(r), weights, self.quantile, midpoint=True)

    def slope(self, r):
        return np.clip(r, -self.delta, self.delta)

    def loss(self, r):
        size = np.abs(r)
        inside = np.minimum(size, self.delta)
        return inside * (size - 0.5 * inside)

    def centre(self, r, weights):
        """The constant that minimises the loss; the median while the adaptive delta is unknown."""
        median = weighted_quantile(r, weights, 0.5, midpoint=True)
        if self.delta is None:
            return median
        r = r.astype(np.float64) - median
        if self.one_step:
            return median + np.average(np.clip(r, -self.delta, self.delta), weights=weights)
        return median + huber_centre(r, np.ones(len(r)) if weights is None else weights.astype(np.float64), self.delta)


def huber_centre(r, weights, delta):
    """The m that minimises the weighted Huber loss of r - m; the middle one if there are several.

    The root of the decreasing piecewise linear function S(m), the sum of weights times residuals clipped at `delta`, by
    Newton's method, whose step is exact once m and the root lie on the same piece. It starts at 0, which
    should be near the median, and bisects where a step would leave the bracket.
    """
    m, low, high = 0.0, min(r.min(), 0.0), max(r.max(), 0.0)
    goal = 4 * np.finfo(np.float64).eps * weights.sum() * min(delta, max(-low, high))
    for _ in range(200):
        clipped = np.clip(r - m, -delta, delta)
        total = weights @ clipped
        inside = np.abs(clipped) < delta
        if abs(total) <= goal or high - low <= 4 * np.finfo(np.float64).eps * max(abs(low), abs(high)):
            break
        low, high = (m, high) if total > 0 else (low, m)
        curvature = weights @ inside
        step = m + total / curvature if curvature > 0 else np.inf
        m = step if low < step < high else low + (high - low) / 2
    above = r > m
    if not inside.any() and above.any() and not above.all():  # S is 0 between the pieces on both sides
        m = (r[~above].max() + r[above].min()) / 2
    return float(m)


class LogCoshLoss(RankLoss):
    """log cosh r: about r^2 / 2 for small residuals and abs(r) - log 2 for large ones, with the gradient tanh r."""

    def slope(self, r):
        return np.tanh(r)

    def loss(self, r):
        return losses.LogCosh(r).value(0.0)

    def centre(self, r, weights):
        """The root of the sum of tanh(r - centre), searched from the median."""
        r = np.asarray(r, np.float64)
        weights = np.ones(len(r)) if weights is None else np.asarray(weights, np.float64)
        median = weighted_quantile(r, weights, 0.5, midpoint=True)
        return median + best_constant(losses.LogCosh(r - median), weights)


class CustomLoss(BoostingLoss):
    """Custom loss: a Python function of (y, f) that returns the loss and both derivatives of every row.

    Newton steps explode where a second derivative almost vanishes, as in the tails of log cosh. They are therefore
    halved until the loss of the leaf does not rise.
    """

    newton_leaves = False

    def __init__(self, function, classes=False):
        super().__init__("custom")
        self.function, self.classes = function, classes

    def rows(self, y, scores):
        """Validated loss, first and second derivative of every row."""
        parts = self.function(read_only(y), read_only(scores))
        if not isinstance(parts, (tuple, list)) or len(parts) != 3:
            raise ValueError("A custom `loss` must return three arrays: the loss, gradient and hessian of every row.")
        checked = []
        for name, part in zip(("loss", "gradient", "hessian"), parts, strict=True):
            part = np.asarray(part, np.float64)
            if part.ndim > 0 and part.shape != np.shape(y):
                raise ValueError(
                    f"The custom `loss` returned a {name} of shape {part.shape} for {len(y)} rows; it must return one "
                    "number for each row."
                )
            part = np.broadcast_to(part, np.shape(y))
            if not np.all(np.isfinite(part)):
                bad = int(np.flatnonzero(~np.isfinite(part))[0])
                raise ValueError(
                    f"The custom `loss` returned {part[bad]} as {name} at y={y[bad]}, f={scores[bad]}; it must return "
                    "finite numbers."
                )
            checked.append(part)
        if np.any(checked[2] < 0):
            raise ValueError("The custom `loss` returned a negative hessian; return an upper bound on it instead.")
        return checked

    def leaf_steps(self, y, scores, weights, leaf, steps):
        """The Newton steps of the leaves, halved until the loss of their rows does not rise.

        Parameters
        ----------
        leaf : int ndarray of shape (n,)
            The leaf of each row.
        steps : ndarray of shape (n_leaves,)
        """
        steps, rows = steps.astype(np.float64), np.arange(len(y))
        weights = np.ones(len(y)) if weights is None else weights.astype(np.float64)
        loss = weights * self.rows(y, scores)[0]
        limit = np.bincount(leaf, loss, len(steps)) + _ROUNDING * np.bincount(leaf, np.abs(loss), len(steps))
        tried = np.isfinite(steps)
        steps[~tried] = 0.0
        for _ in range(_MAX_HALVINGS):
            rows = rows[tried[leaf[rows]]]
            if len(rows) == 0:
                return steps
            with np.errstate(all="ignore"):
                moved = (scores[rows] + steps[leaf[rows]]).astype(scores.dtype)
                loss = np.asarray(self.function(read_only(y[rows]), read_only(moved))[0], np.float64) * weights[rows]
                after = np.bincount(leaf[rows], loss, len(steps))
                tried &= ~(after <= limit)
            steps[tried] /= 2
        steps[tried] = 0.0
        return steps

    def derivatives(self, y, scores, weights, g, h):
        loss, gradient, hessian = self.rows(y, scores[:, 0])
        g[0], h[0] = gradient, hessian
        if weights is not None:
            g[0] *= weights
            h[0] *= weights
        return np.average(loss, weights=weights)

    def start(self, y, weights):
        """Newton's method for the constant, starting from 0, with halved steps, as long as the loss decreases."""
        constant, one_leaf = 0.0, np.zeros(len(y), np.intp)
        loss, g, h = (np.average(part, weights=weights) for part in self.rows(y, np.zeros(len(y), y.dtype)))
        for _ in range(50):
            if h <= 0 or abs(g) <= 1e-12 * (1 + abs(loss)):
                break
            scores = np.full(len(y), constant, y.dtype)
            trial = constant + self.leaf_steps(y, scores, weights, one_leaf, np.array([-g / h]))[0]
            new = [np.average(part, weights=weights) for part in self.rows(y, np.full(len(y), trial, y.dtype))]
            if not new[0] < loss:
                break
            constant, (loss, g, h) = trial, new
        return np.array([constant])

    def scores_of(self, predictions):
        if self.classes:
            return logit(np.clip(predictions[:, 1:], 1e-15, 1 - 1e-15))
        return np.asarray(predictions, np.float64).reshape(len(predictions), -1)

    def prediction(self, scores):
        if not self.classes:
            return scores[:, 0]
        p = expit(scores[:, 0])
        return np.column_stack([1 - p, p])


def regression_loss(name, alpha=0.9, power=1.5, delta=None, one_step=False):
    """The regression loss of this name; "custom" only converts scores to predictions."""
    name = losses.loss_key(name)
    if callable(name) or name == "custom":
        return CustomLoss(name)
    if name == "huber":
        return HuberLoss(alpha, delta, one_step)
    if name in ("quantile", "absolute_error"):
        return QuantileLoss(name, alpha if name == "quantile" else 0.5)
    if name == "log_cosh":
        return LogCoshLoss(name)
    if name in ("poisson", "gamma", "tweedie"):
        return LogLinkLoss(name, power)
    return BoostingLoss(name)


def classification_loss(name, n_classes):
    """The classification loss of this name for n_classes classes; "custom" only converts scores to probabilities."""
    name = losses.loss_key(name)
    if callable(name) or name == "custom":
        return CustomLoss(name, classes=True)
    return BinaryLoss(name) if n_classes == 2 else MultinomialLoss(n_classes)


def check_target(name, y, called="y"):
    """Raise if the target is outside the domain of the loss."""
    if name == "gamma" and np.any(y <= 0):
        raise ValueError(f"{called} must be strictly positive for loss='gamma'.")
    if name in ("poisson", "tweedie") and (np.any(y < 0) or not np.any(y > 0)):
        raise ValueError(f"{called} must be non-negative, with at least one positive value, for loss={name!r}.")
