"""LogitBoost: Newton steps for the binomial and multinomial likelihood by weighted regression."""

import numpy as np
from scipy.special import expit, log_softmax, softmax

from statlearn._core.params import Real
from statlearn._core.search import SearchSpace

from ._additive_classifier import AdditiveClassifier

_SMALLEST = 1e-10  # lower bound of a weight p (1 - p)


class LogitBoostClassifier(AdditiveClassifier):
    r"""LogitBoost classifier: binomial or multinomial likelihood maximised by weighted least-squares fits.

    Every round fits a regressor to the working responses :math:`z = (y^* - p) / (p(1-p))`, y* = 0 or 1, with the
    weights p(1-p), which is the Newton step for the log-likelihood. For two classes p = 1 / (1 + e^{-2f}) and
    :math:`f \leftarrow f + \tfrac{\nu}{2} g`; for K classes p = softmax(f), with one regressor for each class and

    .. math:: f_k \leftarrow f_k + \nu \frac{K-1}{K} \Bigl(g_k - \frac1K \sum_l g_l\Bigr)

    Parameters
    ----------
    estimator : regressor or None, default=None
        Regressor fitted to the working responses. None uses stumps, :class:`statlearn.trees.DecisionTreeRegressor` with
        ``max_depth=1``. If its `fit` does not accept weights, rows are resampled according to the weights.
    n_estimators : int, default=100
        Number of rounds.
    learning_rate : float, default=1.0
        Factor :math:`\nu` that shrinks the steps.
    random_state : int, RandomState or None, default=None
        Seed for the regressors.
    z_max : float, default=4.0
        Working responses are clipped at this absolute value, because badly misclassified rows have very large ones with
        weights near 0.

    Attributes
    ----------
    estimator_ : regressor
        The base estimator.
    estimators_ : list of lists of regressors
        The members of each round, one per score.
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.
    train_score_ : ndarray of shape (n_estimators,)
        Mean log loss after each round.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    The score for two classes is half the log-odds, as in the other boosting methods by Friedman, Hastie and Tibshirani.
    For large negative margins the log loss grows linearly, whereas the exponential loss explodes, so LogitBoost is the
    better choice if some labels are wrong.

    See Also
    --------
    GradientBoostingClassifier : The same likelihood with larger trees, and much faster.

    References
    ----------
    Friedman, J., Hastie, T. & Tibshirani, R. (2000). Additive logistic regression: a statistical view of boosting.
    *Ann. Statist.* 28, 337-407, algorithms 3 and 6.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.ensemble import LogitBoostClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(LogitBoostClassifier(n_estimators=20).fit(X, y).score(X, y) > 0.95)
    True
    """

    _search_space = SearchSpace("LogitBoost", grid={"n_estimators": [25, 50, 100, 200]})
    _constraints = {**AdditiveClassifier._constraints, "z_max": [Real(0, None, closed="neither")]}

    def __init__(self, estimator=None, *, n_estimators=100, learning_rate=1.0, random_state=None, z_max=4.0):
        super().__init__(estimator, n_estimators=n_estimators, learning_rate=learning_rate, random_state=random_state)
        self.z_max = z_max

    def _shares(self, scores):
        return expit(2.0 * scores) if scores.shape[1] == 1 else softmax(scores, axis=1)

    def _working(self, codes, scores, k):
        p = self._shares(scores)[:, k]
        hit = codes == (1 if scores.shape[1] == 1 else k)
        weights = np.maximum(p * (1.0 - p), _SMALLEST)
        return np.clip((hit - p) / weights, -self.z_max, self.z_max), weights

    def _combined(self, values):
        K = values.shape[1]
        if K == 1:
            return 0.5 * self._rate * values
        return self._rate * (K - 1.0) / K * (values - values.mean(axis=1, keepdims=True))

    def _loss(self, codes, scores):
        if scores.shape[1] == 1:
            return np.logaddexp(0.0, -2.0 * np.where(codes == 1, 1.0, -1.0) * scores[:, 0])
        return -log_softmax(scores, axis=1)[np.arange(len(codes)), codes]

    def _probabilities(self, scores):
        shares = self._shares(scores)
        return np.column_stack([1.0 - shares, shares]) if shares.shape[1] == 1 else shares
