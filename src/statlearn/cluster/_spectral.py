"""Spectral clustering: k-means on the smallest eigenvectors of a graph Laplacian."""

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.metrics.pairwise import kernel_metrics
from sklearn.utils import check_random_state

from statlearn._core.jobs import jobs
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.validation import validate_data
from statlearn._core.warnings import warn
from statlearn._math.graphs.laplacian import Laplacian, check_affinity, smallest_eigenpairs
from statlearn._math.graphs.similarity import nearest_of_distances, neighbor_affinity, rbf_affinity, symmetric
from statlearn._math.linalg.eigen import fixed_signs
from statlearn._math.linalg.sparse_arrays import by_rows
from statlearn.kernels import pairwise_kernels

_LAPLACIANS = Options("sym", "rw", "unnormalized")
_WITH_GAMMA = ("rbf", "laplacian", "poly", "polynomial", "sigmoid", "chi2", "nearest_neighbors")


def cluster_qr(vectors):
    """Labels from a spectral embedding by pivoted QR, without initialisation or iteration (Damle, Minden & Ying, 2019).

    The k most independent rows represent the clusters. The rotation that maps them to the axes is applied to all rows,
    and a row belongs to the axis with its largest coordinate.

    Parameters
    ----------
    vectors : array-like of shape (n_samples, n_clusters)
        Eigenvectors of a Laplacian.

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> from statlearn.cluster import cluster_qr
    >>> labels = cluster_qr([[1.0, 0.9], [1.0, 1.0], [1.0, -1.0], [1.0, -0.9]])
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """
    vectors = np.asarray(vectors, dtype=np.float64)
    k = vectors.shape[1]
    pivots = linalg.qr(vectors.T, mode="r", pivoting=True)[1][:k]
    left, _, right = linalg.svd(vectors[pivots].T)
    return np.abs(vectors @ (left @ right)).argmax(axis=1)


def discretize(vectors, *, random_state=None, max_iter=20):
    """Labels from a spectral embedding by alternating between partition and rotation (Yu & Shi, 2003).

    Rows are projected onto the unit sphere. For a given rotation, the nearest partition uses the largest coordinate of
    each row; for a given partition, the best rotation comes from a singular value decomposition.

    Parameters
    ----------
    vectors : array-like of shape (n_samples, n_clusters)
        Eigenvectors of a Laplacian.
    random_state : int, RandomState or None, default=None
        Seed of the row from which the first rotation starts.
    max_iter : int, default=20

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> from statlearn.cluster import discretize
    >>> labels = discretize([[1.0, 0.9], [1.0, 1.0], [1.0, -1.0], [1.0, -0.9]], random_state=0)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """
    rng = check_random_state(random_state)
    rows = np.array(vectors, dtype=np.float64)
    rows *= np.sqrt(len(rows)) / np.linalg.norm(rows, axis=0)
    rows *= np.where(rows[0] > 0, -1.0, 1.0)
    rows /= np.maximum(np.linalg.norm(rows, axis=1), np.finfo(float).tiny)[:, None]
    k = rows.shape[1]
    rotation = np.zeros((k, k))
    rotation[:, 0] = rows[rng.randint(len(rows))]
    overlap = np.zeros(len(rows))
    for j in range(1, k):  # start from rows as orthogonal to one another as can be found
        overlap += np.abs(rows @ rotation[:, j - 1])
        rotation[:, j] = rows[overlap.argmin()]
    before = 0.0
    for _ in range(max_iter + 1):
        labels = (rows @ rotation).argmax(axis=1)
        sums = np.stack([np.bincount(labels, weights=column, minlength=k) for column in rows.T], axis=1)
        left, lengths, right = np.linalg.svd(sums)
        cut = 2.0 * (len(rows) - lengths.sum())
        if abs(cut - before) < np.finfo(float).eps:
            break
        before, rotation = cut, right.T @ left.T
    return labels


