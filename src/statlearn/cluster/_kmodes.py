"""k-modes and k-prototypes clustering of categorical and mixed tables."""

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core import native
from statlearn._core.frames import column_mask
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import validate_data
from statlearn._core.warnings import MAX_ITER, OK, warn_if_stopped

from ._fuzzy import squared_distances
from ._kernel_input import kernel_rows, kernel_weights
from ._kmeans import require_rows
from ._labels import warn_if_fewer
from ._mixed_table import MixedTable, find_categorical


def prototype_distances(numbers, codes, centres, modes, gamma):
    """Squared distance of the numeric columns plus gamma for every category that differs; rows x clusters."""
    if numbers.shape[1]:
        distances = squared_distances(numbers, np.ascontiguousarray(centres))
    else:
        distances = np.zeros((len(codes), len(modes)))
    for j in range(codes.shape[1]):
        distances += gamma * (codes[:, j, None] != modes[:, j])
    return distances


class _ModesRun:
    """One run from given prototypes, alternating between labels and prototypes."""

    def __init__(self, numbers, codes, weights, centres, modes, gamma, max_iter):
        self.numbers, self.codes, self.weights, self.gamma = numbers, codes, weights, gamma
        self.centres, self.modes, self.k = centres.copy(), modes.copy(), len(modes)
        self.labels, self.history = None, []
        self.status, self.n_iter = MAX_ITER, 0
        while self.n_iter < max_iter:
            self.n_iter += 1
            changed = self._assign()
            if not changed:
                self.status = OK
                break
            self._update()
            self.history.append(self._objective(self._distances()))
        if self.status == MAX_ITER:
            self._assign(keep_full=False)
        self.objective = self.history[-1]

    def _distances(self):
        return prototype_distances(self.numbers, self.codes, self.centres, self.modes, self.gamma)

    def _objective(self, distances):
        return float(self.weights @ distances[np.arange(len(self.labels)), self.labels])

    def _assign(self, keep_full=True):
        distances = self._distances()
        new = distances.argmin(axis=1).astype(np.int32)
        if keep_full:
            self._fill(new, distances)
        changed = self.labels is None or not np.array_equal(new, self.labels)
        self.labels = new
        self.history.append(self._objective(distances))
        return changed

    def _fill(self, labels, distances):
        """Move the row farthest from its prototype, unless it is alone, to an empty cluster."""
        sizes = np.bincount(labels, minlength=self.k)
        for empty in np.flatnonzero(sizes == 0):
            distance = distances[np.arange(len(labels)), labels].copy()
            distance[sizes[labels] < 2] = 0.0
            far = int(distance.argmax())
            if distance[far] == 0:
                return
            sizes[labels[far]] -= 1
            sizes[empty] += 1
            labels[far] = empty
            distances[far, empty] = 0.0

    def _update(self):
        total = np.bincount(self.labels, weights=self.weights, minlength=self.k)
        alive = total > 0
        if self.numbers.shape[1]:
            sums, mass = np.zeros_like(self.centres), np.zeros(self.k)
            native.cluster.row_sums(*kernel_rows(self.numbers), self.weights, self.labels, sums, mass)
            self.centres[alive] = sums[alive] / total[alive, None]
        for j in range(self.codes.shape[1]):
            levels = int(self.codes[:, j].max()) + 1
            counts = np.bincount(
                self.labels.astype(np.intp) * levels + self.codes[:, j], weights=self.weights, minlength=self.k * levels
            ).reshape(self.k, levels)
            self.modes[alive, j] = counts.argmax(axis=1)[alive]


