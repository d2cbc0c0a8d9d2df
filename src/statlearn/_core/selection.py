"""Model selection along a path by cross-validated losses."""

from dataclasses import dataclass

import numpy as np

_NO_TEST_WEIGHT = "`sample_weight` is 0 for the test rows of all folds; use other folds."


def weighty_folds(folds, weights, *, skip_tests=False):
    """The folds, pairs of training and test rows, as a list; refuses one whose rows of either kind have no weight.

    With `skip_tests`, folds whose test rows have no weight are left out instead.
    """
    folds = list(folds)
    if skip_tests and weights is not None:
        folds = [fold for fold in folds if np.any(weights[fold[1]])]
        if not folds:
            raise ValueError(_NO_TEST_WEIGHT)
    for fold in folds if weights is not None else ():
        for rows, kind in zip(fold, ("training", "test")):
            if not np.any(weights[rows]):
                raise ValueError(
                    f"`sample_weight` is 0 for all {kind} rows of a fold; use fewer folds, or pass explicit splits."
                )
    return folds


@dataclass
class CVCurve:
    """Cross-validated loss along a path of models, the simplest model first.

    Parameters
    ----------
    parameter : ndarray of shape (k,)
        The tuning parameter, ordered from the simplest model to the most complex (largest penalty first).
    loss : ndarray of shape (k, n_folds)
        Loss of each model on each fold (smaller is better).
    fold_weight : ndarray of shape (n_folds,) or None
        Weight of each fold in the mean, usually its number of rows; None weights folds equally.
    name : str
        Name of the parameter.
    known_std_error : ndarray of shape (k,) or None
        Standard errors computed elsewhere if there are too many folds to store (leave-one-out). `loss` then has a
        single column of means.
    score : str or None
        Name of the score of which the loss is the negative; plots then show the score. None for a loss.
    """

    parameter: np.ndarray
    loss: np.ndarray
    fold_weight: np.ndarray | None = None
    name: str = "alpha"
    known_std_error: np.ndarray | None = None
    score: str | None = None

    def __post_init__(self):
        if self.fold_weight is not None and not np.any(self.fold_weight):
            raise ValueError(_NO_TEST_WEIGHT)

    @property
    def mean(self):
        """Mean loss over the folds."""
        return np.average(self.loss, axis=1, weights=self.fold_weight)

    @property
    def std_error(self):
        """Standard error of the mean loss: standard deviation over folds divided by the square root of their number."""
        if self.known_std_error is not None:
            return self.known_std_error
        folds = self.loss.shape[1]
        if folds < 2:
            return np.zeros(self.loss.shape[0])
        with np.errstate(invalid="ignore"):  # infinite losses have no standard error: NaN
            deviation = (self.loss - self.mean[:, None]) ** 2
        return np.sqrt(np.average(deviation, axis=1, weights=self.fold_weight) / (folds - 1))

    @property
    def best(self):
        """Index of the smallest mean loss, the simplest model among ties."""
        return int(np.argmin(self.mean))

    @property
    def one_se(self):
        """Index of the simplest model within one standard error of the best."""
        limit = self.mean[self.best] + self.std_error[self.best]
        return int(np.argmax(self.mean <= limit))

    def chosen(self, rule):
        """Index chosen by the rule "min" or "one_se"."""
        return {"min": self.best, "one_se": self.one_se}[rule]

    def plot(self, ax=None):
        """Plot the mean loss (or score) with one-standard-error bars and both choices; returns the matplotlib axes."""
        from statlearn._draw.paths import plot_cv_curve

        return plot_cv_curve(self, ax=ax)
