"""Conversion of tables, including data frames with categories, to arrays for the members of an ensemble."""

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from statlearn._core.frames import CategoryCoder, plain_numbers
from statlearn._core.validation import explained, validate_data


class MemberColumns:
    """Encodes the categories of a data frame and passes the positions of categorical columns to the members.

    An ensemble passes arrays to its members, which no longer have the types and names of the frame's columns. The
    parameter `categorical_features` of members that have one (trees, forests, boosted trees) refers to the columns of
    the frame.

    Parameters
    ----------
    kind : estimator
        The base estimator.
    """

    def __init__(self, kind):
        self.coder = CategoryCoder(kind.categorical_features) if _splits_by_category(kind) else None
        self.positions = []  # positions of the categorical columns of a frame

    def fit_frame(self, X):
        """The table with codes in its categorical columns; anything but a frame is returned unchanged."""
        if self.coder is None:
            return plain_numbers(X)
        X = self.coder.fit_frame(X)
        if hasattr(X, "columns"):
            names = np.asarray(X.columns, dtype=object)
            self.positions = np.flatnonzero(self.coder.choose(len(names), names)).tolist()
        return X

    def read_frame(self, X):
        """A table for prediction with codes in its categorical columns; unseen levels are treated as missing."""
        return plain_numbers(X) if self.coder is None else self.coder.read_frame(X)

    def numbers(self, X):
        """Columns of mixed types, which make an object array, converted to numbers if the members need them."""
        is_objects = isinstance(X, np.ndarray) and X.dtype == object
        return X.astype(np.float64) if is_objects and self.coder is not None else X

    def told(self, kind):
        """The base estimator, adapted to the arrays made from the frame."""
        return clone(kind).set_params(categorical_features=self.positions) if self.positions else kind


def _splits_by_category(kind):
    """Whether such members accept category codes in the columns given by `categorical_features`."""
    from statlearn.trees import ModelTreeRegressor, ObliqueTreeClassifier, ObliqueTreeRegressor

    from ._joined_trees import is_decision_tree
    from .boosting._gradient_boosting_base import GradientBoosting
    from .forest._base import ForestModel

    categorical = getattr(kind, "categorical_features", None)
    by_type = isinstance(categorical, str) and categorical == "from_dtype"
    kinds = ForestModel | GradientBoosting | ModelTreeRegressor | ObliqueTreeClassifier | ObliqueTreeRegressor
    return by_type or (categorical is not None and (is_decision_tree(kind) or isinstance(kind, kinds)))


class MemberTables:
    """Validation of tables for an ensemble whose base estimator, `_kind()`, determines what they may contain."""

    def _kind(self):
        raise NotImplementedError

    def _check_table(self, X, *, reset=True, **settings):
        """A validated array or sparse matrix, and y if it is given."""
        if reset:
            self._columns = MemberColumns(self._kind())
            X = self._columns.fit_frame(X)
            # A pipeline does not declare what its first step accepts, so validation is left to that step.
            self._lenient = get_tags(self._kind()).input_tags.allow_nan or hasattr(self._kind(), "steps")
        else:
            X = self._columns.read_frame(X)
        finite = "allow-nan" if self._lenient else True
        valid = validate_data(
            self, X, accept_sparse=["csr", "csc"], dtype=None, ensure_all_finite=finite, reset=reset, **settings
        )
        with explained(self, X):
            return (self._columns.numbers(valid[0]), valid[1]) if "y" in settings else self._columns.numbers(valid)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self._kind()).input_tags
        tags.input_tags.sparse = inner.sparse
        tags.input_tags.allow_nan = inner.allow_nan
        return tags
