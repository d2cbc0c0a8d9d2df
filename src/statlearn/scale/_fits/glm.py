"""Generalised linear models by Newton steps over blocks.

Parameters are slopes in units of the standard deviations of the columns and the intercept at their means, and the
objective is divided by that of the constant model, so that the stopping rule has no units.
"""

import numpy as np

from statlearn._math.linalg.positive import independent_columns
from statlearn._math.losses.glm import GlmLoss
from statlearn._math.losses.response import check_response
from statlearn._math.rows.rows import Rows
from statlearn._math.rows.statistics import CrossProducts
from statlearn._math.solvers.smooth import newton
from statlearn.linear import LinearRegression

from .._sums import Sums
from .requirements import checked_copy, require_settings, require_target

_TOLERANCE = 1e-9  # of the gradient, relative to the loss of the constant model
_MOVING = 0.01  # of a parameter in the last step: at a finite optimum Newton's last step is many times smaller


def _moments(block, family):
    """Means and cross-products of the columns and the response."""
    y = np.asarray(block.y, dtype=np.float64)
    check_response(y, family)
    return LinearRegression().statistics(block.X, y, block.weights)


def _weights(block):
    return np.ones(len(block)) if block.weights is None else block.weights


def _null_deviance(block, family, mean):
    """Deviance of one block for a constant mean."""
    y = np.asarray(block.y, dtype=np.float64)
    with np.errstate(all="ignore"):
        return Sums(deviance=_weights(block) @ family.unit_deviance(y, np.full(len(y), mean)))


def _scores(block, coef, intercept):
    """Rows in double precision, the linear predictor and the weights."""
    rows = Rows.double(block.X)
    return rows, rows.scores(coef) + intercept, _weights(block)


def _evaluate(block, family, link, coef, intercept, shift, centred):
    """Sums of half deviances, gradients and curvatures about `shift` of one block."""
    rows, eta, w = _scores(block, coef, intercept)
    loss = GlmLoss(block.y, family, link)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        value = w @ loss.value(eta)
        g, h = loss.derivatives(eta)
        if np.min(h) < 0.0:  # the expected curvature is never negative
            h = loss.expected_curvature(eta)
    if not (np.isfinite(value) and np.isfinite(g).all() and np.isfinite(h).all()):
        q = rows.p + 1
        return Sums(value=np.inf, gradient=np.zeros(q), hessian=np.zeros((q, q)))
    g = w * g
    gradient = np.append(rows.project(g) - shift * g.sum(), g.sum())
    products = CrossProducts.from_block(rows.X, np.empty((rows.n, 0)), w * h, centre=centred).moved_to(shift)
    return Sums(value=value, gradient=gradient, hessian=products.G)


class Ending:
    """What inference needs of the rows at the optimum.

    Parameters
    ----------
    sums : Sums
    information : CrossProducts
    """

    def __init__(self, sums, information):
        self.sums, self.information = sums, information

    def merge(self, other):
        """The sums of both."""
        return Ending(self.sums.merge(other.sums), self.information.merge(other.information))


def _ending(block, family, link, coef, intercept, centred):
    rows, eta, w = _scores(block, coef, intercept)
    y = np.asarray(block.y, dtype=np.float64)
    loss, mu = GlmLoss(y, family, link), link.inverse(eta)
    sums = Sums(deviance=2.0 * (w @ loss.value(eta)), pearson=w @ ((y - mu) ** 2 / family.variance(mu)[0]), rows=len(y))
    h = w * loss.expected_curvature(eta)
    return Ending(sums, CrossProducts.from_block(rows.X, np.empty((rows.n, 0)), h, centre=centred))


def _likelihoods(block, family, link, coef, intercept, dispersion, prior_dispersion):
    """Log-likelihoods of one block, with weights as counts and as precisions."""
    _, eta, w = _scores(block, coef, intercept)
    y, mu = np.asarray(block.y, dtype=np.float64), link.inverse(eta)
    return Sums(
        frequency=family.log_likelihood(y, mu, w, dispersion=dispersion),
        precision=family.log_likelihood(y, mu, w, frequency=False, dispersion=prior_dispersion),
    )


class BlockGlmLoss:
    """Mean half deviance plus a ridge penalty as the solvers of smooth losses read it.

    Parameters
    ----------
    passes : Passes
    family, link : object
    moments : LeastSquaresStatistic
        Of the columns and the response.
    l2 : float
    intercept : bool
    unit : float
        The mean half deviance of the constant model.
    """

    def __init__(self, passes, family, link, moments, l2, intercept, unit):
        self.passes, self.family, self.link, self.intercept = passes, family, link, intercept
        self.mean = moments.means[0] if intercept else np.zeros(moments.n_features)
        spread = np.sqrt(np.diag(moments.design.T @ moments.design) / moments.total_weight)
        if not intercept:
            spread = np.sqrt(spread**2 + moments.means[0] ** 2)
        self.scale = np.where(spread > 0, spread, 1.0)
        self.total, self.l2, self.unit = moments.total_weight, l2, unit
        self.q = moments.n_features + intercept

    def to_plain(self, phi):
        """Parameters in standard units, in which the solver measures changes."""
        return phi

    def plain_gradient(self, gradient):
        """The gradient in the same units."""
        return gradient

    def coefficients(self, phi):
        """Slopes and intercept for the columns as they are."""
        coef = phi[0, : len(self.scale)] / self.scale
        return coef, float(phi[0, -1] - self.mean @ coef) if self.intercept else 0.0

    def phi(self, coef, intercept):
        """The inverse of `coefficients`."""
        slopes = coef * self.scale
        return np.append(slopes, intercept + self.mean @ coef)[None] if self.intercept else slopes[None]

    def diagonal_bound(self):
        """A curvature of the size of that of a unit loss."""
        return np.ones((1, self.q))

    def value_gradient_hessian(self, phi):
        """The objective with its derivatives, in one pass."""
        coef, intercept = self.coefficients(phi)
        sums = self.passes.reduce(_evaluate, self.family, self.link, coef, intercept, self.mean, self.intercept)
        size = np.append(self.scale, 1.0)[: self.q]
        measure = self.total * self.unit
        gradient = sums.gradient[: self.q] / (size * measure)
        hessian = sums.hessian[: self.q, : self.q] / (np.outer(size, size) * measure)
        slopes = np.arange(len(self.scale))
        ridge = self.l2 / (self.unit * self.scale**2)
        gradient[slopes] += ridge * phi[0, slopes]
        hessian[slopes, slopes] += ridge
        value = float(sums.value) / measure + 0.5 * float(ridge @ phi[0, slopes] ** 2)
        return value, gradient[None], hessian


