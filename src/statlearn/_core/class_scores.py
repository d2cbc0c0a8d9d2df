"""Classifiers that score every class by its log posterior, and their prior probabilities."""

import numpy as np
from scipy.special import log_softmax

from .warnings import warn


class ClassScores:
    """Probabilities and decision values from `_scores(X)`: the log posterior of each class up to a constant per row."""

    def decision_function(self, X):
        """Discriminant score of each class, larger for more probable classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            For two classes, the score of the second minus that of the first.
        """
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X):
        """Probability of each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X):
        """Log probability of each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return log_softmax(self._scores(X), axis=1)


def class_priors(priors, counts):
    """Prior probabilities of the classes, which sum to 1.

    Parameters
    ----------
    priors : array-like, "empirical", "uniform" or None
        None and "empirical" mean the class proportions. Given priors are normalised, with a warning if necessary.
    counts : ndarray of shape (k,)
        Weight of each class.

    Returns
    -------
    ndarray of float64 of shape (k,)
    """
    if priors is None or isinstance(priors, str):
        return np.full(len(counts), 1.0 / len(counts)) if priors == "uniform" else counts / counts.sum()
    try:
        shares = np.array(priors, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"`priors` must contain one number per class, got {priors!r}.") from None
    if shares.shape != counts.shape:
        raise ValueError(f"`priors` must have one entry per class ({len(counts)} classes), got shape {shares.shape}.")
    if np.any(shares < 0):
        raise ValueError(f"`priors` must be non-negative, got {shares.min():g}.")
    total = shares.sum()
    if not (np.isfinite(total) and total > 0):
        raise ValueError("`priors` must be finite and contain a positive number.")
    if not np.isclose(total, 1.0):
        warn(f"The priors do not sum to 1 but to {total:.6g}; they are divided by their sum.")
        shares = shares / total
    return shares
