"""k-means on small batches of rows."""

import numpy as np
from sklearn.utils import check_random_state

from statlearn._core import native
from statlearn._core.fitted_state import forget
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.warnings import warn

from ._centres import CentreClusterer
from ._kernel_input import NO_WEIGHTS, kernel_rows, kernel_weights, validate_rows
from ._kmeans import Geometry, count_starts, require_rows
from ._seeding import STARTS, check_centres, dense_rows, initial_centres, nearest_centres, row_order


class _Stopping:
    """Stopping rule: small shifts of the centres, or no improvement of the smoothed objective of the batches."""

    def __init__(self, tol, patience, smoothing, verbose, n_steps):
        self.tol, self.patience, self.smoothing = tol, patience, min(1.0, smoothing)
        self.verbose, self.n_steps = verbose, n_steps
        self.mean = self.least = None
        self.waited = 0

    def __call__(self, step, batch_mean, shift):
        """Whether to stop after a step; `batch_mean` is the objective of its batch per row before the step."""
        if step == 1:  # the objective of the start
            self._say(f"Minibatch step {step}/{self.n_steps}: mean batch inertia: {batch_mean}")
            return False
        self.mean = batch_mean if self.mean is None else self.mean + self.smoothing * (batch_mean - self.mean)
        self._say(f"Minibatch step {step}/{self.n_steps}: mean batch inertia: {batch_mean}, ewa inertia: {self.mean}")
        if self.tol > 0 and shift <= self.tol:
            self._say(f"Converged (small centers change) at step {step}/{self.n_steps}")
            return True
        if self.least is None or self.mean < self.least:
            self.least, self.waited = self.mean, 0
        else:
            self.waited += 1
        if self.patience is not None and self.waited >= self.patience:
            self._say(f"Converged (lack of improvement in inertia) at step {step}/{self.n_steps}")
            return True
        return False

    def _say(self, text):
        if self.verbose:
            print(text)


