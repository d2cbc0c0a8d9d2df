r"""Penalised likelihood with several smoothing parameters, and the criteria by which these are chosen.

For given log smoothing parameters :math:`\rho` the coefficients minimise

.. math:: \tfrac12 D(\beta) + \tfrac12 \beta^\top S_\rho \beta, \qquad S_\rho = \sum_j e^{\rho_j} S_j,

with D the deviance. The criteria (restricted or plain marginal likelihood by Laplace's approximation, GCV, UBRE) come
with exact gradients in rho (Wood, 2011).
"""

from functools import cached_property

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import digamma, gammaln

from statlearn._math.losses.glm import GlmLoss
from statlearn._math.losses.tweedie import TweedieDensity
from statlearn._math.solvers.step import backtrack, rounding

from ._covariate_codes import MANY_ROWS
from ._factor import GamFactor
from ._identifiability import is_singular
from ._loss import all_are
from ._quadratic import Fit, PenaltySet, Quadratic, cross_validation, determinant, effective_df

# With separated classes, or a level whose counts are all 0, the likelihood has no maximum. A ridge of this share of the
# information keeps every fit finite and changes the others in the eighth digit.
_RIDGE = 1e-8
# Of columns that follow from others a smaller one makes the criteria smooth: they would be rounding there.
_SMALL_RIDGE = 1e-10
_NO_ERROR = 1e-4  # half deviance of a row, on average, of a model whose coefficients would be infinite
_EXACT = 1e-17  # share of the objective at which Newton's steps are rounding: for differences of gradients
_LEAST_SPREAD = 1e-10  # share of a column's mean square that its variance is at least: it may be constant
_PRIOR_SPREAD, _PRIOR_CONSTANT = 1.25, 10.0  # of what a column, and the constant, may add to the linear predictor


