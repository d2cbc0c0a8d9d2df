"""Extreme eigenpairs of large symmetric matrices: block Krylov iteration, and multigrid for sparse graphs."""

import numpy as np
from scipy import linalg

from statlearn._core.blas import single_blas_thread
from statlearn._core.native import common as native
from statlearn._core.warnings import MAX_ITER, OK
from statlearn._math.linalg.sparse_arrays import compressed_arrays

_MOST_COLUMNS = 320  # of a Krylov basis before it is restarted
_WIDTH = 8  # columns that the native product takes at a time
_SMALL = 400  # rows up to which a complete decomposition is as fast (empirical)


def eigh(A):
    """All eigenvalues of a finite symmetric matrix, increasing, and their vectors.

    By divide and conquer: LAPACK's method of relatively robust representations, scipy's default, does not return for
    some matrices whose entries span the range of floating-point numbers.
    """
    return linalg.eigh(A, driver="evd", check_finite=False)


def eigh_between(A, first, last):
    """The eigenvalues at positions `first` to `last` in increasing order of a symmetric matrix, and their vectors.

    LAPACK's method finds fewer than asked for, or none, where many eigenvalues are equal: then all are computed.
    """
    values, vectors = linalg.eigh(A, subset_by_index=(first, last))
    if len(values) <= last - first:
        values, vectors = eigh(A)
        values, vectors = values[first : last + 1], vectors[:, first : last + 1]
    return values, vectors


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
    tol : float, default=1e-10
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
    values, vectors = eigh_between(A, n - k, n - 1)
    return values[::-1], fixed_signs(vectors[:, ::-1])


def smallest_graph_eigenpairs(A, k, *, null, near, random_state, tol, max_iter=300):
    """The k smallest eigenvalues of the Laplacian of a sparse graph in increasing order, and their vectors.

    Conjugate gradients for eigenvectors, preconditioned by a multigrid cycle: a few products with the matrix for each
    digit, whatever the gap and the number of rows.

    Parameters
    ----------
    A : CSR array of shape (n, n)
        Symmetric and positive semi-definite, with a stored diagonal and edges as negative entries.
    k : int
    null : ndarray of shape (n, c)
        Orthonormal vectors with eigenvalue 0, fewer than k. The search is orthogonal to them.
    near : ndarray of shape (n,)
        A vector without zeros and with eigenvalue (almost) 0.
    random_state : RandomState
        Seed of the initial vectors that the coarse graphs cannot give.
    tol : float
        Largest residual norm.
    max_iter : int, default=300

    Returns
    -------
    values, vectors, status
    """
    n, c = null.shape
    values, vectors = np.empty(k - c), np.empty((n, k - c))
    with single_blas_thread():
        _, _, status = native.smallest_pairs(
            *compressed_arrays(A),
            np.ascontiguousarray(null),
            np.ascontiguousarray(near),
            float(tol),
            max_iter,
            random_state.randint(2**31),
            values,
            vectors,
        )
    return np.concatenate([np.zeros(c), values]), np.hstack([null, vectors]), status


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
    (n, c), width = known.shape, start.shape[1]
    wanted, limit = k - c, min(_MOST_COLUMNS, n - c)
    # The basis V, behind the known vectors, and T = V'AV. A V = V T + (the following block) R on its last columns.
    room = np.empty((n, c + limit + 2 * width), order="F")
    room[:, :c] = known
    T = np.zeros((limit + 2 * width, limit + 2 * width))
    room[:, c : c + width] = _outside(room[:, :c], start)[0]
    used = width
    for step in range(1, max_passes + 1):
        last = slice(used - width, used)
        following, along, R = _outside(room[:, : c + used], apply(room[:, c + used - width : c + used]))
        T[:used, last] = along[c:]
        T[last, :used] = along[c:].T
        full = used + width > limit
        if step % 2 == 0 or full or step == max_passes:
            values, combination = np.linalg.eigh(T[:used, :used])
            values, combination = values[::-1], combination[:, ::-1]
            residual = R @ combination[last, :wanted]
            status = OK if np.linalg.norm(residual, axis=0).max() <= tol else MAX_ITER
            if status == OK or step == max_passes:
                vectors = room[:, c : c + used] @ combination[:, :wanted]
                all_values = np.concatenate([np.full(c, known_value), values[:wanted]])
                return all_values, np.hstack([known, vectors]), status
            if full:
                n_restart = min(wanted + width, used)
                room[:, c : c + n_restart] = room[:, c : c + used] @ combination[:, :n_restart]
                T[:used, :used] = 0.0
                T[np.arange(n_restart), np.arange(n_restart)] = values[:n_restart]
                used = n_restart
        room[:, c + used : c + used + width] = following
        used += width
    raise AssertionError("unreachable")


def _outside(basis, block):
    """Orthonormal directions Q of a block outside the basis, with block = basis A + Q R; returns Q, A and R.

    Done twice to remove rounding errors.
    """
    A = basis.T @ block
    Q, R = np.linalg.qr(block - basis @ A)
    again = basis.T @ Q
    Q, turn = np.linalg.qr(Q - basis @ again)
    return Q, A + again @ R, turn @ R
