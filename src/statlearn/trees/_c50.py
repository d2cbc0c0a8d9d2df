"""C5.0: boosted C4.5 trees or sets of rules, winnowing of columns, and costs of errors."""

from dataclasses import replace
from functools import partial

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget, take_attributes
from statlearn._core.params import Int, check_params
from statlearn._core.text_list import TextList

from ._attributes import column_names, decode, encode, read_columns
from ._c45 import C45Classifier, grown_tree
from ._loss_matrix import check_losses
from ._rules import Rule
from ._tree_rules import precision_of, shortened, sorted_rules
from ._winnow import TrainingRows, winnowed

_NO_ERROR = 1e-12  # share of the weight


def boosted_weights(weights, parts, wrong):
    """Weights of the rows for the next tree; see `C50Classifier`.

    Parameters
    ----------
    weights : ndarray
        Weights for the last tree.
    own : ndarray
        Weights of the rows in the data.
    wrong : ndarray of bool
        Rows that the last tree misclassified; some but not all.
    """
    right_sum, wrong_sum = weights[~wrong].sum(), weights[wrong].sum()
    shift = (right_sum - wrong_sum) / 4
    return np.where(wrong, weights + shift * parts / parts[wrong].sum(), weights * (right_sum - shift) / right_sum)


def training_rules(member, columns, labels, weights):
    """Rules of a tree, shortened and judged on its training rows, and the default rule."""
    n_classes = len(member.classes_)
    judged = []
    for rule in member.rules():
        rule = shortened(rule, columns, labels, weights, smoothing=1.0, n_classes=n_classes)
        precision, support = precision_of(rule, columns, labels, weights, smoothing=1.0, n_classes=n_classes)
        judged.append(replace(rule, precision=precision, support=support))
    rules = [rule for rule in sorted_rules(judged) if rule.conditions]
    left = ~np.any([rule.covers(columns) for rule in rules], axis=0) if rules else np.ones(len(labels), bool)
    rest = left if left.any() else np.ones(len(labels), bool)
    counts = np.bincount(np.searchsorted(member.classes_, labels[rest]), weights[rest], n_classes)
    best = int(counts.argmax())
    share = (counts[best] + 1) / (counts.sum() + n_classes)
    return [*rules, Rule((), member.classes_[best], float(weights[left].sum()), float(share))]


def _best_only(shares):
    """Each row with zeros instead of all but its largest entry."""
    best = shares.argmax(axis=1)[:, None]
    votes = np.zeros_like(shares)
    np.put_along_axis(votes, best, np.take_along_axis(shares, best, axis=1), axis=1)
    return votes


