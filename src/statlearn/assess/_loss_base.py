"""Base class of the public losses: reduction over rows, weights, and derivatives."""

import numpy as np

from statlearn._core.params import Options, check_arguments


class Loss:
    """Base class: a subclass defines `_rows`, `_first` and `_second`, row by row."""

    _parameters: tuple[str, ...] = ()  # parameters of the constructor in addition to `reduction`
    convex = False  # in the prediction
    smooth = False  # with a continuous gradient

    def __init__(self, reduction="none"):
        check_arguments(type(self).__name__, reduction=(reduction, [Options("none", "sum", "mean")]))
        self.reduction = reduction

    def __repr__(self):
        names = [f"{name}={getattr(self, name)!r}" for name in self._parameters]
        names += [f"reduction={self.reduction!r}"] if self.reduction != "none" else []
        return f"{type(self).__name__}({', '.join(names)})"

    def value(self, y, f, sample_weight=None):
        """Loss of predictions f for targets y.

        Parameters
        ----------
        y, f : array-like or float
            Arrays of the same shape; see the class.
        sample_weight : array-like of shape (n,) or None, default=None
            Multiplies the rows. For a mean, the weights are divided by their sum.

        Returns
        -------
        float, or ndarray with one value per row for ``reduction="none"``
        """
        rows = np.asarray(self._rows(y, f), dtype=np.float64)
        weights = self._weights(sample_weight, rows)
        if weights is not None:
            rows = np.where(weights > 0, rows, 0.0) * weights  # a row of weight 0 is absent, even with an infinite loss
        if self.reduction == "none":
            return float(rows) if rows.ndim == 0 else rows
        total = float(np.sum(rows))
        return total if self.reduction == "sum" else total / (rows.size if weights is None else float(np.sum(weights)))

    def gradient(self, y, f, sample_weight=None):
        """Derivative of the (reduced) value with respect to each entry of f; a subgradient at kinks.

        Parameters
        ----------
        y, f : array-like or float
        sample_weight : array-like of shape (n,) or None, default=None

        Returns
        -------
        float or ndarray of the shape of f
        """
        return self._scaled(self._first(y, f), sample_weight)

    def hessian(self, y, f, sample_weight=None):
        """Second derivative of the (reduced) value, row by row, since rows do not interact.

        Parameters
        ----------
        y, f : array-like or float
        sample_weight : array-like of shape (n,) or None, default=None

        Returns
        -------
        float, ndarray of the shape of f, or (n, K, K) where f has K columns
        """
        return self._scaled(self._second(y, f), sample_weight)

    def _scaled(self, derivative, sample_weight):
        derivative = np.asarray(derivative, dtype=np.float64)
        n = derivative.shape[0] if derivative.ndim else 1
        weights = self._weights(sample_weight, np.empty(n))
        if weights is not None:
            derivative = derivative * weights.reshape((-1,) + (1,) * (derivative.ndim - 1))
        if self.reduction == "mean":
            derivative = derivative / (n if weights is None else np.sum(weights))
        return float(derivative) if derivative.ndim == 0 else derivative

    @staticmethod
    def _weights(sample_weight, rows):
        if sample_weight is None:
            return None
        from statlearn._core.validation import check_weights

        return check_weights(sample_weight, np.atleast_1d(rows))

    def _rows(self, y, f):
        raise NotImplementedError

    def _first(self, y, f):
        raise NotImplementedError

    def _second(self, y, f):
        raise NotImplementedError
