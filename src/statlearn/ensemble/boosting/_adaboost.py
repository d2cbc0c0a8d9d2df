"""AdaBoost for classes: M1, SAMME and the real version, with the quantities that its theory speaks of."""

import numpy as np
from scipy.special import expit, softmax
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.frames import naming_text
from statlearn._core.native import ensemble as native
from statlearn._core.params import Options, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import check_labels
from statlearn._core.warnings import warn

from .._joined_trees import are_plain_trees, as_table, joined_trees, sums
from .._weak_learner import weak_learner
from ..inspection._member_trees import node_shares
from ._weight_boosting import WeightBoosting

_EPS = np.finfo(np.float64).eps
_ROUNDING = 1e-12  # of an error: under the new weights the last learner has error 1/2, but for rounding


class AdaBoostClassifier(ClassifierMixin, WeightBoosting):
    r"""Weak classifiers one after the other, each on rows weighted by the mistakes so far.

    Round t fits h_t under the weights w (sum 1; h_t sees them times the sum of `sample_weight`), takes its error e_t,
    the weight of the wrong rows, and

    .. math:: \alpha_t = \nu \left[\log\frac{1 - e_t}{e_t} + \log(K - 1)\right], \qquad
        w_i \leftarrow w_i\, e^{\alpha_t 1[h_t(x_i) \ne y_i]} / Z

    with :math:`\nu` the learning rate; the class of the largest sum of :math:`\alpha_t` wins. For two classes
    y = -1, +1 this is stagewise minimisation of the mean of :math:`e^{-y f}`, :math:`f = \sum_t \tfrac12\alpha_t h_t`.

    Parameters
    ----------
    estimator : classifier or None
        The weak learner; None takes stumps, :class:`statlearn.trees.DecisionTreeClassifier` with ``max_depth=1``. A
        learner whose `fit` takes no weights gets rows drawn by the weights.
    n_estimators : int, default=50
        Rounds at most.
    learning_rate : float, default=1.0
        Shrinks every :math:`\alpha_t`.
    random_state : int, RandomState or None
        Seeds of the learners, and of the draws for those without weights.
    algorithm : {"samme", "m1", "real"}, default="samme"
        "samme" as above; "m1" without log(K - 1), so that a learner must be right more often than not; "real" adds
        :math:`\nu (K-1)(\log p_k - \overline{\log p})` of the learner's probabilities (SAMME.R; Real AdaBoost for two
        classes). The first two are the same for two classes.
    alpha_scale : {"half", "full"}, default="half"
        Scale of ``diagnostics_["alpha"]``: :math:`\tfrac12\alpha_t`, the coefficient of h = -1, +1, or
        :math:`\alpha_t`. The classifier is the same.
    store_weights : bool, default=False
        Keep the weights of the rows before every round and after the last: ``diagnostics_["weights"]``.

    Attributes
    ----------
    estimator_ : classifier
        The kind of weak learner.
    estimators_ : list of classifiers
        The fitted ones.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    n_classes_ : int
    estimator_weights_ : ndarray of shape (n_estimators,)
        :math:`\alpha_t`, in full; 0 for rounds that were not needed.
    estimator_errors_ : ndarray of shape (n_estimators,)
        :math:`e_t`; 1 for rounds that were not needed.
    diagnostics_ : dict of ndarrays of shape (n_rounds,)
        ``error`` (:math:`e_t`), ``alpha``, ``Z`` (the normaliser :math:`\sum_i w_i e^{-m_i}` of the step, m its
        margin), ``product_Z``, ``exponential_loss`` (mean of :math:`e^{-m}` of the sum so far, y f for two classes),
        ``training_error``, ``bound`` (:math:`e^{-2\sum_t (1/2 - e_t)^2}`, which bounds ``product_Z`` for two classes
        and learning rate 1), and ``weights`` where they are stored.

    Notes
    -----
    For two classes and learning rate 1 :math:`Z_t = 2\sqrt{e_t(1 - e_t)}`, and the training error is at most the
    exponential loss, which is the product of the Z. Under the new weights the last learner has error 1/2.

    A learner without mistakes gets the weight of the error 2e-16 and ends the boosting. A learner no better than
    chance (error of at least 1 - 1/K; 1/2 for "m1") is dropped, and boosting stops with a warning.

    Stumps on tables without missing values are found by a kernel that sorts the columns once and then needs one pass of
    additions over the table in a round; the result is that of the trees.

    Boosting wants weak learners. Exponential loss gives wrong labels ever more weight: with noisy labels prefer
    :class:`GradientBoostingClassifier` or :class:`LogitBoostClassifier`.

    See Also
    --------
    GentleBoostClassifier, LogitBoostClassifier : milder steps.
    ForwardStagewise : the same, as stagewise minimisation.

    References
    ----------
    Freund, Y. & Schapire, R. E. (1997). A decision-theoretic generalization of on-line learning and an application to
    boosting. *J. Comput. System Sci.* 55, 119-139.

    Zhu, J., Zou, H., Rosset, S. & Hastie, T. (2009). Multi-class AdaBoost. *Stat. Interface* 2, 349-360.

    Friedman, J., Hastie, T. & Tibshirani, R. (2000). Additive logistic regression: a statistical view of boosting.
    *Ann. Statist.* 28, 337-407.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.ensemble import AdaBoostClassifier
    >>> X = np.arange(10.0)[:, None]
    >>> y = np.array([1, 1, 1, -1, -1, -1, 1, 1, 1, -1])
    >>> model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    >>> model.diagnostics_["alpha"].round(4)
    array([0.4236, 0.6496, 0.752 ])
    >>> model.score(X, y)
    1.0
    """

    _search_space = SearchSpace("AdaBoost", 4.0, grid={"n_estimators": [25, 50, 100, 200]}, scaled=False, default=False)
    _constraints = {
        **WeightBoosting._constraints,
        "algorithm": [Options("samme", "m1", "real")],
        "alpha_scale": [Options("half", "full")],
        "store_weights": ["boolean"],
    }

    def __init__(
        self,
        estimator=None,
        *,
        n_estimators=50,
        learning_rate=1.0,
        random_state=None,
        algorithm="samme",
        alpha_scale="half",
        store_weights=False,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.random_state = random_state
        self.algorithm = algorithm
        self.alpha_scale = alpha_scale
        self.store_weights = store_weights

    def _default_member(self):
        from statlearn.trees import DecisionTreeClassifier

        return DecisionTreeClassifier(max_depth=1)

    @naming_text("a member")
    def fit(self, X, y, sample_weight=None):
        """Boost.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            What the weak learner takes; categories of a data frame are categories for trees.
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,) or None
            The weights before the first round, up to a factor.

        Returns
        -------
        self : object
        """
        from sklearn.utils import check_random_state

        check_params(self)
        X, y, weights, total = self._check_training(X, y, sample_weight)
        check_labels(y)
        self.estimator_ = self._columns.told(self._kind())
        if self.algorithm == "real" and not hasattr(self.estimator_, "predict_proba"):
            raise ValueError(
                f"algorithm='real' needs class probabilities, which {type(self.estimator_).__name__} has not."
            )
        if self.learning_rate > 2.0 and self.algorithm != "real":
            warn(f"learning_rate={self.learning_rate:g}: beyond 2 every step raises the exponential loss. Lower it.")
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.n_classes_ = len(self.classes_)
        # Of this fit, whatever the parameters will be.
        self._algorithm, self._rate = self.algorithm, float(self.learning_rate)
        self.estimators_ = []
        self.estimator_weights_ = np.zeros(self.n_estimators)
        self.estimator_errors_ = np.ones(self.n_estimators)
        learner = weak_learner(self.estimator_, X, check_random_state(self.random_state), total)
        rounds = _Rounds(self, codes, weights)
        for t in range(self.n_estimators):
            member = learner.fit(y, rounds.weights)
            step = self._step(learner, member, codes, rounds.weights)
            if step is None:
                self._stop_worse_than_chance()
                break
            self.estimators_.append(member)
            self.estimator_weights_[t], self.estimator_errors_[t] = step.alpha, step.error
            if not rounds.take(step) or step.error <= 0.0:
                break
        self.diagnostics_ = rounds.diagnostics()
        self._forest = self._joined()
        return self

    def _joined(self):
        """Trees as one forest that adds up their votes (for two classes those of the second), or None."""
        K = self.n_classes_
        if K == 1 or not are_plain_trees(self.estimators_):
            return None
        if not all(np.array_equal(m.classes_, self.classes_) for m in self.estimators_):
            return None
        votes = [self._node_votes(w, m) for w, m in zip(self.estimator_weights_, self.estimators_)]
        return joined_trees(self.estimators_, [v[:, 1] for v in votes] if K == 2 else votes)

    def _node_votes(self, weight, member):
        shares, K = member.tree_.forest.value, self.n_classes_
        if self._algorithm == "real":
            return self._real_scores(member, node_shares(member, member.tree_.forest))
        votes = np.full(shares.shape, -weight / (K - 1))
        votes[np.arange(len(votes)), member._decide(shares)] = weight
        return votes

    def _step(self, learner, member, codes, weights):
        """What the member adds, or None if it is no better than chance."""
        K = self.n_classes_
        real = self._algorithm == "real"
        if real:
            scores = self._real_scores(member, learner.output(member, "predict_proba"))
            predicted = np.argmax(scores, axis=1)
        else:
            predicted = learner.codes_of(member, self.classes_)
        wrong = (predicted != codes).view(np.uint8)
        error = native.marked_weight(weights, wrong) if K > 1 else 0.0
        chance = 0.5 if self._algorithm == "m1" else 1.0 - 1.0 / K
        if K > 1 and error >= chance - _ROUNDING:
            return None
        if real:
            return _Step(error, self._rate, margins=scores[np.arange(len(codes)), codes] / (K - 1), votes=scores)
        shown = max(error, _EPS)
        alpha = np.log((1.0 - shown) / shown) + (np.log(K - 1.0) if self._algorithm == "samme" and K > 1 else 0.0)
        return _Step(error, self._rate * alpha, wrong=wrong, predicted=predicted)

    def _stop_worse_than_chance(self):
        name = type(self.estimator_).__name__
        if not self.estimators_:
            raise ValueError(
                "BaseClassifier in AdaBoostClassifier ensemble is worse than random, ensemble can not be fit."
            )
        warn(
            f"AdaBoostClassifier stopped after {len(self.estimators_)} rounds: the next {name} is no better than "
            "chance under the weights. Use a stronger learner, or fewer rounds."
        )

    def _codes(self, labels):
        """Class numbers of labels that members predict."""
        return np.searchsorted(self.classes_, labels)

    def _real_scores(self, member, proba):
        """nu (K - 1) (log p_k - mean log p)."""
        full = np.zeros((len(proba), self.n_classes_))
        full[:, self._codes(member.classes_)] = proba
        logs = np.log(np.clip(full, _EPS, None))
        return self._rate * (self.n_classes_ - 1) * (logs - logs.mean(axis=1, keepdims=True))

    def _staged_sums(self, X):
        """After each round the votes of the classes, and the sum of the members' weights."""
        check_is_fitted(self)
        X = self._check_table(X, reset=False)
        table = None if self._forest is None else as_table(X, self.estimators_)
        staged = self._member_votes(X) if table is None else self._tree_votes(table)
        total = 0.0
        for weight, votes in zip(self.estimator_weights_, staged):
            total += weight
            yield votes, total

    def _member_votes(self, X):
        K = self.n_classes_
        votes = np.zeros((X.shape[0], K))
        rows = np.arange(len(votes))
        for weight, member in zip(self.estimator_weights_, self.estimators_):
            if self._algorithm == "real":
                votes += self._real_scores(member, member.predict_proba(X))
            else:
                codes = self._codes(member.predict(X))
                votes -= weight / max(K - 1, 1)
                votes[rows, codes] += weight * K / max(K - 1, 1)
            yield votes

    def _tree_votes(self, table):
        votes = np.zeros((table.shape[0], 1 if self.n_classes_ == 2 else self.n_classes_))
        for t in range(len(self.estimators_)):
            self._forest.tree(t).add_predictions(table, votes)
            yield self._all_votes(votes)

    def _all_votes(self, votes):
        """Of two classes the forest knows the votes of the second; the first has as many against it."""
        return np.column_stack([-votes, votes]) if self.n_classes_ == 2 else votes

    def _sums(self, X):
        check_is_fitted(self)
        table = None if self._forest is None else as_table(self._check_table(X, reset=False), self.estimators_)
        if table is not None:
            votes = sums(self._forest, table, 1 if self.n_classes_ == 2 else self.n_classes_)
            return self._all_votes(votes), self.estimator_weights_.sum()
        *_, last = self._staged_sums(X)
        return last

    def _decision(self, votes, total):
        scores = votes / total
        if self.n_classes_ == 1:
            return np.zeros((len(votes), 1))
        return scores[:, 1] - scores[:, 0] if self.n_classes_ == 2 else scores

    def decision_function(self, X):
        """Votes of the classes, divided by the sum of the members' weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            A member adds its weight for the class it predicts and takes 1/(K-1) of it from the others; for two classes
            the difference of the second and the first, between -2 and 2.
        """
        return self._decision(*self._sums(X))

    def staged_decision_function(self, X):
        """`decision_function` after each round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)

        Yields
        ------
        ndarray
        """
        for votes, total in self._staged_sums(X):
            yield self._decision(votes, total)

    def _labels(self, decision):
        if self.n_classes_ == 1:
            return self.classes_[np.zeros(len(decision), dtype=int)]
        best = (decision > 0).astype(int) if self.n_classes_ == 2 else np.argmax(decision, axis=1)
        return self.classes_[best]

    def predict(self, X):
        """The class with the most votes, the first one on a tie.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        return self._labels(self.decision_function(X))

    def staged_predict(self, X):
        """`predict` after each round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)

        Yields
        ------
        ndarray of shape (n_rows,)
        """
        for decision in self.staged_decision_function(X):
            yield self._labels(decision)

    def _probabilities(self, votes, total, link):
        if self.n_classes_ == 1:
            return np.ones((len(votes), 1))
        K = self.n_classes_
        if link == "exponential":
            # f_k of Zhu et al.: the weights are (K-1)^2/K of ours, or the members' scores as they are.
            scale = 1.0 if self._algorithm == "real" else (K - 1.0) ** 2 / K
            scores = scale * votes / (K - 1)
        else:
            scores = votes / (total * (K - 1))
        if K == 2:
            second = expit(scores[:, 1] - scores[:, 0])
            return np.column_stack([1.0 - second, second])
        return softmax(scores, axis=1)

    def predict_proba(self, X, *, link="vote"):
        """Class probabilities.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
        link : {"vote", "exponential"}, default="vote"
            "vote": from the votes divided by the sum of the weights, as in scikit-learn; cautious, never far from
            equal shares. "exponential": what the exponential loss estimates, for two classes 1 / (1 + e^{-2f}) with f
            the sum of the half-scale weights; overconfident after many rounds.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        if link not in ("vote", "exponential"):
            raise ValueError(f"link must be 'vote' or 'exponential', got {link!r}.")
        return self._probabilities(*self._sums(X), link)

    def staged_predict_proba(self, X, *, link="vote"):
        """`predict_proba` after each round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
        link : {"vote", "exponential"}, default="vote"

        Yields
        ------
        ndarray of shape (n_rows, n_classes)
        """
        for votes, total in self._staged_sums(X):
            yield self._probabilities(votes, total, link)

    def predict_log_proba(self, X):
        """Logarithm of the class probabilities.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        return np.log(self.predict_proba(X))


class _Step:
    """What one member does to the training rows: which it gets wrong, or by how much it moves their margins."""

    def __init__(self, error, alpha, *, wrong=None, predicted=None, margins=None, votes=None):
        self.error, self.alpha = error, alpha
        self.wrong, self.predicted = wrong, predicted
        self.margins, self.votes = margins, votes


class _Rounds:
    """The weights of the training rows and what is known of each round.

    The margin of a row, y f for two classes, grows by alpha (K-1)/K where a member is right and falls by alpha/K where
    it is wrong, or moves by the real-valued scores; the weights are e to the minus of it, scaled to sum 1.
    """

    def __init__(self, model, codes, weights):
        self.model, self.codes, self.start = model, codes, weights
        # A weight that vanishes would never come back: scikit-learn's guard, too.
        self.weights = np.maximum(weights, _EPS)
        self.margins = np.zeros(len(codes))
        self.second = (codes == 1).view(np.uint8)  # a vote of 0 goes to the first class
        K = model.n_classes_
        self.votes = np.zeros((len(codes), K)) if K > 2 else None
        self.rows = np.arange(len(codes))
        self.history = {name: [] for name in ("error", "alpha", "Z", "exponential_loss", "training_error")}
        self.stored = [weights] if model.store_weights else None

    def take(self, step):
        """Update the weights by one member; whether they allow another round."""
        Z, loss, error = self._discrete(step) if step.margins is None else self._real(step)
        if self.votes is not None:
            error = self._voting_error(step)
        scale = 0.5 if self.model.alpha_scale == "half" else 1.0
        alpha = np.nan if step.margins is not None else scale * step.alpha
        for name, value in zip(self.history, (step.error, alpha, Z, loss, error), strict=True):
            self.history[name].append(value)
        if not np.isfinite(Z) or Z <= 0.0:
            warn(
                f"Sample weights have reached infinite values, at iteration {len(self.history['Z']) - 1}, causing "
                "overflow. Iterations stopped. Try lowering the learning rate."
            )
            return False
        if self.stored is not None:
            self.stored.append(self.weights.copy())
        return True

    def _discrete(self, step):
        K = self.model.n_classes_
        return native.reweigh(
            step.wrong,
            step.alpha * (K - 1) / K,
            -step.alpha / K,
            self.start,
            self.second,
            _EPS,
            self.margins,
            self.weights,
        )

    def _real(self, step):
        self.margins += step.margins
        with np.errstate(over="ignore"):
            weights = self.weights * np.exp(-step.margins)
            loss = float(np.sum(self.start * np.exp(-self.margins)))
        Z = float(np.sum(weights))
        if np.isfinite(Z) and Z > 0.0:
            self.weights = np.maximum(weights / Z, _EPS)
        wrong = (self.margins < 0) | ((self.margins == 0) & (self.codes == 1))
        return Z, loss, float(np.sum(self.start[wrong]))

    def _voting_error(self, step):
        """Share of the rows' weight that the votes so far get wrong."""
        if step.votes is not None:
            self.votes += step.votes
        else:
            self.votes[self.rows, step.predicted] += step.alpha
        return float(np.sum(self.start[np.argmax(self.votes, axis=1) != self.codes]))

    def diagnostics(self):
        known = {name: np.array(values) for name, values in self.history.items()}
        with np.errstate(over="ignore"):
            known["product_Z"] = np.cumprod(known["Z"])
        known["bound"] = np.exp(-2.0 * np.cumsum((0.5 - known["error"]) ** 2))
        if self.stored is not None:
            known["weights"] = np.array(self.stored)
        return known
