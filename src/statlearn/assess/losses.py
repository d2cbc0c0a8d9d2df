"""Losses as objects: value, gradient and Hessian with respect to the prediction.

A loss is created once with its parameters, and then applied to targets y and predictions f::

    >>> from statlearn.assess.losses import Huber
    >>> loss = Huber(delta=1.0)
    >>> loss.value([0.0, 0.0], [0.5, -3.0]), loss.gradient([0.0, 0.0], [0.5, -3.0])
    (array([0.125, 2.5  ]), array([ 0.5, -1. ]))
    >>> Huber(reduction="mean").value([0.0, 0.0], [0.5, -3.0])
    1.3125

Regression, summed over the columns of vector responses of shape (n, K): `SquaredError`, `AbsoluteError`, `Huber`,
`LogCosh`, `EpsilonInsensitive`, `SquaredEpsilonInsensitive`, `Quantile`. Margins, with labels -1 and +1: `Perceptron`,
`Hinge`, `SquaredHinge`, `ModifiedHuber`, `Logistic`, `Exponential`, `BinomialDeviance`, `MarginSquared`. Labels and
probabilities: `ZeroOne`, `LogLoss`, `CrossEntropy`, `LossMatrix`. Several classes by signed distances: `MulticlassNP`,
`MulticlassHinge`, `MulticlassLogistic`.

`get` gives the loss of a name, as the functions and estimators that take a loss do.

The solvers of the linear family minimise the same functions.
"""

import numpy as np

from statlearn._core.params import Real, check_arguments
from statlearn._math.losses import scores as core

from ._class_losses import (
    CrossEntropy,
    LogLoss,
    MulticlassHinge,
    MulticlassLogistic,
    MulticlassNP,
    ZeroOne,
    signed_distances,
)
from ._loss_base import Loss
from ._loss_matrix import LossMatrix

__all__ = [
    "AbsoluteError",
    "BinomialDeviance",
    "CrossEntropy",
    "EpsilonInsensitive",
    "Exponential",
    "Hinge",
    "Huber",
    "LogCosh",
    "LogLoss",
    "Logistic",
    "LossMatrix",
    "MarginSquared",
    "ModifiedHuber",
    "MulticlassHinge",
    "MulticlassLogistic",
    "MulticlassNP",
    "Perceptron",
    "Quantile",
    "SquaredEpsilonInsensitive",
    "SquaredError",
    "SquaredHinge",
    "ZeroOne",
    "get",
    "signed_distances",
]


class _OfScores(Loss):
    """A loss of `_math.losses.scores`, bound to its target at each call."""

    _core: type = core.Loss

    def _bound(self, y):
        return self._core(y, **{name: getattr(self, name) for name in self._parameters})

    def _pair(self, y, f):
        y, f = np.asarray(y, dtype=np.float64), np.asarray(f, dtype=np.float64)
        if y.ndim and f.ndim and y.shape != f.shape:
            raise ValueError(f"`y` and `f` must have the same shape, got {y.shape} and {f.shape}.")
        return np.broadcast_arrays(y, f)

    def _rows(self, y, f):
        y, f = self._pair(y, f)
        return self._bound(y).value(f)

    def _first(self, y, f):
        y, f = self._pair(y, f)
        return self._bound(y).derivatives(f)[0]

    def _second(self, y, f):
        y, f = self._pair(y, f)
        return np.asarray(self._bound(y).derivatives(f)[1], dtype=np.float64)


# ---------------------------------------------------------------------------------------------------------- regression


class _OfResponses(_OfScores):
    """Base class of regression losses, which are summed over the columns of vector responses."""

    def _pair(self, y, f):
        y, f = super()._pair(y, f)
        if y.ndim > 2:
            raise ValueError(f"`y` and `f` must have at most two dimensions, got shape {y.shape}.")
        return y, f

    def _rows(self, y, f):
        rows = super()._rows(y, f)
        return rows.sum(axis=1) if np.ndim(rows) == 2 else rows

    def _second(self, y, f):
        second = super()._second(y, f)
        return second[:, :, None] * np.eye(second.shape[1]) if second.ndim == 2 else second


