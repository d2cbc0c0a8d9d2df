"""Predictions of linear models from their coefficients."""

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.validation import FLOATS, validate_data

from ..losses.scores import loss_key


def linear_scores(X, coef, intercept):
    """X @ coef.T + intercept, dense, for coef of shape (p,) or (m, p), dense or sparse."""
    slopes = coef.T if sparse.issparse(coef) else np.asarray(coef).T
    with np.errstate(over="ignore", invalid="ignore"):
        scores = X @ slopes
    if sparse.issparse(scores):
        scores = scores.toarray()
    if scores.dtype == np.float32 and not np.isfinite(scores).all():  # inf - inf, where the sum may be finite
        return linear_scores(X.astype(np.float64), coef, intercept)
    return scores + intercept


def gives_probabilities(model):
    """Whether the loss of a classifier, after the fit the one in `loss_`, turns scores into probabilities."""
    loss = getattr(model, "loss_", model.loss)  # fitted state decides
    if loss_key(loss) not in ("log_loss", "modified_huber"):
        raise AttributeError(
            f"probability estimates are not available for loss={loss!r}; use 'log_loss' or 'modified_huber', or "
            "calibrate the scores with CalibratedClassifier."
        )
    return True


def margin_probabilities(loss, scores):
    """Class probabilities from scores, for the losses with `gives_probabilities`.

    The logistic function of the score, or (1 + score) / 2 clipped to [0, 1]. Those of several one-vs-rest models are
    divided by their sum.
    """
    p = expit(scores) if loss == "log_loss" else (np.clip(scores, -1.0, 1.0) + 1.0) / 2.0
    return one_vs_rest_probabilities(p)


def one_vs_rest_probabilities(p):
    """Class probabilities from those of one model for the second class, or of one model per class.

    Those of several models are divided by their sum, and equal where all are 0.
    """
    if p.ndim == 1 or p.shape[1] == 1:
        return np.column_stack([1.0 - p, p])
    total = p.sum(axis=1, keepdims=True)
    return np.where(total > 0, p / np.where(total > 0, total, 1.0), 1.0 / p.shape[1])


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

    With two classes, a positive score means ``classes_[1]``. A score exactly at the threshold is assigned to the lower
    class, or to the higher one with ``threshold_rule="ge"`` if the estimator has that parameter.
    """

    _accept_sparse: tuple[str, ...] | bool = ("csr", "csc")

    def decision_function(self, X):
        """Signed scores: one per row for two classes, one per row and class otherwise.

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
        """Predicted class of each row.

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


class SparseCoefMixin:
    """Methods that store `coef_` as a sparse matrix or a dense array."""

    def sparsify(self):
        """Store `coef_` as a sparse matrix, which saves memory after an L1 penalty.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        self.coef_ = sparse.csr_array(self.coef_)
        return self

    def densify(self):
        """Store `coef_` as a dense array.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        if sparse.issparse(self.coef_):
            self.coef_ = self.coef_.toarray()
        return self
