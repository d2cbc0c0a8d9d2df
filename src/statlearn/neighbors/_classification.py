"""Classification by the votes of neighbours."""

import warnings

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Instance, Int, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import check_labels
from statlearn._core.warnings import warn
from statlearn._math.linalg.sparse_arrays import to_dense

from ._aggregate import distance_weights, votes
from ._base import SEARCH_CONSTRAINTS, KNeighborsMixin, NeighborsBase, RadiusNeighborsMixin
from ._supervised import WEIGHT_RULES, SupervisedNeighbors, k_hoods


class NeighborsClassifier(SupervisedNeighbors, ClassifierMixin):
    """Mixin that encodes classes, one column per output, and turns votes into probabilities and labels."""

    def _keep_targets(self, y):
        y = np.asarray(to_dense(y))
        if y.ndim == 1 or (y.ndim == 2 and y.shape[1] == 1):
            if y.ndim == 2:
                warnings.warn(
                    "A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
                    "(n_samples,), for example using ravel().",
                    DataConversionWarning,
                    stacklevel=4,
                )
            self.outputs_2d_ = False
            y = y.reshape(-1, 1)
        else:
            self.outputs_2d_ = True
        check_labels(y)
        classes, present = [], self._present()
        codes = np.empty(y.shape, dtype=np.intp)
        for j in range(y.shape[1]):
            levels = np.unique(y[present, j])
            classes.append(levels)
            codes[:, j] = np.minimum(np.searchsorted(levels, y[:, j]), len(levels) - 1)
        self.classes_ = classes if self.outputs_2d_ else classes[0]
        self._y = codes if self.outputs_2d_ else codes.ravel()

    def _outputs(self):
        """Classes and codes of each output."""
        if not self.outputs_2d_:
            return [(self.classes_, self._y)]
        return list(zip(self.classes_, self._y.T))

    def _all_votes(self, hoods):
        return [votes(hoods, codes, len(classes)) for classes, codes in self._outputs()]

    def _labels(self, counted):
        labels = [classes[np.argmax(v, axis=1)] for (classes, _), v in zip(self._outputs(), counted)]
        return np.column_stack(labels) if self.outputs_2d_ else labels[0]

    def score(self, X, y, sample_weight=None):
        """Mean accuracy; ``score(None, y)`` predicts each training row from the other rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features) or None
            None predicts each training row from the other rows.
        y : array-like of shape (n_queries,) or (n_queries, n_outputs)
        sample_weight : array-like of shape (n_queries,) or None, default=None

        Returns
        -------
        float
        """
        return super().score(X, y, sample_weight)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


