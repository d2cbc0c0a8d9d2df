"""Gaussian process regression by nearest neighbours."""

import math

import numpy as np
from sklearn.utils.validation import check_is_fitted

from statlearn._core.native import gp as native
from statlearn._core.params import Instance, Int, Options, Real
from statlearn._core.summary import Summary, Table
from statlearn._math.distances.neighbor_index import build_index

from ._covariance import AnyKernel
from ._regressor import free_parameters
from ._scalable import NoisyFormula, ScalableRegressor
from .kernels._base import leaves

_FIRST = 64  # rows whose neighbours are found by comparing all


def column_scales(kernel, n_columns):
    """Length scales by which distances are measured: those of the first kernel that has one for each column."""
    for each in leaves(kernel):
        scale = getattr(each, "length_scale", None)
        if scale is not None and np.size(scale) == n_columns:
            return np.ravel(np.asarray(scale, dtype=np.float64))
    return np.ones(n_columns)


def earlier_neighbors(X, k):
    """The k nearest of the rows before each row, -1 where there are fewer.

    Rows s to 2s - 1 are looked up among the first 2s: about three quarters of what is found there comes before a row,
    so that few rows need a second, wider look.
    """
    n = len(X)
    out = np.full((n, k), -1, dtype=np.int32)
    for i in range(1, min(_FIRST, n)):
        distances = ((X[:i] - X[i]) ** 2).sum(axis=1)
        nearest = np.argsort(distances, kind="stable")[:k]
        out[i, : len(nearest)] = nearest
    start = min(_FIRST, n)
    while start < n:
        end = min(n, 2 * start)
        index = build_index(np.ascontiguousarray(X[:end]), algorithm="auto")
        rows, wide = np.arange(start, end), 2 * k + 10
        while len(rows):
            wide = min(wide, end)
            candidates = index.query(np.ascontiguousarray(X[rows]), wide)[1]
            before = candidates < rows[:, None]
            enough = before.sum(axis=1) >= np.minimum(k, rows)
            # Stable: nearest first among those before the row.
            order = np.argsort(~before[enough], axis=1, kind="stable")[:, :k]
            out[rows[enough]] = np.take_along_axis(candidates[enough], order, axis=1)
            rows, wide = rows[~enough], 4 * wide
        start = end
    return out


