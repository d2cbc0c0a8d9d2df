"""Gaussian process regression on the line in linear time."""

import math

import numpy as np
from sklearn.utils.validation import check_is_fitted

from statlearn._core.native import gp as native
from statlearn._core.params import Instance, Int, Options, Real
from statlearn._core.summary import Summary, Table

from ._covariance import AnyKernel
from ._regressor import free_parameters
from ._scalable import ScalableRegressor
from .kernels import Matern, WhiteKernel
from .kernels._formula import CONSTANT_OP, MATERN_OP, NOISE_OP, PRODUCT_OP, SUM_OP, compile_kernel

_ORDERS = {0.5: 1, 1.5: 2, 2.5: 3}


class LineKernel:
    """A Matern kernel of one column, with a factor and noise, as parameters of a state-space model.

    Parameters
    ----------
    kernel : Kernel
        ``Matern``, times constants, plus white kernels.
    alpha : float
        Further variance of the noise.
    """

    def __init__(self, kernel, alpha):
        formula = compile_kernel(kernel) if kernel.requires_vector_input else None
        self.constants: list = []
        self.noises: list = []
        self.length, self.order, self.formula, self.alpha = None, None, formula, float(alpha)
        if formula is None or not self._sum(len(formula.nodes) - 1) or self.length is None:
            raise ValueError(
                "`kernel` must be Matern(nu=0.5, 1.5 or 2.5), possibly times constants and plus WhiteKernel, got "
                f"{kernel}."
            )
        if not self.noises and not self.alpha > 0:
            raise ValueError("StateSpaceGaussianProcessRegressor needs noise: set `alpha` > 0 or add a WhiteKernel.")

    def _sum(self, at):
        op, left, right, first, _ = (int(v) for v in self.formula.nodes[at])
        if op == SUM_OP:
            return self._sum(left) and self._sum(right)
        if op == NOISE_OP:
            self.noises.append(first)
            return True
        return self.length is None and self._product(at)

    def _product(self, at):
        op, left, right, first, count = (int(v) for v in self.formula.nodes[at])
        if op == PRODUCT_OP:
            return self._product(left) and self._product(right)
        if op == CONSTANT_OP:
            self.constants.append(first)
            return True
        if op != MATERN_OP or self.length is not None or count != 1 or self.formula.extras[at] not in _ORDERS:
            return False
        self.length, self.order = first, _ORDERS[self.formula.extras[at]]
        return True

    def at(self, theta=None):
        """Order, variance, length scale and noise variance."""
        values = self.formula.values if theta is None else self.formula.at(theta).values
        noise = self.alpha + float(values[self.noises].sum())
        return self.order, float(np.prod(values[self.constants])), float(values[self.length]), noise

    def gradient(self, theta, slopes):
        """The gradient by theta from those by the logarithms of variance, length scale and noise."""
        values, slots = self.formula.at(theta).values, self.formula.slots
        noise = self.at(theta)[3]
        out = np.zeros(len(theta))
        shares = [(place, slopes[0]) for place in self.constants] + [(self.length, slopes[1])]
        shares += [(place, slopes[2] * values[place] / noise) for place in self.noises]
        for place, slope in shares:
            if slots[place] >= 0:
                out[slots[place]] += slope
        return out


