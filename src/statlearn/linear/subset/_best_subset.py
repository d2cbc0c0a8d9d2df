"""Best subset selection for least squares."""

import math

import numpy as np
from sklearn.base import BaseEstimator

from statlearn._core import native
from statlearn._core.fitted_state import forget
from statlearn._core.params import Int, Options, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.selection import CVCurve, weighty_folds
from statlearn._core.summary import Table
from statlearn._core.validation import FLOATS, check_weights, validate_data
from statlearn._core.warnings import RankWarning, warn
from statlearn.linear._base import LinearRegressorMixin, term_names
from statlearn.linear._centred_data import centred_data

from ._criteria import refuse_summary, selection_criteria

_MOST_KEPT = 1000  # subsets of each size; a search for more cannot leave out much


def _triangle(design):
    """R, z and the residual sum of squares of the unit-norm columns, and whether the rank is deficient.

    Dependent columns get a ridge of 1e-12, which leaves the residual sums of squares practically unchanged and ensures
    that every subset has a factor.
    """
    from scipy.linalg import qr

    X, y = design.X, design.y[:, 0]
    p = X.shape[1]
    norm = np.linalg.norm(X, axis=0)
    Z = X / np.where(norm > 0, norm, 1.0)
    diagonal = np.abs(np.diagonal(qr(Z, mode="r", pivoting=True, check_finite=False)[0]))
    rank = int(np.sum(diagonal > 1e-10 * max(1.0, diagonal[0])))
    Zy = np.column_stack([Z, y])
    if rank < p or len(y) <= p:
        Zy = np.vstack([Zy, np.hstack([1e-6 * np.eye(p), np.zeros((p, 1))])])
    R = qr(Zy, mode="r", check_finite=False)[0]
    rss = float(R[p, p] ** 2) if R.shape[0] > p else 0.0
    return np.asfortranarray(R[:p, :p]), np.ascontiguousarray(R[:p, p]), rss, rank < min(p, design.max_rank)


