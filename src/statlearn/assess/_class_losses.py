"""Losses for labels, probabilities, and signed distances between several classes."""

import numpy as np
from scipy.special import expit, logsumexp, softmax

from statlearn._core.params import check_arguments
from statlearn._math.losses.scores import signed_distance

from ._loss_base import Loss


class ZeroOne(Loss):
    """Zero-one loss: 1 if the label is wrong, 0 otherwise.

    It has no useful gradient and is meant for evaluation, not for training.

    Parameters
    ----------
    reduction : {"none", "sum", "mean"}, default="none"

    Examples
    --------
    >>> from statlearn.assess.losses import ZeroOne
    >>> ZeroOne(reduction="mean").value(["a", "b", "b", "a"], ["a", "b", "a", "a"])
    0.25
    """

    def __init__(self, *, reduction="none"):
        super().__init__(reduction)

    def _rows(self, y, f):
        y, f = np.asarray(y), np.asarray(f)
        if y.ndim and f.ndim and y.shape != f.shape:
            raise ValueError(f"`y` and `f` must have the same shape, got {y.shape} and {f.shape}.")
        return (y != f).astype(np.float64)

    def _first(self, y, f):
        raise NotImplementedError(
            "The zero-one loss is a step function and has no useful gradient; use a surrogate such as LogLoss."
        )

    _second = _first


def _check_probabilities(f):
    if not np.all((f >= 0.0) & (f <= 1.0)):
        raise ValueError("`f` must contain probabilities between 0 and 1.")
    return f


def _safe_product(y, logs):
    """y · logs with 0 · (-inf) = 0."""
    with np.errstate(invalid="ignore"):
        return np.where(y == 0.0, 0.0, y * logs)


class LogLoss(Loss):
    """Log loss -y log f - (1 - y) log(1 - f) for y between 0 and 1 and a probability f of the label 1.

    Parameters
    ----------
    from_scores : bool, default=False
        Whether f is a score. The probability is then 1/(1 + exp(-f)), and derivatives are with respect to the score.
    reduction : {"none", "sum", "mean"}, default="none"
        Textbooks mostly use the sum; scikit-learn's `log_loss` is the mean.

    Examples
    --------
    >>> from statlearn.assess.losses import LogLoss
    >>> LogLoss(reduction="sum").value([1, 0], [0.5, 0.5]).__round__(6)
    1.386294
    """

    _parameters, convex, smooth = ("from_scores",), True, True

    def __init__(self, from_scores=False, *, reduction="none"):
        check_arguments("LogLoss", from_scores=(from_scores, ["boolean"]))
        super().__init__(reduction)
        self.from_scores = from_scores

    def _pair(self, y, f):
        y, f = np.asarray(y, dtype=np.float64), np.asarray(f, dtype=np.float64)
        if y.ndim and f.ndim and y.shape != f.shape:
            raise ValueError(f"`y` and `f` must have the same shape, got {y.shape} and {f.shape}.")
        if not np.all((y >= 0.0) & (y <= 1.0)):
            raise ValueError("LogLoss requires labels 0 and 1 in `y`, or proportions between them.")
        return y, (f if self.from_scores else _check_probabilities(f))

    def _rows(self, y, f):
        y, f = self._pair(y, f)
        if self.from_scores:
            return np.logaddexp(0.0, f) - y * f
        with np.errstate(divide="ignore"):
            return -(_safe_product(y, np.log(f)) + _safe_product(1.0 - y, np.log1p(-f)))

    def _first(self, y, f):
        y, f = self._pair(y, f)
        if self.from_scores:
            return expit(f) - y
        with np.errstate(divide="ignore"):
            return _safe_product(1.0 - y, 1.0 / (1.0 - f)) - _safe_product(y, 1.0 / f)

    def _second(self, y, f):
        y, f = self._pair(y, f)
        if self.from_scores:
            return expit(f) * expit(-f)
        with np.errstate(divide="ignore"):
            return _safe_product(1.0 - y, (1.0 - f) ** -2.0) + _safe_product(y, f**-2.0)


