"""Labels that spread from a few rows over a graph of near rows."""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, cg
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.blas import single_blas_thread
from statlearn._core.memory import require_memory
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.partial_labels import partial_labels
from statlearn._core.validation import FLOATS, require_finite, validate_data
from statlearn._core.warnings import ConvergenceWarning, warn
from statlearn._math.graphs.similarity import similarity_graph
from statlearn._math.linalg.positive import large_cholesky
from statlearn._math.linalg.sparse_arrays import stored_values

# Probability per step with which a walk ends at a label drawn from the shares of the classes: it keeps systems regular
# whose rows are connected to labels by edges of rounding size only.
_ESCAPE = 1e-13
_BLOCK = 1 << 22


class _LabelSpreader(ClassifierMixin, BaseEstimator):
    """Base class of the two methods: graph, prediction and parameters."""

    _constraints = {
        "kernel": [Options("rbf", "knn", "precomputed"), "callable"],
        "gamma": [Real(0, None)],
        "n_neighbors": [Int(1, None)],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None)],
        "n_jobs": [Instance(int, np.integer), None],
    }

    @property
    def _precomputed(self):
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = tags.input_tags.sparse = self._precomputed
        return tags

    def fit(self, X, y):
        """Spread the labels over the graph of the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or (n_samples, n_samples) if precomputed
            Rows, or a symmetric similarity matrix, which may be sparse.
        y : array-like of shape (n_samples,)
            Labels; -1, NaN or None for unlabelled rows.

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_data(self, X, dtype=FLOATS, order="C", accept_sparse="csr" if self._precomputed else False)
        partial = partial_labels(y, X, type(self).__name__, minimum=1)
        self.classes_ = partial.classes
        self._kernel, self._gamma, self._n_neighbors = self.kernel, self.gamma, self.n_neighbors
        W = self._graph(X)
        known = partial.known
        Y = np.zeros((X.shape[0], len(self.classes_)))
        Y[known, partial.codes[known]] = 1.0
        self._shares = Y[known].mean(axis=0)
        reached = _reached(W, known)
        if not reached.all():
            warn(
                f"{np.count_nonzero(~reached)} rows are not connected to any labelled row; they receive the shares of "
                "the classes among the labels. Use more neighbours, or a smaller gamma."
            )
        F = np.broadcast_to(self._shares, Y.shape).copy()
        self.n_iter_ = 1
        F[reached] = self._spread(_part(W, reached), Y[reached], known[reached])
        require_finite(F)
        F = np.maximum(F, 0.0)
        F /= F.sum(axis=1, keepdims=True)
        self.X_ = None if self._precomputed else X
        self.label_distributions_ = F
        self.transduction_ = self.classes_[F.argmax(axis=1)]
        return self

    def _graph(self, X):
        """The similarities of the rows, without those of a row with itself."""
        n = X.shape[0]
        if self._precomputed:
            if X.shape[1] != n:
                raise ValueError(f"X must be a square similarity matrix, got shape {X.shape}.")
            W = sparse.csr_array(X, dtype=np.float64) if sparse.issparse(X) else X.astype(np.float64)
        elif callable(self.kernel):
            W = np.array(self.kernel(X, X), dtype=np.float64)
            if W.shape != (n, n):
                raise ValueError(f"`kernel` must return a matrix of shape {(n, n)}, got {W.shape}.")
        elif self.kernel == "knn":
            if self.n_neighbors >= n > 1:
                raise ValueError(f"`n_neighbors`={self.n_neighbors} must be less than the {n} rows of X.")
            # A row is among its own neighbours.
            W = sparse.csr_array(similarity_graph(X, "nearest_neighbors", n_neighbors=min(self.n_neighbors + 1, n)))
        else:
            W = similarity_graph(X, "rbf", gamma=self.gamma)
        if sparse.issparse(W):
            W = W.tocoo()
            away = W.row != W.col
            W = sparse.csr_array((W.data[away], (W.row[away], W.col[away])), shape=(n, n))
            values, skew = W.data, abs(W - W.T).max() if W.nnz else 0.0
        else:
            np.fill_diagonal(W, 0.0)
            values, skew = W, np.abs(W - W.T).max()
        if values.size and (not np.isfinite(values).all() or values.min() < 0 or skew > 1e-8 * values.max()):
            raise ValueError("X must hold a symmetric matrix of finite, non-negative similarities.")
        return W

    def _solve(self, A, B):
        """Solution of A F = B for a positive definite A: by Cholesky, or by conjugate gradients if A is sparse."""
        if not sparse.issparse(A):
            with single_blas_thread():  # the same bits for any number of threads
                return large_cholesky(A).solve(B)
        diagonal = A.diagonal()
        scale = LinearOperator(A.shape, matvec=lambda v: v / diagonal)
        F, steps, failed = np.empty_like(B), 0, 0
        for k in range(B.shape[1]):
            count = [0]

            def step(_, count=count):
                count[0] += 1

            F[:, k], info = cg(A, B[:, k], rtol=self.tol, maxiter=self.max_iter, M=scale, callback=step)
            steps, failed = max(steps, count[0]), failed + (info > 0)
        self.n_iter_ = max(steps, 1)
        if failed:
            warn(
                f"Conjugate gradients did not reach a relative residual of tol={self.tol:g} in {self.max_iter} steps. "
                "Increase max_iter or tol, or use more neighbours.",
                ConvergenceWarning,
            )
        return F

    def _similarities(self, X):
        """Similarities of new rows to those of `fit`, with a scale factor per row."""
        if isinstance(self._kernel, str):
            squares = cdist(X, self.X_, "sqeuclidean")
            if self._kernel == "rbf":
                return np.exp(-self._gamma * (squares - squares.min(axis=1, keepdims=True)))
            near = np.argsort(squares, axis=1, kind="stable")[:, : self._n_neighbors]
            S = np.zeros(squares.shape)
            np.put_along_axis(S, near, 1.0, axis=1)
            return S
        S = np.asarray(self._kernel(X, self.X_), dtype=np.float64)
        if S.shape != (len(X), len(self.X_)):
            raise ValueError(f"`kernel` must return a matrix of shape {(len(X), len(self.X_))}, got {S.shape}.")
        return S

    def predict_proba(self, X):
        """Probabilities of the classes: means over the rows of `fit`, weighted by their similarities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows, or their similarities to the rows of `fit` if precomputed. A row without any similarity receives
            the shares of the classes among the labels.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        precomputed = isinstance(self._kernel, str) and self._kernel == "precomputed"
        X = validate_data(self, X, dtype=FLOATS, order="C", reset=False, accept_sparse="csr" if precomputed else False)
        F = self.label_distributions_
        P = np.empty((X.shape[0], F.shape[1]))
        height = max(_BLOCK // len(F), 1)
        for start in range(0, X.shape[0], height):
            rows = X[start : start + height]
            S = rows if precomputed else self._similarities(rows)
            values = stored_values(S)
            if values.size and (not np.isfinite(values).all() or values.min() < 0):
                raise ValueError("X must hold finite, non-negative similarities.")
            P[start : start + height] = S @ F if sparse.issparse(S) else np.einsum("ij,jk->ik", S, F)
        total = P.sum(axis=1, keepdims=True)
        return np.where(total > 0, P / np.where(total > 0, total, 1.0), self._shares)

    def predict(self, X):
        """Most probable class of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        P = self.predict_proba(X)
        return self.classes_[P.argmax(axis=1)]


class LabelPropagation(_LabelSpreader):
    r"""Label propagation: labels of some rows determine those of all, over a graph of near rows.

    With the similarities W of the rows and their sums D, the class probabilities of the unlabelled rows are harmonic:
    each is the weighted mean of its neighbours,

    .. math:: F_u = (D_{uu} - W_{uu})^{-1} W_{ul} Y_l

    and given labels are kept. The entry of a row is the probability that a random walk from it meets a label of the
    class first.

    Parameters
    ----------
    kernel : {"rbf", "knn", "precomputed"} or callable, default="rbf"
        Similarities: ``exp(-gamma d^2)`` of all pairs; 1 for pairs of near neighbours, 1/2 if only one is a neighbour
        of the other; X itself, such as a :func:`similarity_graph`; or a function of two tables.
    gamma : float, default=20
        For "rbf". Columns should be scaled such that near rows are at distances of about 0.2.
    n_neighbors : int, default=7
        For "knn".
    max_iter : int, default=1000
        Maximum number of conjugate gradient steps on sparse graphs. Dense ones are solved directly.
    tol : float, default=1e-8
        Relative residual at which conjugate gradients stop.
    n_jobs : int or None, default=None
        Accepted for compatibility.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        Class probabilities of the rows.
    transduction_ : ndarray of shape (n_samples,)
        Most probable label of each row.
    X_ : ndarray of shape (n_samples, n_features) or None
        The rows; None if precomputed.
    n_iter_ : int
        Number of conjugate gradient steps; 1 if solved directly.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    See Also
    --------
    LabelSpreading : given labels may change.
    statlearn.ensemble.SelfTrainingClassifier : any classifier, with unlabelled rows.

    Notes
    -----
    The limit of scikit-learn's iteration, which stops at a tolerance of 1e-3, is computed directly: O(u³) for u
    unlabelled rows with "rbf", and sparse systems with "knn". The graph of "knn" is symmetric, as in
    :func:`similarity_graph`, and scikit-learn's is not.

    Labels flow through dense regions and stop at gaps, so the method fails where classes overlap, and the result
    depends on the graph more than on anything else: with a large gamma each row copies its nearest label, with a small
    one all rows receive nearly the same probabilities. With few labels per class and unequal classes, compare
    probabilities with the known shares of the classes rather than with one half.

    References
    ----------
    Zhu, X., Ghahramani, Z. and Lafferty, J. (2003). Semi-supervised learning using Gaussian fields and harmonic
    functions. ICML.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.cluster import LabelPropagation
    >>> chain = np.eye(5, k=1) + np.eye(5, k=-1)
    >>> model = LabelPropagation(kernel="precomputed").fit(chain, [0, -1, -1, -1, 1])
    >>> model.label_distributions_[:, 1].round(4)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """

    def __init__(self, kernel="rbf", *, gamma=20, n_neighbors=7, max_iter=1000, tol=1e-8, n_jobs=None):
        self.kernel = kernel
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs

    def _spread(self, W, Y, known):
        F = Y.copy()
        if known.all():
            return F
        rest = np.flatnonzero(~known)
        degree = np.asarray(W.sum(axis=1)).ravel()[rest]
        # Rows in the units of their degrees: I - D^-1/2 W D^-1/2 has the unit diagonal whatever the scale of W.
        half = np.sqrt(degree)
        inner = _scaled(_part(W, ~known), half)
        outer = np.asarray((W[rest] @ Y) if sparse.issparse(W) else np.einsum("ij,jk->ik", W[rest], Y))
        right = outer / half[:, None] + _ESCAPE * half[:, None] * self._shares
        F[rest] = self._solve(_minus(inner, 1.0 + _ESCAPE), right) / half[:, None]
        return F


class LabelSpreading(_LabelSpreader):
    r"""Label spreading: labels flow over a graph of near rows, and given labels count as evidence that may be wrong.

    With the similarities W of the rows, zero on the diagonal, their sums D and
    :math:`S = D^{-1/2} W D^{-1/2}`,

    .. math:: F = (1 - \alpha)(I - \alpha S)^{-1} Y

    where Y has a 1 for each given label. The rows of F are then divided by their sums. F minimises, up to a factor,

    .. math:: \frac{\alpha}{2} \sum_{ij} W_{ij} \left\lVert \frac{F_i}{\sqrt{D_i}} - \frac{F_j}{\sqrt{D_j}}
        \right\rVert^2 + (1 - \alpha) \sum_i \lVert F_i - Y_i \rVert^2 .

    Parameters
    ----------
    kernel : {"rbf", "knn", "precomputed"} or callable, default="rbf"
        Similarities: ``exp(-gamma d^2)`` of all pairs; 1 for pairs of near neighbours, 1/2 if only one is a neighbour
        of the other; X itself, such as a :func:`similarity_graph`; or a function of two tables.
    gamma : float, default=20
        For "rbf". Columns should be scaled such that near rows are at distances of about 0.2.
    n_neighbors : int, default=7
        For "knn".
    alpha : float, default=0.2
        Share of a row's labels that comes from its neighbours, between 0 and 1.
    max_iter : int, default=1000
        Maximum number of conjugate gradient steps on sparse graphs. Dense ones are solved directly.
    tol : float, default=1e-8
        Relative residual at which conjugate gradients stop.
    n_jobs : int or None, default=None
        Accepted for compatibility.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        Class probabilities of the rows.
    transduction_ : ndarray of shape (n_samples,)
        Most probable label of each row, which may differ from a given one.
    X_ : ndarray of shape (n_samples, n_features) or None
        The rows; None if precomputed.
    n_iter_ : int
        Number of conjugate gradient steps; 1 if solved directly.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    See Also
    --------
    LabelPropagation : given labels are kept.

    Notes
    -----
    The limit of scikit-learn's iteration is computed directly: O(n³) with "rbf", sparse systems with "knn". What is
    said of the graph in :class:`LabelPropagation` holds here, too. Contrary to `LabelPropagation` a wrong label can be
    outvoted by its neighbours, if alpha is large.

    References
    ----------
    Zhou, D., Bousquet, O., Lal, T., Weston, J. and Schölkopf, B. (2004). Learning with local and global consistency.
    NIPS 16.

    Examples
    --------
    >>> from statlearn.cluster import LabelSpreading
    >>> X = [[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]]
    >>> LabelSpreading().fit(X, [0, -1, -1, -1, -1, 1]).transduction_
    array([0, 0, 0, 1, 1, 1])
    """

    _constraints = {**_LabelSpreader._constraints, "alpha": [Real(0, 1, closed="neither")]}

    def __init__(self, kernel="rbf", *, gamma=20, n_neighbors=7, alpha=0.2, max_iter=1000, tol=1e-8, n_jobs=None):
        self.kernel = kernel
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs

    def _spread(self, W, Y, known):
        degree = np.asarray(W.sum(axis=1)).ravel()
        S = _scaled(W, np.sqrt(np.where(degree > 0, degree, 1.0)))  # a lone labelled row keeps its label
        return self._solve(_minus(self.alpha * S, 1.0), (1.0 - self.alpha) * Y)


def _reached(W, known):
    """Mask of the rows that are connected to a labelled one by positive similarities."""
    if not sparse.issparse(W) and np.all(W[0, 1:] > 0):
        return np.ones(len(W), bool)
    component = connected_components(W, directed=False)[1]
    return np.isin(component, np.unique(component[known]))


def _part(W, rows):
    """Submatrix of some rows and the same columns."""
    if rows.all():
        return W
    rows = np.flatnonzero(rows)
    return W[rows][:, rows]


def _scaled(W, half):
    """diag(1 / half) W diag(1 / half)."""
    if sparse.issparse(W):
        inverse = sparse.diags_array(1.0 / half)
        return sparse.csr_array(inverse @ W @ inverse)
    return W / half[:, None] / half


def _minus(S, diagonal):
    """diagonal * I - S."""
    if sparse.issparse(S):
        return sparse.csr_array(diagonal * sparse.eye_array(S.shape[0]) - S)
    require_memory(16 * S.size, f"A system of {len(S):,} equations", "Use kernel='knn'.")
    return diagonal * np.eye(len(S)) - S
