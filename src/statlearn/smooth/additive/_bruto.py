"""Additive models that choose between no effect, a line and a curve for every column."""

from dataclasses import replace

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from statlearn._core.blas import single_blas_thread
from statlearn._core.params import Int, Real, check_arguments, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import FLOATS, check_weights, validate_columns
from statlearn._core.warnings import warn
from statlearn._draw.style import styled
from statlearn.smooth._function_plots import panels
from statlearn.smooth._input_columns import in_precision_of
from statlearn.smooth._term_curves import TermCurve
from statlearn.smooth.splines._smoothing_problem import Curve, SplineProblem, minimise

_MARGIN = 1e-6  # share by which a curve must lower the criterion of a line


class BRUTO(RegressorMixin, BaseEstimator):
    r"""Additive model with adaptive selection of no effect, a line or a smoothing spline per column (BRUTO).

    .. math:: y = \beta_0 + \sum_j f_j(x_j) + \varepsilon

    Each column in turn is given the option that minimises generalised cross-validation with the others fixed,

    .. math:: \frac{\mathrm{RSS} / n}{\bigl(1 - (1 + c \sum_j \mathrm{df}_j) / n\bigr)^2},

    where an excluded column has 0 degrees of freedom, a line 1, and a curve the trace of its smoother minus 1.

    Parameters
    ----------
    cost : float, default=2.0
        Cost c of a degree of freedom. Use more than 1, since the choices are made on the same rows.
    max_df : float or None, default=None
        Maximum degrees of freedom of a curve.
    tol : float, default=1e-4
        Selection rounds stop when no column changes its type and the relative decrease of the criterion is below this.
        Backfitting with fixed penalties then stops when the functions change by less than this fraction of their size.
    max_iter : int, default=100
        Maximum number of rounds, of selection and then of backfitting.

    Attributes
    ----------
    types_ : ndarray of str of shape (n_features,)
        ``"excluded"``, ``"linear"`` or ``"smooth"``.
    term_df_ : ndarray of shape (n_features,)
        Degrees of freedom of each function, excluding its constant.
    lam_ : ndarray of shape (n_features,)
        Penalties of the curves; infinity for lines, NaN for excluded columns.
    df_ : float
        Sum of `term_df_` plus one for the intercept.
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        Slopes of the lines.
    intercept_ : float or ndarray of shape (n_targets,)
        Mean of the response; every function has mean 0 over the rows.
    curves_ : dict
        For each column the knots, and values, slopes and second derivatives there, one row per response.
    gcv_, rss_ : float
        Criterion and residual sum of squares, over all responses.
    gcv_path_ : list of float
        Criterion after each selection round.
    centres_ : ndarray of shape (n_features,)
        Mean of each column; a line is its slope times the deviation from this mean.
    ranges_ : ndarray of shape (n_features, 2)
        Smallest and largest value of each column.
    n_iter_ : int
        Number of rounds over the columns, for selection and backfitting together.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    The search starts from the linear model of all columns, or from the mean if there are few rows. A visit costs O(n).
    The penalties of curves are those of :class:`SmoothingSpline` with all knots, and several responses share them.
    Beyond the training rows curves continue as straight lines. The selected types agree with R's ``mda::bruto`` in
    nearly all cases; it uses fewer knots per curve.

    For classes, :class:`~statlearn.discriminant.FlexibleDiscriminantAnalysis` takes it as its regression:
    ``FlexibleDiscriminantAnalysis(BRUTO())`` is an additive classifier that drops columns of noise.

    Degrees of freedom and slopes are selected on the same rows, so there are no standard errors. :class:`GAM` provides
    tests of its terms, and with ``select=True`` whole terms can vanish there too.

    References
    ----------
    Hastie, T. (1989). Discussion of "Flexible parsimonious smoothing and additive modeling" by Friedman and Silverman.
    Technometrics 31, 23-29.

    Hastie, T. and Tibshirani, R. (1990). *Generalized Additive Models*. Chapman & Hall, section 9.4.3.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.smooth import BRUTO
    >>> rng = np.random.default_rng(1)
    >>> X = rng.uniform(size=(300, 4))
    >>> y = np.sin(6 * X[:, 0]) + 2 * X[:, 1] + 0.3 * rng.normal(size=300)
    >>> BRUTO().fit(X, y).types_.tolist()
    ['smooth', 'linear', 'excluded', 'excluded']
    """

    _search_space = SearchSpace("additive model, BRUTO", grid={"cost": [3.0, 2.0, 1.4]})

    _constraints = {
        "cost": [Real(0, None, closed="neither")],
        "max_df": [Real(1, None, closed="neither"), None],
        "tol": [Real(0, None, closed="neither")],
        "max_iter": [Int(1, None)],
    }

    def __init__(self, cost=2.0, *, max_df=None, tol=1e-4, max_iter=100):
        self.cost = cost
        self.max_df = max_df
        self.tol = tol
        self.max_iter = max_iter

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X, y, sample_weight=None):
        """Select and fit the functions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k counts as k rows.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_columns(self, X, y, dtype=FLOATS, y_numeric=True, multi_output=True, ensure_min_samples=2)
        weights = check_weights(sample_weight, X)
        w = np.ones(len(X)) if weights is None else np.asarray(weights, np.float64)
        used = w > 0
        rows, w = np.asarray(X[used], np.float64), w[used]
        Y = np.asarray(y, np.float64).reshape(len(y), -1)[used]
        with single_blas_thread():  # the same bits for any number of threads
            share = w / w.sum()
            middle = share @ Y
            terms = [_Term(rows[:, j], w, Y.shape[1]) for j in range(rows.shape[1])]
            self._start(terms, rows - share @ rows, Y - middle, w)
            self._select(terms, Y - middle, w)
            self._backfit(terms, Y - middle, w)
        self._store(terms, middle, np.ndim(y) == 1)
        return self

    def _start(self, terms, X, R, w):
        """The linear model of all columns, if there are enough rows."""
        usable = [j for j, term in enumerate(terms) if term.problem is not None]
        if not usable or 1 + self.cost * len(usable) >= w.sum():
            return
        root = np.sqrt(w)[:, None]
        coef = np.linalg.lstsq(X[:, usable] * root, R * root, rcond=None)[0]
        for j, b in zip(usable, coef, strict=True):
            terms[j].kind, terms[j].df, terms[j].fitted = "linear", 1.0, X[:, [j]] * b

    def _gcv(self, rss, df, n):
        left = 1.0 - (1.0 + self.cost * df) / n
        return np.where(left > 0, rss / n / np.where(left > 0, left, 1.0) ** 2, np.inf)

    def _select(self, terms, R, w):
        """Selection rounds over the columns."""
        n, total = w.sum(), sum(term.fitted for term in terms)
        self.gcv_path_, self.n_iter_, kinds = [], 0, None
        for _ in range(self.max_iter):
            self.n_iter_ += 1
            for term in terms:
                others = sum(other.df for other in terms if other is not term)
                total = total - term.fitted
                term.choose(R - total, lambda rss, df, base=others: self._gcv(rss, base + df, n), self.max_df)
                total = total + term.fitted
            score = float(self._gcv(np.sum(w @ (R - total) ** 2), sum(term.df for term in terms), n))
            settled = kinds == [term.kind for term in terms]
            kinds = [term.kind for term in terms]
            self.gcv_path_.append(score)
            if settled and self.gcv_path_[-2] - score <= self.tol * abs(score):
                return
        self._warn()

    def _backfit(self, terms, R, w):
        """Fit the selected functions jointly."""
        used = [term for term in terms if term.kind != "excluded"]
        total = sum((term.fitted for term in used), np.zeros(R.shape))
        for _ in range(self.max_iter):
            self.n_iter_ += 1
            moved = 0.0
            for term in used:
                total = total - term.fitted
                before = term.fitted
                term.refit(R - total)
                moved += np.sum(w @ (term.fitted - before) ** 2)
                total = total + term.fitted
            size = sum(np.sum(w @ term.fitted**2) for term in used)
            if moved <= self.tol**2 * max(size, 1e-300) or len(used) <= 1:
                break
        else:
            self._warn()
        n = w.sum()
        self.rss_ = float(np.sum(w @ (R - total) ** 2))
        self.gcv_ = float(self._gcv(self.rss_, sum(term.df for term in terms), n))

    def _warn(self):
        warn(
            "The fitted functions did not converge. Increase `max_iter`, or look for columns that are nearly "
            "functions of each other.",
            ConvergenceWarning,
        )

    def _store(self, terms, middle, flat):
        self.types_ = np.array([term.kind for term in terms])
        self.term_df_ = np.array([term.df for term in terms])
        self.lam_ = np.array([term.lam for term in terms])
        self.df_ = float(1.0 + self.term_df_.sum())
        self.ranges_ = np.array([term.range for term in terms])
        slopes = np.array([term.slope * (term.kind == "linear") for term in terms])
        self.centres_ = np.array([term.centre for term in terms])
        self.curves_ = {j: term.state() for j, term in enumerate(terms) if term.kind == "smooth"}
        self.intercept_ = float(middle[0]) if flat else middle
        self.coef_ = slopes[:, 0] if flat else slopes.T

    def predict_terms(self, X):
        """Values of the functions at the rows of X; each has mean zero over the training rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features) or (n_samples, n_features, n_targets)
        """
        check_is_fitted(self)
        X = validate_columns(self, X, dtype=FLOATS, reset=False)
        return self._terms(X)

    def _terms(self, X):
        offsets = np.asarray(X, np.float64) - self.centres_
        flat = self.coef_.ndim == 1
        parts = offsets * self.coef_ if flat else offsets[:, :, None] * self.coef_.T
        for j, (knots, *shapes) in self.curves_.items():
            said = [_curve(knots, *shape)(np.asarray(X[:, j], np.float64)) for shape in zip(*shapes, strict=True)]
            parts[:, j] = said[0] if flat else np.column_stack(said)
        return parts

    def predict(self, X):
        """Predicted values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        check_is_fitted(self)
        X = validate_columns(self, X, dtype=FLOATS, reset=False)
        return in_precision_of(X, self._terms(X).sum(axis=1) + self.intercept_)

    def summary(self):
        """Table of the selected type of every column.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        names = list(getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)]))
        table = Table(names, {"type": self.types_, "df": self.term_df_, "penalty": self.lam_})
        facts = {"df": self.df_, "gcv": self.gcv_, "rss": self.rss_, "cost": self.cost}
        labels = {"df": "df", "gcv": "GCV", "rss": "residual sum of squares", "cost": "cost of a df"}
        note = "No standard errors: the functions were selected on the same rows. GAM provides tests of its terms."
        return Summary("Additive model, functions chosen by GCV", table, facts, labels, [], [note])

    @styled
    def plot(self, axes=None, *, target=0, grid_size=101):
        """Plot the selected functions.

        Parameters
        ----------
        axes : array of matplotlib axes or None, default=None
        target : int, default=0
            The response whose functions are drawn.
        grid_size : int, default=101

        Returns
        -------
        ndarray of matplotlib axes
        """
        check_is_fitted(self)
        q = 1 if self.coef_.ndim == 1 else len(self.coef_)
        check_arguments("plot", target=(target, [Int(0, q - 1)]), grid_size=(grid_size, [Int(2, None)]))
        curves = self._curves(target, grid_size)
        if not curves:
            raise ValueError("There is no function to plot: all columns were dropped from the model.")
        axes = panels(axes, len(curves))
        for ax, curve in zip(axes, curves, strict=True):
            ax.plot(curve.x, curve.value)
            ax.set(xlabel=curve.feature, ylabel=curve.label)
        return axes

    def term_curves(self, *, grid_size=101):
        """Selected functions as arrays, response by response.

        Parameters
        ----------
        grid_size : int, default=101

        Returns
        -------
        list of TermCurve
        """
        check_is_fitted(self)
        check_arguments("term_curves", grid_size=(grid_size, [Int(2, None)]))
        if self.coef_.ndim == 1:
            return self._curves(0, grid_size)
        every = [(t, curve) for t in range(len(self.coef_)) for curve in self._curves(t, grid_size)]
        return [replace(curve, label=f"target {t + 1}: {curve.label}") for t, curve in every]

    def _curves(self, target, grid_size):
        names = list(getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)]))
        grids = np.linspace(self.ranges_[:, 0], self.ranges_[:, 1], grid_size)
        parts = self._terms(grids).reshape(grid_size, self.n_features_in_, -1)[:, :, target]
        return [
            TermCurve(f"{names[j]}, {self.term_df_[j]:.1f} df", str(names[j]), grids[:, j], parts[:, j])
            for j in np.flatnonzero(self.types_ != "excluded")
        ]


def _curve(knots, value, slope, second):
    return Curve(knots, value, slope, second, np.zeros(len(knots)))


class _Term:
    """One column: its preprocessed rows and its current option."""

    def __init__(self, x, w, q):
        self.w, self.centre = w, float(np.average(x, weights=w))
        self.offset = x - self.centre
        self.spread = float(w @ self.offset**2)
        self.range = (float(x.min()), float(x.max()))
        constant = self.range[0] == self.range[1] or self.spread <= 1e-24 * w.sum() * self.centre**2
        self.problem = None if constant else SplineProblem(x, np.zeros(len(x)), w)
        self.kind, self.df, self.lam = "excluded", 0.0, np.nan
        self.fitted, self.slope, self.curves = np.zeros((len(x), q)), np.zeros(q), None

    def choose(self, R, score, max_df):
        """The kind and penalty with the smallest score(rss, df) for the residuals R of the other functions."""
        self.kind, self.df, self.lam = "excluded", 0.0, np.nan
        if self.problem is not None:
            problems = [self.problem.with_response(r) for r in R.T]
            best = float(score(sum(p.rss_mean() for p in problems), 0.0))
            line = float(score(sum(p.rss_line() for p in problems), 1.0))
            if line < best:
                self.kind, self.df, self.lam, best = "linear", 1.0, np.inf, line
            if self.problem.n_used >= 3:
                self._try_curve(problems, score, max_df, best)
        self.refit(R)

    def _try_curve(self, problems, score, max_df, best):
        max_allowed = self.problem.n_used - 1.0 if max_df is None else max_df

        def scores(t):
            parts = [p.scores(10.0**t) for p in problems]
            df = parts[0].df - 1.0
            return np.where(df <= max_allowed, score(sum(s.rss for s in parts), df), np.inf)

        # A curve that is allowed few degrees of freedom is judged from smooth to rough.
        at = minimise(scores, self.problem.grid())
        if float(scores(np.array([at]))[0]) < best * (1.0 - _MARGIN):
            self.kind, self.lam = "smooth", 10.0**at
            self.df = float(self.problem.scores(self.lam).df[0]) - 1.0

    def refit(self, R):
        """The function of the current type."""
        if self.kind == "excluded":
            self.fitted = np.zeros(R.shape)
        elif self.kind == "linear":
            self.slope = (self.w * self.offset) @ R / self.spread
            self.fitted = self.offset[:, None] * self.slope
        else:
            self.curves = [self.problem.with_response(r).fit(self.lam) for r in R.T]
            share = self.problem.weights / self.problem.total
            for curve in self.curves:
                curve.value -= share @ curve.value
            self.fitted = np.column_stack([curve.value[self.problem.row_knot] for curve in self.curves])

    def state(self):
        """Knots, and values, slopes and second derivatives there of the curves of all responses."""
        shapes = [(curve.value, curve.slope, curve.second) for curve in self.curves]
        return [self.problem.knots, *(np.array(shape) for shape in zip(*shapes, strict=True))]
