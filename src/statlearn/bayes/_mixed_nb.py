"""Naive Bayes for tables with columns of different kinds."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from statlearn._core.names import input_names
from statlearn._core.params import HasMethods, Instance, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Summary, Table

from ._base import NO_Y, BaseNB, BayesFactorMixin, log_quietly
from ._column_densities import CategoricalColumn, FittedColumn, GaussianColumn, KernelColumn, PoissonColumn
from ._discrete_base import PRIOR_CONSTRAINTS
from ._moments import ClassMoments
from ._nb_summary import LOG_ODDS_NOTE, category_terms, class_table, log_odds_table
from ._table_reader import TableReaderMixin

_WORDS = ("gaussian", "categorical", "bernoulli", "poisson", "kernel")


class MixedNB(TableReaderMixin, BayesFactorMixin, BaseNB):
    r"""Naive Bayes with a separate density for each column.

    The log posterior of class c is, up to a constant, :math:`\log \pi_c + \sum_j \log f_{jc}(x_j)`, where column j has
    a Gaussian, categorical, Bernoulli, Poisson or kernel density, or any family given. A missing value has no factor,
    in training and prediction.

    Parameters
    ----------
    families : dict or None, default=None
        Family of single columns, by name or index: "gaussian", "categorical", "bernoulli", "poisson", "kernel" (a
        Gaussian kernel density with a bandwidth by the rule nrd0), an estimator with `fit` and `score_samples` or
        `logpdf`, or a distribution of ``scipy.stats``. Other columns are categorical if they contain text or
        categories, and of the `numeric` family if they contain numbers.
    numeric : {"gaussian", "kernel"} or estimator, default="gaussian"
        Family of the columns of numbers that are not in `families`. With "kernel", columns with only one or two
        distinct values are categorical.
    adjust : float, default=1.0
        Factor of the bandwidth of "kernel" columns. Small values give rough densities.
    pooled_weight : float, default=0.0
        Weight, in rows, of the density of all classes together, which is mixed into the density of each class. Applies
        to kernel densities and other given families. A value between 0.1 and 10 keeps a single value in the tails from
        deciding alone, and gives much better probabilities.
    alpha : float, default=1.0
        Pseudo-count of every category.
    var_smoothing : float, default=1e-9
        This share of the variance of a Gaussian column (of the largest one, if it is constant) is added to its
        variances within the classes. In `GaussianNB`, as in scikit-learn, it is always a share of the largest variance,
        which depends on the units of the columns.
    fit_prior : bool, default=True
        Whether to learn the class prior; otherwise it is uniform.
    class_prior : array-like of shape (n_classes,) or None, default=None
    smooth_prior : float, default=0.0
        Pseudo-count of each class in the class prior.
    categorical_features : array-like or None, default=None
        Columns of numbers that are categories, by index, name or mask.

    Attributes
    ----------
    columns_ : list
        The fitted densities, one object per column.
    families_ : list of str
        The kind of each column.
    levels_ : list
        Per column, the levels of text or categories; None for numbers.
    class_count_, class_log_prior_, classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if X has column names that are all strings.

    Notes
    -----
    Densities and probabilities may be mixed because all classes share the scale of a column. `partial_fit` works for
    Gaussian, categorical, Bernoulli and Poisson columns, whose statistics are sums; other densities need all rows at
    once.

    Examples
    --------
    >>> import pandas as pd
    >>> from statlearn.bayes import MixedNB
    >>> X = pd.DataFrame({"height": [1.6, 1.7, 1.8, 1.9], "sport": ["judo", "judo", "rowing", None]})
    >>> model = MixedNB().fit(X, [0, 0, 1, 1])
    >>> model.families_
    ['gaussian', 'categorical']
    >>> model.predict_proba(X).round(3)[:, 1].tolist()
    [0.0, 0.008, 0.993, 1.0]
    """

    _constraints = {
        "families": [Instance(dict), None],
        "numeric": [Options("gaussian", "kernel"), HasMethods("fit")],
        "adjust": [Real(0, None, closed="neither")],
        "pooled_weight": [Real(0, None)],
        "alpha": [Real(0, None)],
        "var_smoothing": [Real(0, None)],
        **PRIOR_CONSTRAINTS,
        "categorical_features": ["array-like", None],
    }
    _search_space = SearchSpace(
        "naive Bayes, kernel densities",
        grid={"adjust": [2.0, 1.0, 0.5], "pooled_weight": [100.0, 10.0, 1.0]},
        fixed={"numeric": "kernel"},
    )

    def __init__(
        self,
        families=None,
        *,
        numeric="gaussian",
        adjust=1.0,
        pooled_weight=0.0,
        alpha=1.0,
        var_smoothing=1e-9,
        fit_prior=True,
        class_prior=None,
        smooth_prior=0.0,
        categorical_features=None,
    ):
        self.families = families
        self.numeric = numeric
        self.adjust = adjust
        self.pooled_weight = pooled_weight
        self.alpha = alpha
        self.var_smoothing = var_smoothing
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.smooth_prior = smooth_prior
        self.categorical_features = categorical_features

    def fit(self, X, y, sample_weight=None):
        """Fit the densities of all columns.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Columns of numbers, text or categories; NaN or None marks missing values.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row.

        Returns
        -------
        self
        """
        check_params(self)
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Add a batch of rows; the result equals one `fit` of all rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like of shape (n_classes,) or None, default=None
            All classes that will occur; required in the first call.
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        if hasattr(self, "columns_") and not all(column.additive for column in self.columns_):
            j = next(j for j, column in enumerate(self.columns_) if not column.additive)
            raise ValueError(
                f"`partial_fit` cannot add rows to column {j}: its density ({self.families_[j]}) needs all rows at "
                "once. Use `fit`, or a Gaussian, categorical or Poisson family."
            )
        return self._partial_fit(X, y, classes, sample_weight)

    def summary(self, n_terms=5):
        """Class priors, the categories with the largest log odds of each class, and moments of the numeric columns.

        Parameters
        ----------
        n_terms : int, default=5
            Maximum number of terms per class.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        prior, names = np.exp(self.class_log_prior_), input_names(self)
        tables = [*self._category_table(names, prior, n_terms), *self._number_tables(names)]
        kinds = ", ".join(f"{self.families_.count(word)} {word}" for word in dict.fromkeys(self.families_))
        notes = [LOG_ODDS_NOTE] if tables and "log odds" in tables[0].columns else []
        classes = class_table(self.classes_, self.class_count_, prior, self._missing_count)
        return Summary("Mixed naive Bayes", classes, {"families": kinds}, {"families": "Columns"}, tables, notes)

    def _category_table(self, names, prior, n_terms):
        coded = [(j, column) for j, column in enumerate(self.columns_) if isinstance(column, CategoricalColumn)]
        if not coded:
            return []
        terms = [t for j, column in coded for t in category_terms(names[j], self.levels_[j], column.counts.shape[1])]
        shares = np.exp(np.hstack([column.logs[:, :-1] for _, column in coded]))
        counts = np.hstack([column.counts for _, column in coded])
        return log_odds_table(self.classes_, prior, terms, shares, counts, n_terms)

    def _number_tables(self, names):
        """Means and standard deviations of the numbers within the classes, and rates of the Poisson columns."""
        classes = [str(c) for c in self.classes_]
        tables = []
        numeric = [(names[j], c) for j, c in enumerate(self.columns_) if isinstance(c, (GaussianColumn, FittedColumn))]
        if numeric:
            moments = ClassMoments(
                *(np.hstack([getattr(c, of) for _, c in numeric]) for of in ("count", "mean", "scatter"))
            )
            seen = moments.count > 0  # where a class has no value of a column, there is nothing to show
            means, spreads = np.where(seen, moments.mean, np.nan), np.sqrt(np.where(seen, moments.solve(), np.nan))
            for caption, values in (("Means", means), ("Standard deviations", spreads)):
                tables.append(Table([n for n, _ in numeric], dict(zip(classes, values)), caption, tuple(classes)))
        rates = {names[j]: c.rate for j, c in enumerate(self.columns_) if isinstance(c, PoissonColumn)}
        if rates:
            by_class = dict(zip(classes, np.array(list(rates.values())).T))
            tables.append(Table(list(rates), by_class, "Poisson rates", tuple(classes)))
        return tables

    def _read(self, X, y=NO_Y, *, reset):
        if y is NO_Y:
            return self._checked(self._read_table(X, reset=reset))
        X, y = self._read_table(X, y, reset=reset, grow=not reset)
        return (X if reset else self._checked(X)), self._read_y(y)

    def _checked(self, X):
        for j, family in enumerate(self.families_):
            if family in ("categorical", "bernoulli") and self.levels_[j] is None:
                check_codes(X[:, j], j, family)
        return X

    def _categories_among(self, X):
        named = super()._categories_among(X)
        if self.numeric != "kernel":
            return named
        free = [j for j in range(X.shape[1]) if self._given_family(j) is None and has_two_values(X[:, j])]
        return sorted({*named, *free})

    def _given_family(self, j):
        families = self.families or {}
        names = getattr(self, "feature_names_in_", None)
        return families.get(j, None if names is None else families.get(names[j]))

    def _family_of(self, j):
        """Family of column j, as a word or an object."""
        family = self._given_family(j)
        if family is not None:
            return family
        return "categorical" if self.levels_[j] is not None else self.numeric

    def _clear(self):
        self._check_families()
        k = len(self.classes_)
        self.class_count_, self._missing_count = np.zeros(k), np.zeros(k)
        self.columns_, self.families_ = [], []
        names = getattr(self, "feature_names_in_", range(self.n_features_in_))
        for j in range(self.n_features_in_):
            family = self._family_of(j)
            word = family if isinstance(family, str) else type(family).__name__
            if self.levels_[j] is not None and word not in ("categorical", "bernoulli"):
                raise ValueError(
                    f"`families`: column {names[j]!r} contains text or categories, so it cannot have the family "
                    f"{word!r}."
                )
            self.families_.append(word)
            self.columns_.append(self._column(family, j, names[j], k))

    def _check_families(self):
        names = list(getattr(self, "feature_names_in_", []))
        for key, family in (self.families or {}).items():
            known = key in names or (isinstance(key, (int, np.integer)) and 0 <= key < self.n_features_in_)
            if not known:
                raise ValueError(f"`families`: {key!r} is not a column of X.")
            if isinstance(family, str) and family not in _WORDS:
                raise ValueError(f"`families`: {family!r} must be one of {', '.join(_WORDS)}, or an object with `fit`.")
            if not isinstance(family, str) and not hasattr(family, "fit"):
                raise ValueError(f"`families`: the family of {key!r} must have a method `fit`, got {family!r}.")

    def _column(self, family, j, name, k):
        if isinstance(family, str):
            if family == "gaussian":
                return GaussianColumn(k, self.var_smoothing)
            if family in ("categorical", "bernoulli"):
                levels = 0 if self.levels_[j] is None else len(self.levels_[j])
                return CategoricalColumn(k, self.alpha, max(levels, 2 if family == "bernoulli" else 0))
            if family == "poisson":
                return PoissonColumn(k, self.alpha)
            return KernelColumn(k, self.adjust, name, self.pooled_weight)
        return FittedColumn(k, family, name, self.pooled_weight)

    def _add(self, X, labels, weights):
        X = self._checked(X)
        for j, column in enumerate(self.columns_):
            if isinstance(column, CategoricalColumn) and self.levels_[j] is not None:
                column.grow(len(self.levels_[j]))
            column.add(np.ascontiguousarray(X[:, j], dtype=np.float64), labels, weights)
            if self.families_[j] == "bernoulli" and column.counts.shape[1] > 2:
                raise ValueError(f"X: column {j} has more than two values, but the family 'bernoulli'.")
        k, lost = len(self.classes_), np.isnan(X).sum(axis=1, dtype=np.float64)
        self.class_count_ = self.class_count_ + np.bincount(labels, weights, minlength=k)
        lost = lost if weights is None else lost * weights
        self._missing_count = self._missing_count + np.bincount(labels, lost, minlength=k)

    def _solve(self):
        gaussian = [column for column in self.columns_ if isinstance(column, GaussianColumn)]
        largest = max((column.spread() for column in gaussian), default=0.0)
        for column in self.columns_:
            column.solve(*([largest] if isinstance(column, GaussianColumn) else []))
        varies = np.zeros(len(self.classes_), dtype=bool)
        self._warn_constant(np.column_stack([getattr(column, "constant", varies) for column in self.columns_]))
        self._warn_zeros(any(isinstance(c, CategoricalColumn) and np.isneginf(c.logs).any() for c in self.columns_))
        self.class_log_prior_ = log_quietly(self._prior_from_counts(self.class_prior, self.fit_prior))

    def _column_logs(self, X, j):
        """Log densities of column j, (n, classes); 0 for missing values."""
        x = X[:, j].astype(np.float64)
        logs = self.columns_[j].log_density(x)
        logs[np.isnan(x)] = 0.0
        return logs

    def _joint_log_likelihood(self, X):
        joint = np.tile(self.class_log_prior_, (X.shape[0], 1))
        for j in range(X.shape[1]):
            joint += self._column_logs(X, j)
        return joint

    def _feature_log_likelihood(self, X, c):
        return np.column_stack([self._column_logs(X, j)[:, c] for j in range(X.shape[1])])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def check_codes(x, j, family):
    """Raise unless the numbers of a column are codes 0, 1, 2, ... or missing."""
    seen = x[~np.isnan(x)] if x.dtype.kind == "f" else x
    if np.any(seen < 0) or np.any(seen != np.floor(seen)) or np.any(seen > 10_000_000):
        raise ValueError(f"X: column {j} has the family {family!r}, so it must contain the codes 0, 1, 2, ... or text.")


def has_two_values(x):
    """Whether a column has at most two distinct values besides missing ones."""
    seen = x[~np.isnan(x)]
    return len(seen) == 0 or bool(np.all((seen == seen.min()) | (seen == seen.max())))