class SquaredError(_OfResponses):
    """Squared error (y - f)²; half of it with ``half=True``, whose gradient is the residual.

    Parameters
    ----------
    half : bool, default=False
    reduction : {"none", "sum", "mean"}, default="none"

    Examples
    --------
    >>> from statlearn.assess.losses import SquaredError
    >>> SquaredError().value(1.0, 3.0), SquaredError(half=True).value(1.0, 3.0)
    (4.0, 2.0)
    """

    _core, _parameters, convex, smooth = core.SquaredError, ("half",), True, True

    def __init__(self, half=False, *, reduction="none"):
        check_arguments(type(self).__name__, half=(half, ["boolean"]))
        super().__init__(reduction)
        self.half = half


class AbsoluteError(_OfResponses):
    """Absolute error abs(y - f), with gradient 0 at the kink and Hessian 0 everywhere.

    Parameters
    ----------
    reduction : {"none", "sum", "mean"}, default="none"

    Examples
    --------
    >>> from statlearn.assess.losses import AbsoluteError
    >>> AbsoluteError().value(1.0, 3.0)
    2.0
    """

    _core, convex = core.AbsoluteError, True

    def __init__(self, *, reduction="none"):
        super().__init__(reduction)


class Huber(_OfResponses):
    """Huber loss: r²/2 if abs(r) <= delta, delta (abs(r) - delta/2) beyond, with r = y - f.

    Parameters
    ----------
    delta : float, default=1.0
        Residual at which the loss changes from quadratic to linear. The loss is differentiable once, not twice.
    reduction : {"none", "sum", "mean"}, default="none"

    Examples
    --------
    >>> from statlearn.assess.losses import Huber
    >>> Huber(delta=1.0).value(-3.0, 0.0)
    2.5
    """

    _core, _parameters, convex, smooth = core.Huber, ("delta",), True, True

    def __init__(self, delta=1.0, *, reduction="none"):
        check_arguments(type(self).__name__, delta=(delta, [Real(0, None, closed="neither")]))
        super().__init__(reduction)
        self.delta = delta


class LogCosh(_OfResponses):
    """Log-cosh loss log cosh(y - f): about r²/2 near 0, abs(r) - log 2 far out; twice differentiable.

    Parameters
    ----------
    reduction : {"none", "sum", "mean"}, default="none"

    Examples
    --------
    >>> from statlearn.assess.losses import LogCosh
    >>> round(LogCosh().value(20.0, 0.0), 7)
    19.3068528
    """

    _core, convex, smooth = core.LogCosh, True, True

    def __init__(self, *, reduction="none"):
        super().__init__(reduction)


class EpsilonInsensitive(_OfResponses):
    """Epsilon-insensitive loss max(0, abs(y - f) - epsilon) of support vector regression.

    Parameters
    ----------
    epsilon : float, default=0.1
        Half width of the insensitive zone.
    reduction : {"none", "sum", "mean"}, default="none"

    Examples
    --------
    >>> from statlearn.assess.losses import EpsilonInsensitive
    >>> EpsilonInsensitive(epsilon=0.5).value([0.0, 0.0], [0.25, -2.0])
    array([0. , 1.5])
    """

    _core, _parameters, convex = core.EpsilonInsensitive, ("epsilon",), True

    def __init__(self, epsilon=0.1, *, reduction="none"):
        check_arguments(type(self).__name__, epsilon=(epsilon, [Real(0, None)]))
        super().__init__(reduction)
        self.epsilon = epsilon


class SquaredEpsilonInsensitive(_OfResponses):
    """Squared epsilon-insensitive loss max(0, abs(y - f) - epsilon)².

    Parameters
    ----------
    epsilon : float, default=0.1
    reduction : {"none", "sum", "mean"}, default="none"

    Examples
    --------
    >>> from statlearn.assess.losses import SquaredEpsilonInsensitive
    >>> SquaredEpsilonInsensitive(epsilon=0.5).value(0.0, -2.0)
    2.25
    """

    _core, _parameters, convex, smooth = core.SquaredEpsilonInsensitive, ("epsilon",), True, True

    def __init__(self, epsilon=0.1, *, reduction="none"):
        check_arguments(type(self).__name__, epsilon=(epsilon, [Real(0, None)]))
        super().__init__(reduction)
        self.epsilon = epsilon


