"""Graph Laplacians and their smallest eigenvalues.

For similarities W (without self-similarities) and degrees D: L = D - W, L_sym = I - D^-1/2 W D^-1/2 and
L_rw = I - D^-1 W. A row without neighbours is a separate component with eigenvalue 0.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array, check_symmetric

from statlearn._core.blas import single_blas_thread
from statlearn._core.validation import require_finite
from statlearn._core.warnings import OK, warn_if_stopped
from statlearn._math.linalg.positive import large_cholesky
from statlearn._math.linalg.sparse_arrays import to_dense

from ..linalg.eigen import largest_eigenpairs, smallest_graph_eigenpairs, symmetric_product
from .similarity import scaled

_SHIFT = 1e-4  # of the inverse, in units of the largest eigenvalue: far below a gap that matters, far above rounding
_SMALL = 100  # rows of a matrix that is decomposed whole in a millisecond
_PASSES = 24  # products with the matrix before a factorisation pays
_ROUNDING = 1e-13  # smallest residual that an iteration can reach, in units of the largest eigenvalue


def check_affinity(W, name="affinity"):
    """Check that similarities form a square, symmetric, non-negative matrix; dense float64 in C order, or CSR."""
    W = check_array(W, accept_sparse="csr", dtype=np.float64, order="C", input_name=name)
    if W.shape[0] != W.shape[1]:
        raise ValueError(f"`{name}` must be a square matrix of similarities, got shape {W.shape}.")
    W = check_symmetric(W, raise_warning=True)
    smallest = W.data.min(initial=0.0) if sparse.issparse(W) else W.min(initial=0.0)
    if smallest < 0:
        raise ValueError(f"`{name}` contains negative similarities (minimum {smallest:g}); they must be at least 0.")
    return W


@dataclass
class Laplacian:
    """A graph Laplacian as a linear operator.

    Parameters
    ----------
    W : ndarray or CSR array
        Similarities, from `check_affinity`.
    kind : {"sym", "rw", "unnormalized"}
        "rw" is worked on as "sym", to which it is similar.
    """

    W: object
    kind: str

    def __post_init__(self):
        # Self-similarities are left out, not subtracted: next to them the similarities of far rows would be lost.
        if sparse.issparse(self.W) and self.W.diagonal().any():
            self.W = sparse.csr_array(self.W, copy=True)
            self.W.setdiag(0.0)
        self.degree = self._times(np.ones((self.W.shape[0], 1))).ravel()
        require_finite(self.degree, remedy="Scale X, or the similarities.")
        self.alone = self.degree == 0
        self.root = np.sqrt(np.where(self.alone, 1.0, self.degree))

    @property
    def normalized(self):
        return self.kind != "unnormalized"

    @property
    def top(self):
        """Upper bound of the largest eigenvalue."""
        return 2.0 if self.normalized else 2.0 * max(float(self.degree.max()), np.finfo(float).tiny)

    def similar(self, V):
        """(top I - L) V: its largest eigenvalues are the smallest of L."""
        if self.normalized:
            product = self._times(V / self.root[:, None]) / self.root[:, None]
            return V + product + self.alone[:, None] * V
        return (self.top - self.degree)[:, None] * V + self._times(V)

    def _times(self, V):
        if sparse.issparse(self.W):
            return self.W @ V
        return symmetric_product(self.W, V, diagonal=False)

    def matrix(self):
        """L itself, dense or in compressed rows with a stored diagonal."""
        scale = 1.0 / self.root if self.normalized else np.ones_like(self.root)
        diagonal = np.where(self.alone, 0.0, 1.0) if self.normalized else self.degree
        if not sparse.issparse(self.W):
            L = -self.W * scale[:, None] * scale
            L[np.diag_indices_from(L)] = diagonal
            return L
        # A diagonal that is zero is added as one first, since a sparse sum drops zeros.
        L = sparse.diags_array(np.where(diagonal == 0.0, 1.0, diagonal), format="csr") - scaled(self.W, scale, scale)
        if self.alone.any():
            L.setdiag(diagonal)
        return sparse.csr_array(L)

    def inverse(self):
        """V -> (L + s I)^-1 V with a small shift s, by a factorisation; and s. For dense similarities."""
        shift = _SHIFT * self.top
        L = self.matrix()
        L[np.diag_indices_from(L)] += shift
        return large_cholesky(L).solve, shift

    def null_vectors(self, most):
        """Orthonormal vectors of eigenvalue 0, one per component of the graph up to a maximum, and the components."""
        n_components, component = _components(self.W)
        count = min(n_components, most)
        V = np.zeros((len(component), count))
        rows = np.flatnonzero(component < count)
        V[rows, component[rows]] = self.root[rows] if self.normalized else 1.0
        return V / np.linalg.norm(V, axis=0), n_components


def _components(W):
    """Number of components of a graph, and the component of each row."""
    if sparse.issparse(W):
        from scipy.sparse.csgraph import connected_components

        return connected_components(W, directed=False)
    component = np.full(W.shape[0], -1)
    n_components = 0
    while (left := np.flatnonzero(component < 0)).size:
        front = left[:1]
        component[front] = n_components
        while front.size:
            reached = np.zeros(W.shape[0], dtype=bool)
            for begin in range(0, len(front), 64):
                reached |= (W[front[begin : begin + 64]] != 0).any(axis=0)
                if reached[component < 0].all():
                    break  # a dense graph is reached from its first rows
            front = np.flatnonzero(reached & (component < 0))
            component[front] = n_components
        n_components += 1
    return n_components, component


def smallest_eigenpairs(laplacian, k, random_state, *, tol=1e-8, solver=None, owner="SpectralClustering"):
    """The k smallest eigenvalues of a Laplacian in increasing order and their vectors (n, k), and the components.

    Parameters
    ----------
    laplacian : Laplacian
    k : int
    random_state : RandomState
        Seed of the initial vectors.
    tol : float, default=1e-8
        Largest residual of an eigenpair, relative to the largest eigenvalue.
    solver : {None, "arpack", "lobpcg", "amg"}, default=None
        "amg" is the same as None.
    owner : str, default="SpectralClustering"
        Name in the warning if the vectors are inexact.
    """
    n = laplacian.W.shape[0]
    null, n_components = laplacian.null_vectors(min(k, n))
    if n <= max(_SMALL, 4 * k + 40):  # also where the basis of an iteration would fill the whole space
        values, vectors = np.linalg.eigh(to_dense(laplacian.matrix()))
    elif solver in ("arpack", "lobpcg"):
        with single_blas_thread():
            values, vectors = _by_scipy(laplacian, k, null, random_state, tol, solver)
    elif null.shape[1] == k:
        values, vectors = np.zeros(k), null
    elif sparse.issparse(laplacian.W):
        near = laplacian.root if laplacian.normalized else np.ones(n)
        values, vectors, status = smallest_graph_eigenpairs(
            laplacian.matrix(),
            k,
            null=null,
            near=near,
            random_state=random_state,
            tol=max(tol, _ROUNDING) * laplacian.top,
        )
        _warn_if_inexact(status, owner)
    else:
        values, vectors = _by_blocks(laplacian, k, null, random_state, tol, owner)
    return np.maximum(values[:k], 0.0), vectors[:, :k], n_components


def _by_blocks(laplacian, k, null, random_state, tol, owner):
    """Block Krylov iteration on the dense matrix, or on its shifted inverse if the spectral gap is too small."""
    n, top = laplacian.W.shape[0], laplacian.top
    width = -(-(k - null.shape[1] + 2) // 8) * 8  # the native product takes eight columns at a time
    start = random_state.standard_normal((n, width))
    values, vectors, status = largest_eigenpairs(
        laplacian.similar, start, k, known=null, known_value=top, tol=tol * top, max_passes=_PASSES
    )
    if status == OK:
        return top - values, vectors
    exact = vectors[:, null.shape[1] :]
    start[:, : exact.shape[1]] = exact
    solve, shift = laplacian.inverse()
    values, vectors, status = largest_eigenpairs(
        solve, start, k, known=null, known_value=1 / shift, tol=tol / shift, max_passes=10 * _PASSES
    )
    _warn_if_inexact(status, owner)
    return 1.0 / values - shift, vectors


def _warn_if_inexact(status, owner):
    detail = "the eigenvectors of the Laplacian are only approximate"
    warn_if_stopped(owner, status, detail, remedy="Increase eigen_tol, or choose another affinity.")


def _by_scipy(laplacian, k, null, random_state, tol, solver):
    """By ARPACK or LOBPCG, deflating known vectors, since neither finds the full multiplicity of an eigenvalue."""
    from scipy.sparse.linalg import LinearOperator, eigsh, lobpcg

    n, top, wanted = laplacian.W.shape[0], laplacian.top, k - null.shape[1]
    if wanted == 0:
        return np.zeros(k), null

    def apply(V):
        V = V.reshape(n, -1)
        return laplacian.similar(V) - top * (null @ (null.T @ V))

    operator = LinearOperator((n, n), matvec=lambda v: apply(v).ravel(), matmat=apply, dtype=np.float64)
    if solver == "arpack":
        start = random_state.uniform(-1, 1, n)
        values, vectors = eigsh(operator, wanted, which="LA", v0=start - null @ (null.T @ start), tol=tol)
    else:
        start = random_state.standard_normal((n, wanted))
        values, vectors = lobpcg(operator, start, Y=null, tol=max(tol, 1e-7) * top, maxiter=2000)
    order = np.argsort(-values)
    return np.r_[np.zeros(null.shape[1]), top - values[order]], np.hstack([null, vectors[:, order]])
