"""Isolation forest: outliers are separated from the other rows by few random cuts."""

import math
import numbers

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget
from statlearn._core.frames import refuse_names
from statlearn._core.jobs import jobs
from statlearn._core.memory import require_memory
from statlearn._core.native import ensemble as native
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, check_weights, validate_data
from statlearn._core.warnings import warn
from statlearn._math.trees.forest import Forest
from statlearn._math.trees.growth import Share
from statlearn._math.trees.table_input import SPARSE_BLOCK

from ._growth import MAX_SEED

_USUAL_SAMPLE = 256  # rows of a tree; more change little (Liu et al., 2008)
_NODES_AT_ONCE = 2_000_000  # of the trees that are grown together
_NUMBERS_AT_ONCE = 16_000_000  # of sparse rows converted to dense at a time
_NODE_BYTES = 34


class IsolationForest(OutlierMixin, BaseEstimator):
    r"""Isolation forest.

    Every tree cuts a small sample of the rows at random: a node draws a column and a threshold, uniform between the
    smallest and the largest value of its rows, until all rows are alone or a depth of :math:`\log_2 \psi` is reached.
    Outliers are alone after few cuts. With h(x) the depth of the leaf of x, plus :math:`c(m)` for a leaf that still has
    m rows, the score of x is

    .. math:: -2^{-\bar h(x) / c(\psi)}, \qquad c(m) = 2 (\ln(m - 1) + \gamma) - 2 (m - 1) / m,

    where c is the mean depth of a search tree of m rows, :math:`\psi` the size of a sample and :math:`\gamma` Euler's
    constant: near -1 for outliers, about -0.5 if nothing stands out, closer to 0 in the middle of the data.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    max_samples : "auto", int or float, default="auto"
        Number (or, as a float, proportion) of rows drawn for each tree. "auto" means 256, or all rows if there are
        fewer.
    contamination : "auto" or float, default="auto"
        Proportion of outliers among the training rows, up to 0.5, which sets the threshold. "auto" uses a score of
        -0.5.
    max_features : int or float, default=1.0
        Number (or, as a float, proportion) of columns drawn for each tree.
    bootstrap : bool, default=False
        Whether rows are drawn with replacement.
    n_jobs : int or None, default=None
        Number of threads. None and -1 use all threads available to the process.
    random_state : int, RandomState or None, default=None
        Seed for rows, columns and thresholds.
    verbose : int, default=0
        If positive, print the number of trees grown so far.
    warm_start : bool, default=False
        Whether another `fit` with a larger `n_estimators` adds trees to the existing ones.

    Attributes
    ----------
    forest_ : Forest
        The trees as flat arrays; the value of a leaf is its path length h.
    max_samples_ : int
        Number of rows of each tree.
    offset_ : float
        Threshold: rows with a score below it are outliers.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if X has column names that are all strings.

    See Also
    --------
    statlearn.neighbors.LocalOutlierFactor : density relative to that of the neighbours, for clusters of different
        densities.

    Notes
    -----
    Columns need no scaling, since only distances within a column matter; a logarithm does change the result. Missing
    values are left out when a threshold is drawn, and go to a random side of each node. Cuts are parallel to the axes,
    so empty regions beside, above and below a cluster look more ordinary than they are. Cuts of irrelevant columns tell
    nothing; if there are many, select columns first. The fit costs O(T psi log psi) and the score of a row O(T log
    psi), for T trees of psi rows, whatever the number of training rows.

    With sample weights, rows are drawn with probabilities proportional to them; rows of weight 0 are never drawn.

    References
    ----------
    Liu, F. T., Ting, K. M. & Zhou, Z.-H. (2008). Isolation forest. ICDM, 413-422.

    Examples
    --------
    >>> from statlearn.ensemble import IsolationForest
    >>> X = [[-1.1], [0.3], [0.5], [100.0]]
    >>> model = IsolationForest(random_state=0).fit(X)
    >>> model.predict([[0.1], [0.0], [90.0]])
    array([ 1,  1, -1])
    """

    _constraints = {
        "n_estimators": [Int(1, None)],
        "max_samples": [Options("auto"), Int(1, None), Share(0, 1, closed="right")],
        "contamination": [Options("auto"), Real(0, 0.5, closed="right")],
        "max_features": [Int(1, None), Share(0, 1, closed="right")],
        "bootstrap": ["boolean"],
        "n_jobs": [Int(), None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "warm_start": ["boolean"],
    }

    def __init__(
        self,
        *,
        n_estimators=100,
        max_samples="auto",
        contamination="auto",
        max_features=1.0,
        bootstrap=False,
        n_jobs=None,
        random_state=None,
        verbose=0,
        warm_start=False,
    ):
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.contamination = contamination
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start

    def fit(self, X, y=None, sample_weight=None):
        """Grow the trees.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training data. NaN is a missing value.
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Rows are drawn with probabilities proportional to the weights.

        Returns
        -------
        self
        """
        check_params(self)
        refuse_names(X, type(self).__name__)
        again = self.warm_start and hasattr(self, "forest_")
        X = validate_data(self, X, dtype=FLOATS, accept_sparse="csr", ensure_all_finite="allow-nan", reset=not again)
        weights = check_weights(sample_weight, X)
        before = len(self.forest_) if again else 0
        if self.n_estimators < before:
            raise ValueError(
                f"`n_estimators`={self.n_estimators} must be at least {before}, the number of trees of the earlier "
                "fit, if warm_start=True."
            )
        if not again:
            forget(self)
        chance = None if weights is None else _chances(weights)
        draws = self._sample_size(X.shape[0] if chance is None else int(np.count_nonzero(chance)))
        if again and draws != self.max_samples_:
            raise ValueError(
                f"`max_samples` means {draws} rows per tree and was {self.max_samples_} in the earlier fit; use "
                "warm_start=False to start again."
            )
        # The same seeds that a single fit of all trees would have drawn.
        seeds = check_random_state(self.random_state).randint(MAX_SEED, size=self.n_estimators)[before:]
        if len(seeds):
            forest = self._grow(X, chance, draws, seeds)
            self.forest_ = self.forest_.joined(forest) if again else forest
        else:
            warn("Warm-start fitting without increasing `n_estimators` does not grow new trees.")
        self.max_samples_ = draws
        self.offset_ = -0.5
        if self.contamination != "auto":
            self.offset_ = float(np.percentile(self._scores(X), 100.0 * self.contamination))
        return self

    def _sample_size(self, n):
        """Number of rows of a tree, from the number of rows that can be drawn."""
        if self.max_samples == "auto":
            return min(_USUAL_SAMPLE, n)
        if not isinstance(self.max_samples, numbers.Integral):
            return max(1, int(self.max_samples * n))
        if self.max_samples > n:
            warn(
                f"max_samples ({self.max_samples}) is greater than the total number of samples ({n}). max_samples "
                "will be set to n_samples for estimation."
            )
        return min(int(self.max_samples), n)

    def _columns_per_tree(self, p):
        if not isinstance(self.max_features, numbers.Integral):
            return max(1, int(self.max_features * p))
        if self.max_features > p:
            raise ValueError(f"`max_features`={self.max_features} must be at most {p}, the number of columns of X.")
        return int(self.max_features)

    def _grow(self, X, chance, draws, seeds):
        """A forest of one tree per seed."""
        n, p = X.shape
        width = self._columns_per_tree(p)
        what = f"A forest of {len(seeds):,} trees of {draws:,} rows"
        require_memory(2 * _NODE_BYTES * draws * len(seeds), what, "Use fewer trees or a smaller `max_samples`.")
        step = max(1, _NODES_AT_ONCE // (2 * draws))
        if sparse.issparse(X):
            step = max(1, min(step, _NUMBERS_AT_ONCE // (draws * p)))
        if self.verbose:
            step = min(step, max(1, len(seeds) // 10))
        parts = []
        for start in range(0, len(seeds), step):
            some = seeds[start : start + step]
            rngs = [np.random.default_rng(seed) for seed in some]
            rows = np.stack([rng.choice(n, draws, replace=self.bootstrap, p=chance, shuffle=False) for rng in rngs])
            columns = np.stack([rng.choice(p, width, replace=False, shuffle=False) for rng in rngs])
            table = X
            if sparse.issparse(X):
                drawn, rows = np.unique(rows, return_inverse=True)
                table, rows = X[drawn].toarray(), rows.reshape(-1, draws)
            with jobs(self.n_jobs):
                parts.append(_isolation_trees(table, rows, columns, some))
            if self.verbose:
                print(f"[{type(self).__name__}] {min(start + step, len(seeds))} of {len(seeds)} trees grown")
        forest = parts[0]
        for part in parts[1:]:
            forest = forest.joined(part)
        return forest

    def score_samples(self, X):
        """Score of each row: near -1 for outliers, about -0.5 or higher for ordinary rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            The negative of the anomaly score of the original paper.
        """
        check_is_fitted(self)
        refuse_names(X, type(self).__name__)
        X = validate_data(self, X, dtype=FLOATS, accept_sparse="csr", ensure_all_finite="allow-nan", reset=False)
        return self._scores(X)

    def _scores(self, X):
        usual = self.forest_.value[0]  # c(psi), the value of every root
        if usual == 0.0:  # trees of one row carry no information
            return np.full(X.shape[0], -0.5)
        return -np.exp2(-self._path_lengths(X) / usual)

    def _path_lengths(self, X):
        """Mean over the trees of the path length of each row."""
        sums = np.zeros((X.shape[0], 1))
        with jobs(self.n_jobs):
            if not sparse.issparse(X):
                self.forest_.add_predictions(X, sums)
            else:
                for start in range(0, X.shape[0], SPARSE_BLOCK):
                    block = slice(start, start + SPARSE_BLOCK)
                    self.forest_.add_predictions(X[block].toarray(), sums[block])
        return sums[:, 0] / len(self.forest_)

    def decision_function(self, X):
        """Score of each row relative to the threshold, negative for outliers.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples,)
        """
        return self.score_samples(X) - self.offset_

    def predict(self, X):
        """Label rows: 1 for inliers, -1 for outliers.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return np.where(self.decision_function(X) < 0, -1, 1)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


def _chances(weights):
    """Probabilities proportional to weights; the smallest may underflow to 0."""
    weights = np.asarray(weights, np.float64)
    return weights / weights.sum()


def _isolation_trees(X, rows, columns, seeds):
    """A forest of one tree for each row of `rows` and `columns`."""
    trees, draws = rows.shape
    room = 2 * draws * trees
    arrays = {
        "feature": np.empty(room, np.int32),
        "child": np.empty(room, np.int32),
        "threshold": np.empty(room),
        "value": np.empty(room),
        "missing_left": np.empty(room, np.uint8),
        "rows": np.empty(room, np.int64),
    }
    size = np.empty(trees, np.int32)
    native.isolation_trees(
        X,
        np.ascontiguousarray(rows, np.int64),
        np.ascontiguousarray(columns, np.int32),
        seeds.astype(np.uint64),
        math.ceil(math.log2(max(draws, 2))),
        *arrays.values(),
        size,
    )
    used = (np.arange(2 * draws) < size[:, None]).ravel()
    forest = Forest()
    for name, values in arrays.items():
        setattr(forest, name, values[used])
    forest.category_set = np.full(len(forest.feature), -1, np.int32)
    forest.roots = (np.cumsum(size) - size).astype(np.int32)
    forest.output = np.zeros(trees, np.int32)
    forest.child += np.repeat(forest.roots, size)
    return forest
