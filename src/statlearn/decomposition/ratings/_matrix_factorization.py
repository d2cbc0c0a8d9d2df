"""Factorisation of a table of ratings, with biases."""

import numpy as np
from sklearn.utils import check_random_state

from statlearn._core import native
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.warnings import ConvergenceWarning, StatlearnWarning, warn
from statlearn._math.linalg.sparse_arrays import compressed_arrays
from statlearn._math.solvers.step import backtrack

from ._recommender import RATING_RULES, Recommender

_NONE = np.empty(0)


def _products(pairs, U, V):
    """Inner products of the factors of the observed pairs."""
    out = np.empty(len(pairs.values))
    native.decomposition.pair_products(pairs.rows, pairs.cols, np.ascontiguousarray(U), np.ascontiguousarray(V), out)
    return out


class _State:
    """Factors and biases while they are fitted, and the total weight of the ratings of each user and item."""

    def __init__(self, ratings, k, rng, mean):
        n, m = ratings.shape
        weights = ratings.weights if len(ratings.weights) else None
        self.totals = np.bincount(ratings.rows, weights, n), np.bincount(ratings.cols, weights, m)
        self.U = 0.1 * rng.standard_normal((n, k))
        self.V = 0.1 * rng.standard_normal((m, k))
        self.b, self.c, self.mean = np.zeros(n), np.zeros(m), mean

    def residual(self, ratings):
        """r - mean - b_u - b_i - u'v of the observed pairs."""
        fit = _products(ratings, self.U, self.V)
        return ratings.values - self.mean - self.b[ratings.rows] - self.c[ratings.cols] - fit


def factorization_gradients(ratings, state, alpha, alpha_bias, bias):
    """Gradients of the objective with respect to U, V and the two biases, all at the same point."""
    e = state.residual(ratings)
    if len(ratings.weights):
        e = ratings.weights * e
    E = ratings.matrix(e)
    U = -(E @ state.V) + alpha * state.U
    V = -(E.T @ state.U) + alpha * state.V
    if not bias:
        return U, V, np.zeros_like(state.b), np.zeros_like(state.c)
    b = -np.bincount(ratings.rows, e, len(state.b)) + alpha_bias * state.b
    return U, V, b, -np.bincount(ratings.cols, e, len(state.c)) + alpha_bias * state.c


