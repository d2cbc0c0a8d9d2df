"""Categorical naive Bayes, directly on categories or on binned numbers."""

import numbers

import numpy as np
from sklearn.utils.validation import check_is_fitted

from statlearn._core import native
from statlearn._core.names import input_names
from statlearn._core.params import Int, Options, Real
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Summary
from statlearn._core.warnings import AmbiguousInputWarning, StatlearnWarning, warn
from statlearn._math.linalg.quantiles import equal_weight_edges
from statlearn._math.rows.site_statistics import SiteStatistics, StatisticsMixin, column_names

from ._base import NO_Y, BayesFactorMixin, dirichlet_estimate, log_quietly
from ._discrete_base import ESTIMATE, PRIOR_CONSTRAINTS, SmoothedNB
from ._multinomial_nb import MultinomialNB
from ._nb_summary import LOG_ODDS_NOTE, category_terms, class_table, log_odds_table
from ._table_reader import TableReaderMixin

# Larger codes are surely not codes of categories, and a table of counts for them would fill the memory.
_LARGEST_CODE = 10_000_000


def code_ranges(codes):
    """Smallest and largest code of every column."""
    low, high = np.empty((2, codes.shape[1]), dtype=np.int64)
    native.bayes.code_ranges(codes, low, high)
    return low, high


