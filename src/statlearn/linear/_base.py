"""What linear estimators share: predictions from coefficients, names of terms, the intercept."""

import numpy as np
from scipy import sparse
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.validation import FLOATS, validate_data


def linear_scores(X, coef, intercept):
    """X @ coef.T + intercept, dense, for coef of shape (p,) or (m, p), dense or sparse."""
    scores = X @ (coef.T if sparse.issparse(coef) else np.asarray(coef).T)
    if sparse.issparse(scores):
        scores = scores.toarray()
    return scores + intercept


def term_names(estimator, *, intercept=True):
    """Names for the rows of a summary: "(Intercept)" as in R, then the features."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        names = [f"x{j}" for j in range(estimator.n_features_in_)]
    return (["(Intercept)"] if intercept else []) + [str(name) for name in names]


def refuse_infinite_slopes(estimator, coef):
    """Refuse slopes, (p,) or (m, p), that are no finite numbers: those of columns that are far too small or large."""
    lost = ~np.isfinite(np.atleast_2d(coef)).all(axis=0)
    if lost.any():
        names = [name for name, bad in zip(term_names(estimator, intercept=False), lost) if bad]
        listed = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        raise ValueError(f"X: the slopes of {listed} overflow, since these columns are too small; scale X.")


class LinearRegressorMixin(RegressorMixin):
    """`predict` from `coef_` and `intercept_`."""

    _accept_sparse: tuple[str, ...] | bool = ("csr", "csc")

    def predict(self, X):
        """Predicted values.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, accept_sparse=self._accept_sparse, reset=False)
        return linear_scores(X, self.coef_, self.intercept_)


class LinearClassifierMixin(ClassifierMixin):
    """`decision_function` and `predict` from `coef_` (1 or K rows), `intercept_` and `classes_`.

    With two classes a positive score means ``classes_[1]``. A score exactly at the threshold goes to the lower class;
    with ``threshold_rule="ge"`` (where the estimator has that parameter) to the higher one.
    """

    _accept_sparse: tuple[str, ...] | bool = ("csr", "csc")

    def decision_function(self, X):
        """Signed scores: one per row with two classes, one per class otherwise.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, accept_sparse=self._accept_sparse, reset=False)
        scores = linear_scores(X, self.coef_, self.intercept_)
        return scores.ravel() if scores.ndim == 2 and scores.shape[1] == 1 else scores

    def predict(self, X):
        """The class of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            up = scores >= 0 if getattr(self, "threshold_rule", "gt") == "ge" else scores > 0
            return self.classes_[up.astype(np.intp)]
        return self.classes_[scores.argmax(axis=1)]
