"""k-means clustering by Lloyd's algorithm."""

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from statlearn._core import native
from statlearn._core.fitted_state import forget
from statlearn._core.memory import require_memory
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.warnings import warn, warn_if_stopped

from ._centre_sums import CentreSums
from ._centres import CentreClusterer
from ._kernel_input import kernel_rows, kernel_weights, validate_rows
from ._labels import warn_if_fewer
from ._seeding import STARTS, check_centres, initial_centres, nearest_centres, row_order

# Numbers of native/cluster/kmeans.hpp.
ALGORITHMS = {"full": 0, "lloyd": 1, "hamerly": 2, "elkan": 3}


class Geometry:
    """Quantities shared by all runs on the same rows: a reference point, the scatter around it, and the variance."""

    def __init__(self, X, weights):
        self.n, self.rows, self.weights = X.shape[0], kernel_rows(X), weights
        self.mean = mean = np.empty(X.shape[1])
        scatter = native.cluster.mean_and_scatter(*self.rows, weights, mean)
        total = weights.sum() if len(weights) else X.shape[0]
        self.variance = scatter / (total * X.shape[1])
        # Sparse rows are measured from zero, where most of their entries are.
        self.origin = np.zeros_like(mean) if sparse.issparse(X) else mean
        self.scatter = scatter + total * float(mean @ mean) if sparse.issparse(X) else scatter


class LloydRun:
    """One run of Lloyd's algorithm from the given centres (overwritten), and its results."""

    def __init__(self, geometry, centres, algorithm, tol, max_iter):
        self.centres = np.ascontiguousarray(centres, dtype=np.float64)
        self.labels = np.empty(geometry.n, dtype=np.int32)
        self.tol = tol * geometry.variance
        (self.inertia, self.n_iter, self.strict, self.status, self.shift, self.n_distances, self.history) = (
            native.cluster.kmeans_fit(
                *geometry.rows,
                geometry.weights,
                ALGORITHMS[algorithm],
                self.tol,
                max_iter,
                geometry.origin,
                geometry.scatter,
                self.centres,
                self.labels,
            )
        )

    def better_than(self, other):
        """Whether this run is better by more than rounding."""
        return other is None or self.inertia < other.inertia * (1 - 1e-12)

    def report(self):
        """Print the progress, as scikit-learn does."""
        print("Initialization complete")
        for i in range(self.n_iter):
            print(f"Iteration {i}, inertia {self.history[2 * i]:.6g}.")
        last = self.n_iter - 1
        if self.strict:
            print(f"Converged at iteration {last}: strict convergence.")
        elif self.status == 0:
            print(f"Converged at iteration {last}: center shift {self.shift:.3g} within tolerance {self.tol:.3g}.")


def count_starts(estimator, default):
    """Number of initialisations: `n_init`, where "auto" means 1 for careful or given starts and else `default`."""
    init, n_init = estimator.init, estimator.n_init
    passed = not isinstance(init, str) and not callable(init)
    if n_init == "auto":
        return 1 if passed or init in ("k-means++", "k-means||") else default
    if passed and n_init != 1:
        warn(
            "Explicit initial center position passed: performing only one init in "
            f"{type(estimator).__name__} instead of n_init={n_init}.",
            RuntimeWarning,
        )
        return 1
    return n_init


def require_rows(n, n_clusters):
    """Raise an error if there are fewer rows than clusters."""
    if n < n_clusters:
        raise ValueError(f"n_samples={n} should be >= n_clusters={n_clusters}.")


