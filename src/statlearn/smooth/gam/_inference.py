"""Inference for fitted additive models: corrected degrees of freedom, concurvity, null deviance."""

import numpy as np
from scipy.linalg.blas import dsyrk, dtrmm
from scipy.linalg.lapack import dtrtri

from statlearn._core.summary import Table
from statlearn._math.linalg.positive import positive_system, regularised_cholesky
from statlearn._math.solvers.step import backtrack

from ._factor import BlockColumns, is_diagonal

_PRIOR = 0.1  # mgcv's: precision of a weak normal prior on each log smoothing parameter


def corrected_df(problem, fit, rho, fixed, G, df, turns, *, scale, restricted):
    """Degrees of freedom with the uncertainty of the smoothing parameters (Wood, Pya and Säfken, 2016).

    Two parts are added to `df`, tr((X'WX + S)^-1 X'WX): how the coefficients move with the smoothing parameters, and
    how their spread does. The latter depends on the basis: `turns` lead to the one as written, which is mgcv's.

    Parameters
    ----------
    turns : list of (slice, ndarray)
        The columns of each term, and the matrix that leads from its coefficients to those as written, or a vector of
        ones.
    """
    free = np.flatnonzero(~fixed)
    if not len(free):
        return df
    E, change = problem.change(fit, rho)
    hessian = problem.second_derivatives(fit, rho, restricted=restricted)[np.ix_(free, free)]
    if not problem.known_scale:
        # The logarithm of the scale is a parameter like the others.
        best = problem.scale_for(fit, restricted=restricted)
        across = -0.5 * (fit.beta @ E)[free] / best
        bend = problem.scale_curvature(fit, best, restricted=restricted)
        hessian = np.block([[hessian + np.outer(across, across) / bend, across[:, None]], [across, bend]])
    if not np.all(np.isfinite(hessian)):  # an exact fit
        return df
    values, vectors = np.linalg.eigh((hessian + hessian.T) / 2)
    vectors = vectors[: len(free)]
    usable = values > 0
    moves = vectors[:, usable] / np.sqrt(values[usable])
    J = change[:, free] @ moves
    spread = (vectors / (np.maximum(values, 0.0) + _PRIOR)) @ vectors.T
    written = BlockColumns([(at, turn.T if turn.ndim == 2 else turn) for at, turn in turns])
    H = G + problem.total(rho)
    inverse = np.triu(dtrtri(regularised_cholesky(written.around(H)).upper)[0])
    for at, turn in turns:
        if turn.ndim == 2:
            inverse[at] = turn.T @ inverse[at]
    # In units of R: what remains of X'WX, and the halves of the slopes of H. R times the latter is the slope of R.
    Q = np.eye(len(H)) - _square(problem.set.ridge, inverse)
    slopes = []
    for j, p in enumerate(problem.penalties):
        half = np.exp(rho[j]) * _square(p.S, inverse[p.at])
        Q -= half
        if not fixed[j]:
            half[np.diag_indices_from(half)] /= 2
            slopes.append(half)
    Q += np.triu(Q, 1).T
    products = np.array(
        [[np.sum(a * b) for a in slopes] for b in (dtrmm(1.0, half.T, Q.T, lower=1).T for half in slopes)]
    )
    return df + float(np.sum((G @ J) * J)) / scale + float(np.sum(spread * products))


def _square(S, B):
    """The upper half of B'SB."""
    S = np.asarray(S, np.float64)
    if S.ndim < 2 or is_diagonal(S):
        size = np.sqrt(S if S.ndim < 2 else np.diagonal(S))
        return np.triu(dsyrk(1.0, (size * B.T).T, trans=1)) if np.any(size) else np.zeros((B.shape[1],) * 2)
    return np.triu(B.T @ S @ B)


def concurvity(products, coef, terms, slices):
    """How far each smooth term could be made of the others, from the cross-products of all columns: see `GAM`."""
    rows, worst, observed, estimate = [], [], [], []
    scale = np.sqrt(np.diagonal(products))
    squares = products / np.outer(scale, scale)
    for term, at in zip(terms, slices, strict=True):
        if term.parametric:
            continue
        others = np.delete(np.arange(len(squares)), np.arange(at.start, at.stop))
        block, cross = squares[at, at], squares[np.ix_(others, np.arange(at.start, at.stop))]
        shared = cross.T @ positive_system(squares[np.ix_(others, others)]).inverse() @ cross
        values, vectors = np.linalg.eigh(block)
        keep = values > 1e-10 * values[-1]
        root = vectors[:, keep] / np.sqrt(values[keep])
        b = coef[at] * scale[at]
        rows.append(term.label)
        worst.append(float(np.clip(np.linalg.eigvalsh(root.T @ shared @ root)[-1], 0, 1)))
        size = float(b @ block @ b)
        observed.append(float(np.clip(b @ shared @ b / size, 0, 1)) if size > 0 else 0.0)
        lengths = scale[at] ** 2
        estimate.append(float(np.clip(np.diagonal(shared) @ lengths / lengths.sum(), 0, 1)))
    return Table(rows, {"worst": worst, "observed": observed, "estimate": estimate}, "Concurvity")


def null_deviance(loss, offset):
    """Deviance of the model with an intercept and the offset only."""
    middle = loss.sum(lambda at, y: y) / loss.n
    if middle in (loss.family.lower, loss.family.upper):
        return 0.0  # all responses are at a bound, which a constant can come near to
    if not np.any(offset):
        return loss.sum(lambda at, y: loss.family.unit_deviance(y, np.full(len(y), middle)))
    constant = float(loss.link.link(np.asarray(middle))) - np.average(offset, weights=loss.weights)
    value = loss.total(constant + offset)
    for _ in range(100):
        eta = constant + offset
        slope = float(loss.derivatives(eta)[0].sum())
        step = slope / float(loss.expected(eta).sum())
        best = constant
        moved = backtrack(lambda t: loss.total(best - t * step + offset), value, -slope * step)
        if moved is None or value - moved.value <= 1e-14 * abs(value):
            break
        constant, value = constant - moved.length * step, moved.value
    return 2.0 * value
