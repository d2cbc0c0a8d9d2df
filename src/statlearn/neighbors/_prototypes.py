"""Prototype selection for nearest neighbours: condensing keeps the class borders, editing removes noise."""

import numpy as np
from sklearn.utils import check_random_state

from statlearn._core.frames import take_rows
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.sampler import Sampler
from statlearn._core.validation import FLOATS, validate_data
from statlearn._core.warnings import warn
from statlearn._math.distances.metrics import pairwise_distances
from statlearn._math.distances.neighbor_index import build_index


class _Chooser(Sampler):
    """Base class of samplers that keep a subset of rows, chosen by `_choose(points, codes)`."""

    _accepts = {"dtype": FLOATS}

    def fit(self, X, y):
        """Choose the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Classes.

        Returns
        -------
        self
        """
        check_params(self)
        points, labels = validate_data(self, X, y, dtype=FLOATS, order="C"), self._check(X, y)
        self._choose_rows(points[0], labels)
        return self

    def _choose_rows(self, points, labels):
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"{type(self).__name__} requires at least 2 classes in y, got one class.")
        self.sample_indices_ = self._choose(points, codes)

    def _resample(self, X, labels, y):
        self._choose_rows(validate_data(self, X, dtype=FLOATS, order="C", reset=False), labels)
        return take_rows(X, self.sample_indices_), take_rows(y, self.sample_indices_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = False
        tags.input_tags.string = False
        return tags


class CondensedNearestNeighbors(_Chooser):
    """Condensed nearest neighbours: a subset of rows that classifies all rows correctly (Hart's rule).

    The subset starts with the first row of each class. Rows are visited in turn, and a row is added if its nearest row
    in the subset has another class. Passes are repeated until none adds a row.

    Parameters
    ----------
    metric : str or callable, default="euclidean"
        A distance of :func:`pairwise_distances`.
    metric_params : dict or None, default=None
        Additional parameters of the metric.
    shuffle : bool, default=False
        Whether to visit the rows in random order.
    random_state : int, RandomState or None, default=None
        Seed of the order; used only with `shuffle`.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Indices of the selected rows, in increasing order.
    n_passes_ : int
        Number of passes, the last of which added nothing.
    classes_ : ndarray
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if X has column names that are all strings.

    See Also
    --------
    EditedNearestNeighbors : removes rows that disagree with their neighbours; best applied first.

    Notes
    -----
    The subset depends on the order of the rows and is not the smallest possible. It keeps every mislabelled row and
    outlier, along with some of their surroundings; apply editing first if classes overlap. Identical rows of different
    classes cannot all be classified correctly; the first one is kept and the others are ignored. A training error of
    zero with one neighbour says nothing about the error on new rows. The cost is one distance from every selected row
    to all rows.

    References
    ----------
    Hart, P. (1968). The condensed nearest neighbor rule. IEEE Trans. Information Theory 14, 515-516.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.neighbors import CondensedNearestNeighbors
    >>> X = np.arange(10.0)[:, None]
    >>> CondensedNearestNeighbors().fit(X, [0] * 5 + [1] * 5).sample_indices_.tolist()
    [0, 3, 5]
    """

    _constraints = {
        "metric": [Instance(str), "callable"],
        "metric_params": [Instance(dict), None],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(self, *, metric="euclidean", metric_params=None, shuffle=False, random_state=None):
        self.metric = metric
        self.metric_params = metric_params
        self.shuffle = shuffle
        self.random_state = random_state

    def _choose(self, points, codes):
        n = len(codes)
        order = check_random_state(self.random_state).permutation(n) if self.shuffle else np.arange(n)
        nearest, owner = np.full(n, np.inf), np.full(n, n)
        stored = np.zeros(n, dtype=bool)

        def store(i):
            stored[i] = True
            distance = pairwise_distances(points[i : i + 1], points, metric=self.metric, **(self.metric_params or {}))[
                0
            ]
            distance[i] = 0.0
            closer = (distance < nearest) | ((distance == nearest) & (i < owner))  # of equals the smaller row number
            nearest[closer], owner[closer] = distance[closer], i

        for k in range(int(codes.max()) + 1):
            store(order[np.argmax(codes[order] == k)])
        self.n_passes_, added = 0, True
        while added:
            self.n_passes_ += 1
            added, at = False, 0
            while at < n:
                # The next row, from here on, that the store gets wrong; equal rows of another class never get right.
                rest = order[at:]
                wrong = (codes[owner[rest]] != codes[rest]) & ~stored[rest] & (nearest[rest] > 0)
                if not wrong.any():
                    break
                at += int(np.argmax(wrong))
                store(order[at])
                added, at = True, at + 1
        return np.flatnonzero(stored)


class EditedNearestNeighbors(_Chooser):
    """Edited nearest neighbours: removes rows whose class disagrees with their neighbours (Wilson's rule).

    Each row is judged by its k nearest other rows, all rows simultaneously. The remaining rows give smoother class
    borders, close to those of k nearest neighbours, even with a single neighbour.

    Parameters
    ----------
    n_neighbors : int, default=3
    agreement : {"majority", "all"}, default="majority"
        "majority" keeps a row if its class wins the vote of its neighbours (ties go to the class that comes first),
        "all" only if all neighbours have its class.
    max_iter : int, default=1
        Maximum number of rounds of editing; stops early if nothing is removed.
    metric : str or callable, default="minkowski"
    p : float, default=2
        Power of the Minkowski metric.
    metric_params : dict or None, default=None

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Indices of the selected rows, in increasing order.
    n_iter_ : int
        Number of rounds.
    classes_ : ndarray
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if X has column names that are all strings.

    See Also
    --------
    CondensedNearestNeighbors : keeps the rows along the class borders.

    Notes
    -----
    Small classes inside large ones vanish first; a warning is issued if a class is lost. Scale the columns.

    References
    ----------
    Wilson, D. L. (1972). Asymptotic properties of nearest neighbor rules using edited data. IEEE Trans. Systems, Man,
    and Cybernetics 2, 408-421.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.neighbors import EditedNearestNeighbors
    >>> X = np.arange(8.0)[:, None]
    >>> EditedNearestNeighbors().fit(X, [0, 1, 0, 0, 1, 1, 1, 1]).sample_indices_.tolist()
    [0, 2, 5, 6, 7]
    """

    _constraints = {
        "n_neighbors": [Int(1, None)],
        "agreement": [Options("majority", "all")],
        "max_iter": [Int(1, None)],
        "metric": [Instance(str), "callable"],
        "p": [Real(0, None, closed="right"), None],
        "metric_params": [Instance(dict), None],
    }

    def __init__(self, n_neighbors=3, *, agreement="majority", max_iter=1, metric="minkowski", p=2, metric_params=None):
        self.n_neighbors = n_neighbors
        self.agreement = agreement
        self.max_iter = max_iter
        self.metric = metric
        self.p = p
        self.metric_params = metric_params

    def _choose(self, points, codes):
        if len(codes) <= self.n_neighbors:
            raise ValueError(
                f"Expected n_neighbors < n_samples, but n_neighbors = {self.n_neighbors}, n_samples = {len(codes)}."
            )
        n_classes = int(codes.max()) + 1
        chosen = np.arange(len(codes))
        self.n_iter_ = 0
        while self.n_iter_ < self.max_iter:
            self.n_iter_ += 1
            good = self._agrees(points[chosen], codes[chosen], n_classes)
            chosen, gone = chosen[good], np.count_nonzero(~good)
            if gone == 0 or len(chosen) <= self.n_neighbors:
                break
        lost = np.setdiff1d(codes, codes[chosen])
        if lost.size:
            warn(
                f"EditedNearestNeighbors removed every row of class {self.classes_.item(lost[0])!r}; it can no "
                "longer be predicted. Use a smaller `n_neighbors`."
            )
        return chosen

    def _agrees(self, points, codes, n_classes):
        index = build_index(points, metric=self.metric, p=self.p, metric_params=self.metric_params)
        around = codes[index.query(points, self.n_neighbors, exclude_self=True)[1]]
        if self.agreement == "all":
            return np.all(around == codes[:, None], axis=1)
        counted = np.zeros((len(codes), n_classes), dtype=np.intp)
        for column in around.T:
            counted[np.arange(len(codes)), column] += 1
        return np.argmax(counted, axis=1) == codes
