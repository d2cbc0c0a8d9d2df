"""Predictions for one row at a time, in microseconds."""

from math import exp

import numpy as np

from statlearn._core.native import trees as native


class FastPredictor:
    """A fitted gradient boosting model, prepared once for single rows.

    The methods take one row as a one-dimensional array of numbers (float64 is fastest, a list is slower; NaN is a
    missing value) and check its length only: neither names nor types of columns, and infinite values count as numbers.
    Categories must be numbers, as `fit` saw them. The results are those of the model for double precision.

    Parameters
    ----------
    model : GradientBoostingClassifier or GradientBoostingRegressor
        Fitted, with `init` None or "zero". Later changes of the model are not seen.

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
            raise ValueError("fast_predictor: a model that starts from another model has no fast predictor.")
        if model.coder_.text_levels:
            raise ValueError("fast_predictor: categories must be numbers, but the model was fitted on names.")
        self._model = model
        forest = model.forest_
        start = np.ascontiguousarray(model.start_, np.float64)
        self._scores = native.RowWalker(*forest._walk(), forest.value, start, model.n_features_in_).scores
        self._encode = model.bins_.encode if model.bins_.categories else None
        self._loss = model._fitted_loss()
        self.classes_ = getattr(model, "classes_", None)

    def scores(self, row):
        """The score, or one for each class where there are more than two, as a list."""
        if self._encode is None:
            try:
                return self._scores(row)
            except TypeError:  # no array of one dimension
                pass
        row = np.ascontiguousarray(row, np.float64)
        if row.shape != (self._model.n_features_in_,):
            raise ValueError(f"A row of {self._model.n_features_in_} numbers is needed, not an array of {row.shape}.")
        return self._scores(row if self._encode is None else self._encode(row[None])[0])

    def predict(self, row):
        """The predicted number or class."""
        scores = self.scores(row)
        if self.classes_ is None:
            return exp(scores[0]) if self._loss.has_log_link else scores[0]
        if len(scores) == 1:
            return self.classes_[int(scores[0] > 0)]
        return self.classes_[max(range(len(scores)), key=scores.__getitem__)]

    def predict_proba(self, row):
        """Probabilities of the classes."""
        scores = self.scores(row)
        if len(scores) == 1:
            odds = scores[0] * self._loss.log_odds_factor
            p = 1 / (1 + exp(-odds)) if odds > -700 else exp(odds)
            return np.array([1 - p, p])
        most = max(scores)
        shares = np.array([exp(score - most) for score in scores])
        return shares / shares.sum()

    def __reduce__(self):
        return type(self), (self._model,)
