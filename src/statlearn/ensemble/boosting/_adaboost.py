"""AdaBoost classifiers (M1, SAMME and SAMME.R), with the quantities used in their theory."""

import numpy as np
from scipy.special import expit, softmax
from sklearn.base import ClassifierMixin, is_regressor
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
_ROUNDING = 1e-12  # tolerance of an error; under the new weights the last learner has error 1/2 up to rounding


class AdaBoostClassifier(ClassifierMixin, WeightBoosting):
    r"""AdaBoost classifier: weak classifiers fitted in sequence to reweighted rows.

    Round t fits h_t with the weights w (which sum to 1; h_t receives them multiplied by the sum of `sample_weight`),
    computes its error e_t, the total weight of the misclassified rows, and updates

    .. math:: \alpha_t = \nu \left[\log\frac{1 - e_t}{e_t} + \log(K - 1)\right], \qquad
        w_i \leftarrow w_i\, e^{\alpha_t 1[h_t(x_i) \ne y_i]} / Z

    with learning rate :math:`\nu`. The class with the largest sum of :math:`\alpha_t` is predicted. For two classes
    y = -1, +1 this is stagewise minimisation of the mean of :math:`e^{-y f}`, :math:`f = \sum_t \tfrac12\alpha_t h_t`.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The weak learner. None uses stumps, :class:`statlearn.trees.DecisionTreeClassifier` with ``max_depth=1``. If
        `fit` of the learner does not accept weights, rows are resampled according to the weights.
    n_estimators : int, default=50
        Maximum number of rounds.
    learning_rate : float, default=1.0
        Factor :math:`\nu` that shrinks every :math:`\alpha_t`.
    random_state : int, RandomState or None, default=None
        Seed for the learners, and for resampling if they do not accept weights.
    algorithm : {"samme", "m1", "real"}, default="samme"
        "samme" is as described above. "m1" omits log(K - 1), so that a learner must be right more often than not.
        "real" adds :math:`\nu (K-1)(\log p_k - \overline{\log p})` of the learner's probabilities (SAMME.R; Real
        AdaBoost for two classes). "samme" and "m1" are identical for two classes.
    alpha_scale : {"half", "full"}, default="half"
        Scale of ``diagnostics_["alpha"]`` and of ``decision_function(X, scale="sum")``: :math:`\tfrac12\alpha_t`, the
        coefficient of h = -1, +1 that minimises the exponential loss, or :math:`\alpha_t`. The classifier is the same.
    store_weights : bool, default=False
        Whether to store the row weights before every round and after the last in ``diagnostics_["weights"]``.

    Attributes
    ----------
    estimator_ : classifier
        The weak learner.
    estimators_ : list of classifiers
        The fitted members.
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.
    n_classes_ : int
        Number of classes.
    estimator_weights_ : ndarray of shape (n_estimators,)
        :math:`\alpha_t` on the full scale; 0 for rounds that were not needed.
    estimator_errors_ : ndarray of shape (n_estimators,)
        :math:`e_t`; 1 for rounds that were not needed.
    diagnostics_ : dict of ndarrays of shape (n_rounds,)
        ``error`` (:math:`e_t`), ``alpha``, ``Z`` (the normaliser :math:`\sum_i w_i e^{-m_i}` of the step, with margins
        m), ``product_Z``, ``exponential_loss`` (mean of :math:`e^{-m}` for the ensemble so far, with m = y f for two
        classes), ``training_error``, ``bound`` (:math:`e^{-2\sum_t (1/2 - e_t)^2}`, which bounds ``product_Z`` for two
        classes and learning rate 1) and, if stored, ``weights``.
    feature_importances_ : ndarray of shape (n_features,)
        Mean of the members' importances, weighted by `estimator_weights_`. Only for members that have importances, such
        as trees.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    For two classes and learning rate 1, :math:`Z_t = 2\sqrt{e_t(1 - e_t)}`, and the training error is at most the
    exponential loss, which is the product of the Z. Under the new weights the last learner has error 1/2.

    A learner without errors gets the weight for an error of 2e-16, and boosting stops. A learner no better than chance
    (error of at least 1 - 1/K; 1/2 for "m1") is discarded, and boosting stops with a warning.

    Stumps on tables without missing values are fitted by a kernel that sorts the columns once and then needs one pass
    over the table per round. The result is the same as with trees.

    Boosting works best with weak learners. The exponential loss gives ever more weight to mislabelled rows. With noisy
    labels, prefer :class:`GradientBoostingClassifier` or :class:`LogitBoostClassifier`.

    See Also
    --------
    GentleBoostClassifier, LogitBoostClassifier : Variants with more moderate steps.
    ForwardStagewise : The same model as stagewise minimisation.

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

    _search_space = SearchSpace("AdaBoost", grid={"n_estimators": [25, 50, 100, 200]})
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
        """Fit the boosted classifier.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Training data, as accepted by the weak learner. Trees treat categorical columns of a data frame as
            categorical.
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Initial weights, up to a factor.

        Returns
        -------
        self : object
        """
        from sklearn.utils import check_random_state

        check_params(self)
        X, y, weights, total = self._check_training(X, y, sample_weight)
        check_labels(y)
        self.estimator_ = self._columns.told(self._kind())
        if is_regressor(self.estimator_):
            raise ValueError(f"`estimator` must be a classifier, got {type(self.estimator_).__name__}.")
        if self.algorithm == "real" and not hasattr(self.estimator_, "predict_proba"):
            raise ValueError(
                f"algorithm='real' requires class probabilities, but {type(self.estimator_).__name__} has no "
                "`predict_proba`; use algorithm='samme'."
            )
        if self.learning_rate > 2.0 and self.algorithm != "real":
            warn(
                f"`learning_rate`={self.learning_rate:g} is above 2, so every step increases the exponential loss. Use "
                "a smaller value."
            )
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.n_classes_ = len(self.classes_)
        # As of this fit, whatever set_params changes later.
        self._algorithm, self._rate, self._alpha_scale = self.algorithm, float(self.learning_rate), self.alpha_scale
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
        """Trees as one forest that sums their votes (for two classes those of the second), or None."""
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
        """The step of a member, or None if the member is no better than chance."""
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
            f"AdaBoostClassifier stopped after {len(self.estimators_)} rounds because the next {name} was no better "
            "than chance under the current weights. Use a stronger weak learner or a smaller `n_estimators`."
        )

    def _codes(self, labels):
        """Class indices of labels predicted by members."""
        return np.searchsorted(self.classes_, labels)

    def _real_scores(self, member, proba):
        """Scores nu (K - 1) (log p_k - mean log p) of SAMME.R."""
        full = np.zeros((len(proba), self.n_classes_))
        full[:, self._codes(member.classes_)] = proba
        logs = np.log(np.clip(full, _EPS, None))
        return self._rate * (self.n_classes_ - 1) * (logs - logs.mean(axis=1, keepdims=True))

    def _staged_sums(self, X):
        """Votes for the classes and total weight of the members after each round."""
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
        """Votes for all classes; with two classes the forest stores those for the second only."""
        return np.column_stack([-votes, votes]) if self.n_classes_ == 2 else votes

    def _sums(self, X):
        check_is_fitted(self)
        table = None if self._forest is None else as_table(self._check_table(X, reset=False), self.estimators_)
        if table is not None:
            votes = sums(self._forest, table, 1 if self.n_classes_ == 2 else self.n_classes_)
            return self._all_votes(votes), self.estimator_weights_.sum()
        *_, last = self._staged_sums(X)
        return last

    def _decision(self, votes, total, scale="mean"):
        if scale not in ("mean", "sum"):
            raise ValueError(f"`scale` must be 'mean' or 'sum', got {scale!r}.")
        if self.n_classes_ == 1:
            return np.zeros((len(votes), 1))
        if scale == "mean":
            scores = votes / total
            return scores[:, 1] - scores[:, 0] if self.n_classes_ == 2 else scores
        # The members' scores of "real" are half the log-odds already.
        factor = (1.0 if self._alpha_scale == "full" else 0.5) * (2.0 if self._algorithm == "real" else 1.0)
        return factor * (votes[:, 1] if self.n_classes_ == 2 else votes)

    def decision_function(self, X, *, scale="mean"):
        r"""Votes for the classes, divided by the total weight of the members, or the additive score itself.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
        scale : {"mean", "sum"}, default="mean"
            "mean" divides by the total weight, as in scikit-learn. "sum" returns the additive model on the
            `alpha_scale` of the fit, for two classes y = -1, +1

            .. math:: F(x) = \sum_t \tfrac12\alpha_t h_t(x) \qquad\text{or}\qquad F(x) = \sum_t \alpha_t h_t(x).

            On the half scale the training mean of :math:`e^{-yF}` is ``diagnostics_["exponential_loss"]``.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            Each member adds its weight to the class it predicts and subtracts 1/(K-1) of it from the others. For two
            classes, the mean is the second value minus the first, between -2 and 2, and the sum is the second value.
        """
        return self._decision(*self._sums(X), scale)

    def staged_decision_function(self, X, *, scale="mean"):
        """`decision_function` after each round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
        scale : {"mean", "sum"}, default="mean"

        Yields
        ------
        ndarray
        """
        for votes, total in self._staged_sums(X):
            yield self._decision(votes, total, scale)

    def _labels(self, decision):
        if self.n_classes_ == 1:
            return self.classes_[np.zeros(len(decision), dtype=int)]
        best = (decision > 0).astype(int) if self.n_classes_ == 2 else np.argmax(decision, axis=1)
        return self.classes_[best]

    def predict(self, X):
        """Predicted class: the one with the most votes, the first one in case of ties.

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
            # f_k of Zhu et al., whose weights are (K-1)^2/K times ours, or the members' scores unchanged.
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
            "vote" uses the votes divided by the total weight, as in scikit-learn. These probabilities are conservative,
            never far from uniform. "exponential" uses the probabilities that minimise the exponential loss, for two
            classes 1 / (1 + e^{-2f}) with f the sum of the half-scale weights. They are overconfident after many
            rounds.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        if link not in ("vote", "exponential"):
            raise ValueError(f"`link` must be 'vote' or 'exponential', got {link!r}.")
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
    """Effect of one member on the training rows: which it misclassifies, or by how much it changes their margins."""

    def __init__(self, error, alpha, *, wrong=None, predicted=None, margins=None, votes=None):
        self.error, self.alpha = error, alpha
        self.wrong, self.predicted = wrong, predicted
        self.margins, self.votes = margins, votes


class _Rounds:
    """Weights of the training rows and diagnostics of each round.

    The margin of a row, y f for two classes, increases by alpha (K-1)/K if a member is right and decreases by alpha/K
    if it is wrong, or changes by the real-valued scores. The weights are exp(-margin), scaled to sum to 1.
    """

    def __init__(self, model, codes, weights):
        self.model, self.codes, self.start = model, codes, weights
        # A weight of exactly 0 could never grow again; scikit-learn has the same safeguard.
        self.weights = np.maximum(weights, _EPS)
        self.margins = np.zeros(len(codes))
        self.second = (codes == 1).view(np.uint8)  # a vote of 0 goes to the first class
        K = model.n_classes_
        self.votes = np.zeros((len(codes), K)) if K > 2 else None
        self.rows = np.arange(len(codes))
        self.history = {name: [] for name in ("error", "alpha", "Z", "exponential_loss", "training_error")}
        self.stored = [weights] if model.store_weights else None

    def take(self, step):
        """Update the weights with one member, and return whether another round is possible."""
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
        """Weighted training error of the votes so far."""
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
