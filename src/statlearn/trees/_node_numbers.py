"""Numeric representation of the rows of a node for oblique splits: missing values imputed, levels scored."""

import numpy as np


def spread(Z, weight, mass):
    """Standard deviations of centred columns with total weight `mass`; 1 for constant columns.

    Columns that vary by denormal numbers only count as constant, since the reciprocal of their spread would overflow.
    Computed in units of the largest value, so that squares of large numbers do not overflow.
    """
    top = np.abs(Z).max(axis=0, initial=0.0)
    top = np.where(top > 0, top, 1.0)
    deviation = top * np.sqrt(weight @ (Z / top) ** 2 / mass)
    info = np.finfo(float)
    return np.where(deviation > info.tiny / info.eps, deviation, 1.0)


def level_scores(sums, is_regression):
    """Scores of the levels along which they differ most in their target, from the sums of the `parts` of their rows.

    For regression, the mean target. For classification, the first discriminant coordinate of the level indicators: the
    proportion of one class if there are two, in general the first axis of the correspondence analysis of levels and
    classes.
    """
    if is_regression:
        return sums[:, 1] / sums[:, 0]
    sums = sums[:, sums.sum(axis=0) > 0]
    if sums.shape[1] <= 2:
        return sums[:, -1] / sums.sum(axis=1)
    share = sums / sums.sum()
    rows, columns = share.sum(axis=1), share.sum(axis=0)
    expected = np.outer(rows, columns)
    left, _, right = np.linalg.svd((share - expected) / np.sqrt(expected), full_matrices=False)
    sign = np.sign(right[0, np.argmax(np.abs(right[0]))])
    return sign * left[:, 0] / np.sqrt(rows)


class NodeNumbers:
    """Converts a table of numbers and codes, with NaN for missing values, to numbers, node by node.

    Parameters
    ----------
    n_levels : ndarray of int, shape (n_features,)
        Number of levels of the categorical columns, 0 for numeric ones.
    is_regression : bool
    """

    def __init__(self, n_levels, is_regression):
        self.n_levels = np.asarray(n_levels)
        self.start = np.concatenate([[0], np.cumsum(self.n_levels)])
        self.is_regression = is_regression

    def of(self, X, parts):
        """The numeric table, the mean of the known values of each column, and the scores of all levels.

        Missing values, and levels that do not occur in these rows, are replaced by the mean.
        """
        gap = np.isnan(X)
        scores = np.empty(self.start[-1])
        weight = parts[:, 0] if self.is_regression else parts.sum(axis=1)
        if not len(scores) and not gap.any():
            return X, weight @ X / weight.sum(), scores
        numbers = X.copy()
        means = np.zeros(X.shape[1])
        for j in range(X.shape[1]):
            known = ~gap[:, j]
            if self.n_levels[j]:
                scores_of = scores[self.start[j] : self.start[j + 1]]
                self._score(X[known, j].astype(int), parts[known], scores_of)
                numbers[known, j] = scores_of[X[known, j].astype(int)]
            if known.any():
                means[j] = weight[known] @ numbers[known, j] / weight[known].sum()
            if self.n_levels[j]:
                scores_of[np.isnan(scores_of)] = means[j]
        return np.where(gap, means, numbers), means, scores

    def _score(self, codes, parts, out):
        """Fill in the scores of the levels, NaN for those without rows."""
        sums = np.zeros((len(out), parts.shape[1]))
        np.add.at(sums, codes, parts)
        seen = np.bincount(codes, minlength=len(out)) > 0
        out[:] = np.nan
        if seen.any():
            out[seen] = level_scores(sums[seen], self.is_regression)