class StateSpaceGaussianProcessRegressor(ScalableRegressor):
    r"""Gaussian process regression on the line in linear time.

    With a Matern kernel of smoothness 1/2, 3/2 or 5/2, a function of one column and its derivatives form a Markov
    process. The Kalman filter gives the exact log marginal likelihood, and a smoother the exact posterior, in O(n):
    there is no approximation.

    Parameters
    ----------
    kernel : Kernel or None, default=None
        ``Matern``, possibly times constants and plus `WhiteKernel`. None means ``1.0 * Matern() + WhiteKernel()``.
    column : int or None, default=None
        Number of the column of X that the function depends on, such as a time stamp; the others are ignored. None means
        that X must have a single column.
    alpha : float, default=1e-10
        Variance of the noise in addition to that of the `WhiteKernel`.
    optimizer : "fmin_l_bfgs_b", callable or None, default="fmin_l_bfgs_b"
        How the likelihood is maximised, as in `GaussianProcessRegressor`.
    n_restarts_optimizer : int, default=0
        Number of further searches, from values drawn within the bounds of the hyper-parameters.
    normalize_y : bool, default=False
        Whether to subtract the mean of y and to divide by its standard deviation.
    random_state : int, RandomState or None, default=None
        Seed for the restarts.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel with its fitted hyper-parameters.
    log_marginal_likelihood_value_ : float
        Log marginal likelihood at the fitted hyper-parameters.
    X_train_ : ndarray of shape (n_samples, 1)
        Values of the column, ascending.
    y_train_ : ndarray of shape (n_samples,)
        Their targets, normalised if `normalize_y`.
    runs_ : list of tuples
        Hyper-parameters (`theta`) and likelihood at the end of every search.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names of X, if it has any.

    See Also
    --------
    GaussianProcessRegressor : any kernel and any number of columns, O(n^3).
    VecchiaGaussianProcessRegressor : nearest neighbours, for few columns.

    Notes
    -----
    A prediction runs through all training rows once, whatever the number of new rows: predict many at a time.

    References
    ----------
    Hartikainen and Särkkä (2010), Kalman filtering and smoothing solutions to temporal Gaussian process regression
    models.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.gp import StateSpaceGaussianProcessRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(0, 100, (5000, 1))
    >>> y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=5000)
    >>> model = StateSpaceGaussianProcessRegressor().fit(X, y)
    >>> model.predict([[np.pi / 2], [np.pi]]).round(1) + 0.0
    array([1., 0.])
    """

    _constraints = {
        "kernel": [Instance(AnyKernel), None],
        "column": [Int(0, None), None],
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
        column=None,
        alpha=1e-10,
        optimizer="fmin_l_bfgs_b",
        n_restarts_optimizer=0,
        normalize_y=False,
        random_state=None,
    ):
        self.kernel = kernel
        self.column = column
        self.alpha = alpha
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.normalize_y = normalize_y
        self.random_state = random_state

    def _default_kernel(self):
        return 1.0 * Matern() + WhiteKernel()

    def _fit_approximation(self, X, y, kernel, rng):
        if self.column is None and X.shape[1] != 1:
            raise ValueError(f"X must have a single column, got {X.shape[1]}; name the one to use by `column`.")
        if self.column is not None and self.column >= X.shape[1]:
            raise ValueError(f"`column`={self.column} exceeds the {X.shape[1]} columns of X, which count from 0.")
        line = LineKernel(kernel, self.alpha)
        self._column, self._alpha = self.column or 0, self.alpha
        at = X[:, self._column]
        order = np.argsort(at, kind="stable")
        times, targets = np.ascontiguousarray(at[order]), np.ascontiguousarray(y[order])

        def objective(theta):
            value, *slopes = native.line_likelihood(*line.at(theta), times, targets)
            if not math.isfinite(value):
                return -math.inf, np.zeros(len(theta))
            return value, line.gradient(theta, slopes)

        self._maximise(objective, kernel, rng)
        self._finish(kernel)
        self.log_marginal_likelihood_value_ = native.line_likelihood(*line.at(kernel.theta), times, targets)[0]
        self.X_train_, self.y_train_ = times[:, None], targets

    def _posterior(self, X, return_std):
        times = np.concatenate([self.X_train_[:, 0], X[:, self._column]])
        order = np.argsort(times, kind="stable")
        n = len(self.y_train_)
        seen = (order < n).astype(np.uint8)
        targets = np.concatenate([self.y_train_, np.zeros(len(X))])[order]
        mean, variance = np.empty(len(times)), np.empty(len(times))
        line = LineKernel(self.kernel_, self._alpha)
        native.line_smooth(*line.at(), np.ascontiguousarray(times[order]), targets, seen, mean, variance)
        place = np.empty(len(times), dtype=np.intp)
        place[order] = np.arange(len(times))
        return mean[place[n:]], variance[place[n:]]

    def summary(self):
        """Table of the hyper-parameters, with the log marginal likelihood.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        names, values = free_parameters(self.kernel_)
        bounds = np.exp(self.kernel_.bounds) if names else np.empty((0, 2))
        facts = {"n": len(self.X_train_), "log_likelihood": self.log_marginal_likelihood_value_}
        labels = {"n": "Observations", "log_likelihood": "Log marginal likelihood"}
        notes = [f"Kernel: {self.kernel_}", "The likelihood and the posterior are exact."]
        table = Table(names, {"estimate": values, "bound_low": bounds[:, 0], "bound_high": bounds[:, 1]})
        return Summary("Gaussian process regression in state space", table, facts, labels, [], notes)
