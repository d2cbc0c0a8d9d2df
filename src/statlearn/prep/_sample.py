"""Resampling of imbalanced classes, for training rows only."""

import numpy as np
from sklearn.utils import check_random_state

from statlearn._core.frames import take_rows
from statlearn._core.params import Instance, Int, Options, Real
from statlearn._core.sampler import Sampler
from statlearn._core.validation import FLOATS, validate_data


def require_imblearn():
    """imbalanced-learn, or an error that explains how to install it."""
    try:
        import imblearn
    except ImportError as error:
        raise ImportError(
            "SMOTE needs imbalanced-learn: pip install statlearn[imbalance] (or pip install imbalanced-learn)."
        ) from error
    return imblearn


def target_counts(y, strategy, *, over):
    """Target class sizes: sorted classes, current counts, wanted counts.

    "auto" balances all classes (down to the smallest, or up to the largest). A number is the desired ratio of the
    smaller to the larger of two classes. A dict contains counts for the classes to change.
    """
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) < 2:
        raise ValueError(f"Resampling requires at least 2 classes in y, got one class: {classes.item(0)!r}.")
    wanted = counts.copy()
    if isinstance(strategy, dict):
        for label, count in strategy.items():
            place = np.flatnonzero(classes == label)
            if not place.size:
                raise ValueError(f"`sampling_strategy` contains the class {label!r}, which is not in y.")
            wanted[place[0]] = count
    elif isinstance(strategy, str):
        wanted[:] = counts.max() if over else counts.min()
    else:
        if len(classes) != 2:
            raise ValueError(
                "`sampling_strategy` as a ratio requires exactly two classes; pass a dict of counts instead."
            )
        small, large = np.argsort(counts, kind="stable")
        if over:
            wanted[small] = round(strategy * counts[large])
        else:
            wanted[large] = round(counts[small] / strategy)
    wrong = wanted < counts if over else wanted > counts
    if wrong.any() or (wanted < 1).any():
        word = "more" if over else "fewer"
        k = int(np.argmax(wrong | (wanted < 1)))
        raise ValueError(
            f"`sampling_strategy` requests {wanted[k]} rows of class {classes.item(k)!r}, which has {counts[k]}; "
            f"this sampler can only make {word}."
        )
    return classes, counts, wanted


class RandomUnderSampler(Sampler):
    """Random undersampling of the larger classes.

    Parameters
    ----------
    sampling_strategy : "auto", float or dict, default="auto"
        "auto" reduces every class to the size of the smallest. A number is the desired ratio of the smaller to the
        larger of two classes; a dict contains the desired counts of classes.
    random_state : int, RandomState or None, default=None
        Seed of the draws.
    replacement : bool, default=False
        Whether to draw with replacement.

    Attributes
    ----------
    sample_indices_ : ndarray
        Indices of the selected rows, in their original order. Only after `fit_resample`.
    classes_ : ndarray
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Rows are discarded, so the result is small if the minority class is small. Class weights use all rows; try them
    first.

    References
    ----------
    He, H. and Garcia, E. A. (2009). Learning from imbalanced data. *IEEE TKDE* 21, 1263-1284.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.prep import RandomUnderSampler
    >>> X, y = np.arange(10)[:, None], np.array([0] * 8 + [1] * 2)
    >>> X_small, y_small = RandomUnderSampler(random_state=0).fit_resample(X, y, training_only=True)
    >>> y_small.tolist()
    [0, 0, 1, 1]
    """

    _constraints = {
        "sampling_strategy": [Options("auto"), Real(0, 1, closed="right"), Instance(dict)],
        "random_state": ["random_state"],
        "replacement": ["boolean"],
    }

    def __init__(self, *, sampling_strategy="auto", random_state=None, replacement=False):
        self.sampling_strategy = sampling_strategy
        self.random_state = random_state
        self.replacement = replacement

    def _resample(self, X, labels, y):
        rng = check_random_state(self.random_state)
        chosen = []
        for label, count, wanted in zip(*target_counts(labels, self.sampling_strategy, over=False)):
            rows = np.flatnonzero(labels == label)
            chosen.append(rows if wanted == count else rng.choice(rows, size=wanted, replace=self.replacement))
        self.sample_indices_ = np.sort(np.concatenate(chosen))
        return take_rows(X, self.sample_indices_), take_rows(y, self.sample_indices_)