class Quantile(_OfResponses):
    """Quantile (pinball) loss: quantile · r if r = y - f >= 0, (quantile - 1) r otherwise.

    Parameters
    ----------
    quantile : float, default=0.5
        Level of the quantile of y that minimises the mean loss. One half gives half the absolute error.
    reduction : {"none", "sum", "mean"}, default="none"

    Examples
    --------
    >>> from statlearn.assess.losses import Quantile
    >>> Quantile(0.75).value([0.0, 0.0], [-1.0, 1.0])
    array([0.75, 0.25])
    """

    _core, _parameters, convex = core.Pinball, ("quantile",), True

    def __init__(self, quantile=0.5, *, reduction="none"):
        check_arguments(type(self).__name__, quantile=(quantile, [Real(0, 1, closed="neither")]))
        super().__init__(reduction)
        self.quantile = quantile


# -------------------------------------------------------------------------------------------------------------- margins


class _OfMargin(_OfScores):
    """Base class of losses of the margin y f, with labels -1 and +1."""

    def __init__(self, *, reduction="none"):
        super().__init__(reduction)

    def _pair(self, y, f):
        y, f = super()._pair(y, f)
        if not np.all(np.abs(y) == 1.0):
            raise ValueError(
                f"{type(self).__name__} requires labels -1 and +1 in `y` and scores in `f`. For labels 0 and 1 and "
                "probabilities use LogLoss()."
            )
        return y, f

    def population_minimizer(self, p):
        """Score f that minimises the expected loss p · loss(+1, f) + (1 - p) · loss(-1, f).

        Parameters
        ----------
        p : float or array-like
            Probability of the label +1.

        Returns
        -------
        float or ndarray
            The minimiser nearest to 0 if it is not unique; infinite for log-odds at 0 and 1.
        """
        p = np.asarray(p, dtype=np.float64)
        if not np.all((p >= 0) & (p <= 1)):
            raise ValueError("`p` must be between 0 and 1.")
        f = self._minimizer(p)
        return float(f) if np.ndim(f) == 0 else f

    def _minimizer(self, p):
        return 2.0 * p - 1.0

    @staticmethod
    def _log_odds(p):
        with np.errstate(divide="ignore"):
            return np.log(p) - np.log1p(-p)


class Perceptron(_OfMargin):
    """Perceptron loss max(0, -y f), where only mistakes cost; its population minimiser is f = 0.

    Parameters
    ----------
    reduction : {"none", "sum", "mean"}, default="none"

    Examples
    --------
    >>> from statlearn.assess.losses import Perceptron
    >>> Perceptron().value([1.0, 1.0], [0.5, -2.0])
    array([0., 2.])
    """

    _core, convex = core.PerceptronLoss, True

    def _minimizer(self, p):
        return np.zeros_like(p)


class Hinge(_OfMargin):
    """Hinge loss max(0, 1 - y f) of the support vector machine; its minimiser is the sign of p - 1/2.

    Parameters
    ----------
    reduction : {"none", "sum", "mean"}, default="none"

    Examples
    --------
    >>> from statlearn.assess.losses import Hinge
    >>> Hinge().value([1.0, -1.0], [0.5, 0.5]), Hinge().population_minimizer(0.7)
    (array([0.5, 1.5]), 1.0)
    """

    _core, convex = core.Hinge, True

    def _minimizer(self, p):
        return np.sign(p - 0.5)


class SquaredHinge(_OfMargin):
    """Squared hinge loss max(0, 1 - y f)²; its minimiser is 2p - 1.

    Parameters
    ----------
    reduction : {"none", "sum", "mean"}, default="none"

    Examples
    --------
    >>> from statlearn.assess.losses import SquaredHinge
    >>> SquaredHinge().value(1.0, -1.0)
    4.0
    """

    _core, convex, smooth = core.SquaredHinge, True, True


class ModifiedHuber(_OfMargin):
    """Modified Huber loss: max(0, 1 - y f)² if y f >= -1, -4 y f below, which is linear for gross mistakes.

    Parameters
    ----------
    reduction : {"none", "sum", "mean"}, default="none"

    Examples
    --------
    >>> from statlearn.assess.losses import ModifiedHuber
    >>> ModifiedHuber().value([1.0, 1.0], [-1.0, -3.0])
    array([ 4., 12.])
    """

    _core, convex, smooth = core.ModifiedHuber, True, True