class KNeighborsClassifier(KNeighborsMixin, NeighborsClassifier, NeighborsBase):
    r"""Classification by a majority vote of the k nearest training rows.

    The probability of a class is its fraction of the votes of the k nearest rows, weighted by `weights`.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours k. Choose it with :func:`choose_k`.
    weights : {"uniform", "distance"}, callable or None, default="uniform"
        "uniform" gives equal votes. "distance" weights votes by the inverse of the distance; rows at distance 0 then
        take all votes. A callable maps an array of distances to an array of weights, for example a kernel. None is
        "uniform".
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        Search algorithm. It affects the speed, not the result.
    leaf_size : int, default=30
    p : float, default=2
        Power of the Minkowski metric.
    metric : str, callable or object, default="minkowski"
        See :func:`pairwise_distances`. With "precomputed", X contains distances instead of rows. "hamming" (also
        "matching", "overlap") is the fraction of columns that differ and takes columns of text and other categories as
        well; "hamming_count" is the number of cells that differ, with texts of one length compared letter by letter.
    metric_params : dict or None, default=None
    n_jobs : int or None, default=None
        Number of threads. It does not affect the result.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), or a list of them for several outputs
    effective_metric_ : str or callable
    effective_metric_params_ : dict
    n_samples_fit_ : int
    outputs_2d_ : bool
        Whether y has several columns.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if X has column names that are all strings.

    See Also
    --------
    choose_k : choice of the number of neighbours by cross-validation.
    RadiusNeighborsClassifier : all rows within a radius vote.

    Notes
    -----
    Scale the columns, or use ``metric="mahalanobis"``; otherwise columns on a small scale hardly affect the distance,
    however informative they are. In high dimensions all rows are about equally far apart and a larger k does not help;
    drop or project columns instead. Ties between votes go to the class that comes first, and ties in distance to the
    smaller row index. With one neighbour the training error is zero unless identical rows differ in class, which says
    nothing about new rows. All training rows are stored. ``predict(None)`` excludes each training row from its own
    vote. A row of weight w takes w of the k places, as w copies of it would.

    References
    ----------
    Cover, T. & Hart, P. (1967). Nearest neighbor pattern classification. IEEE Trans. Information Theory 13, 21-27.

    Examples
    --------
    >>> from statlearn.neighbors import KNeighborsClassifier
    >>> model = KNeighborsClassifier(3).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.predict([[1.1]])
    array([0])
    >>> model.predict_proba([[0.9]]).round(3)
    array([[0.667, 0.333]])
    """

    _constraints = {"n_neighbors": [Int(1, None)], "weights": WEIGHT_RULES, **SEARCH_CONSTRAINTS}
    _search_space = SearchSpace("k nearest neighbours", grid={"n_neighbors": (30, 20, 12, 7, 4, 2, 1)})

    def __init__(
        self,
        n_neighbors=5,
        *,
        weights="uniform",
        algorithm="auto",
        leaf_size=30,
        p=2,
        metric="minkowski",
        metric_params=None,
        n_jobs=None,
    ):
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    def fit(self, X, y, sample_weight=None):
        """Store the training rows in a search index.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), KDTree, BallTree or fitted estimator
            With ``metric="precomputed"``, the square matrix of distances.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Classes.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row, a weight of 0 to omitting it.

        Returns
        -------
        self
        """
        check_params(self)
        return self._fit_rows(X, y, sample_weight)

    def predict(self, X):
        """The class of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features) or None
            None predicts each training row from the other rows.

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)
        """
        hoods = self._k_hoods(X)
        return self._labels(self._all_votes(hoods))

    def predict_proba(self, X):
        """Class probabilities: the fraction of votes for each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features) or None
            None predicts each training row from the other rows.

        Returns
        -------
        ndarray of shape (n_queries, n_classes), or a list of them for several outputs
        """
        shares = [v / v.sum(axis=1, keepdims=True) for v in self._all_votes(self._k_hoods(X))]
        return shares if self.outputs_2d_ else shares[0]

    def _query_rows(self, X):
        return None

    def _along_k(self, distance, row, ks, loss, Q=None):
        """Labels (probabilities for the Brier loss) for each k of an increasing list, from a single search."""
        if loss == "brier" and self.outputs_2d_:
            raise ValueError("`loss`='brier' supports a single output only; fit one classifier per output.")

        def said(counted):
            return counted[0] / counted[0].sum(axis=1, keepdims=True) if loss == "brier" else self._labels(counted)

        m = len(row)
        if callable(self.weights) or np.isnan(distance).any():
            for k in ks:
                yield said(self._all_votes(k_hoods(distance[:, :k], row[:, :k], self.weights)))
            return
        # Weights do not depend on k: the votes of k neighbours are those of k - 1 and one more.
        weight = distance_weights(distance, np.repeat(np.arange(m), distance.shape[1]), self.weights)
        weight = np.ones(row.shape) if weight is None else weight.reshape(row.shape)
        counted = [np.zeros((m, len(classes))) for classes, _ in self._outputs()]
        everyone, done = np.arange(m), 0
        for k in ks:
            for place in range(done, k):
                for v, (_, codes) in zip(counted, self._outputs()):
                    v[everyone, codes[row[:, place]]] += weight[:, place]
            done = k
            yield said(counted)


