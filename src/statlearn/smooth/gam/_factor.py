"""Factors of penalised cross-products, and products with matrices of blocks."""

import numpy as np
from scipy.linalg.lapack import dpotri, dpotrs

from statlearn._math.linalg.positive import regularised_cholesky


class GamFactor:
    """The factor of a positive definite matrix H that may be diagonal in some of its columns.

    The cross-products of the indicators of L levels are diagonal. With q other columns, H is reduced to the diagonal D
    and H_qq - H_qL D^-1 H_Lq. A factor then costs L q² and the inverse L² q, instead of the cube of L + q.

    Parameters
    ----------
    H : ndarray of shape (P, P)
    diagonal : slice or None, default=None
        Columns among which H is diagonal.
    """

    def __init__(self, H, diagonal=None):
        self.H, self.diagonal = H, diagonal
        if diagonal is None:
            self.R = regularised_cholesky(H).upper
            return
        self.rest = np.delete(np.arange(len(H)), diagonal)
        self.d = np.diagonal(H)[diagonal].copy()
        if not np.all(self.d > 0):
            raise np.linalg.LinAlgError("the penalised cross-products are not positive definite")
        across = H[diagonal][:, self.rest]
        self.slopes = across / self.d[:, None]
        block = H[np.ix_(self.rest, self.rest)]
        self.R = regularised_cholesky(block - across.T @ self.slopes, size=np.diagonal(block)).upper

    @property
    def log_det(self):
        value = 2.0 * np.log(np.diagonal(self.R)).sum()
        return value if self.diagonal is None else value + np.log(self.d).sum()

    def solve(self, B):
        """H^-1 B."""
        if self.diagonal is None:
            return dpotrs(self.R, B)[0]
        out, right = np.empty_like(B), B[self.diagonal]
        solution = dpotrs(self.R, B[self.rest] - self.slopes.T @ right)[0]
        out[self.rest] = solution
        out[self.diagonal] = (right.T / self.d).T - self.slopes @ solution
        return out

    def inverse(self):
        """H^-1."""
        half = dpotri(self.R, lower=0)[0] if len(self.R) else self.R  # LAPACK prints a complaint about an empty matrix
        inverse = np.triu(half)
        inverse += np.triu(half, 1).T
        if self.diagonal is None:
            return inverse
        out, across = np.empty_like(self.H), -self.slopes @ inverse
        out[np.ix_(self.rest, self.rest)] = inverse
        out[self.diagonal, self.rest] = across
        out[self.rest, self.diagonal] = across.T
        levels = out[self.diagonal, self.diagonal]
        np.matmul(across, -self.slopes.T, out=levels)
        levels[np.diag_indices_from(levels)] += 1.0 / self.d
        return out


class BlockColumns:
    """A matrix of blocks side by side, each in its own rows; products skip the zeros.

    Parameters
    ----------
    blocks : list of (slice or ndarray of int, ndarray)
        The rows of each block, and the block: a matrix, or the diagonal of one.
    """

    def __init__(self, blocks):
        self.blocks = blocks
        self.starts = np.cumsum([0, *(block.shape[-1] for _, block in blocks)])
        self.width = int(self.starts[-1])

    def after(self, A):
        """A times this matrix."""
        out = np.empty((len(A), self.width))
        for (at, block), start in zip(self.blocks, self.starts, strict=False):
            columns = out[:, start : start + block.shape[-1]]
            if block.ndim == 1:
                np.multiply(A[:, at], block, out=columns)
            else:
                np.matmul(A[:, at], block, out=columns)
        return out

    def before(self, x):
        """This matrix, transposed, times a vector."""
        return self.after(x[None])[0]

    def times(self, x, rows):
        """This matrix, with the given number of rows, times a vector."""
        out = np.zeros(rows)
        for (at, block), start in zip(self.blocks, self.starts, strict=False):
            part = x[start : start + block.shape[-1]]
            out[at] += block * part if block.ndim == 1 else block @ part
        return out

    def back(self, A, rows):
        """This matrix times a symmetric A times this matrix transposed, with the given number of rows."""
        half = np.zeros((rows, self.width))
        for (at, block), start in zip(self.blocks, self.starts, strict=False):
            part = A[start : start + block.shape[-1]]
            half[at] += block[:, None] * part if block.ndim == 1 else block @ part
        out = np.zeros((rows, rows))
        for (at, block), start in zip(self.blocks, self.starts, strict=False):
            part = half[:, start : start + block.shape[-1]]
            out[:, at] += part * block if block.ndim == 1 else part @ block.T
        return out

    def around(self, A):
        """A symmetric A with this matrix on both sides, transposed on the left."""
        half, out = self.after(A), np.empty((self.width, self.width))
        for (at, block), start in zip(self.blocks, self.starts, strict=False):
            rows = out[start : start + block.shape[-1]]
            if block.ndim == 1:
                np.multiply(half[at], block[:, None], out=rows)
            else:
                np.matmul(block.T, half[at], out=rows)
        return out


def times(A, G, diagonal):
    """A G for a symmetric G that is diagonal among some columns (or None)."""
    if diagonal is None:
        return A @ G
    rest = np.delete(np.arange(len(G)), diagonal)
    out = np.empty((len(A), len(G)))
    out[:, rest] = A @ G[:, rest]
    out[:, diagonal] = A[:, rest] @ G[rest, diagonal] + A[:, diagonal] * np.diagonal(G)[diagonal]
    return out


def as_slice(places):
    """Increasing places as a slice, if there are no gaps: what it takes is not copied."""
    if len(places) and places[-1] - places[0] == len(places) - 1:
        return slice(int(places[0]), int(places[-1]) + 1)
    return places


def is_diagonal(S):
    return np.count_nonzero(S) == np.count_nonzero(np.diagonal(S))
