r"""Penalised likelihood with several smoothing parameters, and how these are chosen.

For given log smoothing parameters :math:`\rho` the coefficients minimise

.. math:: \tfrac12 D(\beta) + \tfrac12 \beta^\top S_\rho \beta, \qquad S_\rho = \sum_j e^{\rho_j} S_j,

with D the deviance. A criterion (restricted or plain marginal likelihood by Laplace's approximation, GCV, UBRE) is then
minimised over rho with exact gradients (Wood, 2011).
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.optimize import minimize_scalar
from scipy.special import gammaln

from statlearn._core.statistics import CrossProducts

# How far log smoothing parameters may go from where penalty and data are equally strong: beyond, a term is a straight
# line, or free, to six digits.
LOG_LAMBDA_REACH = 15.0


@dataclass
class Penalty:
    """One smoothing parameter's matrix, and the columns it acts on."""

    at: slice
    S: np.ndarray


@dataclass
class Fit:
    """A penalised fit at given smoothing parameters."""

    beta: np.ndarray
    deviance: float
    bSb: float
    eta: np.ndarray
    curvature: np.ndarray  # of half the deviance in eta, weights included
    G: np.ndarray  # X'WX
    factor: np.ndarray  # upper Cholesky factor of X'WX + S
    n_iter: int

    @property
    def log_det(self):
        return 2.0 * np.log(np.diagonal(self.factor)).sum()

    def solve(self, B):
        return cho_solve((self.factor, False), B)


