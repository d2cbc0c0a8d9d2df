"""The cubic smoothing spline."""

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.memory import require_memory
from statlearn._core.params import Int, Options, Real, check_arguments, check_params
from statlearn._core.selection import CVCurve, weighty_folds
from statlearn._core.validation import check_array, check_weights
from statlearn._core.warnings import StatlearnWarning, warn
from statlearn.smooth._input_columns import check_sizes, validate_column
from statlearn.smooth._smoother_scores import noise_variance

from ._smoothing_inference import plot_spline, power_traces, sampling_variance, spline_summary
from ._smoothing_problem import Curve, SplineProblem, lambda_of_df, minimise

_CRITERIA = ("gcv", "loo", "reml")


class SmoothingSpline(RegressorMixin, BaseEstimator):
    r"""Cubic smoothing spline: the minimiser of squared error plus a roughness penalty.

    Minimises over all functions with two derivatives

    .. math:: \sum_i w_i (y_i - f(x_i))^2 + \lambda \int f''(t)^2 \, dt

    The minimiser is a natural cubic spline with a knot at every distinct x. The loss is a sum without a factor 1/2, x
    is on its own scale, and straight lines are not penalised. Set `df`, the trace of the smoother matrix, or `lam`; if
    neither is set, a criterion chooses the penalty.

    Parameters
    ----------
    df : float or None, default=None
        Effective degrees of freedom, between 2 and the number of distinct x. The limits are the least-squares line and
        the natural cubic spline that interpolates the mean y of every x; see `lam`.
    lam : float or None, default=None
        The penalty :math:`\lambda \ge 0`, if `df` is None. It is not comparable across data sets. Infinity is the
        least-squares line. With 0 the curve interpolates, and a warning says that no degrees of freedom are left to
        estimate the noise.
    criterion : {"gcv", "loo", "reml", "cv"}, default="gcv"
        Criterion for the penalty if neither is set: generalised cross-validation, leave-one-out (without refitting),
        the restricted likelihood of the spline as a random process, or cross-validation by folds.
    cv : int, splitter, iterable or None, default=None
        Cross-validation splitter for ``criterion="cv"``; None uses five folds.
    rule : {"min", "one_se"}, default="min"
        With ``criterion="cv"``, choose the best penalty, or the largest within one standard error of it.

    Attributes
    ----------
    lam_ : float
        The penalty in use.
    df_ : float
        Trace of the smoother matrix.
    knots_ : ndarray of shape (n_knots,)
        The distinct values of x.
    values_, slopes_, second_derivatives_ : ndarray of shape (n_knots,)
        The curve at the knots.
    leverage_ : ndarray of shape (n_samples,)
        Diagonal of the smoother matrix.
    rss_, gcv_, loo_, reml_ : float
        Weighted residual sum of squares; generalised and leave-one-out cross-validation errors (mean squares); minus
        the log restricted likelihood up to a constant of the data.
    sigma2_ : float
        Noise variance, RSS / (n - df); NaN if no degrees of freedom are left.
    rss_line_, rss_mean_ : float
        Residual sums of squares of the least-squares line and of the mean alone.
    cv_curve_ : CVCurve or None
        With ``criterion="cv"``, loss over the folds for a grid of penalties.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    The curve is the posterior mean of an integrated Wiener process, whose value and slope form a Markov process.
    Information from the points on the left and on the right is propagated along the knots in O(n), by sums of terms of
    one sign. All knots are used, even with ten million rows, and no accuracy is lost if knots nearly coincide. A search
    over penalties takes about fifty such passes, four at a time.

    X may be a one-dimensional array or a single column. Rows with equal x share a knot. A weight of k counts as k rows,
    also in the criteria; scale relative precisions to a mean of 1. `predict` with ``return_std=True`` also returns the
    standard deviation of the curve: either in the underlying Bayesian model, whose bands of ±2 standard deviations
    cover the curve about 95 % of the time on average over x, or over repeated samples (``std="sampling"``), which
    ignores the bias of the curve. Both cost O(n). Beyond the data the curve continues as a straight line.

    GCV and leave-one-out are noisy and occasionally choose a far too rough curve; the restricted likelihood does so
    less often. R's ``smooth.spline`` reports the penalty for x scaled to the unit interval; multiply it by the cube of
    the range of x. It integrates the squared second derivative with .3330 instead of 1/3, so its numbers agree with the
    exact ones here to about four digits only (with that constant, to nine), and it uses fewer knots from 50 distinct x
    on unless ``all.knots = TRUE``.

    References
    ----------
    Green, P. and Silverman, B. (1994). *Nonparametric Regression and Generalized Linear Models*. Chapman & Hall.

    Kohn, R. and Ansley, C. (1987). A new algorithm for spline smoothing based on smoothing a stochastic process. SIAM
    Journal on Scientific and Statistical Computing 8, 33-48.

    Hastie, T., Tibshirani, R. and Friedman, J. (2009). *The Elements of Statistical Learning*, 2nd ed., section 5.4.

    Examples
    --------
    >>> from statlearn.smooth import SmoothingSpline
    >>> spline = SmoothingSpline(lam=1.0).fit([0, 1, 2, 3, 4], [0, 2, 1, 3, 2])
    >>> spline.predict([0, 1, 2, 3, 4]).round(4)
    array([0.3913, 1.2174, 1.7826, 2.2174, 2.3913])
    >>> round(spline.df_, 4)
    2.6752
    """

    _constraints = {
        "df": [Real(2, None), None],
        "lam": [Real(0, None, closed="both"), None],
        "criterion": [Options(*_CRITERIA, "cv")],
        "cv": ["cv"],
        "rule": [Options("min", "one_se")],
    }

    def __init__(self, df=None, *, lam=None, criterion="gcv", cv=None, rule="min"):
        self.df = df
        self.lam = lam
        self.criterion = criterion
        self.cv = cv
        self.rule = rule

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        return tags

    def fit(self, X, y, sample_weight=None):
        """Fit the curve.

        Parameters
        ----------
        X : array-like of shape (n_samples,) or (n_samples, 1)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k counts as k rows.

        Returns
        -------
        self
        """
        check_params(self)
        if self.df is not None and self.lam is not None:
            raise ValueError("Set either `df` or `lam`, not both.")
        x, y = validate_column(self, X, y)
        check_sizes(y=y)
        weights = check_weights(sample_weight, x)
        problem = make_problem(x, y, weights)
        self.cv_curve_ = None
        self.lam_ = float(self._choose(problem, x, y, weights))
        self._store(problem)
        if self.lam_ == 0 and np.isnan(self.sigma2_):
            warn(
                "The spline interpolates: it has no residual degrees of freedom, so there is no estimate of the noise, "
                "and errors of new rows are not to be seen from this fit. Set `lam` above 0 to smooth.",
                StatlearnWarning,
            )
        return self

    def _choose(self, problem, x, y, weights):
        if self.lam is not None:
            return self.lam
        if self.df is not None:
            return limited_lambda(problem, self.df)
        if self.criterion == "cv":
            return self._cross_validate(problem, x, y, weights)
        name = self.criterion

        def score(t):
            return getattr(problem.scores(10.0**t, likelihood=name == "reml"), name)

        return 10.0 ** minimise(score, problem.grid())

    def _cross_validate(self, problem, x, y, weights):
        from sklearn.model_selection import check_cv

        folds = []
        w = np.ones(len(x)) if weights is None else weights
        for train, test in weighty_folds(check_cv(self.cv).split(x[:, None], y), w, skip_tests=True):
            mass, held = np.zeros(len(x)), np.zeros(len(x))
            np.add.at(mass, train, w[train])
            np.add.at(held, test, w[test])
            folds.append((make_problem(x, y, mass), SplineProblem(x, y, held)))

        def losses(t):
            sums = np.empty((len(t), len(folds)))
            for k, (train, test) in enumerate(folds):
                lost = train.scores(10.0**t, held_y=test.mean, held_w=test.weights).held
                sums[:, k] = (lost + test.within.sum()) / test.total
            return sums

        grid = problem.grid(step=0.5)[::-1]  # the simplest model first
        share = np.array([test.total for _, test in folds])
        self.cv_curve_ = CVCurve(10.0**grid, losses(grid), share, name="lam")
        if self.rule == "one_se":
            return self.cv_curve_.parameter[self.cv_curve_.one_se]
        best = self.cv_curve_.best
        around = grid[max(best - 1, 0) : best + 2][::-1]
        return 10.0 ** minimise(lambda t: np.average(losses(t), axis=1, weights=share), around)

    def _store(self, problem):
        curve = problem.fit(self.lam_)
        scores = problem.scores(self.lam_, likelihood=True)
        self.knots_, self._knot_weights = curve.knots, problem.weights
        self.values_, self.slopes_, self.second_derivatives_ = curve.value, curve.slope, curve.second
        self._knot_variances = curve.variance
        self._row_knots, self._row_weights = problem.row_knot, problem.row_weight
        self.leverage_ = curve.variance[problem.row_knot]
        if problem.row_weight is not None:
            self.leverage_ = self.leverage_ * problem.row_weight
        self._n_rows = problem.total
        self.df_, self.rss_ = float(scores.df[0]), float(scores.rss[0])
        self.rss_line_, self.rss_mean_ = problem.rss_line(), problem.rss_mean()
        self.gcv_, self.loo_, self.reml_ = float(scores.gcv[0]), float(scores.loo[0]), float(scores.reml[0])
        if self.lam_ == 0:
            self.reml_ = float("nan")  # the likelihood of a random process without a variance
        self.sigma2_ = noise_variance(self.rss_, problem.total - self.df_, problem.total)

    def predict(self, X, *, derivative=0, return_std=False, std="bayesian"):
        """Values of the curve or of one of its derivatives.

        Parameters
        ----------
        X : array-like of shape (n_samples,) or (n_samples, 1)
        derivative : {0, 1, 2, 3}, default=0
        return_std : bool, default=False
            Whether to also return the standard deviation of the curve (``derivative=0`` only).
        std : {"bayesian", "sampling"}, default="bayesian"
            Kind of standard deviation: in the Bayesian model, where it covers bias as well, or over repeated samples at
            the same X.

        Returns
        -------
        ndarray of shape (n_samples,), or two of them
        """
        check_is_fitted(self)
        check_arguments(
            "predict",
            derivative=(derivative, [Int(0, 3)]),
            return_std=(return_std, ["boolean"]),
            std=(std, [Options("bayesian", "sampling")]),
        )
        x = validate_column(self, X, reset=False)
        value = self._curve()(x, derivative)
        if not return_std:
            return value
        if derivative:
            raise ValueError("return_std needs derivative=0.")
        return value, self._std(x, std)

    def _std(self, x, kind):
        """Standard deviation of the curve at x."""
        problem = self._problem()
        if kind == "sampling":
            return np.sqrt(self.sigma2_ * sampling_variance(problem, self.lam_, x))
        dense = problem.fit(self.lam_, at=x)
        return np.sqrt(self.sigma2_ * dense.variance[np.searchsorted(dense.knots, x)])

    def summary(self):
        """Table of the fit with F tests of the line and of the curvature beyond it.

        Returns
        -------
        Summary
            One row for the slope of the least-squares line and one for the curvature beyond it.

        Notes
        -----
        The sum of squares of the curvature is the decrease of the residual sum of squares from the line to the curve.
        For a given penalty both are quadratic forms of the noise, and their ratio approximately has the F distribution
        with matching moments. If the penalty was chosen on the same rows the p-value is too small; the summary notes
        this.
        """
        check_is_fitted(self)
        traces = power_traces(self._problem(), self.lam_)
        return spline_summary(self, traces)

    def plot(self, X=None, y=None, *, ax=None, grid_size=201, level=0.95, std="bayesian"):
        """Plot the curve with its band, and the rows if given.

        Parameters
        ----------
        X, y : array-like of shape (n_samples,) or None, default=None
            Rows to draw as points.
        ax : matplotlib axes or None, default=None
        grid_size : int, default=201
        level : float, default=0.95
            Confidence level of the pointwise band.
        std : {"bayesian", "sampling"}, default="bayesian"
            As in :meth:`predict`.

        Returns
        -------
        matplotlib axes
        """
        check_is_fitted(self)
        check_arguments(
            "plot",
            grid_size=(grid_size, [Int(2, None)]),
            level=(level, [Real(0, 1, closed="neither")]),
            std=(std, [Options("bayesian", "sampling")]),
        )
        return plot_spline(self, X, y, ax, grid_size, level, std)

    def smoother_matrix(self, X):
        """Smoother matrix: the matrix L with predictions L y at the rows of X, for the penalty in use.

        Parameters
        ----------
        X : array-like of shape (n_samples,) or (n_samples, 1)
            Any rows; the training rows give the smoother matrix S.

        Returns
        -------
        ndarray of shape (n_samples, n_training_rows)
        """
        check_is_fitted(self)
        x = validate_column(self, X, reset=False)
        return self._problem().rows(x, self.lam_)

    def demmler_reinsch(self, n_functions=None):
        r"""Eigendecomposition of the smoother (Demmler-Reinsch basis).

        In the weighted inner product of the data the eigenfunctions are orthonormal. They are the same for every
        penalty and become rougher with their index; the first two span the straight lines.

        Parameters
        ----------
        n_functions : int or None, default=None
            Number of eigenfunctions, smoothest first; None returns all.

        Returns
        -------
        shrinkage : ndarray of shape (n_functions,)
            Eigenvalues :math:`\rho_k = 1 / (1 + \lambda d_k)` of the smoother, decreasing from 1.
        roughness : ndarray of shape (n_functions,)
            :math:`d_k = \int u_k''^2`, which do not depend on the penalty.
        functions : ndarray of shape (n_knots, n_functions)
            Values of the eigenfunctions at `knots_`.

        Notes
        -----
        A dense decomposition: memory grows with the square and time with the cube of the number of knots.
        """
        check_is_fitted(self)
        used = self._knot_weights > 0
        x, w = self.knots_[used], self._knot_weights[used]
        m = len(x)
        count = m if n_functions is None else min(int(n_functions), m)
        require_memory(40 * m * m, f"The eigenfunctions of {m:,} knots", "Fit to fewer distinct values of X.")
        Q, R = second_differences(x)
        root = np.sqrt(w)
        lower = linalg.cholesky_banded(R, lower=True)
        # Roughness of f is |B root f|^2 with B = L^-1 Q' / root.
        half = linalg.solve_triangular(_from_band(lower), Q.T / root, lower=True)
        _, d, Vt = linalg.svd(half, full_matrices=False)
        line = np.linalg.qr(root[:, None] * np.column_stack([np.ones(m), x - np.average(x, weights=w)]))[0]
        vectors = np.column_stack([line, Vt[::-1].T]) / root[:, None]
        roughness = np.concatenate([[0.0, 0.0], d[::-1] ** 2])
        return 1.0 / (1.0 + self.lam_ * roughness[:count]), roughness[:count], vectors[:, :count]

    def _curve(self):
        return Curve(self.knots_, self.values_, self.slopes_, self.second_derivatives_, self._knot_variances)

    def _problem(self):
        """Knots and weights of the training rows, without their responses."""
        problem = SplineProblem(self.knots_, np.zeros(len(self.knots_)), self._knot_weights)
        problem.row_knot, problem.row_weight = self._row_knots, self._row_weights
        return problem


