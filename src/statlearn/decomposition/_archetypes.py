"""Archetypal analysis: rows as mixtures of extreme rows."""

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core import native
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, check_weights, require_finite, validate_data
from statlearn._core.warnings import ConvergenceWarning, warn

_INNER_TOL = 1e-9  # of the conditions of a row's weights, relative to the largest squared archetype
_INNER_STEPS = 2000


def simplex_codes(X, Z, start=None):
    """Weights (non-negative, sum 1) of the mixtures of the rows of Z that are nearest to the rows of X."""
    k = Z.shape[0]
    W = np.full((X.shape[0], k), 1.0 / k) if start is None else start
    native.decomposition.simplex_rows(np.ascontiguousarray(X @ Z.T), Z @ Z.T, _INNER_TOL, _INNER_STEPS, W)
    return W


def nearest_in_hull(X, point, weights, max_steps=200, tol=1e-10):
    """Weights of the convex combination of the rows of X nearest to a point, by Wolfe's algorithm (1976).

    Adds the row that lies farthest in the direction of the point, then minimises over the affine hull of the rows in
    use and drops those that get a negative weight, until no row lies farther than the combination itself.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    point : ndarray of shape (p,)
    weights : ndarray of shape (n,)
        A starting combination with few non-zero entries.
    """
    used = np.flatnonzero(weights > 0)
    share = weights[used] / weights[used].sum()
    # Rows in use must be affinely independent, which the solutions below keep but an arbitrary start may violate.
    if len(used) > X.shape[1] + 1:
        best = used[np.argmax(share)]
        used, share = np.array([best]), np.ones(1)
    scale = float(np.max(np.einsum("ij,ij->i", X - point, X - point)))
    if scale == 0.0:
        return weights
    for _ in range(max_steps):
        # Minor cycle: the minimiser over the affine hull, cut back to the simplex.
        for _ in range(len(used) + 1):
            P = X[used] - point
            system = P @ P.T
            system.flat[:: len(used) + 1] += 1e-13 * scale
            solution = np.linalg.solve(system + scale, np.ones(len(used)))
            solution /= solution.sum()
            if (solution > 0).all():
                share = solution
                break
            falling = solution <= 0
            with np.errstate(divide="ignore", invalid="ignore"):
                steps = np.where(falling & (share > solution), share / (share - solution), np.inf)
            step = min(1.0, float(steps.min()))
            share = (1 - step) * share + step * solution
            keep = share > 1e-14
            keep[int(np.argmin(steps))] = False
            if not keep.any():
                keep[int(np.argmax(share))] = True
            used, share = used[keep], share[keep] / share[keep].sum()
        residual = share @ X[used] - point
        heights = X @ residual
        lowest = int(np.argmin(heights))
        if heights[lowest] >= float(residual @ (share @ X[used])) - tol * scale or lowest in used:
            break
        used, share = np.append(used, lowest), np.append(share, 0.0)
    out = np.zeros(X.shape[0])
    out[used] = share
    return out


def furthest_rows(X, k, rng):
    """k rows far from each other: each has the largest sum of distances to those before it.

    The first one, the row farthest in a random direction, only serves to find the others.
    """
    if X.shape[0] <= k:
        return np.arange(X.shape[0])
    chosen = [int(np.argmax(X @ rng.standard_normal(X.shape[1])))]
    total = np.zeros(X.shape[0])
    for _ in range(k):
        total += np.sqrt(((X - X[chosen[-1]]) ** 2).sum(axis=1))
        total[chosen] = -np.inf
        chosen.append(int(np.argmax(total)))
    return np.array(chosen[1:])


def drawn_rows(X, k, rng, weights):
    """k rows drawn by weight, whatever their order and number of copies."""
    order = np.lexsort(X.T)
    left = weights[order] / weights.max()
    chosen: list[int] = []
    while len(chosen) < k:
        ends = np.cumsum(left)
        row = int(order[min(np.searchsorted(ends, rng.uniform() * ends[-1], side="right"), len(order) - 1)])
        chosen.append(row)
        left[(X[order] == X[row]).all(axis=1)] = 0.0  # neither the row nor its copies again
    return np.array(chosen)


def _unit_scale(X):
    """X divided by a power of two, so that its largest entry is near 1, and the exponent; the scaling is exact."""
    exponent = int(np.frexp(np.abs(X).max())[1])
    return np.ldexp(X, -exponent), exponent


