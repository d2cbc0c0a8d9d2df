"""What the classifiers of this family share: data, priors, predictions."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from statlearn._core.class_scores import ClassScores, class_priors
from statlearn._core.validation import FLOATS, check_weights, encode_classes, validate_data

# Covariance eigenvalues below this share of the largest are rounding (in correlation units, double precision).
ROUNDING = 1e-13
LARGEST = 1e140  # squares of larger values overflow in the products of the scatters


def check_training(estimator, X, y, sample_weight, *, minimum=2, reset=True, keep_all=False):
    """Validated X, labels and weights without the rows of weight 0, the classes and the class code of every row.

    Values that are large or tiny enough for their squares to leave the range of numbers raise an error.
    """
    X, y = validate_data(estimator, X, y, dtype=FLOATS, order="C", ensure_min_samples=2 if reset else 1, reset=reset)
    weights = check_weights(sample_weight, X)
    if weights is not None and not np.all(weights > 0):
        rows = np.flatnonzero(weights)
        X, y, weights = X[rows], y[rows], weights[rows]
    if y.ndim > 1:
        raise ValueError(f"y must have one dimension, got shape {y.shape}.")
    classes, codes = encode_classes(y, minimum=minimum, owner=type(estimator).__name__)
    return X, classes, codes, weights


class DiscriminantClassifier(ClassScores):
    """Predictions from `_scores`, and priors that can be changed after the fit.

    A subclass sets `classes_`, `priors_` and implements `_likelihood_scores(X)`: the log density of each class up to a
    constant per row.
    """

    def _scores(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, order="C", reset=False)
        with np.errstate(divide="ignore"):
            return self._likelihood_scores(X) + np.log(self.priors_).astype(X.dtype)

    def predict(self, X):
        """The most probable class of each row; ties go to the class that comes first.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.classes_[np.argmax(self._scores(X), axis=1)]

    def set_priors(self, priors):
        """Replace the class priors of the fitted model, without another pass over the data.

        Parameters
        ----------
        priors : array-like of shape (n_classes,)
            In the order of `classes_`.

        Returns
        -------
        self

        Notes
        -----
        Only log π changes; means and covariances are kept. Use it if the classes of the training data were sampled in
        other proportions than those to be predicted.
        """
        check_is_fitted(self)
        self.priors_ = class_priors(priors, np.ones(len(self.classes_)))
        return self
