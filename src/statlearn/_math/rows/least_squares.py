"""The additive statistic of least squares: a triangular factor of the data, and solutions computed from it.

With Z = [1, X - shift, Y - shift] (no first column without an intercept) and row weights W, everything that a least
squares fit and its inference need is in a matrix R with R'R = Z'WZ of at most as many rows as columns. Unlike the
cross-products Z'WZ themselves, R loses no digits to squaring, and two of them merge by one small QR.
"""

import contextlib
from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse

from statlearn._core.blas import single_blas_thread
from statlearn._core.validation import effective_rows
from statlearn._math.linalg.positive import cholesky
from statlearn._math.rows.statistics import CrossProducts, rough_centre

EPS = np.finfo(np.float64).eps

# Reciprocal condition of the scaled cross-products (the square of that of the scaled data). Below the first value, a
# refinement step on the residuals restores the accuracy lost by squaring; below the second it may not, and the factor
# is computed by a QR of the data.
REFINE_BELOW = 1e-6
QR_BELOW = 1e-10
# Centred sums of squares below this fraction of those about the shift are too inaccurate.
CANCELLED_BELOW = 1e-8
# A residual sum of squares below this fraction of the total is computed from the residuals themselves.
SMALL_RESIDUAL = 1e-8
# Up to this many columns the QR of a block of rows is too small a task for several threads (empirical).
_NARROW = 128


def prefers_cross_products(n, p):
    """Whether forming X'X is so much cheaper that checking its accuracy is worthwhile."""
    return n >= 4 * p and n * p >= 20_000


@dataclass
class LeastSquaresSolution:
    """Coefficients of one solution of a least squares problem.

    coef : ndarray of shape (p, m), about the means; NaN in dropped columns.
    rank : int, numerical rank of the (centred) design.
    aliased : ndarray of int, columns that depend on the others (each on columns before it).
    rss : ndarray of shape (m,), weighted residual sums of squares.
    """

    coef: np.ndarray
    rank: int
    aliased: np.ndarray
    rss: np.ndarray