class Smoothing:
    """The data, the loss and the penalties; `fit(rho)` and `criterion(rho)`.

    Parameters
    ----------
    X : ndarray of shape (n, P)
    loss : GlmLoss
    weights : ndarray of shape (n,)
    offset : ndarray of shape (n,)
    penalties : list of Penalty
    blocks : list of (slice, list of int, int)
        For each penalised block: its columns, its penalties, the dimension of their common null space.
    known_scale : bool
    gamma : float
        Factor of the degrees of freedom in GCV and UBRE: above 1 for smoother fits.
    """

    def __init__(self, X, loss, weights, offset, penalties, blocks, *, known_scale, gamma=1.0, tol=1e-10):
        self.X, self.loss, self.weights, self.offset = X, loss, weights, offset
        self.penalties, self.known_scale, self.gamma, self.tol = penalties, known_scale, gamma, tol
        self.n, self.P = float(weights.sum()), X.shape[1]
        self.gaussian = loss.family.name == "gaussian" and loss.link.name == "identity"
        self.blocks = [_Block(at, [penalties[j].S for j in which], which, null) for at, which, null in blocks]
        penalised = sum((b.at.stop - b.at.start) - b.null for b in self.blocks)
        self.null_dim = self.P - penalised
        self._start = None
        if self.gaussian:
            y = loss.y - offset
            self.G, Xy, yy = CrossProducts.from_block(X, y, weights, centre=False).uncentred()
            self.Xy, self.yy = Xy[:, 0], float(yy[0, 0])

    def start(self):
        """Log smoothing parameters at which penalty and data are about equally strong."""
        if self.gaussian:
            size = np.diagonal(self.G)
        else:
            w = self.weights * self.loss.expected_curvature(self._first_eta())
            size = np.einsum("ij,i,ij->j", self.X, w, self.X)
        return np.array([np.log(max(size[p.at].sum(), 1e-8) / max(np.trace(p.S), 1e-300)) for p in self.penalties])

    def total(self, rho):
        S = np.zeros((self.P, self.P))
        for r, p in zip(rho, self.penalties, strict=True):
            S[p.at, p.at] += np.exp(r) * p.S
        return S

    # The coefficients ----------------------------------------------------------------------------------------------

    def fit(self, rho):
        S = self.total(rho)
        return self._fit_gaussian(S) if self.gaussian else self._fit_newton(S)

    def _fit_gaussian(self, S):
        factor = _cholesky(self.G + S)
        beta = cho_solve((factor, False), self.Xy)
        deviance = max(self.yy - 2 * beta @ self.Xy + beta @ self.G @ beta, 0.0)
        return Fit(beta, deviance, float(beta @ S @ beta), None, None, self.G, factor, 1)

    def _first_eta(self):
        loss = self.loss
        return loss.link.link(loss.family.start(loss.y, self.weights))

    def _objective(self, beta, S):
        eta = self.X @ beta + self.offset
        return float(self.weights @ self.loss.value(eta) + 0.5 * beta @ S @ beta), eta

    def _fit_newton(self, S):
        """Newton's method with step halving, from the last coefficients."""
        X, w, loss = self.X, self.weights, self.loss
        if self._start is None:
            eta = self._first_eta()
            curvature = w * loss.expected_curvature(eta)
            slope = w * loss.derivatives(eta)[0]
            G = gram(X, curvature)
            beta = cho_solve((_cholesky(G + S), False), X.T @ (curvature * (eta - self.offset) - slope))
            value, eta = self._objective(beta, S)
            if not np.isfinite(value):
                beta = np.zeros(self.P)
                beta[0] = float(loss.link.link(np.average(loss.y, weights=w))) - np.average(self.offset, weights=w)
                value, eta = self._objective(beta, S)
        else:
            beta = self._start
            value, eta = self._objective(beta, S)
        n_iter = 0
        while n_iter < 100:
            n_iter += 1
            slope, curvature = loss.derivatives(eta)
            gradient = X.T @ (w * slope) + S @ beta
            G = gram(X, w * curvature)
            try:
                factor = _cholesky(G + S)
            except np.linalg.LinAlgError:  # negative curvature, away from the optimum of a non-canonical link
                curvature = loss.expected_curvature(eta)
                G = gram(X, w * curvature)
                factor = _cholesky(G + S)
            step = cho_solve((factor, False), gradient)
            promised = 0.5 * gradient @ step
            if promised <= self.tol * (abs(value) + 1e-3):
                break
            size = 1.0
            while True:
                new, new_eta = self._objective(beta - size * step, S)
                if np.isfinite(new) and new <= value + 1e-12 * abs(value):
                    break
                size /= 2
                if size < 1e-8:
                    new, new_eta = value, eta
                    size = 0.0
                    break
            beta, value, eta = beta - size * step, new, new_eta
            if size == 0.0:
                break
        self._start = beta
        deviance = 2.0 * float(w @ loss.value(eta))
        return Fit(beta, deviance, float(beta @ S @ beta), eta, w * curvature, G, factor, n_iter)

    # The criteria --------------------------------------------------------------------------------------------------

    def _shares(self, fit, rho):
        """For each rho_j: lambda_j S_j beta (padded), the change of beta, and of the curvatures of the rows."""
        E = np.zeros((self.P, len(rho)))
        for j, (r, p) in enumerate(zip(rho, self.penalties)):
            E[p.at, j] = np.exp(r) * (p.S @ fit.beta[p.at])
        change = -fit.solve(E)
        if self.gaussian:
            return E, change, None
        step = 1e-5 * (1.0 + np.abs(fit.eta))
        up, down = self.loss.derivatives(fit.eta + step)[1], self.loss.derivatives(fit.eta - step)[1]
        slope = self.weights * (up - down) / (2 * step)
        return E, change, slope[:, None] * (self.X @ change)

    def scale_for(self, fit, *, restricted=True):
        """The scale that minimises the criterion at this fit, 1 where it is known."""
        if self.known_scale:
            return 1.0
        penalised = fit.deviance + fit.bSb
        null = self.null_dim if restricted else 0
        if self.gaussian:
            return max(penalised, 1e-300) / (self.n - null)

        def cost(log_phi):
            phi = np.exp(log_phi)
            return penalised / (2 * phi) - self.saturated(phi) - 0.5 * null * np.log(2 * np.pi * phi)

        middle = np.log(max(penalised, 1e-300) / self.n)
        return float(np.exp(minimize_scalar(cost, bounds=(middle - 5, middle + 5), method="bounded",
                                            options={"xatol": 1e-10}).x))  # fmt: skip

    def saturated(self, phi):
        """Log-likelihood of the saturated model."""
        y, w, name = self.loss.y, self.weights, self.loss.family.name
        if name == "gaussian":
            return -0.5 * self.n * np.log(2 * np.pi * phi)
        if name == "gamma":
            k = 1.0 / phi
            return float(w @ (k * np.log(k) - k - gammaln(k) - np.log(y)))
        if name == "inverse_gaussian":
            return float(-0.5 * w @ np.log(2 * np.pi * phi * y**3))
        if name == "tweedie":
            # Its normalising series has no closed form: the extended quasi-likelihood of Nelder and Pregibon.
            return -0.5 * self.n * np.log(2 * np.pi * phi)
        return float(self.loss.family.log_likelihood(y, np.maximum(y, 1e-300), w))

    def marginal(self, rho, *, restricted=True):
        """Minus the (restricted) log marginal likelihood by Laplace's approximation, and its gradient."""
        fit = self.fit(rho)
        phi = self.scale_for(fit, restricted=restricted)
        E, _, rows = self._shares(fit, rho)
        log_S, log_S_slope = 0.0, np.zeros(len(rho))
        for block in self.blocks:
            value, slope = block.log_det(rho[block.which])
            log_S += value
            log_S_slope[block.which] += slope
        inverse, log_H = self._inverse(fit, restricted)
        value = (fit.deviance + fit.bSb) / (2 * phi) - self.saturated(phi) + 0.5 * (log_H - log_S)
        value -= 0.5 * (self.null_dim if restricted else 0) * np.log(2 * np.pi * phi)
        gradient = 0.5 * (fit.beta @ E) / phi - 0.5 * log_S_slope
        for j, (r, p) in enumerate(zip(rho, self.penalties)):
            gradient[j] += 0.5 * np.exp(r) * np.sum(inverse[p.at, p.at] * p.S)
        if rows is not None:
            gradient += 0.5 * (np.einsum("ij,ij->i", self.X @ inverse, self.X) @ rows)
        return value, gradient, fit

    def _inverse(self, fit, restricted):
        """The inverse of H = X'WX + S and log|H|; for plain likelihood, of H within the range of the penalties."""
        if restricted:
            return fit.solve(np.eye(self.P)), fit.log_det
        U = self._penalised_range()
        factor = _cholesky(U.T @ (fit.factor.T @ fit.factor) @ U)
        return U @ cho_solve((factor, False), U.T), 2.0 * np.log(np.diagonal(factor)).sum()

    def _penalised_range(self):
        parts = []
        for block in self.blocks:
            U = np.zeros((self.P, block.U.shape[1]))
            U[block.at] = block.U
            parts.append(U)
        return np.column_stack(parts)

    def gcv(self, rho, *, unbiased=False):
        """Generalised cross-validation of the deviance (or, with a known scale, UBRE), and its gradient."""
        fit = self.fit(rho)
        _, change, rows = self._shares(fit, rho)
        inverse = fit.solve(np.eye(self.P))
        influence = inverse @ fit.G  # whose trace is the effective degrees of freedom
        df = float(np.trace(influence))
        both = influence @ inverse
        df_slope = np.array([
            -np.exp(r) * np.sum(both[p.at, p.at] * p.S) for r, p in zip(rho, self.penalties)
        ])  # fmt: skip
        if rows is not None:
            df_slope += np.einsum("ij,ij->i", self.X @ (inverse - both), self.X) @ rows
        deviance_slope = -2.0 * (self.total(rho) @ fit.beta) @ change  # at the optimum X'(half D)' = -S beta
        n, g = self.n, self.gamma
        if unbiased:
            value = fit.deviance / n + 2 * g * df / n - 1.0
            return value, deviance_slope / n + 2 * g * df_slope / n, fit
        left = n - g * df
        value = n * fit.deviance / left**2
        return value, n * deviance_slope / left**2 + 2 * n * fit.deviance * g * df_slope / left**3, fit

    def choose(self, method, rho, fixed):
        """Minimise the criterion over the log smoothing parameters that are not fixed."""
        free = np.flatnonzero(~fixed)
        criterion = {
            "reml": lambda r: self.marginal(r),
            "ml": lambda r: self.marginal(r, restricted=False),
            "gcv": lambda r: self.gcv(r),
            "ubre": lambda r: self.gcv(r, unbiased=True),
        }[method]
        if not len(free):
            value, _, fit = criterion(rho)
            return rho, value, fit, True

        def cost(part):
            full = rho.copy()
            full[free] = part
            value, gradient, _ = criterion(full)
            return value, gradient[free]

        first = self.start()[free]
        low, high = first - LOG_LAMBDA_REACH, first + LOG_LAMBDA_REACH
        best = descend(cost, rho[free], low, high)
        # A term on its way to a straight line may have stepped over a minimum: look back from the plateau.
        value = cost(best)[0]
        for j in np.flatnonzero(best > first + 6):
            for back in (3.0, 6.0, 9.0, 12.0):
                trial = best.copy()
                trial[j] -= back
                if cost(trial)[0] < value - 1e-9 * (1.0 + abs(value)):
                    best = descend(cost, trial, low, high)
                    value = cost(best)[0]
                    break
        rho = rho.copy()
        rho[free] = best
        value, gradient, fit = criterion(rho)
        inside = (best > low + 1e-6) & (best < high - 1e-6)
        converged = bool(np.all(np.abs(gradient[free][inside]) <= 1e-4 * max(1.0, abs(value))))
        return rho, value, fit, converged


