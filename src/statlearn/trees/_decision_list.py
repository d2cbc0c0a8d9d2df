"""Decision lists: ordered rules of which the first match decides."""

from dataclasses import replace

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import HasMethods, Real, check_params
from statlearn._core.text_list import TextList
from statlearn._core.validation import check_weights, encode_classes, validate_data

from ._attributes import read_columns
from ._multiway import MultiwayClassifier
from ._rules import Rule
from ._tree import DecisionTreeClassifier
from ._tree_base import BaseDecisionTree
from ._tree_rules import precision_of, rule_table, rules_from_tree, shortened, sorted_rules


class DecisionList(ClassifierMixin, BaseEstimator):
    """Decision list: ordered if-then rules extracted from a decision tree.

    A tree is grown and each leaf becomes a rule. Conditions are dropped from a rule as long as this raises its
    precision, and the rules are sorted by precision. A row is assigned the class of the first rule it satisfies, or
    the default class if it satisfies none.

    Parameters
    ----------
    estimator : tree classifier or None, default=None
        The tree. None uses a :class:`DecisionTreeClassifier` with at least five rows in each leaf.
    validation_fraction : float or None, default=None
        Proportion of the rows held out from growing the tree, on which the precision of its rules is estimated. None
        estimates precision on the training rows with one row of each class added, which penalises rules that cover few
        rows.
    random_state : int, RandomState or None, default=None
        Seed for drawing the validation rows.

    Attributes
    ----------
    rules_ : list of Rule
        The rules in order. The last one, the default, has no conditions.
    shares_ : ndarray of shape (n_rules, n_classes)
        Class proportions of the training rows that satisfy each rule, including rows covered by earlier rules. For the
        default rule, those of the rows that no other rule covers.
    estimator_ : estimator
        The fitted tree.
    classes_ : ndarray
        The class labels, sorted.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Shortened rules are easier to read than the tree they come from, and each can be judged on its own, but they
    overlap. A rule is relabelled if another class is more frequent among the rows it covers.

    Dropping conditions costs O(n) for each condition of each rule, repeated for every condition dropped.

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
        # The minimum leaf size counts weight, so that integer weights are equivalent to repeated rows.
        return DecisionTreeClassifier(min_weight_fraction_leaf=min(5 * (1 - 1e-9) / total, 0.5), random_state=0)

    def fit(self, X, y, sample_weight=None, *, X_val=None, y_val=None):
        """Grow the tree and extract the decision list.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
            Class labels.
        sample_weight : array-like of shape (n_rows,) or None, default=None
        X_val, y_val : array-like or None, default=None
            Validation rows on which to estimate the precision of the rules, instead of a part of X.

        Returns
        -------
        self
        """
        check_params(self)
        tree = self._template()
        if not (isinstance(tree, (BaseDecisionTree, MultiwayClassifier)) and is_classifier(tree)):
            raise TypeError(
                f"`estimator` must be a statlearn tree classifier with rules, such as DecisionTreeClassifier or "
                f"C45Classifier, got {type(self.estimator).__name__}."
            )
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
        """Check the table as the tree will read it, and return the labels."""
        if isinstance(self._template(), MultiwayClassifier) or hasattr(X, "columns"):
            _, _, y = read_columns(self, X, y, reset=True)
            return y
        return validate_data(self, X, y, dtype="numeric", accept_sparse="csr", ensure_all_finite="allow-nan")[1]

    def _held_out(self, y):
        """Mask of the validation rows: a fraction of each class, always leaving at least one training row."""
        rng = check_random_state(self.random_state)
        mask = np.zeros(len(y), bool)
        for label in self.classes_:
            of_class = rng.permutation(np.flatnonzero(y == label))
            mask[of_class[: min(round(self.validation_fraction * len(of_class)), len(of_class) - 1)]] = True
        return mask

    @property
    def rules_(self):
        """The rules in order, one per line."""
        return TextList(self._rules)

    def _settle(self, rules, table, y, weights):
        """Set labels and class proportions of the rules from the training rows, and append the default rule."""
        left = weights > 0
        known = np.searchsorted(self.classes_, y)
        known = np.where(np.isin(y, self.classes_), known, 0)
        self._rules, shares = [], []
        for rule in rules:
            mask = rule.covers(table) & (weights > 0)
            if not (mask & left).any():
                continue  # earlier rules cover all of its rows
            counts = np.bincount(known[mask], weights[mask], len(self.classes_))
            best = int(np.argmax(counts))
            share = counts / counts.sum()
            left &= ~mask
            self._rules.append(
                replace(rule, prediction=self.classes_[best], support=float(counts.sum()), precision=float(share[best]))
            )
            shares.append(share)
        rest = left if left.any() else weights > 0
        counts = np.bincount(known[rest], weights[rest], len(self.classes_))
        share = counts / counts.sum()
        best = int(np.argmax(counts))
        self._rules.append(Rule((), self.classes_[best], float(weights[left].sum()), float(share[best])))
        self.shares_ = np.array([*shares, share])

    def apply(self, X):
        """Index of the first rule that each row satisfies.

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
        rule_of = np.full(len(table[0]), len(self._rules) - 1)
        for k in range(len(self._rules) - 2, -1, -1):
            rule_of[self._rules[k].covers(table)] = k
        return rule_of

    def predict_proba(self, X):
        """Class probabilities: training class proportions of the first rule that each row satisfies."""
        rule = self.apply(X)
        return self.shares_[rule]

    def predict(self, X):
        """Predicted class: that of the first rule each row satisfies."""
        best = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[best]

    def __str__(self):
        if not hasattr(self, "_rules"):
            return repr(self)
        return "\n".join(("if   " if k == 0 else "else ") + str(rule) for k, rule in enumerate(self._rules))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self._template())
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.categorical = True
        return tags


def _judged_on(rules, table, y, weights, **smoothing):
    """The rules, shortened and sorted by their precision on the given rows."""
    judged = []
    for rule in rules:
        short = shortened(rule, table, y, weights, **smoothing)
        precision, support = precision_of(short, table, y, weights, **smoothing)
        judged.append(replace(short, precision=precision, support=support))
    return sorted_rules(judged)