def fit_glm(estimator, passes):
    """The fit of a generalised linear model without an L1 penalty."""
    model = checked_copy(estimator)
    require_target(passes, model)
    require_settings(model, warm_start=(False,))
    family, link, penalty = model._block_model()
    statistics = passes.reduce(_moments, family)
    moments = statistics.least_squares()
    model.n_features_in_ = statistics.n_features
    if passes.names is not None:
        model.feature_names_in_ = np.array(passes.names, dtype=object)
    l1, l2 = penalty(moments.total_weight)
    if l1 > 0:
        raise ValueError(f"`l1_ratio` must be 0 for {type(model).__name__} over blocks, got {model.l1_ratio:g}.")
    _require_independent(model, moments, l2)
    mean = float(moments.means[1][0])
    constant = mean if model.fit_intercept else float(link.inverse(np.zeros(1))[0])
    null_deviance = float(passes.reduce(_null_deviance, family, constant).deviance)
    total = moments.total_weight
    unit = 0.5 * null_deviance / total
    loss = BlockGlmLoss(
        passes, family, link, moments, l2, model.fit_intercept, unit if np.isfinite(unit) and unit > 0 else 1.0
    )
    start = loss.phi(np.zeros(statistics.n_features), _start(family, link, mean) if model.fit_intercept else 0.0)
    result = newton(loss, start, tol=_TOLERANCE, max_iter=model.max_iter)
    coef, intercept = loss.coefficients(result.phi)
    ending = passes.reduce(_ending, family, link, coef, intercept, model.fit_intercept)
    s, information = ending.sums, ending.information
    phi = None if family.dispersion_known else float(s.deviance) / total
    prior = float(s.deviance) / float(s.rows) if family.name == "gaussian" else phi
    likelihoods = passes.reduce(_likelihoods, family, link, coef, intercept, phi, prior)
    products = None
    if l2 == 0:
        about = information.centred() if model.fit_intercept else information.uncentred()
        products = about[0], information.means()[0] if model.fit_intercept else None, information.total_weight
    last = result.history["max_change"]
    diverging = l2 == 0 and len(last) and last[-1] > _MOVING and _has_bounds(family, link)
    model._store_blocks(
        family, link, coef=coef, intercept=intercept, n_iter=result.n_iter, products=products,
        status=result.status, detail=f"largest gradient {result.gap:.1e}, tol {_TOLERANCE:.1e}",
        moving=np.flatnonzero(_last_move(loss, result.phi)) if diverging else np.empty(0, dtype=int),
        deviance=float(s.deviance), null_deviance=null_deviance, pearson_chi2=float(s.pearson), n_rows=int(s.rows),
        total_weight=total, log_likelihood=float(likelihoods.frequency),
        prior_log_likelihood=float(likelihoods.precision if phi is not None else likelihoods.frequency),
        objective=result.objective * loss.unit,
    )  # fmt: skip
    return model


def _start(family, link, mean):
    """The intercept of the constant model."""
    if not np.all(family.valid_mean(np.asarray(mean))):
        raise ValueError(
            f"the target has mean {mean:g}, at the boundary of the {family.name} family, so no finite intercept exists."
        )
    return float(link.link(np.asarray(mean)))


def _require_independent(model, moments, l2):
    """Raise for linearly dependent columns without a penalty: their coefficients are not unique."""
    if l2 > 0:
        return
    S = moments.design.T @ moments.design
    removed = moments.means[0] ** 2 * moments.total_weight if model.fit_intercept else None
    kept_columns = independent_columns(S) if removed is None else independent_columns(S, removed=removed)
    if not kept_columns.all():
        names = getattr(model, "feature_names_in_", np.array([f"x{j}" for j in range(len(S))]))
        raise ValueError(
            f"Columns {[str(name) for name in names[~kept_columns]][:10]} are linearly dependent on earlier columns; "
            "drop them or set alpha > 0."
        )


def _has_bounds(family, link):
    """Whether estimates can be infinite: responses at a bound that the link never reaches."""
    return link.name in ("log", "logit", "probit", "cloglog", "cauchit") and (
        family.lower is not None or family.upper is not None
    )


def _last_move(loss, phi):
    """Which parameters another Newton step would move (intercept first)."""
    _, gradient, hessian = loss.value_gradient_hessian(phi)
    step = np.linalg.lstsq(hessian, gradient[0], rcond=None)[0]
    moves = np.abs(step[: len(loss.scale)])
    if loss.intercept:  # the move of the intercept at 0 instead of the means
        moves = np.append(abs(step[-1] - loss.mean @ (step[:-1] / loss.scale)), moves)
    return moves > 1e-3 * moves.max()


GLMS = ("GeneralizedLinearRegressor", "PoissonRegressor", "GammaRegressor", "TweedieRegressor")
