"""Generalised linear models with an L1 penalty on the native proximal Newton path."""

import numpy as np

from statlearn._core import native
from statlearn._core.warnings import OK
from statlearn.linear._loss_penalty import Solution

# Families whose loss, under this link, is convex in the linear predictor with a simple conjugate; and their numbers.
_CODES = {
    ("gaussian", "identity"): 0,
    ("binomial", "logit"): 1,
    ("poisson", "log"): 2,
    ("gamma", "log"): 3,
    ("negative_binomial", "log"): 4,
    ("tweedie", "log"): 5,
}


def has_newton_path(family, link):
    """Whether the kernel knows the pair."""
    if family.name == "tweedie" and not 1 < family.power < 2:
        return False
    return (family.name, link.name) in _CODES


def newton_path(
    design, y, weights, offset, family, link, l1, l2, *, intercept=True, start=None, tol=1e-8, max_iter=100
):
    """Minimise the mean half deviance plus l1 |w|_1 + l2/2 |w|^2 for each pair, in turn; a list of `Solution`.

    Stops at a duality gap of `tol` times the mean half deviance of the model without slopes. ``start`` is a pair of
    coefficients and intercept; None starts from that model.
    """
    l1, l2 = (np.ascontiguousarray(a, dtype=np.float64) for a in (l1, l2))
    k, q = len(l1), design.p + bool(intercept)
    begin = np.zeros(q)
    if start is not None:
        begin[: design.p] = start[0]
        if intercept:
            begin[-1] = start[1]
    theta, gaps, losses = np.zeros((k, q)), np.full(k, np.nan), np.full(k, np.nan)
    n_iters, status = np.zeros(k, dtype=np.intc), np.zeros(k, dtype=np.intc)
    if design.sparse:
        kernel, shift = native.linear.glm_path_csc, np.zeros(design.p)
    else:
        kernel, shift = native.linear.glm_path, np.zeros(design.p)
        if intercept:
            shift = design.X[:: max(1, design.n // 256)].mean(axis=0)
    parameter = getattr(family, "theta", getattr(family, "power", 0.0))
    kernel(
        *design.columns(), shift, _CODES[family.name, link.name], float(parameter), np.ascontiguousarray(y),
        weights / weights.sum(), np.empty(0) if offset is None else np.ascontiguousarray(offset, dtype=np.float64),
        bool(intercept), l1, l2, begin, float(tol), int(max_iter), theta, gaps, losses, n_iters, status,
    )  # fmt: skip
    coefs = theta[:, : design.p]
    penalties = l1 * np.abs(coefs).sum(axis=1) + 0.5 * l2 * (coefs**2).sum(axis=1)
    return [
        Solution(coefs[t].copy(), float(theta[t, -1]) if intercept else 0.0, float(losses[t] + penalties[t]),
                 float(gaps[t]), int(n_iters[t]), int(status[t]))
        for t in range(k)
    ]  # fmt: skip


def worst_status(found):
    """The status that speaks for a path: OK only if every fit has it."""
    return max((solution.status for solution in found), default=OK)