def make_problem(x, y, weights):
    """A `SplineProblem` with enough distinct values of x."""
    problem = SplineProblem(x, y, weights)
    if problem.n_used < 3:
        raise ValueError(
            "A smoothing spline requires at least 3 distinct values of X with positive weight, got "
            f"{problem.n_used} in {len(x)} sample(s)."
        )
    return problem


def limited_lambda(problem, df):
    """Penalty of a smoother with trace `df`, the limits of interpolation and of a straight line included."""
    if df == 2:
        return np.inf
    return 0.0 if df == problem.n_used else lambda_of_df(problem, df)


def second_differences(x):
    """Q (n, n - 2) and the band of R (2, n - 2) with roughness f'Q R^-1 Q'f of the natural spline through f."""
    h = np.diff(x)
    n = len(x)
    Q = np.zeros((n, n - 2))
    k = np.arange(n - 2)
    Q[k, k] = 1.0 / h[:-1]
    Q[k + 2, k] = 1.0 / h[1:]
    Q[k + 1, k] = -1.0 / h[:-1] - 1.0 / h[1:]
    R = np.zeros((2, n - 2))
    R[0] = (h[:-1] + h[1:]) / 3.0
    R[1, :-1] = h[1:-1] / 6.0
    return Q, R


def _from_band(lower):
    """A dense lower triangle from its band of two diagonals."""
    return np.diag(lower[0]) + np.diag(lower[1, :-1], -1)


