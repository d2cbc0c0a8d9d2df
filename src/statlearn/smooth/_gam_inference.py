"""What a fitted additive model says about itself: how many degrees of freedom it took, how alike its terms are."""

import numpy as np

from statlearn._core.summary import Table


def corrected_df(problem, fit, rho, fixed, F, *, scale, restricted):
    """Degrees of freedom with the uncertainty of the smoothing parameters (Wood, Pya and Säfken, 2016)."""
    free = np.flatnonzero(~fixed & (np.abs(rho) < 20))
    if not len(free):
        return float(np.trace(F))
    step = 1e-3
    hessian = np.empty((len(free), len(free)))
    roots, moved = [], []
    for a, j in enumerate(free):
        up, down = rho.copy(), rho.copy()
        up[j] += step
        down[j] -= step
        g_up, fit_up = problem.marginal(up, restricted=restricted)[1:]
        g_down, fit_down = problem.marginal(down, restricted=restricted)[1:]
        hessian[a] = (g_up - g_down)[free] / (2 * step)
        moved.append((fit_up.beta - fit_down.beta) / (2 * step))
        # The upper root of the inverse; its change with rho carries the uncertainty of the spread.
        change = np.linalg.inv(fit_up.factor) - np.linalg.inv(fit_down.factor)
        roots.append(change / (2 * step))
    values, vectors = np.linalg.eigh((hessian + hessian.T) / 2)
    # A weak normal prior on log lambda keeps flat directions finite.
    spread = (vectors / (np.maximum(values, 0.0) + 0.1)) @ vectors.T
    J = np.array(moved)
    extra = J.T @ spread @ J / max(scale, 1e-300)
    for a in range(len(free)):
        for b in range(len(free)):
            extra = extra + spread[a, b] * roots[a] @ roots[b].T
    return float(np.trace(F) + np.sum(extra * fit.G))


def concurvity(products, coef, terms, slices):
    """How far each smooth term could be made of the others, from the cross-products of all columns: see `GAM`."""
    rows, worst, observed = [], [], []
    scale = np.sqrt(np.diagonal(products))
    squares = products / np.outer(scale, scale)
    for term, at in zip(terms, slices, strict=True):
        if term.parametric:
            continue
        others = np.delete(np.arange(len(squares)), np.arange(at.start, at.stop))
        own, cross = squares[at, at], squares[np.ix_(others, np.arange(at.start, at.stop))]
        shared = cross.T @ np.linalg.pinv(squares[np.ix_(others, others)], hermitian=True) @ cross
        values, vectors = np.linalg.eigh(own)
        keep = values > 1e-10 * values[-1]
        root = vectors[:, keep] / np.sqrt(values[keep])
        b = coef[at] * scale[at]
        rows.append(term.label)
        worst.append(float(np.clip(np.linalg.eigvalsh(root.T @ shared @ root)[-1], 0, 1)))
        size = float(b @ own @ b)
        observed.append(float(np.clip(b @ shared @ b / size, 0, 1)) if size > 0 else 0.0)
    return Table(rows, {"worst": worst, "observed": observed}, "Concurvity")
