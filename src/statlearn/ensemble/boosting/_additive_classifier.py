"""Base class of GentleBoost and LogitBoost: classifiers with scores that are sums of regressors."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.frames import naming_text
from statlearn._core.params import HasMethods, Int, Real, check_params
from statlearn._core.validation import check_weights, encode_classes

from .._joined_trees import are_plain_trees, as_table, joined_trees, sums
from .._member_tables import MemberTables
from .._weak_learner import weak_learner

_ROUNDING = 1e-12  # scores that differ by less are ties: the same terms summed in a different order


class AdditiveClassifier(MemberTables, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Classifier with scores f_k(x), to which every round adds a regressor per class; two classes share one score."""

    _constraints: dict = {
        "estimator": [HasMethods("fit", "predict"), None],
        "n_estimators": [Int(1, None)],
        "learning_rate": [Real(0, None, closed="neither")],
        "random_state": ["random_state"],
    }

    def __init__(self, estimator=None, *, n_estimators=100, learning_rate=1.0, random_state=None):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.random_state = random_state

    def _kind(self):
        if self.estimator is not None:
            return self.estimator
        from statlearn.trees import DecisionTreeRegressor

        return DecisionTreeRegressor(max_depth=1)

    def _working(self, codes, scores, k):
        """Target and weights of the regressor of class k, given scores of shape (n, n_scores)."""
        raise NotImplementedError

    def _combined(self, values):
        """Increment of the scores in a round, a linear function of the regressors' predictions (n, n_scores)."""
        return self._rate * values

    def _loss(self, codes, scores):
        """The loss of each row, which the rounds reduce."""
        raise NotImplementedError

    @naming_text("a member")
    def fit(self, X, y, sample_weight=None):
        """Fit the boosted classifier.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Training data, as accepted by the regressors. Trees treat categorical columns of a data frame as
            categorical.
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,) or None, default=None

        Returns
        -------
        self : object
        """
        check_params(self)
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        X, y = self._check_table(X, y=y)
        weights = check_weights(sample_weight, np.empty((X.shape[0], 1)))
        if weights is not None and not np.all(weights > 0):
            used = np.flatnonzero(weights > 0)
            X, y, weights = X[used], y[used], weights[used]
        self.classes_, codes = encode_classes(y, owner=type(self).__name__)
        start = np.full(len(codes), 1.0 / len(codes)) if weights is None else weights / weights.sum()
        self.estimator_ = self._columns.told(self._kind())
        total = len(codes) if weights is None else weights.sum()
        learner = weak_learner(self.estimator_, X, check_random_state(self.random_state), float(total))
        self._rate = float(self.learning_rate)  # as of this fit, whatever set_params changes later
        scores = np.zeros((len(codes), self._n_scores()))
        self.estimators_, losses = [], []
        for _ in range(self.n_estimators):
            values, members = np.empty_like(scores), []
            for k in range(scores.shape[1]):
                target, row_weights = self._working(codes, scores, k)
                row_weights = row_weights * start
                members.append(learner.fit(target, row_weights / row_weights.sum()))
                values[:, k] = learner.output(members[-1])
            scores += self._combined(values)
            self.estimators_.append(members)
            losses.append(float(np.sum(start * self._loss(codes, scores))))
        self.train_score_ = np.array(losses)
        self._forest = self._joined()
        return self

    def _joined(self):
        """Trees as one forest, each adding to the score of its class; the sums are combined at the end."""
        members = [m for members in self.estimators_ for m in members]
        if not are_plain_trees(members):
            return None
        scores = np.tile(np.arange(self._n_scores()), len(self.estimators_))
        return joined_trees(members, [m.tree_.forest.value[:, 0] for m in members], scores)

    def _n_scores(self):
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _staged_scores(self, X):
        check_is_fitted(self)
        X = self._check_table(X, reset=False)
        table = None if self._forest is None else as_table(X, self.estimators_[0])
        total = np.zeros((X.shape[0], self._n_scores()))
        for t, members in enumerate(self.estimators_):
            if table is None:
                total += np.column_stack([m.predict(X) for m in members])
            else:
                for k in range(len(members)):
                    self._forest.tree(t * len(members) + k).add_predictions(table, total)
            yield self._combined(total)

    def _scores(self, X):
        check_is_fitted(self)
        table = None if self._forest is None else as_table(self._check_table(X, reset=False), self.estimators_[0])
        if table is not None:
            return self._combined(sums(self._forest, table, self._n_scores()))
        *_, last = self._staged_scores(X)
        return last

    def _probabilities(self, scores):
        raise NotImplementedError

    def decision_function(self, X):
        """Decision function: score of the second class, or of every class if there are more than two.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
        """
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def staged_decision_function(self, X):
        """`decision_function` after each round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)

        Yields
        ------
        ndarray
        """
        for scores in self._staged_scores(X):
            yield scores[:, 0].copy() if scores.shape[1] == 1 else scores.copy()

    def _labels(self, scores):
        if scores.shape[1] == 1:
            return self.classes_[(scores[:, 0] > _ROUNDING).astype(int)]
        top = scores.max(axis=1, keepdims=True)
        return self.classes_[np.argmax(scores >= top - _ROUNDING * (1.0 + np.abs(top)), axis=1)]

    def predict(self, X):
        """Predicted class: the one with the largest score, the first one in case of ties.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        return self._labels(self._scores(X))

    def staged_predict(self, X):
        """`predict` after each round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)

        Yields
        ------
        ndarray of shape (n_rows,)
        """
        for scores in self._staged_scores(X):
            yield self._labels(scores)

    def predict_proba(self, X):
        """Class probabilities.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        return self._probabilities(self._scores(X))

    def predict_log_proba(self, X):
        """Logarithm of the class probabilities.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