def spectral_clustering(
    affinity,
    *,
    n_clusters=8,
    n_components=None,
    eigen_solver=None,
    random_state=None,
    n_init=10,
    eigen_tol="auto",
    assign_labels="kmeans",
    verbose=False,
):
    """Spectral clustering of a similarity matrix.

    The parameters are those of :class:`SpectralClustering`.

    Parameters
    ----------
    affinity : {array-like, sparse matrix} of shape (n_samples, n_samples)
    n_clusters : int, default=8
    n_components : int or None, default=None
    eigen_solver : {None, "arpack", "lobpcg", "amg"}, default=None
    random_state : int, RandomState or None, default=None
    n_init : int, default=10
    eigen_tol : float or "auto", default="auto"
    assign_labels : {"kmeans", "discretize", "cluster_qr"}, default="kmeans"
    verbose : bool, default=False

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> from statlearn.cluster import similarity_graph, spectral_clustering
    >>> W = similarity_graph([[0.0], [0.5], [5.0], [5.5]])
    >>> labels = spectral_clustering(W, n_clusters=2, random_state=0)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """
    return (
        SpectralClustering(
            n_clusters=n_clusters,
            n_components=n_components,
            eigen_solver=eigen_solver,
            random_state=random_state,
            n_init=n_init,
            affinity="precomputed",
            eigen_tol=eigen_tol,
            assign_labels=assign_labels,
            verbose=verbose,
        )
        .fit(affinity)
        .labels_
    )


