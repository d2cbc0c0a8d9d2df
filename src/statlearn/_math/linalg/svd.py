"""Signs of singular vectors, and the leading ones of large dense or sparse matrices by block Krylov iteration."""

import numpy as np
from scipy import linalg, sparse

from statlearn._core.blas import single_blas_thread
from statlearn._core.native import decomposition as native
from statlearn._core.validation import require_finite

from .sparse_arrays import canonical, compressed_arrays

_DEPENDENT = 1e-10  # part of a unit vector outside of a space that counts as rounding
_WIDTH = 8  # numbers that the native product handles at a time


def signed(U, Vt):
    """The factors with the entry of largest absolute value of each row of Vt positive, the first one among equals."""
    size = np.abs(Vt)
    if size.shape[0] == 0 or size.shape[1] == 0:
        return U, Vt
    # Equal up to rounding: otherwise the sign would depend on the machine.
    largest = (size >= (1 - 1e-9) * size.max(axis=1, keepdims=True)).argmax(axis=1)
    sign = np.where(Vt[np.arange(len(Vt)), largest] < 0, -1.0, 1.0).astype(Vt.dtype)
    return (None if U is None else U * sign), Vt * sign[:, None]


class Operator:
    """Products of X - 1 mean' (rows scaled by the roots of the weights) and of its transpose with blocks of vectors.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, p)
    mean : ndarray of shape (p,) or None, default=None
    root_weights : ndarray of shape (n,) or None, default=None
    """

    def __init__(self, X, mean=None, root_weights=None):
        self.shape = X.shape
        self._mean, self._root = mean, root_weights
        self._X = X
        if sparse.issparse(X):
            rows, columns = canonical(X.tocsr()), canonical(X.tocsc())
            self._rows, self._columns = compressed_arrays(rows), compressed_arrays(columns)

    def times(self, V):
        """(n, k) for V of shape (p, k)."""
        product = _sparse_product(self._rows, V) if sparse.issparse(self._X) else self._X @ V
        if self._mean is not None:
            product -= self._mean @ V
        if self._root is not None:
            product *= self._root[:, None]
        return product

    def transposed_times(self, U):
        """(p, k) for U of shape (n, k)."""
        if self._root is not None:
            U = U * self._root[:, None]
        product = _sparse_product(self._columns, U) if sparse.issparse(self._X) else self._X.T @ U
        if self._mean is not None:
            product -= np.outer(self._mean, U.sum(axis=0))
        return product


def _sparse_product(arrays, V):
    """A V for A in compressed rows; `arrays` are its values, column numbers and row starts."""
    values, indices, starts = arrays
    columns = V.shape[1]
    wide = np.zeros((V.shape[0], -(-columns // _WIDTH) * _WIDTH))
    wide[:, :columns] = V
    product = np.empty((len(starts) - 1, wide.shape[1]))
    native.sparse_times(values, indices, starts, wide, product)
    return product[:, :columns] if wide.shape[1] > columns else product


def leading_svd(X, k, random_state, *, mean=None, root_weights=None, oversamples=10, n_iter=5, tol=None):
    """The k largest singular values of X - 1 mean' with their vectors, decreasing, signs fixed by the right ones.

    Block Krylov iteration with complete reorthogonalisation, on the smaller side of X.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, p)
    k : int
    random_state : RandomState
        Seed of the initial block.
    mean, root_weights : ndarray or None, default=None
        As in `Operator`.
    oversamples : int, default=10
        Directions beyond k.
    n_iter : int, default=5
        Number of passes over X and its transpose, if `tol` is None.
    tol : float or None, default=None
        Stop once the residuals of the k eigenpairs of X'X are at most `tol` times the largest eigenvalue. None makes
        `n_iter` + 1 passes.
    """
    A = Operator(X, mean, root_weights)
    n, p = A.shape
    wide = p > n
    apply_gram = (lambda V: A.times(A.transposed_times(V))) if wide else (lambda V: A.transposed_times(A.times(V)))
    side = min(n, p)
    k = min(k, side)
    width = min(side, max(8, -(-(k + oversamples) // (2 if tol is None else 1))))
    max_width = side if tol is not None else min(side, max(k, width * (n_iter + 1)))
    with single_blas_thread() if sparse.issparse(X) else _no_limit():
        V = _gram_krylov(apply_gram, side, k, width, max_width, random_state, tol)
        image = A.transposed_times(V) if wide else A.times(V)
        # The images are orthogonal up to rounding; their decomposition restores the digits that squaring has lost.
        Q, R = linalg.qr(image, mode="economic", check_finite=False)
        left, s, right = linalg.svd(R, check_finite=False)
    outer, inner = Q @ left, V @ right.T
    U, Vt = (inner, outer.T) if wide else (outer, inner.T)
    U, Vt = signed(U[:, :k], Vt[:k])
    return U, s[:k], Vt


def _gram_krylov(apply, side, k, width, max_width, random_state, tol):
    """Orthonormal (side, k): the leading Ritz vectors of a positive semi-definite operator."""
    if width >= side:
        gram = _symmetric(apply(np.eye(side)))
        require_finite(gram)
        _, vectors = np.linalg.eigh(gram)
        return vectors[:, ::-1][:, :k]
    basis = np.empty((side, max_width), order="F")
    images = np.empty((side, max_width), order="F")
    V = linalg.qr(random_state.standard_normal((side, width)), mode="economic", check_finite=False)[0]
    T = np.zeros((max_width, max_width))
    size = 0
    while True:
        step = min(V.shape[1], max_width - size)
        V = V[:, :step]
        image = apply(V)
        require_finite(image)
        basis[:, size : size + step], images[:, size : size + step] = V, image
        T[: size + step, size : size + step] = basis[:, : size + step].T @ image
        size += step
        full = size >= max_width
        if full or (tol is not None and size >= k):
            upper = np.triu(T[:size, :size])
            values, combination = np.linalg.eigh(upper + np.triu(upper, 1).T)
            values, combination = values[::-1], combination[:, ::-1][:, :k]
            if full or _residual(basis, images, values, combination, size) <= tol * max(values[0], 0.0):
                return basis[:, :size] @ combination
        V = new_directions(basis[:, :size], image)
        if V.shape[1] == 0:  # an invariant subspace: directions outside of it restart at random
            V = new_directions(basis[:, :size], random_state.standard_normal((side, width)))


def new_directions(basis, block):
    """Orthonormal directions of a block outside an orthonormal basis; fewer than its columns if some add nothing.

    Within an invariant subspace, what is left of a column is rounding. Such columns are left out: normalised, they
    would lie in the span of the basis again.
    """
    length = np.linalg.norm(block, axis=0)
    block = block / np.where(length > 0, length, 1.0)
    for _ in range(2):  # the second time removes the rounding errors of the first
        block = block - basis @ (basis.T @ block)
    block, R, _ = linalg.qr(block, mode="economic", pivoting=True, check_finite=False)
    block = block[:, np.abs(np.diag(R)) > _DEPENDENT]
    if block.shape[1]:
        block = linalg.qr(block - basis @ (basis.T @ block), mode="economic", check_finite=False)[0]
    return block


def _residual(basis, images, values, combination, size):
    rest = images[:, :size] @ combination - (basis[:, :size] @ combination) * values[: combination.shape[1]]
    return np.linalg.norm(rest, axis=0).max()


def _symmetric(T):
    return 0.5 * (T + T.T)


class _no_limit:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False
