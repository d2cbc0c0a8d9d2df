"""Maximisation of a likelihood over log hyper-parameters within their bounds."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import optimize
from sklearn.exceptions import ConvergenceWarning

from statlearn._core.warnings import warn
from statlearn._math.solvers.step import backtrack

ROUGH_ROWS = 250  # fewest rows of a rough likelihood; empirical
LEFT = 1e-4  # relative gain at which the first search is left for `climb`
LONGEST_STEP = 2.0  # of a logarithm, in one step of `climb`
PRECISE = 1e-8  # relative gain of the likelihood, expected of another step, at which `climb` stops


@dataclass
class Rough:
    """The likelihood of a sample of the rows: cheap, with nearly the curvature of that of all rows per row.

    Parameters
    ----------
    objective : callable
        As that of `maximise`, for the sample.
    factor : float
        Number of all rows over that of the sample, by which the curvatures differ.
    """

    objective: Callable
    factor: float


def rough_rows(n, factor):
    """One of `factor` rows, always the same for n; None if there are too few."""
    if n < ROUGH_ROWS * factor:
        return None
    return np.sort(np.random.default_rng(0).permutation(n)[: n // factor])


def maximise(objective, kernel, optimizer, n_restarts, rng, owner, rough=None):
    """The best of several runs: the first from the kernel's values, the others from draws within the bounds.

    Parameters
    ----------
    objective : callable
        ``objective(theta)``, value and gradient of what is maximised.
    kernel : Kernel
    optimizer : "fmin_l_bfgs_b" or callable
    n_restarts : int
    rng : RandomState
    owner : str
        Name of the estimator, for messages.
    rough : Rough or None, default=None
        Shortens the searches, unless the optimiser is the user's.

    Returns
    -------
    theta : ndarray
    value : float
    runs : list of (theta, value)
        The end of every run.
    """
    bounds = kernel.bounds
    starts = [kernel.theta]
    if n_restarts > 0:
        if not np.isfinite(bounds).all():
            raise ValueError(
                "Multiple optimizer restarts (n_restarts_optimizer>0) requires that all bounds are finite."
            )
        starts += [rng.uniform(bounds[:, 0], bounds[:, 1]) for _ in range(n_restarts)]

    def negative(theta, eval_gradient=True):
        value, gradient = objective(np.asarray(theta, dtype=np.float64))
        return (-value, -gradient) if eval_gradient else -value

    runs = []
    for start in starts:
        if callable(optimizer):
            theta, value = optimizer(negative, start, bounds=bounds)
        else:
            if rough is None:
                result = _descend(negative, start, bounds, owner)
                theta, value = result.x, result.fun
            else:
                theta, value = _with_rough(negative, start, bounds, owner, rough)
        runs.append((np.asarray(theta, dtype=np.float64), -float(value)))
    best = max(range(len(runs)), key=lambda i: (runs[i][1], -i))
    return *runs[best], runs


def _descend(negative, start, bounds, owner, options=None):
    result = optimize.minimize(negative, start, method="L-BFGS-B", jac=True, bounds=bounds, options=options)
    if not result.success and result.status == 1:
        warn(
            f"{owner}: the search for hyper-parameters reached the iteration limit, so a better value may exist. "
            "Scale the columns, or start nearer to the optimum.",
            ConvergenceWarning,
        )
    return result


def _with_rough(negative, start, bounds, owner, rough):
    """Search that stops early and ends with the curvature of the rough likelihood."""
    result = _descend(negative, start, bounds, owner, {"ftol": LEFT})
    theta, value, gradient = result.x, result.fun, result.jac
    if not math.isfinite(value):
        return theta, value

    def curvature(theta):
        return rough.factor * _curvature(lambda at: -rough.objective(at)[1], theta, bounds)

    # Parameters with a standard error of more than 1 that drift towards a bound, such as the length scale of a column
    # without effect, are taken there at once.
    second = curvature(theta)
    adrift = (np.abs(np.diagonal(second)) < 1.0) & (gradient != 0)
    if adrift.any():
        moved = np.where(adrift, np.where(gradient < 0, bounds[:, 1], bounds[:, 0]), theta)
        new_value, new_gradient = negative(moved)
        if new_value <= value:
            theta, value, gradient = moved, new_value, new_gradient
            second = curvature(theta)
    return climb(negative, theta, bounds, second, (value, gradient))


def _curvature(gradient, theta, bounds, step=1e-3):
    """Second derivatives by differences of the gradient, inwards at a bound."""
    rows = []
    for k in range(len(theta)):
        up, down = theta.copy(), theta.copy()
        up[k], down[k] = min(theta[k] + step, bounds[k, 1]), max(theta[k] - step, bounds[k, 0])
        width = up[k] - down[k]
        rows.append((gradient(up) - gradient(down)) / width if width > 0 else np.zeros(len(theta)))
    curvature = np.array(rows)
    return (curvature + curvature.T) / 2


def climb(function, theta, bounds, curvature, first, max_iter=100):
    """Minimise from a point that is close, with a guess of the second derivatives: BFGS within bounds.

    Stops when a quadratic model promises less than `PRECISE` of the value, or no step helps.

    Parameters
    ----------
    function : callable
        Value and gradient.
    theta : ndarray of shape (q,)
    bounds : ndarray of shape (q, 2)
    curvature : ndarray of shape (q, q)
    first : tuple
        Value and gradient at `theta`.
    max_iter : int, default=100

    Returns
    -------
    theta : ndarray
    value : float
    """
    theta, (value, gradient) = theta.copy(), first
    # Directions without curvature, or with a negative one, get that of a barely determined parameter.
    roots, vectors = np.linalg.eigh(curvature)
    B = (vectors * np.maximum(np.abs(roots), 1e-3 * max(np.abs(roots).max(), 1.0))) @ vectors.T
    for _ in range(max_iter):
        low, high = theta <= bounds[:, 0], theta >= bounds[:, 1]
        free = np.flatnonzero(~((low & (gradient > 0)) | (high & (gradient < 0))))
        if not free.size:
            break
        step = np.zeros(len(theta))
        step[free] = -np.linalg.solve(B[np.ix_(free, free)], gradient[free])
        if -0.5 * gradient @ step <= PRECISE * max(abs(value), 1.0):
            break
        step *= min(1.0, LONGEST_STEP / np.abs(step).max())

        def point(t):
            return np.clip(theta + t * step, bounds[:, 0], bounds[:, 1])

        accepted = backtrack(
            lambda t: function(point(t)),
            value,
            lambda t: gradient @ (point(t) - theta),
            shortest=2.0**-11,  # each value is a factorisation
        )
        if accepted is None:
            break
        moved, new_gradient = point(accepted.length), accepted.state
        s, t = moved - theta, new_gradient - gradient
        if s @ t > 1e-10 * np.linalg.norm(s) * np.linalg.norm(t):
            Bs = B @ s
            B = B - np.outer(Bs, Bs) / (s @ Bs) + np.outer(t, t) / (s @ t)
        theta, value, gradient = moved, accepted.value, new_gradient
    return theta, value


def warn_at_bounds(kernel):
    """Warn about hyper-parameters that ended at one of their bounds, and say what it means."""
    bounds = kernel.bounds
    close = np.isclose(bounds, np.atleast_2d(kernel.theta).T)
    at = 0
    for hyper in kernel.hyperparameters:
        if hyper.fixed:
            continue
        for d in range(hyper.n_elements):
            for side, word in ((0, "lower"), (1, "upper")):
                if not close[at, side]:
                    continue
                change = "Decreasing" if side == 0 else "Increasing"
                warn(
                    f"The optimal value found for dimension {d} of parameter {hyper.name} is close to the specified "
                    f"{word} bound {hyper.bounds[d][side]}. {change} the bound and calling fit again may find a "
                    f"better value.{_meaning(hyper.name, side)}",
                    ConvergenceWarning,
                )
            at += 1


def _meaning(name, side):
    if name.endswith("length_scale"):
        return (
            " A length scale this small treats all rows as unrelated: the model may explain the data as noise. "
            "If this is not what you expect, start from a smaller length scale, or try several starts with "
            "n_restarts_optimizer=5."
            if side == 0
            else " A length scale this large means that the column hardly matters, or that its effect is linear."
        )
    if name.endswith("noise_level"):
        return (
            " The data look free of noise: predictions interpolate them."
            if side == 0
            else " The model explains the data as noise."
        )
    if name.endswith("constant_value"):
        return (
            " A variance this small means that the term explains nothing."
            if side == 0
            else " A variance this large often means that the target is not centred; set normalize_y=True."
        )
    return ""
