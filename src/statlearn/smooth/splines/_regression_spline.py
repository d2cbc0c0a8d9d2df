"""Least squares on spline bases."""

from itertools import pairwise

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from statlearn._core import native
from statlearn._core.blas import single_blas_thread
from statlearn._core.params import Int, Options, Real, check_arguments, check_entries, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.selection import CVCurve, weighty_folds
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import FLOATS, check_weights, validate_columns
from statlearn._core.warnings import AmbiguousInputWarning, warn
from statlearn.smooth._function_plots import draw_curves
from statlearn.smooth._input_columns import check_sizes
from statlearn.smooth._term_curves import column_range, predicted_curves

from ._basis_smoother import BasisSmootherMixin
from ._penalized_least_squares import PenalizedLeastSquares, reduce_band, reduce_rows
from ._transformer import FORMS, KINDS, SplineTransformer, read_knots, refuse_constant

_NONE = np.empty(0)


class RegressionSpline(BasisSmootherMixin, BaseEstimator):
    r"""Regression spline: least squares on a spline basis of each column, optionally with a roughness penalty.

    Minimises over the coefficients of the functions :math:`h_m`

    .. math:: \sum_i w_i \Big(y_i - \sum_m \beta_m h_m(x_i)\Big)^2 + \lambda \, \beta^\top P \beta

    With several columns the model is additive: an intercept and the functions of each non-constant column. P holds the
    integrals of products of second derivatives, or squared second differences of the coefficients (P-splines).

    Parameters
    ----------
    df : int or array-like of int, default=5
        Number of functions of each column, excluding the constant, so a single column has ``df + 1`` coefficients.
        Several values are compared by cross-validation. Ignored if an array of knots is given.
    degree : int, default=3
        Degree of the polynomials; natural splines are always cubic.
    knots : {"quantile", "uniform"} or array-like of shape (n_knots, n_features), default="quantile"
        Placement of the knots, or an array of all knots, including the outer ones; see `interior_knots` for the
        others. A flat list is the knots of one column. Rows beyond the outer knots follow `extrapolation`, with a
        warning (for natural splines, whose ends are linear by design, if they are more than a fifth).
    basis : {"natural", "bspline", "truncated_power", "cyclic"}, default="natural"
        See :class:`SplineTransformer`.
    form : {"difference_last", "difference_local", "bspline"}, default="bspline"
        Form of the natural splines.
    extrapolation : {"linear", "constant", "continue", "error"}, default="linear"
        Extrapolation beyond the outer knots. Natural splines are always linear there, and cyclic ones repeat.
    lam : float or "gcv", default=0.0
        The penalty :math:`\lambda`; "gcv" chooses it by generalised cross-validation.
    penalty : {"derivative", "difference"}, default="derivative"
        What is penalised; differences require B-splines.
    cv : int, splitter, iterable or None, default=None
        Cross-validation splitter for choosing among several `df`; None uses five folds.
    rule : {"min", "one_se"}, default="min"
        Choose the best `df`, or the smallest within one standard error of it.
    interior_knots : array-like of shape (n_knots, n_features) or None, default=None
        The knots without the outer two, which are the smallest and the largest value of each column. Replaces `df` and
        `knots`. A flat list is the interior knots of one column.

    Attributes
    ----------
    coef_ : ndarray of shape (n_functions,) or (n_targets, n_functions)
        Coefficients in the order of ``terms_``.
    columns_ : ndarray of int
        Columns with spline functions (the non-constant ones).
    terms_ : list of str
        Names of the functions, after the intercept if there are several columns.
    knots_ : list of ndarray
        Knots of each column, the outer ones included; none for a constant column.
    transformer_ : SplineTransformer
        The fitted basis.
    df_ : float
        Trace of the smoother matrix: the number of coefficients, or less with a penalty.
    lam_ : float
        The penalty in use.
    chosen_df_ : int or None
        The `df` in use, None if the knots were given.
    cv_curve_ : CVCurve or None
        Cross-validation curve, if several `df` were compared.
    covariance_ : ndarray of shape (n_functions, n_functions)
        Covariance matrix of the coefficients, divided by the noise variance.
    sigma2_ : float
        Noise variance, RSS / (n - df), averaged over the targets; NaN if no degrees of freedom are left.
    gcv_, loo_ : float
        Generalised and leave-one-out cross-validation errors (mean squares), with fixed knots.
    centres_ : ndarray of shape (n_functions,)
        Means of the functions over the rows, excluding the intercept, at which the terms are centred.
    leverage_ : ndarray of shape (n_samples,)
        Diagonal of the smoother matrix.
    feature_range_ : ndarray of shape (2, n_features)
        Smallest and largest value of each column.
    feature_middle_ : ndarray of shape (n_features,)
        Median of each column.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    An unpenalised single column of B-splines is solved by a banded Cholesky factorisation in O(n + K), other bases by a
    QR decomposition. A weight of k counts as k rows. Regions without data leave coefficients undetermined; the
    minimum-norm solution, in units of the sizes of the functions, is then used. `summary` raises an error after a
    choice of `df` or with a penalty, because the standard errors would account for neither.

    Cubic splines are erratic beyond the data; natural splines have linear tails at the price of a little bias near the
    ends.

    References
    ----------
    Hastie, T., Tibshirani, R. and Friedman, J. (2009). *The Elements of Statistical Learning*, 2nd ed., section 5.2.

    Eilers, P. and Marx, B. (1996). Flexible smoothing with B-splines and penalties. Statistical Science 11, 89-121.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.smooth import RegressionSpline
    >>> x = np.linspace(0, 6, 50)
    >>> spline = RegressionSpline(df=5).fit(x[:, None], np.sin(x))
    >>> spline.predict([[1.5], [3.0]]).round(2)
    array([1.  , 0.14])
    >>> spline.df_
    6.0
    """

    _constraints = {
        "df": [Int(1, 10_000), "array-like"],
        "degree": [Int(0, 24)],
        "knots": [Options("quantile", "uniform"), "array-like"],
        "basis": [Options(*KINDS)],
        "form": [Options(*FORMS)],
        "extrapolation": [Options("linear", "constant", "continue", "error")],
        "lam": [Real(0, None), Options("gcv")],
        "penalty": [Options("derivative", "difference")],
        "cv": ["cv"],
        "rule": [Options("min", "one_se")],
        "interior_knots": ["array-like", None],
    }

    _search_space = SearchSpace("natural splines, additive", grid={"df": (2, 3, 4, 6, 9)})

    def __init__(
        self,
        df=5,
        *,
        degree=3,
        knots="quantile",
        basis="natural",
        form="bspline",
        extrapolation="linear",
        lam=0.0,
        penalty="derivative",
        cv=None,
        rule="min",
        interior_knots=None,
    ):
        self.df = df
        self.degree = degree
        self.knots = knots
        self.basis = basis
        self.form = form
        self.extrapolation = extrapolation
        self.lam = lam
        self.penalty = penalty
        self.cv = cv
        self.rule = rule
        self.interior_knots = interior_knots

    def fit(self, X, y, sample_weight=None):
        """Place the knots and fit the coefficients.

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
        check_sizes(X, y)
        weights = check_weights(sample_weight, X)
        self.cv_curve_ = None
        df = self.df if isinstance(self.knots, str) and self.interior_knots is None else None
        if df is not None and np.ndim(df):
            df = self._choose_df(X, y, weights)
        self.chosen_df_ = None if df is None else int(df)
        with single_blas_thread():
            self._fit(X, y, weights)
        return self

    def _choose_df(self, X, y, weights):
        from sklearn.model_selection import check_cv

        values = np.unique(check_entries("df", self.df, Real(), type(self).__name__))
        if values[0] < 1 or np.any(values != np.round(values)):
            raise ValueError(f"`df` must be integers of at least 1, got {self.df!r}.")
        loss, share = [], []
        for train, test in weighty_folds(check_cv(self.cv).split(X, y), weights):
            part = None if weights is None else weights[train]
            held = None if weights is None else weights[test]
            errors = []
            for df in values:
                fold = clone(self).set_params(df=int(df)).fit(X[train], y[train], part)
                errors.append(np.average((y[test] - fold.predict(X[test])) ** 2, axis=0, weights=held).mean())
            loss.append(errors)
            share.append(len(test) if held is None else held.sum())
        self.cv_curve_ = CVCurve(values.astype(np.float64), np.array(loss).T, np.array(share, float), name="df")
        return values[self.cv_curve_.chosen(self.rule)]

    def _transformer(self, one_column):
        settings = dict(degree=self.degree, basis=self.basis, form=self.form, extrapolation=self.extrapolation)
        if self.chosen_df_ is not None:
            n_knots = SplineTransformer(df=self.chosen_df_, include_bias=False, **settings)._knots_of_df()
            settings.update(n_knots=n_knots, knots=self.knots)
        else:
            settings.update(knots=self._all_knots())
        spline = SplineTransformer(include_bias=one_column, clamped=self.penalty == "derivative", **settings)
        return spline.set_output(transform="default")

    def _all_knots(self):
        """Given knots of the columns with spline functions, with the outer knots."""
        interior = self.interior_knots is not None
        if interior and not isinstance(self.knots, str):
            raise ValueError("`knots` contains all knots and `interior_knots` the inner ones; give only one of them.")
        name = "interior_knots" if interior else "knots"
        knots = read_knots(self.interior_knots if interior else self.knots, self.n_features_in_, name)
        if knots.shape[1] == self.n_features_in_:
            knots = knots[:, self.columns_]
        elif interior:
            raise ValueError(
                f"`interior_knots` must have {self.n_features_in_} columns, one for each column of X, got "
                f"{knots.shape[1]}."
            )
        if not interior:
            return knots  # other shapes are refused by the transformer
        ends = self.feature_range_[:, self.columns_]
        if np.any((knots <= ends[0]) | (knots >= ends[1])):
            raise ValueError(
                "`interior_knots` must lie between the smallest and the largest value of each column, got "
                f"{knots.tolist()}."
            )
        return np.vstack([ends[:1], np.sort(knots, axis=0), ends[1:]])

    def _warn_of_rows_outside(self, X, weights):
        """Warn of training rows beyond the given outer knots."""
        if isinstance(self.knots, str) or self.basis == "cyclic":
            return
        for j in self.columns_:
            low, high = self.knots_[j].min(), self.knots_[j].max()
            slack = 1e-6 * (high - low)
            share = np.average((X[:, j] < low - slack) | (X[:, j] > high + slack), weights=weights)
            if share > (0.2 + 1e-9 if self.basis == "natural" else 0.0):
                warn(
                    f"{share:.0%} of the rows lie beyond the outer knots {low:g} and {high:g} of column "
                    f"{self._names()[j]!r}, where the curve is only extrapolated. Include the ends of the data in "
                    "`knots`, or pass the inner knots as `interior_knots`.",
                    AmbiguousInputWarning,
                )

    def _names(self):
        return np.asarray(getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)]), object)

    def _used(self, X):
        """Columns with spline functions."""
        return X if len(self.columns_) == X.shape[1] else X[:, self.columns_]

    def _fit(self, X, y, weights):
        self.feature_range_, self.feature_middle_ = column_range(X if weights is None else X[weights > 0])
        names = self._names()
        varying = np.flatnonzero(self.feature_range_[0] < self.feature_range_[1])
        self.columns_ = varying if len(varying) else np.arange(X.shape[1])
        if not len(varying) and self.basis == "natural" and self.chosen_df_ is not None:
            refuse_constant(X.T, names)
        one = len(self.columns_) == 1
        self.transformer_ = self._transformer(one).fit(self._used(X), sample_weight=weights)
        self.knots_ = [np.empty(0)] * X.shape[1]
        for j, basis in zip(self.columns_, self.transformer_.bases_, strict=True):
            self.knots_[j] = np.array(basis.knots)
        self._warn_of_rows_outside(X, weights)
        functions = [str(name) for name in self.transformer_.get_feature_names_out(names[self.columns_])]
        self.terms_ = functions if one else ["(Intercept)", *functions]
        self.centres_ = self._mean_functions(X, weights)
        penalty = None
        if self.lam == "gcv" or self.lam > 0:
            penalty = self._penalty(one)
        Y = np.ascontiguousarray(y, dtype=np.float64).reshape(len(y), -1)
        total = float(len(y) if weights is None else weights.sum())
        problem = PenalizedLeastSquares(*self._reduce(X, Y, weights), penalty, total)
        self.lam_ = float(problem.best_lambda() if self.lam == "gcv" else self.lam)
        self._finish(problem, X, y, weights)

    def _penalty(self, one):
        block = self.transformer_.penalty_matrix(difference=2 if self.penalty == "difference" else None)
        if one:
            return block
        whole = np.zeros((len(block) + 1,) * 2)
        whole[1:, 1:] = block
        return whole

    def _reduce(self, X, Y, weights):
        """The rows as a triangle; by the banded normal equations for a single column of B-splines."""
        system = self._banded(X)
        if system is not None:
            values, start = system
            basis = self.transformer_.bases_[0]
            w = _NONE if weights is None else weights.astype(np.float64)
            band = np.empty((basis.degree + 1, basis.n_functions))
            products = np.empty((basis.n_functions, Y.shape[1]))
            native.smooth.bspline_normal_equations(values, start, w, Y, band, products)
            squares = np.sum(Y**2 if weights is None else w[:, None] * Y**2, axis=0)
            reduced = reduce_band(band, products, squares)
            if reduced is not None:
                return reduced
        return reduce_rows(self._design(X), Y, None if weights is None else weights.astype(np.float64))

    def _mean_functions(self, X, weights):
        band = self._banded(X)
        if band is None:
            return np.average(self._design(X)[:, 0 if len(self.columns_) == 1 else 1 :], axis=0, weights=weights)
        values, start = band
        w = np.ones(len(X)) if weights is None else weights
        count = self.transformer_.n_features_out_
        sums = [np.bincount(start + j, values[:, j] * w, minlength=count) for j in range(values.shape[1])]
        return np.sum(sums, axis=0) / w.sum()

    def _banded(self, X):
        """Nonzero functions at each row, for a single column of B-splines within its knots; otherwise None."""
        if len(self.columns_) > 1 or self.basis != "bspline":
            return None
        basis = self.transformer_.bases_[0]
        x = np.ascontiguousarray(X[:, self.columns_[0]], dtype=np.float64)
        inside = len(x) and x.min() >= basis.lower and x.max() <= basis.upper
        return basis.banded(x) if inside else None

    def _evaluate(self, X, coef, *, variance):
        band = self._banded(X)
        if band is None:
            return super()._evaluate(X, coef, variance=variance)
        values, start = band
        width = values.shape[1]
        fitted = sum(values[:, j].reshape((-1,) + (1,) * (coef.ndim - 1)) * coef[start + j] for j in range(width))
        if not variance:
            return fitted, None
        total = np.zeros(len(values))
        for d in range(width):
            diagonal = np.diag(self.covariance_, d) * (1.0 if d == 0 else 2.0)
            for j in range(width - d):
                total += values[:, j] * values[:, j + d] * diagonal[start + j]
        return fitted, total

    def _design(self, X):
        H = self.transformer_.transform(self._used(np.asarray(X, dtype=np.float64)))
        return H if len(self.columns_) == 1 else np.column_stack([np.ones(len(H)), H])

    def predict_terms(self, X, *, return_std=False):
        """Function of each column at the rows of X, with mean 0 over the training rows; 0 for constant columns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        return_std : bool, default=False
            Also return standard deviations, as in :meth:`predict`.

        Returns
        -------
        ndarray of shape (n_samples, n_features), or two of them
        """
        check_is_fitted(self)
        check_arguments("predict_terms", return_std=(return_std, ["boolean"]))
        if self.coef_.ndim > 1:
            raise ValueError("predict_terms supports a single response only.")
        X = validate_columns(self, X, dtype=FLOATS, reset=False)
        first = 0 if len(self.columns_) == 1 else 1
        H = self._design(X)[:, first:] - self.centres_
        coef, covariance = self.coef_[first:].astype(np.float64), self.covariance_[first:, first:]
        value, error = np.zeros(X.shape), np.zeros(X.shape)
        ends = np.cumsum([0, *(len(self.transformer_._kept(basis)) for basis in self.transformer_.bases_)])
        for j, at in zip(self.columns_, (slice(*pair) for pair in pairwise(ends)), strict=True):
            value[:, j] = H[:, at] @ coef[at]
            if return_std:
                error[:, j] = np.einsum("ij,ij->i", H[:, at] @ covariance[at, at], H[:, at])
        return (value, np.sqrt(self.sigma2_ * np.maximum(error, 0.0))) if return_std else value

    def term_curves(self, *, grid_size=101, level=0.95):
        """Functions of the columns with their bands, as arrays.

        Parameters
        ----------
        grid_size : int, default=101
        level : float, default=0.95
            Confidence level of the pointwise bands.

        Returns
        -------
        list of TermCurve
        """
        from scipy import special

        check_is_fitted(self)
        check_arguments(
            "term_curves", grid_size=(grid_size, [Int(2, None)]), level=(level, [Real(0, 1, closed="neither")])
        )
        reach = special.stdtrit(max(self._total_weight - self.df_, 1.0), 0.5 + level / 2)
        return predicted_curves(self, self._names(), self.columns_, grid_size, reach)

    def plot(self, axes=None, *, grid_size=101, level=0.95):
        """Plot the centred function of each column with its band, and the knots as ticks at the lower edge.

        Parameters
        ----------
        axes : array of matplotlib axes or None, default=None
        grid_size : int, default=101
        level : float, default=0.95

        Returns
        -------
        ndarray of matplotlib axes
        """
        axes = draw_curves(self.term_curves(grid_size=grid_size, level=level), axes)
        for ax, j in zip(axes, self.columns_):
            ax.plot(self.knots_[j], np.zeros(len(self.knots_[j])), "|", color="0.3", transform=ax.get_xaxis_transform())
        return axes

    def summary(self, *, level=0.95):
        """Table of coefficients with standard errors.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level of the intervals.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        check_arguments("summary", level=(level, [Real(0, 1, closed="neither")]))
        if self.lam_ > 0:
            raise ValueError(
                "summary: a penalised fit has biased coefficients, so standard errors are not valid. Use "
                "predict(return_std=True)."
            )
        if self.cv_curve_ is not None:
            raise ValueError("summary: df was chosen on the same rows, so standard errors would be too small.")
        if self.coef_.ndim > 1:
            raise ValueError("summary supports a single response only.")
        from scipy import special

        spare = self._total_weight - self.df_
        error = np.sqrt(self.sigma2_ * np.diag(self.covariance_))
        coef = self.coef_.astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = coef / error
        reach = special.stdtrit(spare, 0.5 + level / 2) * error
        columns = {
            "estimate": coef,
            "std_error": error,
            "t": t,
            "p": 2 * special.stdtr(spare, -np.abs(t)),
            "low": coef - reach,
            "high": coef + reach,
        }
        facts = dict(df=self.df_, sigma=np.sqrt(self.sigma2_), gcv=self.gcv_, loo=self.loo_)
        labels = dict(df="Degrees of freedom", sigma="Residual standard error", gcv="GCV", loo="Leave-one-out error")
        return Summary("Regression spline", Table(self.terms_, columns), facts, labels)
