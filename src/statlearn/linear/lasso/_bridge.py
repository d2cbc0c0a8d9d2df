"""Bridge regression: least squares with the penalty sum |w_j|^q, q > 0."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from statlearn._core.params import Int, Real, check_params
from statlearn._core.validation import FLOATS, check_weights, require_finite, validate_data
from statlearn._core.warnings import MAX_ITER, OK, warn_if_stopped
from statlearn._math.linalg.positive import cholesky
from statlearn._math.penalties.scales import ridge_lambda
from statlearn._math.solvers.step import backtrack, rounding
from statlearn.linear._base import LinearRegressorMixin
from statlearn.linear._penalty import PENALTY_SCALE
from statlearn.linear.ridge._spectrum import RidgeProducts

# For q < 1, entries below this fraction of the largest are zero: the local quadratic approximation never gets there.
ZERO_SHARE = 1e-8
_ROUNDING = 1e-15  # a smaller change of a slope is rounding, which need not end


def lasso_from_products(products, penalty):
    """Exact minimiser of RSS + penalty |w|_1 from cross-products, by the lasso homotopy."""
    alphas, coefs = lasso_knots(products, penalty / 2.0)
    return coefs[:, -1] if alphas.size else np.zeros(products.S.shape[0])


def lasso_knots(products, c_min=0.0):
    """Knots c (largest absolute inner product, decreasing to c_min) and coefficients (p, k) of the lasso homotopy."""
    from statlearn.linear.lars._path import lars_path_gram

    p, n = products.S.shape[0], products.n_rows
    alphas, _, coefs = lars_path_gram(
        products.Sxy[:, 0], products.S, n_samples=n, method="lasso", alpha_min=c_min / n, max_iter=50 * p + 100
    )
    return alphas * n, coefs


def bridge_objective(products, coef, penalty, q):
    """RSS + penalty sum |w|^q."""
    loss = products.total[0] - 2.0 * (products.Sxy[:, 0] @ coef) + coef @ products.S @ coef
    return loss + penalty * np.sum(np.abs(coef) ** q)


def _local_quadratic(S, b, penalty, q, start, tol, max_iter, floor):
    """Iterated ridge: |w|^q is majorised at the last w by (q/2)|w_old|^(q-2) w² + constant (Hunter & Li, 2005).

    Solved for u with w = |w_old|^((2-q)/2) u, which is well-posed even as entries tend to zero; entries below
    `floor` remain zero.
    """
    w = start.copy()
    for n_iter in range(1, max_iter + 1):
        alive = np.abs(w) > floor
        w[~alive] = 0.0
        if not alive.any():
            return w, n_iter, OK
        D = np.abs(w[alive]) ** (1.0 - q / 2.0)
        M = S[np.ix_(alive, alive)] * np.outer(D, D)
        M[np.diag_indices_from(M)] += 0.5 * penalty * q
        factor = cholesky(M)
        if factor is None:  # the penalty has underflowed
            return np.full_like(w, np.nan), n_iter, OK
        new = D * factor.solve(D * b[alive])
        change = np.abs(new - w[alive])
        # Small entries must also settle relative to their size, because their penalty is the steepest.
        relative = np.max(change / np.abs(w[alive]))
        w[alive] = new
        if change.max() <= tol * np.abs(w).max(initial=0.0) and relative <= 100.0 * tol:
            return w, n_iter, OK
    return w, max_iter, MAX_ITER


def _newton(S, b, penalty, q, start, tol, max_iter):
    """Damped Newton for q > 2, where the objective is twice differentiable and strictly convex."""

    def value(w):
        return w @ S @ w - 2.0 * (b @ w) + penalty * np.sum(np.abs(w) ** q)

    w, ridge = start.copy(), 1e-14 * np.trace(S) / len(b)
    for n_iter in range(1, max_iter + 1):
        size = np.abs(w)
        gradient = 2.0 * (S @ w - b) + penalty * q * np.sign(w) * size ** (q - 1.0)
        H = 2.0 * S
        H[np.diag_indices_from(H)] += penalty * q * (q - 1.0) * size ** (q - 2.0) + ridge
        factor, before = cholesky(H), value(w)
        if factor is None or not np.isfinite(before):  # the ridge above has underflowed, or the penalty overflowed
            return np.full_like(w, np.nan), n_iter, OK
        step = -factor.solve(gradient)
        slope = gradient @ step
        moved = backtrack(lambda t: value(w + t * step), before, slope, slack=rounding(before))
        if moved is None:  # nothing but rounding is left
            return w, n_iter, OK
        w = w + moved.length * step
        if np.abs(moved.length * step).max() <= tol * np.abs(w).max(initial=0.0) or -slope <= 1e-15 * abs(before):
            return w, n_iter, OK
    return w, max_iter, MAX_ITER


def concave_minimiser(z, rho, penalty, q):
    """The global minimiser of z w² - 2 rho w + penalty |w|^q for 0 < q < 1."""
    if z <= 0.0 or rho == 0.0:
        return 0.0
    r = abs(rho)
    # The derivative 2 z w - 2 r + penalty q w^(q-1) is convex in w > 0: its larger root is right of its minimum.
    lowest = (penalty * q * (1.0 - q) / (2.0 * z)) ** (1.0 / (2.0 - q))
    if 2.0 * z * lowest - 2.0 * r + penalty * q * lowest ** (q - 1.0) >= 0.0:
        return 0.0
    w = r / z
    for _ in range(100):  # Newton from the right on a convex increasing function: monotone
        slope = 2.0 * z - penalty * q * (1.0 - q) * w ** (q - 2.0)
        step = (2.0 * z * w - 2.0 * r + penalty * q * w ** (q - 1.0)) / slope
        w -= step
        if step <= 1e-15 * w:
            break
    return float(np.sign(rho) * w) if z * w * w - 2.0 * r * w + penalty * w**q < 0.0 else 0.0


def _coordinate_polish(S, b, penalty, q, start, tol, max_iter, left_out=None):
    """Cyclic exact minimisation for q < 1: the result cannot be improved by changing any one coefficient.

    Column `left_out` keeps its coefficient.
    """
    w = start.copy()
    columns = [j for j in range(len(b)) if j != left_out]
    gradient = b - S @ w
    for n_iter in range(1, max_iter + 1):
        change = 0.0
        for j in columns:
            new = concave_minimiser(S[j, j], gradient[j] + S[j, j] * w[j], penalty, q)
            if new != w[j]:
                gradient -= S[:, j] * (new - w[j])
                change = max(change, abs(new - w[j]))
                w[j] = new
        if change <= max(tol, _ROUNDING) * np.abs(w).max(initial=0.0):
            return w, n_iter, OK
    return w, max_iter, MAX_ITER


def _exchange(S, b, penalty, q, start, tol, max_iter):
    """Leave out each column of a solution for q < 1 in turn, refit the others, then all; return the best solution."""

    def value(w):
        return w @ S @ w - 2.0 * (b @ w) + penalty * np.sum(np.abs(w) ** q)

    best, lowest, n_iter, tried = start, value(start), 0, set()
    while n_iter < max_iter:
        untried = [j for j in np.flatnonzero(best) if j not in tried]
        if not untried:
            return best, n_iter
        j = min(untried, key=lambda j: abs(best[j]))
        tried.add(j)
        w = best.copy()
        w[j] = 0.0
        for left_out, accuracy in ((j, 1e-4), (None, tol)):  # the first is only on the way
            w, sweeps, _ = _coordinate_polish(S, b, penalty, q, w, accuracy, max_iter, left_out)
            n_iter += sweeps
        if value(w) < lowest - 1e-12 * abs(lowest):
            best, lowest, tried = w, value(w), set()
    return best, n_iter


def solve_bridge(products, penalty, q, *, tol=1e-10, max_iter=10_000, n_starts=8, random_state=None):
    """Coefficients, iterations and status for RSS + penalty sum |w|^q, from cross-products with one target."""
    S, b = products.S, products.Sxy[:, 0]
    if penalty == 0.0 or q == 2.0:
        return products.spectrum().coef(penalty)[0], 1, OK
    if q == 1.0:
        return lasso_from_products(products, penalty), 1, OK
    ridge = products.spectrum().coef(max(penalty, 1e-8 * np.trace(S) / len(b)))[0]
    if q > 2.0:
        return _newton(S, b, penalty, q, ridge, tol, max_iter)
    if q > 1.0:
        return _local_quadratic(S, b, penalty, q, ridge, tol, max_iter, floor=1e-150)
    rng = check_random_state(random_state)
    least_squares = products.spectrum().coef(0.0)[0]
    starts = [least_squares, ridge, lasso_from_products(products, penalty)]
    starts += [least_squares * np.exp(rng.normal(size=len(b))) for _ in range(max(0, n_starts - len(starts)))]
    best = (np.zeros(len(b)), 1, OK)
    for start in starts[:n_starts]:
        floor = ZERO_SHARE * np.abs(start).max(initial=0.0)
        w, steps, _ = _local_quadratic(S, b, penalty, q, start, 1e-6, max_iter, floor)
        w, sweeps, status = _coordinate_polish(S, b, penalty, q, w, tol, max_iter)
        if bridge_objective(products, w, penalty, q) < bridge_objective(products, best[0], penalty, q):
            best = (w, steps + sweeps, status)
    w, sweeps = _exchange(S, b, penalty, q, best[0], tol, max_iter)
    return w, best[1] + sweeps, best[2]


class BridgeRegression(LinearRegressorMixin, BaseEstimator):
    r"""Bridge regression: least squares with an Lq penalty on the slopes.

    The penalty includes the lasso (q = 1), ridge (q = 2) and, as q tends to 0, shrinkage similar to best subset
    selection. Minimises over slopes w and an unpenalised intercept b

    .. math:: \sum_i s_i (y_i - b - x_i^\top w)^2 + \lambda \sum_j \lvert w_j \rvert^q, \qquad q > 0 .

    The loss is a weighted sum without a factor 1/2. ``penalty_scale="half_rss"`` halves it, so that
    :math:`\lambda = 2\alpha`.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty, non-negative.
    q : float, default=1.0
        The exponent. 1 is the lasso and 2 is ridge; below 1 the problem is not convex.
    fit_intercept : bool, keyword only, default=True
    max_iter : int, default=10000
        Maximum number of iterations from each starting point.
    tol : float, default=1e-10
        Stop when no slope changes by more than this fraction of the largest.
    n_starts : int, default=8
        Number of starting points for q < 1, at most 1,000: least squares, ridge, lasso, then random rescalings of
        least squares. The best solution is returned.
    random_state : int, RandomState or None, default=None
        Seed of the random starting points.
    penalty_scale : {"sklearn", "rss", "half_rss"}, default="sklearn"
        RSS + alpha Σ\|w\|^q ("sklearn", as in :class:`Ridge`, and "rss") or RSS/2 + alpha Σ\|w\|^q ("half_rss").

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    objective_ : float
        The minimised objective with the loss RSS.
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    q = 2 is solved exactly by an eigendecomposition and q = 1 exactly by the lasso homotopy. 1 < q < 2 uses local
    quadratic approximation (iterated ridge), q > 2 Newton's method, and q < 1 local quadratic approximation followed by
    exact cyclic minimisation from several starting points; the best of these solutions is then searched for a column
    to exchange. For q < 1 the result can be improved neither by changing a single coefficient nor by leaving out one
    column and refitting the others; it need not be the global minimum. Exact zeros occur for q ≤ 1 only.

    Cost O(n p²) once, then O(p³) per iteration. Standardise the columns first.

    References
    ----------
    Frank, I. E. & Friedman, J. H. (1993). A statistical view of some chemometrics regression tools.
    Technometrics 35, 109-135.

    Hunter, D. R. & Li, R. (2005). Variable selection using MM algorithms. Annals of Statistics 33, 1617-1642.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import BridgeRegression
    >>> X = np.array([[1.0, 0], [0, 1], [-1, 0], [0, -1]])
    >>> y = X @ [3.0, 0.5]
    >>> BridgeRegression(alpha=2.0, q=1).fit(X, y).coef_
    array([2.5, 0. ])
    >>> BridgeRegression(alpha=2.0, q=2).fit(X, y).coef_.round(6)
    array([1.5 , 0.25])
    """

    _constraints = {
        "alpha": [Real(0, None)],
        "q": [Real(0, None, closed="neither")],
        "fit_intercept": ["boolean"],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None)],
        "n_starts": [Int(1, 1000)],
        "random_state": ["random_state"],
        "penalty_scale": PENALTY_SCALE,
    }

    def __init__(
        self,
        alpha=1.0,
        q=1.0,
        *,
        fit_intercept=True,
        max_iter=10_000,
        tol=1e-10,
        n_starts=8,
        random_state=None,
        penalty_scale="sklearn",
    ):
        self.alpha = alpha
        self.q = q
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.n_starts = n_starts
        self.random_state = random_state
        self.penalty_scale = penalty_scale

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : float or array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self : BridgeRegression
        """
        check_params(self)
        X, y = validate_data(self, X, y, accept_sparse=("csr", "csc"), dtype=FLOATS, y_numeric=True)
        weights = check_weights(sample_weight, X)
        Y = y.astype(X.dtype).astype(np.float64)[:, None]
        products = RidgeProducts.of_rows(X, Y, weights, self.fit_intercept)
        penalty = float(ridge_lambda(self.alpha, self.penalty_scale))
        coef, self.n_iter_, status = solve_bridge(
            products,
            penalty,
            float(self.q),
            tol=self.tol,
            max_iter=self.max_iter,
            n_starts=self.n_starts,
            random_state=self.random_state,
        )
        require_finite(coef, remedy="Scale them, or use a smaller alpha or q.")
        warn_if_stopped(self, status, f"the slopes were still changing after {self.n_iter_} iterations",
                        remedy="Increase max_iter or raise tol.")  # fmt: skip
        self.objective_ = float(bridge_objective(products, coef, penalty, self.q))
        self.coef_ = coef.astype(X.dtype)
        self.intercept_ = X.dtype.type(products.y_mean[0] - coef @ products.x_mean) if self.fit_intercept else 0.0
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