class MatrixFactorization(Recommender):
    r"""Matrix factorisation of ratings, with biases of users and items.

    Predicts the rating of item i by user u as :math:`\mu + b_u + c_i + u_u^\top v_i` and minimises, over the observed
    ratings only,

    .. math:: \tfrac12 \sum_{(u, i)} w_{ui} (r_{ui} - \mu - b_u - c_i - u_u^\top v_i)^2
        + \tfrac{\alpha}{2} \Big( \sum_u \lVert u_u \rVert^2 + \sum_i \lVert v_i \rVert^2 \Big)
        + \tfrac{\alpha_b}{2} \Big( \sum_u b_u^2 + \sum_i c_i^2 \Big) .

    It is a sum with a factor 1/2, not a mean. μ is the mean rating and not penalised; without `bias`, μ, b and c are 0.
    Stops when an iteration lowers the objective by at most `tol` times its value.

    Parameters
    ----------
    n_components : int, default=20
        Number of factors.
    solver : {"als", "sgd", "gradient"}, default="als"
        Alternating least squares (a ridge regression per user and item), stochastic gradients over ratings in random
        order, or full gradients, whose step size is halved whenever the objective would rise.
    bias : bool, default=True
        Whether to model μ, b and c.
    alpha : float or "auto", default="auto"
        Penalty of the factors. "auto" is the size at which factors begin to follow noise (see Notes): good enough to
        begin with, and in the middle of the values to try.
    alpha_bias : float or None, default=None
        Penalty of the biases; None means `alpha`, or 5 if that is "auto" without `by_count`.
    by_count : bool, default=False
        Whether the penalties of a user or an item are multiplied by the number of its ratings. Needs ``solver="als"``;
        choose `alpha` smaller by that factor, such as 0.1.
    learning_rate : float, default=0.01
        Step size of "sgd", and initial one of "gradient".
    max_iter : int, default=30
        Maximum number of sweeps over users and items, of passes over the ratings, or of gradient steps.
    tol : float, default=1e-4
        Relative tolerance of the stopping rule.
    columns : sequence of str or int, default=(0, 1, 2)
        The user, item and rating columns of a long table.
    duplicates : {"error", "mean", "sum", "last"}, default="error"
        Treatment of pairs of user and item that occur more than once.
    layout : {"long", "matrix"}, default="long"
        Whether a dense table has one rating per row, or users as rows and items as columns with NaN for missing
        ratings. Sparse matrices are always of the second kind; all stored entries are ratings, zeros included. A table
        of more than three columns that looks like a matrix is refused with "long".
    random_state : int, RandomState instance or None, default=None
        Seed of the initial factors and of the order of ratings.

    Attributes
    ----------
    users_, items_ : ndarray
        Labels in sorted order; with ``layout="matrix"`` those of the rows and columns of a data frame, in its order.
    user_factors_ : ndarray of shape (n_users, n_components)
    item_factors_ : ndarray of shape (n_items, n_components)
    user_bias_ : ndarray of shape (n_users,)
    item_bias_ : ndarray of shape (n_items,)
    mean_ : float
        μ.
    alpha_, alpha_bias_ : float
        The penalties.
    objective_path_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start and after each iteration.
    n_iter_ : int

    See Also
    --------
    ImplicitFactorization : for counts of use instead of ratings.
    ItemKNNRecommender, UserKNNRecommender, ContentRecommender
    statlearn.assess.recommender_report : precision, recall and NDCG of top-N lists.

    Notes
    -----
    Missing ratings are not zeros: they have no influence. Without biases, the factors have to model that some users
    give high ratings, and generalise less well. A sweep of "als" costs O(ratings k² + (users + items) k³), and never
    raises the objective. Factors are unique up to an invertible map only. Unknown users or items are predicted by μ
    and the bias of the known side, with a warning.

    The penalty of the factors is one of the sum of the singular values of :math:`U V^\top`. Independent noise of
    standard deviation σ, in a table with a ratings per user and b per item, has singular values up to
    :math:`\sigma (\sqrt a + \sqrt b)`. With "auto", `alpha` is half of that for the standard deviation of the
    ratings; a and b are means over the ratings, so that users and items with many of them count more. With `by_count`
    it is :math:`\sigma (1 / \sqrt a + 1 / \sqrt b) / 2`.

    References
    ----------
    Koren, Bell & Volinsky (2009), Matrix factorization techniques for recommender systems, Computer.
    Zhou, Wilkinson, Schreiber & Pan (2008), Large-scale parallel collaborative filtering for the Netflix prize.

    Examples
    --------
    >>> from statlearn.decomposition import MatrixFactorization
    >>> X = [["A", "film", 4], ["A", "play", 2], ["B", "film", 5], ["B", "opera", 1], ["C", "play", 2]]
    >>> model = MatrixFactorization(1, alpha=0.1, max_iter=200, random_state=0).fit(X)
    >>> items, scores = model.recommend(["C"], n=1)
    >>> items[0, 0]
    np.str_('film')
    """

    _constraints = {
        "n_components": [Int(1, None)],
        "solver": [Options("als", "sgd", "gradient")],
        "bias": ["boolean"],
        "alpha": [Real(0, None), Options("auto")],
        "alpha_bias": [Real(0, None), None],
        "by_count": ["boolean"],
        "learning_rate": [Real(0, None, closed="neither")],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None)],
        **RATING_RULES,
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components=20,
        *,
        solver="als",
        bias=True,
        alpha="auto",
        alpha_bias=None,
        by_count=False,
        learning_rate=0.01,
        max_iter=30,
        tol=1e-4,
        columns=(0, 1, 2),
        duplicates="error",
        layout="long",
        random_state=None,
    ):
        self.n_components = n_components
        self.solver = solver
        self.bias = bias
        self.alpha = alpha
        self.alpha_bias = alpha_bias
        self.by_count = by_count
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.tol = tol
        self.columns = columns
        self.duplicates = duplicates
        self.layout = layout
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        """Learn factors and biases.

        Parameters
        ----------
        X : table, sparse matrix or array
            A long table (pandas, polars, array or list) with a user, an item and a rating per row, or a matrix of users
            by items; see `columns` and `layout`. Rows with a missing rating are left out.
        y : array-like of shape (n_ratings,) or None, default=None
            Ratings of a long table; replaces the rating column.
        sample_weight : array-like of shape (n_ratings,) or None, default=None
            Weights w of the ratings of a long table.

        Returns
        -------
        self
        """
        check_params(self)
        if self.by_count and self.solver != "als":
            raise ValueError("by_count=True requires solver='als'.")
        ratings = self._read(X, y, sample_weight)
        if len(ratings.values) > 1 and np.ptp(ratings.values) == 0:
            warn(
                f"All ratings are {ratings.values[0]:g}, so there is nothing to learn from them. Check that X has a "
                "rating in the third of `columns`, or pass the ratings as y. For clicks or purchases use "
                "ImplicitFactorization.",
                StatlearnWarning,
            )
        rng = check_random_state(self.random_state)
        weights = ratings.weights if len(ratings.weights) else None
        mean = float(np.average(ratings.values, weights=weights)) if self.bias else 0.0
        state = _State(ratings, self.n_components, rng, mean)
        self.alpha_, self.alpha_bias_ = self._penalties(ratings, weights, state.totals)
        steps = {"als": self._als, "sgd": self._sgd, "gradient": self._gradient}[self.solver](ratings, state, rng)
        path = [self._objective(ratings, state)]
        converged = False
        for _ in range(self.max_iter):
            next(steps)
            path.append(self._objective(ratings, state))
            if not np.isfinite(path[-1]):
                raise ValueError(f"The objective diverged: `learning_rate`={self.learning_rate} is too large.")
            if abs(path[-2] - path[-1]) <= self.tol * path[-1]:
                converged = True
                break
        if not converged and self.tol > 0:
            warn(
                f"MatrixFactorization did not converge in {self.max_iter} iterations. Increase max_iter or raise tol.",
                ConvergenceWarning,
            )
        self.user_factors_, self.item_factors_ = state.U, state.V
        self.user_bias_, self.item_bias_, self.mean_ = state.b, state.c, mean
        self.objective_path_, self.n_iter_ = np.array(path), len(path) - 1
        return self

    def _penalties(self, ratings, weights, totals):
        if self.alpha != "auto":
            return self.alpha, self.alpha if self.alpha_bias is None else self.alpha_bias
        center = np.average(ratings.values, weights=weights)
        spread = float(np.sqrt(np.average((ratings.values - center) ** 2, weights=weights)))
        # Ratings of the user, and of the item, of a rating, on average.
        counts = [np.sum(size**2) / np.sum(size) for size in totals]
        power = -0.5 if self.by_count else 0.5
        alpha = 0.5 * (spread or 1.0) * float(np.sum(np.power(counts, power)))
        if self.alpha_bias is not None:
            return alpha, self.alpha_bias
        return alpha, alpha if self.by_count else 5.0

    def _objective(self, ratings, state):
        loss = native.decomposition.rating_squares(
            *ratings.arrays(), ratings.weights, state.U, state.V, state.mean, state.b, state.c
        )
        of_users, of_items = state.totals if self.by_count else (1.0, 1.0)
        penalty = self.alpha_ * (
            float(np.sum(of_users * (state.U**2).sum(axis=1))) + float(np.sum(of_items * (state.V**2).sum(axis=1)))
        )
        penalty += self.alpha_bias_ * (float(np.sum(of_users * state.b**2)) + float(np.sum(of_items * state.c**2)))
        return 0.5 * (loss + penalty)

    def _als(self, table, state, rng):
        def centred(ratings):
            values, cols, starts = ratings.arrays()
            return values - state.mean, cols, starts

        turned = table.turned()
        rows, cols = centred(table), centred(turned)
        options = self.alpha_, self.alpha_bias_, self.bias, self.by_count
        while True:
            offset = state.c if self.bias else _NONE
            native.decomposition.als_rows(*rows, table.weights, state.V, offset, *options, state.U, state.b)
            offset = state.b if self.bias else _NONE
            native.decomposition.als_rows(*cols, turned.weights, state.U, offset, *options, state.V, state.c)
            yield

    def _sgd(self, ratings, state, rng):
        # The penalty of a user or an item is shared among its ratings.
        of_users, of_items = (
            1.0 / np.maximum(np.bincount(codes, minlength=size), 1)
            for codes, size in zip((ratings.rows, ratings.cols), ratings.shape)
        )
        while True:
            order = rng.permutation(len(ratings.values)).astype(np.int32)
            native.decomposition.sgd_pass(
                ratings.rows,
                ratings.cols,
                ratings.values,
                ratings.weights,
                order,
                of_users,
                of_items,
                state.mean,
                self.learning_rate,
                self.alpha_,
                self.alpha_bias_,
                self.bias,
                state.U,
                state.V,
                state.b,
                state.c,
            )
            yield

    def _gradient(self, ratings, state, rng):
        step, before = self.learning_rate, self._objective(ratings, state)
        while True:
            gradients = factorization_gradients(ratings, state, self.alpha_, self.alpha_bias_, self.bias)
            previous = state.U, state.V, state.b, state.c

            def ahead(t):
                state.U, state.V, state.b, state.c = (a - t * step * g for a, g in zip(previous, gradients))
                return self._objective(ratings, state)

            moved = backtrack(ahead, before, 0.0)
            if moved is None:  # only rounding is left
                state.U, state.V, state.b, state.c = previous
            else:
                before, step = moved.value, 1.1 * step * moved.length
            yield

    def _scores(self, rows):
        return (
            self.mean_
            + self.user_bias_[rows][:, None]
            + self.item_bias_
            + self.user_factors_[rows] @ self.item_factors_.T
        )

    @property
    def _instead(self):
        if self.user_bias_.any() or self.item_bias_.any():
            return "the mean rating plus the bias of the user or item that is known"
        return f"{self.mean_:g}, since the model has no biases; use bias=True for a better one"

    def _pairs(self, rows, cols):
        users, items = rows >= 0, cols >= 0
        out = self.mean_ + np.where(users, self.user_bias_[rows], 0.0) + np.where(items, self.item_bias_[cols], 0.0)
        both = users & items
        products = np.empty(int(both.sum()))
        codes = (np.ascontiguousarray(codes[both], np.int32) for codes in (rows, cols))
        native.decomposition.pair_products(*codes, self.user_factors_, self.item_factors_, products)
        out[both] += products
        return out