class RandomOverSampler(Sampler):
    """Random oversampling of the smaller classes by copying rows.

    Parameters
    ----------
    sampling_strategy : "auto", float or dict, default="auto"
        "auto" increases every class to the size of the largest. A number is the desired ratio of the smaller to the
        larger of two classes; a dict contains the desired counts of classes.
    random_state : int, RandomState or None, default=None
        Seed of the draws.
    even : bool, default=True
        Whether to copy all rows of a class equally often (up to one copy) instead of drawing with replacement.

    Attributes
    ----------
    sample_indices_ : ndarray
        Indices of the rows of the result: all rows, then the copies. Only after `fit_resample`.
    classes_ : ndarray
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    With `even` and an integer ratio the result is equivalent to class weights for every loss that is a weighted sum
    over rows, at a higher cost. Copies in the test rows make the error look too small; resample inside the training
    folds only.

    References
    ----------
    He, H. and Garcia, E. A. (2009). Learning from imbalanced data. *IEEE TKDE* 21, 1263-1284.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.prep import RandomOverSampler
    >>> X, y = np.arange(6)[:, None], np.array([0] * 4 + [1] * 2)
    >>> RandomOverSampler(random_state=0).fit_resample(X, y, training_only=True)[0].ravel().tolist()
    [0, 1, 2, 3, 4, 5, 4, 5]
    """

    _constraints = {
        "sampling_strategy": [Options("auto"), Real(0, 1, closed="right"), Instance(dict)],
        "random_state": ["random_state"],
        "even": ["boolean"],
    }

    def __init__(self, *, sampling_strategy="auto", random_state=None, even=True):
        self.sampling_strategy = sampling_strategy
        self.random_state = random_state
        self.even = even

    def _resample(self, X, labels, y):
        rng = check_random_state(self.random_state)
        copies = [np.arange(len(labels))]
        for label, count, wanted in zip(*target_counts(labels, self.sampling_strategy, over=True)):
            rows = np.flatnonzero(labels == label)
            more = wanted - count
            if self.even:
                rest = np.sort(rng.choice(rows, size=more % count, replace=False))
                copies += [np.tile(rows, more // count), rest]
            else:
                copies.append(rng.choice(rows, size=more, replace=True))
        self.sample_indices_ = np.concatenate(copies).astype(np.intp)
        return take_rows(X, self.sample_indices_), take_rows(y, self.sample_indices_)


class SimilarityUnderSampler(Sampler):
    """Undersampling of the larger classes by removing near-duplicates.

    With `distance`, a row is removed if an earlier retained row of its class is at most that far away. Without it, the
    retained rows of a class are spread as widely as possible: the row nearest to the class mean is chosen first, then
    repeatedly the row farthest from those chosen (farthest-first traversal), until the desired number is reached.

    Parameters
    ----------
    sampling_strategy : "auto", float or dict, default="auto"
        As in :class:`RandomUnderSampler`. With `distance` it only determines which classes lose rows, and no class
        falls below its desired count.
    distance : float or None, default=None
        Rows within this distance of each other are near-duplicates.
    metric : str or callable, default="euclidean"
        A distance of :func:`sklearn.metrics.pairwise_distances`.

    Attributes
    ----------
    sample_indices_ : ndarray
        Indices of the selected rows, in their original order. Only after `fit_resample`.
    classes_ : ndarray
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Scale the columns first. The cost is one distance from each retained row to all rows of the class. Without
    `distance`, outliers of the larger class are always retained, because they are far from everything.

    References
    ----------
    Gonzalez, T. F. (1985). Clustering to minimize the maximum intercluster distance. *Theor. Comput. Sci.* 38, 293-306.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.prep import SimilarityUnderSampler
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1], [9.0], [1.0], [2.0]])
    >>> sampler = SimilarityUnderSampler(distance=0.5)
    >>> sampler.fit_resample(X, [0, 0, 0, 0, 0, 1, 1], training_only=True)[0].ravel().tolist()
    [0.0, 5.0, 9.0, 1.0, 2.0]
    """

    _constraints = {
        "sampling_strategy": [Options("auto"), Real(0, 1, closed="right"), Instance(dict)],
        "distance": [Real(0, None), None],
        "metric": [Instance(str), "callable"],
    }

    _accepts = {"dtype": FLOATS}

    def __init__(self, *, sampling_strategy="auto", distance=None, metric="euclidean"):
        self.sampling_strategy = sampling_strategy
        self.distance = distance
        self.metric = metric

    def _resample(self, X, labels, y):
        points = validate_data(self, X, dtype=FLOATS, reset=False)
        chosen = []
        for label, count, wanted in zip(*target_counts(labels, self.sampling_strategy, over=False)):
            rows = np.flatnonzero(labels == label)
            if wanted < count:
                choose = self._spread if self.distance is None else self._leaders
                rows = rows[choose(points[rows], wanted)]
            chosen.append(rows)
        self.sample_indices_ = np.sort(np.concatenate(chosen))
        return take_rows(X, self.sample_indices_), take_rows(y, self.sample_indices_)

    def _from(self, points, k):
        from sklearn.metrics import pairwise_distances

        return pairwise_distances(points[k : k + 1], points, metric=self.metric)[0]

    def _spread(self, points, wanted):
        chosen = [int(np.argmin(((points - points.mean(axis=0)) ** 2).sum(axis=1)))]
        nearest = self._from(points, chosen[0])
        nearest[chosen[0]] = -1.0  # not again, even where all are equal
        while len(chosen) < wanted:
            k = int(np.argmax(nearest))
            chosen.append(k)
            nearest = np.minimum(nearest, self._from(points, k))
            nearest[k] = -1.0
        return np.sort(chosen)

    def _leaders(self, points, wanted):
        stays, settled = np.ones(len(points), dtype=bool), 0
        for k in range(len(points)):
            spare = stays.sum() - wanted
            if spare <= 0:
                break
            if stays[k]:
                settled = k + 1
                near = np.flatnonzero(stays[settled:] & (self._from(points, k)[settled:] <= self.distance)) + settled
                stays[near[:spare]] = False
        return np.flatnonzero(stays)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = False
        tags.input_tags.string = False
        return tags


class SMOTE(Sampler):
    r"""SMOTE: synthetic rows :math:`x + u (z - x)` of the smaller classes, with z one of the k nearest rows.

    For a random row x of the class, z is drawn from its k nearest rows of the same class, and u is uniform on (0, 1).
    Uses imbalanced-learn (extra ``statlearn[imbalance]``).

    Parameters
    ----------
    sampling_strategy : "auto", float or dict, default="auto"
        As in :class:`RandomOverSampler`.
    random_state : int, RandomState or None, default=None
        Seed of the rows, neighbours and positions.
    k_neighbors : int, default=5
        Number of neighbours.
    metric : str or callable, default="euclidean"
        Metric for the nearest rows, one of :class:`sklearn.neighbors.NearestNeighbors`.
    categorical_features : list of int or of str, or None, default=None
        Categorical columns; a synthetic row gets the most frequent level among the neighbours (SMOTE-NC).

    Attributes
    ----------
    classes_ : ndarray
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Scale the columns first. Synthetic rows lie in the convex hull of the class; if it surrounds the other class, they
    lie within that class. Probabilities learned from resampled rows refer to the resampled class proportions; calibrate
    them, or move the threshold instead.

    References
    ----------
    Chawla, N. V., Bowyer, K. W., Hall, L. O. and Kegelmeyer, W. P. (2002). SMOTE: synthetic minority over-sampling
    technique. *JAIR* 16, 321-357.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.prep import SMOTE
    >>> X, y = np.arange(20.0)[:, None], np.array([0] * 12 + [1] * 8)
    >>> X_more, y_more = SMOTE(random_state=0).fit_resample(X, y, training_only=True)
    >>> np.bincount(y_more).tolist(), bool((X_more[20:] >= 12).all())
    ([12, 12], True)
    """

    _constraints = {
        "sampling_strategy": [Options("auto"), Real(0, 1, closed="right"), Instance(dict)],
        "random_state": ["random_state"],
        "k_neighbors": [Int(1, None)],
        "metric": [Instance(str), "callable"],
        "categorical_features": ["array-like", None],
    }

    def __init__(
        self,
        *,
        sampling_strategy="auto",
        random_state=None,
        k_neighbors=5,
        metric="euclidean",
        categorical_features=None,
    ):
        self.sampling_strategy = sampling_strategy
        self.random_state = random_state
        self.k_neighbors = k_neighbors
        self.metric = metric
        self.categorical_features = categorical_features

    def _resample(self, X, labels, y):
        require_imblearn()
        from imblearn.over_sampling import SMOTE as PlainSMOTE
        from imblearn.over_sampling import SMOTENC
        from sklearn.neighbors import NearestNeighbors

        classes, counts, wanted = target_counts(labels, self.sampling_strategy, over=True)
        short = [k for k in range(len(classes)) if counts[k] < wanted[k] and counts[k] <= self.k_neighbors]
        if short:
            raise ValueError(
                f"`k_neighbors`={self.k_neighbors} requires more than {self.k_neighbors} rows of class "
                f"{classes.item(short[0])!r}, which has {counts[short[0]]}."
            )
        options = {
            "sampling_strategy": {c: int(w) for c, n, w in zip(classes.tolist(), counts, wanted) if w > n},
            "random_state": self.random_state,
            "k_neighbors": NearestNeighbors(n_neighbors=self.k_neighbors + 1, metric=self.metric),
        }
        if self.categorical_features is None:
            table = validate_data(self, X, dtype=FLOATS, accept_sparse="csr", reset=False)
            more, new_labels = PlainSMOTE(**options).fit_resample(table, labels)
        else:
            table = validate_data(self, X, dtype=None, reset=False)
            columns = self._categorical_columns()
            more, new_labels = SMOTENC(columns, **options).fit_resample(table.astype(object), labels)
        return rebuild(X, more), _same_type(y, new_labels)

    def _categorical_columns(self):
        names = list(getattr(self, "feature_names_in_", []))
        return [names.index(c) if isinstance(c, str) else int(c) for c in self.categorical_features]


def rebuild(X, rows):
    """Rows of an array as a table with the type and columns of X."""
    if not hasattr(X, "columns"):
        return rows
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True)
    columns = {name: column.tolist() for name, column in zip(frame.columns, np.asarray(rows).T)}
    rebuilt = nw.from_dict(columns, backend=nw.get_native_namespace(frame))
    exact = [nw.col(c).cast(frame.schema[c]) for c in frame.columns if not frame.schema[c].is_integer()]
    return nw.to_native(rebuilt.with_columns(exact) if exact else rebuilt)


def _same_type(y, labels):
    if hasattr(y, "iloc"):
        return type(y)(labels, name=y.name)
    if hasattr(y, "to_numpy"):
        return type(y)(y.name, labels)
    return labels if hasattr(y, "shape") else labels.tolist()
