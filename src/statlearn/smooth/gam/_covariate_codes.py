"""Covariates as codes of a few values: exact if there are few values, rounded if there are many rows."""

from dataclasses import dataclass

import numpy as np

from statlearn._core import native

from ._gam_design import code_type
from ._input import column_names
from ._loss import all_are, blocks

MANY_ROWS = 10_000  # from here on covariates are rounded unless the user turns it off
VALUES = 1000  # of a rounded covariate, as in mgcv
_PER_FUNCTION = 10  # values for each function of a basis, at least
_SAMPLE = 10_000  # rows whose quantiles determine the positions of values and knots
_FEW_CODES = 4096  # number of codes that can be counted for each block of rows


@dataclass
class Coded:
    """A covariate: `values[codes]` is it, or is near it.

    Parameters
    ----------
    values : ndarray of shape (m,) or (m, d)
    codes : ndarray of shape (n,)
    weight : ndarray of shape (m,)
        Sums of the weights of the rows with each value.
    distinct : ndarray
        Where knots may be chosen: all values where they are exact, else those of a sample of the rows.
    """

    values: np.ndarray
    codes: np.ndarray
    weight: np.ndarray
    distinct: np.ndarray


class Columns:
    """The checked columns of X by number or name, which of them hold the codes of factors, and all as codes.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    names : sequence of str or None
    levels : dict
        Labels of the levels by column number, of the factors.
    weights : ndarray of shape (n,)
    values : int or None, default=None
        To how many values a covariate is rounded; None: not at all.
    """

    def __init__(self, X, names, levels, weights, values=None):
        self.X, self.levels, self.weights, self.values = X, levels, weights, values
        self.names = column_names(names, X)
        self._coded = {}
        self._sample = None

    def place(self, feature):
        if isinstance(feature, str):
            if feature not in self.names:
                raise ValueError(f"terms: X has no column named {feature!r}.")
            return self.names.index(feature)
        if not isinstance(feature, (int, np.integer)) or isinstance(feature, bool):
            raise ValueError(f"terms: a column must be given by name or by integer position, got {feature!r}.")
        if not 0 <= feature < self.X.shape[1]:
            raise ValueError(f"terms: column {feature} is out of range; X has {self.X.shape[1]} columns.")
        return int(feature)

    def key(self, places, functions):
        """The key of these columns' codes for a basis with this many functions; they are computed once."""
        places = tuple(places)
        limit = None
        if self.values is not None:
            # On a grid in d dimensions: 1000 values, 100 x 100 or 32 x 32 x 32, about.
            limit = round(self.values ** (1.0, 2 / 3, 0.5)[min(len(places), 3) - 1])
            limit = max(limit, _PER_FUNCTION * functions if len(places) == 1 else 2)
        key = (places, limit)
        if key not in self._coded:
            self._coded[key] = self._factor(places[0]) if places[0] in self.levels else self._code(places, limit)
        return key

    def coded(self, key):
        return self._coded[key]

    @property
    def codes(self):
        return {key: coded.codes for key, coded in self._coded.items()}

    def release(self):
        """The codes, which are no longer held here."""
        codes = self.codes
        for coded in self._coded.values():
            coded.codes = None
        return codes

    def _sums(self, codes, size, values=None):
        """Sums over the rows with each code of their weights, times `values(at)` of blocks of rows."""
        sums, unit = np.zeros(size), all_are(1.0, self.weights)
        for at in blocks(len(codes)) if size <= _FEW_CODES else [slice(None)]:
            each = None if unit else self.weights[at]
            if values is not None:
                each = values(at) if unit else each * values(at)
            sums += np.bincount(codes[at], each, size)
        return sums

    def _factor(self, j):
        codes = self.X[:, j].astype(code_type(len(self.levels[j])))
        values = np.arange(len(self.levels[j]), dtype=np.float64)
        return Coded(values, codes, self._sums(codes, len(values)), values)

    def _code(self, places, limit):
        if len(places) > 1:
            return self._joint([self._code((j,), limit) for j in places])
        j = places[0]
        values = native.smooth.distinct_values(self.X, j, limit) if limit is not None else np.unique(self.X[:, j])
        if len(values):
            codes = self._nearest(j, values)
            return Coded(values, codes, self._sums(codes, len(values)), values)
        return self._rounded(j, limit)

    def _nearest(self, j, values):
        codes = np.empty(len(self.X), code_type(len(values)))
        native.smooth.nearest_codes(self.X, j, values, codes)
        return codes

    def _rounded(self, j, limit):
        """Knots for rounding: half at quantiles, half in equal steps, which limits the effect of outliers and gaps.

        Each is then moved to the mean of its rows, so that the errors of rounding cancel to first order.
        """
        x = self.X[:, j]
        distinct = np.unique(np.concatenate([x[self.sample], [x.min(), x.max()]]))
        shares = np.linspace(0.0, 1.0, limit // 2 + 1)
        grid = np.unique(np.concatenate([np.quantile(distinct, shares), distinct[0] + shares * np.ptp(distinct)]))
        codes = self._nearest(j, grid)
        weight = self._sums(codes, len(grid))
        total = self._sums(codes, len(grid), lambda at: x[at] - distinct[0])
        used = weight > 0
        values = distinct[0] + total[used] / weight[used]
        _look_up((np.cumsum(used) - 1).astype(codes.dtype), codes)
        return Coded(values, codes, weight[used], distinct)

    def _joint(self, margins):
        """The points of several covariates that occur together."""
        shape = tuple(len(margin.values) for margin in margins)
        pieces, n = blocks(len(self.X)), len(self.X)

        def cells_of(at):
            return np.ravel_multi_index([margin.codes[at] for margin in margins], shape)

        if np.prod(shape, dtype=np.float64) <= 2**24:
            used = np.zeros(int(np.prod(shape)), bool)
            for at in pieces:
                used[cells_of(at)] = True
            cells, numbers = np.flatnonzero(used), np.cumsum(used) - 1
            codes = np.empty(n, code_type(len(cells)))
            for at in pieces:
                codes[at] = numbers[cells_of(at)]
        else:
            cells, codes = np.unique(cells_of(slice(None)), return_inverse=True)
            codes = codes.astype(code_type(len(cells)))
        points = np.column_stack([m.values[at] for m, at in zip(margins, np.unravel_index(cells, shape), strict=True)])
        return Coded(points, codes, self._sums(codes, len(cells)), points)

    @property
    def sample(self):
        """Rows that stand for all: drawn at random, since data may have a rhythm."""
        if self._sample is None:
            n = len(self.X)
            drawn = np.arange(n) if n <= _SAMPLE else np.random.default_rng(0).choice(n, _SAMPLE, False)
            self._sample = np.sort(drawn)
        return self._sample


def _look_up(table, codes):
    """Replace each code by its value in the table."""
    for at in blocks(len(codes)):
        codes[at] = table[codes[at]]


def values_for(discrete, n):
    """To how many values a covariate of n rows is rounded under the parameter `discrete`; None: not at all."""
    if discrete is False or (discrete == "auto" and n < MANY_ROWS):
        return None
    return VALUES if discrete is True or discrete == "auto" else int(discrete)
