"""Rules in an order: the first that holds speaks."""

from dataclasses import replace

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import HasMethods, Real, check_params
from statlearn._core.validation import check_weights, encode_classes, validate_data

from ._attributes import read_columns
from ._multiway import MultiwayClassifier
from ._rules import Rule
from ._tree import DecisionTreeClassifier
from ._tree_base import BaseDecisionTree
from ._tree_rules import precision_of, rule_table, rules_from_tree, shortened, sorted_rules


class DecisionList(ClassifierMixin, BaseEstimator):
    """If this then that, else if ..., else the default: rules of a tree, shortened and sorted.

    A tree is grown, each leaf becomes a rule, and conditions are dropped from it as long as its precision rises by
    that. The rules are sorted by precision. A row gets the class of the first rule that it meets, or the default class.

    Parameters
    ----------
    estimator : tree classifier or None, default=None
        The tree; None is a :class:`DecisionTreeClassifier` with at least five rows in a leaf.
    validation_fraction : float or None, default=None
        Share of the rows that is kept from the tree, to judge its rules by their precision there. None judges by the
        training rows with one row of each class added, which makes rules of few rows look worse.
    random_state : int, RandomState or None, default=None
        Draws the rows for validation.

    Attributes
    ----------
    rules_ : list of Rule
        In their order; the last one has no condition.
    shares_ : ndarray of shape (n_rules, n_classes)
        Class shares of the training rows that meet each rule, those that earlier rules took among them; for the last
        rule of the rows that no other takes.
    estimator_ : estimator
        The tree.
    classes_ : ndarray
        The labels, sorted.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Rules are easier to read than the tree they come from when conditions fall away, and each can be judged alone; the
    price is that they overlap. A rule is relabelled where another class is more frequent among the rows it covers.

    Dropping conditions costs O(n) for each condition of each rule, and again for every one dropped.

    References
    ----------
    Rivest, R. L. (1987). Learning decision lists. *Machine Learning* 2, 229-246.

    Quinlan, J. R. (1993). *C4.5: Programs for Machine Learning*, chapter 5.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.trees import DecisionList
    >>> X, y = load_iris(return_X_y=True)
    >>> model = DecisionList().fit(X, y)
    >>> print(model.rules_[0])
    x2 <= 2.45 -> 0 (50 rows, 100% right)
    """

    _constraints = {
        "estimator": [HasMethods("fit", "predict"), None],
        "validation_fraction": [Real(0, 1, closed="neither"), None],
        "random_state": ["random_state"],
    }

    def __init__(self, estimator=None, *, validation_fraction=None, random_state=None):
        self.estimator = estimator
        self.validation_fraction = validation_fraction
        self.random_state = random_state

    def _template(self, total=np.inf):
        if self.estimator is not None:
            return self.estimator
        # Five rows in a leaf by weight, so that weights equal copies.
        return DecisionTreeClassifier(min_weight_fraction_leaf=min(5 * (1 - 1e-9) / total, 0.5), random_state=0)

    def fit(self, X, y, sample_weight=None, *, X_val=None, y_val=None):
        """Grow the tree and make the list.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
            Labels.
        sample_weight : array-like of shape (n_rows,) or None
        X_val, y_val : array-like or None
            Rows to judge the rules by, instead of a share of X.

        Returns
        -------
        self
        """
        check_params(self)
        tree = self._template()
        if not isinstance(tree, (BaseDecisionTree, MultiwayClassifier)) or not is_classifier(tree):
            raise ValueError(f"estimator must be a tree classifier of statlearn.trees; got {type(tree).__name__}.")
        y = self._checked(X, y)
        weights = check_weights(sample_weight, np.empty((len(y), 1)))
        weights = np.ones(len(y)) if weights is None else weights
        self.classes_, _ = encode_classes(y[weights > 0], minimum=1)
        grown = np.ones(len(y), bool)
        if X_val is None and self.validation_fraction is not None:
            grown = ~self._held_out(y)
        from statlearn._core.frames import take_rows

        rows = np.flatnonzero(grown)
        self.estimator_ = clone(self._template(weights[rows].sum()))
        self.estimator_.fit(take_rows(X, rows), y[rows], sample_weight=weights[rows])
        table = rule_table(self.estimator_, X)
        if X_val is not None:
            rules = rules_from_tree(self.estimator_, X_val, y_val)
        elif not grown.all():
            held = [column[~grown] for column in table]
            rules = _judged_on(rules_from_tree(self.estimator_), held, y[~grown], weights[~grown])
        else:
            rules = _judged_on(
                rules_from_tree(self.estimator_), table, y, weights, smoothing=1.0, n_classes=len(self.classes_)
            )
        self._settle([rule for rule in rules if rule.conditions], table, y, weights)
        return self

    def _checked(self, X, y):
        """Checks the table as the tree will read it; the labels."""
        if isinstance(self._template(), MultiwayClassifier) or hasattr(X, "columns"):
            _, _, y = read_columns(self, X, y, reset=True)
            return y
        return validate_data(self, X, y, dtype="numeric", accept_sparse="csr", ensure_all_finite="allow-nan")[1]

    def _held_out(self, y):
        """Mask of the rows for validation: a share of each class, but never its last row."""
        rng = check_random_state(self.random_state)
        mask = np.zeros(len(y), bool)
        for label in self.classes_:
            own = rng.permutation(np.flatnonzero(y == label))
            mask[own[: min(round(self.validation_fraction * len(own)), len(own) - 1)]] = True
        return mask

    def _settle(self, rules, table, y, weights):
        """Labels and shares of the rules by the training rows, and the default behind them."""
        left = weights > 0
        known = np.searchsorted(self.classes_, y)
        known = np.where(np.isin(y, self.classes_), known, 0)
        self.rules_, shares = [], []
        for rule in rules:
            mask = rule.covers(table) & (weights > 0)
            if not (mask & left).any():
                continue  # earlier rules take all its rows
            counts = np.bincount(known[mask], weights[mask], len(self.classes_))
            best = int(np.argmax(counts))
            share = counts / counts.sum()
            left &= ~mask
            self.rules_.append(
                replace(rule, prediction=self.classes_[best], support=float(counts.sum()), precision=float(share[best]))
            )
            shares.append(share)
        rest = left if left.any() else weights > 0
        counts = np.bincount(known[rest], weights[rest], len(self.classes_))
        share = counts / counts.sum()
        best = int(np.argmax(counts))
        self.rules_.append(Rule((), self.classes_[best], float(weights[left].sum()), float(share[best])))
        self.shares_ = np.array([*shares, share])

    def apply(self, X):
        """The number of the first rule that each row meets.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)

        Returns
        -------
        ndarray of int
        """
        check_is_fitted(self)
        if isinstance(self.estimator_, MultiwayClassifier) or hasattr(X, "columns"):
            read_columns(self, X)
        else:
            X = validate_data(self, X, dtype="numeric", accept_sparse="csr", ensure_all_finite="allow-nan", reset=False)
        table = rule_table(self.estimator_, X)
        found = np.full(len(table[0]), len(self.rules_) - 1)
        for k in range(len(self.rules_) - 2, -1, -1):
            found[self.rules_[k].covers(table)] = k
        return found

    def predict_proba(self, X):
        """Class shares of the training rows of the first rule that each row meets."""
        rule = self.apply(X)
        return self.shares_[rule]

    def predict(self, X):
        """The class of the first rule that each row meets."""
        best = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[best]

    def __str__(self):
        if not hasattr(self, "rules_"):
            return repr(self)
        return "\n".join(("if   " if k == 0 else "else ") + str(rule) for k, rule in enumerate(self.rules_))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        own = get_tags(self._template())
        tags.input_tags.allow_nan = own.input_tags.allow_nan
        tags.input_tags.sparse = own.input_tags.sparse
        tags.input_tags.categorical = True
        return tags


def _judged_on(rules, table, y, weights, **smoothing):
    """Rules shortened and sorted by their precision on these rows."""
    found = []
    for rule in rules:
        short = shortened(rule, table, y, weights, **smoothing)
        precision, support = precision_of(short, table, y, weights, **smoothing)
        found.append(replace(short, precision=precision, support=support))
    return sorted_rules(found)
