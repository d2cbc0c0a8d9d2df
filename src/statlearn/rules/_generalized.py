"""Generalised association rules: regions of a table that hold more rows than independent columns would put there."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.names import input_names
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.text_list import TextList
from statlearn.trees import PRIM, DecisionTreeClassifier, rules_from_tree

from ._binarize import read_table
from ._density_ratio import reference_sample


@dataclass(repr=False)
class Region:
    """A region of the table and how full it is.

    Parameters
    ----------
    rule : Rule
        Its conditions; their values are codes of `levels` for columns of categories.
    text : str
        The conditions as text.
    support : float
        Share of the rows in the region.
    expected : float
        Product of the shares that satisfy the conditions of each column: the support if the columns were independent.
    n_rows : int
        Number of rows behind the shares.
    """

    rule: object
    text: str
    support: float
    expected: float
    n_rows: int

    @property
    def ratio(self):
        """Support relative to independence."""
        return self.support / self.expected if self.expected > 0 else np.nan

    def row(self):
        """Cells of the region in a table."""
        values = {"support": self.support, "expected": self.expected, "ratio": self.ratio}
        return {"region": self.text, **{name: float(value) for name, value in values.items()}, "n_rows": self.n_rows}

    def __repr__(self):
        return str(self)

    def __str__(self):
        return f"{self.text}: support {self.support:.3g}, expected {self.expected:.3g}, ratio {self.ratio:.3g}"


class GeneralizedRules(TransformerMixin, BaseEstimator):
    r"""Regions with many more rows than independent columns would give, found by trees or PRIM.

    Looks for columns J and subsets s_j of their values with

    .. math:: \hat P\Big(\bigcap_{j \in J} x_j \in s_j\Big) \gg \prod_{j \in J} \hat P(x_j \in s_j) .

    The rows are labelled 1, rows with each column permuted on its own are labelled 0, and a decision tree or PRIM looks
    for boxes rich in label 1. Subsets are intervals of numbers and sets of categories, so that the regions can express
    more than "this column has this value". The search is greedy, unlike that for item sets.

    Parameters
    ----------
    method : {"tree", "prim"}, default="tree"
        Search: the leaves of one classification tree, which do not overlap, or the boxes of PRIM.
    min_support : float, default=0.05
        Smallest share of rows, real and permuted together, of a leaf or box.
    min_ratio : float, default=1.2
        Smallest ratio of support to expected support.
    max_regions : int, default=10
        Largest number of regions.
    max_depth : int or None, default=6
        Largest number of conditions of a leaf (method "tree").
    holdout : float, default=0.3
        Share of the rows held out to measure the regions. 0 measures them on the rows that found them, which is
        optimistic.
    n_copies : int, default=1
        Number of permuted rows per row.
    random_state : int, RandomState instance or None, default=None
        Seed of the permutations and of the held-out rows.

    Attributes
    ----------
    regions_ : list of Region
        The regions by decreasing ratio, each with `text`, `support`, `expected` and `ratio`.
    levels_ : dict of int to list
        Categories of the columns that are not numeric, by position.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Column names of X, if it has any.

    See Also
    --------
    density_ratio : the ratio itself, for any classifier.
    AssociationRules : exhaustive search for sets of items.

    References
    ----------
    Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, sections 14.2.4 to 14.2.6.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.rules import GeneralizedRules
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(size=2000)
    >>> X = np.column_stack([x, (x + rng.uniform(0, 0.3, 2000)) % 1, rng.uniform(size=2000)])
    >>> model = GeneralizedRules(random_state=0).fit(X)
    >>> bool(model.regions_[0].ratio > 2)
    True
    """

    _constraints = {
        "method": [Options("tree", "prim")],
        "min_support": [Real(0, 1, closed="neither")],
        "min_ratio": [Real(0, None)],
        "max_regions": [Int(1, None)],
        "max_depth": [Int(1, None), None],
        "holdout": [Real(0, 1, closed="left")],
        "n_copies": [Int(1, 100)],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        method="tree",
        min_support=0.05,
        min_ratio=1.2,
        max_regions=10,
        max_depth=6,
        holdout=0.3,
        n_copies=1,
        random_state=None,
    ):
        self.method = method
        self.min_support = min_support
        self.min_ratio = min_ratio
        self.max_regions = max_regions
        self.max_depth = max_depth
        self.holdout = holdout
        self.n_copies = n_copies
        self.random_state = random_state

    def fit(self, X, y=None):
        """Find the regions.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_columns)
            Numbers and categories, without missing values.
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        self._names, columns = self._read(X, reset=True)
        self.levels_ = {}
        for j, cells in enumerate(columns):
            if cells.type not in ("number", "boolean", "date"):
                self.levels_[j] = sorted(set(cells.as_strings()))
        table = self._encode(columns)
        rng = check_random_state(self.random_state)
        n = len(table)
        order = rng.permutation(n)
        n_held = int(self.holdout * n)
        if n - n_held < 2:
            raise ValueError(f"n_samples={n} is too small for holdout={self.holdout}: at least 2 rows must remain.")
        search, judged = table[order[n_held:]], table[order[:n_held]] if n_held else table
        null = np.vstack([reference_sample(search, "permuted", len(search), rng) for _ in range(self.n_copies)])
        rows, labels = np.vstack([search, null]), np.repeat([1, 0], [len(search), len(null)])
        regions = [self._measure(rule, judged) for rule in self._search(rows, labels, rng)]
        dense_regions = [r for r in regions if r.expected > 0 and r.ratio >= self.min_ratio]
        self._regions = sorted(dense_regions, key=lambda r: -r.ratio)[: self.max_regions]
        return self

    @property
    def regions_(self):
        """The regions by decreasing ratio, one per line."""
        return TextList(self._regions)

    def _read(self, X, reset):
        names, columns = read_table(self, X, reset)
        for name, cells in zip(names, columns):
            if cells.type == "empty" or cells.missing.any():
                raise ValueError(f"Input X contains NaN or missing values in column {name!r}; drop these rows.")
            if cells.type == "number" and np.isinf(cells.values).any():
                raise ValueError(f"Input X contains infinity in column {name!r}.")
        return names, columns

    def _encode(self, columns):
        table = np.empty((len(columns[0]), len(columns)))
        for j, cells in enumerate(columns):
            if j in self.levels_:
                place = {level: k for k, level in enumerate(self.levels_[j])}
                table[:, j] = [place.get(value, -1) for value in cells.as_strings()]
            elif cells.type == "date":
                table[:, j] = cells.values.astype("datetime64[s]").astype(np.float64)
            elif cells.type in ("number", "boolean"):
                table[:, j] = cells.values
            else:
                raise ValueError(f"Column {self._names[j]!r} of X contains text, but had numbers at fit.")
        return table

    def _search(self, rows, labels, rng):
        categorical = sorted(self.levels_)
        leaf = max(2, int(np.ceil(self.min_support * len(rows))))
        if self.method == "tree":
            tree = DecisionTreeClassifier(
                max_depth=self.max_depth,
                min_samples_leaf=leaf,
                categorical_features=categorical or None,
                random_state=rng.randint(2**31),
            ).fit(rows, labels)
            return rules_from_tree(tree)
        prim = PRIM(n_min=leaf, max_boxes=self.max_regions, cv=None, categorical_features=categorical or None)
        return prim.fit(rows, labels.astype(float)).rules()[:-1]

    def _measure(self, rule, table):
        columns, words = {}, []
        for condition in rule.conditions:
            columns.setdefault(condition.feature, []).append(condition)
        inside, expected = np.ones(len(table), dtype=bool), 1.0
        for j, conditions in columns.items():
            holds = np.all([condition.holds(table[:, j]) for condition in conditions], axis=0)
            inside &= holds
            expected *= holds.mean()
            words += [self._words(j, condition) for condition in conditions]
        return Region(rule, " and ".join(words) or "everything", float(inside.mean()), float(expected), len(table))

    def _words(self, j, condition):
        name = self._names[j]
        if j in self.levels_:
            values = condition.value if isinstance(condition.value, tuple) else (condition.value,)
            inverted = condition.operator in ("not in", "!=")
            levels = [level for k, level in enumerate(self.levels_[j]) if (k in values) != inverted]
            return f"{name} in {{{', '.join(levels)}}}"
        return f"{name} {condition.operator} {condition.value:.6g}"

    def transform(self, X):
        """Whether each row lies in each region.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_columns)

        Returns
        -------
        ndarray of bool, of shape (n_rows, n_regions)
        """
        check_is_fitted(self)
        table = self._encode(self._read(X, reset=False)[1])
        inside = np.zeros((len(table), len(self._regions)), dtype=bool)
        for k, region in enumerate(self._regions):
            inside[:, k] = region.rule.covers(table)
        return inside

    def get_feature_names_out(self, input_features=None):
        """Names of the regions.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names of the columns of X; they must match those of `fit`.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        input_names(self, input_features)  # raises if they do not match
        return np.array([f"region{k}" for k in range(len(self._regions))], dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags
