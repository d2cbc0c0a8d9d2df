"""Quantile regression forests: quantiles and prediction intervals from the leaves of a forest."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget
from statlearn._core.jobs import jobs
from statlearn._core.native import ensemble as native


class LeafResponses:
    """The training responses in every leaf of a forest.

    ``row[start[k]:start[k + 1]]`` are the training rows of node k, and ``count`` is how often each was drawn.
    ``sorted`` holds the responses in increasing order, and ``rank`` the position of each row's response in it.
    """

    def __init__(self, model, X, y):
        forest = model.forest_
        leaves = forest.apply(X) + forest.roots
        draws = model._n_samples_bootstrap if model.bootstrap else 0
        self.start, self.row, self.count = native.leaf_rows(
            leaves, len(forest.feature), model.seeds_, draws, model._cumulative()
        )
        order = np.argsort(y, kind="stable")
        self.sorted = y[order]
        self.rank = np.empty(len(y), np.uint32)
        self.rank[order] = np.arange(len(y), dtype=np.uint32)

    def quantiles(self, leaves, levels):
        """Quantiles for rows that reach these leaves, (n_rows, n_levels)."""
        values = np.empty((len(leaves), len(levels)))
        native.leaf_quantiles(leaves, self.start, self.row, self.count, self.rank, self.sorted, levels, values)
        return values


class QuantilePredictions:
    """Methods `predict_quantiles` and `predict_interval` for forests that store the responses in their leaves."""

    def predict_quantiles(self, X, quantiles=(0.05, 0.5, 0.95)):
        """Conditional quantiles of the response for each row.

        Each tree distributes a weight of 1 evenly over the training rows (counted as often as drawn) in the leaf that a
        row reaches. The mean of these weights over the trees is the estimated conditional distribution.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        quantiles : array-like of float between 0 and 1, default=(0.05, 0.5, 0.95)

        Returns
        -------
        values : ndarray of shape (n_rows, n_quantiles)
            The smallest response at which the cumulative weight reaches each level.
        """
        check_is_fitted(self)
        if not hasattr(self, "_leaf_responses"):
            raise ValueError("The forest has not stored the responses in its leaves; fit it with quantiles=True.")
        levels = np.atleast_1d(np.asarray(quantiles, dtype=np.float64))
        if levels.ndim != 1 or not np.all((levels >= 0) & (levels <= 1)):
            raise ValueError("`quantiles` must be numbers between 0 and 1.")
        with jobs(self.n_jobs):
            parts = [
                self._leaf_responses.quantiles(self.forest_.apply(block) + self.forest_.roots, levels)
                for block in self._blocks(self._check_table(X))
            ]
        return np.concatenate(parts)

    def predict_interval(self, X, coverage=0.9):
        """Prediction intervals with the given nominal coverage.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        coverage : float, default=0.9

        Returns
        -------
        bounds : ndarray of shape (n_rows, 2)
            The quantiles of level (1 - coverage) / 2 and (1 + coverage) / 2. The coverage is not guaranteed; for
            guarantees see `statlearn.assess.ConformalRegressor`.
        """
        if not 0 < coverage < 1:
            raise ValueError(f"`coverage` must be between 0 and 1, got {coverage}.")
        return self.predict_quantiles(X, [(1 - coverage) / 2, (1 + coverage) / 2])

    def _keep_responses(self, X, y):
        """Store the responses in the leaves if `quantiles` is True. X is encoded."""
        if not self.quantiles:
            forget(self, "_leaf_responses")
            return
        if y.shape[1] > 1:
            raise ValueError("quantiles=True is not supported for multi-output regression.")
        with jobs(self.n_jobs):
            self._leaf_responses = LeafResponses(self, X, y[:, 0])
