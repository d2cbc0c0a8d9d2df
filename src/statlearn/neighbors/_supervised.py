"""Shared parts of neighbour classifiers and regressors: targets, copies of rows, and neighbourhoods of queries."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Options
from statlearn._core.validation import check_weights

from ._aggregate import of_k_nearest, of_radius, require_weight, share_copies

WEIGHT_RULES = [Options("uniform", "distance"), "callable", None]


class SupervisedNeighbors:
    """Mixin for rows and targets with weights as copies; subclasses set `_y` in ``_keep_targets``."""

    def _fit_rows(self, X, y, sample_weight):
        """Index the rows with positive weight and store their targets."""
        X, y = self._validate_rows(X, y)
        if sample_weight is None:
            self._mass = None
        else:
            mass = check_weights(sample_weight, X if hasattr(X, "dtype") else X._fit_X).astype(np.float64)
            rows = np.flatnonzero(mass)
            precomputed = isinstance(self.metric, str) and self.metric == "precomputed"
            if len(rows) < len(mass) and hasattr(X, "dtype") and not precomputed:
                X, y, mass = X[rows], y[rows], mass[rows]
            self._mass = mass
        self._fit_index(X)
        self._keep_targets(y)
        total = self.n_samples_fit_ if self._mass is None else self._mass.sum()
        if hasattr(self, "n_neighbors") and self.n_neighbors > total:  # not by radius
            raise ValueError(
                f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {self.n_neighbors}, n_samples_fit = "
                f"{self.n_samples_fit_}, n_samples = {total:g}."
            )
        return self

    def _present(self):
        """Which of the indexed rows have positive weight."""
        return slice(None) if self._mass is None else np.flatnonzero(self._mass)

    def _k_neighbors(self, X):
        """Distances, rows and copies (None for one each) of the neighbours that fill the k places of each query."""
        check_is_fitted(self)
        if self._mass is None:
            distance, row = self.kneighbors(X)
            return distance, row, None
        itself = X is None
        Q = self._fit_X if itself else self._validate_queries(X)
        k, total = self.n_neighbors, self._mass.sum()
        if total - itself < k:
            wanted = "n_neighbors < n_samples_fit" if itself else "n_neighbors <= n_samples_fit"
            raise ValueError(f"Expected {wanted}, but n_neighbors = {k}, and all weights sum to {total:g}.")
        # However the rows lie, the lightest ones fill the places last.
        n_queried = int(np.searchsorted(np.cumsum(np.sort(self._mass)), k + itself, side="left")) + 1 + itself
        distance, row = self._index.query(Q, min(n_queried, len(self._mass)), n_jobs=self.n_jobs)
        mass = self._mass[row]
        if itself:  # one copy of a row is left out when it is predicted
            mass -= np.minimum(mass, 1.0) * (row == np.arange(len(row))[:, None])
        return distance, row, share_copies(mass, k)

    def _k_hoods(self, X):
        distance, row, copies = self._k_neighbors(X)
        return k_hoods(distance, row, self.weights, copies)

    def _radius_hoods(self, X):
        """Neighbourhoods of all rows within the radius."""
        check_is_fitted(self)
        if self._mass is None:
            start, row, distance = self._within(X, None, False)
            hoods = of_radius(start, distance, row, self.weights)
        else:
            hoods = self._weighted_radius_hoods(X)
        require_weight(hoods)
        return hoods

    def _weighted_radius_hoods(self, X):
        itself = X is None
        Q = self._fit_X if itself else self._validate_queries(X)
        start, row, distance = self._index.radius(Q, self.radius, n_jobs=self.n_jobs)
        copies = self._mass[row]
        query = np.repeat(np.arange(len(start) - 1), np.diff(start))
        if itself:  # one copy of a row is left out when it is predicted
            copies -= np.minimum(copies, 1.0) * (row == query)
        present = np.flatnonzero(copies)  # rows that are absent are no neighbours
        start = np.concatenate([[0], np.cumsum(np.bincount(query[present], minlength=len(start) - 1))])
        return of_radius(start, distance[present], row[present], self.weights, copies[present])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def k_hoods(distance, row, weights, copies=None):
    """Neighbourhoods of k places each; neighbours at an undefined distance (NaN) are ignored."""
    lost = np.isnan(distance)
    if lost.any():
        if np.any(lost.all(axis=1)):
            raise ValueError(
                "X: some rows share no observed column with any training row, so their distances are undefined. "
                "Impute the missing values first."
            )
        copies = np.where(lost, 0.0, 1.0 if copies is None else copies)
        distance, row = np.where(lost, np.nanmax(distance), distance), np.where(lost, 0, row)
    hoods = of_k_nearest(distance, row, weights, copies)
    require_weight(hoods)
    return hoods