def _search(design, max_size, n_best):
    """The best subsets of size 0 to `max_size` as (columns, rss), the nodes visited, whether columns are dependent."""
    y = design.y[:, 0]
    subsets, n_nodes, dependent = [([], float(y @ y))], 0, False
    if max_size > 0:
        R, z, rss, dependent = _triangle(design)
        asked, n_best = n_best, min(n_best, math.comb(len(z), len(z) // 2))  # there are no more subsets of one size
        if n_best > _MOST_KEPT:
            raise ValueError(f"`n_best`={asked} is too many for {len(z)} columns; use at most {_MOST_KEPT:,}.")
        best, n_nodes, _ = native.linear.best_subsets(R, z, rss, max_size, n_best)
        subsets += best
    return subsets, n_nodes, dependent


def _coefficients(design, columns):
    coef = np.zeros(design.X.shape[1])
    if columns:
        coef[columns] = np.linalg.lstsq(design.X[:, columns], design.y[:, 0], rcond=None)[0]
    return coef


class BestSubsetRegressor(LinearRegressorMixin, BaseEstimator):
    r"""Best subset regression by exhaustive search.

    For every size k, finds the `n_best` subsets of k columns with the smallest residual sum of squares by a
    branch-and-bound search, and then chooses the size.

    Parameters
    ----------
    criterion : {"bic", "aic", "cp", "adjusted_r2", "cv"}, default="bic"
        Criterion for choosing the size, with k columns and the intercept: ``n log(RSS/n) + (k + 1) log n``,
        ``n log(RSS/n) + 2 (k + 1)``, ``RSS/s² - n + 2 (k + 1)`` with s² of the full model, the largest adjusted R², or
        the mean squared error of cross-validation in which the whole search is repeated in every fold.
    size : int or None, default=None
        Fixed size, used instead of the criterion.
    max_size : int or None, default=None
        Maximum size; None means all sizes that leave a residual degree of freedom.
    n_best : int, default=1
        Number of subsets of every size to keep in `subsets_`.
    fit_intercept : bool, default=True
    cv : int, splitter, iterable or None, default=None
        Folds for ``criterion="cv"``; None means 5.
    rule : {"min", "one_se"}, default="min"
        With ``criterion="cv"``, choose the smallest mean error, or the smallest size within one standard error of it.
    max_columns : int, default=40
        More columns than this raise an error, since the time may double with every additional column. At most 64.

    Attributes
    ----------
    subsets_ : Table
        Size, rss, r2, adjusted_r2, cp, aic, bic and column names of every subset that was kept. Print
        ``subsets_.to_text()``, or convert it with ``subsets_.to_frame()``.
    masks_ : ndarray of shape (n_subsets, n_features)
        The same subsets as masks.
    size_ : int
        The chosen size.
    support_ : ndarray of shape (n_features,)
        Mask of the chosen columns.
    cv_curve_ : CVCurve
        Cross-validated error against size; only with ``criterion="cv"``.
    n_nodes_ : int
        Nodes of the search tree that were visited, out of at most ``2 ** n_features``.
    coef_ : ndarray of shape (n_features,)
        0 outside the chosen columns.
    intercept_ : float
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    See Also
    --------
    StepwiseRegressor : Greedy selection, for more columns.

    Notes
    -----
    Each node of the tree is a triangular factor that yields the fits of several nested subsets at once. A branch is cut
    if its largest set fits no better than the subsets kept for all smaller sizes. With a clear signal, 40 columns take
    a fraction of a second. If no column matters, or with more columns than rows, limit `max_size`.

    After selection the usual standard errors are too small, so `summary` raises an error.

    References
    ----------
    Furnival & Wilson (1974), Regressions by leaps and bounds, Technometrics 16.
    Gatu & Kontoghiorghes (2006), Branch-and-bound algorithms for computing the best-subset regression models, Journal
    of Computational and Graphical Statistics 15.

    Examples
    --------
    >>> from statlearn.linear import BestSubsetRegressor
    >>> X = [[17, 51], [17, 49], [14, 38], [17, 58], [14, 51], [20, 40]]
    >>> y = [56.5, 57.6, 55.9, 61.8, 63.0, 54.6]
    >>> model = BestSubsetRegressor("aic").fit(X, y)
    >>> model.subsets_.columns["rss"].round(3)
    array([57.493, 24.546, 13.186])
    """

    _accept_sparse = False
    _constraints: dict = {
        "criterion": [Options("bic", "aic", "cp", "adjusted_r2", "cv")],
        "size": [Int(0, None), None],
        "max_size": [Int(0, None), None],
        "n_best": [Int(1, None)],
        "fit_intercept": ["boolean"],
        "cv": ["cv"],
        "rule": [Options("min", "one_se")],
        "max_columns": [Int(1, 64)],
    }
    _search_space = SearchSpace("best subset, BIC")

    def __init__(
        self,
        criterion="bic",
        *,
        size=None,
        max_size=None,
        n_best=1,
        fit_intercept=True,
        cv=None,
        rule="min",
        max_columns=40,
    ):
        self.criterion = criterion
        self.size = size
        self.max_size = max_size
        self.n_best = n_best
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.rule = rule
        self.max_columns = max_columns

    def fit(self, X, y, sample_weight=None):
        """Search all subsets and fit the chosen one.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
            Weight k counts as k copies of the row.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=FLOATS, y_numeric=True)
        weights = check_weights(sample_weight, X)
        p = X.shape[1]
        if p > self.max_columns:
            raise ValueError(
                f"X has {p} columns, more than max_columns={self.max_columns}; an exhaustive search could take very "
                "long. Increase max_columns (up to 64, preferably with a small max_size), or use StepwiseRegressor or "
                "Lasso."
            )
        design = centred_data(X, y, weights, fit_intercept=self.fit_intercept)
        max_size, noise = self._largest_size(design), self._noise(design)
        subsets, self.n_nodes_, dependent = _search(design, max_size, self.n_best)
        if dependent:
            self._warn_rank()
        self.masks_ = np.zeros((len(subsets), p), dtype=bool)
        for mask, (columns, _) in zip(self.masks_, subsets):
            mask[columns] = True
        sizes = self.masks_.sum(axis=1)
        rss = np.array([r for _, r in subsets])
        scores = selection_criteria(
            rss, sizes, design.total_weight, self.fit_intercept, tss=rss[0], noise_variance=noise
        )
        self.subsets_ = self._table(sizes, rss, scores)
        forget(self, "cv_curve_")
        if self.criterion == "cv" and self.size is None:
            self.cv_curve_ = self._cross_validate(X, y, weights, max_size)
        self.size_ = self._choose(sizes, scores)
        self.support_ = self.masks_[np.argmax(sizes == self.size_)].copy()
        coef = _coefficients(design, np.flatnonzero(self.support_).tolist())
        self.coef_ = coef.astype(X.dtype)
        self.intercept_ = design.intercept(coef[None])[0].astype(X.dtype)
        return self

    def _largest_size(self, design):
        limit = max(0, min(design.X.shape[1], int(np.ceil(design.total_weight)) - self.fit_intercept - 1))
        largest = limit if self.max_size is None else min(self.max_size, limit)
        if self.size is not None and self.size > largest:
            raise ValueError(f"size={self.size} exceeds the largest possible size; use at most {largest}.")
        return largest if self.size is None else self.size

    def _warn_rank(self):
        warn(
            "The columns of X are linearly dependent, so several subsets fit equally well and one of them is reported. "
            "Remove linearly dependent columns.",
            RankWarning,
        )

    def _noise(self, design):
        """Residual variance on all columns, or None without residual degrees of freedom."""
        df = design.total_weight - design.X.shape[1] - self.fit_intercept
        if df <= 0:
            if self.criterion == "cp" and self.size is None:
                raise ValueError("criterion='cp' requires more rows than columns to estimate the noise variance.")
            return None
        coef = _coefficients(design, list(range(design.X.shape[1])))
        residual = design.y[:, 0] - design.X @ coef
        return float(residual @ residual) / df

    def _table(self, sizes, rss, scores):
        names = np.array(term_names(self, intercept=False), dtype=object)
        rank = [1 + int(np.sum(sizes[:k] == sizes[k])) for k in range(len(sizes))]
        return Table(
            [f"{size} ({r})" if self.n_best > 1 else str(size) for size, r in zip(sizes, rank)],
            {
                "size": sizes,
                "rss": rss,
                **scores,
                "columns": [", ".join(names[mask]) for mask in self.masks_],
            },
        )

    def _cross_validate(self, X, y, weights, max_size):
        from sklearn.model_selection import check_cv

        folds = weighty_folds(check_cv(self.cv, classifier=False).split(X, y), weights)
        designs = [
            centred_data(X[t], y[t], None if weights is None else weights[t], fit_intercept=self.fit_intercept)
            for t, _ in folds
        ]
        largest = min([max_size, *(self._largest_size(design) for design in designs)])
        loss = np.empty((largest + 1, len(folds)))
        for f, (design, (_, test)) in enumerate(zip(designs, folds)):
            for columns, _ in _search(design, largest, 1)[0]:
                coef = _coefficients(design, columns)
                error = (y[test] - X[test] @ coef - design.intercept(coef[None])[0]) ** 2
                loss[len(columns), f] = np.average(error, weights=None if weights is None else weights[test])
        return CVCurve(np.arange(largest + 1), loss, name="size")

    def _choose(self, sizes, scores):
        if self.size is not None:
            return self.size
        if self.criterion == "cv":
            return int(self.cv_curve_.parameter[self.cv_curve_.chosen(self.rule)])
        value = scores[self.criterion]
        value = -value if self.criterion == "adjusted_r2" else value
        return int(sizes[np.nanargmin(np.where(np.isnan(value), np.inf, value))])

    def summary(self):
        """Not available: standard errors after selection are too small.

        Raises
        ------
        ValueError
        """
        refuse_summary(self)
