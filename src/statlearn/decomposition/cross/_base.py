"""The part that the models of two tables share: scaling, fit, scores, predictions."""

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    MultiOutputMixin,
    RegressorMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, Real, check_params
from statlearn._core.validation import FLOATS, check_array, check_weights, require_finite, validate_data
from statlearn._core.warnings import StatlearnWarning, warn
from statlearn._math.rows.least_squares import EPS, LeastSquaresStatistic


class CrossModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base class of models of two tables: `fit` and `transform`. A subclass implements `_components(A, B, k)`."""

    _constraints = {
        "n_components": [Int(1, None)],
        "scale": ["boolean"],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None)],
        "copy": ["boolean"],
    }

    def _largest(self, n, p, q):
        """The largest number of components of n rows."""
        return min(n, p, q)

    def fit(self, X, y, sample_weight=None):
        """Fit to the data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            The second table.
        sample_weight : array-like of shape (n_samples,), float or None, default=None
            A weight of k counts as k copies of the row; a weight of 0 leaves it out.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=FLOATS, y_numeric=True, multi_output=True, ensure_min_samples=2)
        weights = check_weights(sample_weight, X)
        Y = y.reshape(len(y), -1)
        n = len(X) if weights is None else int(np.count_nonzero(weights))
        largest = self._largest(n, X.shape[1], Y.shape[1])
        if self.n_components > largest:
            raise ValueError(
                f"`n_components` must be at most {largest} for {n} rows, {X.shape[1]} columns of X and "
                f"{Y.shape[1]} of y, got {self.n_components}."
            )
        statistic = LeastSquaresStatistic.from_block(X, Y, weights)
        A, B = statistic.design, statistic.targets
        self._x_mean, self._y_mean = statistic.means
        divisor = np.sqrt(max(statistic.total_weight - 1.0, EPS))
        self._x_std, self._y_std = (_scales(table, divisor, self.scale) for table in (A, B))
        self._total_weight = statistic.total_weight
        with np.errstate(over="ignore", invalid="ignore"):  # refused below
            self._store(self._components(A / self._x_std, B / self._y_std, self.n_components), y.ndim, X.dtype)
        if self._n_features_out < self.n_components:
            warn(
                f"After {self._n_features_out} components nothing common to X and y is left, so `n_components`="
                f"{self.n_components} cannot be reached.",
                StatlearnWarning,
            )
        return self

    def transform(self, X, y=None):
        """Scores of the rows on the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets), default=None
            Rows of the second table, whose scores are returned as well.

        Returns
        -------
        ndarray of shape (n_samples, n_components), or two of them
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        scores = (X - self._x_mean) / self._x_std @ self._x_directions()
        scores = scores.astype(X.dtype, copy=False)
        if y is None:
            return scores
        Y = check_array(y, input_name="y", ensure_2d=False, dtype=FLOATS)
        Y = Y.reshape(len(Y), -1)
        if Y.shape != (len(X), len(self._y_mean)):
            raise ValueError(f"`y` must have shape {(len(X), len(self._y_mean))}, got {np.shape(y)}.")
        return scores, ((Y - self._y_mean) / self._y_std @ self._y_directions()).astype(Y.dtype, copy=False)

    def fit_transform(self, X, y=None):
        """Fit, and return the scores of both tables.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)

        Returns
        -------
        x_scores, y_scores : ndarray of shape (n_samples, n_components)
        """
        return self.fit(X, y).transform(X, y)

    @property
    def _n_features_out(self):
        return self._x_directions().shape[1]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class CrossRegression(MultiOutputMixin, RegressorMixin, CrossModel):
    """Models of two tables with deflation, which also predict y from the scores of X."""

    def _x_directions(self):
        return self.x_rotations_

    def _y_directions(self):
        return self.y_rotations_

    def _store(self, components, n_dimensions, dtype):
        for name in ("x_weights", "y_weights", "x_loadings", "y_loadings", "x_rotations", "y_rotations"):
            setattr(self, f"{name}_", getattr(components, name))
        coef = self.x_rotations_ @ self.y_loadings_.T / self._x_std[:, None] * self._y_std
        require_finite(coef)
        self.coef_ = np.ascontiguousarray(coef.T, dtype=dtype)
        self.intercept_ = (self._y_mean - self._x_mean @ coef).astype(dtype)
        self.n_iter_ = [1] * self.x_weights_.shape[1]
        self._predicts_vector = n_dimensions == 1

    def predict(self, X):
        """Predicted y: its regression on the scores of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        predicted = X @ self.coef_.T + self.intercept_
        return predicted[:, 0] if self._predicts_vector else predicted

    def inverse_transform(self, X, y=None):
        """Rows approximated from their scores.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Scores of X.
        y : array-like of shape (n_samples, n_components), default=None
            Scores of y.

        Returns
        -------
        ndarray of shape (n_samples, n_features), or two of them
        """
        check_is_fitted(self)
        X = check_array(X, input_name="X", dtype=FLOATS)
        rows = X @ self.x_loadings_.T * self._x_std + self._x_mean
        if y is None:
            return rows
        scores = check_array(y, input_name="y", dtype=FLOATS)
        return rows, scores @ self.y_loadings_.T * self._y_std + self._y_mean


def _scales(table, divisor, scale):
    """Standard deviations of the columns of a centred factor, 1 for constant ones or without scaling."""
    norm = np.linalg.norm(table, axis=0)
    return np.where(norm > 0, norm, divisor) / divisor if scale else np.ones(table.shape[1])