class _Prototypes(ClusterMixin, BaseEstimator):
    """Shared parts of k-modes and k-prototypes."""

    def fit_predict(self, X, y=None, sample_weight=None):
        """Fit the model and return the cluster label of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return self.fit(X, sample_weight=sample_weight).labels_

    def predict(self, X):
        """Cluster of the nearest prototype; a level not seen in training differs from all others.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=None, reset=False)
        return self._nearest(*self._table.split(X))

    def _nearest(self, numbers, codes):
        distances = prototype_distances(numbers, codes, self._centres, self._modes, self._gamma)
        return distances.argmin(axis=1).astype(np.int32)

    def _fit(self, X, sample_weight, categorical, gamma):
        """Fit to a validated table; `gamma` is a number, or a function of numbers, codes and weights."""
        self._table = MixedTable(X, categorical)
        numbers, codes = self._table.split(X)
        weights, present = kernel_weights(sample_weight, numbers if numbers.shape[1] else codes)
        rows = np.arange(len(X)) if present is None else present
        require_rows(len(rows), self.n_clusters)
        weights = weights if len(weights) else np.ones(len(rows))
        # In a canonical order, the result does not depend on the order of X.
        order = np.lexsort([*numbers[rows].T, *codes[rows].T])
        rows, weights = rows[order], weights[order]
        inner = np.ascontiguousarray(numbers[rows]), np.ascontiguousarray(codes[rows])
        self._gamma = gamma(*inner, weights) if callable(gamma) else gamma
        random_state = check_random_state(self.random_state)
        best = None
        for start in self._starts(*inner, weights, random_state):
            run = _ModesRun(*inner, weights, *start, self._gamma, self.max_iter)
            if best is None or run.objective < best.objective * (1 - 1e-12):
                best = run
        self._centres, self._modes = best.centres, best.modes
        self.cluster_centers_ = self._table.join(best.centres, best.modes, X.dtype)
        self.labels_ = self._nearest(numbers, codes)
        self.cost_, self.n_iter_, self.history_ = best.objective, best.n_iter, np.array(best.history)
        warn_if_fewer(self, self.labels_[rows])
        warn_if_stopped(self, best.status, f"labels still change after {best.n_iter} iterations",
                        remedy="Increase max_iter.")  # fmt: skip
        return self

    def _starts(self, numbers, codes, weights, random_state):
        if not isinstance(self.init, str):
            yield self._given_start()
            return
        count = (10 if self.init == "random" else 1) if self.n_init == "auto" else self.n_init
        for _ in range(count):
            rows = self._draw(numbers, codes, weights, random_state)
            yield numbers[rows], codes[rows]

    def _given_start(self):
        start = np.asarray(self.init)
        if start.shape != (self.n_clusters, self.n_features_in_):
            raise ValueError(
                f"The shape of the initial centers {start.shape} does not match n_clusters={self.n_clusters} and "
                f"n_features={self.n_features_in_}."
            )
        return self._table.split(start)

    def _draw(self, numbers, codes, weights, random_state):
        """Rows far from one another (the best of a few draws each), or distinct random rows."""

        def draw(mass):
            cumulated = np.cumsum(mass)
            return min(int(np.searchsorted(cumulated, random_state.uniform() * cumulated[-1], "right")), len(mass) - 1)

        careful = self.init == "k-modes++"
        trials = 2 + int(np.log(self.n_clusters)) if careful else 1
        chosen, nearest = [], np.full(len(weights), np.inf)
        while len(chosen) < self.n_clusters:
            mass = weights * (nearest if careful else nearest > 0) if chosen else weights
            options = [draw(mass if mass.sum() > 0 else weights) for _ in range(trials if chosen else 1)]
            nearest_distance = np.minimum(
                nearest[:, None], prototype_distances(numbers, codes, numbers[options], codes[options], self._gamma)
            )
            best = int((weights @ nearest_distance).argmin())
            chosen.append(options[best])
            nearest = nearest_distance[:, best]
        return np.array(chosen)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