class Smoothing:
    """The data, the loss and the penalties; `fit(rho)` and criteria of rho.

    Parameters
    ----------
    rows : Rows
        The model matrix.
    loss : RowLoss
    offset : ndarray of shape (n,)
    penalties : list of Penalty
    blocks : list of (slice, list of int, int)
        For each penalised block: its columns, its penalties, the dimension of their common null space.
    known_scale : bool
    diagonal : slice or None, default=None
        Columns with diagonal penalties and cross-products.
    gamma : float, default=1.0
        Factor of the degrees of freedom in GCV and UBRE: above 1 for smoother fits.
    """

    def __init__(self, rows, loss, offset, penalties, blocks, *, known_scale, diagonal=None, gamma=1.0, tol=1e-10):
        self.rows, self.loss, self.offset = rows, loss, offset
        self.penalties, self.known_scale, self.gamma, self.tol = penalties, known_scale, gamma, tol
        self.n, self.P = loss.n, rows.width
        self.gaussian = loss.family.name == "gaussian" and loss.link.name == "identity"
        power = getattr(loss.family, "power", 0.0)
        self.density = TweedieDensity(power) if 1 < power < 2 else None
        self.set = PenaltySet(penalties, blocks, self.P, diagonal)
        self.null_dim = self.set.null_dim
        self.n_iter = 0
        self._last = self._at = None
        self.guarded = False
        if self.gaussian:
            self._set_quadratic()
        self.set.ridge = self._least_ridge()

    def _least_ridge(self):
        """The smallest ridge on the penalties that makes the fit unique and finite."""
        G = self.quadratic.G if self.gaussian else self._first_step[0]
        H, ridge = G + self.total(self.start()), 0.0
        if is_singular(H, self.set.diagonal):
            ridge = _SMALL_RIDGE * np.diagonal(G)
            H[np.diag_indices_from(H)] += ridge
        if self.known_scale and not self.gaussian:
            # A share of the information about a coefficient given all others: a column may be far from zero.
            ridge = ridge + _RIDGE / np.diagonal(self._factor(H).inverse())
        return ridge

    def _set_quadratic(self):
        loss, offset = self.loss, self.offset
        y = loss.y.copy() if all_are(0.0, offset) else loss.y - offset
        # The constant takes the mean up, and the sums of squares keep digits.
        self.shift = float(y.mean() if loss.unit else loss.weights @ y / self.n)
        y -= self.shift
        squares = loss.sum(lambda at, _: y[at] ** 2)
        if not loss.unit:
            y *= loss.weights
        self.quadratic = Quadratic(
            self.rows.gram(loss.weights), self.rows.products(y), squares, self.n, self.set,
            known_scale=self.known_scale,
        )  # fmt: skip

    def start(self):
        """Log smoothing parameters at which penalty and data are about equally strong."""
        size = np.diagonal(self.quadratic.G if self.gaussian else self._first_step[0])
        return np.array([np.log(max(size[p.at].sum(), 1e-8) / max(np.trace(p.S), 1e-300)) for p in self.penalties])

    def total(self, rho):
        return self.set.total(rho)

    def eta(self, beta):
        """The linear predictors of the rows."""
        eta = self.rows.values(beta)
        if not all_are(0.0, self.offset):
            eta += self.offset
        return eta

    # The coefficients ----------------------------------------------------------------------------------------------

    def fit(self, rho):
        if self.gaussian:
            self.n_iter += 1
            return self._shifted(self.quadratic.fit(rho))
        if self._at is None or not np.array_equal(self._at[0], rho):
            self.n_iter += 1
            self._at = (rho.copy(), self._fit_newton(rho))
        return self._at[1]

    def _shifted(self, fit):
        fit.beta = fit.beta.copy()
        fit.beta[0] += self.shift
        return fit

    def separated(self, fit):
        """Whether the coefficients would be infinite without a prior, or nearly so."""
        return self._may_be_separated and (fit.deviance < 2 * _NO_ERROR * self.n or self.too_few_in_doubt(fit))

    def too_few_in_doubt(self, fit):
        """Whether fewer rows are in doubt than the model has degrees of freedom.

        A row whose class is certain says nothing; the constant's place in X'WX holds what all of them say.
        """
        if not self._may_be_separated or self.loss.family.upper is None:
            return False
        rows = fit.G[0, 0] / self._full_doubt
        return rows < self.P and rows < np.trace(fit.factor.solve(fit.G))

    @cached_property
    def _full_doubt(self):
        """Information of a row whose classes are equally likely."""
        half = np.array([0.5])
        return float(GlmLoss(half, self.loss.family, self.loss.link).fisher(self.loss.link.link(half))[1][0])

    def guard(self):
        """Keep all coefficients finite by weak prior knowledge, from now on.

        It says that a column moves the linear predictor by about 1.25, standard deviation over the rows, the constant
        by 10 (Gelman et al., 2008, with normal densities), and counts as if rows had said so. With columns off zero
        the constant takes up what their means add: it is then so free that it does not hold the columns back.
        """
        G = self.rows.gram(self.loss.weights)
        mean, square = G[0] / self.n, np.diagonal(G) / self.n
        spread = np.maximum(square - mean**2, _LEAST_SPREAD * square)
        self.set.ridge = spread / _PRIOR_SPREAD**2
        means = np.divide(mean**2, spread, out=np.zeros_like(mean), where=spread > 0)[1:].sum()
        self.set.ridge[0] = _PRIOR_CONSTANT**-2 / (1.0 + _PRIOR_SPREAD**2 * means)
        self.guarded = True
        self._last = self._at = None

    def without_error(self, eta):
        """Whether a linear predictor fits all rows, as far as `separated` is concerned."""
        return self._may_be_separated and self.loss.total(eta) < _NO_ERROR * self.n

    @property
    def _may_be_separated(self):
        return self._all_at_bounds and not self.guarded

    @cached_property
    def _all_at_bounds(self):
        """Whether all responses are at bounds of their family's range: classes, or counts of 0 only."""
        low, high = self.loss.family.lower, self.loss.family.upper
        return self.known_scale and all(np.all((part.y == low) | (part.y == high)) for _, part in self.loss.parts)

    @cached_property
    def _first_step(self):
        """X'WX and X'Wz of weighted least squares on the responses themselves."""
        w, wz = self.loss.first_step(self.offset)
        return self.rows.gram(w), self.rows.products(wz)

    def _objective(self, beta, rho):
        eta = self.eta(beta)
        return self.loss.total(eta) + 0.5 * self.set.size(beta, rho), eta

    def _factor(self, H):
        return GamFactor(H, self.set.diagonal)

    def _first_beta(self, rho):
        """One step of weighted least squares from the responses, or the mean alone if the step fails."""
        loss = self.loss
        G, target = self._first_step
        beta = self._factor(G + self.total(rho)).solve(target)
        value, eta = self._objective(beta, rho)
        if not np.isfinite(value):
            beta = np.zeros(self.P)
            beta[0] = loss.near(np.average(loss.y, weights=loss.weights)[None])[0]
            beta[0] -= np.average(self.offset, weights=loss.weights)
            value, eta = self._objective(beta, rho)
        return beta, value, eta

    def _start_beta(self, rho):
        """Start from the last fit, moved along its slope in rho if that is nearer."""
        if self._last is None:
            return self._first_beta(rho)
        last_rho, last_beta, change = self._last
        value, eta = self._objective(last_beta, rho)
        if change is None:
            return last_beta, value, eta
        moved = last_beta + change @ (rho - last_rho)
        moved_value, moved_eta = self._objective(moved, rho)
        return (moved, moved_value, moved_eta) if moved_value < value else (last_beta, value, eta)

    def _fit_newton(self, rho):
        """Newton's method with step halving, from the last coefficients.

        The step that ends it is taken as well. The criteria and their gradients have a first-order error in the
        coefficients: with the step left out, a decrease of `tol` still promised would move them by the square root of
        `tol`, which is more than the search for the smoothing parameters can resolve.
        """
        loss = self.loss
        S = self.total(rho)
        beta, value, eta = self._start_beta(rho)
        G, factor, gradient = self._newton_system(beta, eta, S)
        n_iter, least = 0, _NO_ERROR * self.n if self._may_be_separated else 0.0
        while n_iter < 100:
            n_iter += 1
            step = factor.solve(gradient)
            promised, unit = 0.5 * gradient @ step, abs(value) + 1e-3
            if promised <= _EXACT * unit or value < least:  # nothing but rounding is left, or the end is known
                break
            moved = backtrack(
                lambda t: self._objective(beta - t * step, rho),
                value,
                -2.0 * promised,
                slack=rounding(value, unit),
            )
            if moved is None:
                break
            beta, value, eta = beta - moved.length * step, moved.value, moved.state
            G, factor, gradient = self._newton_system(beta, eta, S)
            if promised <= self.tol * unit:
                break
        fit = Fit(beta, 2.0 * loss.total(eta), self.set.size(beta, rho), G, factor, n_iter)
        self._last = (rho.copy(), beta, self.change(fit, rho)[1])
        return fit

    def _newton_system(self, beta, eta, S):
        """X'WX, the factor of X'WX + S and the gradient of the objective at these coefficients."""
        rows, loss = self.rows, self.loss
        slope, curvature = loss.derivatives(eta)
        gradient = rows.products(slope) + S @ beta
        G = rows.gram(curvature)
        del slope, curvature
        try:
            factor = self._factor(G + S)
        except np.linalg.LinAlgError:  # negative curvature, away from the optimum of a non-canonical link
            G = rows.gram(loss.expected(eta))
            factor = self._factor(G + S)
        return G, factor, gradient

    # The criteria --------------------------------------------------------------------------------------------------

    def change(self, fit, rho):
        """For each rho_j: lambda_j S_j beta (padded), and the change of beta."""
        E = np.zeros((self.P, len(rho)))
        for j, (r, p) in enumerate(zip(rho, self.penalties)):
            E[p.at, j] = np.exp(r) * (p.S @ fit.beta[p.at])
        return E, -fit.factor.solve(E)

    def _through_weights(self, fit, change, A, *, expected=False):
        """Changes of tr(A X'WX) with each rho_j through the curvatures of the rows, for a symmetric A."""
        factors = self.rows.quadratic(A)
        self.loss.curvature_slopes(self.eta(fit.beta), factors, expected=expected)
        return change.T @ self.rows.products(factors)

    def scale_for(self, fit, *, restricted=True):
        """The scale that minimises the criterion at this fit, 1 where it is known."""
        if self.known_scale:
            return 1.0
        if self.gaussian:
            return self.quadratic.scale_for(fit, restricted)
        penalised = max(fit.deviance + fit.bSb, 1e-300)
        left = self.n - (self.null_dim if restricted else 0)
        middle = np.log(penalised / self.n)
        if self.density is not None:
            cost, bounds = self._scale_cost(fit, restricted), (middle - 5, middle + 5)
            return float(np.exp(minimize_scalar(cost, bounds=bounds, method="bounded", options={"xatol": 1e-10}).x))
        if self.loss.family.name != "gamma":
            return penalised / left

        def slope(log_phi):
            k = np.exp(-log_phi)
            return k * (self.n * (np.log(k) - digamma(k)) - 0.5 * penalised) - 0.5 * (self.n - left)

        return float(np.exp(brentq(slope, middle - 5, middle + 5, xtol=1e-14, rtol=1e-14)))

    def scale_curvature(self, fit, scale, *, restricted=True):
        """Second derivative of the marginal likelihood in the logarithm of an unknown scale."""
        cost, at, h = self._scale_cost(fit, restricted), np.log(scale), 1e-3
        return (cost(at + h) - 2 * cost(at) + cost(at - h)) / h**2

    def _scale_cost(self, fit, restricted):
        penalised = fit.deviance + fit.bSb
        null = self.null_dim if restricted else 0

        def cost(log_phi):
            phi = np.exp(log_phi)
            return penalised / (2 * phi) - self.saturated(phi) - 0.5 * null * np.log(2 * np.pi * phi)

        return cost

    def saturated(self, phi):
        """Log-likelihood of the saturated model."""
        name = self.loss.family.name
        if name == "gamma":
            k = 1.0 / phi
            return self.n * (k * np.log(k) - k - gammaln(k)) - self._sum_of_responses
        if name == "inverse_gaussian":
            return -0.5 * (self.n * np.log(2 * np.pi * phi) + 3.0 * self._sum_of_responses)
        if self.density is not None:
            return self.loss.sum(lambda at, y: self.density.log_density(y, y, phi))
        if name in ("gaussian", "tweedie"):
            # Powers above 2 have other series: the extended quasi-likelihood of Nelder and Pregibon.
            return -0.5 * self.n * np.log(2 * np.pi * phi)
        return self._sum_of_responses

    @cached_property
    def _sum_of_responses(self):
        """Term of the saturated log-likelihood: the sum of log responses, or all of it if the scale is known."""
        loss = self.loss
        if not self.known_scale:
            return loss.sum(lambda at, y: np.log(y))
        each = loss.family.log_likelihood
        return sum(float(each(p.y, np.maximum(p.y, 1e-300), loss.weights[at])) for at, p in loss.parts)

    def marginal(self, rho, *, restricted=True):
        """Minus the (restricted) log marginal likelihood by Laplace's approximation, its gradient, and the fit."""
        if self.gaussian:
            self.n_iter += 1
            value, gradient, _, fit = self.quadratic.marginal(rho, restricted)
            return value, gradient, self._shifted(fit)
        fit = self.fit(rho)
        phi = self.scale_for(fit, restricted=restricted)
        E, change = self.change(fit, rho)
        log_S, log_S_slope, _ = self.set.log_det(rho)
        log_H, inverse = determinant(self.set, fit, restricted)
        value = (fit.deviance + fit.bSb) / (2 * phi) - self.saturated(phi) + 0.5 * (log_H - log_S)
        value -= 0.5 * (self.null_dim if restricted else 0) * np.log(2 * np.pi * phi)
        gradient = 0.5 * (fit.beta @ E) / phi - 0.5 * log_S_slope
        for j, (r, p) in enumerate(zip(rho, self.penalties)):
            gradient[j] += 0.5 * np.exp(r) * np.sum(inverse[p.at, p.at] * p.S)
        if len(rho):
            gradient += 0.5 * self._through_weights(fit, change, inverse)
        return value, gradient, fit

    def working(self, beta):
        """The least-squares problem of a Newton step at these coefficients: its second derivatives are nearly right."""
        w, wz, squares = self.loss.working(self.eta(beta), self.offset)
        G, Xy = self.rows.gram(w), self.rows.products(wz)
        return Quadratic(G, Xy, squares, self.n, self.set, known_scale=self.known_scale)

    def second_derivatives(self, fit, rho, *, restricted=True):
        """Second derivatives of the marginal likelihood in rho, with the scale at its optimum.

        Exact for least squares, by differences of the gradient elsewhere; with many rows those of the least-squares
        problem of the last Newton step, which leave out how the weights change.
        """
        if self.gaussian:
            return self.quadratic.marginal(rho, restricted)[2]
        if self.guarded or self.rows.n >= MANY_ROWS:
            return self.working(fit.beta).marginal(rho, restricted)[2]
        step, tol = 1e-3, self.tol
        hessian = np.empty((len(rho), len(rho)))
        self.tol = min(tol, _EXACT)
        for j in range(len(rho)):
            shift = np.zeros(len(rho))
            shift[j] = step
            up, down = (self.marginal(r, restricted=restricted)[1] for r in (rho + shift, rho - shift))
            hessian[j] = (up - down) / (2 * step)
        self.tol = tol
        return (hessian + hessian.T) / 2

    def gcv(self, rho, *, unbiased=False):
        """Generalised cross-validation of the deviance (or, with a known scale, UBRE), and its gradient.

        The degrees of freedom are those of the expected information.
        """
        if self.gaussian:
            self.n_iter += 1
            value, gradient, fit = self.quadratic.gcv(rho, self.gamma, unbiased)
            return value, gradient, self._shifted(fit)
        fit = self.fit(rho)
        _, change = self.change(fit, rho)
        G = self.rows.gram(self.loss.expected(self.eta(fit.beta)))
        inverse = self._factor(G + self.total(rho)).inverse()
        df, df_slope, through = effective_df(inverse, G, self.set, rho)
        if len(rho):
            df_slope += self._through_weights(fit, change, through, expected=True)
        deviance_slope = -2.0 * (self.total(rho) @ fit.beta) @ change  # at the optimum X'(half D)' = -S beta
        score_parts = cross_validation(self.n, self.gamma, fit.deviance, deviance_slope, df, df_slope, unbiased)
        return *score_parts, fit

    # For the search -------------------------------------------------------------------------------------------------

    def begin_at(self, rho, beta):
        """Let the next fit begin with these coefficients."""
        self._last = (rho, beta, None)

    def towards(self, beta, target, rho):
        """The coefficients on the way from `beta` to `target` that lower the objective, `target` first."""
        before, eta = self._objective(beta, rho)

        def ahead(t):
            point = (1.0 - t) * beta + t * target
            value, new_eta = self._objective(point, rho)
            return value, (point, new_eta)

        moved = backtrack(ahead, before, 0.0, shortest=1e-6)
        return (beta, eta) if moved is None else moved.state
