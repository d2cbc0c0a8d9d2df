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
from .native_newton import WIDEST, has_kernel, newton_fit, newton_path


def null_fit(problem):
    """Means of the intercept-only model (with the offset)."""
    y, offset = problem.y, problem.offset
    mean = problem.weights @ y / problem.weights.sum()
    if offset is None:
        return np.full(len(y), mean)
    start = _start_intercept(mean, problem)
    empty = Rows.double(np.empty((len(y), 0)), problem.weights)
    solution = minimise(empty, problem.loss, offset=offset, start=(np.empty(0), start), tol=1e-12)
    return problem.link.inverse(solution.intercept + offset)


def _start_intercept(mean, problem):
    family, offset = problem.family, problem.offset
    if not np.all(family.valid_mean(np.asarray(mean))):
        raise ValueError(
            f"y has mean {mean:g}, at the boundary of the {family.name} family, so no finite intercept exists."
        )
    centre = float(problem.link.link(mean))
    if offset is None:
        return centre
    for shift in (np.mean(offset), np.min(offset), np.max(offset)):
        if np.all(np.isfinite(problem.loss.value(centre - shift + offset))):
            return centre - float(shift)
    raise ValueError("offset leaves no intercept for which all means are valid for this family and link.")


def starting_point(problem):
    """A point inside the domain: the constant model, or without an intercept, zero or one least-squares step."""
    rows, y, weights, loss = problem.rows, problem.y, problem.weights, problem.loss
    if problem.intercept:
        return np.zeros(rows.p), _start_intercept(weights @ y / weights.sum(), problem)
    if np.all(np.isfinite(loss.value(np.zeros(rows.n) + problem.fixed))):
        return np.zeros(rows.p), 0.0
    mu = problem.family.start(y, weights)
    eta = problem.link.link(mu)
    h = weights * loss.expected_curvature(eta)
    S, *_ = rows.gram(h, False)
    require_finite(S)
    coef = linalg.lstsq(S, rows.project(h * (eta - problem.fixed)))[0]
    if np.all(np.isfinite(loss.value(problem.scores(coef, 0.0)))):
        return coef, 0.0
    raise ValueError("fit_intercept=False: no valid starting point found for this family and link; fit an intercept.")


def glm_rows(X, weights, family, link, l1):
    """The table in double precision, or as it is where the solver reads it in blocks."""
    in_blocks = l1 == 0.0 and X.shape[1] <= WIDEST and has_kernel(family, link) and not sparse.issparse(X)
    return Rows(X, weights) if in_blocks and X.flags.c_contiguous else Rows.double(X, weights)


def fit_glm(problem, *, l1=0.0, l2=0.0, start=None, tol=1e-8, gradient_tol=None, max_iter=100):
    """Minimise the mean half deviance plus the penalty; a `LinearSolution`."""
    if start is None:
        start = starting_point(problem)
    settings = dict(start=start, tol=tol, max_iter=max_iter)
    if has_kernel(problem.family, problem.link):
        if l1 > 0.0:
            return newton_path(problem, [l1], [l2], **settings)[0]
        if problem.rows.p <= WIDEST:
            return newton_fit(problem, l2, gradient_tol=gradient_tol, **settings)
    settings |= dict(intercept=problem.intercept, offset=problem.offset, gradient_tol=gradient_tol)
    return minimise(problem.rows, problem.loss, ElasticNetPenalty(l1, l2), **settings)


def fit_negative_binomial(problem, **options):
    """Alternate between the coefficients and the maximum-likelihood theta; (solution, family, standard error)."""
    fit = fit_glm(problem.of_family(make_family("poisson")), **options)
    theta = None
    for _ in range(100):
        mu = problem.link.inverse(problem.scores(fit.coef, fit.intercept))
        new, error = theta_ml(problem.y, mu, problem.weights)
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
        fit = fit_glm(problem.of_family(family), **options)
        fit.n_iter += steps
        if settled or np.isinf(error):
            return fit, family, error
    fit.status = MAX_ITER
    return fit, family, error


def runaway_direction(problem):
    """A direction of (intercept, coefficients) along which the likelihood increases without end, or None.

    The scores of rows inside the range of y must not change along it; those of rows at a bound may move towards the
    bound, and at least one must. The first condition restricts the search to the null space of the inner rows, the
    second is a small linear program in it.
    """
    design, y, family, intercept = problem.rows, problem.y, problem.family, problem.intercept
    if problem.link.name not in ("log", "logit", "probit", "cloglog", "cauchit"):
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
