"""Association rules as an estimator."""

from numbers import Number

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget
from statlearn._core.frames import as_frame
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.validation import check_weights, validate_data

from ._baskets import Baskets
from ._binarize import BinarizeDataset
from ._mine import frequent_itemsets
from ._rules import association_rules, filter_rules
from ._significance import CORRECTIONS, lift_interval, rule_significance

_AT_ONCE = 20_000_000  # scores of baskets and items held in memory


class AssociationRules(BaseEstimator):
    """Association rules of baskets or of a table, with recommendations for new baskets.

    Finds the frequent item sets, forms the rules that reach the confidence, and drops those that fail the other
    filters.

    Parameters
    ----------
    min_support : float or int, default=0.1
        Smallest support of a rule. A float of at most 1 is a share of the baskets, an integer is a count.
    min_confidence : float, default=0.5
        Smallest confidence.
    max_len : int or None, default=5
        Largest number of items of a rule.
    max_consequent : int or None, default=1
        Largest number of items of the consequent.
    thresholds : dict of str to float or None, default=None
        Smallest values of other measures, such as ``{"lift": 1.2}``; see :func:`rule_metrics`.
    redundant : bool, default=False
        Whether to keep rules that predict no better than a rule with fewer conditions.
    max_p : float or None, default=None
        Largest p-value of Fisher's test, after correction. None keeps all rules.
    correction : {"bonferroni", "holm", "tarone", "fdr_bh", "fdr_by"} or None, default="holm"
        Correction of the p-values for the number of rules examined.
    n_bins : int, default=2
        Number of intervals for each numeric column, if X is a table that is not boolean.
    max_sets : int or None, default=None
        Largest number of item sets; see :func:`frequent_itemsets`.

    Attributes
    ----------
    rule_set_ : Rules
        The rules, by decreasing lift, with p-values (unless weights are fractional) and intervals of the lift.
    rules_ : data frame
        The same as a table: polars if X was a polars frame, otherwise pandas.
    itemsets_ : Itemsets
        The frequent item sets.
    items_ : list
        Labels of the items.
    binarizer_ : BinarizeDataset or None
        How the table became items; None for baskets and boolean tables.
    n_baskets_ : int or float
        Number of baskets, or their weight.
    n_features_in_ : int
        Number of columns of X, if it is a table.
    feature_names_in_ : ndarray of str
        Column names of X, if it has any.

    See Also
    --------
    frequent_itemsets, association_rules, filter_rules : the steps.

    Notes
    -----
    X may be a list of baskets, a table of booleans (or zeros and ones) with a column per item, or any other table,
    which :class:`BinarizeDataset` turns into items. In such a table missing values have no item.

    High thresholds favour frequent items; rare ones vanish from the rules. Compare with :func:`frequency_comparison`.

    Examples
    --------
    >>> from statlearn.rules import AssociationRules
    >>> baskets = 3 * [["beer", "crisps"]] + 2 * [["bread", "milk"]] + [["beer"], ["milk"]]
    >>> model = AssociationRules(min_support=0.2, min_confidence=0.7).fit(baskets)
    >>> model.rule_set_
    3 rules from 7 baskets
      {bread} => {milk}  support 0.286  confidence 1  lift 2.33
      {crisps} => {beer}  support 0.429  confidence 1  lift 1.75
      {beer} => {crisps}  support 0.429  confidence 0.75  lift 1.75
    >>> model.recommend([["beer"], ["bread", "salt"]])
    [['crisps'], ['milk']]
    """

    _constraints = {
        "min_support": [Real(0, 1, closed="right"), Int(1, None)],
        "min_confidence": [Real(0, 1, closed="both")],
        "max_len": [Int(1, None), None],
        "max_consequent": [Int(1, None), None],
        "thresholds": [Instance(dict), None],
        "redundant": ["boolean"],
        "max_p": [Real(0, 1, closed="both"), None],
        "correction": [Options(*CORRECTIONS), None],
        "n_bins": [Int(2, 65_536)],
        "max_sets": [Int(1, 2**31 - 1), None],
    }

    def __init__(
        self,
        min_support=0.1,
        min_confidence=0.5,
        *,
        max_len=5,
        max_consequent=1,
        thresholds=None,
        redundant=False,
        max_p=None,
        correction="holm",
        n_bins=2,
        max_sets=None,
    ):
        self.min_support = min_support
        self.min_confidence = min_confidence
        self.max_len = max_len
        self.max_consequent = max_consequent
        self.thresholds = thresholds
        self.redundant = redundant
        self.max_p = max_p
        self.correction = correction
        self.n_bins = n_bins
        self.max_sets = max_sets

    def fit(self, X, y=None, sample_weight=None):
        """Find the rules.

        Parameters
        ----------
        X : Baskets, iterable of iterables, data frame, array or sparse matrix
            Lists of items, a table of booleans, or a table to binarise.
        y : ignored
        sample_weight : array-like of shape (n_baskets,) or None, default=None
            A weight of k is equivalent to k copies of the basket, a weight of 0 to omitting it.

        Returns
        -------
        self
        """
        check_params(self)
        baskets = self._read(X, sample_weight)
        self.items_ = baskets.items
        self.itemsets_ = frequent_itemsets(
            baskets, self.min_support, max_len=self.max_len, max_sets=self.max_sets, sample_weight=sample_weight
        )
        self.n_baskets_ = self.itemsets_.n_baskets
        rules = association_rules(
            self.itemsets_, self.min_confidence, thresholds=self.thresholds, max_consequent=self.max_consequent
        )
        if not self.redundant:
            rules = filter_rules(rules, redundant=False)
        if rules.counts.dtype.kind != "f":
            rules = rule_significance(rules, correction=self.correction)
        elif self.max_p is not None:
            raise ValueError(
                "`max_p` requires whole counts, but sample_weight has fractions; Fisher's test is not defined."
            )
        low, high = lift_interval(rules)
        rules = rules.with_columns(lift_low=low, lift_high=high).sort("lift")
        if self.max_p is not None:
            rules = rules.select(rules.columns["p_adjusted"] <= self.max_p)
        self.rule_set_ = rules
        return self

    def _read(self, X, sample_weight):
        """The baskets, and how they were derived from a table."""
        self.binarizer_, self._polars = None, type(X).__module__.split(".")[0] == "polars"
        forget(self, "n_features_in_", "feature_names_in_")
        X = _as_table(X)
        if not _is_table(X):
            return Baskets(X)
        if isinstance(X, np.ndarray):
            X = validate_data(self, X, dtype=None, ensure_all_finite="allow-nan")
        else:
            validate_data(self, X, skip_check_array=True)
        if _is_boolean(X):
            return Baskets(X)
        if sparse.issparse(X):
            raise ValueError("X is sparse and contains values other than 0 and 1; pass a dense table to binarise it.")
        weights = check_weights(sample_weight, np.empty((_n_rows(X), 0)))
        self.binarizer_ = BinarizeDataset(n_bins=self.n_bins, missing="ignore")
        self.binarizer_._learn(X, weights)
        return self._binarized(X)

    def _binarized(self, X):
        rows, columns = np.nonzero(self.binarizer_.transform(X))
        indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=_n_rows(X)))])
        return Baskets.from_arrays(self.binarizer_.items_, indptr, columns)

    @property
    def rules_(self):
        """The rules as a data frame: polars if X was a polars frame, else pandas."""
        check_is_fitted(self)
        return self.rule_set_.to_frame("polars" if self._polars else "pandas")

    def _matrix(self, X):
        """The baskets over the known items, as a CSR matrix of integers."""
        check_is_fitted(self)
        X = _as_table(X)
        if _is_table(X):
            if not hasattr(self, "n_features_in_"):
                raise ValueError("X must be baskets (lists of items), as in fit, not a table.")
            if isinstance(X, np.ndarray):
                X = validate_data(self, X, dtype=None, ensure_all_finite="allow-nan", reset=False)
            else:
                validate_data(self, X, reset=False, skip_check_array=True)
        elif self.binarizer_ is not None:
            raise ValueError("X must be a table with the columns of fit, not a collection of lists.")
        baskets = Baskets(X) if self.binarizer_ is None else self._binarized(X)
        place = {label: k for k, label in enumerate(self.items_)}
        known = np.array([place.get(label, -1) for label in baskets.items], dtype=np.int64)
        codes = known[baskets.indices] if len(baskets.indices) else np.empty(0, dtype=np.int64)
        indptr = np.concatenate([[0], np.cumsum(codes >= 0)])[baskets.indptr]
        ones = np.ones(int(indptr[-1]), dtype=np.int32)
        return sparse.csr_matrix((ones, codes[codes >= 0], indptr), shape=(len(baskets), len(self.items_)))

    def _check_state(self):
        if hasattr(self, "rule_set_") and not len(self.items_) == len(self.rule_set_.items) == len(
            self.itemsets_.items
        ):
            raise ValueError("`rule_set_` must be rules about `items_`.")

    def _scores(self, matrix, by):
        """Best value of a measure over the rules that apply, for each basket and item; 0 if none applies."""
        rules, p = self.rule_set_, len(self.items_)
        values = np.nan_to_num(np.asarray(rules.metric(by), dtype=float), nan=-np.inf)
        flat, offsets = rules.antecedents
        sizes = np.diff(offsets)
        antecedents = sparse.csr_matrix((np.ones(len(flat), dtype=np.int32), flat, offsets), shape=(len(rules), p))
        consequents, starts = rules.consequents
        rows_at_once = max(1, _AT_ONCE // max(p, len(rules), 1))
        for begin in range(0, matrix.shape[0], rows_at_once):
            part = matrix[begin : begin + rows_at_once]
            scores = np.full(part.shape, -np.inf)
            shared = (part @ antecedents.T).tocoo()
            applies = shared.data == sizes[shared.col]
            rows, which = shared.row[applies], shared.col[applies]
            lengths = np.diff(starts)[which]
            ends = np.cumsum(lengths)
            entries = np.repeat(starts[:-1][which] - (ends - lengths), lengths) + np.arange(lengths.sum())
            np.maximum.at(scores, (np.repeat(rows, lengths), consequents[entries]), np.repeat(values[which], lengths))
            scores[part.nonzero()] = -np.inf
            yield scores

    def predict(self, X):
        """Items that the rules add to each basket.

        Parameters
        ----------
        X : as in fit
            Baskets. Items that `fit` has not seen are ignored.

        Returns
        -------
        ndarray of bool, of shape (n_baskets, n_items)
            Columns in the order of `items_`. True if the basket contains the antecedent of a rule but not this item of
            its consequent.
        """
        matrix = self._matrix(X)
        predicted = [scores > -np.inf for scores in self._scores(matrix, "confidence")]
        return np.vstack(predicted) if predicted else np.zeros(matrix.shape, dtype=bool)

    def recommend(self, X, n=5, *, by="confidence", scores=False):
        """Items to add to each basket, the best first.

        Parameters
        ----------
        X : as in fit
            Baskets. Items that `fit` has not seen are ignored.
        n : int, default=5
            Largest number of items per basket.
        by : str, default="confidence"
            Measure of the best rule that applies; see :func:`rule_metrics`.
        scores : bool, default=False
            Whether to return pairs of item and value.

        Returns
        -------
        list of list
            For each basket, items in the consequent of a rule whose antecedent it contains, without its own items.
        """
        recommended = []
        for block in self._scores(self._matrix(X), by):
            for row in block:
                best = np.argsort(-row, kind="stable")[:n]
                best_items = [(self.items_[k], float(row[k])) for k in best if row[k] > -np.inf]
                recommended.append(best_items if scores else [item for item, _ in best_items])
        return recommended

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def _as_table(X):
    """Array-like objects as arrays."""
    if hasattr(X, "__array__") and not isinstance(X, np.ndarray) and as_frame(X) is None and not hasattr(X, "to_list"):
        return np.asarray(X)
    return X


def _is_table(X):
    if as_frame(X) is not None:
        frame = as_frame(X)
        if len(frame.columns) != 1:
            return True
        first = next((value for value in frame[frame.columns[0]].to_list() if value is not None), None)
        return not isinstance(first, (list, tuple, set, frozenset)) and not hasattr(first, "to_list")
    return sparse.issparse(X) or (isinstance(X, np.ndarray) and (X.ndim != 1 or not _holds_lists(X)))


def _holds_lists(X):
    return X.dtype.kind == "O" and not any(isinstance(row, (str, Number)) for row in X)


def _is_boolean(X):
    try:
        Baskets(X)
    except ValueError:
        return False
    return True


def _n_rows(X):
    return X.shape[0] if hasattr(X, "shape") else len(X)