class KModes(_Prototypes):
    r"""k-modes clustering of categorical rows, each cluster around its most frequent levels.

    Minimises over modes c and labels, with weights s,

    .. math:: \sum_i s_i \sum_j [x_{ij} \ne c_{\text{label}(i), j}] ,

    the number of values that differ from the mode of their cluster, by alternating between labels and modes until no
    label changes. Every value is a level; numbers are not compared by size.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    init : {"k-modes++", "random"} or array-like of shape (n_clusters, n_features), default="k-modes++"
        Initialisation: rows far from one another, distinct random rows, or an array of initial modes.
    n_init : int or "auto", default="auto"
        Number of initialisations; the best run is kept. "auto" means 10 for "random" and 1 otherwise.
    max_iter : int, default=100
        Maximum number of iterations per initialisation.
    random_state : int, RandomState instance or None, default=None
        Seed of the initialisations.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Modes; among equally frequent levels the first in sorted order.
    labels_ : ndarray of shape (n_samples,)
        Index of the nearest mode of each row; ties go to the first.
    cost_ : float
        The objective.
    history_ : ndarray
        Objective of the best run after each half step.
    n_iter_ : int
        Number of iterations of the best run.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names of X, if it has any.

    See Also
    --------
    KPrototypes : numbers and categories.
    KMedoids : any dissimilarity.

    Notes
    -----
    An iteration costs n k p comparisons. With few levels there are many ties and local optima; use several
    initialisations.

    References
    ----------
    Huang (1998), Extensions to the k-means algorithm for clustering large data sets with categorical values, Data
    Mining and Knowledge Discovery 2.

    Examples
    --------
    >>> from statlearn.cluster import KModes
    >>> X = [["red", "s"], ["red", "m"], ["red", "s"], ["blue", "l"], ["blue", "l"]]
    >>> model = KModes(2, random_state=0).fit(X)
    >>> sorted(model.cluster_centers_.tolist())
    [['blue', 'l'], ['red', 's']]
    >>> model.cost_
    1.0
    """

    _constraints = {
        "n_clusters": [Int(1, None)],
        "init": [Options("k-modes++", "random"), "array-like"],
        "n_init": [Options("auto"), Int(1, None)],
        "max_iter": [Int(1, None)],
        "random_state": ["random_state"],
    }

    def __init__(self, n_clusters=8, *, init="k-modes++", n_init="auto", max_iter=100, random_state=None):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        """Compute the clustering.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Text, numbers or other sortable values, without missing values.
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row, a weight of 0 to omitting it.

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_data(self, X, dtype=None)
        return self._fit(X, sample_weight, np.ones(X.shape[1], dtype=bool), 1.0)


class KPrototypes(_Prototypes):
    r"""k-prototypes clustering of mixed tables of numbers and categories.

    Minimises over prototypes c and labels, with weights s,

    .. math:: \sum_i s_i \Big( \sum_{j \text{ numeric}} (x_{ij} - c_{kj})^2
              + \gamma \sum_{j \text{ categorical}} [x_{ij} \ne c_{kj}] \Big), \quad k = \text{label}(i),

    by alternating between labels and prototypes (means and modes) until no label changes. Without categorical columns
    this is k-means, without numeric columns k-modes.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    categorical : "auto" or array-like, default="auto"
        Indices, names or mask of the categorical columns; "auto" selects the columns that are not numeric.
    gamma : float or None, default=None
        Cost of a different category. None uses the mean variance of the numeric columns divided by the mean probability
        that two rows differ in a categorical column, so that both kinds have equal influence.
    init : {"k-modes++", "random"} or array-like of shape (n_clusters, n_features), default="k-modes++"
        Initialisation: rows far from one another, distinct random rows, or an array of initial prototypes.
    n_init : int or "auto", default="auto"
        Number of initialisations; the best run is kept. "auto" means 10 for "random" and 1 otherwise.
    max_iter : int, default=100
        Maximum number of iterations per initialisation.
    random_state : int, RandomState instance or None, default=None
        Seed of the initialisations.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The prototypes.
    gamma_ : float
        Cost of a different category.
    labels_ : ndarray of shape (n_samples,)
        Index of the nearest prototype of each row; ties go to the first.
    cost_ : float
        The objective.
    history_ : ndarray
        Objective of the best run after each half step.
    n_iter_ : int
        Number of iterations of the best run.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names of X, if it has any.

    See Also
    --------
    KModes : categories only.
    KMeans : numbers only.

    Notes
    -----
    Standardise the numeric columns unless their units are comparable. An iteration costs n k p operations.

    References
    ----------
    Huang (1998), Extensions to the k-means algorithm for clustering large data sets with categorical values, Data
    Mining and Knowledge Discovery 2.
    Szepannek (2018), clustMixType: user-friendly clustering of mixed-type data in R, The R Journal 10 (for gamma).

    Examples
    --------
    >>> from statlearn.cluster import KPrototypes
    >>> X = [[1.0, "a"], [1.2, "a"], [0.9, "b"], [7.0, "b"], [7.3, "b"]]
    >>> model = KPrototypes(2, gamma=1.0, random_state=0).fit(X)
    >>> sorted(model.cluster_centers_[:, 1].tolist())
    ['a', 'b']
    """

    _constraints = {
        "n_clusters": [Int(1, None)],
        "categorical": [Options("auto"), "array-like"],
        "gamma": [Real(0, None), None],
        "init": [Options("k-modes++", "random"), "array-like"],
        "n_init": [Options("auto"), Int(1, None)],
        "max_iter": [Int(1, None)],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_clusters=8,
        *,
        categorical="auto",
        gamma=None,
        init="k-modes++",
        n_init="auto",
        max_iter=100,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.categorical = categorical
        self.gamma = gamma
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        """Compute the clustering.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers and categories, without missing values.
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row, a weight of 0 to omitting it.

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_data(self, X, dtype=None)
        if isinstance(self.categorical, str):
            categorical = find_categorical(X)
        else:
            names = getattr(self, "feature_names_in_", None)
            categorical = column_mask(self.categorical, X.shape[1], names, "categorical")
        self._fit(X, sample_weight, categorical, balanced_gamma if self.gamma is None else self.gamma)
        self.gamma_ = self._gamma
        return self


def balanced_gamma(numbers, codes, weights):
    """Mean variance of the numbers over the mean probability that two categories differ; 1 if either is absent."""
    share = weights / weights.sum()
    if not numbers.shape[1] or not codes.shape[1]:
        return 1.0
    variance = np.mean(share @ (numbers - share @ numbers) ** 2)
    differ = np.mean([1 - np.sum(np.bincount(codes[:, j], weights=share) ** 2) for j in range(codes.shape[1])])
    return float(variance / differ) if differ > 0 else 1.0
