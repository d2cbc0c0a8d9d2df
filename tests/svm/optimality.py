"""Optimality of fitted machines, within the tolerance of their stopping rules."""

import warnings

import numpy as np
from scipy import sparse
from scipy.optimize import lsq_linear
from sklearn.exceptions import ConvergenceWarning

from statlearn.svm import SVC, LinearSVC, LinearSVR, NuSVC, kkt_report

ROUNDING = 1e-8
SINGLE = 1e-4  # weights stored in single precision


def assert_kkt(machine, X, y=None, sample_weight=None):
    """The Karush-Kuhn-Tucker conditions hold for a machine that was fitted on this data and has converged."""
    if isinstance(machine, (LinearSVC, LinearSVR)):
        _assert_linear(machine, X, y, sample_weight)
        return
    report = kkt_report(machine, X, y, sample_weight)
    scale = 1.0
    if isinstance(machine, NuSVC):  # the rule concerns decision values before they are divided by the margin
        scale = abs(machine.dual_coef_).max()
    elif isinstance(machine, SVC):  # the report divides by the largest multiplier, which may be far below C
        weight = 1.0 if sample_weight is None else np.max(sample_weight)
        scale = machine.C_ * machine.class_weight_.max() * weight / _least_of_largest_multipliers(machine)
    assert report.facts["residual"] < 2 * machine.tol * max(scale, 1.0) + ROUNDING, report


def _least_of_largest_multipliers(machine):
    """A bound from below of the largest multiplier of each machine, by the blocks that share a class and a row."""
    ends = np.cumsum(machine.n_support_)
    blocks = np.split(np.abs(_dense(machine.dual_coef_)), ends[:-1], axis=1)
    return min(block.max(axis=1, initial=0.0)[block.any(axis=1)].min(initial=np.inf) for block in blocks)


def _assert_linear(machine, X, y, sample_weight):
    # Coordinates stop by the gradient, the other algorithms by 1e-4 tol of the objective, which goes with its square.
    allowed = 10 * machine.tol + 10 * np.sqrt(1e-4 * machine.tol)
    if machine.coef_.dtype == np.float32:
        allowed += SINGLE
    if isinstance(machine, LinearSVC) and machine.penalty == "l1":
        assert _subgradient_residual(machine, X, y, sample_weight) < allowed
    elif isinstance(machine, LinearSVC) and machine.multi_class == "crammer_singer":
        assert _joint_residual(machine, X, y, sample_weight) < allowed
    else:
        report = kkt_report(machine, X, y, sample_weight)
        assert np.max(np.abs(report["relative_gap"])) < 10 * machine.tol + SINGLE**2, report
        assert report.facts["residual"] < allowed * np.sqrt(max(1.0, *report["primal_value"])), report


def converged(machine):
    """Whether a fit ended by its stopping rule."""
    if hasattr(machine, "fit_status_"):
        return machine.fit_status_ == 0
    return machine.n_iter_ < machine.max_iter


def checked(fit):
    """The method `fit`, followed by the check of what it found."""

    def fit_and_check(self, X, y=None, sample_weight=None):
        fit(self, X, y, sample_weight)
        if converged(self):
            with warnings.catch_warnings():
                warnings.simplefilter("error", ConvergenceWarning)
                assert_kkt(self, X, y, sample_weight)
        return self

    return fit_and_check


def _prices(machine, y, sample_weight):
    prices = machine.C * (np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=float))
    assert machine.class_weight is None
    return prices


def _dense(X):
    return X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=float)


def _with_constant(machine, X):
    X = _dense(X)
    return np.column_stack([X, np.full(len(X), float(machine.intercept_scaling) if machine.fit_intercept else 0.0)])


def _subgradient_residual(machine, X, y, sample_weight):
    """Distance of 0 from the subgradient of |w|_1 + sum of C times squared hinges, for each class."""
    X, prices = _with_constant(machine, X), _prices(machine, y, sample_weight)
    worst = 0.0
    for c, (w, b) in enumerate(zip(machine.coef_, np.atleast_1d(machine.intercept_))):
        signs = np.where(np.asarray(y) == machine.classes_[1 if len(machine.classes_) == 2 else c], 1.0, -1.0)
        w = np.append(w, b / machine.intercept_scaling)
        gradient = -2.0 * (prices * signs * np.maximum(1.0 - signs * (X @ w), 0.0)) @ X
        residual = np.where(w != 0.0, np.abs(gradient + np.sign(w)), np.maximum(np.abs(gradient) - 1.0, 0.0))
        worst = max(worst, float(residual.max()))
    return worst


def _joint_residual(machine, X, y, sample_weight):
    """Crammer and Singer: w_m = sum_i C_i (1[m = y_i] - p_im) x_i, p_i being shares of the classes of largest loss."""
    X, prices = _with_constant(machine, X), _prices(machine, y, sample_weight)
    K = machine.classes_.size
    codes = np.searchsorted(machine.classes_, y)
    W = np.column_stack([machine.coef_, machine.intercept_ / machine.intercept_scaling])
    assert K > 2  # of two classes only the difference is kept
    losses = X @ W.T + (np.arange(K) != codes[:, None])
    rows, classes = np.nonzero(losses > losses.max(axis=1, keepdims=True) - 100 * machine.tol)
    design = np.zeros((K * X.shape[1] + len(X), rows.size))
    for k, (i, m) in enumerate(zip(rows, classes)):
        design[m * X.shape[1] : (m + 1) * X.shape[1], k] = prices[i] * X[i]
        design[K * X.shape[1] + i, k] = 1.0
    fixed = np.zeros_like(W)
    np.add.at(fixed, codes, prices[:, None] * X)
    target = np.append((fixed - W).ravel(), np.ones(len(X)))
    return float(np.abs(lsq_linear(design, target, bounds=(0.0, 1.0), tol=1e-14).fun).max())