class VecchiaGaussianProcessRegressor(ScalableRegressor):
    r"""Gaussian process regression by nearest neighbours (Vecchia's approximation).

    Rows are put into a random order, and the likelihood is replaced by

    .. math:: \sum_i \log p(y_i \mid y_j, \; j \in N(i)) ,

    where :math:`N(i)` are the nearest of the rows before row i. Every term is exact, with the covariance function of
    the full model; what is lost is the dependence on rows that are farther away. A prediction uses the nearest training
    rows of each new row.

    Parameters
    ----------
    kernel : Kernel or None, default=None
        Covariance function with the noise as a `WhiteKernel` summand. None means ``1.0 * RBF() + WhiteKernel()``.
    n_neighbors : int, default=20
        Number of neighbours, at most 47. More of them bring the result closer to the exact one.
    alpha : float, default=1e-10
        Variance of the noise in addition to that of the `WhiteKernel`.
    optimizer : "fmin_l_bfgs_b", callable or None, default="fmin_l_bfgs_b"
        How the likelihood is maximised, as in `GaussianProcessRegressor`.
    n_restarts_optimizer : int, default=0
        Number of further searches, from values drawn within the bounds of the hyper-parameters.
    normalize_y : bool, default=False
        Whether to subtract the mean of y and to divide by its standard deviation.
    n_rounds : int, default=2
        Number of searches in a row if every column has its own length scale: neighbours are found in units of the
        length scales, which are first the given ones, then the fitted ones.
    random_state : int, RandomState or None, default=None
        Seed for the order and the restarts.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel with its fitted hyper-parameters.
    log_likelihood_ : float
        The approximate log marginal likelihood.
    X_train_ : ndarray of shape (n_samples, n_features)
        Training rows.
    y_train_ : ndarray of shape (n_samples,)
        Targets, normalised if `normalize_y`.
    runs_ : list of tuples
        Hyper-parameters (`theta`) and likelihood at the end of the searches of the last round.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names of X, if it has any.

    See Also
    --------
    SparseGaussianProcessRegressor : inducing points, better for smooth functions of more columns.
    GaussianProcessRegressor : the exact posterior, for some thousand rows.

    Notes
    -----
    A step costs O(n k^3) time for k neighbours and O(n k) memory, so that a million rows are possible. It works
    best in up to three columns, where near rows screen off the others, and for rough kernels (Matern 1/2 and 3/2).
    Neighbouring predictions use different rows, so that the predicted function is not exactly smooth.

    References
    ----------
    Vecchia (1988), Estimation and model identification for continuous spatial processes. Datta, Banerjee, Finley and
    Gelfand (2016), Hierarchical nearest-neighbor Gaussian process models for large geostatistical datasets. Guinness
    (2018), Permutation and grouping methods for sharpening Gaussian process approximations.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.gp import Matern, VecchiaGaussianProcessRegressor, WhiteKernel
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(0, 10, (3000, 2))
    >>> y = np.sin(X[:, 0]) * np.cos(X[:, 1]) + 0.1 * rng.normal(size=3000)
    >>> model = VecchiaGaussianProcessRegressor(1.0 * Matern() + WhiteKernel(0.1), random_state=0).fit(X, y)
    >>> mean, std = model.predict([[np.pi / 2, 0.5]], return_std=True, latent=True)
    >>> mean.round(1), std.round(1)
    (array([0.9]), array([0.]))
    """

    _constraints = {
        "kernel": [Instance(AnyKernel), None],
        "n_neighbors": [Int(1, 47)],
        "alpha": [Real(0, None)],
        "optimizer": [Options("fmin_l_bfgs_b"), "callable", None],
        "n_restarts_optimizer": [Int(0, None)],
        "normalize_y": ["boolean"],
        "n_rounds": [Int(1, 20)],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        kernel=None,
        *,
        n_neighbors=20,
        alpha=1e-10,
        optimizer="fmin_l_bfgs_b",
        n_restarts_optimizer=0,
        normalize_y=False,
        n_rounds=2,
        random_state=None,
    ):
        self.kernel = kernel
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.normalize_y = normalize_y
        self.n_rounds = n_rounds
        self.random_state = random_state

    def _fit_approximation(self, X, y, kernel, rng):
        noisy = NoisyFormula(kernel, self.alpha, type(self).__name__)
        order = rng.permutation(len(X))
        rows, targets = np.ascontiguousarray(X[order]), np.ascontiguousarray(y[order])
        k = min(self.n_neighbors, max(1, len(X) - 1))
        several = X.shape[1] > 1 and np.any(column_scales(kernel, X.shape[1]) != 1.0) | self._anisotropic(kernel, X)
        rounds = self.n_rounds if several and self.optimizer is not None and kernel.n_dims > 0 else 1
        neighbors = None
        for _ in range(rounds):
            neighbors = earlier_neighbors(rows / column_scales(kernel, X.shape[1]), k)

            def objective(theta, neighbors=neighbors):
                return self._value_and_gradient(noisy, rows, targets, neighbors, theta)

            self._maximise(objective, kernel, rng)
        self._finish(kernel)
        formula, noise = noisy.at(kernel.theta)
        value = native.vecchia_likelihood(formula.args, rows, targets, neighbors, noise, np.empty(0))[0]
        if not math.isfinite(value):
            raise np.linalg.LinAlgError(
                f"The kernel, {kernel}, is not returning positive definite matrices. Rows may be repeated or very "
                "close: increase `alpha` or add a WhiteKernel."
            )
        self.log_likelihood_ = float(value)
        self.X_train_, self.y_train_ = X, y
        self._alpha, self._n_neighbors = self.alpha, min(self.n_neighbors, len(X))

    @staticmethod
    def _anisotropic(kernel, X):
        return any(np.size(getattr(each, "length_scale", 1.0)) > 1 for each in leaves(kernel))

    @staticmethod
    def _value_and_gradient(noisy, rows, targets, neighbors, theta):
        formula, noise = noisy.at(theta)
        gradient = np.empty(len(theta))
        value, slope = native.vecchia_likelihood(formula.args, rows, targets, neighbors, noise, gradient)
        if not math.isfinite(value):
            return -math.inf, np.zeros(len(theta))
        return value, noisy.add_noise(gradient, slope, theta)

    def _posterior(self, X, return_std):
        formula, noise = NoisyFormula(self.kernel_, self._alpha, type(self).__name__).at()
        scales = column_scales(self.kernel_, X.shape[1])
        index = build_index(np.ascontiguousarray(self.X_train_ / scales), algorithm="auto")
        neighbors = index.query(np.ascontiguousarray(X / scales), self._n_neighbors)[1].astype(np.int32)
        mean, variance = np.empty(len(X)), np.empty(len(X))
        native.vecchia_predict(
            formula.args, X, self.X_train_, self.y_train_, np.ascontiguousarray(neighbors), noise, mean, variance
        )
        return mean, variance

    def summary(self):
        """Table of the hyper-parameters, with the approximate likelihood and the number of neighbours.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        names, values = free_parameters(self.kernel_)
        bounds = np.exp(self.kernel_.bounds) if names else np.empty((0, 2))
        facts = {
            "n": len(self.X_train_),
            "neighbors": self._n_neighbors,
            "log_likelihood": self.log_likelihood_,
        }
        labels = {
            "n": "Observations",
            "neighbors": "Neighbours",
            "log_likelihood": "Approximate log marginal likelihood",
        }
        notes = [
            f"Kernel: {self.kernel_}",
            f"Every observation is conditioned on at most {facts['neighbors']} others, so the likelihood is neither a "
            "lower nor an upper bound. Compare with a larger `n_neighbors` to see what the approximation costs.",
        ]
        table = Table(names, {"estimate": values, "bound_low": bounds[:, 0], "bound_high": bounds[:, 1]})
        return Summary("Gaussian process regression by nearest neighbours", table, facts, labels, [], notes)
