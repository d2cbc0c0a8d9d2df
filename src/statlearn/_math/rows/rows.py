"""A table of rows in the form that solvers speak: dense or sparse, with weights, about the means of its columns."""

from functools import cached_property, partial, reduce

import numpy as np
from scipy import sparse
from sklearn.utils import assert_all_finite

from statlearn._core import native
from statlearn._core.validation import require_finite

from ..linalg.positive import independent_columns
from ..linalg.products import doubled_blocks, product, row_blocks, transposed_product
from ..linalg.sparse_arrays import compressed_arrays
from .statistics import CrossProducts, rough_centre

# How validate_data prepares X for kernels that work column by column.
COLUMNS = {"accept_sparse": "csc", "accept_large_sparse": False, "order": "F"}
_ENTRIES = 2**20  # of the part of the table that is centred at a time


class Rows:
    """A = X - 1 m' for a table X, dense or CSR or CSC, which is neither copied nor made dense.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, p)
    weights : ndarray of shape (n,) or None, default=None
        A row of weight k counts as k rows.
    centre : bool, default=False
        Whether m is the weighted mean of the columns; otherwise it is 0.
    mean : ndarray of shape (p,) or None, default=None
        Known means, which replace those of the columns.
    """

    def __init__(self, X, weights=None, *, centre=False, mean=None):
        self.sparse = sparse.issparse(X)
        self.X = X
        self.n, self.p = self.shape = X.shape
        self.weights = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        self.total_weight = float(self.n if weights is None else self.weights.sum())
        self.centre = centre or mean is not None
        if mean is not None:
            self.mean = mean

    @classmethod
    def double(cls, X, weights=None, **options):
        """X in double precision, a sparse one as CSR: for solvers that read whole rows."""
        if sparse.issparse(X):
            return cls(X.astype(np.float64).tocsr(), weights, **options)
        X = np.asarray(X, dtype=np.float64)
        return cls(X if X.flags.forc else np.ascontiguousarray(X), weights, **options)

    # --- the columns ------------------------------------------------------------------------------------------------

    @cached_property
    def mean(self):
        """Weighted means m of the columns (p,) in double precision; None without centring."""
        return self._averages(self.X) if self.centre else None

    def means(self, columns=None):
        """What is subtracted from all columns or some: their weighted means; 0 without centring."""
        if not self.centre:
            return np.zeros(self.p if columns is None else len(columns))
        if columns is None:
            return self.mean
        if "mean" in vars(self) or 2 * len(columns) > self.p:  # copies of most columns would be a second table
            return self.mean[columns]
        return self._averages(self.X[:, columns])

    def _averages(self, X):
        if self.weights is None:
            return np.asarray(X.sum(axis=0, dtype=np.float64)).ravel() / self.n
        return np.asarray(self.weights @ X).ravel() / self.total_weight

    def middle(self):
        """A point near the middle of the columns, about which sums lose few digits; 0 if X is sparse."""
        return np.zeros(self.p) if self.sparse else rough_centre(self.X)

    def squares(self):
        """Weighted sums of squares of the columns of A (p,)."""
        if not self.sparse:
            if self.X.flags.f_contiguous:
                squares, width = np.empty(self.p), max(1, _ENTRIES // max(1, self.n))
                for first in range(0, self.p, width):
                    part = slice(first, first + width)
                    squares[part] = np.sum(self.dense(columns=part) ** 2, axis=0)
                return squares
            squares = np.zeros(self.p)
            for rows in row_blocks(self.X, _ENTRIES):
                squares += np.sum(self.dense(rows) ** 2, axis=0)
            return squares
        X, mean = self.csc, np.zeros(self.p) if self.mean is None else self.mean
        columns = np.repeat(np.arange(self.p), np.diff(X.indptr))
        w = (np.ones(self.n) if self.weights is None else self.weights)[X.indices]
        stored = np.bincount(columns, weights=w, minlength=self.p)
        squares = np.bincount(columns, weights=w * (X.data - mean[columns]) ** 2, minlength=self.p)
        # Not in place: without any entry, the sums are integers.
        return squares + np.maximum(self.total_weight - stored, 0.0) * mean**2

    def independent(self):
        """Mask of linearly independent columns of A; of a dependent set, the first are kept."""
        statistic = CrossProducts.from_block(self.X, np.zeros(self.n), self.weights, centre=self.centre)
        S = (statistic.centred() if self.centre else statistic.uncentred())[0]
        require_finite(S)
        return independent_columns(S, removed=statistic.means()[0] ** 2 * statistic.total_weight)

    def norms(self):
        """Root mean squares of the columns of A; exactly 0 for constant ones."""
        norms = np.sqrt(self.squares() / self.total_weight)
        return norms if self.mean is None else np.where(norms > 16 * np.finfo(float).eps * np.abs(self.mean), norms, 0)

    # --- products ---------------------------------------------------------------------------------------------------

    def scores(self, W):
        """A W for W of shape (p,) or (p, m)."""
        scores = product(self._matrix, W)
        return scores if self.mean is None else scores - self.mean @ W

    def project(self, R):
        """A' R for R of shape (n,) or (n, m); weigh R first, where weights are to count."""
        projected = self.transposed @ R if self.sparse else transposed_product(self.X, R)
        if self.mean is None:
            return projected
        return projected - (self.mean * R.sum() if R.ndim == 1 else np.outer(self.mean, R.sum(axis=0)))

    def gram(self, h, centre=True):
        """X' diag(h) X about the h-weighted means, these means, and the sum of h; about zero without `centre`."""
        stats = self._products(np.maximum(h, 0.0), centre)
        if h.min(initial=0.0) < 0.0:
            stats.G -= self._products(np.maximum(-h, 0.0), centre).G
        if not centre or not stats.total_weight > 0.0:
            return stats.uncentred()[0], np.zeros(self.p), 0.0
        return stats.centred()[0], stats.means()[0], stats.total_weight

    def _products(self, h, centre):
        """Weighted products of the columns; weights in double precision whatever that of X."""
        if self.sparse or self.X.dtype == np.float64 or not self.n:
            return CrossProducts.from_block(self.X, np.empty((self.n, 0)), h, centre=centre)
        shift = self.middle() if centre else np.zeros(self.p)
        parts = (
            CrossProducts.from_block(block, np.empty((len(block), 0)), h[rows], centre=centre).moved_to(shift)
            for rows, block in doubled_blocks(self.X)
        )
        return reduce(CrossProducts.merge, parts)

    def cross_products(self, Y):
        """Weighted products of the columns of A with each other, with those of the targets, and of the targets."""
        X, weights = self.X, self.weights
        if weights is not None and not np.all(weights > 0):
            X, Y, weights = X[weights > 0], Y[weights > 0], weights[weights > 0]
        products = CrossProducts.from_block(X, Y, weights, centre=self.centre)
        if not np.isfinite(np.diagonal(products.G)).all():
            assert_all_finite(X)  # products of finite columns may overflow, which the solver reports
        return products.centred() if self.centre else products.uncentred()

    def squared_norm(self, y):
        """Weighted sum of squares of a target about its mean, or about 0 without centring."""
        deviation = y - self.average(y)
        return float(deviation @ self.weighted(deviation))

    def row_gram(self):
        """The products of all pairs of rows of diag(root) A: a matrix (n, n)."""
        if not self.sparse:
            A = self.dense()
            return A @ A.T
        K = (self._matrix @ self._matrix.T).toarray()
        if self.mean is not None:
            shift = self._matrix @ self.mean
            K += self.mean @ self.mean - shift[:, None] - shift[None, :]
        return K if self.root is None else K * np.outer(self.root, self.root)

    # --- weights ----------------------------------------------------------------------------------------------------

    @cached_property
    def root(self):
        """Square roots of the weights; None without weights."""
        return None if self.weights is None else np.sqrt(self.weights)

    def weighted(self, r):
        """The weights times r."""
        return r if self.weights is None else self.weights * r

    def rooted(self, R):
        """The square roots of the weights times R of shape (n, m)."""
        return R if self.root is None else R * self.root[:, None]

    def average(self, Y):
        """Weighted means of targets of shape (n,) or (n, m); 0 without centring."""
        if not self.centre:
            return np.zeros(Y.shape[1:])[()]
        if self.weights is None:
            return Y.sum(axis=0, dtype=np.float64) / self.n
        return self.weights @ Y / self.total_weight

    def targets(self, Y):
        """diag(root) (Y - 1 y') for targets of shape (n, m), and their means y."""
        mean = self.average(Y)
        return self.rooted(Y - mean), mean

    # --- other forms ------------------------------------------------------------------------------------------------

    def dense(self, rows=slice(None), columns=slice(None)):
        """Some rows or columns of diag(root) A as a dense array of doubles."""
        block = self.X[rows][:, columns] if self.sparse else self.X[rows, columns]
        block = np.array(block.toarray() if self.sparse else block, dtype=np.float64)
        if self.mean is not None:
            block -= self.mean[columns]
        if self.root is not None:
            block *= self.root[rows, None]
        return block

    def subset(self, rows):
        """Some of the rows, about their own means."""
        return Rows(self.X[rows], None if self.weights is None else self.weights[rows], centre=self.centre)

    @cached_property
    def csr(self):
        return self.X.tocsr()

    @cached_property
    def csc(self):
        return self.X.tocsc()

    @cached_property
    def transposed(self):
        return (self.csc if self._matrix is self.X else self._matrix.tocsc()).T

    @cached_property
    def _matrix(self):
        """X for products: a sparse X in double precision, to which every product would convert it."""
        return self.X.astype(np.float64, copy=False) if self.sparse else self.X

    @cached_property
    def _columns(self):
        return compressed_arrays(self.csc) if self.sparse else (np.asfortranarray(self.X),)

    @cached_property
    def _rows(self):
        return compressed_arrays(self.csr) if self.sparse else (self.X,)

    def kernel(self, name, *, by="columns", family="linear", width=True):
        """The native function of this name for the form of X, to be called with the arguments after X.

        A kernel by columns takes a column-major array, or a CSC matrix under the name with ``_sparse`` or ``_csc``; one
        by rows takes an array, or a CSR matrix under the name with ``_csr``, followed by the number of its columns if
        `width`.
        """
        if by == "rows":
            names, arrays = [f"{name}_csr"] if self.sparse else [name], self._rows
            arrays = (*arrays, self.p) if self.sparse and width else arrays
        else:
            names = [f"{name}_sparse", f"{name}_csc"] if self.sparse else [name, f"{name}_dense"]
            arrays = self._columns
        kernels = getattr(native, family)
        function = next(getattr(kernels, each) for each in names if hasattr(kernels, each))
        return partial(function, *arrays)
