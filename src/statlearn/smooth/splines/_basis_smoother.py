"""Shared part of smoothers on a fixed basis: predictions with bands, leverages, scores, the smoother matrix."""

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.blas import single_blas_thread
from statlearn._core.params import check_arguments
from statlearn._core.validation import FLOATS, check_weights, validate_columns
from statlearn.smooth._input_columns import in_precision_of
from statlearn.smooth._smoother_scores import left_out_residuals, noise_variance

_BLOCK = 65_536  # rows whose functions are in memory at once


class BasisSmootherMixin(RegressorMixin):
    """A regressor whose subclass has `_design(X)`, the functions at the rows of X in double precision."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = True
        return tags

    def _finish(self, problem, X, y, weights):
        """Set all attributes that follow from a solved problem and its penalty `lam_`."""
        Y = np.asarray(y, dtype=np.float64).reshape(len(y), -1)
        coef = problem.coef(self.lam_)
        total = problem.total
        self.df_ = problem.df(self.lam_)
        self.covariance_ = problem.covariance(self.lam_)
        self.sigma2_ = noise_variance(float(problem.rss(self.lam_).mean()), total - self.df_, total)
        self.gcv_ = problem.gcv(self.lam_)
        self._total_weight, self._n_rows = total, len(y)
        leverage, loss = np.empty(len(X)), 0.0
        for start in range(0, len(X), _BLOCK):
            rows = slice(start, start + _BLOCK)
            fitted, leverage[rows] = self._evaluate(X[rows], coef, variance=True)
            squares = (left_out_residuals(Y[rows] - fitted, leverage[rows, None]) ** 2).mean(axis=1)
            loss += np.sum(squares) if weights is None else np.sum((weights[rows] * squares)[weights[rows] > 0])
        self.loo_ = float(loss) / total
        self.leverage_ = leverage if weights is None else leverage * weights
        self.coef_ = (coef[:, 0] if np.ndim(y) == 1 else coef.T).astype(X.dtype)

    def _evaluate(self, X, coef, *, variance):
        """Functions times coefficients, and their variance for noise of variance 1 if requested."""
        H = self._design(X)
        with single_blas_thread():  # the same bits for any number of threads
            return H @ coef, np.einsum("ij,ij->i", H @ self.covariance_, H) if variance else None

    def predict(self, X, *, return_std=False):
        """Predicted values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        return_std : bool, default=False
            Whether to also return the standard deviation of the fitted function, from the covariance of the
            coefficients; with a penalty, that of the underlying Bayesian model.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets), or with it one of shape (n_samples,)
        """
        check_is_fitted(self)
        check_arguments("predict", return_std=(return_std, ["boolean"]))
        X = validate_columns(self, X, dtype=FLOATS, reset=False)
        coef = self.coef_.T.astype(np.float64)
        starts = range(0, len(X), _BLOCK)
        parts = [self._evaluate(X[s : s + _BLOCK], coef, variance=return_std) for s in starts]
        value = in_precision_of(X, np.concatenate([fitted for fitted, _ in parts]))
        if not return_std:
            return value
        return value, np.sqrt(self.sigma2_ * np.concatenate([variance for _, variance in parts]))

    def smoother_matrix(self, X, X_train=None, sample_weight=None):
        """Smoother matrix: the matrix L with predictions L y at the rows of X, for the basis and penalty in use.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        X_train : array-like of shape (n_training_rows, n_features) or None, default=None
            Training rows, which are not stored; None if they are X.
        sample_weight : array-like of shape (n_training_rows,) or None, default=None
            Weights of the training rows.

        Returns
        -------
        ndarray of shape (n_samples, n_training_rows)
        """
        check_is_fitted(self)
        X = validate_columns(self, X, dtype=FLOATS, reset=False)
        train = X if X_train is None else validate_columns(self, X_train, dtype=FLOATS, reset=False)
        if len(train) != self._n_rows:
            raise ValueError(f"`X_train` must be the {self._n_rows} training rows, got {len(train)} rows.")
        L = self._design(X) @ self.covariance_ @ self._design(train).T
        weights = check_weights(sample_weight, train)
        return L if weights is None else L * weights