class CodedNB(TableReaderMixin, BayesFactorMixin, SmoothedNB):
    """Counts of codes by class. A subclass turns the numbers that it reads into codes (`_codes`)."""

    def summary(self, n_terms=5):
        """Class priors, and the categories or bins with the largest log odds of each class.

        Parameters
        ----------
        n_terms : int, default=5
            Maximum number of terms per class.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        edges = getattr(self, "bin_edges_", [None] * self.n_features_in_)
        terms = [
            term
            for name, levels, n, cuts in zip(input_names(self), self.levels_, self.n_categories_, edges, strict=True)
            for term in category_terms(name, levels, n, cuts)
        ]
        prior, counts = np.exp(self.class_log_prior_), np.hstack(self.category_count_)
        tables = log_odds_table(self.classes_, prior, terms, np.exp(np.hstack(self.feature_log_prob_)), counts, n_terms)
        missing = self.n_features_in_ * self.class_count_ - counts.sum(axis=1)
        return Summary(self._title, class_table(self.classes_, self.class_count_, prior, missing), tables=tables,
                       notes=[LOG_ODDS_NOTE] if tables else [])  # fmt: skip

    def _read(self, X, y=NO_Y, *, reset):
        if y is NO_Y:
            return self._codes(self._read_table(X, reset=reset))
        X, y = self._read_table(X, y, reset=reset, grow=not reset)
        return self._checked(X), self._read_y(y)

    def _checked(self, X):
        """Check the values before the model changes."""
        return X

    def _feature_log_likelihood(self, X, c):
        columns = []
        for j, logs in enumerate(self._with_unseen()):
            at = np.minimum(X[:, j], len(logs) - 1)
            columns.append(np.where(X[:, j] < 0, 0.0, logs[at, c]))
        return np.column_stack(columns)

    def _clear(self):
        k = len(self.classes_)
        self.class_count_ = np.zeros(k)
        self.category_count_ = [np.zeros((k, 0)) for _ in range(self.n_features_in_)]

    def _n_categories(self, codes, weights):
        """Numbers of categories of the columns of this batch."""
        if weights is not None:
            codes = codes[weights > 0]
        top = code_ranges(codes)[1] + 1
        levels = [0 if known is None else len(known) for known in self.levels_]
        return np.maximum(np.maximum(top, levels), [c.shape[1] for c in self.category_count_])

    def _add(self, X, labels, weights):
        codes = self._codes_in_fit(X, weights)
        k = len(self.classes_)
        sizes = self._n_categories(codes, weights)
        starts = np.concatenate([[0], np.cumsum(np.maximum(sizes, 1))]).astype(np.int64)
        counts = np.empty((starts[-1], k))
        w = np.empty(0) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        native.bayes.category_counts(codes, labels, w, starts, counts)
        merged = []
        for j, before in enumerate(self.category_count_):
            new = counts[starts[j] : starts[j] + sizes[j]].T.copy()
            new[:, : before.shape[1]] += before
            merged.append(new)
        self.category_count_ = merged
        self.class_count_ = self.class_count_ + np.bincount(labels, weights, minlength=k)

    def _solve(self):
        self.class_log_prior_ = log_quietly(self._prior_from_counts(self.class_prior, self.fit_prior))
        self.n_categories_ = np.array([count.shape[1] for count in self.category_count_])
        alpha = None if self.prior is not None else float(self._check_alpha())
        logs = [log_quietly(self._column_estimate(j, count, alpha)) for j, count in enumerate(self.category_count_)]
        self._warn_zeros(any(np.any(np.isneginf(log)) for log in logs))
        self.feature_log_prob_ = logs
        self._unseen = self._unseen_logs(alpha)

    def _column_estimate(self, j, count, alpha):
        if count.shape[1] == 0:
            return np.zeros((len(count), 0))
        if alpha is not None:
            return dirichlet_estimate(count, alpha, "mean")
        return dirichlet_estimate(count, self._prior_of(j), self.estimate)

    def _prior_of(self, j):
        if isinstance(self.prior, numbers.Real):
            return float(self.prior)
        priors = list(self.prior)
        if len(priors) != self.n_features_in_:
            raise ValueError(
                f"`prior` must be a number, or have one entry for each of the {self.n_features_in_} columns, "
                f"got {len(priors)} entries."
            )
        prior = np.asarray(priors[j], dtype=np.float64)
        n = self.category_count_[j].shape[1]
        if prior.ndim > 0 and prior.shape not in ((n,), (len(self.classes_), n)):
            raise ValueError(
                f"`prior` of column {j} must have {n} Dirichlet parameters, one per category, got shape {prior.shape}."
            )
        return prior

    def _with_unseen(self):
        """Log probabilities (categories + 1, classes) of each column; the last row is for an unseen category.

        An unseen category has the probability that it would have had as one more category without counts. Without
        pseudo-counts, or with a prior that does not include it, it has no factor.
        """
        return [np.vstack([logs.T, unseen]) for logs, unseen in zip(self.feature_log_prob_, self._unseen)]

    def _unseen_logs(self, alpha):
        if not alpha:
            return [np.zeros(len(self.classes_)) for _ in self.category_count_]
        totals = [count.sum(axis=1) + (count.shape[1] + 1) * alpha for count in self.category_count_]
        return [np.log(alpha) - np.log(total) for total in totals]

    def _joint_log_likelihood(self, X):
        tables = self._with_unseen()
        starts = np.concatenate([[0], np.cumsum([len(table) for table in tables])]).astype(np.int64)
        out = np.empty((X.shape[0], len(self.classes_)))
        table = np.ascontiguousarray(np.vstack(tables))
        native.bayes.category_scores(X, starts, table, np.ascontiguousarray(self.class_log_prior_), out)
        return out

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


class CategoricalNB(StatisticsMixin, CodedNB):
    r"""Categorical naive Bayes.

    A row is assigned to the class with the largest :math:`\log \pi_c + \sum_j \log \theta_{jc}(x_j)`, where

    .. math:: \theta_{jc}(k) = \frac{N_{jc}(k) + \alpha}{\sum_l N_{jc}(l) + S_j \alpha}

    with the weight :math:`N_{jc}(k)` of the rows of class c that have category k in column j, and the number
    :math:`S_j` of categories of the column. Missing values are ignored in training and prediction.

    Parameters
    ----------
    alpha : float, default=1.0
        Pseudo-count of every category. 0 is the maximum-likelihood fit, in which one value can exclude a class.
    force_alpha : bool, default=True
        Whether to use values of `alpha` below 1e-10 as they are.
    fit_prior : bool, default=True
        Whether to learn the class prior; otherwise it is uniform.
    class_prior : array-like of shape (n_classes,) or None, default=None
        A fixed class prior.
    min_categories : int, array-like of shape (n_features,) or None, default=None
        Minimum number of categories per column. If None, it is the largest code plus 1, or the number of levels.
    prior : float, list or None, default=None
        Dirichlet parameters, which replace `alpha`: a number, or one entry per column, each a number or an array of
        shape (n_categories,) or (n_classes, n_categories).
    estimate : {"mean", "map"}, default="mean"
        Posterior mean or mode under `prior`.
    smooth_prior : float, default=0.0
        Pseudo-count of each class in the class prior.
    categories : {"codes", "observed"}, default="codes"
        Categories that count towards :math:`S_j`: all codes from 0 to the largest one, as in scikit-learn, or only
        those that occur in training. With "observed", other codes are treated like categories never seen.

    Attributes
    ----------
    category_count_ : list of ndarray of shape (n_classes, n_categories)
    class_count_ : ndarray of shape (n_classes,)
    class_log_prior_ : ndarray of shape (n_classes,)
    classes_ : ndarray of shape (n_classes,)
    feature_log_prob_ : list of ndarray of shape (n_classes, n_categories)
    levels_ : list
        Per column, the levels in the order of the codes; None for columns that contain codes.
    n_categories_ : ndarray of int of shape (n_features,)
        Numbers of codes or levels, those that do not occur included.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if X has column names that are all strings.

    See Also
    --------
    DiscretizingNB : the same after binning numbers.
    MixedNB : categorical and numeric columns together.

    Notes
    -----
    Columns of numbers must contain the codes 0, 1, 2, ...; decimals are cut off with a warning, and so are columns
    whose codes begin at 1 or later: code 0 would share their probability. Columns of text or of a
    categorical data type are used directly. A category that did not occur in training has the smoothed probability
    :math:`\alpha / (N_{jc} + (S_j + 1)\alpha)`; scikit-learn raises an error.

    Examples
    --------
    >>> from statlearn.bayes import CategoricalNB
    >>> X = [["sunny", "hot"], ["sunny", "mild"], ["rain", "mild"], ["rain", "cool"]]
    >>> model = CategoricalNB().fit(X, ["no", "no", "yes", "yes"])
    >>> model.predict_proba([["rain", None]]).round(6).tolist()
    [[0.25, 0.75]]
    """

    _constraints = {
        "alpha": [Real(0, None)],
        "force_alpha": ["boolean"],
        **PRIOR_CONSTRAINTS,
        "min_categories": [Int(1, 100_000), "array-like", None],
        "prior": [Real(0, None, closed="neither"), "array-like", None],
        "estimate": ESTIMATE,
        "categories": [Options("codes", "observed")],
    }
    _title = "Categorical naive Bayes"
    _search_space = SearchSpace("naive Bayes, categorical", grid={"alpha": [10.0, 3.0, 1.0, 0.3]})

    def __init__(
        self,
        *,
        alpha=1.0,
        force_alpha=True,
        fit_prior=True,
        class_prior=None,
        min_categories=None,
        prior=None,
        estimate="mean",
        smooth_prior=0.0,
        categories="codes",
    ):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories
        self.prior = prior
        self.estimate = estimate
        self.smooth_prior = smooth_prior
        self.categories = categories

    fit = MultinomialNB.fit
    partial_fit = MultinomialNB.partial_fit

    _statistics_kind = "category counts"

    def _site_statistics(self, X, y, sample_weight):
        n_rows = self._summed(X, y, sample_weight)
        sizes = np.array([count.shape[1] for count in self.category_count_], dtype=np.int64)
        counts = np.zeros((len(self.classes_), len(sizes), int(sizes.max(initial=0))))
        for j, count in enumerate(self.category_count_):
            counts[:, j, : sizes[j]] = count
        arrays = {"class_weight": self.class_count_, "category_counts": counts, "n_categories": sizes}
        return SiteStatistics(
            "category counts",
            arrays,
            n_features=len(sizes),
            n_rows=n_rows,
            classes=self.classes_,
            columns=column_names(self),
        )

    def _fit_statistics(self, statistics):
        self._begin(statistics)
        a = statistics.arrays
        self.class_count_ = a["class_weight"].astype(np.float64)
        self.category_count_ = [
            np.array(a["category_counts"][:, j, :size], dtype=np.float64) for j, size in enumerate(a["n_categories"])
        ]
        self._solve()

    def _checked(self, X):
        return self._codes(X, fitting=True)

    def _codes_in_fit(self, X, weights):
        return X  # already codes

    def _codes(self, X, *, fitting=False):
        if X.dtype.kind == "f":
            lost = np.isnan(X)
            if X.size:
                self._refuse_negative(np.fmin.reduce(X, axis=None))
            with np.errstate(invalid="ignore"):
                fractional = ~lost & (np.floor(X) != X)
            if np.any(fractional):
                i, j = (int(at[0]) for at in np.nonzero(fractional))
                warn(
                    f"X: column {j} contains {X[i, j]:.6g}, which is not a category code 0, 1, 2, ... The decimals are "
                    "cut off, as in scikit-learn. Use DiscretizingNB for numbers, or a data frame with a categorical "
                    "column.",
                    StatlearnWarning,
                )
            codes = np.where(lost, -1.0, np.minimum(X, 2.0**62)).astype(np.int64)
            high = code_ranges(codes)[1]
        else:
            codes = X
            low, high = code_ranges(codes)
            self._refuse_negative(low.min())
        if fitting and np.any(high > _LARGEST_CODE):
            raise ValueError(
                f"X contains the category code {high.max():.6g}; codes must be at most {_LARGEST_CODE:,}. Number the "
                "categories 0, 1, 2, ..., or use a data frame with a categorical column."
            )
        return codes

    def _n_categories(self, codes, weights):
        counts = super()._n_categories(codes, weights)
        least = self.min_categories
        if least is None:
            return counts
        least = np.asarray(least)
        if least.dtype.kind not in "iu":
            raise ValueError(f"'min_categories' should have integral type. Got {least.dtype} instead.")
        if least.ndim > 0 and least.shape != (self.n_features_in_,):
            raise ValueError(
                f"'min_categories' should have shape ({self.n_features_in_},) when an array-like is provided. "
                f"Got {least.shape} instead."
            )
        return np.maximum(counts, least)

    def _solve(self):
        observed = self.categories == "observed"
        if observed and self.min_categories is not None:
            raise ValueError(
                "`min_categories` must be None with categories='observed', which counts no other categories."
            )
        super()._solve()
        if not observed and self.min_categories is None:
            counts = [count.sum(axis=0) for count in self.category_count_]
            gaps = [j for j, count in enumerate(counts) if self._warn_of_gaps(j, count)]
            self._warn_of_first_codes(counts, gaps)

    def _column_estimate(self, j, count, alpha):
        if self.categories == "codes":
            return super()._column_estimate(j, count, alpha)
        seen = count.any(axis=0)
        prior = self._prior_of(j) if alpha is None else alpha
        if np.ndim(prior):
            prior = prior[..., seen]
        # Codes that do not occur have the probability of a category never seen, or none without pseudo-counts.
        unseen = alpha / (count.sum(axis=1) + (seen.sum() + 1) * alpha) if alpha else np.ones(len(count))
        estimate = np.repeat(unseen[:, None], count.shape[1], axis=1)
        if seen.any():
            estimate[:, seen] = dirichlet_estimate(
                count[:, seen], prior, "mean" if alpha is not None else self.estimate
            )
        return estimate

    def _unseen_logs(self, alpha):
        if self.categories == "codes":
            return super()._unseen_logs(alpha)
        if not alpha:
            return [np.zeros(len(self.classes_)) for _ in self.category_count_]
        totals = [count.sum(axis=1) + (count.any(axis=0).sum() + 1) * alpha for count in self.category_count_]
        return [np.log(alpha) - np.log(total) for total in totals]

    def _warn_of_first_codes(self, counts, known):
        """Warn of columns whose codes begin at 1, unless code 0 may be missing by chance.

        It is not if no column has it, or if every category that occurs does so five times or more. Columns that are
        known to have gaps are left out.
        """
        coded = [j for j, count in enumerate(counts) if self.levels_[j] is None and np.count_nonzero(count) > 1]
        common = any(counts[j][0] > 0 for j in coded)
        for j in set(coded).difference(known):
            seen = counts[j][counts[j] > 0]
            if counts[j][0] == 0 and counts[j].sum() >= 2 * len(seen) and (not common or seen.min() >= 5):
                first, name = np.flatnonzero(counts[j])[0], self._column_name(j)
                warn(
                    f"X: the codes of column {name!r} begin at {first}, and {len(seen)} categories occur, but "
                    f"{len(counts[j])} are counted, since codes begin at 0, as in scikit-learn. Smoothing gives a "
                    "share of the probability to those that never occur. Subtract the lowest code, or use "
                    "categories='observed'.",
                    AmbiguousInputWarning,
                )

    def _column_name(self, j):
        return self.feature_names_in_[j] if hasattr(self, "feature_names_in_") else j

    def _warn_of_gaps(self, j, count):
        """Warn of codes such as years, because codes that never occur are smoothed as categories."""
        seen = np.count_nonzero(count)
        sparse = self.levels_[j] is None and len(count) >= max(50, 10 * seen) and count.sum() >= 5 * seen
        if sparse:
            warn(
                f"X: column {self._column_name(j)!r} has {seen} distinct codes up to {len(count) - 1:,}, and every "
                "number from 0 on counts as a category, as in scikit-learn. Smoothing then moves probability to "
                "categories that never occur, most of all in small classes. Number the categories 0, 1, 2, ..., or "
                "pass the column as text.",
                StatlearnWarning,
            )
        return sparse

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


class DiscretizingNB(CodedNB):
    r"""Naive Bayes on binned numbers.

    Every numeric column is cut into bins, whose smoothed shares within each class estimate its density, as a histogram
    does. Columns of text or of a categorical data type are used as they are. A missing value has no factor.

    Parameters
    ----------
    n_bins : int, default=8
        Number of bins of every numeric column. With the quantile strategy, a column of at most this many distinct
        values has one bin per value.
    strategy : {"quantile", "uniform"}, default="quantile"
        Bins of equal weight, or of equal width.
    alpha : float, default=1.0
        Pseudo-count of every bin.
    fit_prior : bool, default=True
        Whether to learn the class prior; otherwise it is uniform.
    class_prior : array-like of shape (n_classes,) or None, default=None
    prior : float, list or None, default=None
        Dirichlet parameters instead of `alpha`, as in :class:`CategoricalNB`.
    estimate : {"mean", "map"}, default="mean"
    smooth_prior : float, default=0.0
    categorical_features : array-like or None, default=None
        Columns of numbers that are categories, by index, name or mask; they are not binned.

    Attributes
    ----------
    bin_edges_ : list
        Per column the inner edges, increasing; None for categories. A value on an edge falls to the right.
    category_count_, feature_log_prob_, n_categories_, levels_
        As in :class:`CategoricalNB`, with bins as categories.
    class_count_, class_log_prior_, classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if X has column names that are all strings.

    Notes
    -----
    Bins are learned without y, in `fit` or in the first batch of `partial_fit`, and then fixed. Values beyond the range
    of training fall into the outer bins. Few bins miss the shape of the densities, many have few rows each.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.bayes import DiscretizingNB
    >>> X, y = load_iris(return_X_y=True)
    >>> model = DiscretizingNB(n_bins=4).fit(X, y)
    >>> model.bin_edges_[3].round(6).tolist(), round(model.score(X, y), 2)
    ([0.35, 1.35, 1.85], 0.89)
    """

    _constraints = {
        "n_bins": [Int(2, 65_536)],
        "strategy": [Options("quantile", "uniform")],
        "alpha": [Real(0, None)],
        **PRIOR_CONSTRAINTS,
        "prior": [Real(0, None, closed="neither"), "array-like", None],
        "estimate": ESTIMATE,
        "categorical_features": ["array-like", None],
    }
    _title = "Naive Bayes on binned numbers"
    _search_space = SearchSpace("naive Bayes, binned", grid={"n_bins": [4, 8, 16]})

    def __init__(
        self,
        n_bins=8,
        *,
        strategy="quantile",
        alpha=1.0,
        fit_prior=True,
        class_prior=None,
        prior=None,
        estimate="mean",
        smooth_prior=0.0,
        categorical_features=None,
    ):
        self.n_bins = n_bins
        self.strategy = strategy
        self.alpha = alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.prior = prior
        self.estimate = estimate
        self.smooth_prior = smooth_prior
        self.categorical_features = categorical_features

    force_alpha = True
    fit = MultinomialNB.fit
    partial_fit = MultinomialNB.partial_fit

    def _clear(self):
        super()._clear()
        self.bin_edges_ = None

    def _codes_in_fit(self, X, weights):
        if self.bin_edges_ is None:
            self.bin_edges_ = [
                None if self.levels_[j] is not None else bin_edges(X[:, j], weights, self.n_bins, self.strategy)
                for j in range(X.shape[1])
            ]
        return self._codes(X)

    def _codes(self, X):
        codes = np.empty(X.shape, dtype=np.int64)
        for j, edges in enumerate(self.bin_edges_):
            column = X[:, j]
            lost = np.isnan(column)
            place = np.where(lost, 0.0, column) if edges is None else np.searchsorted(edges, column, side="right")
            codes[:, j] = np.where(lost, -1, place.astype(np.int64))
        return codes

    def _n_categories(self, codes, weights):
        bins = [0 if edges is None else len(edges) + 1 for edges in self.bin_edges_]
        return np.maximum(super()._n_categories(codes, weights), bins)


def bin_edges(column, weights, n_bins, strategy):
    """Inner edges of bins of equal weight or equal width; missing values are left out.

    An edge of the quantile strategy lies midway between the neighbouring distinct values, so that rows of weight k and
    k copies give the same bins.
    """
    if strategy == "quantile":
        return equal_weight_edges(column, weights, n_bins)
    seen = ~np.isnan(column)
    if weights is not None:
        seen &= weights > 0
    column = column[seen].astype(np.float64)
    if not column.size:
        return np.empty(0)
    low, high = column.min(), column.max()
    with np.errstate(over="ignore"):
        edges = np.linspace(low / 2, high / 2, n_bins + 1)[1:-1] * 2
    return np.unique(edges) if high > low else np.empty(0)