class Logistic(_OfMargin):
    """Logistic loss log(1 + exp(-y f)); its minimiser is the log-odds log(p / (1 - p)).

    Parameters
    ----------
    reduction : {"none", "sum", "mean"}, default="none"

    Examples
    --------
    >>> from statlearn.assess.losses import Logistic
    >>> round(Logistic().value(1.0, 0.0), 6), round(Logistic().population_minimizer(0.8), 6)
    (0.693147, 1.386294)
    """

    _core, convex, smooth = core.Logistic, True, True

    def _minimizer(self, p):
        return self._log_odds(p)


class BinomialDeviance(_OfMargin):
    """Binomial deviance log(1 + exp(-2 y f)); its minimiser is half the log-odds, as for the exponential loss.

    Parameters
    ----------
    reduction : {"none", "sum", "mean"}, default="none"

    Examples
    --------
    >>> from statlearn.assess.losses import BinomialDeviance
    >>> round(BinomialDeviance().population_minimizer(0.8), 6)
    0.693147
    """

    _core, convex, smooth = core.BinomialDeviance, True, True

    def _minimizer(self, p):
        return 0.5 * self._log_odds(p)


class Exponential(_OfMargin):
    """Exponential loss exp(-y f) of AdaBoost; its minimiser is half the log-odds.

    Parameters
    ----------
    reduction : {"none", "sum", "mean"}, default="none"

    Examples
    --------
    >>> from statlearn.assess.losses import Exponential
    >>> round(Exponential().value(1.0, -1.0), 6)
    2.718282
    """

    _core, convex, smooth = core.Exponential, True, True

    def _minimizer(self, p):
        return 0.5 * self._log_odds(p)


class MarginSquared(_OfMargin):
    """Squared error (1 - y f)² of labels -1 and +1, which also penalises correct predictions with a large margin.

    Parameters
    ----------
    reduction : {"none", "sum", "mean"}, default="none"

    Examples
    --------
    >>> from statlearn.assess.losses import MarginSquared
    >>> MarginSquared().value(1.0, 3.0)
    4.0
    """

    _core, convex, smooth = core.MarginSquared, True, True


# -------------------------------------------------------------------------------------------------------------- by name

_NAMES = {
    "squared_error": SquaredError,
    "absolute_error": AbsoluteError,
    "huber": Huber,
    "log_cosh": LogCosh,
    "epsilon_insensitive": EpsilonInsensitive,
    "squared_epsilon_insensitive": SquaredEpsilonInsensitive,
    "quantile": Quantile,
    "perceptron": Perceptron,
    "hinge": Hinge,
    "squared_hinge": SquaredHinge,
    "modified_huber": ModifiedHuber,
    "log_loss": Logistic,
    "exponential": Exponential,
    "binomial_deviance": BinomialDeviance,
    "margin_squared": MarginSquared,
    "zero_one": ZeroOne,
    "cross_entropy": CrossEntropy,
    "multiclass_np": MulticlassNP,
    "multiclass_hinge": MulticlassHinge,
    "multiclass_logistic": MulticlassLogistic,
}


def get(loss, **parameters):
    """The loss of a name.

    Parameters
    ----------
    loss : str, loss or callable
        "squared_error", "absolute_error", "huber", "log_cosh", "epsilon_insensitive", "squared_epsilon_insensitive",
        "quantile" (or "pinball"); of the margin "perceptron", "hinge", "squared_hinge", "modified_huber", "log_loss"
        (or "logistic"), "exponential", "binomial_deviance", "margin_squared"; "zero_one", "cross_entropy",
        "multiclass_np", "multiclass_hinge", "multiclass_logistic". Names of the classes count as well. Losses and
        functions are returned as they are.
    **parameters
        Parameters of the class, such as ``delta=2.0``.

    Returns
    -------
    Loss or callable

    Examples
    --------
    >>> from statlearn.assess import losses
    >>> losses.get("huber", delta=2.0)
    Huber(delta=2.0)
    >>> losses.get("logistic")
    Logistic()
    """
    if not isinstance(loss, str):
        return loss
    key = core.loss_key(loss.replace(" ", "_").replace("-", "_").lower())
    by_class = {cls.__name__.lower(): cls for cls in (*_NAMES.values(), LogLoss)}
    kind = _NAMES.get(key) or by_class.get(key)
    if kind is None:
        known = sorted(core.loss_names(_NAMES))
        raise ValueError(f"`loss` must be one of {known}, a loss or a function, got {loss!r}.")
    return kind(**parameters)