class CrossEntropy(Loss):
    """Cross-entropy -sum_k y_k log f_k for one-hot rows y (or proportions that sum to 1) and rows of probabilities f.

    Parameters
    ----------
    from_scores : bool, default=False
        Whether f contains scores. The probabilities are then their softmax, and derivatives are with respect to the
        scores.
    reduction : {"none", "sum", "mean"}, default="none"

    Examples
    --------
    >>> from statlearn.assess.losses import CrossEntropy
    >>> CrossEntropy().value([[1, 0, 0]], [[0.5, 0.3, 0.2]])
    array([0.69314718])
    """

    _parameters, convex, smooth = ("from_scores",), True, True

    def __init__(self, from_scores=False, *, reduction="none"):
        check_arguments("CrossEntropy", from_scores=(from_scores, ["boolean"]))
        super().__init__(reduction)
        self.from_scores = from_scores

    def _pair(self, y, f):
        y, f = np.atleast_2d(np.asarray(y, dtype=np.float64)), np.atleast_2d(np.asarray(f, dtype=np.float64))
        if y.shape != f.shape or y.ndim != 2:
            raise ValueError(f"`y` and `f` must be matrices of the same shape, got {y.shape} and {f.shape}.")
        return y, (f if self.from_scores else _check_probabilities(f))

    def _rows(self, y, f):
        y, f = self._pair(y, f)
        if self.from_scores:
            return y.sum(axis=1) * logsumexp(f, axis=1) - np.sum(y * f, axis=1)
        with np.errstate(divide="ignore"):
            return 0.0 - _safe_product(y, np.log(f)).sum(axis=1)

    def _first(self, y, f):
        y, f = self._pair(y, f)
        if self.from_scores:
            return y.sum(axis=1, keepdims=True) * softmax(f, axis=1) - y
        with np.errstate(divide="ignore"):
            return -_safe_product(y, 1.0 / f)

    def _second(self, y, f):
        y, f = self._pair(y, f)
        diagonal = np.eye(f.shape[1])
        if not self.from_scores:
            with np.errstate(divide="ignore"):
                return _safe_product(y, f**-2.0)[:, :, None] * diagonal
        p = softmax(f, axis=1)
        return y.sum(axis=1)[:, None, None] * (p[:, :, None] * diagonal - p[:, :, None] * p[:, None, :])


# ---------------------------------------------------------------------------------- several classes by signed distances


def signed_distances(f, representatives, y):
    r"""Signed distances of images f between the representatives of their own class and of the other classes.

    Row n, column j is :math:`D_{ij} = [2(\psi_j - \psi_i)^\top f_n + \|\psi_i\|^2 - \|\psi_j\|^2] / (2 \|\psi_j -
    \psi_i\|)` with i the class of row n: the distance from the plane half-way between the two representatives, negative
    on the side of its own class. It is 0 in the column of its own class.

    Parameters
    ----------
    f : array-like of shape (n, d)
        Images of the rows in the space of the representatives.
    representatives : array-like of shape (n_classes, d)
    y : array-like of int of shape (n,)
        Class index of each row.

    Returns
    -------
    ndarray of shape (n, n_classes)

    Examples
    --------
    >>> from statlearn.assess.losses import signed_distances
    >>> signed_distances([[1.0, 0.0], [0.5, 0.5]], [[1.0, 0.0], [0.0, 1.0]], [0, 0])
    array([[ 0.        , -0.70710678],
           [ 0.        ,  0.        ]])
    """
    f, points = np.asarray(f, dtype=np.float64), np.asarray(representatives, dtype=np.float64)
    y = np.asarray(y)
    D = np.zeros((len(f), len(points)))
    for i, a in enumerate(points):
        rows = np.flatnonzero(y == i)
        for j, b in enumerate(points):
            if i != j and len(rows):
                D[rows, j] = signed_distance(f[rows], a, b)
    return D


