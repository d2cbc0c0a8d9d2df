"""Gentle AdaBoost: Newton steps for the exponential loss by weighted regression."""

import numpy as np
from scipy.special import expit, log_expit, softmax

from statlearn._core.search import SearchSpace

from ._additive_classifier import AdditiveClassifier

_LARGEST = 300.0  # limit of a margin; e^{-300} is a negligible weight


class GentleBoostClassifier(AdditiveClassifier):
    r"""Gentle AdaBoost classifier: exponential loss minimised by weighted least-squares fits.

    For two classes y = -1, +1 every round fits a regressor g to y with the weights :math:`w_i \propto s_i e^{-y_i
    f(x_i)}` and adds it,

    .. math:: f \leftarrow f + \nu\, g, \qquad g = \arg\min \sum_i w_i (y_i - g(x_i))^2

    which is the Newton step for the weighted mean of :math:`e^{-yf}`. More than two classes are handled one-vs-rest.

    Parameters
    ----------
    estimator : regressor or None, default=None
        Regressor fitted to the labels -1, +1. None uses stumps, :class:`statlearn.trees.DecisionTreeRegressor` with
        ``max_depth=1``. If its `fit` does not accept weights, rows are resampled according to the weights.
    n_estimators : int, default=100
        Number of rounds.
    learning_rate : float, default=1.0
        Factor :math:`\nu` that shrinks the steps.
    random_state : int, RandomState or None, default=None
        Seed for the regressors.

    Attributes
    ----------
    estimator_ : regressor
        The base estimator.
    estimators_ : list of lists of regressors
        The members of each round, one per score.
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.
    train_score_ : ndarray of shape (n_estimators,)
        Mean exponential loss after each round, summed over the classes if there are more than two.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    A step changes a score by at most 1, whereas AdaBoost's steps are unbounded. This is more robust to overlapping
    classes and mislabelled rows, and on smooth problems much better than discrete AdaBoost with the same number of
    stumps. Probabilities are 1 / (1 + e^{-2f}), normalised to sum to 1 if there are more than two classes.

    See Also
    --------
    AdaBoostClassifier, LogitBoostClassifier

    References
    ----------
    Friedman, J., Hastie, T. & Tibshirani, R. (2000). Additive logistic regression: a statistical view of boosting.
    *Ann. Statist.* 28, 337-407, algorithm 4.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.ensemble import GentleBoostClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(GentleBoostClassifier(n_estimators=30).fit(X, y).score(X, y) > 0.95)
    True
    """

    _search_space = SearchSpace("GentleBoost", grid={"n_estimators": [25, 50, 100, 200]})

    def _signs(self, codes, k):
        return np.where(codes == (1 if len(self.classes_) == 2 else k), 1.0, -1.0)

    def _working(self, codes, scores, k):
        target = self._signs(codes, k)
        return target, np.exp(np.clip(-target * scores[:, k], -_LARGEST, _LARGEST))

    def _loss(self, codes, scores):
        losses = [self._working(codes, scores, k)[1] for k in range(scores.shape[1])]
        return np.sum(losses, axis=0)

    def _probabilities(self, scores):
        if scores.shape[1] == 1:
            share = expit(2.0 * scores)
            return np.column_stack([1.0 - share, share])
        # The shares of the classes over their sum, by logarithms, since all of a row may underflow.
        return softmax(log_expit(2.0 * scores), axis=1)
