"""Gentle AdaBoost: Newton steps of exponential loss by weighted regression."""

import numpy as np
from scipy.special import expit

from statlearn._core.search import SearchSpace

from ._additive_classifier import AdditiveClassifier

_LARGEST = 300.0  # of a margin: e^{-300} is a weight of nothing


class GentleBoostClassifier(AdditiveClassifier):
    r"""Exponential loss brought down by weighted least-squares fits (Gentle AdaBoost).

    For two classes y = -1, +1 every round fits a regressor g to y under the weights :math:`w_i \propto s_i e^{-y_i
    f(x_i)}` and adds it,

    .. math:: f \leftarrow f + \nu\, g, \qquad g = \arg\min \sum_i w_i (y_i - g(x_i))^2

    the Newton step of the weighted mean of :math:`e^{-yf}`. More classes are told apart one against the rest.

    Parameters
    ----------
    estimator : regressor or None
        Fitted to the labels -1, +1; None takes stumps, :class:`statlearn.trees.DecisionTreeRegressor` with
        ``max_depth=1``. A regressor whose `fit` takes no weights gets rows drawn by the weights.
    n_estimators : int, default=100
        Rounds.
    learning_rate : float, default=1.0
        :math:`\nu`, shrinks the steps.
    random_state : int, RandomState or None
        Seeds of the regressors.

    Attributes
    ----------
    estimator_ : regressor
        The kind of member.
    estimators_ : list of lists of regressors
        The members of each round, one for each score.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    train_score_ : ndarray of shape (n_estimators,)
        Mean exponential loss after each round, for more classes the sum over these.

    Notes
    -----
    A step moves a score by at most 1, where AdaBoost's may be of any size: gentler with overlapping classes and wrong
    labels, and on smooth problems much better than discrete AdaBoost after the same number of stumps. Probabilities are
    1 / (1 + e^{-2f}), for more classes scaled to sum 1.

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

    _search_space = SearchSpace(
        "GentleBoost", 4.0, grid={"n_estimators": [25, 50, 100, 200]}, scaled=False, default=False
    )

    def _signs(self, codes, k):
        return np.where(codes == (1 if len(self.classes_) == 2 else k), 1.0, -1.0)

    def _working(self, codes, scores, k):
        target = self._signs(codes, k)
        return target, np.exp(np.clip(-target * scores[:, k], -_LARGEST, _LARGEST))

    def _loss(self, codes, scores):
        losses = [self._working(codes, scores, k)[1] for k in range(scores.shape[1])]
        return np.sum(losses, axis=0)

    def _probabilities(self, scores):
        shares = expit(2.0 * scores)
        if shares.shape[1] == 1:
            return np.column_stack([1.0 - shares, shares])
        return shares / np.maximum(shares.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