class SpectralClustering(ClusterMixin, BaseEstimator):
    r"""Spectral clustering: partition of a similarity graph along weak links.

    For similarities W with degrees D, the eigenvectors of the `n_components` smallest eigenvalues (including the
    constant one) of a Laplacian are the coordinates of the rows, which are clustered by k-means. This is a relaxation
    of the normalised cut: the sum of the k smallest eigenvalues of :math:`L_{sym}` is a lower bound on the cut of any
    partition, but there is no bound on the gap between it and the partition found.

    Parameters
    ----------
    n_clusters : int, default=8
    eigen_solver : {None, "arpack", "lobpcg", "amg"}, default=None
        None uses multigrid for sparse similarities. For dense ones it uses block Krylov iteration, on a factorised
        inverse if eigenvalues are close. "amg" does the same; no other package is needed.
    n_components : int or None, default=None
        Number of eigenvectors; None uses `n_clusters`.
    random_state : int, RandomState or None, default=None
        Seed of the eigensolver and of k-means.
    n_init : int, default=10
        Number of initialisations of k-means.
    gamma : float, default=1.0
        Coefficient of the similarity :math:`\exp(-\gamma d^2)` and of other kernels that have one. Any value but 1 also
        weights the edges of "nearest_neighbors" by this similarity. Like `c`, it is refused where it has no use.
    affinity : str or callable, default="rbf"
        "rbf" or another kernel of scikit-learn, "nearest_neighbors", "precomputed" similarities,
        "precomputed_nearest_neighbors" from distances, or a function of two rows.
    n_neighbors : int, default=10
        Number of neighbours in the neighbour graph, including the row itself.
    eigen_tol : float or "auto", default="auto"
        Largest residual of an eigenpair relative to the largest eigenvalue; "auto" is 1e-8.
    assign_labels : {"kmeans", "discretize", "cluster_qr"}, default="kmeans"
    degree : float, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=1
        Constant term of the polynomial and sigmoid kernels.
    kernel_params : dict or None, default=None
        Additional parameters of the kernel.
    n_jobs : int or None, default=None
        Maximum number of threads of the graph and of the clustering. None and -1 use all that are available. The
        eigenvectors use the threads of BLAS.
    verbose : bool, default=False
    laplacian : {"sym", "rw", "unnormalized"}, default="sym"
        :math:`L_{sym} = I - D^{-1/2} W D^{-1/2}`, :math:`L_{rw} = I - D^{-1} W`, or :math:`L = D - W`.
    row_scale : {"auto", "degree", "length", "none"}, default="auto"
        Scaling of the rows of the eigenvectors: "degree" divides by the root of their degree, which turns the vectors
        of L_sym into those of L_rw; "length" projects onto the unit sphere (Ng, Jordan and Weiss); "none" does nothing.
        "auto" is "degree" for "sym", as in scikit-learn, and "none" otherwise.
    c : float or None, default=None
        If set, the similarity is :math:`\exp(-d^2 / c)`, equivalent to ``gamma=1/c``, also on the edges of
        "nearest_neighbors".
    mutual : bool, default=False
        Whether a neighbour graph keeps a pair only if each is a neighbour of the other.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
    affinity_matrix_ : ndarray or sparse array of shape (n_samples, n_samples)
    eigenvalues_ : ndarray of shape (n_components,)
        Smallest eigenvalues of the Laplacian.
    embedding_ : ndarray of shape (n_samples, n_components)
        Coordinates that are clustered by k-means.
    n_components_graph_ : int
        Number of connected components of the graph. If it exceeds `n_clusters`, the partition between them is
        arbitrary.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    eigengap : number of clusters suggested by the spectrum.
    similarity_graph : similarity graphs to choose from.

    Notes
    -----
    A dense affinity matrix needs n^2 numbers, which `fit` checks against the available memory; a neighbour graph needs
    n times the number of neighbours. The result depends on the similarity: with too large a gamma the graph falls apart
    into single rows, with too small a gamma no structure is visible. In practice the eigenvalues of separate clusters
    are nearly, but not exactly, zero.

    References
    ----------
    von Luxburg, U. (2007). A tutorial on spectral clustering. Statistics and Computing 17, 395-416.
    Ng, A., Jordan, M. and Weiss, Y. (2001). On spectral clustering. NIPS 14.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.cluster import SpectralClustering
    >>> angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    >>> ring = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> X = np.vstack([ring, 5 * ring])  # no straight line divides them
    >>> labels = SpectralClustering(2, random_state=0).fit_predict(X)
    >>> len(set(labels[:40])), len(set(labels[40:])), len(set(labels))
    (1, 1, 2)
    """

    _constraints = {
        "n_clusters": [Int(1, None)],
        "eigen_solver": [Options("arpack", "lobpcg", "amg"), None],
        "n_components": [Int(1, None), None],
        "random_state": ["random_state"],
        "n_init": [Int(1, None)],
        "gamma": [Real(0, None)],
        "affinity": [
            Options(*kernel_metrics(), "nearest_neighbors", "precomputed", "precomputed_nearest_neighbors"),
            "callable",
        ],
        "n_neighbors": [Int(1, None)],
        "eigen_tol": [Real(0, None), Options("auto")],
        "assign_labels": [Options("kmeans", "discretize", "cluster_qr")],
        "degree": [Real(0, None)],
        "coef0": [Real(None, None, closed="neither")],
        "kernel_params": [Instance(dict), None],
        "n_jobs": [Int(None, None), None],
        "verbose": ["verbose"],
        "laplacian": [_LAPLACIANS],
        "row_scale": [Options("auto", "degree", "length", "none")],
        "c": [Real(0, None, closed="neither"), None],
        "mutual": ["boolean"],
    }

    def __init__(
        self,
        n_clusters=8,
        *,
        eigen_solver=None,
        n_components=None,
        random_state=None,
        n_init=10,
        gamma=1.0,
        affinity="rbf",
        n_neighbors=10,
        eigen_tol="auto",
        assign_labels="kmeans",
        degree=3,
        coef0=1,
        kernel_params=None,
        n_jobs=None,
        verbose=False,
        laplacian="sym",
        row_scale="auto",
        c=None,
        mutual=False,
    ):
        self.n_clusters = n_clusters
        self.eigen_solver = eigen_solver
        self.n_components = n_components
        self.random_state = random_state
        self.n_init = n_init
        self.gamma = gamma
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.eigen_tol = eigen_tol
        self.assign_labels = assign_labels
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.laplacian = laplacian
        self.row_scale = row_scale
        self.c = c
        self.mutual = mutual

    def fit(self, X, y=None):
        """Compute the graph, its embedding, and the clusters.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Rows, or similarities or distances, depending on `affinity`.
        y : ignored

        Returns
        -------
        self : SpectralClustering
        """
        check_params(self)
        self._refuse_unused()
        X = validate_data(self, X, accept_sparse=["csr", "csc", "coo"], dtype=np.float64, ensure_min_samples=2)
        if X.shape[0] == X.shape[1] and not self._pairwise:
            warn(
                "X is square, but its rows are treated as points and `fit` computes the similarities. Set "
                "`affinity`='precomputed' if X contains similarities."
            )
        with jobs(self.n_jobs):
            return self._fit(X, check_random_state(self.random_state))

    def _refuse_unused(self):
        """Raise an error for parameters of the similarity that the affinity does not use."""
        name = "a function" if callable(self.affinity) else repr(self.affinity)
        if self.mutual and self.affinity not in ("nearest_neighbors", "precomputed_nearest_neighbors"):
            raise ValueError(
                f"`mutual`=True requires a neighbour graph, such as `affinity`='nearest_neighbors', got {name}."
            )
        if self.affinity in _WITH_GAMMA:
            return
        if self.c is not None or self.gamma != 1.0:
            word = f"`gamma`={self.gamma:g}" if self.c is None else f"`c`={self.c:g}"
            raise ValueError(f"{word} has no effect with `affinity`={name}; leave it at its default.")

    def _fit(self, X, rng):
        self.affinity_matrix_ = self._similarities(X)
        k = self.n_clusters if self.n_components is None else self.n_components
        # What is made here is symmetric and not negative; looking at n^2 numbers for that takes longer than the rest.
        built = self.affinity in ("rbf", "nearest_neighbors", "precomputed_nearest_neighbors")
        laplacian = Laplacian(self.affinity_matrix_ if built else check_affinity(self.affinity_matrix_), self.laplacian)
        self.eigenvalues_, vectors, self.n_components_graph_ = smallest_eigenpairs(
            laplacian,
            k,
            rng,
            tol=1e-8 if self.eigen_tol == "auto" else float(self.eigen_tol),
            solver=self.eigen_solver,
        )
        if self.n_components_graph_ > self.n_clusters:
            warn(
                f"Graph is not fully connected: it has {self.n_components_graph_} components, more than the "
                f"{self.n_clusters} clusters requested, so some components are merged arbitrarily. Decrease "
                "`gamma`, or increase `n_neighbors` or `n_clusters`."
            )
        self.embedding_ = self._rows(vectors, laplacian)
        if self.verbose:
            print(f"Computing label assignment using {self.assign_labels}")
        self.labels_ = self._divide(self.embedding_, rng)
        return self

    def _similarities(self, X):
        gamma = self.gamma if self.c is None else 1.0 / self.c
        if self.affinity == "precomputed":
            return X
        if self.affinity == "nearest_neighbors":
            ties = "both" if self.mutual else "average"
            return neighbor_affinity(
                X, self.n_neighbors, ties=ties, gamma=0.0 if gamma == 1.0 and self.c is None else gamma
            )
        if self.affinity == "precomputed_nearest_neighbors":
            return symmetric(nearest_of_distances(X, self.n_neighbors), self.mutual)
        params = dict(self.kernel_params or {})
        if self.affinity == "rbf" and not params:
            return rbf_affinity(by_rows(X), gamma)
        if not callable(self.affinity):
            params |= {"gamma": gamma, "degree": self.degree, "coef0": self.coef0}
        return pairwise_kernels(X, metric=self.affinity, filter_params=True, **params)

    def _rows(self, vectors, laplacian):
        scale = self.row_scale
        if scale == "auto":
            scale = "degree" if self.laplacian == "sym" else "none"
        # The vectors of L_rw are those of L_sym over the roots of the degrees; they are computed as such.
        if scale == "degree" or self.laplacian == "rw":
            vectors = vectors / laplacian.root[:, None]
        if scale == "length":
            length = np.linalg.norm(vectors, axis=1)
            vectors = vectors / np.where(length == 0, 1.0, length)[:, None]
        return fixed_signs(vectors)

    def _divide(self, rows, rng):
        if self.assign_labels == "cluster_qr":
            return cluster_qr(rows)
        if self.assign_labels == "discretize":
            return discretize(rows, random_state=rng)
        from ._kmeans import k_means

        return k_means(rows, self.n_clusters, random_state=rng, n_init=self.n_init, verbose=self.verbose)[1]

    @property
    def _pairwise(self):
        return self.affinity in ("precomputed", "precomputed_nearest_neighbors")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self._pairwise
        return tags