def descend(cost, x, low, high, *, max_iter=200, longest=3.0):
    """Minimise by the BFGS method with bounded steps: a long one may jump to where a criterion is flat.

    `cost(x)` gives the value and the gradient; x stays between `low` and `high`.
    """
    x = np.clip(x, low, high)
    value, gradient = cost(x)
    H = np.eye(len(x)) / max(1.0, np.abs(gradient).max())
    quiet = 0
    for _ in range(max_iter):
        held = ((x <= low) & (gradient > 0)) | ((x >= high) & (gradient < 0))
        if np.abs(np.where(held, 0.0, gradient)).max() <= 1e-8 * (1.0 + abs(value)):
            break
        step = -H @ np.where(held, 0.0, gradient)
        if step @ gradient >= 0:
            H = np.eye(len(x)) / max(1.0, np.abs(gradient).max())
            step = -H @ np.where(held, 0.0, gradient)
        step *= min(1.0, longest / max(np.abs(step).max(), 1e-300))
        size = 1.0
        while True:
            new = np.clip(x + size * step, low, high)
            new_value, new_gradient = cost(new)
            if new_value <= value + 1e-4 * gradient @ (new - x) or size < 1e-6:
                break
            size /= 2
        moved, turned = new - x, new_gradient - gradient
        quiet = quiet + 1 if value - new_value <= 1e-12 * (1.0 + abs(value)) else 0
        if new_value < value:
            x, value, gradient = new, new_value, new_gradient
        if quiet == 2:
            break
        curvature = moved @ turned
        if curvature > 1e-12 * np.linalg.norm(moved) * np.linalg.norm(turned):
            left = np.eye(len(x)) - np.outer(moved, turned) / curvature
            H = left @ H @ left.T + np.outer(moved, moved) / curvature
    return x


