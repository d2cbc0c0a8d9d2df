"""Base class of discriminant analysis: data, priors, predictions."""

import numpy as np
from sklearn.model_selection import KFold, check_cv
from sklearn.utils.validation import check_is_fitted

from statlearn._core.class_scores import ClassScores, class_priors
from statlearn._core.validation import (
    FLOATS,
    check_weights,
    class_codes,
    classes_of_stream,
    encode_classes,
    validate_data,
)


def check_training(estimator, X, y, sample_weight, *, minimum=2, reset=True):
    """Validated X, labels and weights without the rows of weight 0, the classes and the class code of every row."""
    X, y = validate_data(estimator, X, y, dtype=FLOATS, order="C", ensure_min_samples=2 if reset else 1, reset=reset)
    weights = check_weights(sample_weight, X)
    if weights is not None and not np.all(weights > 0):
        rows = np.flatnonzero(weights)
        X, y, weights = X[rows], y[rows], weights[rows]
    if y.ndim > 1:
        raise ValueError(f"y must have one dimension, got shape {y.shape}.")
    classes, codes = encode_classes(y, minimum=minimum, owner=type(estimator).__name__)
    return X, classes, codes, weights


def check_block(estimator, X, y, classes, sample_weight):
    """A block of `partial_fit`: X, all classes, the class code of every row, weights, and whether it is the first."""
    first = not hasattr(estimator, "class_count_")
    known = classes_of_stream(None if first else estimator.classes_, classes)
    X, labels, codes, weights = check_training(estimator, X, y, sample_weight, minimum=1, reset=first)
    return X, known, class_codes(known, labels)[codes], weights, first


def stratified_folds(cv, X, codes, sample_weight):
    """Training and test positions of each fold among the rows of positive weight.

    X and codes hold these rows only. An iterable of splits refers to all rows, of which those of weight 0 are left out.
    An int means stratified folds, at most as many as the smallest class has rows.
    """
    if cv is None or isinstance(cv, (int, np.integer)):
        smallest = int(np.bincount(codes).min())
        cv = max(2, min(5 if cv is None else int(cv), smallest)) if smallest > 1 else KFold(min(5, len(codes)))
    if hasattr(cv, "split") or isinstance(cv, (int, np.integer)):
        return list(check_cv(cv, codes, classifier=True).split(X, codes))
    folds = [(np.asarray(train), np.asarray(test)) for train, test in cv]
    if sample_weight is None or np.all(np.asarray(sample_weight) > 0):
        return folds
    present = np.broadcast_to(np.asarray(sample_weight) > 0, np.size(sample_weight))
    place = np.cumsum(present) - 1
    folds = [(place[train[present[train]]], place[test[present[test]]]) for train, test in folds]
    return [(train, test) for train, test in folds if len(train) and len(test)]


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
        best = np.argmax(self._scores(X), axis=1)
        return self.classes_[best]

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
        if priors is None or isinstance(priors, str):
            raise ValueError(f"`priors` must contain one number per class, got {priors!r}.")
        self.priors_ = class_priors(priors, np.ones(len(self.classes_)))
        return self


def mean_columns(means, names, taken):
    """The first 20 columns of a table of means, by the names of the features; `taken` are names of other columns."""
    headings = [f"mean of {name}" if name in taken else str(name) for name in names[:20]]
    return {heading: means[:, j].astype(float) for j, heading in enumerate(headings)}
