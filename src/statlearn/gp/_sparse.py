"""Gaussian process regression with inducing points."""

import math

import numpy as np
from sklearn.utils.validation import check_is_fitted

from statlearn._core.memory import require_memory
from statlearn._core.native import gp as native
from statlearn._core.params import Instance, Int, Options, Real
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import check_array, naming
from statlearn.cluster import kmeans_plusplus

from ._covariance import AnyKernel
from ._evidence import LOG_2PI
from ._regressor import free_parameters
from ._scalable import NoisyFormula, ScalableRegressor
from ._search import Rough, rough_rows
from .kernels._base import covariance

_JITTER = 1e-6  # of the mean variance of the points; with less, rounding in the bound stops the search early
_FIRST_JITTERS = [_JITTER * 10.0**k for k in range(5)]


class VariationalBound:
    """Titsias' lower bound of the log marginal likelihood for given points, as a function of the hyper-parameters.

    With K the covariances of rows and points, S = L L' those of the points, and v the variance of the noise, everything
    but the diagonal comes from the m x m matrix A = L^-1 K'K L'^-1 and the vector L^-1 K'y.
    """

    def __init__(self, noisy, X, y, Z):
        self.noisy, self.X, self.y, self.Z = noisy, X, y, Z
        self.square = float(y @ y)

    def parts(self, theta):
        """Factors from which value, gradient and posterior are computed; None if one does not exist."""
        formula, noise = self.noisy.at(theta)
        m, n = len(self.Z), len(self.y)
        moments, products = np.empty((m, m)), np.empty(m)
        native.sparse_moments(formula.args, self.X, self.y, self.Z, moments, products)
        diagonal, slope = np.empty(n), np.empty(len(formula.free))
        native.covariance_diagonal(formula.args, self.X, diagonal, slope)
        S = covariance(formula, self.Z)
        scale = float(np.mean(np.diagonal(S)))
        for share in _FIRST_JITTERS:
            L = S.copy()
            L[np.diag_indices(m)] += share * scale
            if native.cholesky_factor(L) == 0:
                break
        else:
            return None
        L = np.tril(L)
        A = np.tril(moments) + np.tril(moments, -1).T
        native.cholesky_solve_half(L, False, A)
        A = np.ascontiguousarray(A.T)
        native.cholesky_solve_half(L, False, A)
        A = (A + A.T) / 2
        side = products[:, None].copy()
        native.cholesky_solve_half(L, False, side)
        B = A / noise
        B[np.diag_indices(m)] += 1.0
        if native.cholesky_factor(B) != 0:
            return None
        solved = side.copy()
        native.cholesky_solve_half(B, False, solved)
        fitted = float(solved[:, 0] @ solved[:, 0])  # b' B^-1 b
        native.cholesky_solve_half(B, True, solved)
        jitter = share * scale
        return formula, noise, L, A, np.tril(B), side[:, 0], solved[:, 0], fitted, float(diagonal.sum()), slope, jitter

    def value(self, parts):
        """The lower bound."""
        _, noise, _, A, B, _, _, fitted, total, *_ = parts
        n = len(self.y)
        gap = total - float(np.trace(A))
        return (
            -0.5 * n * (LOG_2PI + math.log(noise))
            - float(np.log(np.diagonal(B)).sum())
            - 0.5 * (self.square / noise - fitted / noise**2)
            - 0.5 * gap / noise
        )

    def upper(self, parts):
        """An upper bound of the log marginal likelihood at the same hyper-parameters (Titsias, 2014)."""
        _, noise, _, A, B, side, _, _, total, *_ = parts
        n, m = len(self.y), len(A)
        larger = noise + max(0.0, total - float(np.trace(A)))
        quadratic = (self.square - side @ np.linalg.solve(A + larger * np.eye(m), side)) / larger
        return -0.5 * n * (LOG_2PI + math.log(noise)) - float(np.log(np.diagonal(B)).sum()) - 0.5 * quadratic

    def value_and_gradient(self, theta):
        """The lower bound and its gradient; -inf and 0 if it does not exist."""
        parts = self.parts(theta)
        if parts is None:
            return -math.inf, np.zeros(len(theta))
        formula, noise, L, A, B, _, w, fitted, total, slope, jitter = parts
        n, m = len(self.y), len(A)
        inverse = np.empty((m, m))
        native.cholesky_inverse(B, inverse)
        inverse = np.tril(inverse) + np.tril(inverse, -1).T
        core = (np.eye(m) - inverse) / (2 * noise) - np.outer(w, w) / (2 * noise**3)
        by_moments = self._unwhiten(L, core)
        by_points = self._unwhiten(L, noise * core - A / (2 * noise))
        by_products = (w / noise**2)[:, None].copy()
        native.cholesky_solve_half(L, True, by_products)
        gradient = np.empty(len(theta))
        native.sparse_gradient(
            formula.args, self.X, self.y, self.Z, by_moments, np.ascontiguousarray(by_products[:, 0]), gradient
        )
        points = np.empty(len(theta))
        none = np.empty((m, 0))
        native.covariance_trace(formula.args, self.Z, 1.0, by_points, none, none, points)
        gradient += points - slope / (2 * noise)
        # The jitter is a share of the mean variance of the points, with which it changes.
        variances, change = np.empty(m), np.empty(len(theta))
        native.covariance_diagonal(formula.args, self.Z, variances, change)
        gradient += jitter * float(np.trace(by_points)) * change / variances.sum()
        gap = total - float(np.trace(A))
        by_noise = (
            0.5 * float(np.einsum("ij,ij->", inverse, A)) / noise**2
            - 0.5 * n / noise
            + 0.5 * self.square / noise**2
            + 0.5 * float(w @ A @ w) / noise**4
            - fitted / noise**3
            + 0.5 * gap / noise**2
        )
        return self.value(parts), self.noisy.add_noise(gradient, by_noise, theta)

    @staticmethod
    def _unwhiten(L, M):
        """L'^-1 M L^-1 for a symmetric M."""
        out = np.array(M)
        native.cholesky_solve_half(L, True, out)
        out = np.ascontiguousarray(out.T)
        native.cholesky_solve_half(L, True, out)
        return (out + out.T) / 2


