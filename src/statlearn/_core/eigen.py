"""Leading eigenpairs of large symmetric matrices and operators, by block Krylov iteration."""

import numpy as np
from scipy import linalg

from .blas import single_blas_thread
from .native import common as native
from .warnings import MAX_ITER, OK

_MOST_COLUMNS = 320  # of a Krylov basis before it is restarted
_WIDTH = 8  # columns that the native product takes at a time
_SMALL = 400  # rows up to which a complete decomposition is as fast (empirical)


def symmetric_product(A, V, *, diagonal=True):
    """A V for a dense symmetric A in C order, which is read once; without `diagonal`, as if its diagonal were zero."""
    columns = V.shape[1]
    wide = np.ascontiguousarray(V, dtype=np.float64)
    if columns % _WIDTH:
        wide = np.zeros((V.shape[0], -(-columns // _WIDTH) * _WIDTH))
        wide[:, :columns] = V
    product = np.empty_like(wide)
    native.symmetric_product(A, wide, diagonal, product)
    return product[:, :columns]


def fixed_signs(vectors):
    """Columns with the sign that makes the entry of largest absolute value positive; the first one among equals."""
    size = np.abs(vectors)
    # Equal up to rounding: otherwise the sign would depend on the machine.
    largest = (size >= (1 - 1e-9) * size.max(axis=0)).argmax(axis=0), np.arange(vectors.shape[1])
    return vectors * np.where(vectors[largest] < 0, -1.0, 1.0)


def leading_eigenpairs(A, k, random_state, *, tol=1e-10):
    """The k algebraically largest eigenvalues of a dense symmetric matrix, decreasing, and their vectors.

    Parameters
    ----------
    A : ndarray of shape (n, n), C order, float64
    k : int
    random_state : RandomState
        Seed of the initial block.
    tol : float
        Largest residual, relative to the largest absolute eigenvalue found; a complete decomposition follows if it is
        not reached.
    """
    n = A.shape[0]
    if n > _SMALL and k <= n // 10:
        start = random_state.standard_normal((n, -(-(k + 2) // _WIDTH) * _WIDTH))
        scale = np.linalg.norm(symmetric_product(A, start / np.linalg.norm(start, axis=0)), axis=0).max()
        none = np.empty((n, 0))
        values, vectors, status = largest_eigenpairs(
            lambda V: symmetric_product(A, V), start, k, known=none, known_value=0.0, tol=tol * scale, max_passes=60
        )
        if status == OK:
            return values, fixed_signs(vectors)
    values, vectors = linalg.eigh(A, subset_by_index=(n - k, n - 1), check_finite=False)
    return values[::-1], fixed_signs(vectors[:, ::-1])


def largest_eigenpairs(apply, start, k, *, known, known_value, tol, max_passes):
    """The k largest eigenvalues of a symmetric operator in decreasing order, by restarted block Krylov iteration.

    Parameters
    ----------
    apply : callable
        Maps a block of vectors to a block of vectors.
    start : ndarray of shape (n, width)
        An eigenvalue of multiplicity m needs m columns, apart from those in `known`.
    k : int
    known : ndarray of shape (n, c)
        Orthonormal eigenvectors of the largest eigenvalue, which is `known_value`. The search is orthogonal to them.
    tol : float
        Largest residual norm.
    max_passes : int
        Maximum number of calls of `apply`.

    Returns
    -------
    values, vectors, status
    """
    with single_blas_thread():  # many small products in a row, between which a native one uses its own threads
        return _block_krylov(apply, start, k, known, known_value, tol, max_passes)


def _block_krylov(apply, start, k, known, known_value, tol, max_passes):
    wanted = k - known.shape[1]
    V = _new_directions(known, start)
    basis, images = V, np.empty((V.shape[0], 0))
    for step in range(1, max_passes + 1):
        image = apply(V)
        images = np.hstack([images, image])
        following = _new_directions(np.hstack([known, basis]), image)
        full = basis.shape[1] + V.shape[1] > min(_MOST_COLUMNS, basis.shape[0] - known.shape[1])
        if step % 2 == 0 or full or step == max_passes:
            values, combination = np.linalg.eigh(_halves(basis.T @ images))
            values, combination = values[::-1], combination[:, ::-1]
            vectors = basis @ combination[:, :wanted]
            residual = images @ combination[:, :wanted] - vectors * values[:wanted]
            status = OK if np.linalg.norm(residual, axis=0).max() <= tol else MAX_ITER
            if status == OK or step == max_passes:
                found = np.concatenate([np.full(known.shape[1], known_value), values[:wanted]])
                return found, np.hstack([known, vectors]), status
            if full:
                keep = combination[:, : wanted + V.shape[1]]
                basis, images = basis @ keep, images @ keep
        V = following
        basis = np.hstack([basis, V])
    raise AssertionError("unreachable")


def _halves(T):
    return 0.5 * (T + T.T)


def _new_directions(basis, block):
    """Orthonormal directions of a block outside the basis; done twice to remove rounding errors."""
    for _ in range(2):
        block = np.linalg.qr(block - basis @ (basis.T @ block))[0]
    return block
