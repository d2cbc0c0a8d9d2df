"""Projection pursuit regression."""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.blas import single_blas_thread
from statlearn._core.params import Int, Options, Real, check_arguments, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import FLOATS, check_weights, validate_columns
from statlearn._core.warnings import warn
from statlearn._draw.style import styled
from statlearn.smooth._function_plots import panels
from statlearn.smooth._input_columns import check_sizes, in_precision_of

from ._ridge_functions import RidgeProblem, RidgeSmoother

_STEPS = 8  # of a direction, each time that its term is visited


class ProjectionPursuitRegressor(RegressorMixin, BaseEstimator):
    r"""Projection pursuit regression: a sum of smooth functions of linear combinations of the columns.

    .. math:: y_k = \beta_{0k} + \sum_{m=1}^M \beta_{km} f_m(\alpha_m^\top x) + \varepsilon_k,
        \qquad \lVert \alpha_m \rVert = 1

    Directions, functions and loadings minimise the residual sum of squares, as far as the smoother of the functions
    allows. The functions have mean 0 and variance 1 over the rows.

    Parameters
    ----------
    n_terms : int, default=2
        M, the final number of ridge functions.
    max_terms : int or None, default=None
        Number of ridge functions built before the least important ones are removed; None is `n_terms` plus two.
    smoother : {"gcv_spline", "spline", "supersmoother"}, default="gcv_spline"
        Smoother of the ridge functions: smoothing splines with `df` degrees of freedom, or at most 15 chosen by
        generalised cross-validation; or running lines with local spans, see :class:`SuperSmoother`.
    span : "cv" or float, default="cv"
        Span of the super smoother.
    bass : float, default=0.0
        Bass control of the super smoother, from 0 to 10; larger values give smoother functions.
    df : float, default=5.0
        Degrees of freedom of the splines.
    gcv_penalty : float, default=2.0
        Cost of a degree of freedom in generalised cross-validation. Use more than 1, since the directions are chosen on
        the same rows.
    n_starts : int, default=5
        Number of random starting directions of a new term, besides those of a linear fit and of the strongest
        curvature.
    response_weights : array-like of shape (n_targets,) or None, default=None
        Weights of the responses in the sum of squares; None weights them equally.
    tol : float, default=1e-3
        Rounds and steps stop when the relative decrease of the sum of squares is below this.
    max_iter : int, default=50
        Maximum number of rounds over the terms after each added or removed term.
    random_state : int, RandomState instance or None, default=0
        Seed of the random starting directions.

    Attributes
    ----------
    directions_ : ndarray of shape (n_terms, n_features)
        Unit vectors :math:`\alpha_m` in decreasing order of importance; the largest entry of each is positive.
    loadings_ : ndarray of shape (n_terms,) or (n_terms, n_targets)
        The :math:`\beta_{km}`.
    intercept_ : float or ndarray of shape (n_targets,)
    ridge_knots_, ridge_values_ : list of ndarray
        Sorted projections of the training rows, and the values of the functions there.
    ridge_slopes_ : ndarray of shape (n_terms, 2)
        Slopes of the functions at their ends.
    rss_ : float
        Residual sum of squares, weighted over the responses.
    rss_path_ : dict
        Residual sum of squares by number of terms, from `max_terms` down.
    n_iter_ : int
        Total number of rounds over the terms.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Terms are added one at a time. A direction is updated by Gauss-Newton steps with the slopes of the function,
    shortened until the sum of squares decreases. After every new term, the directions and functions of all terms are
    refitted in turn until there is no improvement. Then the term with the smallest loadings is removed, the others are
    refitted, and so on down to `n_terms`. Each visit costs a sort, a few passes and the cross-products of the columns:
    O(n log n + n p²).

    The criterion has many local minima, so other seeds may give different fits, and a model with many terms is hard to
    interpret. With a single term it is the single-index model of econometrics. The functions are flexible and the
    directions are selected, so with few rows use one or two terms and splines with few degrees of freedom. Columns are
    standardised internally, so their units do not matter. Beyond the projections of the training rows the functions
    continue as straight lines.

    A window of the super smoother counts rows, so a row of weight k is not equivalent to k rows. With splines it is.

    References
    ----------
    Friedman, J. and Stuetzle, W. (1981). Projection pursuit regression. Journal of the American Statistical
    Association 76, 817-823.

    Friedman, J. (1984). SMART user's guide. Technical report 1, Laboratory for Computational Statistics, Stanford
    University.

    Hastie, T., Tibshirani, R. and Friedman, J. (2009). *The Elements of Statistical Learning*, 2nd ed., section 11.2.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.smooth import ProjectionPursuitRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> y = np.sin(X @ [0.6, 0.8, 0.0]) + 0.1 * rng.normal(size=400)
    >>> model = ProjectionPursuitRegressor(1).fit(X, y)
    >>> model.directions_.round(1) + 0.0
    array([[0.6, 0.8, 0. ]])
    """

    _search_space = SearchSpace("projection pursuit", grid={"n_terms": [1, 2, 4]})

    _constraints = {
        "n_terms": [Int(1, 1000)],
        "max_terms": [Int(1, 1000), None],
        "smoother": [Options("supersmoother", "spline", "gcv_spline")],
        "span": [Options("cv"), Real(0, 1, closed="right")],
        "bass": [Real(0, 10, closed="both")],
        "df": [Real(2, None, closed="neither")],
        "gcv_penalty": [Real(0, None, closed="neither")],
        "n_starts": [Int(0, 1000)],
        "response_weights": ["array-like", None],
        "tol": [Real(0, None, closed="neither")],
        "max_iter": [Int(1, None)],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_terms=2,
        *,
        max_terms=None,
        smoother="gcv_spline",
        span="cv",
        bass=0.0,
        df=5.0,
        gcv_penalty=2.0,
        n_starts=5,
        response_weights=None,
        tol=1e-3,
        max_iter=50,
        random_state=0,
    ):
        self.n_terms = n_terms
        self.max_terms = max_terms
        self.smoother = smoother
        self.span = span
        self.bass = bass
        self.df = df
        self.gcv_penalty = gcv_penalty
        self.n_starts = n_starts
        self.response_weights = response_weights
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        max_terms = self.n_terms + 2 if self.max_terms is None else self.max_terms
        if max_terms < self.n_terms:
            raise ValueError(f"`max_terms`={max_terms} must be at least `n_terms`={self.n_terms}.")
        X, y = validate_columns(self, X, y, dtype=FLOATS, y_numeric=True, multi_output=True, ensure_min_samples=2)
        check_sizes(X, y)
        weights = check_weights(sample_weight, X)
        w = np.ones(len(X)) if weights is None else np.asarray(weights, np.float64)
        used = w > 0
        rows, w = np.asarray(X[used], np.float64), w[used]
        Y = np.asarray(y, np.float64).reshape(len(y), -1)[used]
        response_weights = self._response_weights(Y.shape[1])
        with single_blas_thread():  # the same bits for any number of threads
            share = w / w.sum()
            centre, middle = share @ rows, share @ Y
            scale = np.sqrt(share @ (rows - centre) ** 2)
            scale[scale <= 1e-12 * np.abs(centre)] = 1.0
            scale[scale == 0] = 1.0
            problem = RidgeProblem((rows - centre) / scale, w, response_weights, self._make_smoother(), self.tol)
            terms, loss = self._pursue(problem, Y - middle, max_terms)
        self.intercept_ = float(middle[0]) if np.ndim(y) == 1 else middle
        self.rss_ = loss
        self._store(problem, terms, centre, scale, np.ndim(y) == 1)
        return self

    def _response_weights(self, q):
        if self.response_weights is None:
            return np.ones(q)
        weights = np.asarray(self.response_weights, np.float64)
        if weights.shape != (q,) or not np.all(weights >= 0) or not np.any(weights > 0):
            raise ValueError(f"`response_weights` must be {q} non-negative number(s), not all zero.")
        return weights

    def _make_smoother(self):
        span = 0.0 if self.span == "cv" else float(self.span)
        return RidgeSmoother(self.smoother, span, self.bass, self.df, self.gcv_penalty)

    def _pursue(self, problem, R, max_terms):
        """Terms after growing to `max_terms` and pruning to `n_terms`, most important first, and their loss."""
        rng = check_random_state(self.random_state)
        Y, terms, settled = R, [], True
        self.n_iter_, self.rss_path_ = 0, {}

        def refit():
            left, rounds, done = problem.backfit(Y, terms, self.max_iter, _STEPS)
            self.n_iter_ += rounds
            return left, done

        loss = problem.loss(R)
        while len(terms) < max_terms and loss > 1e-20 * problem.loss(Y):
            term, new_loss = problem.new_term(R, rng, self.n_starts, _STEPS)
            if loss - new_loss <= self.tol * loss:
                break
            terms.append(term)
            R, settled = refit()
            loss = problem.loss(R)
        self.rss_path_[len(terms)] = loss
        while len(terms) > self.n_terms:
            terms.pop(int(np.argmin([_importance(term, problem.ww) for term in terms])))
            R, settled = refit()
            self.rss_path_[len(terms)] = problem.loss(R)
        if not settled:
            warn(
                "Projection pursuit did not converge, so the fit may be inaccurate. Increase `max_iter` or "
                "`tol`, or use fewer terms.",
                ConvergenceWarning,
            )
        terms.sort(key=lambda term: -_importance(term, problem.ww))
        return terms, problem.loss(R)

    def _store(self, problem, terms, centre, scale, flat):
        """Directions and functions on the scale of the data."""
        p, q = len(centre), len(problem.ww)
        self.directions_ = np.zeros((len(terms), p))
        loadings = np.zeros((len(terms), q))
        self.ridge_knots_, self.ridge_values_, self.ridge_slopes_ = [], [], np.zeros((len(terms), 2))
        for m, term in enumerate(terms):
            raw = term.direction / scale
            sign = np.sign(raw[np.argmax(np.abs(raw))])
            raw *= sign
            length = np.linalg.norm(raw)
            self.directions_[m] = raw / length
            z = (problem.X * scale + centre) @ self.directions_[m]
            knots, first = np.unique(z, return_index=True)
            self.ridge_knots_.append(knots)
            self.ridge_values_.append(term.value[first])
            self.ridge_slopes_[m] = sign * length * term.slope[first[[0, -1]]]
            loadings[m] = term.loadings
        self.loadings_ = loadings[:, 0] if flat else loadings

    def ridge_functions(self, X):
        """Values of the functions at the projections of the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_terms)
        """
        check_is_fitted(self)
        return self._functions(validate_columns(self, X, dtype=FLOATS, reset=False))

    def _functions(self, X):
        Z = np.asarray(X, np.float64) @ self.directions_.T
        out = np.empty(Z.shape)
        for m, (knots, values) in enumerate(zip(self.ridge_knots_, self.ridge_values_, strict=True)):
            below, above = np.minimum(Z[:, m] - knots[0], 0.0), np.maximum(Z[:, m] - knots[-1], 0.0)
            out[:, m] = np.interp(Z[:, m], knots, values)
            out[:, m] += self.ridge_slopes_[m, 0] * below + self.ridge_slopes_[m, 1] * above
        return out

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
        return in_precision_of(X, self._functions(X) @ self.loadings_ + self.intercept_)

    @styled
    def plot(self, axes=None, *, target=0, grid_size=201):
        """Plot each ridge function, times its loading, against its projection.

        Parameters
        ----------
        axes : array of matplotlib axes or None, default=None
        target : int, default=0
            The response whose loadings are used.
        grid_size : int, default=201

        Returns
        -------
        ndarray of matplotlib axes
        """
        check_is_fitted(self)
        q = 1 if self.loadings_.ndim == 1 else self.loadings_.shape[1]
        check_arguments("plot", target=(target, [Int(0, q - 1)]), grid_size=(grid_size, [Int(2, None)]))
        if not len(self.directions_):
            raise ValueError("The model has no terms to plot.")
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        loadings = self.loadings_.reshape(len(self.directions_), -1)[:, target]
        axes = panels(axes, len(self.directions_))
        terms = zip(axes, self.directions_, self.ridge_knots_, self.ridge_values_, loadings, strict=True)
        for m, (ax, direction, knots, values, size) in enumerate(terms):
            z = np.linspace(knots[0], knots[-1], grid_size)
            ax.plot(z, size * np.interp(z, knots, values))
            leading = np.argsort(-np.abs(direction), kind="stable")[:3]
            words = " ".join(f"{direction[j]:+.2f} {names[j]}" for j in leading)
            ax.set(xlabel=words + (" ..." if len(direction) > 3 else ""), ylabel=f"term {m + 1}")
        return axes


def _importance(term, response_weights):
    return float(response_weights @ term.loadings**2)