class RadiusNeighborsClassifier(RadiusNeighborsMixin, NeighborsClassifier, NeighborsBase):
    """Classification by a vote of all training rows within a radius.

    Parameters
    ----------
    radius : float, default=1.0
        Rows at exactly this distance are included.
    weights : {"uniform", "distance"}, callable or None, default="uniform"
        As in :class:`KNeighborsClassifier`.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
    leaf_size : int, default=30
    p : float, default=2
    metric : str, callable or object, default="minkowski"
    outlier_label : label, "most_frequent", array-like of labels or None, default=None
        Class of queries without neighbours: one label, one label per output, or the most frequent class. None raises an
        error for such queries.
    metric_params : dict or None, default=None
    n_jobs : int or None, default=None

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), or a list of them for several outputs
    outlier_label_ : list or None
        Class of queries without neighbours, per output.
    effective_metric_ : str or callable
    effective_metric_params_ : dict
    n_samples_fit_ : int
    outputs_2d_ : bool
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if X has column names that are all strings.

    See Also
    --------
    KNeighborsClassifier : votes of a fixed number of rows.

    Notes
    -----
    If the density of the rows varies, no radius suits all regions: it is too small in sparse regions, where no row
    votes, and too large in dense ones. Ties go to the class that comes first.

    Examples
    --------
    >>> from statlearn.neighbors import RadiusNeighborsClassifier
    >>> model = RadiusNeighborsClassifier(1.0).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.predict([[1.5]])
    array([0])
    >>> model.predict_proba([[1.0]]).round(3)
    array([[0.667, 0.333]])
    """

    _constraints = {
        "radius": [Real(0, None, closed="both")],
        "weights": WEIGHT_RULES,
        "outlier_label": [Int(), Instance(str), "array-like", None],
        **SEARCH_CONSTRAINTS,
    }

    def __init__(
        self,
        radius=1.0,
        *,
        weights="uniform",
        algorithm="auto",
        leaf_size=30,
        p=2,
        metric="minkowski",
        outlier_label=None,
        metric_params=None,
        n_jobs=None,
    ):
        self.radius = radius
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.outlier_label = outlier_label
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    def fit(self, X, y, sample_weight=None):
        """Store the training rows in a search index.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), KDTree, BallTree or fitted estimator
            With ``metric="precomputed"``, the square matrix of distances.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Classes.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row, a weight of 0 to omitting it.

        Returns
        -------
        self
        """
        check_params(self)
        self._fit_rows(X, y, sample_weight)
        self.outlier_label_ = self._outlier_labels()
        return self

    def _outlier_labels(self):
        label, outputs = self.outlier_label, self._outputs()
        if label is None:
            return None
        if isinstance(label, str) and label == "most_frequent":
            mass = np.ones(len(self._y)) if self._mass is None else self._mass
            return [classes[np.argmax(np.bincount(codes, weights=mass))] for classes, codes in outputs]
        if np.ndim(label) > 0:
            if len(label) != len(outputs):
                raise ValueError(
                    f"The length of outlier_label: {label} is inconsistent with the output length: {len(outputs)}."
                )
            labels = list(label)
        else:
            labels = [label] * len(outputs)
        for (classes, _), chosen in zip(outputs, labels):
            if np.ndim(chosen) > 0:
                raise TypeError(f"The outlier_label of classes {classes} is supposed to be a scalar, got {chosen}.")
            if np.append(classes, chosen).dtype != classes.dtype:
                raise TypeError(f"The dtype of outlier_label {chosen} is inconsistent with classes {classes} in y.")
        return labels

    def predict(self, X):
        """The class of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features) or None
            None predicts each training row from the other rows.

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)
        """
        counted, alone = self._votes(X)
        labels = self._labels(counted)
        if alone.any():
            columns = labels if self.outputs_2d_ else labels[:, None]
            columns[alone] = self.outlier_label_
        return labels

    def predict_proba(self, X):
        """Fraction of votes for each class; probability 1 for the outlier class if a query has no neighbours.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features) or None
            None predicts each training row from the other rows.

        Returns
        -------
        ndarray of shape (n_queries, n_classes), or a list of them for several outputs
            All zeros for a query without neighbours if the outlier label is not one of the classes.
        """
        counted, alone = self._votes(X)
        shares = []
        for j, ((classes, _), v) in enumerate(zip(self._outputs(), counted)):
            if alone.any():
                v[alone] = classes == self.outlier_label_[j]
            total = v.sum(axis=1, keepdims=True)
            shares.append(v / np.where(total > 0, total, 1.0))
        return shares if self.outputs_2d_ else shares[0]

    def _votes(self, X):
        """Votes for each output, and which queries have no neighbours."""
        check_is_fitted(self)
        hoods = self._radius_hoods(X)
        alone = hoods.sizes == 0
        if self.outlier_label_ is None and alone.any():
            raise ValueError(
                f"No neighbors found for test samples {np.flatnonzero(alone)!r}, you can try using larger radius, "
                "giving a label for outliers, or considering removing them from your dataset."
            )
        for j, (classes, _) in enumerate(self._outputs() if alone.any() else ()):
            if self.outlier_label_[j] not in classes:
                warn(
                    f"Outlier label {self.outlier_label_[j]} is not in training classes. All class probabilities of "
                    "outliers will be assigned with 0."
                )
        return self._all_votes(hoods), alone
