"""Additive statistics: sufficient statistics of a fit, summed over blocks of rows.

An estimator based on one of these can be fitted from one block (`fit`), from a stream of blocks (`partial_fit`) or from
the blocks of a cluster, merged in any tree, without a second implementation.
"""

from typing import Protocol, Self, runtime_checkable

import numpy as np
from scipy import sparse

from statlearn._core import native

from ..linalg.sparse_arrays import canonical, compressed_arrays

# Beyond this width the cross-products come from BLAS, which needs no matrix per chunk of rows (empirical).
NATIVE_WIDTH = 512
# Beyond this width a dense matrix per chunk of sparse rows would be too much memory.
_SPARSE_WIDTH = 1024


@runtime_checkable
class AdditiveStatistic(Protocol):
    """The protocol: make one from a block of rows, add two, solve."""

    @classmethod
    def from_block(cls, X, y, weights=None) -> Self: ...

    def merge(self, other) -> Self: ...

    def solve(self, **parameters): ...


def rough_centre(columns):
    """A point near the middle of each column: the mean of some 256 evenly spaced rows.

    Not finite if those rows are not; callers detect this in the quantities computed from it.
    """
    step = max(1, columns.shape[0] // 256)
    with np.errstate(invalid="ignore", over="ignore"):
        return columns[::step].mean(axis=0, dtype=np.float64)


class CrossProducts:
    """Weighted sums, cross-products and target products of a block of rows.

    Contains ``G = Z' diag(w) Z`` with ``Z = [X - shift, Y - shift_y, 1]`` in double precision. The shift avoids the
    loss of accuracy for data far from zero and cancels in every result.

    Parameters
    ----------
    G : ndarray of shape (p + m + 1, p + m + 1)
    shift : ndarray of shape (p + m,)
    n_features : int
    n_rows : int
        Rows with a positive weight.
    """

    def __init__(self, G, shift, n_features, n_rows):
        self.G, self.shift, self.n_features, self.n_rows = G, shift, n_features, n_rows

    @classmethod
    def from_block(cls, X, y, weights=None, *, centre=True):
        """One pass over the rows of X (dense or sparse) and y ((n,) or (n, m)).

        With ``centre=False`` the shift is 0, for fits without an intercept.
        """
        Y = y.reshape(len(y), -1)
        p, m = X.shape[1], Y.shape[1]
        q = p + m + 1
        rows = X.shape[0] if weights is None else int(np.count_nonzero(weights))
        shift = np.zeros(q - 1)
        if centre:
            shift[p:] = rough_centre(Y)
            if not sparse.issparse(X):
                shift[:p] = rough_centre(X)
        G = np.empty((q, q))
        if sparse.issparse(X) or q > NATIVE_WIDTH:
            _fill_by_blas(X, Y, weights, shift, G)
        else:
            if not (X.flags.c_contiguous or X.flags.f_contiguous):
                X = np.ascontiguousarray(X)
            Y = np.ascontiguousarray(Y, dtype=X.dtype)
            if weights is not None:
                weights = np.ascontiguousarray(weights, dtype=X.dtype)
            native.common.gram_with_targets(X, Y, weights, shift, G)
        return cls(G, shift, p, rows)

    def moved_to(self, shift):
        """The statistic about another shift."""
        d = np.append(np.asarray(shift) - self.shift, 0.0)
        g, total = self.G[:, -1].copy(), self.G[-1, -1]
        G = self.G - np.outer(d, g) - np.outer(g, d) + total * np.outer(d, d)
        return CrossProducts(G, np.array(shift, dtype=np.float64), self.n_features, self.n_rows)

    def merge(self, other):
        """The statistic of both blocks together."""
        if self.G.shape != other.G.shape or self.n_features != other.n_features:
            raise ValueError("Blocks with different numbers of columns cannot be merged.")
        G = self.G + other.moved_to(self.shift).G
        return CrossProducts(G, self.shift, self.n_features, self.n_rows + other.n_rows)

    @property
    def total_weight(self):
        return self.G[-1, -1]

    def means(self):
        """Weighted means of X (p,) and Y (m,)."""
        mean = self.shift + self.G[-1, :-1] / self.total_weight
        return mean[: self.n_features], mean[self.n_features :]

    def centred(self):
        """Cross-products about the means: Sxx (p, p), Sxy (p, m), Syy (m, m)."""
        g = self.G[-1, :-1]
        return self._split(self.G[:-1, :-1] - np.outer(g, g) / self.total_weight)

    def uncentred(self):
        """Cross-products about zero: X'WX, X'WY, Y'WY."""
        return self._split(self.moved_to(np.zeros_like(self.shift)).G[:-1, :-1])

    def _split(self, S):
        p = self.n_features
        return S[:p, :p], S[:p, p:], S[p:, p:]


def fold_cross_products(X, y, weights, folds):
    """`CrossProducts` of the training and of the test rows of each fold, pair by pair; `folds` are index arrays.

    If the test parts partition the rows, every row is read once, and a training part is the sum of the other test
    parts. A sum is used, because a difference from the total would be inaccurate if the held-out rows dominate.
    """

    def part(rows):
        return CrossProducts.from_block(X[rows], y[rows], None if weights is None else weights[rows])

    width = X.shape[1] + y.reshape(len(y), -1).shape[1] + 1
    # The matrices of all folds, stored twice below, may use as much memory as the data, or 32 MB.
    small = 2 * len(folds) * width**2 <= max(2**22, X.size)
    if not (small and divide_the_rows(folds, len(y))):
        for train, test in folds:
            yield part(train), part(test)
        return
    tests = [part(test) for _, test in folds]
    after = [None] * len(tests)
    for k in range(len(tests) - 1, 0, -1):
        after[k - 1] = tests[k] if after[k] is None else tests[k].merge(after[k])
    before = None
    for test, rest in zip(tests, after):
        yield (before.merge(rest) if before is not None and rest is not None else before or rest), test
        before = test if before is None else before.merge(test)


def divide_the_rows(folds, n):
    """Whether every row is in exactly one test part, and each training part contains all other rows."""
    times = np.zeros(n, dtype=np.intp)
    for train, test in folds:
        seen = np.zeros(n, dtype=bool)
        seen[train] = True
        seen[test] = True
        if len(train) + len(test) != n or not seen.all():
            return False
        times[test] += 1
    return len(folds) > 1 and bool(np.all(times == 1))


def _fill_by_blas(X, Y, weights, shift, G):
    """The wide or sparse case of `CrossProducts.from_block`, in blocks of rows where X is dense."""
    p = X.shape[1]
    if sparse.issparse(X):
        W = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        rest = np.column_stack([Y - shift[p:], np.ones(len(Y))]).astype(np.float64)
        weighted = rest if W is None else W[:, None] * rest
        G[:p, :p] = _sparse_gram(X, W)
        G[:p, p:] = X.T @ weighted
        G[p:, p:] = rest.T @ weighted
    else:
        G[:] = 0.0
        block = max(256, 2**21 // G.shape[0])
        for start in range(0, X.shape[0], block):
            rows = slice(start, start + block)
            Z = np.empty((X[rows].shape[0], G.shape[0]))
            Z[:, :p] = X[rows] - shift[:p]
            Z[:, p:-1] = Y[rows] - shift[p:]
            Z[:, -1] = 1.0
            if weights is not None:
                Z *= np.sqrt(weights[rows], dtype=np.float64)[:, None]
            G += Z.T @ Z  # numpy sees the same array twice and calls syrk
    G[p:, :p] = G[:p, p:].T


def _sparse_gram(X, weights):
    """X' diag(w) X as a dense array."""
    p = X.shape[1]
    if p > _SPARSE_WIDTH or X.nnz > np.iinfo(np.int32).max:
        X = X.astype(np.float64)
        return (X.T @ (X if weights is None else sparse.diags_array(weights) @ X)).toarray()
    G = np.empty((p, p))
    native.common.gram_sparse_rows(*compressed_arrays(canonical(X.tocsr())), weights, G)
    return G


def gram_with_intercept(X, weights, fit_intercept):
    """Z' diag(weights) Z for Z = [1, X] or X."""
    statistic = CrossProducts.from_block(X, np.zeros(X.shape[0]), weights, centre=False)
    G = statistic.G
    p = X.shape[1]
    order = [p + 1, *range(p)] if fit_intercept else list(range(p))
    return G[np.ix_(order, order)]
