"""Fitting of generalised linear models by Newton's method: starting point, minimum, separation."""

import numpy as np
from scipy import linalg, sparse

from statlearn._core.validation import require_finite
from statlearn._core.warnings import MAX_ITER, StatlearnWarning, warn
from statlearn._math.linalg.positive import scaled_eigen
from statlearn._math.penalties.elastic_net import ElasticNetPenalty
from statlearn._math.rows.rows import Rows
from statlearn._math.solvers.minimise import minimise

from ..losses.families import make_family, theta_ml
from ..losses.glm import GlmLoss
from .native_newton import WIDEST, has_kernel, newton_fit, newton_path


def null_fit(y, weights, offset, family, link):
    """Means of the intercept-only model (with the offset)."""
    mean = weights @ y / weights.sum()
    if offset is None:
        return np.full(len(y), mean)
    start = _start_intercept(mean, offset, family, link, y)
    solution = minimise(Rows.double(np.empty((len(y), 0))), GlmLoss(y, family, link), weights=weights / weights.sum(),
                     offset=offset, start=(np.empty(0), start), tol=1e-12)  # fmt: skip
    return link.inverse(solution.intercept + offset)


def _start_intercept(mean, offset, family, link, y):
    if not np.all(family.valid_mean(np.asarray(mean))):
        raise ValueError(
            f"y has mean {mean:g}, at the boundary of the {family.name} family, so no finite intercept exists."
        )
    centre = float(link.link(mean))
    if offset is None:
        return centre
    loss = GlmLoss(y, family, link)
    for shift in (np.mean(offset), np.min(offset), np.max(offset)):
        if np.all(np.isfinite(loss.value(centre - shift + offset))):
            return centre - float(shift)
    raise ValueError("offset leaves no intercept for which all means are valid for this family and link.")


def starting_point(design, y, weights, offset, family, link, intercept):
    """A point inside the domain: the constant model, or without an intercept, zero or one least-squares step."""
    if intercept:
        return np.zeros(design.p), _start_intercept(weights @ y / weights.sum(), offset, family, link, y)
    loss = GlmLoss(y, family, link)
    fixed = np.zeros(design.n) if offset is None else offset
    if np.all(np.isfinite(loss.value(fixed))):
        return np.zeros(design.p), 0.0
    mu = family.start(y, weights)
    eta = link.link(mu)
    h = weights * loss.expected_curvature(eta)
    S, *_ = design.gram(h, False)
    require_finite(S)
    coef = linalg.lstsq(S, design.project(h * (eta - fixed)))[0]
    if np.all(np.isfinite(loss.value(design.scores(coef) + fixed))):
        return coef, 0.0
    raise ValueError("fit_intercept=False: no valid starting point found for this family and link; fit an intercept.")


def glm_design(X, family, link, l1):
    """The table in double precision, or as it is where the solver reads it in blocks."""
    in_blocks = l1 == 0.0 and X.shape[1] <= WIDEST and has_kernel(family, link) and not sparse.issparse(X)
    return Rows(X) if in_blocks and X.flags.c_contiguous else Rows.double(X)


def fit_glm(design, y, weights, offset, family, link, *, l1=0.0, l2=0.0, intercept=True, start=None, tol=1e-8,
            gradient_tol=None, max_iter=100):  # fmt: skip
    """Minimise the mean half deviance plus the penalty; a `LinearSolution`."""
    if start is None:
        start = starting_point(design, y, weights, offset, family, link, intercept)
    if l1 > 0.0 and has_kernel(family, link):
        return newton_path(design, y, weights, offset, family, link, [l1], [l2], intercept=intercept, start=start,
                           tol=tol, max_iter=max_iter)[0]  # fmt: skip
    if l1 == 0.0 and design.p <= WIDEST and has_kernel(family, link):
        return newton_fit(design, y, weights, offset, family, link, l2=l2, intercept=intercept, start=start, tol=tol,
                          gradient_tol=gradient_tol, max_iter=max_iter)  # fmt: skip
    return minimise(
        design,
        GlmLoss(y, family, link),
        ElasticNetPenalty(l1, l2),
        weights / weights.sum(),
        intercept=intercept,
        offset=offset,
        start=start,
        tol=tol,
        gradient_tol=gradient_tol,
        max_iter=max_iter,
    )


def fit_negative_binomial(design, y, weights, offset, link, **options):
    """Alternate between the coefficients and the maximum-likelihood theta; (solution, family, standard error)."""
    fit = fit_glm(design, y, weights, offset, make_family("poisson"), link, **options)
    fixed = 0.0 if offset is None else offset
    theta = None
    for _ in range(100):
        mu = link.inverse(design.scores(fit.coef) + fit.intercept + fixed)
        new, error = theta_ml(y, mu, weights)
        if np.isinf(new):
            warn(
                "The counts are not overdispersed: the negative binomial likelihood increases with theta towards the "
                "Poisson model. theta was set to 1e8; use family='poisson'.",
                StatlearnWarning,
            )
            new, error = 1e8, np.inf
        family = make_family("negative_binomial", theta=new)
        settled = theta is not None and abs(new - theta) <= 1e-9 * theta
        theta = new
        options["start"] = (fit.coef, fit.intercept)
        steps = fit.n_iter
        fit = fit_glm(design, y, weights, offset, family, link, **options)
        fit.n_iter += steps
        if settled or np.isinf(error):
            return fit, family, error
    fit.status = MAX_ITER
    return fit, family, error


def runaway_direction(design, y, family, link, intercept):
    """A direction of (intercept, coefficients) along which the likelihood increases without end, or None.

    The scores of rows inside the range of y must not change along it; those of rows at a bound may move towards the
    bound, and at least one must. The first condition restricts the search to the null space of the inner rows, the
    second is a small linear program in it.
    """
    if link.name not in ("log", "logit", "probit", "cloglog", "cauchit"):
        return None
    low = np.zeros(len(y), dtype=bool) if family.lower is None else y == family.lower
    high = np.zeros(len(y), dtype=bool) if family.upper is None else y == family.upper
    edge = low | high
    if not edge.any():
        return None
    inner = Rows.double(design.X[~edge])
    width = design.p + intercept
    S = np.zeros((width, width))
    if inner.n:
        S[intercept:, intercept:] = inner.gram(np.ones(inner.n), False)[0]
        if intercept:
            S[0, 1:] = S[1:, 0] = inner.project(np.ones(inner.n))
            S[0, 0] = inner.n
    values, vectors, scale = scaled_eigen(S)
    null = vectors[:, values <= 1e-10 * max(values[-1], 1.0)] / scale[:, None]
    if null.shape[1] == 0:
        return None
    Z = design.X[edge] @ null[intercept:]
    Z = np.asarray(Z) + (null[0] if intercept else 0.0)
    Z *= np.where(high[edge], 1.0, -1.0)[:, None]
    Z /= max(np.abs(Z).max(), 1e-300)
    from scipy.optimize import linprog

    # maximise sum Zd with 0 <= Zd <= 1
    result = linprog(-Z.sum(axis=0), A_ub=np.vstack([Z, -Z]), b_ub=np.repeat([1.0, 0.0], len(Z)), bounds=(None, None),
                     method="highs")  # fmt: skip
    if result.status != 0 or -result.fun <= 1e-6:
        return None
    return null @ result.x
