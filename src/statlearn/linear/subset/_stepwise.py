"""Forward, backward and bidirectional stepwise least squares."""

import numpy as np
from scipy.special import stdtr
from sklearn.base import BaseEstimator

from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Table
from statlearn._core.validation import FLOATS, check_weights, validate_data
from statlearn._core.warnings import RankWarning, warn
from statlearn.linear._base import LinearRegressorMixin, term_names
from statlearn.linear._centred_data import centred_data

from ._criteria import refuse_summary, selection_criteria


class SweptModel:
    """Cross-products of unit-norm columns and target, swept on the columns of the model.

    Sweeping on column j costs O(p²) and yields, for every column at once, the effect of its entry or removal on the
    residual sum of squares. A column whose squared distance from the span of the model is below `tol` times its squared
    norm is aliased and cannot enter.
    """

    def __init__(self, X, y, tol=1e-10):
        norm = np.linalg.norm(X, axis=0)
        Z = np.column_stack([X / np.where(norm > 0, norm, 1.0), y])
        self.A = Z.T @ Z
        self.tol = tol
        self.tss = float(self.A[-1, -1])
        self.inside = np.zeros(X.shape[1], dtype=bool)

    @property
    def rss(self):
        return max(float(self.A[-1, -1]), 0.0)

    def aliased(self):
        """Columns outside that depend on the model's columns."""
        return ~self.inside & (np.diagonal(self.A)[:-1] <= self.tol)

    def change(self):
        """Decrease in the residual sum of squares on entry (outside) or increase on removal (inside)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            change = self.A[:-1, -1] ** 2 / np.abs(np.diagonal(self.A)[:-1])
        change[self.aliased()] = 0.0
        return change

    def toggle(self, j):
        """Add or remove column j."""
        A = self.A
        pivot = A[j, j]
        row = A[j].copy()
        A -= np.outer(row, row) / pivot
        sign = -1.0 if self.inside[j] else 1.0
        A[j, :] = A[:, j] = sign * row / pivot
        A[j, j] = -1.0 / pivot
        self.inside[j] = not self.inside[j]


class StepwiseRegressor(LinearRegressorMixin, BaseEstimator):
    r"""Stepwise least squares, forward, backward or bidirectional.

    Parameters
    ----------
    criterion : {"aic", "bic", "cp", "p", "rss"}, default="aic"
        Steps continue while they reduce ``n log(RSS/n) + 2 k``, ``n log(RSS/n) + k log n`` or ``RSS/s² - n + 2 k`` (k
        parameters with the intercept, s² of the full model); with "p", while the smallest p-value of a candidate is
        below `p_enter` or the largest p-value in the model is above `p_remove`; with "rss", until
        `n_features_to_select` columns are selected.
    direction : {"both", "forward", "backward"}, default="both"
    start : {"auto", "empty", "full"}, default="auto"
        Initial model; "auto" is full for backward and empty otherwise. (R's ``step`` starts from the given model,
        usually the full one.)
    n_features_to_select : int or None, default=None
        Number of columns to select, required for "rss". Otherwise, the maximum number of columns, or the minimum number
        for the backward direction.
    p_enter : float, default=0.05
        With ``criterion="p"``, a column enters below this p-value. Must not exceed `p_remove`.
    p_remove : float, default=0.1
        With ``criterion="p"``, a column leaves above this p-value.
    fit_intercept : bool, default=True
    max_steps : int, default=1000
    verbose : bool or int, default=False
        Print the candidates of every step.

    Attributes
    ----------
    steps_ : Table
        One row per model visited: the column added (+) or removed (-), the change in the residual sum of squares, the
        residual degrees of freedom, rss and the criterion; as in the `anova` component of R's ``step``.
    candidates_ : list of Table
        Moves compared in each step, best first: change in sum of squares, rss, criterion, t and p.
    order_ : list of int
        Column added or removed in each step.
    support_ : ndarray of shape (n_features,)
        Mask of the final columns.
    criterion_value_ : float
    coef_ : ndarray of shape (n_features,)
        0 outside the final columns.
    intercept_ : float
    n_iter_ : int
        Number of steps.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    See Also
    --------
    BestSubsetRegressor : Exhaustive search, up to about 40 columns.

    Notes
    -----
    One sweep of the cross-product matrix per step, O(p²), yields the effect of every possible next move without
    refitting. Greedy steps need not find the best subset of any size.

    Standard errors and p-values of the final model are too small, because the columns were selected using the response.
    `summary` therefore raises an error, and the p-values in `candidates_` only rank the moves.

    Each column is a separate candidate. With a formula, the levels of a factor therefore enter and leave one by one,
    whereas R's ``step`` moves whole terms.

    References
    ----------
    Venables & Ripley (2002), Modern Applied Statistics with S, section 6.8.
    Hastie, Tibshirani & Friedman (2009), The Elements of Statistical Learning, section 3.3.

    Examples
    --------
    >>> from statlearn.linear import StepwiseRegressor
    >>> X = [[17, 51], [17, 49], [14, 38], [17, 58], [14, 51], [20, 40]]
    >>> y = [56.5, 57.6, 55.9, 61.8, 63.0, 54.6]
    >>> model = StepwiseRegressor().fit(X, y)
    >>> model.steps_.rows
    ['', '+ x1', '+ x0']
    >>> model.steps_.columns["aic"].round(3)
    array([15.559, 12.453, 10.724])
    """

    _accept_sparse = False
    _constraints: dict = {
        "criterion": [Options("aic", "bic", "cp", "p", "rss")],
        "direction": [Options("both", "forward", "backward")],
        "start": [Options("auto", "empty", "full")],
        "n_features_to_select": [Int(0, None), None],
        "p_enter": [Real(0, 1, closed="both")],
        "p_remove": [Real(0, 1, closed="both")],
        "fit_intercept": ["boolean"],
        "max_steps": [Int(0, None)],
        "verbose": ["verbose"],
    }
    _search_space = SearchSpace("stepwise, AIC")

    def __init__(
        self,
        criterion="aic",
        *,
        direction="both",
        start="auto",
        n_features_to_select=None,
        p_enter=0.05,
        p_remove=0.1,
        fit_intercept=True,
        max_steps=1000,
        verbose=False,
    ):
        self.criterion = criterion
        self.direction = direction
        self.start = start
        self.n_features_to_select = n_features_to_select
        self.p_enter = p_enter
        self.p_remove = p_remove
        self.fit_intercept = fit_intercept
        self.max_steps = max_steps
        self.verbose = verbose

    def fit(self, X, y, sample_weight=None):
        """Select columns step by step and fit them.

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
        self._check_options(X.shape[1])
        design = centred_data(X, y, weights, fit_intercept=self.fit_intercept)
        self._select(design)
        columns = np.flatnonzero(self.support_)
        coef = np.zeros(X.shape[1])
        if len(columns):
            coef[columns] = np.linalg.lstsq(design.X[:, columns], design.y[:, 0], rcond=None)[0]
        self.coef_ = coef.astype(X.dtype)
        self.intercept_ = design.intercept(coef[None])[0].astype(X.dtype)
        return self

    def _check_options(self, p):
        if self.criterion == "rss":
            if self.n_features_to_select is None:
                raise ValueError("criterion='rss' requires n_features_to_select, since more columns always reduce RSS.")
            if self.direction == "both":
                raise ValueError("criterion='rss' requires direction='forward' or 'backward'.")
        if self.n_features_to_select is not None and self.n_features_to_select > p:
            raise ValueError(f"n_features_to_select={self.n_features_to_select} exceeds the {p} columns of X.")
        if self.criterion == "p" and self.p_enter > self.p_remove:
            raise ValueError(f"p_enter={self.p_enter} must not exceed p_remove={self.p_remove}; steps could cycle.")

    def _select(self, design):
        """Run the search; sets all attributes except the coefficients."""
        model = SweptModel(design.X, design.y[:, 0])
        total = model.tss
        n = design.total_weight
        df_of = n - self.fit_intercept
        if self.start == "full" or (self.start == "auto" and self.direction == "backward"):
            self._enter_all(model, n, df_of)
        noise = self._noise(design) if self.criterion == "cp" else None
        names = term_names(self, intercept=False)

        def criterion_of(rss, size):
            if self.criterion in ("p", "rss"):
                return np.asarray(rss, dtype=np.float64)
            scores = selection_criteria(rss, size, n, self.fit_intercept, tss=total, noise_variance=noise)
            return scores[self.criterion]

        size = int(model.inside.sum())
        value = float(criterion_of(model.rss, size))
        log = [("", np.nan, np.nan, df_of - size, model.rss, value)]
        self.order_, self.candidates_ = [], []
        seen = {model.inside.tobytes()}
        while len(self.order_) < self.max_steps and model.rss > 1e-9 * total:
            moves = self._moves(model, df_of, names, criterion_of)
            if moves is None:
                break
            table, columns = moves
            self.candidates_.append(table)
            if self.verbose:
                print(f"Step {len(self.order_)}: {self.criterion} {value:.6g}\n{table.to_text()}\n")
            j = columns[0]
            entering = not model.inside[j]
            if not self._accepts(table, entering, value, size):
                break
            before = model.rss
            model.toggle(j)
            size += 1 if entering else -1
            value = float(criterion_of(model.rss, size))
            self.order_.append(int(j))
            label = ("+ " if entering else "- ") + names[j]
            log.append((label, -1 if entering else 1, abs(model.rss - before), df_of - size, model.rss, value))
            if model.inside.tobytes() in seen:  # rounding, as with collinear columns: steps could cycle
                break
            seen.add(model.inside.tobytes())
        self.support_ = model.inside.copy()
        self.criterion_value_ = value
        self.n_iter_ = len(self.order_)
        self.steps_ = self._step_table(log)

    def _enter_all(self, model, n, df_of):
        """Start from the model of all columns that do not depend on others."""
        p = len(model.inside)
        if df_of - p < 1:
            raise ValueError(
                f"X has {n:g} rows; starting from all {p} columns requires more rows. Use direction='forward'."
            )
        for j in range(p):
            if not model.aliased()[j]:
                model.toggle(j)
        if model.aliased().any():
            out = np.flatnonzero(model.aliased()).tolist()
            warn(
                f"Columns {out} of X are linearly dependent on others and were left out; remove them.",
                RankWarning,
            )

    def _step_table(self, log):
        """Table of the steps: label, change of df, of the sum of squares, residual df, RSS and criterion of each."""
        fields = zip(("df", "sum_of_sq", "resid_df", "rss"), list(zip(*log))[1:])
        columns = {name: np.array(values, dtype=float) for name, values in fields}
        if self.criterion not in ("p", "rss"):
            columns[self.criterion] = np.array([row[5] for row in log])
        return Table([row[0] for row in log], columns)

    def _noise(self, design):
        n, p = design.total_weight, design.X.shape[1]
        df = n - p - self.fit_intercept
        if df < 1:
            raise ValueError("criterion='cp' requires more rows than columns to estimate the noise variance.")
        coef = np.linalg.lstsq(design.X, design.y[:, 0], rcond=None)[0]
        residual = design.y[:, 0] - design.X @ coef
        return float(residual @ residual) / df

    def _moves(self, model, df_of, names, criterion_of):
        """The table of possible moves, best first, and their columns; None when there is none."""
        size = int(model.inside.sum())
        limit = self.n_features_to_select
        may_enter = self.direction != "backward" and (limit is None or size < limit) and df_of - size - 1 >= 1
        may_leave = self.direction != "forward" and (self.direction == "both" or limit is None or size > limit)
        moving = (may_enter & ~model.inside & ~model.aliased()) | (may_leave & model.inside)
        columns = np.flatnonzero(moving)
        if not len(columns):
            return None
        inside = model.inside[columns]
        change = model.change()[columns]
        rss = np.where(inside, model.rss + change, model.rss - change)
        rss[rss <= 1e-12 * model.tss] = 0.0  # perfect fits tie; the first column wins, not a rounding error
        df = np.where(inside, df_of - size, df_of - size - 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.sqrt(change / (np.where(inside, model.rss, rss) / df))
        t = np.where(change == 0, 0.0, t)
        p_value = 2 * stdtr(df, -t)
        value = criterion_of(rss, np.where(inside, size - 1, size + 1))
        if self.criterion == "p":
            # Removals take precedence over entries.
            goes = inside & (p_value > self.p_remove)
            rank = np.where(goes, -1.0 - p_value, np.where(inside, 3.0, p_value))
        else:
            rank = value
        order = np.argsort(rank, kind="stable")
        table = Table(
            [("- " if i else "+ ") + names[j] for i, j in zip(inside[order], columns[order])],
            {"sum_of_sq": change[order], "rss": rss[order]}
            | ({} if self.criterion in ("p", "rss") else {self.criterion: value[order]})
            | {"t": t[order], "p": p_value[order]},
        )
        return table, columns[order]

    def _accepts(self, table, entering, value, size):
        """Whether the best move is accepted."""
        if self.criterion == "rss":
            return True
        if self.criterion == "p":
            p = table.columns["p"][0]
            return p < self.p_enter if entering else p > self.p_remove
        new = table.columns[self.criterion][0]
        return bool(new < value - 1e-9 * max(1.0, abs(value)))

    def summary(self):
        """Not available: standard errors after selection are too small.

        Raises
        ------
        ValueError
        """
        refuse_summary(self)
