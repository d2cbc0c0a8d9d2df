r"""The marginal likelihood of a penalised least-squares problem, from its cross-products alone.

With :math:`H = X^\top W X + S_\rho` and the penalised residual sum of squares D at its minimum, minus the restricted
log marginal likelihood is

.. math:: \frac{D}{2\phi} + \frac{n - M}{2} \log 2\pi\phi + \frac12 \log|H| - \frac12 \log|S_\rho|_+ ,

M the dimension of the unpenalised space. Value, gradient and second derivatives in the log smoothing parameters.
"""

from dataclasses import dataclass

import numpy as np

from ._factor import BlockColumns, GamFactor, times
from ._penalty import Block


@dataclass
class Fit:
    """A penalised fit at given smoothing parameters."""

    beta: np.ndarray
    deviance: float
    bSb: float
    G: np.ndarray  # X'WX
    factor: GamFactor  # of X'WX + S
    n_iter: int


class PenaltySet:
    """The penalties of all terms: their sum, its determinant, and roots of them all side by side.

    Parameters
    ----------
    penalties : list of Penalty
    blocks : list of (slice, list of int, int)
        For each penalised block: its columns, its penalties, the dimension of their common null space.
    P : int
        Columns of the model matrix.
    diagonal : slice or None, default=None
        Columns among which penalties and cross-products are diagonal.
    """

    def __init__(self, penalties, blocks, P, diagonal=None):
        self.penalties, self.P, self.diagonal = penalties, P, diagonal
        self.ridge = 0.0  # added to the diagonal of the sum
        self.blocks = [Block(at, [penalties[j].S for j in which], which, null) for at, which, null in blocks]
        # Of penalties that do not overlap the log-determinant is linear in rho.
        self.constant = sum(b.constant for b in self.blocks if b.apart)
        self.ranks = np.zeros(len(penalties))
        for block in self.blocks:
            if block.apart:
                self.ranks[block.which] += block.ranks
        self.null_dim = P - sum((b.at.stop - b.at.start) - b.null for b in self.blocks)
        self.roots = BlockColumns([p.root for p in penalties])
        self.starts = self.roots.starts[:-1]
        sizes = [np.sum(np.atleast_2d(root) ** 2, axis=0) for _, root in self.roots.blocks]
        self.spreads = np.array([np.log(size.max() / size.min()) for size in sizes])

    def total(self, rho, ridge=None):
        """The sum of the penalties, with the ridge or with another one."""
        S = np.zeros((self.P, self.P))
        for r, p in zip(rho, self.penalties, strict=True):
            S[p.at, p.at] += np.exp(r) * p.S
        S.flat[:: self.P + 1] += self.ridge if ridge is None else ridge
        return S

    def size(self, beta, rho):
        """beta' S_rho beta, never negative."""
        return float(np.exp(rho) @ self.sums(self.roots.before(beta) ** 2) + np.sum(self.ridge * beta**2))

    def log_det(self, rho):
        """log|S_rho| on its range with gradient and second derivatives."""
        value, slope, curve = self.constant + float(self.ranks @ rho), self.ranks.copy(), np.zeros((len(rho),) * 2)
        for block in self.blocks:
            if block.apart:
                continue
            part, part_slope, part_curve = block.log_det(rho[block.which])
            value += part
            slope[block.which] += part_slope
            curve[np.ix_(block.which, block.which)] += part_curve
        return value, slope, curve

    def sums(self, values):
        """Sums over the roots of each penalty."""
        return np.add.reduceat(values, self.starts) if len(self.starts) else np.zeros(0)

    def double_sums(self, matrix):
        return np.add.reduceat(np.add.reduceat(matrix, self.starts, axis=0), self.starts, axis=1)

    def within(self, H):
        """The factor of H within the range of the penalties, and that range."""
        U = BlockColumns([block.range for block in self.blocks])
        diagonal = None
        for block, start in zip(self.blocks, U.starts, strict=False):
            if block.at == self.diagonal:
                diagonal = slice(int(start), int(start) + block.range[1].shape[-1])
        return GamFactor(U.around(H), diagonal), U


def determinant(penalty_set, fit, restricted):
    """log|H| and the inverse of H = X'WX + S; for plain likelihood, of H within the range of the penalties."""
    if restricted:
        return fit.factor.log_det, fit.factor.inverse()
    factor, U = penalty_set.within(fit.factor.H)
    return factor.log_det, U.back(factor.inverse(), penalty_set.P)


def effective_df(inverse, G, penalty_set, rho):
    """tr(H^-1 G) for H = G + S, its gradient in rho at a fixed G, and its derivative in G (a symmetric matrix)."""
    penalties = penalty_set.penalties
    influence = times(inverse, G, penalty_set.diagonal)
    both = influence @ inverse
    slope = np.array([-np.exp(r) * np.sum(both[p.at, p.at] * p.S) for r, p in zip(rho, penalties, strict=True)])
    return float(np.trace(influence)), slope, inverse - (both + both.T) / 2