class ImplicitFactorization(Recommender):
    r"""Matrix factorisation of implicit feedback by alternating least squares.

    Entries r ≥ 0 count how often a user used an item. With the preference p = 1 where r > 0 and 0 elsewhere, and the
    confidence c = 1 + `confidence` r, minimises over all pairs, observed or not,

    .. math:: \tfrac12 \sum_{u, i} c_{ui} (p_{ui} - u_u^\top v_i)^2
        + \tfrac{\alpha}{2} \Big( \sum_u \lVert u_u \rVert^2 + \sum_i \lVert v_i \rVert^2 \Big) .

    Stops when a sweep lowers the objective by at most `tol` times its value.

    Parameters
    ----------
    n_components : int, default=50
        Number of factors.
    alpha : float, default=1.0
        Penalty of the factors.
    confidence : float, default=10.0
        Additional confidence in an observed pair, per unit of r.
    solver : {"cg", "cholesky"}, default="cg"
        Conjugate gradients from the previous factors, or exact solutions. Neither raises the objective.
    cg_steps : int, default=3
        Number of conjugate gradient steps per user and item.
    max_iter : int, default=15
        Maximum number of sweeps over users and items.
    tol : float, default=1e-3
        Relative tolerance of the stopping rule.
    columns : sequence of str or int, default=(0, 1, 2)
        The user, item and count columns of a long table; without a count column every pair counts 1.
    duplicates : {"error", "mean", "sum", "last"}, default="sum"
        Treatment of pairs of user and item that occur more than once.
    layout : {"long", "matrix"}, default="long"
        As in :class:`MatrixFactorization`.
    random_state : int, RandomState instance or None, default=None
        Seed of the initial factors.

    Attributes
    ----------
    users_, items_ : ndarray
        Labels in sorted order; with ``layout="matrix"`` those of the rows and columns of a data frame, in its order.
    user_factors_ : ndarray of shape (n_users, n_components)
    item_factors_ : ndarray of shape (n_items, n_components)
    objective_path_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start and after each sweep.
    n_iter_ : int

    See Also
    --------
    MatrixFactorization : for explicit ratings.
    ItemKNNRecommender : with ``aggregate="sum"`` for implicit feedback.

    Notes
    -----
    Predictions are preferences on the scale of 0 to 1, not ratings. The sum over all pairs is never formed: it is the
    sum over observed ones plus products with V'V. A sweep costs O(entries k) per conjugate gradient step and O((users +
    items) k²).

    References
    ----------
    Hu, Koren & Volinsky (2008), Collaborative filtering for implicit feedback datasets, ICDM.
    Takacs, Pilaszy & Tikk (2011), Applications of the conjugate gradient method for implicit feedback collaborative
    filtering, RecSys.

    Examples
    --------
    >>> from statlearn.decomposition import ImplicitFactorization
    >>> X = [["A", "x"], ["A", "y"], ["B", "x"], ["B", "y"], ["C", "y"], ["D", "z"]]
    >>> model = ImplicitFactorization(2, random_state=0).fit(X)
    >>> model.recommend(["C"], n=1)[0][0, 0]
    np.str_('x')
    """

    _constraints = {
        "n_components": [Int(1, None)],
        "alpha": [Real(0, 1e100)],  # their squares are needed
        "confidence": [Real(0, 1e100)],
        "solver": [Options("cg", "cholesky")],
        "cg_steps": [Int(1, 1000)],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None)],
        **RATING_RULES,
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components=50,
        *,
        alpha=1.0,
        confidence=10.0,
        solver="cg",
        cg_steps=3,
        max_iter=15,
        tol=1e-3,
        columns=(0, 1, 2),
        duplicates="sum",
        layout="long",
        random_state=None,
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.confidence = confidence
        self.solver = solver
        self.cg_steps = cg_steps
        self.max_iter = max_iter
        self.tol = tol
        self.columns = columns
        self.duplicates = duplicates
        self.layout = layout
        self.random_state = random_state

    def fit(self, X, y=None):
        """Learn the factors.

        Parameters
        ----------
        X : table, sparse matrix or array
            A long table with a user, an item and optionally a count per row, or a matrix of users by items.
        y : array-like of shape (n_rows,) or None, default=None
            Counts of a long table; replaces the count column.

        Returns
        -------
        self
        """
        check_params(self)
        ratings = self._read(X, y)
        if (ratings.values < 0).any():
            raise ValueError("X contains negative counts: implicit feedback is never negative.")
        rng = check_random_state(self.random_state)
        (n, m), k = ratings.shape, self.n_components
        U, V = (np.abs(rng.standard_normal((size, k))) / k for size in (n, m))
        matrix = ratings.matrix()
        rows, cols = compressed_arrays(matrix), compressed_arrays(matrix.T.tocsr())
        steps = self.cg_steps if self.solver == "cg" else 0
        path, converged = [self._objective(ratings, U, V)], False
        for _ in range(self.max_iter):
            native.decomposition.als_implicit_rows(*rows, V, V.T @ V, self.alpha, self.confidence, steps, U)
            native.decomposition.als_implicit_rows(*cols, U, U.T @ U, self.alpha, self.confidence, steps, V)
            path.append(self._objective(ratings, U, V))
            if path[-2] - path[-1] <= self.tol * path[-1]:
                converged = True
                break
        if not converged and self.tol > 0:
            warn(
                f"ImplicitFactorization did not converge in {self.max_iter} sweeps. Increase max_iter or raise tol.",
                ConvergenceWarning,
            )
        self.user_factors_, self.item_factors_ = U, V
        self.objective_path_, self.n_iter_ = np.array(path), len(path) - 1
        return self

    predicts_ratings = False  # but preferences

    def _objective(self, ratings, U, V):
        fit = _products(ratings, U, V)
        everywhere = float(np.sum((U.T @ U) * (V.T @ V)))
        more = self.confidence * ratings.values
        prefers = (ratings.values > 0).astype(float)
        # c (p - f)^2 - f^2 for the observed pairs, f^2 for all.
        observed = float(np.sum((1.0 + more) * (prefers - fit) ** 2 - fit**2))
        return 0.5 * (everywhere + observed + self.alpha * (float(np.sum(U**2)) + float(np.sum(V**2))))

    def _scores(self, rows):
        return self.user_factors_[rows] @ self.item_factors_.T
