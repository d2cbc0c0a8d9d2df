"""Coding of categorical columns for linear models as steps between levels ordered by mean target."""

import numpy as np

MOST_STEPS = 32  # per column (empirical); with more levels, adjacent ones share a step


class LevelSteps:
    """Binary columns that replace categorical ones (Wang and Witten, 1997).

    The levels of a column are ordered by mean target. The i-th binary column is 1 for the levels after the first i
    groups. A group is a single level or, if there are many, several adjacent levels, such that groups have about equal
    weight. Other columns are unchanged, and missing values are missing in all columns.

    Parameters
    ----------
    mask : ndarray of bool, shape (n_features,)
        The categorical columns, which contain codes 0, 1, ...
    """

    def __init__(self, mask):
        self.mask = np.asarray(mask, bool)
        self.order = {}  # codes of the levels seen in training, by mean target
        self.group = {}  # group of each code, in that order; NaN for levels not seen

    def fit(self, X, y, w):
        """Order the levels of the codes X by mean target y, with positive weights w."""
        for j in np.flatnonzero(self.mask):
            known = ~np.isnan(X[:, j])
            codes = X[known, j].astype(int)
            weight = np.bincount(codes, w[known])
            total = np.bincount(codes, w[known] * y[known])
            seen = np.flatnonzero(weight > 0)
            order = seen[np.argsort(total[seen] / weight[seen], kind="stable")]
            group = np.full(len(weight), np.nan)
            group[order] = _groups(weight[order])
            self.order[int(j)], self.group[int(j)] = order, group
        return self

    @property
    def feature(self):
        """The column of X behind each column of the design."""
        return np.repeat(np.arange(len(self.mask)), [self._width(j) for j in range(len(self.mask))])

    def _width(self, j):
        return max(int(np.nanmax(self.group[j], initial=0)), 1) if self.mask[j] else 1

    def known(self, X):
        """The codes X, with NaN for levels not seen in any row of positive weight."""
        if not self.group:
            return X
        X = X.copy()
        for j, group in self.group.items():
            X[np.isnan(self._group_of(X[:, j], group)), j] = np.nan
        return X

    def design(self, X):
        """The columns of the linear model for a table of codes."""
        if not self.group:
            return X
        parts = []
        for j in range(X.shape[1]):
            if not self.mask[j]:
                parts.append(X[:, [j]])
                continue
            group = self._group_of(X[:, j], self.group[j])[:, None]
            parts.append(np.where(np.isnan(group), np.nan, group > np.arange(self._width(j))))
        return np.hstack(parts)

    @staticmethod
    def _group_of(codes, group):
        """The group of each code; codes beyond the last level mean missing."""
        inside = codes < len(group)  # False for NaN
        return np.append(group, np.nan)[np.where(inside, codes, len(group)).astype(int)]


def _groups(weight):
    """Numbers 0, 1, ... of consecutive levels with these weights."""
    if len(weight) <= MOST_STEPS + 1:
        return np.arange(len(weight))
    middle = np.cumsum(weight) - weight / 2
    return np.unique(np.floor(middle / weight.sum() * (MOST_STEPS + 1)), return_inverse=True)[1]