class LeastSquaresStatistic:
    """Sufficient statistic of a block of rows for a least-squares fit; can be merged with that of other blocks.

    Parameters
    ----------
    R : ndarray of shape (k, c + p + m)
        R'R = Z'WZ for Z = [1, X - shift, Y - shift], c = 1; without an intercept c = 0. Its first row alone has an
        entry in the column of ones.
    shift : ndarray of shape (p + m,)
    n_features : int
    intercept : bool
    n_rows : int
        Rows with a positive weight.
    total_weight : float
    log_weight : float, default=0.0
        Sum of the logarithms of the positive weights.
    triangular : bool, default=True
        Whether R is upper triangular (trapezoidal).
    rcond : float
        Reciprocal condition of the scaled cross-products behind R; infinite if none were formed.
    """

    def __init__(
        self, R, shift, n_features, intercept, n_rows, total_weight, log_weight=0.0, triangular=True, rcond=np.inf
    ):
        self.R, self.shift, self.n_features, self.intercept = R, shift, n_features, intercept
        self.n_rows, self.total_weight, self.log_weight = n_rows, total_weight, log_weight
        self.triangular, self.rcond = triangular, rcond

    # ------------------------------------------------------------------------------------------------ making

    @classmethod
    def from_block(cls, X, y, weights=None, *, fit_intercept=True, route="auto", overwrite=False):
        """From rows of X (dense, or sparse with ``route="gram"``) and y of shape (n,) or (n, m).

        ``route``: "qr" factors the data; "gram" forms cross-products in one pass and factors them, returning None if
        they are not finite or too ill-conditioned; "auto" uses "gram" for large tall data and falls back on "qr". With
        ``overwrite``, a wide X may be overwritten.
        """
        Y = y.reshape(X.shape[0], -1)
        if route == "gram" or (route == "auto" and prefers_cross_products(*X.shape)):
            cross = CrossProducts.from_block(X, Y, weights, centre=fit_intercept)
            factored = _factor_cross_products(cross, fit_intercept)
            if factored is None and route == "gram":
                return None
        else:
            factored = None
        if factored is None:
            wide = X.shape[0] <= X.shape[1] + Y.shape[1] + fit_intercept
            factored = (_centre_wide if wide else _factor_rows)(X, Y, weights, fit_intercept, overwrite)
        R, shift, triangular, rcond = factored
        n_rows = effective_rows(X.shape[0], weights)
        total = float(X.shape[0]) if weights is None else float(np.sum(weights, dtype=np.float64))
        log_weight = 0.0 if weights is None else float(np.sum(np.log(weights[weights > 0], dtype=np.float64)))
        return cls(R, shift, X.shape[1], bool(fit_intercept), n_rows, total, log_weight, triangular, rcond)

    @classmethod
    def from_cross_products(cls, cross, *, fit_intercept=True):
        """From a `CrossProducts`; None if it is not finite or too ill-conditioned. Leaves `log_weight` at 0."""
        factored = _factor_cross_products(cross, fit_intercept)
        if factored is None:
            return None
        R, shift, triangular, rcond = factored
        total = float(cross.total_weight)
        return cls(R, shift, cross.n_features, bool(fit_intercept), cross.n_rows, total, 0.0, triangular, rcond)

    def merge(self, other):
        """The statistic of both blocks together."""
        if self.R.shape[1] != other.R.shape[1] or self.intercept != other.intercept:
            raise ValueError("Blocks with different numbers of columns cannot be merged.")
        moved = other.R
        if self.intercept:
            moved = moved.copy()
            moved[:, 1:] += np.outer(moved[:, 0], other.shift - self.shift)
        R = _triangle(np.vstack([self.R, moved]))
        return LeastSquaresStatistic(
            R,
            self.shift,
            self.n_features,
            self.intercept,
            self.n_rows + other.n_rows,
            self.total_weight + other.total_weight,
            self.log_weight + other.log_weight,
            True,
            min(self.rcond, other.rcond),
        )

    # ------------------------------------------------------------------------------------------------ reading

    @property
    def means(self):
        """Weighted means of X (p,) and Y (m,); zeros without an intercept."""
        mean = self.shift
        if self.intercept:
            mean = mean + self.R[0, 1:] / self.R[0, 0]
        return mean[: self.n_features], mean[self.n_features :]

    @property
    def design(self):
        """A with A'A = the (centred) cross-products of X."""
        c = int(self.intercept)
        return self.R[c:, c : c + self.n_features]

    @property
    def targets(self):
        """B with A'B, B'B = the (centred) cross-products of X with Y and of Y."""
        c = int(self.intercept)
        return self.R[c:, c + self.n_features :]

    @property
    def tss(self):
        """Total sums of squares, about the mean with an intercept, (m,)."""
        return np.sum(self.targets**2, axis=0)

    def scales(self):
        """Norm of each (centred) column; 0 where a column is constant up to rounding."""
        scale = column_norms(self.design)
        if self.intercept:
            scale[scale <= 64 * EPS * abs(self.R[0, 0] * self.means[0])] = 0.0
        return scale

    def n_for_inference(self, weights):
        """Number of observations: "frequency" weights are copies of rows, "precision" weights are not."""
        return self.total_weight if weights == "frequency" else float(self.n_rows)

    # ------------------------------------------------------------------------------------------------ solving

    def solve(self, *, tol=1e-6, method="qr", on_singular="min_norm"):
        """Least squares coefficients.

        Columns are scaled to unit norm. A column is dependent if the others explain it up to a residual of norm `tol`.
        ``method``: "qr" (pivoted where the rank is in doubt), "svd" (rank by singular values, also for fewer
        rows than columns), "normal" (normal equations). ``on_singular``: "min_norm" gives the coefficients of smallest
        norm, "drop" NaN for dependent columns.
        """
        A, B, p = self.design, self.targets, self.n_features
        scale = self.scales()
        divisor = np.where(scale > 0, scale, 1.0)
        A = np.where(scale > 0, A / divisor, 0.0)
        tol = max(tol, max(A.shape) * EPS)
        square = self.triangular and A.shape[0] >= p
        if square and np.all(scale > 0) and surely_full_rank(A[:p], tol) and method != "svd":
            if method == "normal":
                coef = linalg.solve(A[:p].T @ A[:p], A[:p].T @ B[:p], assume_a="sym", check_finite=False)
                rss = np.sum((B - A @ coef) ** 2, axis=0)
            else:
                coef = linalg.solve_triangular(A[:p], B[:p], check_finite=False)
                rss = np.sum(B[p:] ** 2, axis=0)
            return LeastSquaresSolution(coef / divisor[:, None], p, np.empty(0, dtype=np.intp), rss)

        # Row space of the design: A = Q C up to the tolerance, C of full row rank.
        if method == "svd" or A.shape[0] < p:
            Q, s, Vt = _wide_svd(A)
            rank = int(np.sum(s > tol * s[0])) if s.size and s[0] > 0 else 0
            C = s[:rank, None] * Vt[:rank]
        else:
            Q, T, pivot = linalg.qr(A, mode="economic", pivoting=True, check_finite=False)
            rank = int(np.sum(np.abs(np.diag(T)) > tol))
            C = np.empty((rank, p))
            C[:, pivot] = T[:rank]
        Q = Q[:, :rank]
        target = Q.T @ B
        rss = np.sum((B - Q @ target) ** 2, axis=0)
        independent = np.arange(p) if rank == p else independent_columns(A, rank, tol)
        aliased = np.setdiff1d(np.arange(p), independent)
        if on_singular == "drop" and rank < p:
            coef = np.full((p, B.shape[1]), np.nan)
            Q, T = linalg.qr(A[:, independent], mode="economic", check_finite=False)
            coef[independent] = linalg.solve_triangular(T, Q.T @ B, check_finite=False) / divisor[independent, None]
        else:
            coef = minimum_norm(C * divisor, target)
            coef[scale == 0] = 0.0
        return LeastSquaresSolution(coef, rank, aliased, rss)

    def only_intercept_repeated(self, aliased):
        """Whether the only dependences are with the intercept: constant columns, and columns that sum to one.

        These leave the predictions and the meaning of the other slopes alone. `aliased` are the dependent columns.
        """
        if not self.intercept:
            return False
        scale = self.scales()
        varying = aliased[scale[aliased] > 0]
        if len(varying) == 0:
            return True
        if len(varying) > 1:
            return False
        repeated = np.setdiff1d(np.flatnonzero(scale > 0), varying)
        Q, T = linalg.qr(self.design[:, repeated] / scale[repeated], mode="economic", check_finite=False)
        slopes = linalg.solve_triangular(T, Q.T @ self.design[:, varying[0]], check_finite=False) / scale[repeated]
        involved = np.abs(slopes) * scale[repeated] > 1e-6 * scale[varying[0]]
        means = self.means[0]
        total = means[varying[0]] + means[repeated[involved]].sum()
        return bool(np.all(np.abs(slopes[involved] + 1.0) < 1e-6) and abs(total - 1.0) < 1e-6)

    def factor(self, kept):
        """Upper triangular T with T'T = the (centred) cross-products of the columns `kept`."""
        if self.triangular and len(kept) == self.n_features:
            return self.design[: self.n_features]
        scale = column_norms(self.design[:, kept])
        return _triangle(self.design[:, kept] / scale) * scale

    def centred_inverse(self, kept):
        """(Z'WZ)⁻¹ about the means for the columns `kept`: of (value at the means, slopes)."""
        c, r = int(self.intercept), len(kept)
        A = np.zeros((c + r, c + r))
        if c:
            A[0, 0] = 1.0 / self.total_weight
        inverse = linalg.solve_triangular(self.factor(kept), np.eye(r), check_finite=False)
        A[c:, c:] = inverse @ inverse.T
        return A

    def uncentre(self, V, kept):
        """Covariance of (intercept, slopes) from that of (value at the means, slopes)."""
        if not self.intercept:
            return V
        J = np.eye(len(V))
        J[0, 1:] = -self.means[0][kept]
        return J @ V @ J.T

    def inverse(self, kept):
        """(Z'WZ)⁻¹ for Z = [1, X] and the columns `kept`."""
        return self.uncentre(self.centred_inverse(kept), kept)

    def whiten(self, X, kept):
        """V of shape (rows, terms) with V V' = Z (Z'WZ)⁻¹ Z' for rows of a dense X."""
        c, r = int(self.intercept), len(kept)
        V = np.empty((X.shape[0], c + r))
        V[:, :c] = 1.0 / np.sqrt(self.total_weight)
        centred = (X[:, kept] - self.means[0][kept]).astype(np.float64, copy=False)
        V[:, c:] = linalg.solve_triangular(self.factor(kept), centred.T, trans="T", check_finite=False).T
        return V

    def unit_variance(self, X, kept):
        """z'(Z'WZ)⁻¹z for each row of a dense X, in blocks."""
        step = max(1, 2**18 // max(1, X.shape[1]))
        blocks = [np.sum(self.whiten(X[i : i + step], kept) ** 2, axis=1) for i in range(0, X.shape[0], step)]
        return np.concatenate(blocks)


def column_norms(A):
    """Euclidean norms of the columns, safe against overflow."""
    largest = np.max(np.abs(A), axis=0, initial=0.0)
    largest[largest == 0.0] = 1.0
    return largest * np.sqrt(np.sum((A / largest) ** 2, axis=0))


def surely_full_rank(T, tol):
    """Whether the smallest singular value of a triangular T is above `tol` beyond doubt."""
    if not np.all(np.diag(T)):
        return False
    rcond, _ = linalg.lapack.dtrcon(np.asfortranarray(T), norm="1")
    # rcond estimates 1 / (|T|_1 |T^-1|_1) within a small factor, and sigma_min >= 1 / (sqrt(p) |T^-1|_1).
    return rcond * np.max(np.sum(np.abs(T), axis=0)) > 10.0 * np.sqrt(len(T)) * tol


def minimum_norm(C, target):
    """The b of smallest norm with C b = target, C of full row rank."""
    if C.shape[0] == 0:
        return np.zeros((C.shape[1], target.shape[1]))
    Q, T = linalg.qr(C.T, mode="economic", check_finite=False)
    if not np.isfinite(T).all():
        return np.full((C.shape[1], target.shape[1]), np.nan)
    if not np.all(np.diag(T)):  # a row has underflowed
        return linalg.lstsq(C, target, check_finite=False)[0]
    return Q @ linalg.solve_triangular(T, target, trans="T", check_finite=False)


def _wide_svd(A):
    """Thin singular value decomposition; of a wide A through the small triangle of its rows."""
    if A.shape[0] >= A.shape[1]:
        return linalg.svd(A, full_matrices=False, check_finite=False)
    Q, T = linalg.qr(A.T, mode="economic", check_finite=False)
    U, s, Vt = linalg.svd(T.T, check_finite=False)
    return U, s, Vt @ Q.T


def singular_values(A):
    """Singular values of A; of a wide A through the small triangle of its rows."""
    if A.size == 0:
        return np.empty(0)
    return linalg.svdvals(A if A.shape[0] >= A.shape[1] else _triangle(A.T.copy(order="F")), check_finite=False)


def independent_columns(A, rank, tol):
    """The first `rank` columns, in order, that are not combinations of those before (columns have unit norm or 0)."""
    while True:
        basis = np.empty((A.shape[0], rank))
        chosen: list[int] = []
        for j in range(A.shape[1]):
            if len(chosen) == rank:
                break
            v, B = A[:, j], basis[:, : len(chosen)]
            for _ in range(2):  # two passes are enough for orthogonality up to rounding
                v = v - B @ (B.T @ v)
            norm = np.linalg.norm(v)
            if norm > tol:
                basis[:, len(chosen)] = v / norm
                chosen.append(j)
        if len(chosen) == rank or tol == 0.0:
            return np.array(chosen, dtype=np.intp)
        # Pivoting found more independent columns than the given order does at this tolerance.
        tol = tol / 10 if tol > EPS else 0.0


# ---------------------------------------------------------------------------------------------------- factors of blocks


def _triangle(Z):
    """The triangular factor of a QR decomposition."""
    return linalg.qr(Z, mode="r", overwrite_a=True, check_finite=False)[0][: min(Z.shape)]


def _factor_cross_products(cross, intercept):
    """R by a Cholesky factorisation of the scaled cross-products, or None if that is not accurate."""
    if not np.isfinite(cross.G).all():
        return None
    p, c = cross.n_features, int(intercept)
    m = len(cross.shift) - p
    Sxx, Sxy, Syy = cross.centred() if intercept else cross.uncentred()
    squares = np.diag(Sxx)
    if np.any(squares <= CANCELLED_BELOW * np.diag(cross.G)[:p]):
        return None
    factor = cholesky(Sxx)
    if factor is None or (rcond := factor.rcond) < QR_BELOW:
        return None
    mean_x, mean_y = cross.means() if intercept else (np.zeros(p), np.zeros(m))
    R = np.zeros((c + p + m, c + p + m))
    if intercept:
        R[0, 0] = np.sqrt(cross.total_weight)
    across = linalg.solve_triangular(factor.U, Sxy / factor.scale[:, None], trans="T", check_finite=False)
    R[c : c + p, c : c + p] = factor.upper
    R[c : c + p, c + p :] = across
    R[c + p :, c + p :] = _psd_factor(Syy - across.T @ across)
    return R, np.concatenate([mean_x, mean_y]), True, rcond


def _psd_factor(S):
    """A triangular factor of a matrix that is positive semidefinite up to rounding."""
    values, vectors = np.linalg.eigh(S)
    return np.linalg.qr(np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T, mode="r")


def _factor_rows(X, Y, weights, intercept, overwrite):
    """R by QR, a block of rows at a time under the triangle of the rows before."""
    del overwrite
    n, p = X.shape
    c, q = int(intercept), int(intercept) + p + Y.shape[1]
    # The column of ones absorbs the difference between the shift and the means.
    shift = np.concatenate([rough_centre(X), rough_centre(Y)]) if intercept else np.zeros(q)
    step = max(8 * q, 2**15 // q)  # a block of a narrow matrix fits in the cache
    R = np.empty((0, q))
    # Below about 2^13 entries BLAS uses one thread anyway.
    with single_blas_thread() if q <= _NARROW and n * q > 2**13 else contextlib.nullcontext():
        for start in range(0, n, step):
            rows = slice(start, min(n, start + step))
            Z = np.empty((len(R) + rows.stop - start, q), order="F")
            Z[: len(R)] = R
            block = Z[len(R) :]
            block[:, :c] = 1.0
            np.subtract(X[rows], shift[:p], out=block[:, c : c + p])
            np.subtract(Y[rows], shift[p:], out=block[:, c + p :])
            if weights is not None:
                block *= np.sqrt(weights[rows], dtype=np.float64)[:, None]
            R = _triangle(Z)
    return R, shift, True, np.inf


def _centre_wide(X, Y, weights, intercept, overwrite):
    """R for data with no more rows than columns: the centred rows themselves."""
    n, p = X.shape
    c = int(intercept)
    in_place = overwrite and X.dtype == np.float64 and X.flags.writeable
    A = X if in_place else np.array(X, dtype=np.float64, order="F")
    B = np.array(Y, dtype=np.float64)
    shift = np.zeros(p + Y.shape[1])
    if intercept:
        share = np.full(n, 1.0 / n) if weights is None else weights / np.sum(weights, dtype=np.float64)
        for _ in range(2):  # the second round removes the rounding of the first mean
            mean = np.concatenate([share @ A, share @ B])
            A -= mean[:p]
            B -= mean[p:]
            shift += mean
    if weights is not None:
        root = np.sqrt(weights, dtype=np.float64)[:, None]
        A *= root
        B *= root
    R = np.zeros((c + n, c + p + Y.shape[1]))
    if intercept:
        R[0, 0] = np.sqrt(n if weights is None else np.sum(weights, dtype=np.float64))
    R[c:, c : c + p] = A
    R[c:, c + p :] = B
    return R, shift, False, np.inf


# ---------------------------------------------------------------------------------------------------- refinement


def refine(statistic, solution, X, Y, weights):
    """One step of iterative refinement on the residuals of the data; also makes the residual sums exact.

    One pass over X. Changes `solution`. Requires full rank.
    """
    mean_x, mean_y = statistic.means
    gradient = np.zeros_like(solution.coef)
    squares = np.zeros(solution.coef.shape[1])
    step = max(64, 2**16 // X.shape[1])
    for start in range(0, X.shape[0], step):
        rows = slice(start, start + step)
        block = X[rows].astype(np.float64, copy=False)
        if not sparse.issparse(X):
            block = block - mean_x
            fitted = block @ solution.coef
        else:
            fitted = block @ solution.coef - mean_x @ solution.coef
        residual = Y[rows] - mean_y - fitted
        weighted = residual if weights is None else residual * weights[rows, None]
        gradient += block.T @ weighted
        if sparse.issparse(X):
            gradient -= np.outer(mean_x, weighted.sum(axis=0))
        squares += np.sum(weighted * residual, axis=0)
    T = statistic.design[: statistic.n_features]
    change = linalg.solve_triangular(T, gradient, trans="T", check_finite=False)
    change = linalg.solve_triangular(T, change, check_finite=False)
    solution.coef = solution.coef + change
    # |y - X(b + d)|^2 = |y - Xb|^2 - d' X'X d at the solution.
    solution.rss = np.maximum(squares - np.sum(gradient * change, axis=0), 0.0)


def worth_refining(statistic, solution):
    """Whether a pass over the residuals restores accuracy lost by cross-products."""
    if statistic.rcond == np.inf or solution.rank < statistic.n_features:
        return False
    return statistic.rcond < REFINE_BELOW or bool(np.any(solution.rss < SMALL_RESIDUAL * statistic.tss))