def cross_validation(n, gamma, deviance, deviance_slope, df, df_slope, unbiased):
    """Generalised cross-validation, or UBRE, and its gradient; `gamma` times the degrees of freedom are counted."""
    if unbiased:
        return deviance / n + 2 * gamma * df / n - 1.0, deviance_slope / n + 2 * gamma * df_slope / n
    left = n - gamma * df
    return n * deviance / left**2, n * deviance_slope / left**2 + 2 * n * deviance * gamma * df_slope / left**3


class Quadratic:
    """A penalised least-squares problem, by its cross-products X'WX, X'Wy and y'Wy."""

    def __init__(self, G, Xy, yy, n, penalty_set, *, known_scale):
        self.G, self.Xy, self.yy, self.n = G, Xy, yy, n
        self.set, self.known_scale = penalty_set, known_scale

    def fit(self, rho):
        S = self.set.total(rho)
        factor = GamFactor(self.G + S, self.set.diagonal)
        beta = factor.solve(self.Xy)
        deviance = max(self.yy - 2 * beta @ self.Xy + beta @ self.G @ beta, 0.0)
        return Fit(beta, deviance, self.set.size(beta, rho), self.G, factor, 1)

    def gcv(self, rho, gamma, unbiased):
        """Generalised cross-validation or UBRE with its gradient, and the fit."""
        fit = self.fit(rho)
        inverse = fit.factor.inverse()
        df, df_slope, _ = effective_df(inverse, self.G, self.set, rho)
        pull = -2.0 * inverse @ (self.set.total(rho) @ fit.beta)  # at the optimum the slope of D in beta is -2 S beta
        deviance_slope = np.array([
            -np.exp(r) * pull[p.at] @ (p.S @ fit.beta[p.at]) for r, p in zip(rho, self.set.penalties, strict=True)
        ])  # fmt: skip
        return *cross_validation(self.n, gamma, fit.deviance, deviance_slope, df, df_slope, unbiased), fit

    def scale_for(self, fit, restricted):
        if self.known_scale:
            return 1.0
        # A sum of squares that is only rounding does not determine the scale.
        least = max(np.finfo(np.float64).eps * self.yy, 1e-300)
        return max(fit.deviance + fit.bSb, least) / (self.n - (self.set.null_dim if restricted else 0))

    def value(self, rho, restricted=True):
        """The criterion alone."""
        fit = self.fit(rho)
        phi = self.scale_for(fit, restricted)
        if restricted:
            log_H = fit.factor.log_det
        else:
            log_H = self.set.within(fit.factor.H)[0].log_det
        return self._value(fit, phi, log_H, self.set.log_det(rho)[0], restricted)

    def _value(self, fit, phi, log_H, log_S, restricted):
        rows = self.n - (self.set.null_dim if restricted else 0)
        return (fit.deviance + fit.bSb) / (2 * phi) + 0.5 * rows * np.log(2 * np.pi * phi) + 0.5 * (log_H - log_S)

    def marginal(self, rho, restricted=True):
        """Minus the (restricted) log marginal likelihood with gradient and second derivatives, and the fit.

        An unknown scale is at its best for every rho.
        """
        fit = self.fit(rho)
        phi = self.scale_for(fit, restricted)
        log_H, inverse = determinant(self.set, fit, restricted)
        log_S, log_S_slope, log_S_curve = self.set.log_det(rho)
        value = self._value(fit, phi, log_H, log_S, restricted)
        if not len(rho):
            return value, np.zeros(0), np.zeros((0, 0)), fit
        lam, roots = np.exp(rho), self.set.roots
        both = np.outer(lam, lam)
        M = roots.around(inverse)
        e = roots.before(fit.beta)
        D_slope = lam * self.set.sums(e**2)
        H_slope = lam * self.set.sums(np.diagonal(M))
        gradient = 0.5 * (D_slope / phi + H_slope - log_S_slope)
        M_beta = M if restricted else roots.around(fit.factor.inverse())
        D_curve = np.diag(D_slope) - 2.0 * both * self.set.double_sums(np.outer(e, e) * M_beta)
        H_curve = np.diag(H_slope) - both * self.set.double_sums(M**2)
        hessian = 0.5 * (D_curve / phi + H_curve - log_S_curve)
        if not self.known_scale:
            rows = self.n - (self.set.null_dim if restricted else 0)
            hessian -= np.outer(D_slope / phi, D_slope / phi) / (2 * rows)  # a tiny scale squared would be 0
        return value, gradient, hessian, fit
