"""Local regression as in Cleveland and Grosse."""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.frames import column_mask
from statlearn._core.params import Int, Options, Real, check_arguments, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import FLOATS, check_weights, validate_columns
from statlearn.smooth._input_columns import check_sizes, in_precision_of
from statlearn.smooth._smoother_scores import smoother_scores

from ._loess_columns import check_squares, choose_columns, choose_neighbors, warn_of_lost_rows, warn_of_trouble
from ._loess_problem import LoessProblem, blend_norms, blends_at, interpolate, own_blends
from ._loess_report import compare_fits, draw_fit, summarise
from ._loess_statistics import (
    approximate_deltas,
    approximate_trace,
    bisquare_weights,
    exact_deltas,
    matrix_deltas,
    pseudovalues,
    trimmed_scale,
)

_MOST_COLUMNS = 8  # of an interpolated surface: a cell has 2^p corners


class Loess(RegressorMixin, BaseEstimator):
    r"""Local regression (loess): polynomials fitted to neighbourhoods, with interpolation between them.

    At a point :math:`x_0` the value is the intercept of

    .. math:: \min_\beta \sum_i w_i \bigl(1 - (d_i / h)^3\bigr)_+^3
        \bigl(y_i - \beta_0 - \beta_1^\top (x_i - x_0) - \dots\bigr)^2,

    a sum over the fraction ``span`` of the rows that are nearest, with :math:`d_i` their distances and :math:`h` the
    largest of them. By default the polynomials are fitted only at the vertices of the cells of a tree, and their values
    and slopes are interpolated. Fits, standard errors and degrees of freedom agree with R's ``loess``.

    Parameters
    ----------
    span : float, default=0.75
        Fraction of the rows in a neighbourhood. Above 1 all rows are neighbours and h is :math:`\sqrt{span}` times the
        largest distance.
    degree : {0, 1, 2}, default=2
        Degree of the local polynomial; 2 includes all products of two columns.
    family : {"gaussian", "symmetric"}, default="gaussian"
        Least squares, or a fit that is robust against outlying responses: it is repeated with bisquare weights, which
        are 0 beyond six median absolute residuals.
    iterations : int, default=4
        Number of fits with ``family="symmetric"``, including the first.
    surface : {"auto", "interpolate", "direct"}, default="auto"
        Interpolate between the vertices of cells, or fit at every row. "auto" interpolates for up to eight columns.
    cell : float, default=0.2
        Cells are split until they hold at most ``span * cell`` of the rows.
    statistics : {"approximate", "exact"}, default="approximate"
        Approximate `one_delta_` and `two_delta_` from the trace by the formula of Cleveland and Grosse, or compute them
        exactly. The exact computation takes the cube of the number of vertices in operations, and the cube of n with
        ``surface="direct"``.
    trace_hat : {"exact", "approximate"}, default="exact"
        Compute the trace of an interpolated surface, or approximate it from span and degree.
    normalize : bool, default=True
        Whether to divide several columns by their standard deviations, computed without the lowest and highest tenth.
    drop_square : array-like of int, str or bool, or None, default=None
        Columns without a square in polynomials of degree 2.
    parametric : array-like of int, str or bool, or None, default=None
        Columns that are ignored in distances: given the others, the surface is a polynomial in them.
    weights : {"frequency", "precision"}, default="frequency"
        Meaning of `sample_weight`: either a row of weight k stands for k rows, also when neighbours are counted, or its
        response has variance :math:`\sigma^2 / w_i`, as in R. Rows of weight 0 are ignored.
    extrapolation : {"auto", "clamp", "direct", "nan", "error"}, default="auto"
        Prediction for rows outside the ranges of the training columns: the value at the nearest point of that box, a
        local fit at the row itself, NaN or an error. "auto" clamps an interpolated surface and fits a direct one.

    Attributes
    ----------
    df_ : float
        Trace of the smoother matrix (R: ``trace.hat``).
    enp_ : float
        Equivalent number of parameters, one_delta + 2 df - n.
    scale_ : float
        Residual standard error (R: ``s``); with ``family="symmetric"`` from pseudovalues.
    one_delta_, two_delta_ : float
        Traces of :math:`(I - L)(I - L)^\top` and of its square, for the smoother matrix L.
    df_residual_ : float
        Degrees of freedom of t intervals, one_delta² / two_delta.
    surface_ : str
        The surface in use, "interpolate" or "direct".
    n_neighbors_ : float
        Number of rows in a neighbourhood.
    columns_ : ndarray of int
        The non-constant columns, those used for distances first.
    divisor_ : ndarray of shape (n_features,)
        Divisors of the columns.
    vertices_ : ndarray of shape (n_vertices, n_features), or None
        Points of the local fits of an interpolated surface.
    cells_ : ndarray of shape (n_cells, n_corners), or None
        Cells of an interpolated surface: the rows of `vertices_` that are their corners, with the first of `columns_`
        varying fastest.
    fitted_values_ : ndarray of shape (n_samples,)
        The surface at the training rows; NaN for those of weight 0.
    leverage_ : ndarray of shape (n_samples,), or None
        Diagonal of the smoother matrix; None with ``trace_hat="approximate"``.
    robust_weights_ : ndarray of shape (n_samples,), or None
        Robustness weights of the last fit with ``family="symmetric"``.
    loo_, gcv_ : float
        Leave-one-out mean squared error and generalised cross-validation error, as in :meth:`scores`. Only for
        ``family="gaussian"``.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    The box around the rows, half a percent wider than their range, is split at medians of its widest column. Within a
    cell, cubic Hermite functions interpolate between the vertices. In two columns the edges are blended so that the
    surface is continuous; in more columns there may be tiny jumps where cells of different size meet. A fit takes O(n)
    per vertex, of which there are about :math:`2^p / (span \cdot cell)`, and O(1) per row. Standard errors do not need
    an n x n matrix. Direct surfaces take O(n) per row.

    If nearby rows do not determine the polynomial (too few distinct ones for the degree), the minimum-norm solution is
    used and a ``RankWarning`` is issued; increase `span` or lower `degree`. A span with fewer rows than coefficients is
    an error. Constant columns are ignored. For strongly correlated columns, the vertices of the box are far from all
    rows, and an interpolated surface approximates the direct one poorly. A warning is issued if it is useless.

    For spans above 1, R documents :math:`span^{1/p}` but computes the square root for any number of columns, as is done
    here.

    In more than three or four dimensions neighbourhoods are hardly local.

    References
    ----------
    Cleveland, W. and Devlin, S. (1988). Locally weighted regression. Journal of the American Statistical Association
    83, 596-610.

    Cleveland, W. and Grosse, E. (1991). Computational methods for local regression. Statistics and Computing 1, 47-62.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.smooth import Loess
    >>> x = np.linspace(0, 6, 61)[:, None]
    >>> loess = Loess(span=0.5).fit(x, np.sin(x[:, 0]))
    >>> loess.predict([[1.5], [3.0]]).round(3)
    array([0.992, 0.14 ])
    >>> round(loess.df_, 2)
    6.94
    """

    _search_space = SearchSpace("loess", grid={"span": (1.0, 0.75, 0.5, 0.3)})

    _constraints = {
        "span": [Real(0, None, closed="neither")],
        "degree": [Int(0, 2)],
        "family": [Options("gaussian", "symmetric")],
        "iterations": [Int(1, None)],
        "surface": [Options("auto", "interpolate", "direct")],
        "cell": [Real(0, None, closed="neither")],
        "statistics": [Options("approximate", "exact")],
        "trace_hat": [Options("exact", "approximate")],
        "normalize": ["boolean"],
        "drop_square": ["array-like", None],
        "parametric": ["array-like", None],
        "weights": [Options("frequency", "precision")],
        "extrapolation": [Options("auto", "clamp", "direct", "nan", "error")],
    }

    def __init__(
        self,
        span=0.75,
        degree=2,
        *,
        family="gaussian",
        iterations=4,
        surface="auto",
        cell=0.2,
        statistics="approximate",
        trace_hat="exact",
        normalize=True,
        drop_square=None,
        parametric=None,
        weights="frequency",
        extrapolation="auto",
    ):
        self.span = span
        self.degree = degree
        self.family = family
        self.iterations = iterations
        self.surface = surface
        self.cell = cell
        self.statistics = statistics
        self.trace_hat = trace_hat
        self.normalize = normalize
        self.drop_square = drop_square
        self.parametric = parametric
        self.weights = weights
        self.extrapolation = extrapolation

    def fit(self, X, y, sample_weight=None):
        """Fit the surface.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            See the parameter `weights`.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_columns(self, X, y, dtype=FLOATS, y_numeric=True)
        check_sizes(X, y, smallest=1e-20)  # cells have a margin of 1e-30, as in R
        weights = check_weights(sample_weight, X)
        self._keep(X.astype(np.float64), y.astype(np.float64), weights)
        problem = self._problem()
        problem.neighbors = self.n_neighbors_ = choose_neighbors(self.span, self._n_rows, problem)
        first, fitted, robust = self._iterate(problem)
        leverage = self._measure(problem, first, fitted, robust)
        self.fitted_values_ = self._in_order(fitted, len(y), np.nan)
        self.robust_weights_ = self._in_order(robust, len(y))
        self.leverage_ = self._in_order(leverage, len(y))
        self._n_samples = len(y)
        return self

    def _in_order(self, values, n, missing=0.0):
        """One value per row passed to `fit`, with another for rows without weight."""
        if values is None:
            return None
        out = np.full(n, missing)
        out[self._row_order] = values
        return out

    def _keep(self, X, y, weights):
        """Keep rows with positive weight and non-constant columns, scaled and in the order that the kernels expect."""
        used = np.arange(len(y)) if weights is None else np.flatnonzero(weights > 0)
        if len(used) < 2:
            raise ValueError(f"Loess requires at least 2 rows with positive weight, got {len(used)} sample(s).")
        weights = None if weights is None else weights[used].astype(np.float64)
        counts = weights if self.weights == "frequency" else None
        X, y = X[used], y[used]
        self._choose_columns(X)
        self._first_row, self.divisor_ = X[0].copy(), np.ones(X.shape[1])
        if self.normalize and len(self.columns_) > 1:
            self.divisor_[self.columns_] = [trimmed_scale(X[:, j], counts) for j in self.columns_]
        X = self._scaled(X)
        order = np.argsort(X[:, 0]) if X.shape[1] == 1 else np.arange(len(y))
        self._row_order = used[order]
        self._X_train = np.asfortranarray(X[order])
        self._y_train = y[order]
        self._row_weights = None if weights is None else weights[order]
        self._n_rows = float(len(used) if counts is None else counts.sum())

    def _choose_columns(self, X):
        names = getattr(self, "feature_names_in_", None)
        parametric, dropped = (
            column_mask(() if chosen is None else chosen, X.shape[1], names, parameter)
            for parameter, chosen in (("parametric", self.parametric), ("drop_square", self.drop_square))
        )
        check_squares(dropped, self.degree)
        self.columns_, self._near = choose_columns(X, parametric)
        self._squares = (~dropped[self.columns_]).astype(np.int32)
        p = len(self.columns_)
        self.surface_ = self.surface
        if self.surface == "auto":
            self.surface_ = "interpolate" if p <= _MOST_COLUMNS else "direct"
        elif self.surface == "interpolate" and p > _MOST_COLUMNS:
            raise ValueError(
                f"surface='interpolate' supports at most {_MOST_COLUMNS} columns, got {p}; use surface='direct'."
            )

    def _scaled(self, X):
        """Rows in the form that the kernels expect."""
        return X[:, self.columns_] / self.divisor_[self.columns_]

    def _unscaled(self, Z):
        """Points in the units and columns of X."""
        X = np.tile(self._first_row, (len(Z), 1))
        X[:, self.columns_] = Z * self.divisor_[self.columns_]
        return X

    def _problem(self):
        """Training rows in the form that the kernels expect."""
        return LoessProblem(
            self._X_train,
            self._y_train,
            self._row_weights,
            self._row_weights if self.weights == "frequency" else None,
            int(self.degree),
            self._near,
            self._squares,
            getattr(self, "n_neighbors_", 1.0),
            max(1.0, float(self.span)),
        )

    def _iterate(self, problem):
        """The first fits, the final fitted values and their robustness weights."""
        if self.surface_ == "interpolate":
            self._cells = problem.cells(self._n_rows * (self.span * self.cell))
            self.vertices_ = self._unscaled(self._cells[5])
            _, _, low, _, corners, _ = self._cells
            self.cells_ = corners[low < 0]  # the others are split
        else:
            self._cells = self.vertices_ = self.cells_ = None
        first = fits = self._fit_places(problem)
        fitted, robust = self._fitted(fits), None
        for step in range(1, self.iterations if self.family == "symmetric" else 1):
            weights = bisquare_weights(problem.y - fitted, problem.counts)
            reweighted = self._fit_places(problem, robust=weights)
            if reweighted.singular > first.singular:  # a polynomial of minimum norm there would be near 0, not near y
                warn_of_lost_rows(self, reweighted, step)
                break
            fits, robust = reweighted, weights
            fitted = self._fitted(fits)
        warn_of_trouble(self, first, first.singular)
        self._vertex_values = self._vertex_coefs = self._vertex_reach = None
        if self._cells is not None:
            self._vertex_values, self._vertex_coefs, self._vertex_reach = fits.values, first.coefs, first.reach
        return first, fitted, robust

    def _fit_places(self, problem, **changes):
        """Local fits at the vertices, or at the rows themselves."""
        if self._cells is None:
            return problem.fit_at(problem.X, slopes=False, **changes)
        return problem.fit_at(self._cells[5], slopes=True, **changes)

    def _fitted(self, fits):
        if self._cells is None:
            return fits.values[:, 0]
        return interpolate(self._cells, fits.values, np.ascontiguousarray(self._X_train))

    def _measure(self, problem, first, fitted, robust):
        """Degrees of freedom and residual scale; returns the leverages if they were computed."""
        n, p = self._n_rows, problem.X.shape[1]
        precision = None if problem.counts is not None else problem.weights
        interpolated = self._cells is not None
        # R counts a polynomial of degree 0 like one of degree 1 here.
        n_parameters = (p + 1) * (p + 2) // 2 - int((self._squares == 0).sum()) if self.degree == 2 else p + 1
        leverage = None
        if interpolated and self.trace_hat == "approximate" and self.statistics == "approximate":
            self.df_ = float(approximate_trace(n_parameters, p, self.span))
        else:
            leverage = self._diagonal(problem, first)
            self.df_ = float(leverage.sum())
        if self.statistics == "approximate":
            deltas = approximate_deltas(self.df_, n, n_parameters, p)
        elif interpolated:
            deltas = exact_deltas(n, problem.gram(first.operator, self._cells, divide=problem.counts, with_blends=True))
        else:
            L = problem.operator_rows(first.operator, own_blends(len(problem)))
            if problem.counts is not None:
                L *= np.sqrt(problem.counts)[:, None] / np.sqrt(problem.counts)
            deltas = matrix_deltas(n, L)
        self.one_delta_, self.two_delta_ = deltas
        self.enp_ = self.one_delta_ + 2.0 * self.df_ - n
        self.df_residual_ = self.one_delta_**2 / self.two_delta_ if self.two_delta_ > 0 else np.nan
        residuals = problem.y - fitted
        if robust is not None:
            values = pseudovalues(problem.y, fitted, precision, robust, problem.counts)
            residuals = values - self._fitted(self._fit_places(problem, y=values))
        rss = float(np.sum(residuals**2 if problem.weights is None else problem.weights * residuals**2))
        self.scale_ = float(np.sqrt(rss / self.one_delta_)) if self.one_delta_ > 0 else np.nan
        return leverage

    def _diagonal(self, problem, first):
        if self._cells is None:
            leverages = first.coefs[:, 0, 0]  # a row is its own nearest: its kernel weight is 1
            return leverages if problem.weights is None else leverages * problem.weights
        return problem.diagonal(first.operator, self._cells)

    def predict(self, X, return_std=False):
        """Fitted surface at each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        return_std : bool, default=False
            Whether to also return the standard error of the surface.

        Returns
        -------
        ndarray of shape (n_samples,), or two of them
        """
        check_is_fitted(self)
        check_arguments("predict", return_std=(return_std, ["boolean"]))
        X = validate_columns(self, X, dtype=FLOATS, reset=False)
        value, error = self._evaluate(X, return_std)
        return (in_precision_of(X, value), in_precision_of(X, error)) if return_std else in_precision_of(X, value)

    def _evaluate(self, X, with_error):
        """The surface, and its standard error if requested."""
        Z, outside, local = self._places(X)
        value, norm = np.empty(len(Z)), np.empty(len(Z))
        for rows, evaluate in ((~local, self._interpolated), (local, self._direct)):
            if rows.any():
                value[rows], norm[rows] = evaluate(np.ascontiguousarray(Z[rows]), with_error)
        if self._extrapolation() == "nan":
            value[outside] = norm[outside] = np.nan
        return value, self.scale_ * np.sqrt(norm) if with_error else None

    def _extrapolation(self):
        if self.extrapolation == "auto":
            return "clamp" if self.surface_ == "interpolate" else "direct"
        return self.extrapolation

    def _places(self, X):
        """Rows on the scale of the training rows, those outside their box, and those to fit directly."""
        Z = self._scaled(X.astype(np.float64))
        low, high = self._X_train.min(axis=0), self._X_train.max(axis=0)
        outside = np.any((low > Z) | (high < Z), axis=1)
        rule = self._extrapolation()
        if rule == "error" and outside.any():
            raise ValueError(
                f"X: {outside.sum()} of {len(Z)} rows lie outside the range of the training rows; set "
                "`extrapolation` to something other than 'error'."
            )
        if rule in ("clamp", "nan"):
            Z = np.clip(Z, low, high)
        local = outside if rule == "direct" else np.zeros(len(Z), dtype=bool)
        return Z, outside, np.ones(len(Z), dtype=bool) if self._cells is None else local

    def _vertex_fits(self):
        return self._cells[5], self._vertex_coefs, self._vertex_reach

    def _interpolated(self, Z, with_norm):
        """The surface, and squared lengths of the operator's rows in units of the residual variance."""
        value = interpolate(self._cells, self._vertex_values, Z)
        if not with_norm:
            return value, np.nan
        S = self._problem().gram(self._vertex_fits(), self._cells, divide=self._row_weights)
        return value, np.maximum(blend_norms(blends_at(self._cells, Z), S), 0.0)

    def _direct(self, Z, with_norm):
        problem = self._problem()
        robust = None if self.robust_weights_ is None else self.robust_weights_[self._row_order]
        if not with_norm:
            return problem.fit_at(Z, slopes=False, robust=robust).values[:, 0], np.nan
        return problem.row_norms(Z, robust)

    def smoother_matrix(self, X):
        """Smoother matrix: the matrix L with predictions L y at the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Any rows; the training rows give the smoother matrix S.

        Returns
        -------
        ndarray of shape (n_samples, n_training_rows)
            Its rows sum to 1.
        """
        check_is_fitted(self)
        self._require_linear("smoother matrix")
        X = validate_columns(self, X, dtype=FLOATS, reset=False)
        Z, outside, local = self._places(X)
        problem = self._problem()
        L = np.zeros((len(Z), self._n_samples))
        rows = np.empty((len(Z), len(problem)))
        if local.any():
            fits = problem.fit_at(Z[local], slopes=False)
            rows[local] = problem.operator_rows(fits.operator, own_blends(len(fits.values)))
        if not local.all():
            blends = blends_at(self._cells, np.ascontiguousarray(Z[~local]))
            rows[~local] = problem.operator_rows(self._vertex_fits(), blends)
        L[:, self._row_order] = rows
        if self._extrapolation() == "nan":
            L[outside] = np.nan
        return L

    def _require_linear(self, what):
        if self.family == "symmetric":
            raise ValueError(
                f"A robust fit has no {what}, because its weights depend on the responses; use family='gaussian'."
            )

    def scores(self):
        """Degrees of freedom and errors of the fit to the training rows.

        Returns
        -------
        dict
            ``df`` (trace of the smoother matrix), ``rss``, ``loo`` and ``gcv`` (mean squared errors; `loo` is that of
            refits without each row, with the same cells and distances h) and ``aicc`` (Hurvich, Simonoff and Tsai).
        """
        check_is_fitted(self)
        self._require_linear("leave-one-out score")
        problem = self._problem()
        leverage = self._leverages(problem)
        fitted = self.fitted_values_[self._row_order]
        if problem.counts is not None:
            leverage = leverage / problem.counts
        return smoother_scores(problem.y - fitted, leverage, self.df_, problem.weights, self._n_rows)

    def _leverages(self, problem):
        if self.leverage_ is not None:
            return self.leverage_[self._row_order]
        return problem.diagonal(self._vertex_fits(), self._cells)

    @property
    def loo_(self):
        """Leave-one-out mean squared error."""
        return self.scores()["loo"]

    @property
    def gcv_(self):
        """Generalised cross-validation."""
        return self.scores()["gcv"]

    def summary(self):
        """Table of degrees of freedom, residual scale and settings.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        return summarise(self)

    def anova(self, *others):
        """F tests of successive fits to the same responses.

        Parameters
        ----------
        *others : Loess
            Other fits to the same rows.

        Returns
        -------
        Summary
            Equivalent parameters, residual sum of squares, F and p-value of each fit, in the order given.

        Notes
        -----
        The denominator is the residual variance of the fit with the most parameters. The F distribution is an
        approximation by two moments, and the fits must have been chosen without looking at the responses.
        """
        check_is_fitted(self)
        for other in others:
            check_is_fitted(other)
        return compare_fits([self, *others])

    def plot(self, ax=None, *, grid_size=201, level=0.95):
        """Plot the curve of one column with its band and the training rows, or the surface of two.

        Parameters
        ----------
        ax : matplotlib axes or None, default=None
        grid_size : int, default=201
            Number of grid points along each column.
        level : float, default=0.95
            Confidence level of the pointwise t intervals.

        Returns
        -------
        matplotlib axes
        """
        check_is_fitted(self)
        return draw_fit(self, ax, grid_size, level)