class _OfDistances(Loss):
    _parameters = ("class_weight",)

    def __init__(self, class_weight=None, *, reduction="none"):
        check_arguments(type(self).__name__, class_weight=(class_weight, ["array-like", None]))
        super().__init__(reduction)
        self.class_weight = class_weight

    def _pair(self, y, D):
        """Class indices, distances (including that to the true class) and costs kappa of the rows."""
        y, D = np.atleast_1d(np.asarray(y)), np.atleast_2d(np.asarray(D, dtype=np.float64))
        if y.shape != D.shape[:1] or y.dtype.kind not in "iu" or np.any(y < 0) or np.any(y >= D.shape[1]):
            raise ValueError("`y` must contain one class index per row of `D`, less than its number of columns.")
        kappa = np.ones(D.shape[1]) if self.class_weight is None else np.asarray(self.class_weight, dtype=np.float64)
        if kappa.shape != D.shape[1:] or np.any(kappa < 0):
            raise ValueError("`class_weight` must contain one non-negative weight per column of `D`.")
        return y, D, kappa[y]

    @staticmethod
    def _others(y, D, fill):
        """The distances, with `fill` instead of that to the true class."""
        D = D.copy()
        D[np.arange(len(y)), y] = fill
        return D


class MulticlassNP(_OfDistances):
    r"""Neyman-Pearson loss: :math:`\kappa_i` where :math:`\max_{j \ne i} D_{ij} \ge 0`, else 0; i is the true class.

    Parameters
    ----------
    class_weight : array-like of shape (n_classes,) or None, default=None
        Costs kappa of mistakes by true class; None means 1.
    reduction : {"none", "sum", "mean"}, default="none"

    Examples
    --------
    >>> from statlearn.assess.losses import MulticlassNP
    >>> MulticlassNP([1.0, 5.0]).value([0, 1], [[0.0, -0.3], [0.2, 0.0]])
    array([0., 5.])
    """

    def _rows(self, y, f):
        y, D, kappa = self._pair(y, f)
        return kappa * (self._others(y, D, -np.inf).max(axis=1) >= 0.0)

    def _first(self, y, f):
        raise NotImplementedError("The Neyman-Pearson loss is a step function and has no useful gradient.")

    _second = _first


class MulticlassHinge(_OfDistances):
    r"""Hinge loss of signed distances, :math:`\kappa_i \max_{j \ne i} (1 + D_{ij})_+`; i is the true class.

    Parameters
    ----------
    class_weight : array-like of shape (n_classes,) or None, default=None
    reduction : {"none", "sum", "mean"}, default="none"

    Examples
    --------
    >>> from statlearn.assess.losses import MulticlassHinge
    >>> MulticlassHinge().value([0, 1], [[0.0, -0.3], [0.2, 0.0]])
    array([0.7, 1.2])
    """

    convex = True

    def _rows(self, y, f):
        y, D, kappa = self._pair(y, f)
        return kappa * np.maximum(1.0 + self._others(y, D, -np.inf).max(axis=1), 0.0)

    def _first(self, y, f):
        y, D, kappa = self._pair(y, f)
        D = self._others(y, D, -np.inf)
        worst = D.argmax(axis=1)
        rows = np.arange(len(y))
        gradient = np.zeros_like(D)
        gradient[rows, worst] = kappa * (1.0 + D[rows, worst] > 0.0)
        return gradient

    def _second(self, y, f):
        _, D, _ = self._pair(y, f)
        return np.zeros((*D.shape, D.shape[1]))


class MulticlassLogistic(_OfDistances):
    r"""Logistic loss of signed distances, :math:`\kappa_i \log \sum_j e^{D_{ij}}` with :math:`D_{ii} = 0`.

    Parameters
    ----------
    class_weight : array-like of shape (n_classes,) or None, default=None
    reduction : {"none", "sum", "mean"}, default="none"

    Examples
    --------
    >>> from statlearn.assess.losses import MulticlassLogistic
    >>> MulticlassLogistic().value([0], [[0.0, 0.0, 0.0]]).round(6)
    array([1.098612])
    """

    convex, smooth = True, True

    def _rows(self, y, f):
        y, D, kappa = self._pair(y, f)
        return kappa * logsumexp(self._others(y, D, 0.0), axis=1)

    def _shares(self, y, f):
        y, D, kappa = self._pair(y, f)
        # The own column is fixed at 0: nothing moves with it.
        return self._others(y, softmax(self._others(y, D, 0.0), axis=1), 0.0), kappa

    def _first(self, y, f):
        p, kappa = self._shares(y, f)
        return kappa[:, None] * p

    def _second(self, y, f):
        p, kappa = self._shares(y, f)
        return kappa[:, None, None] * (p[:, :, None] * np.eye(p.shape[1]) - p[:, :, None] * p[:, None, :])