class _Block:
    """The penalties of one term: the logarithm of the determinant of their sum on its range."""

    def __init__(self, at, matrices, which, null):
        self.at, self.which, self.null = at, np.asarray(which), null
        total = sum(S / np.linalg.norm(S) for S in matrices)
        vectors = np.linalg.eigh(total)[1]
        self.U = vectors[:, null:]  # eigenvalues come in increasing order, those of the null space first
        self.parts = [self.U.T @ S @ self.U for S in matrices]
        # Penalties that act on different directions (one of them alone, or a smooth's two under `select`) have
        # determinants of their own, however far apart the smoothing parameters are.
        self.apart = all(
            np.linalg.norm(A @ B) <= 1e-8 * np.linalg.norm(A) * np.linalg.norm(B)
            for k, A in enumerate(matrices)
            for B in matrices[:k]
        )
        if self.apart:
            spectra = [np.linalg.eigvalsh(S) for S in self.parts]
            kept = [values[values > 1e-9 * values[-1]] for values in spectra]
            self.ranks = np.array([float(len(values)) for values in kept])
            self.constant = float(sum(np.log(values).sum() for values in kept))

    def log_det(self, rho):
        if self.apart:
            return self.constant + float(self.ranks @ rho), self.ranks
        lam = np.exp(rho)
        log_det, inverse = _sum_log_det(self.parts, lam)
        return log_det, np.array([value * np.sum(inverse * S) for value, S in zip(lam, self.parts)])


