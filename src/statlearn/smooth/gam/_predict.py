"""Predictions of an additive model, with their standard errors."""

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student
from sklearn.utils.validation import check_is_fitted

from statlearn._core.validation import require_finite_table, validate_columns
from statlearn._math.losses.families import make_family
from statlearn._math.losses.response import predicted_intervals, predicted_means

from ._fitted_terms import AT_ONCE
from ._input import check_offset, formula_columns, offset_of


class AdditivePredictions:
    """Predictions of a fitted `GAM`: means, linear predictors, terms."""

    def _rows(self, X):
        check_is_fitted(self)
        X = self._coder.read_frame(formula_columns(self._fitted_formula, X))
        if not self._coder.mask.any():
            return self._derived.append(validate_columns(self, X, dtype=np.float64, reset=False))
        # Levels never seen come as NaN: a random effect takes them for 0, a factor cannot.
        X = validate_columns(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)
        numbers = X[:, ~self._coder.mask]
        require_finite_table(self, numbers)
        X = self._coder.encode(X)
        fixed = {j for term in self.terms_ if term.term.basis != "re" for j in term.places}
        fixed |= {term.by_place for term in self.terms_ if term.by_place is not None}
        for j in np.flatnonzero(np.isnan(X).any(axis=0)):
            if j in fixed:
                raise ValueError(f"X: column {self._column_labels[j]!r} contains a level that was not seen in fit.")
        return self._derived.append(X)

    def _offset(self, X, offset):
        return check_offset(offset, len(X)) + offset_of(self._offsets, X, self._column_labels)

    def _linear(self, X, offset):
        """Linear predictor of validated rows."""
        out = self._offset(X, offset) + self.coef_[0]
        for term, at in zip(self.terms_, self._slices, strict=True):
            term.add_values(X, self.coef_[at], out)
        return out

    def _std(self, X):
        """Standard errors of the linear predictor, a block of rows at a time."""
        out = np.empty(len(X))
        for start in range(0, len(X), AT_ONCE):
            rows = slice(start, start + AT_ONCE)
            B = self._design(X[rows])
            out[rows] = standard_errors(B, self.covariance_)
        return out

    def predict_linear(self, X, offset=None, *, return_std=False):
        """Linear predictor, on the scale of the link.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        offset : array-like of shape (n_samples,) or None, default=None
        return_std : bool, default=False
            Also return standard errors.

        Returns
        -------
        ndarray of shape (n_samples,), or two of them
        """
        X = self._rows(X)
        eta = self._linear(X, offset)
        return (eta, self._std(X)) if return_std else eta

    def predict(self, X, offset=None, *, return_std=False):
        """Predicted means.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        offset : array-like of shape (n_samples,) or None, default=None
        return_std : bool, default=False
            Also return standard errors: those of the linear predictor times the slope of the inverse link.

        Returns
        -------
        ndarray of shape (n_samples,), or two of them
        """
        X = self._rows(X)
        eta, link = self._linear(X, offset), self._link
        if not return_std:
            return predicted_means(self, link, eta)
        means = predicted_means(self, link, eta)
        lost = np.isnan(means)
        slopes = np.where(lost, np.nan, link.slopes(np.where(lost, 1.0, eta))[0])
        return means, np.abs(slopes) * self._std(X)

    def confidence_interval(self, X, level=0.95, offset=None):
        """Pointwise Bayesian intervals for the mean.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        level : float, default=0.95
        offset : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        ndarray of shape (n_samples, 2)
        """
        X = self._rows(X)
        eta, width = self._linear(X, offset), self._quantile(level) * self._std(X)
        return predicted_intervals(self, self._link, eta, width)

    def _quantile(self, level):
        if not 0 < level < 1:
            raise ValueError(f"`level` must be between 0 and 1, got {level}.")
        tail = 0.5 + level / 2
        known = make_family(**self.family_).dispersion_known
        return norm.ppf(tail) if known else student.ppf(tail, self.df_residual_)

    def predict_terms(self, X, *, return_std=False):
        """Contribution of each term to the linear predictor.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        return_std : bool, default=False
            Also return standard errors.

        Returns
        -------
        ndarray of shape (n_samples, n_terms), or two of them
        """
        X = self._rows(X)
        parts, errors = np.empty((2, len(X), len(self.terms_)))
        for start in range(0, len(X), AT_ONCE):
            rows = slice(start, start + AT_ONCE)
            for j, (term, at) in enumerate(zip(self.terms_, self._slices, strict=True)):
                B = term.design(X[rows])
                parts[rows, j] = B @ self.coef_[at]
                if return_std:
                    errors[rows, j] = standard_errors(B, self.covariance_[at, at])
        return (parts, errors) if return_std else parts


def standard_errors(B, covariance):
    """Standard errors of B times coefficients with this covariance."""
    return np.sqrt(np.maximum(np.einsum("ij,ij->i", B @ covariance, B), 0.0))