class SparseGaussianProcessRegressor(ScalableRegressor):
    r"""Gaussian process regression with inducing points.

    The function is summarised by its values at m points Z. With :math:`Q = K_{nm} K_{mm}^{-1} K_{mn}` and noise of
    variance v, the hyper-parameters maximise a lower bound of the log marginal likelihood,

    .. math:: \log N(y \mid 0, Q + v I) - \frac{1}{2v} \operatorname{tr}(K - Q) ,

    whose last term is what the points leave unexplained. The bound is exact if the points include all rows.

    Parameters
    ----------
    kernel : Kernel or None, default=None
        Covariance function with the noise as a `WhiteKernel` summand. None means ``1.0 * RBF() + WhiteKernel()``.
    n_inducing : int, default=100
        The number m of points. If there are fewer rows, all of them are used.
    inducing : {"kmeans++", "greedy"} or array-like of shape (n_inducing, n_features), default="kmeans++"
        How the points are chosen among the rows: far from one another, or one by one where the variance given the
        former ones is largest under the kernel's start values (O(n m^2) time, O(n m) memory). Or the points themselves.
    alpha : float, default=1e-10
        Variance of the noise in addition to that of the `WhiteKernel`.
    optimizer : "fmin_l_bfgs_b", callable or None, default="fmin_l_bfgs_b"
        How the bound is maximised, as in `GaussianProcessRegressor`.
    n_restarts_optimizer : int, default=0
        Number of further searches, from values drawn within the bounds of the hyper-parameters.
    normalize_y : bool, default=False
        Whether to subtract the mean of y and to divide by its standard deviation.
    random_state : int, RandomState or None, default=None
        Seed for points and restarts.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel with its fitted hyper-parameters.
    inducing_points_ : ndarray of shape (m, n_features)
        The points.
    lower_bound_ : float
        The bound at the fitted hyper-parameters.
    upper_bound_ : float
        An upper bound of the log marginal likelihood there. The exact value lies between the two: a wide gap means that
        more points are needed.
    runs_ : list of tuples
        Hyper-parameters (`theta`) and bound at the end of every search.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names of X, if it has any.

    See Also
    --------
    GaussianProcessRegressor : the exact posterior, for some thousand rows.
    VecchiaGaussianProcessRegressor : nearest neighbours, better for rough functions of few columns.

    Notes
    -----
    A step costs O(n m^2) time; rows are read in blocks, so that memory is O(m^2). Smooth functions need few points.
    With short length scales the bound prefers to call the rest noise, which the gap between the bounds shows.

    References
    ----------
    Titsias (2009), Variational learning of inducing variables in sparse Gaussian processes. Titsias (2014), Variational
    inference for Gaussian and determinantal point processes.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.gp import SparseGaussianProcessRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(0, 10, (2000, 1))
    >>> y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=2000)
    >>> model = SparseGaussianProcessRegressor(n_inducing=20, random_state=0).fit(X, y)
    >>> model.predict([[1.0], [4.7]]).round(1)
    array([ 0.8, -1. ])
    >>> bool(model.lower_bound_ < model.upper_bound_)
    True
    """

    _constraints = {
        "kernel": [Instance(AnyKernel), None],
        "n_inducing": [Int(1, None)],
        "inducing": [Options("kmeans++", "greedy"), "array-like"],
        "alpha": [Real(0, None)],
        "optimizer": [Options("fmin_l_bfgs_b"), "callable", None],
        "n_restarts_optimizer": [Int(0, None)],
        "normalize_y": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        kernel=None,
        *,
        n_inducing=100,
        inducing="kmeans++",
        alpha=1e-10,
        optimizer="fmin_l_bfgs_b",
        n_restarts_optimizer=0,
        normalize_y=False,
        random_state=None,
    ):
        self.kernel = kernel
        self.n_inducing = n_inducing
        self.inducing = inducing
        self.alpha = alpha
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.normalize_y = normalize_y
        self.random_state = random_state

    def _fit_approximation(self, X, y, kernel, rng):
        noisy = NoisyFormula(kernel, self.alpha, type(self).__name__)
        Z = self._points(X, noisy, rng)
        require_memory(24 * 8 * len(Z) ** 2, f"Matrices for {len(Z):,} inducing points", "Use a smaller `n_inducing`.")
        bound = VariationalBound(noisy, X, y, Z)
        rows = rough_rows(len(y), 32)
        rough = None
        if rows is not None:
            sample = VariationalBound(noisy, np.ascontiguousarray(X[rows]), y[rows], Z)
            rough = Rough(sample.value_and_gradient, len(y) / len(rows))
        self._maximise(bound.value_and_gradient, kernel, rng, rough)
        self._finish(kernel)
        parts = bound.parts(kernel.theta)
        if parts is None:
            raise np.linalg.LinAlgError(f"The kernel, {kernel}, is not returning a positive definite matrix.")
        _, noise, L, _, B, _, w, *_ = parts
        dual = (w / noise)[:, None].copy()
        native.cholesky_solve_half(L, True, dual)
        self.inducing_points_ = Z
        self._dual, self._prior_factor, self._posterior_factor = dual, L, np.ascontiguousarray(np.tril(L @ B))
        self.lower_bound_, self.upper_bound_ = float(bound.value(parts)), float(bound.upper(parts))
        self._n_samples, self._alpha = len(y), self.alpha

    def _points(self, X, noisy, rng):
        if not isinstance(self.inducing, str):
            with naming("inducing"):
                Z = check_array(self.inducing, dtype=np.float64, order="C", input_name="inducing")
            if Z.shape[1] != X.shape[1]:
                raise ValueError(f"`inducing` must have {X.shape[1]} columns, as X has, got {Z.shape[1]}.")
            return Z
        m = min(self.n_inducing, len(X))
        if m == len(X):
            return X.copy()
        if self.inducing == "greedy":
            return X[_greedy(noisy.at()[0], X, m)]
        spread = X.std(axis=0)
        scaled = np.ascontiguousarray(X / np.where(spread > 0, spread, 1.0))
        return np.ascontiguousarray(X[np.sort(kmeans_plusplus(scaled, m, random_state=rng)[1])])

    def _posterior(self, X, return_std):
        formula, _ = NoisyFormula(self.kernel_, self._alpha, type(self).__name__).at()
        Z, m, none = self.inducing_points_, len(X), np.empty((len(self.inducing_points_), 0))
        mean, cross = np.empty((m, 1)), np.empty((m, 0))
        explained, left = np.empty(m if return_std else 0), np.empty(m if return_std else 0)
        weight = np.empty(0)
        native.predict_rows(formula.args, X, Z, self._dual, self._prior_factor, none, weight, mean, explained, cross)
        if not return_std:
            return mean[:, 0], None
        native.predict_rows(formula.args, X, Z, self._dual, self._posterior_factor, none, weight, mean, left, cross)
        prior = np.empty(m)
        native.covariance_diagonal(formula.args, X, prior, np.empty(len(formula.free)))
        return mean[:, 0], prior - explained + left

    def summary(self):
        """Table of the hyper-parameters, with both bounds of the likelihood.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        names, values = free_parameters(self.kernel_)
        bounds = np.exp(self.kernel_.bounds) if names else np.empty((0, 2))
        facts = {
            "n": self._n_samples,
            "inducing": len(self.inducing_points_),
            "lower": self.lower_bound_,
            "upper": self.upper_bound_,
            "gap": (self.upper_bound_ - self.lower_bound_) / self._n_samples,
        }
        labels = {
            "n": "Observations",
            "inducing": "Inducing points",
            "lower": "Lower bound of the log marginal likelihood",
            "upper": "Upper bound",
            "gap": "Gap per observation",
        }
        notes = [
            f"Kernel: {self.kernel_}",
            "The exact log marginal likelihood at these hyper-parameters lies between the bounds. A gap per "
            "observation that is not small means that more inducing points are needed.",
        ]
        table = Table(names, {"estimate": values, "bound_low": bounds[:, 0], "bound_high": bounds[:, 1]})
        return Summary("Gaussian process regression with inducing points", table, facts, labels, [], notes)


def _greedy(formula, X, m):
    """Rows chosen one by one where the variance given the former ones is largest: a pivoted Cholesky factor."""
    n = len(X)
    require_memory(8 * n * m, f"The {n:,} x {m:,} factor of the greedy choice", "Use inducing='kmeans++'.")
    variance = np.empty(n)
    native.covariance_diagonal(formula.args, X, variance, np.empty(len(formula.free)))
    factor, chosen = np.empty((m, n)), []
    for k in range(m):
        at = int(np.argmax(variance))
        if not variance[at] > 0:
            break
        column = covariance(formula, X[at : at + 1], X)[0]
        column -= factor[:k, at] @ factor[:k]
        column /= math.sqrt(variance[at])
        factor[k] = column
        variance = variance - column**2
        variance[at] = -np.inf
        chosen.append(at)
    return np.array(chosen)
