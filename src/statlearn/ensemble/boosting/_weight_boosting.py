"""Base class of the AdaBoost classifier and regressor."""

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, is_classifier, is_regressor
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import HasMethods, Int, Real
from statlearn._core.validation import check_weights

from .._member_tables import MemberTables


class WeightBoosting(MemberTables, MetaEstimatorMixin, BaseEstimator):
    """Ensemble of members fitted in sequence, each to rows weighted by the errors so far."""

    _constraints: dict = {
        "estimator": [HasMethods("fit", "predict"), None],
        "n_estimators": [Int(1, None)],
        "learning_rate": [Real(0, None, closed="neither")],
        "random_state": ["random_state"],
    }

    def _default_member(self):
        raise NotImplementedError

    def _kind(self):
        return self._default_member() if self.estimator is None else self.estimator

    def _check_table(self, X, **settings):
        return super()._check_table(X, allow_nd=True, **settings)

    def _check_training(self, X, y, sample_weight):
        """The rows of positive weight, their weights scaled to sum to 1, and the original sum."""
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        X, y = self._check_table(X, y=y, y_numeric=is_regressor(self))
        weights = check_weights(sample_weight, np.empty((X.shape[0], 1)))
        if weights is None:
            return X, y, np.full(X.shape[0], 1.0 / X.shape[0]), float(X.shape[0])
        if not np.all(weights > 0):
            used = np.flatnonzero(weights > 0)
            X, y, weights = X[used], y[used], weights[used]
        return X, y, weights / weights.sum(), float(weights.sum())

    def staged_score(self, X, y, sample_weight=None):
        """Score (accuracy or R²) after each round.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,) or None, default=None

        Yields
        ------
        float
        """
        measure = accuracy_score if is_classifier(self) else r2_score
        for predicted in self.staged_predict(X):
            yield measure(y, predicted, sample_weight=sample_weight)

    @property
    def feature_importances_(self):
        """Average of the members' feature importances, weighted by the member weights."""
        if not getattr(self, "estimators_", None):
            raise ValueError("Estimator not fitted, call `fit` before `feature_importances_`.")
        try:
            parts = [w * m.feature_importances_ for w, m in zip(self.estimator_weights_, self.estimators_)]
        except AttributeError as error:
            raise AttributeError(
                "Unable to compute feature importances since estimator does not have a feature_importances_ attribute"
            ) from error
        return sum(parts) / self.estimator_weights_.sum()

    def __len__(self):
        check_is_fitted(self)
        return len(self.estimators_)

    def __getitem__(self, index):
        check_is_fitted(self)
        return self.estimators_[index]

    def __iter__(self):
        check_is_fitted(self)
        return iter(self.estimators_)
