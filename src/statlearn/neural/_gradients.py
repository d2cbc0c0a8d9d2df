"""Gradients by finite differences, and the derivatives of the usual matrix expressions."""

from dataclasses import dataclass

import numpy as np

from ._computational_graph import Value


@dataclass
class GradientCheck:
    """Result of :func:`check_gradient`.

    `error` is the largest difference, relative to the size of the gradient; `ok` says whether it is within `rtol`.
    """

    analytical: np.ndarray
    numerical: np.ndarray
    error: float
    rtol: float

    @property
    def ok(self):
        """Whether the two gradients agree."""
        return bool(self.error <= self.rtol)

    def __bool__(self):
        return self.ok

    def __repr__(self):
        return f"GradientCheck(ok={self.ok}, error={self.error:.2g}, rtol={self.rtol:g})"


def check_gradient(function, x, gradient=None, *, step=None, rtol=1e-6):
    """Comparison of a gradient with central finite differences.

    Parameters
    ----------
    function : callable
        Function of one array. It returns a number, or a vector of length h.
    x : array-like
        Point at which to differentiate.
    gradient : callable, array-like or None, default=None
        The gradient to check, or a function of x that returns it. If None, `function` is evaluated on a :class:`Value`
        and its computational graph is checked.
    step : float or None, default=None
        Step of the differences, relative to the size of each entry of x (at least 1). None means the cube root of the
        machine precision, which balances rounding against truncation.
    rtol : float, default=1e-6
        Largest accepted difference, relative to the largest absolute entry of the two gradients.

    Returns
    -------
    GradientCheck
        With attributes ``analytical``, ``numerical``, ``error`` and ``ok``; it is true if the gradients agree.

    Notes
    -----
    Denominator layout: the derivative of a function from d-vectors to h-vectors is a d × h matrix whose column k is
    the gradient of component k. Near a kink (of the ReLU, say) finite differences say nothing; choose another point.

    See Also
    --------
    derivative_linear, derivative_bilinear, derivative_quadratic : Closed forms to check or to use.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.neural import check_gradient
    >>> check_gradient(lambda w: (w**2).sum(), [1.0, 2.0], gradient=lambda w: 2 * w).ok
    True
    >>> check_gradient(lambda w: (w.tanh() * w).sum(), [1.0, 2.0]).ok
    True
    >>> check_gradient(lambda w: np.sum(w**2), [1.0, 2.0], gradient=[1.0, 1.0])
    GradientCheck(ok=False, error=0.75, rtol=1e-06)
    """
    try:
        x = np.array(x, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"`x` must be a number or an array of numbers, got {x!r}.") from None
    if not np.isfinite(x).all():
        raise ValueError("`x` must be finite.")
    plain = function
    if gradient is None:
        point = Value(x)
        result = function(point)
        if not isinstance(result, Value):
            raise TypeError("`gradient` is required unless `function` returns a Value when it is given one.")
        result.backward()
        analytical = point.grad

        def plain(at):
            return function(Value(at)).data

    else:
        analytical = np.asarray(gradient(x) if callable(gradient) else gradient, dtype=np.float64)
    numerical = _differences(plain, x, np.cbrt(np.finfo(np.float64).eps) if step is None else step)
    if analytical.shape != numerical.shape:
        raise ValueError(f"The gradient has shape {analytical.shape}, but finite differences give {numerical.shape}.")
    scale = max(np.abs(analytical).max(initial=0.0), np.abs(numerical).max(initial=0.0), np.finfo(np.float64).tiny)
    return GradientCheck(analytical, numerical, float(np.abs(analytical - numerical).max(initial=0.0) / scale), rtol)


def _differences(function, x, step):
    """Central differences in denominator layout."""
    columns = []
    for k in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        width = step * max(1.0, abs(x[k]))
        up[k] += width
        down[k] -= width
        columns.append((np.asarray(function(up)) - np.asarray(function(down))) / (up[k] - down[k]))
    differences = np.array(columns, dtype=np.float64)
    return differences.reshape(x.shape + differences.shape[1:])


def derivative_linear(X):
    r"""Derivative of :math:`X^\top w` with respect to w in denominator layout: X.

    Parameters
    ----------
    X : array-like of shape (d, h) or (d,)

    Returns
    -------
    ndarray of the same shape

    Examples
    --------
    >>> from statlearn.neural import derivative_linear
    >>> derivative_linear([[1.0, 2.0], [3.0, 4.0]])
    array([[1., 2.],
           [3., 4.]])
    """
    return np.array(X, dtype=np.float64)


def derivative_bilinear(X, y):
    r"""Derivative of :math:`y^\top X w` with respect to w: :math:`X^\top y`.

    Parameters
    ----------
    X : array-like of shape (n, d)
    y : array-like of shape (n,)

    Returns
    -------
    ndarray of shape (d,)

    Examples
    --------
    >>> from statlearn.neural import derivative_bilinear
    >>> derivative_bilinear([[1.0, 2.0], [3.0, 4.0]], [1.0, -1.0])
    array([-2., -2.])
    """
    return np.asarray(X, dtype=np.float64).T @ np.asarray(y, dtype=np.float64)


def derivative_quadratic(X, w):
    r"""Derivative of :math:`w^\top X w` with respect to w: :math:`(X + X^\top) w`.

    Parameters
    ----------
    X : array-like of shape (d, d)
    w : array-like of shape (d,)

    Returns
    -------
    ndarray of shape (d,)

    Examples
    --------
    >>> from statlearn.neural import derivative_quadratic
    >>> derivative_quadratic([[1.0, 2.0], [0.0, 1.0]], [1.0, 1.0])
    array([4., 4.])
    """
    X = np.asarray(X, dtype=np.float64)
    return (X + X.T) @ np.asarray(w, dtype=np.float64)
