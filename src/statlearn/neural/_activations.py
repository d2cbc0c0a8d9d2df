"""Activation functions and their derivatives, in forms that never overflow."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from statlearn._core.params import InvalidParameterError


@dataclass(frozen=True)
class Activation:
    """An element-wise activation: call it for values, `derivative` for slopes.

    `slope_of_output` is the derivative as a function of the value instead of the argument, which is what
    back-propagation needs: every activation here is determined by its output up to points of measure zero.
    """

    name: str
    apply: Callable
    slope: Callable
    slope_of_output: Callable

    def __call__(self, x, out=None):
        x = _floats(x)
        return self.apply(x, np.empty_like(x) if out is None else out)[()]

    def derivative(self, x):
        """The derivative at x."""
        return self.slope(_floats(x))[()]

    def __repr__(self):
        return f"activation({self.name!r})"


def _floats(x):
    x = np.asarray(x)
    return x if x.dtype.kind == "f" else x.astype(np.float64)


def _copy(x, out):
    if out is not x:
        out[...] = x
    return out


def _threshold(x, out):
    # (sgn x + 1) / 2, which is 1/2 at 0
    np.sign(x, out=out)
    out += 1
    out *= 0.5
    return out


def _sigmoid_slope(x):
    s = expit(x)
    return s * expit(-x)  # 1 - s loses all digits where s is close to 1


_KNOWN = (
    Activation("identity", _copy, np.ones_like, np.ones_like),
    Activation(
        "relu",
        lambda x, out: np.maximum(x, 0, out=out),
        lambda x: (x > 0).astype(x.dtype),
        lambda a: (a > 0).astype(a.dtype),
    ),
    Activation("softplus", lambda x, out: np.logaddexp(x, 0, out=out), expit, lambda a: -np.expm1(-a)),
    Activation("threshold", _threshold, np.zeros_like, np.zeros_like),
    Activation("logistic", lambda x, out: expit(x, out=out), _sigmoid_slope, lambda a: a * (1 - a)),
    Activation(
        "tanh",
        lambda x, out: np.tanh(x, out=out),
        lambda x: 4 * _sigmoid_slope(2 * x),  # 1 - tanh^2 without cancellation
        lambda a: 1 - a * a,
    ),
)
_BY_NAME = {known.name: known for known in _KNOWN}
ALIASES = {"linear": "identity", "soft_relu": "softplus", "hard_threshold": "threshold", "sigmoid": "logistic"}
ACTIVATIONS = tuple(sorted([*_BY_NAME, *ALIASES]))


def activation(name):
    r"""Activation function by name, with its derivative.

    ============================ =========================================== ==============================
    name                         value                                       derivative
    ============================ =========================================== ==============================
    "identity", "linear"         x                                           1
    "relu"                       max(x, 0)                                   1 for x > 0, else 0
    "softplus", "soft_relu"      :math:`\log(1 + e^x)`                       :math:`\sigma(x)`
    "threshold",                 :math:`(\mathrm{sgn}(x) + 1)/2`             0
    "hard_threshold"
    "logistic", "sigmoid"        :math:`\sigma(x) = 1/(1 + e^{-x})`          :math:`\sigma(x)(1-\sigma(x))`
    "tanh"                       :math:`\tanh x`                             :math:`1 - \tanh^2 x`
    ============================ =========================================== ==============================

    Parameters
    ----------
    name : str
        One of the names above. "identity", "relu", "logistic" and "tanh" are scikit-learn's names.

    Returns
    -------
    Activation
        Call it with an array for the values; its method ``derivative`` gives the slopes.

    Notes
    -----
    No form overflows: the softplus of 800 is 800, and the derivatives of the logistic function and of the hyperbolic
    tangent keep their relative accuracy far out, where :math:`1 - \sigma` and :math:`1 - \tanh^2` would cancel.

    The derivative of the hard threshold is 0 wherever it exists. A rule that replaces it by 1, as the perceptron does,
    is a convention and not a gradient.

    Examples
    --------
    >>> from statlearn.neural import activation
    >>> softplus = activation("softplus")
    >>> softplus([-800.0, 0.0, 800.0])
    array([0.00000000e+00, 6.93147181e-01, 8.00000000e+02])
    >>> float(softplus.derivative(0.0))
    0.5
    """
    entry = _BY_NAME.get(ALIASES.get(name, name)) if isinstance(name, str) else None
    if entry is None:
        raise InvalidParameterError(f"`name` must be one of {', '.join(map(repr, ACTIVATIONS))}, got {name!r}.")
    return entry


def layer_activations(activations, n_layers, owner):
    """The names of the activations of the hidden layers, one per layer, without aliases."""
    names = [activations] * n_layers if isinstance(activations, str) else list(activations)
    for name in names:
        if not isinstance(name, str) or name not in ACTIVATIONS:
            raise InvalidParameterError(
                f"The 'activation' parameter of {owner} must be a str among {set(ACTIVATIONS)} or a sequence of these. "
                f"Got {activations!r} instead."
            )
    if len(names) != n_layers:
        raise ValueError(
            f"`activation` has {len(names)} entries, but there are {n_layers} hidden layers; give one name for all or "
            "one per layer."
        )
    return [activation(name).name for name in names]
