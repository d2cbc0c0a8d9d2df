"""KD-tree and ball tree as standalone objects, with scikit-learn's methods."""

import numpy as np
from sklearn.utils.validation import check_array

from statlearn._core.params import Int, check_arguments
from statlearn._core.validation import FLOATS
from statlearn._math.distances.metrics import BALL_TREE_METRICS, KD_TREE_METRICS
from statlearn._math.distances.neighbor_index import build_index


class SearchTree:
    """Base class of the two trees; neighbour estimators can reuse its index."""

    valid_metrics: list = []
    _fit_method = ""

    def __init__(self, X, leaf_size=40, metric="minkowski", **kwargs):
        check_arguments(type(self).__name__, leaf_size=(leaf_size, [Int(1, None)]))
        X = check_array(X, dtype=FLOATS, order="C", input_name="X")
        plain = not isinstance(metric, str)
        if (plain and self._fit_method == "kd_tree") or (not plain and metric not in self.valid_metrics):
            raise ValueError(f"metric {metric} is not valid for {type(self).__name__}.")
        self._parameters = dict(leaf_size=int(leaf_size), metric=metric, kwargs=kwargs)
        self._fit_X = X
        self._index = self._build()

    def _build(self):
        rule = self._parameters
        return build_index(
            self._fit_X,
            rule["metric"],
            p=rule["kwargs"].get("p", 2),
            metric_params=rule["kwargs"],
            algorithm=self._fit_method,
            leaf_size=rule["leaf_size"],
        )

    def __getstate__(self):
        return {key: value for key, value in self.__dict__.items() if key != "_index"}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._index = self._build()

    @property
    def data(self):
        """The indexed rows."""
        return self._fit_X

    def _rows(self, X):
        X = check_array(X, dtype=FLOATS, order="C", input_name="X")
        if X.shape[1] != self._fit_X.shape[1]:
            raise ValueError("query data dimension must match training data dimension.")
        return X

    def query(self, X, k=1, return_distance=True, dualtree=False, breadth_first=False, sort_results=True):
        """The k nearest rows of each query.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Queries.
        k : int, default=1
        return_distance : bool, default=True
        dualtree, breadth_first, sort_results : bool
            Accepted for compatibility with scikit-learn; there is a single search order and results are always sorted.

        Returns
        -------
        d : ndarray of shape (n_queries, k)
            Distances. Only returned if `return_distance` is True.
        i : ndarray of shape (n_queries, k)
            Row indices; ties in distance are ordered by row index.
        """
        rows = self._rows(X)
        if k > self._fit_X.shape[0]:
            raise ValueError("k must be less than or equal to the number of training points.")
        distances, neighbors = self._index.query(rows, k)
        return (distances, neighbors) if return_distance else neighbors

    def query_radius(self, X, r, return_distance=False, count_only=False, sort_results=False):
        """All rows within a distance of each query.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Queries.
        r : float or array-like of shape (n_queries,)
            Radius, one for all queries or one per query. Rows at exactly this distance are included.
        return_distance : bool, default=False
        count_only : bool, default=False
            Whether to return only the number of rows.
        sort_results : bool, default=False
            Whether to sort by distance instead of row index. Requires `return_distance`.

        Returns
        -------
        ind : ndarray of shape (n_queries,) of arrays, or of counts
        dist : ndarray of shape (n_queries,) of arrays
            Only returned if `return_distance` is True.
        """
        if count_only and return_distance:
            raise ValueError("count_only and return_distance cannot both be true.")
        if sort_results and not return_distance:
            raise ValueError("return_distance must be True if sort_results is True.")
        rows = self._rows(X)
        radius = np.asarray(r, dtype=np.float64)
        if radius.ndim and radius.shape != (len(rows),):
            raise ValueError("r must be broadcastable to X.shape.")
        indptr, neighbors, distances = self._index.radius(rows, radius, sort=sort_results)
        if count_only:
            return np.diff(indptr)
        parts = [np.empty(len(rows), dtype=object) for _ in range(2)]
        for i in range(len(rows)):
            here = slice(indptr[i], indptr[i + 1])
            parts[0][i], parts[1][i] = neighbors[here], distances[here]
        return tuple(parts) if return_distance else parts[0]

    def two_point_correlation(self, X, r, dualtree=False):
        """Number of pairs of a query and a row within each of several distances.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
        r : array-like
            Distances.
        dualtree : bool, default=False
            Accepted for compatibility with scikit-learn.

        Returns
        -------
        counts : ndarray of int, one for each distance
        """
        rows = self._rows(X)
        r = np.atleast_1d(np.asarray(r, dtype=np.float64))
        _, _, distances = self._index.radius(rows, float(r.max()))
        return np.searchsorted(np.sort(distances), r.ravel(), side="right").reshape(r.shape)


