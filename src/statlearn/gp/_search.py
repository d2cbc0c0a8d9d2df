"""Maximisation of a likelihood over log hyper-parameters within their bounds."""

import numpy as np
from scipy import optimize
from sklearn.exceptions import ConvergenceWarning

from statlearn._core.warnings import warn


def maximise(objective, kernel, optimizer, n_restarts, rng, owner):
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
            found = optimize.minimize(negative, start, method="L-BFGS-B", jac=True, bounds=bounds)
            theta, value = found.x, found.fun
            if not found.success and found.status == 1:
                warn(
                    f"{owner}: the search for hyper-parameters reached its limit of iterations, so a better value may "
                    "exist. Scale the columns, or start nearer to the optimum.",
                    ConvergenceWarning,
                )
        runs.append((np.asarray(theta, dtype=np.float64), -float(value)))
    best = max(range(len(runs)), key=lambda i: (runs[i][1], -i))
    return *runs[best], runs


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
            " A length scale this small treats all rows as unrelated: the model may explain the data as noise."
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
