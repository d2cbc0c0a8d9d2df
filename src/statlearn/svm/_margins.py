"""Margins of hyperplanes, losses of the margin and what they estimate."""

import numpy as np
from scipy.special import logit
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Options, check_arguments
from statlearn._core.validation import check_same_length
from statlearn._math.losses.scores import Hinge, Logistic, MarginSquared, ModifiedHuber
from statlearn.linear import hyperplane_distance

_LOSSES = {"deviance": Logistic, "hinge": Hinge, "squared": MarginSquared, "huberized": ModifiedHuber}


class MarginWidthMixin:
    """The width of the margin of machines with `margin_`."""

    @property
    def width_(self):
        """Width of the strip between the levels f(x) = ±1, twice `margin_`."""
        check_is_fitted(self)
        return 2.0 * self.margin_


def dataset_margin(X, y, coef, intercept=0.0):
    r"""Margin of a hyperplane on labelled data, :math:`\min_i y_i(w^\top x_i+b)/\lVert w\rVert`.

    Positive if and only if the hyperplane separates the classes; then it is the distance of the closest row. The width
    of the strip between the classes that some texts maximise is twice the margin of the best hyperplane.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of two classes. The larger one belongs to the side to which `coef` points.
    coef : array-like of shape (n_features,)
    intercept : float, default=0.0

    Returns
    -------
    float

    Examples
    --------
    >>> from statlearn.svm import dataset_margin
    >>> dataset_margin([[-1.0, 0.0], [1.0, 0.0], [2.0, 1.0]], [-1, 1, 1], [1.0, 0.0])
    1.0
    """
    distances = hyperplane_distance(X, coef, float(np.ravel(intercept)[0]))
    check_same_length(distances, y)
    classes = np.unique(y)
    if classes.size > 2:
        raise ValueError(f"y must have at most two classes, got {classes.size}.")
    signs = np.where(np.asarray(y) == classes[-1], 1.0, -1.0)
    if classes.size == 1 and np.issubdtype(classes.dtype, np.number) and classes[0] <= 0:
        signs = -signs
    return float(np.min(signs * distances))


def margin_loss(margin, loss="hinge", *, derivative=False):
    r"""Loss of a classifier as a function of the margin :math:`m=yf`.

    ===============  =============================================================
    ``"deviance"``   :math:`\log(1+e^{-m})`
    ``"hinge"``      :math:`\max(0,1-m)`
    ``"squared"``    :math:`(1-m)^2`
    ``"huberized"``  :math:`\max(0,1-m)^2`, and :math:`-4m` for :math:`m<-1`
    ===============  =============================================================

    Parameters
    ----------
    margin : array-like
    loss : {"deviance", "hinge", "squared", "huberized"}, default="hinge"
    derivative : bool, default=False
        Return the derivative with respect to the margin instead (for the hinge at 1: the one from the right, 0).

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> from statlearn.svm import margin_loss
    >>> margin_loss(-1.0, "huberized"), margin_loss(-1.0, "huberized", derivative=True)
    (4.0, -4.0)
    """
    check_arguments(margin_loss, loss=(loss, [Options(*_LOSSES)]), derivative=(derivative, ["boolean"]))
    m = np.asarray(margin, dtype=np.float64)
    if np.isnan(m).any():
        raise ValueError("`margin` contains NaN.")
    each = _LOSSES[loss](np.ones_like(m))
    values = each.derivatives(m)[0] if derivative else each.value(m)
    return float(values) if m.ndim == 0 else np.asarray(values)


def population_minimizer(p, loss="hinge"):
    r"""The score f that minimises the expected margin loss where P(y = 1) = p.

    The deviance gives the log-odds :math:`\log\frac p{1-p}`, the hinge the sign of :math:`p-\frac12` (0 at one half),
    the squared and the huberised loss :math:`2p-1`. So the hinge estimates the class only, the others the probability.

    Parameters
    ----------
    p : array-like
        Probabilities of the class +1.
    loss : {"deviance", "hinge", "squared", "huberized"}, default="hinge"

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> from statlearn.svm import population_minimizer
    >>> population_minimizer(0.8, "hinge"), round(population_minimizer(0.8, "squared"), 6)
    (1.0, 0.6)
    """
    check_arguments(population_minimizer, loss=(loss, [Options(*_LOSSES)]))
    p = np.asarray(p, dtype=np.float64)
    if not np.all((p >= 0) & (p <= 1)):
        raise ValueError("p must lie between 0 and 1.")
    f = logit(p) if loss == "deviance" else np.sign(p - 0.5) if loss == "hinge" else 2.0 * p - 1.0
    return float(f) if p.ndim == 0 else f