class C50Classifier(ClassifierMixin, BaseEstimator):
    r"""Boosted C4.5 trees or rules that vote by their confidence, as in C5.0.

    The first tree is that of :class:`C45Classifier`. Rows that it misclassifies gain weight for the next tree. With
    :math:`S_+` and :math:`S_-` the weights of the rows that a tree gets right and wrong, and
    :math:`\mu = (S_+ - S_-) / 4`,

    .. math:: w_i \leftarrow w_i\, \frac{S_+ - \mu}{S_+} \;\text{if right}, \qquad
        w_i \leftarrow w_i + \mu\, \frac{s_i}{\sum_{k\text{ wrong}} s_k} \;\text{if wrong},

    so that the total weight remains and the error of the last tree rises halfway towards 1/2. s are the weights of
    the rows in the data. Boosting ends early after a tree without errors, and before a tree that is wrong on at least
    half of the weight or has a single leaf, whose votes would be the same for all rows.

    Parameters
    ----------
    trials : int, default=10
        Maximum number of trees. 1 gives the tree of :class:`C45Classifier`.
    winnow : bool, default=False
        Whether to drop columns before the first tree. A tree is grown on half of the rows; columns that it does not
        use, and those without which its error on the other half does not rise, are dropped. If a tree without them has
        a larger error on the other half, all columns stay.
    rules : bool, default=False
        Whether each tree is replaced by rules, one per leaf, from which conditions are dropped as long as this raises
        the precision. All rules that a row satisfies vote; a row that satisfies none takes the default class.
    loss_matrix : array-like of shape (n_classes, n_classes) or None, default=None
        ``loss_matrix[k, l]`` is the loss of predicting class l when the true class is k. The prediction is the class of
        the smallest expected loss. C5.0 calls it costs.
    criterion : {"gain_ratio", "gain"}, default="gain_ratio"
        As in :class:`C45Classifier`, like all parameters down to `categorical_features`.
    min_samples_leaf : float, default=2
    max_depth : int or None, default=None
    threshold_penalty : bool, default=True
    prune : bool, default=True
    confidence : float, default=0.25
        Confidence level of the error estimate in pruning. Smaller values prune more.
    subtree_raising : bool, default=True
    categorical_features : array-like of int, str or bool, or None, default=None
    random_state : int, RandomState or None, default=None
        Seed of the halves. Only with ``winnow=True``.

    Attributes
    ----------
    estimators_ : list of C45Classifier
        The trees.
    rules_ : list of list of Rule
        The rules of each tree, by decreasing precision; the last one has no conditions. Only with ``rules=True``.
    errors_ : ndarray
        Weighted training error of each tree.
    used_features_ : ndarray of bool
        The columns that are left after winnowing.
    categories_ : list of ndarray or None
        The levels of each categorical column, None for numeric columns.
    classes_ : ndarray
        The class labels, sorted.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    See Also
    --------
    C45Classifier : One tree.
    statlearn.ensemble.AdaBoostClassifier : Boosting of any classifier.
    statlearn.ensemble.GradientBoostingClassifier : Usually more accurate, and faster on many rows.

    Notes
    -----
    A tree votes for its best class with the proportion of this class in the leaf, after one row of each class was
    added. A rule votes with its precision, after the same. `predict_proba` returns the shares of the votes, which are
    not calibrated. For a single tree it returns the class proportions of the leaf.

    Quinlan published C5.0 as a program. The weights follow the description of Kuhn and Johnson; the program also prunes
    the whole tree a second time, selects subsets of the rules and shortens them by another estimate, so its results
    differ in detail.

    Each tree costs as much as a :class:`C45Classifier`. Dropping conditions costs O(n) for each condition of each rule,
    repeated for every condition dropped.

    References
    ----------
    Quinlan, J. R. (1996). Bagging, boosting, and C4.5. *AAAI*, 725-730.

    Kuhn, M. and Johnson, K. (2013). *Applied Predictive Modeling*, section 14.6.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from statlearn.assess import cross_val_score
    >>> from statlearn.trees import C50Classifier
    >>> X, y = load_wine(return_X_y=True)
    >>> [round(float(cross_val_score(C50Classifier(trials), X, y).mean()), 2) for trials in (1, 10)]
    [0.89, 0.91]
    """

    _own_constraints = {
        "trials": [Int(1, None)],
        "winnow": ["boolean"],
        "rules": ["boolean"],
        "loss_matrix": ["array-like", None],
        "random_state": ["random_state"],
    }
    _tree_parameters = (
        "criterion", "min_samples_leaf", "max_depth", "threshold_penalty", "prune", "confidence", "subtree_raising",
        "categorical_features",
    )  # fmt: skip
    _constraints = {**_own_constraints, **{name: C45Classifier._constraints[name] for name in _tree_parameters}}

    def __init__(
        self,
        trials=10,
        *,
        winnow=False,
        rules=False,
        loss_matrix=None,
        criterion="gain_ratio",
        min_samples_leaf=2,
        max_depth=None,
        threshold_penalty=True,
        prune=True,
        confidence=0.25,
        subtree_raising=True,
        categorical_features=None,
        random_state=None,
    ):
        self.trials = trials
        self.winnow = winnow
        self.rules = rules
        self.loss_matrix = loss_matrix
        self.criterion = criterion
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.threshold_penalty = threshold_penalty
        self.prune = prune
        self.confidence = confidence
        self.subtree_raising = subtree_raising
        self.categorical_features = categorical_features
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Grow the trees.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
            Training data. NaN, None and NA are missing values.
        y : array-like of shape (n_rows,)
            Class labels.
        sample_weight : array-like of shape (n_rows,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        settings = {name: getattr(self, name) for name in self._tree_parameters}
        reader = C45Classifier(**settings)
        table, codes, weights = reader._read_training(X, y, sample_weight)
        take_attributes(self, reader, "n_features_in_", "feature_names_in_", "categories_", "classes_")
        self._losses = None if self.loss_matrix is None else check_losses(self.loss_matrix, len(self.classes_))
        rows = TrainingRows(table, reader._levels, codes, weights)
        grow = partial(grown_tree, reader)
        if self.winnow:
            self.used_features_ = winnowed(rows, grow, check_random_state(self.random_state))
        else:
            self.used_features_ = np.ones(table.shape[1], bool)
        self._boost(rows, grow, reader, settings)
        return self

    def _boost(self, rows, grow, reader, settings):
        """Grow trees on weights that increase with the errors of the earlier trees."""
        self.estimators_, errors, rules = [], [], []
        weights, labels = rows.weights.copy(), self.classes_[rows.codes]
        columns = decode(rows.table, self.categories_) if self.rules else None
        while len(self.estimators_) < self.trials:
            member = C45Classifier(**settings)
            names = ("n_features_in_", "feature_names_in_", "categories_", "classes_", "_smoothing")
            take_attributes(member, reader, *names)
            member.tree_ = rows.with_weights(weights).grown(grow, self.used_features_)
            if self.rules:
                tree_rules = training_rules(member, columns, labels, weights)
                votes = self._rule_votes(tree_rules, columns)
            else:
                votes = self._tree_votes(member, rows.table)
            wrong = votes.argmax(axis=1) != rows.codes
            error = weights[wrong].sum() / weights.sum()
            if self.estimators_ and (error >= 0.5 or member.tree_.n_leaves == 1):
                break
            self.estimators_.append(member)
            errors.append(error)
            if self.rules:
                rules.append(tree_rules)
            if error <= _NO_ERROR or error >= 0.5:
                break
            weights = boosted_weights(weights, rows.weights, wrong)
        self.errors_ = np.array(errors)
        forget(self, "_rules")
        if self.rules:
            self._rules = rules

    @property
    def rules_(self):
        """Rules of each tree, one per line."""
        if not hasattr(self, "_rules"):
            raise AttributeError("`rules_` exists only after a fit with rules=True.")
        return [TextList(rules) for rules in self._rules]

    def _tree_votes(self, member, table):
        """For each row the class of its leaf with the share of this class, after one row of each class was added."""
        return _best_only(member.tree_.shares(table, member._levels, 1.0))

    def _rule_votes(self, rules, columns):
        """For each row the best class of the rules it satisfies, with its share of the votes."""
        votes = np.zeros((len(columns[0]), len(self.classes_)))
        for rule in rules[:-1]:
            votes[rule.covers(columns), np.searchsorted(self.classes_, rule.prediction)] += rule.precision
        none = ~votes.any(axis=1)
        votes[none, np.searchsorted(self.classes_, rules[-1].prediction)] = rules[-1].precision
        return _best_only(votes / votes.sum(axis=1, keepdims=True))

    def predict_proba(self, X):
        """Shares of the votes; with one tree, the class proportions of the leaf.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        check_is_fitted(self)
        columns, _, _ = read_columns(self, X)
        table = encode(columns, self.categories_, column_names(self))  # refuses text where numbers were, and back
        if hasattr(self, "_rules"):
            votes = sum(self._rule_votes(rules, columns) for rules in self._rules)
        elif len(self.estimators_) == 1:
            return self.estimators_[0].tree_.shares(table, self.estimators_[0]._levels)
        else:
            votes = sum(self._tree_votes(member, table) for member in self.estimators_)
        return votes / votes.sum(axis=1, keepdims=True)

    def predict(self, X):
        """Predicted class: the one with most votes, or with the smallest expected loss.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        shares = self.predict_proba(X)
        best = shares.argmax(axis=1) if self._losses is None else (shares @ self._losses).argmin(axis=1)
        return self.classes_[best]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
