"""t-distributed stochastic neighbour embedding."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted

from statlearn._core.callbacks import CallbackSupportMixin, FitSteps, with_callbacks
from statlearn._core.jobs import jobs
from statlearn._core.memory import require_memory
from statlearn._core.native import manifold as native
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.validation import require_finite, validate_data
from statlearn._math.distances.neighbor_index import build_index

from ._dissimilarities import warn_of_distances
from ._tsne_forces import Attraction, ExactRepulsion, GridRepulsion

EXAGGERATED_STEPS = 250
CHECK_EVERY = 50
EXACT_ROWS = 1500  # up to which all pairs are as fast as the grid (empirical)
SMALLEST_GAIN = 0.01


class TSNE(CallbackSupportMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""t-SNE: a map whose neighbours are those of the data.

    Minimises the Kullback-Leibler divergence of similarities in the map from similarities of the rows,

    .. math:: \sum_{i \ne j} p_{ij} \log\frac{p_{ij}}{q_{ij}}, \qquad
        q_{ij} = \frac{(1 + \lVert y_i - y_j\rVert^2)^{-1}}{\sum_{k \ne l}(1 + \lVert y_k - y_l\rVert^2)^{-1}},

    where :math:`p_{ij} = (p_{j|i} + p_{i|j}) / 2n` and :math:`p_{j|i}` is proportional to
    :math:`\exp(-\beta_i \lVert x_i - x_j \rVert^2)`. Each :math:`\beta_i` gives the row the entropy log(`perplexity`).

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the map. More than two are computed exactly, in quadratic time.
    perplexity : float, default=30
        Effective number of neighbours, less than the number of rows. The three-fold number of nearest neighbours
        enters the similarities. Large tables show larger structures with more.
    early_exaggeration : float, default=12
        Factor of the similarities in the first 250 steps, in which clusters form.
    learning_rate : float or "auto", default="auto"
        Step length. "auto" is the number of rows divided by four times `early_exaggeration`, at least 50.
    max_iter : int, default=1000
        Maximum number of steps, at least 250.
    n_iter_without_progress : int, default=300
        Stop after this many steps without a smaller divergence, looking every 50 steps, once the exaggeration is over.
    min_grad_norm : float, default=1e-7
        Stop when the norm of the gradient is smaller.
    metric : str or callable, default="euclidean"
        Metric of the rows; "precomputed" takes X as distances.
    metric_params : dict or None, default=None
        Arguments of the metric.
    init : {"pca", "random"} or ndarray of shape (n_samples, n_components), default="pca"
        Start. Principal components, scaled to a standard deviation of 1e-4, keep more of the global arrangement than a
        random start and make maps comparable.
    verbose : int, default=0
        Positive values print the divergence every 50 steps.
    random_state : int, RandomState or None, default=None
        Seed of a random start.
    method : {"auto", "interpolation", "barnes_hut", "exact"}, default="auto"
        Repulsive forces by interpolation on a grid, in linear time, or of all pairs. "auto" takes all pairs of up to
        1,500 rows. "barnes_hut" is accepted for the name of scikit-learn's approximation and means "interpolation".
    angle : float, default=0.5
        Not used: the error of the interpolation is below a hundredth of the forces.
    n_jobs : int or None, default=None
        Number of threads. The map does not depend on it.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map.
    kl_divergence_ : float
        Divergence at the end.
    n_iter_ : int
        Number of steps.
    learning_rate_ : float
        Step length in use.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    See Also
    --------
    SpectralEmbedding : Keeps the connections of clusters.
    Isomap : Keeps distances along the data.

    Notes
    -----
    Read only neighbourhoods from the map. Sizes of clusters and distances between them mean little, and pure noise
    shows clumps at a small perplexity. Draw maps of several perplexities before you believe a structure, and do not
    cluster the map instead of the data. There is no map for new rows.

    Gradient descent with momentum (0.5, later 0.8) and a gain for every coordinate, as in the original. Masses on a
    grid of step 0.4 are convolved with the kernel by fast Fourier transforms, so a step costs O(n · perplexity) plus a
    transform whose size grows with the area of the map.

    References
    ----------
    Van der Maaten, L. and Hinton, G. (2008). Visualizing data using t-SNE. *Journal of Machine Learning Research* 9.

    Linderman, G., Rachh, M., Hoskins, J., Steinerberger, S. and Kluger, Y. (2019). Fast interpolation-based t-SNE for
    improved visualization of single-cell RNA-seq data. *Nature Methods* 16.

    Belkina, A. et al. (2019). Automated optimized parameters for t-distributed stochastic neighbor embedding. *Nature
    Communications* 10.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.manifold import TSNE, trustworthiness
    >>> X = load_iris().data
    >>> Y = TSNE(perplexity=20, random_state=0).fit_transform(X)
    >>> bool(trustworthiness(X, Y) > 0.98)
    True
    """

    _constraints = {
        "n_components": [Int(1, None)],
        "perplexity": [Real(0, None, closed="neither")],
        "early_exaggeration": [Real(1, None)],
        "learning_rate": [Options("auto"), Real(0, None, closed="neither")],
        "max_iter": [Int(250, None)],
        "n_iter_without_progress": [Int(-1, None)],
        "min_grad_norm": [Real(0, None)],
        "metric": [Instance(str), "callable"],
        "metric_params": [Instance(dict), None],
        "init": [Options("pca", "random"), Instance(np.ndarray)],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
        "method": [Options("auto", "interpolation", "barnes_hut", "exact")],
        "angle": [Real(0, 1)],
        "n_jobs": [Int(None, None), None],
    }

    def __init__(
        self,
        n_components=2,
        *,
        perplexity=30.0,
        early_exaggeration=12.0,
        learning_rate="auto",
        max_iter=1000,
        n_iter_without_progress=300,
        min_grad_norm=1e-7,
        metric="euclidean",
        metric_params=None,
        init="pca",
        verbose=0,
        random_state=None,
        method="auto",
        angle=0.5,
        n_jobs=None,
    ):
        self.n_components = n_components
        self.perplexity = perplexity
        self.early_exaggeration = early_exaggeration
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.n_iter_without_progress = n_iter_without_progress
        self.min_grad_norm = min_grad_norm
        self.metric = metric
        self.metric_params = metric_params
        self.init = init
        self.verbose = verbose
        self.random_state = random_state
        self.method = method
        self.angle = angle
        self.n_jobs = n_jobs

    def fit(self, X, y=None):
        """Compute the map.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Rows, or distances with ``metric="precomputed"``.
        y : ignored

        Returns
        -------
        self
        """
        self.fit_transform(X)
        return self

    @with_callbacks
    def fit_transform(self, X, y=None):
        """Compute and return the map.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Rows, or distances with ``metric="precomputed"``.
        y : ignored

        Returns
        -------
        embedding : ndarray of shape (n_samples, n_components)
        """
        check_params(self)
        X = validate_data(self, X, dtype=np.float64, order="C", accept_sparse="csr", ensure_min_samples=2)
        n = X.shape[0]
        if self.perplexity >= n:
            raise ValueError(f"`perplexity` must be less than the {n} rows of X, got {self.perplexity:g}.")
        if self.metric == "precomputed":
            _check_distances(X)
        warn_of_distances(X, self.metric)
        exact = self.method == "exact" or self.n_components != 2 or (self.method == "auto" and n <= EXACT_ROWS)
        with jobs(self.n_jobs):
            P = self._similarities(X, exact)
            start = self._start(X)
            repulsion = ExactRepulsion() if exact else GridRepulsion()
            self.learning_rate_ = (
                max(n / self.early_exaggeration / 4.0, 50.0) if self.learning_rate == "auto" else self.learning_rate
            )
            with FitSteps(self, X, None, max_steps=self.max_iter, name="step") as steps:
                self._descend(start, Attraction(P), repulsion, steps)
        return self.embedding_

    def _similarities(self, X, exact):
        """The joint similarities as a sparse matrix."""
        n = X.shape[0]
        k = n - 1 if exact else min(n - 1, int(3.0 * self.perplexity + 1))
        require_memory(40 * n * k, f"The similarities of {n:,} rows to {k:,} others", "Use fewer rows.")
        if self.metric == "precomputed":
            D = X + np.diag(np.full(n, np.inf))
            rows = np.sort(np.argpartition(D, k - 1, axis=1)[:, :k], axis=1)
            far = np.take_along_axis(D, rows, axis=1)
        else:
            far, rows = build_index(X, self.metric, metric_params=self.metric_params).query(None, k, exclude_self=True)
        square = far**2
        require_finite(square)
        weights = np.empty_like(square)
        # A row with k equal neighbours has the entropy log(k) at every width.
        native.perplexity_weights(square, min(float(self.perplexity), 0.99 * k), weights)
        P = sparse.csr_array((weights.ravel(), rows.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
        P = (P + P.T).tocsr()
        P.data /= P.data.sum()
        return P

    def _start(self, X):
        """The first map."""
        shape = (X.shape[0], self.n_components)
        if isinstance(self.init, np.ndarray):
            start = check_array(self.init, dtype=np.float64, input_name="init", copy=True)
            if start.shape != shape:
                raise ValueError(f"`init` must have shape {shape}, got {start.shape}.")
            return np.ascontiguousarray(start)
        if self.init == "pca" and self.metric != "precomputed" and self.n_components <= min(X.shape):
            from statlearn.decomposition import PCA, TruncatedSVD

            reduction = TruncatedSVD if sparse.issparse(X) and self.n_components < X.shape[1] else PCA
            rows = X.toarray() if reduction is PCA and sparse.issparse(X) else X
            start = reduction(self.n_components, random_state=check_random_state(self.random_state)).fit_transform(rows)
            spread = np.std(start[:, 0])
            if spread > 0:
                return np.ascontiguousarray(start / spread * 1e-4)
        return 1e-4 * check_random_state(self.random_state).standard_normal(shape)

    def _descend(self, Y, attraction, repulsion, steps):
        """Gradient descent with momentum and gains; sets the fitted attributes."""
        update, gains = np.zeros_like(Y), np.ones_like(Y)
        best, best_step, self.n_iter_ = np.inf, 0, 0
        for step in range(1, self.max_iter + 1):
            steps.begin()
            early = step <= EXAGGERATED_STEPS
            if step == EXAGGERATED_STEPS + 1:  # another objective: what was learned of its steps does not apply
                update, gains = np.zeros_like(Y), np.ones_like(Y)
            looks = step % CHECK_EVERY == 0 or step == self.max_iter
            pull, divergence = attraction(Y, looks)
            push, total = repulsion(Y)
            gradient = 4.0 * ((self.early_exaggeration if early else 1.0) * pull - push / total)
            same_way = update * gradient < 0.0
            gains = np.maximum(np.where(same_way, gains + 0.2, gains * 0.8), SMALLEST_GAIN)
            update = (0.5 if early else 0.8) * update - self.learning_rate_ * gains * gradient
            Y += update
            Y -= Y.mean(axis=0)
            self.n_iter_ = step
            if looks:
                self.kl_divergence_ = divergence + float(np.log(total))
                self._report(step, gradient)
                if not early:
                    if self.kl_divergence_ < best:
                        best, best_step = self.kl_divergence_, step
                    elif step - best_step > self.n_iter_without_progress:
                        break
                    if np.linalg.norm(gradient) <= self.min_grad_norm:
                        break
            if steps.end(lambda: {"embedding_": Y}):
                break
        require_finite(Y)
        self.embedding_ = Y

    def _report(self, step, gradient):
        if self.verbose:
            norm = np.linalg.norm(gradient)
            print(f"[t-SNE] step {step}: divergence {self.kl_divergence_:.4f}, gradient {norm:.2e}", flush=True)

    @property
    def _n_features_out(self):
        check_is_fitted(self)
        return self.embedding_.shape[1]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.input_tags.sparse = True
        return tags


def _check_distances(X):
    if sparse.issparse(X):
        raise TypeError("X must be a dense matrix of distances with metric='precomputed', got a sparse one.")
    if X.shape[0] != X.shape[1]:
        raise ValueError(f"X must be a square matrix of distances with metric='precomputed', got shape {X.shape}.")
    if np.any(X < 0):
        raise ValueError("X must not contain negative distances with metric='precomputed'.")
