"""Huber regression by Newton's method on the objective profiled over the scale."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, Options, Real, check_params, check_value
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Summary
from statlearn._core.warnings import warn_if_stopped
from statlearn._math.linalg.positive import positive_inverse, positive_system
from statlearn._math.linalg.sparse_arrays import to_dense
from statlearn._math.rows.statistics import CrossProducts, gram_with_intercept
from statlearn._math.solvers.step import backtrack
from statlearn.linear._base import LinearRegressorMixin

from ._m_estimation import (
    coefficient_table,
    coefficient_vector,
    drop_dependent,
    prepare,
    require_covariance,
    spread,
    spread_covariance,
    weighted_least_squares,
)


def huber_scale(size, weights, epsilon, start, floor):
    """The scale that minimises sum_i w_i (s + s H(r_i / s)) for residuals of the given absolute size.

    The condition sum_i w_i min(epsilon^2, r_i^2 v) = sum_i w_i is piecewise linear and concave in v = 1/s^2, so
    Newton's method reaches its root in finitely many steps. Without a root (an exact fit of enough rows) the scale is
    `floor`.
    """
    total = weights.sum()
    square = size**2
    v = 1.0 / max(start, floor) ** 2
    top = 1.0 / floor**2
    for _ in range(100):
        inside = square * v <= epsilon**2
        slope = weights[inside] @ square[inside]
        height = slope * v + epsilon**2 * weights[~inside].sum() - total
        if slope <= 0.0:
            if height < 0.0:
                return floor
            v *= 0.25  # every row is cut off, so the scale is too small to show the slope
            continue
        step = height / slope
        v -= step
        if v >= top:
            return floor
        if abs(step) <= 4e-16 * v:
            break
    return max(1.0 / np.sqrt(v), floor)


def huber_objective(size, weights, scale, epsilon):
    """sum_i w_i (s + s H(r_i / s)) with H(z) = z^2 inside epsilon and 2 epsilon abs(z) - epsilon^2 outside."""
    z = size / scale
    return scale * (weights @ (1.0 + np.where(z <= epsilon, z * z, (2.0 * z - epsilon) * epsilon)))


class HuberRegressor(LinearRegressorMixin, BaseEstimator):
    r"""Huber regression, with a loss that is quadratic for small and linear for large residuals.

    Minimises over slopes w, an unpenalised intercept b and the scale :math:`\sigma > 0`

    .. math:: \sum_i s_i \left( \sigma + H_\epsilon\!\left(\frac{y_i - b - x_i^\top w}{\sigma}\right) \sigma \right)
        + \alpha \lVert w \rVert_2^2, \qquad
        H_\epsilon(z) = z^2 \text{ for } \lvert z \rvert \le \epsilon,
        \text{ else } 2 \epsilon \lvert z \rvert - \epsilon^2

    The loss is a weighted sum (not a mean) and the objective is jointly convex. With a fixed `delta` there is no scale,
    and the objective is

    .. math:: \sum_i s_i\, \rho_\delta(y_i - b - x_i^\top w) + \alpha \lVert w \rVert_2^2, \qquad
        \rho_\delta(r) = \tfrac12 r^2 \text{ for } \lvert r \rvert \le \delta,
        \text{ else } \delta (\lvert r \rvert - \tfrac12 \delta)

    Parameters
    ----------
    epsilon : float, default=1.35
        Residuals beyond `epsilon` times the scale enter linearly. 1.35 has 95 % efficiency under normal errors.
    max_iter : int, default=100
        Maximum number of Newton steps.
    alpha : float, default=0.0001
        Weight of the squared L2 penalty. Standard errors are available for ``alpha=0`` only.
    warm_start : bool, default=False
        Start from the solution of the previous call of `fit`.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    tol : float, default=1e-5
        Stop when every component of the gradient per unit of weight, with columns scaled by their root mean square, is
        at most `tol`. The final gradient is usually far smaller.
    delta : float or None, default=None
        Fixed transition point between the quadratic and the linear part, in units of y. None estimates the scale and
        uses ``epsilon * scale_``.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    scale_ : float
        The estimated scale (1 with a fixed `delta`).
    outliers_ : ndarray of bool of shape (n_samples,)
        Rows whose residual lies in the linear part.
    objective_ : float
        Value of the objective.
    covariance_ : ndarray of shape (q, q) or str
        Covariance of the intercept (if any) and the coefficients, or the reason why it is not available.
    sandwich_ : ndarray of shape (q, q) or str
        Covariance that does not assume the errors to be independent of X, or the reason why it is not available.
    n_iter_ : int
        Number of Newton steps.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    For given coefficients, the best scale is the root of a piecewise linear function and is found exactly in O(n)
    steps. The objective with this scale inserted is convex in the coefficients. Newton's method with a line search
    minimises it in about ten cross-products of X, O(n p^2) each, whatever the conditioning.

    The covariance is Huber's (1981, eq. 7.6.6 with his correction factor), as in R's ``MASS::summary.rlm``.

    The fit is robust to outliers in y but not in X. As in scikit-learn, the scale is the concomitant estimate above,
    not the median absolute deviation that ``MASS::rlm`` uses by default.

    References
    ----------
    P. J. Huber, *Robust Statistics*, Wiley, 1981, section 7.7.
    A. B. Owen, "A robust hybrid of lasso and ridge regression", 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import HuberRegressor
    >>> x = np.arange(8.0)
    >>> y = 1 + 2 * x + np.array([0.1, -0.2, 0.2, 50.0, -0.2, 0.1, -0.1, 0.2])
    >>> model = HuberRegressor(epsilon=1.8, alpha=0).fit(x[:, None], y)
    >>> model.coef_.round(2), model.outliers_.nonzero()[0]
    (array([2.]), array([3]))
    """

    _constraints = {
        "epsilon": [Real(1.0, None)],
        "max_iter": [Int(0, None)],
        "alpha": [Real(0, None)],
        "warm_start": ["boolean"],
        "fit_intercept": ["boolean"],
        "tol": [Real(0, None)],
        "delta": [Real(0, None, closed="neither"), None],
    }
    _search_space = SearchSpace("Huber", fixed={"max_iter": 1000})

    def __init__(
        self, *, epsilon=1.35, max_iter=100, alpha=0.0001, warm_start=False, fit_intercept=True, tol=1e-05, delta=None
    ):
        self.epsilon = epsilon
        self.max_iter = max_iter
        self.alpha = alpha
        self.warm_start = warm_start
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.delta = delta

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        start = None
        if self.warm_start and hasattr(self, "coef_"):
            start = self.coef_.astype(float), float(self.intercept_), float(self.scale_)
        data = prepare(self, X, y, sample_weight)
        y, weights = data.y, data.weights
        X, independent = drop_dependent(self, data.X, weights, penalty=self.alpha)
        if start is not None and start[0].size != independent.size:
            raise ValueError(
                f"X has {independent.size} features, but the previous fit had {start[0].size}; set warm_start=False."
            )
        if start is not None:
            start = (start[0][independent], *start[1:])
        problem = HuberProblem(X, y, weights, self.fit_intercept, self.epsilon, self.delta, self.alpha)
        coef, intercept, scale, n_iter, status, slope = problem.solve(start, self.tol, self.max_iter)
        warn_if_stopped(
            self, status, f"the largest component of the gradient is {slope:.1e} after {n_iter} Newton steps"
        )
        residual = y - X @ coef - intercept
        if self.alpha > 0:
            self.covariance_ = self.sandwich_ = "the coefficients are penalised (alpha > 0); refit with alpha=0"
        else:
            self.covariance_, self.sandwich_ = self._covariances(X, residual, weights, scale, independent)
        self.objective_ = float(problem.value(np.abs(residual), scale) + self.alpha * (coef @ coef))
        self.coef_ = spread(coef, independent).astype(data.dtype)
        self.intercept_ = float(intercept)
        self.scale_ = float(scale)
        self.n_iter_ = n_iter
        self._n_rows = float(weights.sum())
        self.outliers_ = (
            np.abs(data.all_y - data.all_X @ spread(coef, independent) - intercept) > problem.corner * scale
        )
        return self

    def _covariances(self, X, residual, weights, scale, independent):
        corner = self.epsilon if self.delta is None else self.delta
        n = weights.sum()
        q = X.shape[1] + int(self.fit_intercept)
        if n <= q:
            reason = f"{n:g} rows are too few for {q} coefficients"
            return reason, reason
        inside = np.abs(residual) <= corner * scale
        mean = weights @ inside / n  # of the derivative of psi, an indicator
        if mean == 0 or np.count_nonzero(inside) < q:
            reason = "too few residuals lie in the quadratic part"
            return reason, reason
        psi = np.clip(residual, -corner * scale, corner * scale)
        correction = 1.0 + q * (mean * (1.0 - mean) * n / (n - 1.0)) / (n * mean**2)
        gram = gram_with_intercept(X, weights, self.fit_intercept)
        covariance = (weights @ psi**2 / (n - q)) * (correction / mean) ** 2 * positive_inverse(gram)
        bread = positive_inverse(gram_with_intercept(X, weights * inside, self.fit_intercept))
        meat = gram_with_intercept(X, weights * psi**2, self.fit_intercept)
        return tuple(
            spread_covariance(matrix, independent, self.fit_intercept)
            for matrix in (covariance, n / (n - q) * bread @ meat @ bread)
        )

    def summary(self, *, level=0.95, covariance="huber"):
        """Coefficient table with standard errors, t tests and confidence limits.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level of the intervals.
        covariance : {"huber", "sandwich"}, default="huber"
            "huber" assumes errors independent of X; "sandwich" allows their spread to depend on X.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        check_value("covariance", covariance, [Options("huber", "sandwich")], "HuberRegressor.summary")
        matrix = require_covariance(self, self.covariance_ if covariance == "huber" else self.sandwich_)
        beta = coefficient_vector(self)
        df = self._n_rows - beta.size
        table = coefficient_table(self, beta, matrix, level, df=df)
        facts = {"n": int(self._n_rows), "df": df, "scale": self.scale_, "outliers": int(self.outliers_.sum()),
                 "covariance": covariance}  # fmt: skip
        labels = {"n": "observations", "df": "residual df", "scale": "scale", "outliers": "rows in the linear part",
                  "covariance": "standard errors"}  # fmt: skip
        return Summary("Huber regression", table, facts, labels)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class HuberProblem:
    """The objective profiled over the scale, as a function of the coefficients, and its Newton solver.

    A fixed delta is the same problem with the scale fixed at 1: sum_i w_i (1 + H_delta(r_i)) is a constant plus twice
    the documented sum, so its penalty is doubled as well.
    """

    def __init__(self, X, y, weights, fit_intercept, epsilon, delta=None, alpha=0.0):
        self.X, self.y, self.weights, self.fit_intercept = X, y, weights, fit_intercept
        self.free_scale = delta is None
        self.corner = epsilon if self.free_scale else delta
        self.penalty = alpha if self.free_scale else 2.0 * alpha
        # Relative to the data, a scale this small means an exact fit.
        size = np.abs(y).max(initial=0.0)
        self.floor = 1e-12 * (size if size > 0 else 1.0)
        statistic = CrossProducts.from_block(X, np.zeros(len(y)), weights, centre=False)
        # Root mean squares about the mean: the units in which the gradient is judged.
        S = (statistic.centred() if self.fit_intercept else statistic.uncentred())[0]
        unit = np.sqrt(np.maximum(np.diag(S), 0.0) / statistic.total_weight)
        self.unit = np.where(unit > 0, unit, 1.0)
        self.centre = statistic.means()[0] if self.fit_intercept else np.zeros(X.shape[1])

    def value(self, size, scale):
        """The documented objective without its penalty."""
        total = huber_objective(size, self.weights, scale, self.corner)
        return total if self.free_scale else 0.5 * (total - self.weights.sum())

    def best_scale(self, size, start):
        return huber_scale(size, self.weights, self.corner, start, self.floor) if self.free_scale else 1.0

    def profile(self, size, scale):
        scale = self.best_scale(size, scale)
        return huber_objective(size, self.weights, scale, self.corner), scale

    def solve(self, start, tol, max_iter):
        X, y, w = self.X, self.y, self.weights
        if start is None:
            coef, intercept = weighted_least_squares(X, y, w, self.fit_intercept, penalty=self.penalty)
            scale = 1.0
        else:
            coef, intercept, scale = start
        residual = y - X @ coef - intercept
        if start is None and self.free_scale:
            scale = np.sqrt(w @ residual**2 / w.sum())
        smooth, scale = self.profile(np.abs(residual), scale)
        n_iter = 0
        while True:
            psi = np.clip(residual / scale, -self.corner, self.corner)
            inside = np.abs(residual) <= self.corner * scale
            pull = np.asarray(X.T @ (w * psi)).ravel()
            lift = w @ psi if self.fit_intercept else 0.0
            gradient = -2.0 * (pull - self.centre * lift) + 2.0 * self.penalty * coef
            slope = max(np.abs(gradient / self.unit).max(initial=0.0), 2.0 * abs(lift)) / w.sum()
            if scale <= self.floor:
                if self.penalty > 0 and np.abs(residual).max() <= 100 * self.floor:
                    coef, intercept = self.shortest_exact_fit()
                return coef, intercept, scale, n_iter, 0, slope
            if slope <= tol:
                return coef, intercept, scale, n_iter, 0, slope
            if n_iter >= max_iter:
                return coef, intercept, scale, n_iter, 1, slope
            n_iter += 1
            moved = None
            for step, shift in self.newton_steps(residual, scale, inside, gradient, lift):
                descent = gradient @ step - 2.0 * lift * (shift + self.centre @ step)
                move = X @ step + shift
                accepted = self.line_search(coef, step, residual, move, smooth, scale, descent)
                if accepted is not None and (moved is None or accepted[0] < moved[0]):
                    moved = (*accepted, step, shift)
            if moved is None:  # converged up to rounding
                return coef, intercept, scale, n_iter, int(-descent > 1e-9 * smooth), slope
            _, length, smooth, scale, step, shift = moved
            coef = coef + length * step
            intercept += length * shift
            residual = y - X @ coef - intercept

    def newton_steps(self, residual, scale, inside, gradient, lift):
        """Steps for the Hessian of the profile, 2/s (Z'WZ - Z'Wr r'WZ / r'Wr) + 2 penalty, and for a fixed scale, 2/s
        Z'WZ + 2 penalty; sums over inside rows.

        The first converges fast at an ordinary minimum. If the rows inside are fitted exactly, the profile has a kink
        (the scale tends to 0 with the residuals), which the second can reach.
        """
        statistic = CrossProducts.from_block(self.X, residual, self.weights * inside, centre=self.fit_intercept)
        G = statistic.moved_to(np.append(self.centre, 0.0)).G
        p = self.X.shape[1]
        order = [*range(p), p + 1] if self.fit_intercept else list(range(p))
        H = G[np.ix_(order, order)] * (2.0 / scale)
        H[np.arange(p), np.arange(p)] += 2.0 * self.penalty
        # A little of the full curvature keeps the step bounded when few rows are inside.
        unit = np.append(self.unit, 1.0) if self.fit_intercept else self.unit
        H[np.diag_indices_from(H)] += 1e-10 * unit**2 * self.weights.sum() / scale
        right = np.append(gradient, -2.0 * lift) if self.fit_intercept else gradient
        matrices = [H]
        if self.free_scale and G[p, p] > 0:
            cross = G[order, p]
            matrices.append(H - np.outer(cross, cross) * (2.0 / (scale * G[p, p])))
        for matrix in matrices:
            step = -positive_system(matrix).solve(right)
            yield step[:p], (step[p] - self.centre @ step[:p] if self.fit_intercept else 0.0)

    def shortest_exact_fit(self):
        """The minimum-norm coefficients that fit every row, which the penalty selects at scale 0."""
        X = to_dense(self.X)
        centre, level = (X.mean(axis=0), self.y.mean()) if self.fit_intercept else (0.0, 0.0)
        short = np.linalg.lstsq(X - centre, self.y - level, rcond=None)[0]
        return short, float(level - np.sum(centre * short))

    def line_search(self, coef, step, residual, move, smooth, scale, descent):
        """A step that decreases the objective: (objective, length, profile, scale), or None."""
        base = smooth + self.penalty * (coef @ coef)

        def ahead(t):
            there = coef + t * step
            value, new_scale = self.profile(np.abs(residual - t * move), scale)
            return value + self.penalty * (there @ there), (value, new_scale)

        accepted = backtrack(ahead, base, descent)
        if accepted is None or not accepted.value < base:
            return None
        return accepted.value, accepted.length, *accepted.state
