"""Base class of the estimators by stochastic gradients: parameters, the native passes, averages and partial fits."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from statlearn._core import native
from statlearn._core.fitted_state import forget
from statlearn._core.jobs import jobs
from statlearn._core.params import Int, Options, Real
from statlearn._core.warnings import DIVERGED, MAX_ITER, warn_if_stopped
from statlearn._math.linalg.sparse_arrays import row_arrays
from statlearn._math.losses.scores import loss_key
from statlearn._math.rows.linear_scores import SparseCoefMixin
from statlearn._math.solvers.stochastic import elastic_net_parts, held_out_rows

# Codes of native/svm/sgd.hpp; a loss has its threshold, or None for `epsilon`.
LOSSES = {
    "hinge": (0, 1.0),
    "perceptron": (0, 0.0),
    "squared_hinge": (1, 1.0),
    "log_loss": (2, 0.0),
    "modified_huber": (3, 0.0),
    "squared_error": (4, 0.0),
    "huber": (5, None),
    "epsilon_insensitive": (6, None),
    "squared_epsilon_insensitive": (7, None),
}
SCHEDULES = {"constant": 0, "optimal": 1, "invscaling": 2, "adaptive": 3, "pa1": 4, "pa2": 5}
SCORES = {"accuracy": 1, "r2": 2}
PASSIVE_AGGRESSIVE = ("pa1", "pa2")
SPARSE_INTERCEPT_RATE = 0.01  # scikit-learn's: the intercept meets every row, a sparse column only few
# Attributes with `average`.
AVERAGING = ("_standard_coef", "_standard_intercept", "_average_coef", "_average_intercept")

SGD_CONSTRAINTS = {
    "fit_intercept": ["boolean"],
    "max_iter": [Int(1, None)],
    "tol": [Real(0, None), None],
    "shuffle": ["boolean"],
    "verbose": ["verbose"],
    "random_state": ["random_state"],
    "learning_rate": [Options(*SCHEDULES)],
    "eta0": [Real(0, None, closed="neither")],
    "power_t": [Real(0, None)],
    "warm_start": ["boolean"],
    "average": ["boolean", Int(0, None)],
}
PENALTY_CONSTRAINTS = {
    "penalty": [Options("l2", "l1", "elasticnet"), None],
    "alpha": [Real(0, None)],
    "l1_ratio": [Real(0, 1, closed="both"), None],
    "epsilon": [Real(0, None)],
    "early_stopping": ["boolean"],
    "validation_fraction": [Real(0, 1, closed="neither")],
    "n_iter_no_change": [Int(1, None)],
}


class StochasticGradient(SparseCoefMixin, BaseEstimator):
    """Base of the estimators by stochastic gradients."""

    _passive_aggressive_loss = "hinge"

    def _check_combinations(self, *, partial):
        """Raise an error for combinations of parameters that have no meaning."""
        if partial and self.early_stopping:
            raise ValueError("early_stopping should be False with partial_fit.")
        if self.learning_rate == "optimal" and self.alpha == 0:
            raise ValueError("alpha must be > 0 since learning_rate is 'optimal', which divides by alpha.")
        if self.learning_rate in PASSIVE_AGGRESSIVE and self.loss != self._passive_aggressive_loss:
            raise ValueError(
                f"learning_rate={self.learning_rate!r} requires loss={self._passive_aggressive_loss!r}, "
                f"got loss={self.loss!r}."
            )
        if self.penalty == "elasticnet" and self.l1_ratio is None:
            raise ValueError("l1_ratio must be set when penalty is 'elasticnet'.")

    def _forget(self):
        """Remove the results of earlier fits."""
        forget(self, "coef_", *AVERAGING)
        self.t_ = 1.0

    def _held_out(self, y, *, stratify):
        """Flags of the rows held out for early stopping, or an empty array."""
        if not self.early_stopping:
            return np.empty(0, dtype=np.uint8)
        return held_out_rows(y, self.validation_fraction, self.random_state, stratify=stratify)

    def _learn(self, X, targets, weights, seeds, W, b, *, max_iter, held_out=None, score=None, level=0.0, n_jobs=None):
        """Passes over the rows for one model per row of W, from W and b, which are overwritten.

        Sets `t_`, `n_iter_` and `objective_curve_`. Returns coefficients and intercepts, averages once they have
        begun, and whether a model reached `max_iter`.
        """
        loss, bend = LOSSES[loss_key(self.loss)]
        l1, l2 = elastic_net_parts(self.penalty, self.alpha, self.l1_ratio)
        average = float(self.average)
        if average and getattr(self, "_average_coef", None) is not None:
            mean_W = np.array(self._average_coef, dtype=np.float64).reshape(W.shape)
            mean_b = np.array(self._average_intercept, dtype=np.float64)
        else:
            mean_W, mean_b = np.zeros_like(W), np.zeros_like(b)
        with jobs(n_jobs):
            infos = native.svm.sgd_fit(
                *row_arrays(X), targets, weights,
                np.empty(0, dtype=np.uint8) if held_out is None else held_out,
                np.array(seeds, dtype=np.uint32), W, b, mean_W, mean_b,
                loss, float(self.epsilon) if bend is None else bend, SCHEDULES[self.learning_rate], float(self.eta0),
                float(self.power_t), float(self.alpha), l1, l2, level,
                self.fit_intercept, SPARSE_INTERCEPT_RATE if sparse.issparse(X) else 1.0, self.shuffle, self.t_,
                average, -1.0 if self.tol is None else float(self.tol), self.n_iter_no_change, max_iter,
                SCORES.get(score, 0),
            )  # fmt: skip
        n_iter, statuses, curves = zip(*infos)
        self._report(curves)
        if DIVERGED in statuses:
            raise ValueError(
                f"Floating-point under-/overflow occurred at epoch #{max(n_iter)}: the weights of "
                f"{type(self).__name__} are no longer finite. Scaling input data with StandardScaler or MinMaxScaler "
                "might help."
            )
        self.n_iter_ = max(n_iter)
        self.t_ += float(self.n_iter_ * X.shape[0])
        self.objective_curve_ = curves[0] if len(curves) == 1 else list(curves)
        dtype, stopped = X.dtype, MAX_ITER in statuses
        if not average:
            forget(self, *AVERAGING)
            return W.astype(dtype), b.astype(dtype), stopped
        self._standard_coef, self._standard_intercept = W.astype(dtype), b.astype(dtype)
        self._average_coef, self._average_intercept = mean_W.astype(dtype), mean_b.astype(dtype)
        begun = average <= self.t_ - 1.0
        if begun:
            return self._average_coef, self._average_intercept, stopped
        return self._standard_coef, self._standard_intercept, stopped

    def _report(self, curves):
        if not self.verbose:
            return
        what = "error of the held-out rows" if self.early_stopping else "objective"
        for k, curve in enumerate(curves):
            which = f" model {k + 1} of {len(curves)}," if len(curves) > 1 else ""
            for number, value in enumerate(curve, start=1):
                print(f"[{type(self).__name__}]{which} pass {number}: {what} {value:.6g}")

    def _warn_of_max_iter(self, stopped):
        if self.tol is not None and stopped:
            warn_if_stopped(
                self, MAX_ITER, f"the objective was still improving by more than tol={self.tol} after {self.n_iter_} "
                "passes",
                remedy="Increase max_iter, scale the features, or raise tol.",
            )  # fmt: skip

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