class MiniBatchKMeans(CentreClusterer):
    r"""Mini-batch k-means on random batches of rows, or on the batches of a stream.

    Each batch moves the centres towards the means of its rows: a centre of accumulated weight v becomes :math:`(v c +
    \sum_i s_i x_i) / (v + \sum_i s_i)` over the rows of the batch that are nearest to it. The objective of
    :class:`KMeans` is reached up to a few per cent, with far fewer distance evaluations.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    init : {"k-means++", "k-means||", "random", "box"}, callable or array-like, default="k-means++"
        Initialisation as in :class:`KMeans`, applied to `init_size` rows.
    max_iter : int, default=100
        Maximum number of passes over the data in `fit`, that is ``max_iter * n_samples // batch_size`` steps.
    batch_size : int, default=1024
        Number of rows in a batch.
    verbose : int, default=0
        Whether to print the progress.
    compute_labels : bool, default=True
        Whether to assign all rows at the end of `fit`.
    random_state : int, RandomState instance or None, default=None
        Seed of the initialisations, batches and reassignments.
    tol : float, default=0.0
        Stop when the sum of the squared shifts of the centres in one step is at most `tol` times the mean variance of
        the columns; 0 disables this.
    max_no_improvement : int or None, default=10
        Stop after this number of steps without a new minimum of the smoothed objective; None disables this.
    init_size : int or None, default=None
        Number of rows drawn for the initialisation; None means ``3 * batch_size``, at least ``3 * n_clusters``.
    n_init : int or "auto", default="auto"
        Number of initialisations; the best on `init_size` other rows is kept. "auto" means 1 for "k-means++",
        "k-means||" and arrays, and 3 otherwise.
    reassignment_ratio : float, default=0.01
        Centres whose accumulated weight is less than this fraction of the largest one are moved to random rows.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres.
    labels_ : ndarray of shape (n_samples,)
        Index of the nearest centre of each row; only with `compute_labels`.
    inertia_ : float
        Weighted sum of squared distances to the nearest centre; estimated from the batches without `compute_labels`.
    n_iter_ : int
        Number of passes over the data, including incomplete ones.
    n_steps_ : int
        Number of batches.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names of X, if it has any.

    See Also
    --------
    KMeans : the exact algorithm; rarely slower on tables that fit into memory.

    Notes
    -----
    In `fit`, batches are drawn with probabilities proportional to the weights; in `partial_fit`, weights enter the
    means. Each step costs ``batch_size * n_clusters * n_features``.

    References
    ----------
    Sculley (2010), Web-scale k-means clustering, WWW.

    Examples
    --------
    >>> from statlearn.cluster import MiniBatchKMeans
    >>> X = [[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]]
    >>> model = MiniBatchKMeans(2, random_state=0).fit(X)
    >>> bool(model.labels_[0] == model.labels_[2] != model.labels_[3])
    True
    """

    _constraints = {
        "n_clusters": [Int(1, None)],
        "init": [Options(*STARTS), "callable", "array-like"],
        "max_iter": [Int(1, None)],
        "batch_size": [Int(1, None)],
        "verbose": ["verbose"],
        "compute_labels": ["boolean"],
        "random_state": ["random_state"],
        "tol": [Real(0, None)],
        "max_no_improvement": [Int(0, None), None],
        "init_size": [Int(1, None), None],
        "n_init": [Options("auto"), Int(1, None)],
        "reassignment_ratio": [Real(0, None)],
    }

    def __init__(
        self,
        n_clusters=8,
        *,
        init="k-means++",
        max_iter=100,
        batch_size=1024,
        verbose=0,
        compute_labels=True,
        random_state=None,
        tol=0.0,
        max_no_improvement=10,
        init_size=None,
        n_init="auto",
        reassignment_ratio=0.01,
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.verbose = verbose
        self.compute_labels = compute_labels
        self.random_state = random_state
        self.tol = tol
        self.max_no_improvement = max_no_improvement
        self.init_size = init_size
        self.n_init = n_init
        self.reassignment_ratio = reassignment_ratio

    def fit(self, X, y=None, sample_weight=None):
        """Compute the clustering from random batches of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Rows are drawn with probabilities proportional to their weights.

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_rows(self, X)
        weights, present = kernel_weights(sample_weight, X)
        rows = X if present is None else X[present]
        n = rows.shape[0]
        random_state = check_random_state(self.random_state)
        self._size_up(n)
        order = row_order(rows)
        cumulated = np.cumsum(weights[order]) if len(weights) else None

        def draw(size):
            """Rows drawn by weight with replacement, independent of the order of the rows."""
            at = random_state.uniform(size=size)
            if cumulated is None:
                return order[(at * n).astype(np.intp)]
            return order[np.minimum(np.searchsorted(cumulated, at * cumulated[-1], side="right"), n - 1)]

        centres = self._best_start(rows, weights, random_state, judge=rows[draw(self._init_size)])
        forget(self, "_random_state")  # of `partial_fit`
        self._counts = np.zeros(self.n_clusters)
        self._since_reassignment = 0
        n_steps = self.max_iter * n // self._batch_size
        tol = self.tol * Geometry(rows, weights).variance if self.tol > 0 else 0.0
        stopping = _Stopping(tol, self.max_no_improvement, 2 * self._batch_size / (n + 1), self.verbose, n_steps)
        for step in range(1, n_steps + 1):
            batch = rows[draw(self._batch_size)]
            before = centres.copy()
            inertia = self._step(batch, NO_WEIGHTS, centres, random_state)
            if stopping(step, inertia / self._batch_size, float(((centres - before) ** 2).sum())):
                break

        self.cluster_centers_ = centres.astype(X.dtype)
        self.n_steps_, self.n_iter_ = step, int(np.ceil(step * self._batch_size / n))
        if self.compute_labels:
            self._label(X, weights, present)
        else:
            forget(self, "labels_")
            total = weights.sum() if len(weights) else n
            self.inertia_ = float((stopping.mean or inertia / self._batch_size) * total)
        return self

    def partial_fit(self, X, y=None, sample_weight=None):
        """Update the centres with these rows as one batch.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        # A fit that failed on another table leaves the centres of the previous one.
        first = not hasattr(self, "cluster_centers_") or self.cluster_centers_.shape[1] != self.n_features_in_
        X = validate_rows(self, X, reset=first)
        weights, present = kernel_weights(sample_weight, X)
        rows = X if present is None else X[present]
        if not hasattr(self, "_random_state"):
            self._random_state = check_random_state(self.random_state)
        if first:
            self._size_up(rows.shape[0])
            self._counts = np.zeros(self.n_clusters)
            self._since_reassignment = 0
            self.n_steps_ = 0
            centres = self._best_start(rows, weights, self._random_state, judge=rows)
        else:
            centres = self.cluster_centers_.astype(np.float64)
        self._step(rows, weights, centres, self._random_state)
        self.cluster_centers_ = centres.astype(X.dtype)
        self.n_steps_ += 1
        if self.compute_labels:
            self._label(X, weights, present)
        return self

    def _size_up(self, n):
        """Set the sizes of batches and samples, and the number of initialisations."""
        require_rows(n, self.n_clusters)
        self._batch_size = min(self.batch_size, n)
        size = self.init_size
        if size is None:
            size = 3 * self._batch_size
            if size < self.n_clusters:
                size = 3 * self.n_clusters
        elif size < self.n_clusters:
            warn(
                f"init_size={size} should be larger than n_clusters={self.n_clusters}. Setting it to "
                "min(3*n_clusters, n_samples)",
                RuntimeWarning,
            )
            size = 3 * self.n_clusters
        self._init_size = min(size, n)
        self._n_init = count_starts(self, default=3)

    def _best_start(self, X, weights, random_state, judge):
        """The initialisation with the smallest objective on the rows `judge`."""
        init = self.init
        if not isinstance(init, str) and not callable(init):
            return check_centres(init, X, self.n_clusters)
        best, least = None, np.inf
        for number in range(self._n_init):
            sample, sample_weights = X, weights
            if self._init_size < X.shape[0]:
                chosen = np.sort(random_state.choice(X.shape[0], size=self._init_size, replace=False))
                sample, sample_weights = X[chosen], weights[chosen] if len(weights) else weights
            centres = initial_centres(init, sample, sample_weights, self.n_clusters, random_state)
            inertia = float(nearest_centres(judge, centres)[1].sum())
            if self.verbose:
                print(f"Inertia for init {number + 1}/{self._n_init}: {inertia}")
            if best is None or inertia < least:
                best, least = centres, inertia
        return best

    def _step(self, X, weights, centres, random_state):
        """Update the centres (in place) by one batch; returns its objective before the step."""
        labels, squares = nearest_centres(X, centres)
        sums, totals = np.zeros_like(centres), np.zeros(self.n_clusters)
        native.cluster.row_sums(*kernel_rows(X), weights, labels, sums, totals)
        seen = totals > 0
        rate = totals[seen] / (self._counts[seen] + totals[seen])
        centres[seen] += rate[:, None] * (sums[seen] / totals[seen, None] - centres[seen])
        self._counts += totals
        self._reassign(X, centres, random_state)
        return float(squares @ weights if len(weights) else squares.sum())

    def _reassign(self, X, centres, random_state):
        """Occasionally move centres of small accumulated weight to rows of the batch."""
        self._since_reassignment += self._batch_size
        due = self._since_reassignment >= 10 * self.n_clusters or np.any(self._counts == 0)
        if not due or self.reassignment_ratio == 0:
            return
        self._since_reassignment = 0
        poor = self._counts < self.reassignment_ratio * self._counts.max()
        limit = int(0.5 * X.shape[0])
        if poor.sum() > limit:  # at most half of the batch
            poor[np.argsort(self._counts)[limit:]] = False
        count = int(poor.sum())
        if count == 0:
            return
        if self.verbose:
            print(f"[MiniBatchKMeans] Reassigning {count} cluster centers.")
        chosen = random_state.choice(X.shape[0], replace=False, size=count)
        centres[poor] = dense_rows(X, chosen)
        # As much as the poorest of the others: not moved again at once.
        self._counts[poor] = self._counts[~poor if not poor.all() else poor].min()

    def _label(self, X, weights, present):
        centres = self.cluster_centers_.astype(np.float64)
        self.labels_, squares = nearest_centres(X, centres)
        if present is not None:
            squares = squares[present]
        self.inertia_ = float(squares @ weights if len(weights) else squares.sum())
