"""The `transform` of scikit-learn's classes, with this package's words on invalid data."""

from statlearn._core.validation import explained


class ExplainedTransformMixin:
    """Comes before the class of scikit-learn whose `transform` it calls."""

    def transform(self, X):
        """Apply what was learned to the columns of X.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray, sparse matrix or data frame
            With the columns that `get_feature_names_out` names.
        """
        with explained(self, X, reset=False):
            return super().transform(X)
