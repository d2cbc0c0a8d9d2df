"""Missing values (NaN) in normal and Student-t mixtures: integrated out in the E step, never imputed or dropped.

Rows are grouped by their observed columns. On one group the mixture is that of the observed columns, the native pass
returns their moments, and the moments of the others follow from their regression on the observed ones: with B = S_mo
S_oo^-1 and C = S_mm - B S_om, E[x_m | x_o] = mean_m + B (x_o - mean_o) and Cov[x_m | x_o] = C.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import digamma

from ._normal import NormalMoments, NormalParameters


@dataclass
class Group:
    """Rows with the same observed columns."""

    seen: np.ndarray  # column numbers
    rows: np.ndarray  # row numbers
    X: np.ndarray  # the observed values
    weights: np.ndarray | None


def group_rows(X, weights=None):
    """Groups of rows by pattern, and whether the only pattern is that of complete rows."""
    mask = np.isnan(X)
    if not mask.any():
        return [Group(np.arange(X.shape[1]), np.arange(X.shape[0]), X, weights)]
    patterns, group = np.unique(mask, axis=0, return_inverse=True)
    order = np.argsort(group.ravel(), kind="stable")
    bounds = np.searchsorted(group.ravel()[order], np.arange(len(patterns) + 1))
    groups = []
    for g, pattern in enumerate(patterns):
        rows, seen = order[bounds[g] : bounds[g + 1]], np.flatnonzero(~pattern)
        cells = np.ascontiguousarray(X[rows[:, None], seen])
        groups.append(Group(seen, rows, cells, None if weights is None else weights[rows]))
    return groups


def regression_on_seen(parameters: NormalParameters, seen):
    """B (k, m, o) and C (k, m, m) of the missing columns given the observed ones, and the missing columns."""
    k, p = parameters.shape
    missing = np.setdiff1d(np.arange(p), seen)
    S = parameters.full_covariances()
    if parameters.covariance_type in ("diag", "spherical"):
        B = np.zeros((k, missing.size, seen.size))
    else:
        B = np.swapaxes(np.linalg.solve(S[:, seen[:, None], seen], S[:, seen[:, None], missing]), 1, 2)
    C = S[:, missing[:, None], missing] - B @ S[:, seen[:, None], missing]
    return B, C, missing


def moments(groups, parameters, order, log_scale=None):
    """`NormalMoments` of all groups; rows without observed values carry no information and are ignored."""
    total = None
    p = parameters.shape[1]
    for group in groups:
        if group.seen.size == 0:
            continue
        if group.seen.size == p:
            part = NormalMoments.from_block(group.X, parameters, group.weights, order=order, log_scale=log_scale)
        else:
            sub = parameters.marginal(group.seen)
            part = NormalMoments.from_block(group.X, sub, group.weights, order=order)
            part = _complete(part, parameters, group.seen, order)
        if parameters.dof.size:
            # E[log u | x] differs from log E[u | x] by a number that depends on the columns seen.
            half = 0.5 * (parameters.dof + group.seen.size)
            part.log_gap = part.log_gap + part.total * (digamma(half) - np.log(half))
        total = part if total is None else total.merge(part)
    return total


def _complete(part, parameters, seen, order):
    """Moments of all columns from those of the observed ones."""
    k, p = parameters.shape
    B, C, missing = regression_on_seen(parameters, seen)
    first = np.empty((k, p))
    first[:, seen] = part.first
    first[:, missing] = (B @ part.first[:, :, None])[:, :, 0]
    if order == 0:
        second = None
    elif order == 1:
        second = np.empty((k, p))
        second[:, seen] = part.second
        second[:, missing] = part.total[:, None] * np.diagonal(C, axis1=1, axis2=2)
    else:
        second = np.empty((k, p, p))
        across = part.second @ np.swapaxes(B, 1, 2)
        second[:, seen[:, None], seen] = part.second
        second[:, seen[:, None], missing] = across
        second[:, missing[:, None], seen] = np.swapaxes(across, 1, 2)
        second[:, missing[:, None], missing] = B @ across + part.total[:, None, None] * C
    return NormalMoments(
        parameters.means, part.total, part.precision, part.log_gap, first, second, part.log_likelihood, part.entropy
    )


def log_joint(X, parameters, log_scale=None):
    """log(weight_k density_k(x_i)) of the observed values of each row, (n, k)."""
    if not np.isnan(X).any():
        return parameters.log_joint(X, log_scale)
    k, p = parameters.shape
    # What a component's scale holds beyond that of the mixture itself (variational Bayes).
    extra = 0.0 if log_scale is None else log_scale - parameters.log_scale()
    out = np.empty((X.shape[0], k))
    for group in group_rows(X):
        if group.seen.size == 0:
            out[group.rows] = parameters.log_weights() + extra
        else:
            sub = parameters if group.seen.size == p else parameters.marginal(group.seen)
            out[group.rows] = sub.log_joint(group.X) + extra
    return out


def fill(X, parameters):
    """X with every missing value replaced by its conditional expectation under the mixture."""
    filled = np.array(X, dtype=np.float64)
    for group in group_rows(X):
        if group.seen.size == parameters.shape[1]:
            continue
        if group.seen.size == 0:
            filled[group.rows] = parameters.weights @ parameters.means
            continue
        joint = parameters.marginal(group.seen).log_joint(group.X)
        R = np.exp(joint - joint.max(axis=1, keepdims=True))
        R /= R.sum(axis=1, keepdims=True)
        B, _, missing = regression_on_seen(parameters, group.seen)
        gap = group.X[:, None, :] - parameters.means[:, group.seen]
        each = parameters.means[:, missing] + np.einsum("kmo,nko->nkm", B, gap)
        filled[group.rows[:, None], missing] = np.einsum("nk,nkm->nm", R, each)
    return filled
