"""Tables on their way to members that are fitted to arrays: data frames with categories among them."""

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from statlearn._core.frames import CategoryCoder, plain_numbers
from statlearn._core.validation import validate_data


class MemberColumns:
    """Puts codes in place of the categories of a data frame, and tells members which columns hold them.

    An ensemble hands arrays to its members, which have lost the types and the names of a frame's columns. Members with
    a `categorical_features` of their own (trees, forests, boosted trees) mean the columns of the frame by it.

    Parameters
    ----------
    kind : estimator
        The kind of member.
    """

    def __init__(self, kind):
        self.coder = CategoryCoder(kind.categorical_features) if _splits_by_category(kind) else None
        self.positions = []  # of the categorical columns of a frame

    def fit_frame(self, X):
        """The table with codes in its categorical columns; anything but a frame as it is."""
        if self.coder is None:
            return plain_numbers(X)
        X = self.coder.fit_frame(X)
        if hasattr(X, "columns"):
            names = np.asarray(X.columns, dtype=object)
            self.positions = np.flatnonzero(self.coder.choose(len(names), names)).tolist()
        return X

    def read_frame(self, X):
        """The same for further tables; levels never seen are missing values."""
        return plain_numbers(X) if self.coder is None else self.coder.read_frame(X)

    def numbers(self, X):
        """Columns of different types, which make an array of Python objects, as numbers where members want these."""
        is_objects = isinstance(X, np.ndarray) and X.dtype == object
        return X.astype(np.float64) if is_objects and self.coder is not None else X

    def told(self, kind):
        """The kind of member for the arrays that are made of the frame."""
        return clone(kind).set_params(categorical_features=self.positions) if self.positions else kind


def _splits_by_category(kind):
    """Whether members of this kind take codes of categories, in columns that `categorical_features` names."""
    from statlearn.trees import ModelTreeRegressor, ObliqueTreeClassifier, ObliqueTreeRegressor

    from ._joined_trees import is_decision_tree
    from .boosting._gradient_boosting_base import GradientBoosting
    from .forest._base import ForestModel

    given = getattr(kind, "categorical_features", None)
    by_type = isinstance(given, str) and given == "from_dtype"
    kinds = ForestModel | GradientBoosting | ModelTreeRegressor | ObliqueTreeClassifier | ObliqueTreeRegressor
    return by_type or (given is not None and (is_decision_tree(kind) or isinstance(kind, kinds)))


class MemberTables:
    """Reads tables for an ensemble of one kind of member, `_kind()`, which says what they may hold."""

    def _kind(self):
        raise NotImplementedError

    def _check_table(self, X, *, reset=True, **settings):
        """A checked array or sparse matrix, and y where it is given."""
        if reset:
            self._columns = MemberColumns(self._kind())
            X = self._columns.fit_frame(X)
            # A pipeline does not say what its first step takes: it is left to judge.
            self._lenient = get_tags(self._kind()).input_tags.allow_nan or hasattr(self._kind(), "steps")
        else:
            X = self._columns.read_frame(X)
        finite = "allow-nan" if self._lenient else True
        found = validate_data(
            self, X, accept_sparse=["csr", "csc"], dtype=None, ensure_all_finite=finite, reset=reset, **settings
        )
        return (self._columns.numbers(found[0]), found[1]) if "y" in settings else self._columns.numbers(found)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self._kind()).input_tags
        tags.input_tags.sparse = inner.sparse
        tags.input_tags.allow_nan = inner.allow_nan
        return tags
