"""Boundaries between pairs of classes of a linear discriminant."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import check_is_fitted

from statlearn._core.validation import FLOATS, check_array, naming


def _pair(model, first, second):
    check_is_fitted(model, "sphering_")
    positions = []
    for label in (first, second):
        places = np.flatnonzero(model.classes_ == label)
        if not len(places):
            raise ValueError(f"{label!r} must be one of the classes {model.classes_.tolist()}.")
        positions.append(int(places[0]))
    return positions


@dataclass
class Hyperplane:
    """Boundary ``normal @ x + offset = 0`` between two classes; the first is preferred where the sum is positive."""

    normal: np.ndarray
    offset: float


def decision_hyperplane(model, first, second):
    r"""Boundary between two classes of a fitted `LinearDiscriminantAnalysis`.

    .. math:: \log\frac{\pi_k}{\pi_l} - \tfrac12 (\mu_k + \mu_l)^\top \Sigma^{-1} (\mu_k - \mu_l)
        + x^\top \Sigma^{-1} (\mu_k - \mu_l) = 0

    Parameters
    ----------
    model : LinearDiscriminantAnalysis
        Fitted.
    first, second : label
        The classes k and l.

    Returns
    -------
    Hyperplane
        With `normal`, Σ^{-1}(μ_k - μ_l), and `offset`, the constant terms. With more than two classes, only the part of
        the plane where no third class is better is a boundary of the rule.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.discriminant import LinearDiscriminantAnalysis, decision_hyperplane
    >>> X, y = load_iris(return_X_y=True)
    >>> plane = decision_hyperplane(LinearDiscriminantAnalysis().fit(X, y), 0, 1)
    >>> plane.normal.shape
    (4,)
    """
    k, m = _pair(model, first, second)
    W = model.sphering_.astype(np.float64)
    means, priors = model.means_.astype(np.float64), model.priors_.astype(np.float64)
    normal = W @ ((means[k] - means[m]) @ W)
    with np.errstate(divide="ignore"):
        offset = float(np.log(priors[k]) - np.log(priors[m]) - 0.5 * (means[k] + means[m]) @ normal)
    return Hyperplane(normal, offset)


def pairwise_log_odds(model, X, first, second):
    """Log posterior odds of one class against another, which are linear in x.

    Parameters
    ----------
    model : LinearDiscriminantAnalysis
        Fitted.
    X : array-like of shape (n, p)
    first, second : label
        The odds of `first` against `second`.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.discriminant import LinearDiscriminantAnalysis, pairwise_log_odds
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LinearDiscriminantAnalysis().fit(X, y)
    >>> bool(pairwise_log_odds(model, X[:1], 0, 1)[0] > 0)
    True
    """
    plane = decision_hyperplane(model, first, second)
    with naming("X"):
        X = check_array(X, dtype=FLOATS)
    if X.shape[1] != len(plane.normal):
        raise ValueError(f"X has {X.shape[1]} features, but the model was fitted with {len(plane.normal)}.")
    return X @ plane.normal + plane.offset
