"""Category columns of data frames beside the numbers of a naive Bayes classifier, each one factor with its table."""

from dataclasses import dataclass

import numpy as np

from statlearn._core.names import input_names

from ._base import NO_Y, BaseNB
from ._column_densities import CategoricalColumn
from ._nb_summary import category_terms
from ._table_reader import TableReaderMixin


@dataclass
class SplitRows:
    """Rows of a table as a matrix of numbers and a matrix of category codes (NaN if missing)."""

    numbers: np.ndarray
    codes: np.ndarray

    @property
    def shape(self):
        return len(self.codes), self.numbers.shape[1] + self.codes.shape[1]


class CategoryBlock:
    """Counts of levels by class of the category columns, and the terms that they add to the scores.

    Parameters
    ----------
    positions : list of int
        The category columns of X.
    columns : list of CategoricalColumn
    """

    def __init__(self, positions, columns):
        self.positions, self.columns = positions, columns

    def add(self, codes, labels, weights, levels):
        for column, x, j in zip(self.columns, codes.T, self.positions, strict=True):
            column.grow(len(levels[j]))
            column.add(np.ascontiguousarray(x), labels, weights)

    def solve(self, alpha):
        """`alpha` is a number, or has one entry per column of X."""
        for column, j in zip(self.columns, self.positions, strict=True):
            column.alpha = float(alpha if alpha.ndim == 0 else alpha[j])
            column.solve()

    def has_zero(self):
        return any(np.isinf(column.logs).any() for column in self.columns)

    def factors(self, codes):
        """Log factors of each column in turn, of shape (n, n_classes), 0 for missing values."""
        for column, x in zip(self.columns, codes.T, strict=True):
            logs = column.log_density(x)
            logs[np.isnan(x)] = 0.0
            yield logs

    def spread(self, p, values):
        """A list of p entries with the value of each category column at its place, and None for numbers."""
        by_position = dict(zip(self.positions, values, strict=True))
        return [by_position.get(j) for j in range(p)]

    def counts(self):
        """Counts of all levels of all columns, side by side: (n_classes, n_levels)."""
        return np.hstack([column.counts for column in self.columns])

    def logs(self):
        """Contributions of all levels of all columns to the scores, side by side: (n_classes, n_levels)."""
        return np.hstack([column.logs[:, :-1] for column in self.columns])


class FrameNB(TableReaderMixin, BaseNB):
    """Naive Bayes on numbers; columns of text or categories of a data frame are one categorical factor each.

    A subclass implements the model of the numbers: `_read_numbers(X, y, reset)`, `_checked_numbers(X)`,
    `_clear_numbers(p)`, `_add_numbers(X, labels, weights)`, `_solve_numbers(alpha)` (which returns whether a
    probability is 0), `_joint_of_numbers(X)` and, for Bayes factors, `_feature_logs_of_numbers(X, c)`. Without category
    columns it is all there is.
    """

    _levels_of_objects = False
    _category_column = CategoricalColumn
    _advice_on_text = "accepts text only in columns of a data frame: use a pandas or polars frame."

    def _read(self, X, y=NO_Y, *, reset):
        if not self._is_split(X, reset):
            read = self._read_numbers(X, y, reset=reset)
            if reset:
                self.levels_, self._coded_numbers = [None] * self.n_features_in_, []
            return read
        table = self._read_table(X, y, reset=reset, grow=y is not NO_Y and not reset)
        X = table if y is NO_Y else table[0]
        named = np.array([levels is not None for levels in self.levels_])
        codes = X[:, named].astype(np.float64, copy=False)
        numbers = np.ascontiguousarray(X[:, ~named], dtype=X.dtype if X.dtype.kind == "f" else np.float64)
        X = self._checked_numbers(numbers)
        if named.any():
            X = SplitRows(X, codes)
        return X if y is NO_Y else (X, self._read_y(table[1]))

    def _is_split(self, X, reset):
        """Whether X must be read as a table with category columns, by its content or by that of the fit."""
        if not reset:
            return self._block is not None or bool(self._category_columns(X, self.levels_))
        chosen = self.categorical_features
        return (chosen is not None and len(chosen) > 0) or bool(self._category_columns(X, None))

    def _clear(self):
        k, named = len(self.classes_), [j for j, levels in enumerate(self.levels_) if levels is not None]
        self._block = CategoryBlock(named, [self._category_column(k, 1.0) for _ in named]) if named else None
        self._clear_numbers(self.n_features_in_ - len(named))

    def _add(self, X, labels, weights):
        if self._block is not None:
            self._block.add(X.codes, labels, weights, self.levels_)
            X = X.numbers
        self._add_numbers(X, labels, weights)

    def _solve(self):
        alpha = self._check_alpha() if self._block is not None or getattr(self, "prior", None) is None else None
        zero = False
        if self._block is not None:
            self._block.solve(alpha)
            zero = self._block.has_zero()
        self._warn_zeros(self._solve_numbers(self._of_numbers(alpha)) or zero)
        block, p = self._block, self.n_features_in_
        self.category_count_ = [None] * p if block is None else block.spread(p, [c.counts for c in block.columns])
        self.category_log_prob_ = (
            [None] * p if block is None else block.spread(p, [c.logs[:, :-1] for c in block.columns])
        )

    def _of_numbers(self, values):
        """Entries of the numeric columns among values with one entry per column; a single number is unchanged."""
        if self._block is None or values is None or np.ndim(values) == 0:
            return values
        return np.delete(values, self._block.positions)

    def _at_numbers(self, values):
        """Values of the numeric columns (classes, columns), with zeros for the categorical columns between them."""
        if self._block is None:
            return values
        wide = np.zeros((len(values), self.n_features_in_), dtype=values.dtype)
        wide[:, [levels is None for levels in self.levels_]] = values
        return wide

    def _number_names(self):
        names = input_names(self)
        return names if self._block is None else [n for n, levels in zip(names, self.levels_) if levels is None]

    def _level_terms(self):
        """Names of the levels of all category columns: "sky = clear"."""
        names = input_names(self)
        columns = zip(self._block.positions, self._block.columns, strict=True)
        return [t for j, c in columns for t in category_terms(names[j], self.levels_[j], c.counts.shape[1])]

    def _missing_categories(self):
        """Weight of the missing values of category columns, by class."""
        if self._block is None:
            return np.zeros(len(self.classes_))
        return len(self._block.positions) * self.class_count_ - self._block.counts().sum(axis=1)

    def _joint_log_likelihood(self, X):
        if self._block is None:
            return self._joint_of_numbers(X)
        joint = self._joint_of_numbers(X.numbers)
        for logs in self._block.factors(X.codes):
            joint += logs
        return joint

    def _feature_log_likelihood(self, X, c):
        if self._block is None:
            return self._feature_logs_of_numbers(X, c)
        logs = np.empty(X.shape)
        logs[:, [levels is None for levels in self.levels_]] = self._feature_logs_of_numbers(X.numbers, c)
        for j, column in zip(self._block.positions, self._block.factors(X.codes)):
            logs[:, j] = column[:, c]
        return logs

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