class KMeans(CentreClusterer):
    r"""k-means clustering.

    Minimises over k centres c and labels, with weights s,

    .. math:: \sum_i s_i \lVert x_i - c_{\text{label}(i)} \rVert^2 ,

    a plain sum (`inertia_`), by alternating between labels and centres from `n_init` initialisations. Each row belongs
    to the nearest centre, and each centre is the mean of its rows. The objective never increases (`history_`), so the
    algorithm converges, but to a local optimum that depends on the initialisation. A run stops when no label changes,
    or when the sum of the squared shifts of the centres is at most `tol` times the mean variance of the columns.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters k.
    init : {"k-means++", "k-means||", "random", "box"}, callable or array-like, default="k-means++"
        Initialisation. "k-means++" draws rows far from one another. "k-means||" is nearly as good with few passes, for
        very many clusters. "random" draws rows, and "box" draws points from the box around the data. An array of shape
        (n_clusters, n_features) contains the initial centres; a callable receives ``X, n_clusters, random_state`` and
        returns such an array.
    n_init : int or "auto", default="auto"
        Number of initialisations; the run with the smallest `inertia_` is kept. "auto" means 1 for "k-means++",
        "k-means||" and arrays, and 10 otherwise.
    max_iter : int, default=300
        Maximum number of iterations per initialisation.
    tol : float, default=1e-4
        Sum of the squared shifts of the centres, relative to the mean variance of the columns, at which a run stops.
        With 0 it runs until no label changes.
    verbose : int, default=0
        Whether to print the progress of each run.
    random_state : int, RandomState instance or None, default=None
        Seed of the initialisations. The result depends on it and on the rows, but not on their order or the number of
        threads.
    copy_x : bool, default=True
        Accepted for compatibility with scikit-learn; X is never changed.
    algorithm : {"lloyd", "elkan", "hamerly", "full"}, default="lloyd"
        How nearest centres are found; all give the same result. "full" evaluates every distance in every iteration.
        "hamerly" keeps two bounds per row that rule most of them out. "lloyd" is "full" until few rows change and then
        "hamerly". "elkan" keeps a bound for every row and centre: it evaluates the fewest distances and pays off if a
        distance is expensive (hundreds of columns), but needs memory for n_samples * n_clusters floats.
    n_local_trials : int or None, default=None
        Number of candidates of k-means++ per centre, the best of which is chosen, up to 10,000; None means
        ``2 + int(log(n_clusters))``.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres.
    labels_ : ndarray of shape (n_samples,)
        Index of the nearest centre of each row.
    inertia_ : float
        Weighted sum of squared distances to the nearest centre.
    n_iter_ : int
        Number of iterations of the best run.
    history_ : ndarray
        Objective of the best run after each half step: labels, centres, labels, ...
    n_distances_ : int
        Number of distances evaluated by the best run, including those between centres.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names of X, if it has any.

    See Also
    --------
    MiniBatchKMeans : one pass over small batches, for streams.
    BisectingKMeans : by successive splits.
    KMedoids : for any dissimilarity.

    Notes
    -----
    An iteration costs at most n k p operations. Rows are compared with four centres at a time in registers, and most
    comparisons are skipped once the centres hardly move. Cluster sums are updated by the rows that change. An empty
    cluster receives the row that is farthest from its centre.

    The result depends on the scale of the columns; standardise them if the units are arbitrary. k-means looks for round
    clusters of similar spread, assigns every outlier to some cluster, and requires k. The objective always decreases
    with k; compare it with a reference (:func:`gap_statistic`) or use other indices.

    References
    ----------
    Lloyd (1982), Least squares quantization in PCM, IEEE Transactions on Information Theory 28.
    Elkan (2003), Using the triangle inequality to accelerate k-means, ICML.
    Hamerly (2010), Making k-means even faster, SDM.
    Bahmani, Moseley, Vattani, Kumar and Vassilvitskii (2012), Scalable k-means++, VLDB.

    Examples
    --------
    >>> from statlearn.cluster import KMeans
    >>> model = KMeans(n_clusters=2, random_state=0).fit([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]])
    >>> sorted(model.cluster_centers_[:, 0].tolist())
    [2.0, 11.0]
    >>> model.inertia_
    4.0
    """

    _constraints = {
        "n_clusters": [Int(1, None)],
        "init": [Options(*STARTS), "callable", "array-like"],
        "n_init": [Options("auto"), Int(1, None)],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None)],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
        "copy_x": ["boolean"],
        "algorithm": [Options(*ALGORITHMS)],
        "n_local_trials": [Int(1, 10_000), None],
    }

    def __init__(
        self,
        n_clusters=8,
        *,
        init="k-means++",
        n_init="auto",
        max_iter=300,
        tol=1e-4,
        verbose=0,
        random_state=None,
        copy_x=True,
        algorithm="lloyd",
        n_local_trials=None,
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.copy_x = copy_x
        self.algorithm = algorithm
        self.n_local_trials = n_local_trials

    def fit(self, X, y=None, sample_weight=None):
        """Compute the clustering.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row, a weight of 0 to omitting it.

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_rows(self, X)
        weights, present = kernel_weights(sample_weight, X)
        rows = X if present is None else X[present]
        require_rows(rows.shape[0], self.n_clusters)
        algorithm = self._resolve_algorithm(rows)
        self._n_init = count_starts(self, default=10)
        init = self.init
        if not isinstance(init, str) and not callable(init):
            init = check_centres(init, rows, self.n_clusters)

        random_state = check_random_state(self.random_state)
        order = row_order(rows) if isinstance(init, str) and init == "k-means++" else None
        geometry = Geometry(rows, weights)
        best = None
        for _ in range(self._n_init):
            centres = initial_centres(init, rows, weights, self.n_clusters, random_state, self.n_local_trials, order)
            run = LloydRun(geometry, centres, algorithm, self.tol, self.max_iter)
            if self.verbose:
                run.report()
            if run.better_than(best):
                best = run

        self.cluster_centers_ = best.centres.astype(X.dtype)
        self.labels_ = best.labels if present is None else nearest_centres(X, best.centres, distances=False)[0]
        self.inertia_, self.n_iter_ = best.inertia, best.n_iter
        self.history_, self.n_distances_ = best.history, best.n_distances
        self._warn(best)
        return self

    def _centre_sums(self, X, weights, centres):
        """The statistic of a step for rows of a block."""
        return CentreSums.from_block(validate_rows(self, X), centres, weights)

    def _store_blocks(self, centres, sums, *, n_iter, history, status, shift, tol):
        """Set the attributes of a fit over blocks of rows; there are no labels."""
        forget(self, "labels_", "n_distances_")
        self.cluster_centers_, self.inertia_, self.n_iter_ = centres, sums.inertia, n_iter
        self.history_ = np.asarray(history)
        warn_if_fewer(self, np.flatnonzero(sums.weight))
        warn_if_stopped(
            self, status, f"the centres moved by {shift:.3g} (squared) in iteration {n_iter}, more than {tol:.3g}",
            remedy="Increase max_iter or tol.",
        )  # fmt: skip

    def _resolve_algorithm(self, X):
        if self.algorithm == "elkan" and self.n_clusters == 1:
            warn(
                "algorithm='elkan' doesn't make sense for a single cluster. Using 'lloyd' instead.",
                RuntimeWarning,
            )
            return "lloyd"
        if self.algorithm == "elkan":
            require_memory(
                4 * X.shape[0] * self.n_clusters, "The distance bounds of algorithm='elkan'", "Use algorithm='hamerly'."
            )
        return self.algorithm

    def _warn(self, best):
        warn_if_fewer(self, best.labels)
        warn_if_stopped(
            self,
            best.status,
            f"the centres moved by {best.shift:.3g} (squared) in iteration {best.n_iter}, more than {best.tol:.3g}",
            remedy="Increase max_iter or tol.",
        )


def k_means(
    X,
    n_clusters,
    *,
    sample_weight=None,
    init="k-means++",
    n_init="auto",
    max_iter=300,
    verbose=False,
    tol=1e-4,
    random_state=None,
    copy_x=True,
    algorithm="lloyd",
    return_n_iter=False,
):
    """k-means clustering as a function.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows to cluster.
    n_clusters : int
        Number of clusters.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        A weight of k is equivalent to k copies of the row.
    init, n_init, max_iter, verbose, tol, random_state, copy_x, algorithm
        As in :class:`KMeans`.
    return_n_iter : bool, default=False
        Whether to also return the number of iterations.

    Returns
    -------
    centroid : ndarray of shape (n_clusters, n_features)
        The centres.
    label : ndarray of shape (n_samples,)
        Index of the nearest centre of each row.
    inertia : float
        Sum of squared distances to the nearest centre.
    best_n_iter : int
        Number of iterations of the best run; only with `return_n_iter`.

    Examples
    --------
    >>> from statlearn.cluster import k_means
    >>> centers, labels, inertia = k_means([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]], 2, random_state=0)
    >>> inertia
    4.0
    """
    model = KMeans(
        n_clusters=n_clusters,
        init=init,
        n_init=n_init,
        max_iter=max_iter,
        verbose=verbose,
        tol=tol,
        random_state=random_state,
        copy_x=copy_x,
        algorithm=algorithm,
    ).fit(X, sample_weight=sample_weight)
    result = model.cluster_centers_, model.labels_, model.inertia_
    return (*result, model.n_iter_) if return_n_iter else result