class ArchetypalAnalysis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Archetypal analysis: each row as a mixture of a few archetypes, which are mixtures of rows.

    Minimises over W (n × k) and B (k × n), whose rows are non-negative and sum to 1,

    .. math:: \sum_i s_i \lVert x_i - w_i^\top Z \rVert^2, \qquad Z = B X,

    a weighted sum without a factor 1/2. The archetypes Z lie on the convex hull of the data (for k > 1), the fitted
    rows inside the hull of the archetypes.

    Parameters
    ----------
    n_archetypes : int, default=5
        Number of archetypes k.
    n_init : int, default=5
        Number of starts; the fit with the smallest objective is kept.
    init : {"furthest_sum", "random"}, default="furthest_sum"
        Initial archetypes: rows far from each other, or random rows.
    max_iter : int, default=300
        Maximum number of iterations of a start.
    tol : float, default=1e-6
        Stop when an iteration lowers the objective by at most `tol` times the total sum of squares.
    random_state : int, RandomState instance or None, default=None
        Seed of the starts.

    Attributes
    ----------
    archetypes_ : ndarray of shape (n_archetypes, n_features)
        Z.
    components_ : ndarray of shape (n_archetypes, n_features)
        The same as `archetypes_`.
    archetype_weights_ : ndarray of shape (n_archetypes, n_samples)
        B: the mixture of training rows that makes each archetype.
    objective_ : float
        The sum of squares at the end.
    objective_path_ : ndarray of shape (n_iter_ + 1,)
        The objective after each iteration of the best start; it never increases.
    explained_share_ : float
        One minus the objective over the sum of squares about the mean.
    n_iter_ : int
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    NMF : parts that add up, instead of extremes that are mixed.
    statlearn.cluster.KMeans : central rows instead of extreme ones.

    Notes
    -----
    Alternates exact steps. Weights of rows are found by pairwise steps on the simplex, O(n k (p + k)). Each archetype
    is the point of the hull of the data nearest to its unconstrained optimum, by Wolfe's algorithm, O(n p) for each row
    that enters. The problem is not convex: the result depends on the start. Standardise columns in different units, and
    look for outliers first, since archetypes are extremes.

    References
    ----------
    Cutler & Breiman (1994), Archetypal analysis, Technometrics.
    Morup & Hansen (2012), Archetypal analysis for machine learning and data mining.
    Wolfe (1976), Finding the nearest point in a polytope.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decomposition import ArchetypalAnalysis
    >>> rng = np.random.default_rng(0)
    >>> corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> X = np.vstack([corners, rng.dirichlet([1, 1, 1], size=50) @ corners])
    >>> Z = ArchetypalAnalysis(3, random_state=0).fit(X).archetypes_
    >>> sorted((Z.round(2) + 0.0).tolist())
    [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    """

    _constraints = {
        "n_archetypes": [Int(1, None)],
        "n_init": [Int(1, None)],
        "init": [Options("furthest_sum", "random")],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None)],
        "random_state": ["random_state"],
    }

    def __init__(self, n_archetypes=5, *, n_init=5, init="furthest_sum", max_iter=300, tol=1e-6, random_state=None):
        self.n_archetypes = n_archetypes
        self.n_init = n_init
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        """Find the archetypes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weight k counts as k copies of the row.

        Returns
        -------
        self
        """
        self.fit_transform(X, sample_weight=sample_weight)
        return self

    def fit_transform(self, X, y=None, sample_weight=None):
        """Find the archetypes and return the weights of the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        W : ndarray of shape (n_samples, n_archetypes)
            Non-negative weights with sum 1.
        """
        check_params(self)
        X = validate_data(self, X, dtype=FLOATS)
        weights = check_weights(sample_weight, X)
        s = np.ones(X.shape[0]) if weights is None else weights.astype(np.float64)
        present = s > 0
        rows, s_rows = np.ascontiguousarray(X[present], np.float64), s[present]
        distinct = np.unique(rows, axis=0).shape[0] if rows.shape[0] <= 10 * self.n_archetypes else self.n_archetypes
        if self.n_archetypes > distinct:
            raise ValueError(
                f"`n_archetypes`={self.n_archetypes} exceeds the {distinct} distinct rows (n_samples={len(X)}); use at "
                f"most {distinct}."
            )
        centre = np.average(rows, axis=0, weights=s_rows)
        # Weights sum to 1, so neither the centre nor the scale changes the problem; they keep digits and squares.
        moved, exponent = _unit_scale(rows - centre)
        rng = check_random_state(self.random_state)
        starts = 1 if self.n_archetypes == 1 else self.n_init
        best = min((self._descend(moved, s_rows, rng) for _ in range(starts)), key=lambda fit: fit[3][-1])
        W, B, Z, path, converged = best
        if not converged:
            warn(
                f"ArchetypalAnalysis did not converge in {self.max_iter} iterations. Increase max_iter or raise tol.",
                ConvergenceWarning,
            )
        total = float(s_rows @ np.einsum("ij,ij->i", moved, moved))
        self.explained_share_ = 1.0 - path[-1] / total if total > 0 else 1.0
        order = np.lexsort(Z.T[::-1])  # a fixed order, whatever the start
        self.archetypes_ = (np.ldexp(Z[order], exponent) + centre).astype(X.dtype)
        self.archetype_weights_ = np.zeros((self.n_archetypes, X.shape[0]), X.dtype)
        self.archetype_weights_[:, present] = B[order]
        with np.errstate(over="ignore"):  # of columns as large as 1e200
            self.objective_path_ = np.ldexp(path, 2 * exponent)
        self.objective_, self.n_iter_ = float(self.objective_path_[-1]), len(path) - 1
        if present.all():
            return W[:, order].astype(X.dtype)
        return self.transform(X)

    def _descend(self, X, s, rng):
        """One start: W, B, Z, the objectives, and whether it converged."""
        n, k = X.shape[0], self.n_archetypes
        total = float(s @ np.einsum("ij,ij->i", X, X))
        B = np.zeros((k, n))
        if k == 1:  # the mean, exactly
            B[0] = s / s.sum()
            return np.ones((n, 1)), B, B @ X, [total], True
        if self.init == "furthest_sum":
            chosen = furthest_rows(X, k, rng)
        else:
            chosen = drawn_rows(X, k, rng, s)
        B[np.arange(k), chosen] = 1.0
        Z = X[chosen].copy()
        W = simplex_codes(X, Z)
        path = [self._objective(X, s, W, Z)]
        for _ in range(self.max_iter):
            residual = X - W @ Z
            for j in range(k):
                use = float(s @ W[:, j] ** 2)
                if use <= 1e-12 * s.sum():  # an archetype that no row uses moves to the worst row
                    worst = int(np.argmax(s * np.einsum("ij,ij->i", residual, residual)))
                    B[j] = 0.0
                    B[j, worst] = 1.0
                else:
                    target = Z[j] + (s * W[:, j]) @ residual / use
                    B[j] = nearest_in_hull(X, target, B[j])
                moved = B[j] @ X
                residual -= np.outer(W[:, j], moved - Z[j])
                Z[j] = moved
            W = simplex_codes(X, Z, W)
            path.append(self._objective(X, s, W, Z))
            if path[-2] - path[-1] <= self.tol * total:
                return W, B, Z, path, True
        return W, B, Z, path, False

    @staticmethod
    def _objective(X, s, W, Z):
        residual = X - W @ Z
        return float(s @ np.einsum("ij,ij->i", residual, residual))

    def transform(self, X):
        """Weights of the mixtures of archetypes nearest to new rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        W : ndarray of shape (n_samples, n_archetypes)
            Non-negative weights with sum 1.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        Z = self.archetypes_.astype(np.float64)
        centre = Z.mean(axis=0)
        Z, exponent = _unit_scale(Z - centre)
        with np.errstate(over="ignore"):
            rows = np.ldexp(X - centre, -exponent)
        require_finite(rows, remedy="X is too far from the archetypes.")
        return simplex_codes(rows, Z).astype(X.dtype)

    def inverse_transform(self, X):
        """Mixtures of archetypes with given weights.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_archetypes)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return np.asarray(X) @ self.archetypes_

    def plot(self, X=None, *, kind=None, ax=None):
        """Plot of the archetypes as profiles, or of rows between the archetypes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or None, default=None
            Rows to draw, such as those of the fit.
        kind : {"profiles", "simplex"} or None, default=None
            "profiles" draws each archetype as a line over the columns, with the rows behind them. "simplex" draws the
            archetypes as corners of a regular polygon and each row at the mean of the corners, weighted by its
            coefficients; with more than three archetypes different rows can share a place. None takes "simplex" if X is
            given.
        ax : matplotlib Axes or None, default=None

        Returns
        -------
        matplotlib Axes
        """
        from ._shape_plots import plot_archetypes

        return plot_archetypes(self, X, kind, ax)

    @property
    def components_(self):
        """The archetypes."""
        return self.archetypes_

    @property
    def _n_features_out(self):
        return self.archetypes_.shape[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
