"""Low-latency prediction of single rows."""

from math import exp

import numpy as np

from statlearn._core.native import trees as native


class FastPredictor:
    """Low-latency predictor of single rows for a fitted gradient boosting model.

    The methods accept one row as a one-dimensional array of numbers (float64 is fastest, a list is slower; NaN is a
    missing value). Only its length is checked, not the names or types of columns, and infinite values are treated as
    numbers. Categories must be numeric, as in `fit`. Results are the same as those of the model for float64 input.

    Parameters
    ----------
    model : GradientBoostingClassifier or GradientBoostingRegressor
        A fitted model with `init` None or "zero". Later changes of the model have no effect.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.ensemble import GradientBoostingRegressor
    >>> X = np.arange(20.0)[:, None]
    >>> model = GradientBoostingRegressor().fit(X, X[:, 0] ** 2)
    >>> fast = model.fast_predictor()
    >>> bool(fast.predict(X[3]) == model.predict(X[3:4])[0])
    True
    """

    def __init__(self, model):
        if model.init_ is not None:
            raise ValueError("fast_predictor does not support models with an estimator as `init`.")
        if model._category_coder.text_levels:
            raise ValueError(
                "fast_predictor requires numeric categories, but the model was fitted to columns of text or categories."
            )
        self._model = model
        forest = model.forest_
        start = np.ascontiguousarray(model.start_, np.float64)
        self._scores = native.RowWalker(*forest._walk(), forest.value, start, model.n_features_in_).scores
        self._encode = model._bins.encode if model._bins.categories else None
        self._loss = model._fitted_loss()
        self.classes_ = getattr(model, "classes_", None)

    def scores(self, row):
        """Scores as a list: one, or one per class if there are more than two."""
        if self._encode is None:
            try:
                return self._scores(row)
            except TypeError:  # not a one-dimensional array
                pass
        row = np.ascontiguousarray(row, np.float64)
        if row.shape != (self._model.n_features_in_,):
            raise ValueError(
                f"`row` must be a one-dimensional array of {self._model.n_features_in_} numbers, got shape {row.shape}."
            )
        return self._scores(row if self._encode is None else self._encode(row[None])[0])

    def predict(self, row):
        """Predicted value or class of the row."""
        scores = self.scores(row)
        if self.classes_ is None:
            return exp(scores[0]) if self._loss.has_log_link else scores[0]
        if len(scores) == 1:
            return self.classes_[int(scores[0] > 0)]
        return self.classes_[max(range(len(scores)), key=scores.__getitem__)]

    def predict_proba(self, row):
        """Class probabilities of the row."""
        scores = self.scores(row)
        if len(scores) == 1:
            odds = scores[0] * self._loss.log_odds_factor
            p = 1 / (1 + exp(-odds)) if odds > -700 else exp(odds)
            return np.array([1 - p, p])
        largest = max(scores)
        shares = np.array([exp(score - largest) for score in scores])
        return shares / shares.sum()

    def __reduce__(self):
        return type(self), (self._model,)