class KDTree(SearchTree):
    """KD-tree: boxes split at the median of their widest coordinate.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    leaf_size : int, default=40
        Number of rows in a leaf, rounded up to a multiple of 8. It affects the speed, not the result.
    metric : str, default="minkowski"
        One of ``KDTree.valid_metrics``: sums (or the maximum) over coordinates, which can be bounded over a box.
    **kwargs : dict
        Parameters of the metric: ``p``.

    Attributes
    ----------
    data : ndarray of shape (n_samples, n_features)

    See Also
    --------
    NearestNeighbors : chooses the search algorithm.
    BallTree : for other metrics.

    Notes
    -----
    Building takes :math:`O(n p + n \\log n)`, a query :math:`O(\\log n)` in few dimensions; beyond about 10 dimensions
    brute force is faster. Leaves are scanned eight points at a time, and large sets of queries are processed in the
    order of the leaves they fall into.

    References
    ----------
    .. [1] J. L. Bentley (1975). Multidimensional binary search trees used for associative searching. Communications of
       the ACM 18(9), 509-517.
    .. [2] J. H. Friedman, J. L. Bentley, R. A. Finkel (1977). An algorithm for finding best matches in logarithmic
       expected time. ACM Transactions on Mathematical Software 3(3), 209-226.

    Examples
    --------
    >>> from statlearn.neighbors import KDTree
    >>> tree = KDTree([[0.0, 0.0], [1.0, 0.0], [0.0, 3.0]])
    >>> distances, rows = tree.query([[0.0, 1.0]], k=2)
    >>> rows
    array([[0, 1]])
    """

    valid_metrics = KD_TREE_METRICS
    _fit_method = "kd_tree"


class BallTree(SearchTree):
    """Ball tree: balls split between two distant points, for any metric.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    leaf_size : int, default=40
        Number of rows in a leaf, rounded up to a multiple of 8. It affects the speed, not the result.
    metric : str or callable, default="minkowski"
        One of ``BallTree.valid_metrics``: dissimilarities that satisfy the triangle inequality. A callable receives two
        rows and is evaluated for every row.
    **kwargs : dict
        Parameters of the metric: ``p``, ``V``, ``VI``, or the keywords of the function.

    Attributes
    ----------
    data : ndarray of shape (n_samples, n_features)

    See Also
    --------
    NearestNeighbors : chooses the search algorithm.
    KDTree : faster if the metric can be bounded over a box.

    Notes
    -----
    A node stores a centre c and a radius R; none of its points is nearer to a query q than :math:`d(q, c) - R`.

    References
    ----------
    .. [1] S. M. Omohundro (1989). Five balltree construction algorithms. Technical Report 89-063, International
       Computer Science Institute, Berkeley.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.neighbors import BallTree
    >>> cities = np.radians([[52.5, 13.4], [48.9, 2.4], [51.5, -0.1]])  # Berlin, Paris, London
    >>> tree = BallTree(cities, metric="haversine")
    >>> distance, rows = tree.query(np.radians([[50.1, 8.7]]), k=2)  # Frankfurt
    >>> rows
    array([[0, 1]])
    >>> (6371 * distance).round()
    array([[422., 474.]])
    """

    valid_metrics = BALL_TREE_METRICS
    _fit_method = "ball_tree"
