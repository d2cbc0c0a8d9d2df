"""Linear combinations of predictions as final estimators of a stack."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.validation import check_weights
from statlearn._math.solvers.combination_weights import combination_weights


class PoolRegressor(RegressorMixin, BaseEstimator):
    """Linear combination of the members' predictions (the columns of X) by :func:`combination_weights`.

    Parameters
    ----------
    constraint : {"simplex", "nonnegative", "unconstrained"}, default="simplex"

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
    """Convex combination of the members' probabilities that minimises the Brier score.

    The columns of X are the members' probabilities for each class, or for the second class only if there are two.

    Parameters
    ----------
    constraint : {"simplex"}, default="simplex"

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
        """X as an array (n_rows, n_members, n_classes), with the second class only if there are two."""
        X = np.asarray(X, dtype=np.float64)
        shown = 1 if len(self.classes_) == 2 else len(self.classes_)
        return X.reshape(len(X), -1, shown)

    def predict_proba(self, X):
        check_is_fitted(self)
        P = np.einsum("nmk,m->nk", self._probabilities(X), self.coef_)
        return np.column_stack([1.0 - P[:, 0], P[:, 0]]) if P.shape[1] == 1 else P

    def predict(self, X):
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]