def df_to_lambda(x, df, *, sample_weight=None):
    """Penalty at which a smoothing spline on these x has `df` degrees of freedom.

    Parameters
    ----------
    x : array-like of shape (n,)
    df : float
        Between 2, which gives infinity, and the number of distinct x, which gives 0.
    sample_weight : array-like of shape (n,) or None, default=None

    Returns
    -------
    float
        The `lam` of :class:`SmoothingSpline`.

    See Also
    --------
    lambda_to_df : The inverse.

    Examples
    --------
    >>> from statlearn.smooth import df_to_lambda, lambda_to_df
    >>> lam = df_to_lambda([0, 1, 2, 3, 4], 3.0)
    >>> round(lambda_to_df([0, 1, 2, 3, 4], lam), 10)
    3.0
    """
    check_arguments(df_to_lambda, df=(df, [Real(2, None)]))
    return float(limited_lambda(_problem_of(x, sample_weight), df))


def lambda_to_df(x, lam, *, sample_weight=None):
    """Degrees of freedom (trace of the smoother matrix) of a smoothing spline with penalty `lam` on these x.

    Parameters
    ----------
    x : array-like of shape (n,)
    lam : float or array-like
    sample_weight : array-like of shape (n,) or None, default=None

    Returns
    -------
    float or ndarray

    See Also
    --------
    df_to_lambda : The inverse.

    Examples
    --------
    >>> from statlearn.smooth import lambda_to_df
    >>> round(lambda_to_df([0, 1, 2, 3, 4], 1.0), 4)
    2.6752
    """
    values = np.atleast_1d(lam)
    finite = check_array(np.where(values == np.inf, 0.0, values), ensure_2d=False, dtype=np.float64, input_name="lam")
    values = np.where(values == np.inf, np.inf, finite)
    if np.any(values < 0):
        raise ValueError(f"`lam` must be at least 0, got {lam!r}.")
    df = _problem_of(x, sample_weight).scores(values).df
    return float(df[0]) if np.ndim(lam) == 0 else df


def _problem_of(x, sample_weight):
    x = check_array(x, ensure_2d=False, dtype=np.float64, input_name="x")
    if x.ndim != 1:
        raise ValueError(f"`x` must be one-dimensional, got {x.ndim} dimensions.")
    return make_problem(x, np.zeros(len(x)), check_weights(sample_weight, x))
