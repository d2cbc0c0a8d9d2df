"""Checks and encoding of the tables that trees and forests are fitted to and predict."""

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from statlearn._core.frames import monotone_signs
from statlearn._core.validation import FLOATS, validate_data

SPARSE_BLOCK = 4096  # rows of a sparse table converted to dense at a time


def dense_training_table(X, order=None):
    """A validated training table as a dense array; NaN is refused in a sparse one."""
    if not issparse(X):
        return X
    if np.isnan(X.data).any():
        raise ValueError("Input X contains NaN: missing values are not supported in a sparse X.")
    return X.toarray(order=order)


class TableInputMixin:
    """Tables of trees and forests, encoded by the coder `_coder` of the fit."""

    def _monotone_signs(self, p, class_counts):
        """Monotonicity constraint of each column (-1, 0 or +1); empty without constraints."""
        if self.monotonic_cst is not None and self.n_outputs_ > 1:
            raise ValueError("Monotonicity constraints are not supported with multiple outputs.")
        if self.monotonic_cst is not None and np.any(np.asarray(class_counts) > 2):
            raise ValueError("Monotonicity constraints are not supported with multiclass classification.")
        signs = monotone_signs(self.monotonic_cst, p, getattr(self, "feature_names_in_", None))
        if len(signs) and np.any(signs[self._coder.mask] != 0):
            raise ValueError("`monotonic_cst` must be 0 for categorical columns.")
        return signs

    def _check_table(self, X, check_input=True):
        """The table for prediction, validated and encoded; sparse input remains sparse and is not encoded."""
        check_is_fitted(self)
        if not check_input:
            X = X if issparse(X) else np.asarray(X)
            if X.shape[1] != self.n_features_in_:
                raise ValueError(
                    f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                    "features as input."
                )
            return X if X.dtype in FLOATS else X.astype(np.float32)
        X = validate_data(
            self,
            self._coder.read_frame(X),
            dtype=FLOATS,
            accept_sparse="csr",
            reset=False,
            ensure_all_finite="allow-nan",
        )
        return X if issparse(X) else self._coder.encode(X)

    def _dense_table(self, X):
        """The table for prediction as an encoded dense array."""
        X = self._check_table(X)
        return self._coder.encode(X.toarray()) if issparse(X) else X

    def _blocks(self, table):
        """Encoded dense blocks of rows of a table from `_check_table`."""
        if not issparse(table):
            yield table
            return
        for start in range(0, table.shape[0], SPARSE_BLOCK):
            yield self._coder.encode(table[start : start + SPARSE_BLOCK].toarray())

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags
