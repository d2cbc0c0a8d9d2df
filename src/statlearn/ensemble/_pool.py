"""Weights of a linear combination of predictions: on the simplex, at least 0, or free."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.nonnegative import nonnegative_quadratic
from statlearn._core.validation import check_weights

# Relative to the mean diagonal: members that agree share their weight, and an exact fit keeps a solution.
_FLOOR = 1e-10


def combination_weights(predictions, y, sample_weight=None, constraint="simplex"):
    r"""Least-squares weights of a combination of predictions.

    Minimises :math:`\sum_i s_i (y_i - \sum_m w_m p_{im})^2` over w, with w >= 0 and sum(w) = 1 ("simplex"), with
    w >= 0 ("nonnegative"), or over all w ("unconstrained"); there is no intercept.

    On the simplex y - Pw = Ew with the errors E = y1' - P, and the minimiser of w'E'Ew is the direction of the
    minimiser of u'E'Eu / 2 - sum(u) over u >= 0: both have E'Ew constant where w > 0, and no smaller where w = 0.
    """
    P = np.asarray(predictions, dtype=np.float64)
    y = np.asarray(y, dtype=np.float64)
    s = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if constraint == "simplex":
        E = y[:, None] - P
        S, b = E.T @ (s[:, None] * E), np.ones(P.shape[1])
    else:
        S, b = P.T @ (s[:, None] * P), P.T @ (s * y)
    if constraint == "unconstrained":
        root = np.sqrt(s)[:, None]
        return np.linalg.lstsq(root * P, root[:, 0] * y, rcond=None)[0]
    scale = np.trace(S) / len(b)
    if scale == 0.0:  # every member is right, or predicts 0
        return np.full(len(b), 1.0 / len(b))
    w, _ = nonnegative_quadratic(S / scale + _FLOOR * np.eye(len(b)), b if constraint == "simplex" else b / scale)
    return w / w.sum() if constraint == "simplex" else w


class PoolRegressor(RegressorMixin, BaseEstimator):
    """Combines the columns of X, the members' predictions, by :func:`combination_weights`.

    Parameters
    ----------
    constraint : {"simplex", "nonnegative", "unconstrained"}

    Attributes
    ----------
    coef_ : ndarray of shape (n_members,)
        The weights.
    """

    def __init__(self, constraint="simplex"):
        self.constraint = constraint

    def fit(self, X, y, sample_weight=None):
        self.coef_ = combination_weights(X, y, check_weights(sample_weight, np.empty((len(y), 1))), self.constraint)
        return self

    def predict(self, X):
        check_is_fitted(self)
        return np.asarray(X, dtype=np.float64) @ self.coef_


class PoolClassifier(ClassifierMixin, BaseEstimator):
    """Combines the members' probabilities, on the simplex by the least Brier score.

    The columns of X are the members' probabilities, class by class; for two classes those of the second alone.

    Parameters
    ----------
    constraint : {"simplex"}

    Attributes
    ----------
    coef_ : ndarray of shape (n_members,)
        The weights.
    """

    def __init__(self, constraint="simplex"):
        self.constraint = constraint

    def fit(self, X, y, sample_weight=None):
        self.classes_, codes = np.unique(y, return_inverse=True)
        P = self._probabilities(X)
        n, members, shown = P.shape
        hit = (codes[:, None] == np.arange(len(self.classes_))[-shown:]).astype(np.float64)
        weights = check_weights(sample_weight, np.empty((n, 1)))
        rows = P.transpose(0, 2, 1).reshape(-1, members)
        repeated = None if weights is None else np.repeat(weights, shown)
        self.coef_ = combination_weights(rows, hit.ravel(), repeated, self.constraint)
        return self

    def _probabilities(self, X):
        """(n_rows, n_members, n_classes), or of the second class alone where there are two."""
        X = np.asarray(X, dtype=np.float64)
        shown = 1 if len(self.classes_) == 2 else len(self.classes_)
        return X.reshape(len(X), -1, shown)

    def predict_proba(self, X):
        check_is_fitted(self)
        P = np.einsum("nmk,m->nk", self._probabilities(X), self.coef_)
        return np.column_stack([1.0 - P[:, 0], P[:, 0]]) if P.shape[1] == 1 else P

    def predict(self, X):
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]