def _sum_log_det(parts, lam):
    """log|sum_j lam_j S_j| and the inverse of the sum, for smoothing parameters that may be far apart.

    The directions that the strongest penalty leaves alone are split off: there the weaker ones decide, and their digits
    must not drown in those of the strongest (Wood, 2011, appendix B).
    """
    strongest = int(np.argmax([value * np.linalg.norm(S) for value, S in zip(lam, parts)]))
    values, vectors = np.linalg.eigh(parts[strongest])
    kept = values > 1e-9 * values[-1]
    R, N = vectors[:, kept], vectors[:, ~kept]
    rest = sum(value * S for j, (value, S) in enumerate(zip(lam, parts)) if j != strongest)
    A = np.diag(lam[strongest] * values[kept]) + R.T @ rest @ R
    factor = _cholesky(A)
    log_det = 2.0 * np.log(np.diagonal(factor)).sum()
    A_inverse = cho_solve((factor, False), np.eye(len(A)))
    if not N.shape[1]:
        return log_det, R @ A_inverse @ R.T
    cross = R.T @ rest @ N
    slopes = A_inverse @ cross
    schur = _cholesky(N.T @ rest @ N - cross.T @ slopes)
    schur_inverse = cho_solve((schur, False), np.eye(N.shape[1]))
    top = A_inverse + slopes @ schur_inverse @ slopes.T
    corner = slopes @ schur_inverse
    inverse = R @ top @ R.T - R @ corner @ N.T - N @ corner.T @ R.T + N @ schur_inverse @ N.T
    return log_det + 2.0 * np.log(np.diagonal(schur)).sum(), inverse


def gram(X, w):
    """X' diag(w) X by the native kernel: the same bits for any number of threads."""
    return CrossProducts.from_block(X, np.zeros(len(X)), w, centre=False).uncentred()[0]


def _cholesky(A):
    """Upper factor; a matrix that is singular to working precision gets the smallest diagonal that mends it."""
    scale = np.sqrt(np.maximum(np.diagonal(A), 1e-300))
    B = A / np.outer(scale, scale)
    for ridge in (0.0, 1e-14, 1e-12, 1e-10, 1e-8):
        try:
            return cholesky(B + ridge * np.eye(len(B)), check_finite=False) * scale
        except np.linalg.LinAlgError:
            continue
    raise np.linalg.LinAlgError("the penalised cross-products are not positive definite")


def covariance_root(fit):
    """A matrix B with B B' = (X'WX + S)^-1."""
    return solve_triangular(fit.factor, np.eye(len(fit.factor)))
