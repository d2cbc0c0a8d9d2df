"""Unsupervised nearest-neighbour search."""

from statlearn._core.params import Int, Real, check_params

from ._base import SEARCH_CONSTRAINTS, KNeighborsMixin, NeighborsBase, RadiusNeighborsMixin


class NearestNeighbors(KNeighborsMixin, RadiusNeighborsMixin, NeighborsBase):
    r"""Unsupervised nearest-neighbour search.

    Parameters
    ----------
    n_neighbors : int, default=5
        Default number of neighbours of a query.
    radius : float, default=1.0
        Default radius of a query.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        Search algorithm. "auto" uses a KD-tree in few dimensions (up to 9 columns for Euclidean distance, 15 for
        others) if the metric allows it, a ball tree for other true metrics, and brute force otherwise. It affects the
        speed, not the result.
    leaf_size : int, default=30
        Number of rows in a leaf of a search tree, rounded up to a multiple of 8.
    metric : str, callable or object, default="minkowski"
        See :func:`pairwise_distances`. With "precomputed", X is a matrix of distances, dense or sparse. An object with
        a method ``pairwise(A, B)`` is called for blocks of distances.
    p : float, default=2
        Power of the Minkowski metric: 1 is Manhattan, 2 is Euclidean.
    metric_params : dict, default=None
        Parameters of the metric.
    n_jobs : int, default=None
        Number of threads; None uses all that are available. It does not affect the result.

    Attributes
    ----------
    effective_metric_ : str or callable
        Name of the metric; Minkowski metrics are replaced by their specific names.
    effective_metric_params_ : dict
        Parameters of the metric.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Defined only if X has column names that are all strings.
    n_samples_fit_ : int
        Number of training rows.

    See Also
    --------
    KDTree, BallTree : the search trees on their own.
    kneighbors_graph : neighbour graphs, including symmetric and mutual ones.

    Notes
    -----
    All back ends compute distances with the same order of operations in double precision and order ties by row index,
    so results are identical to the bit. Brute force for Euclidean distance first compares in single precision, with a
    proven bound on the rounding error, and computes exact distances for all possible neighbours.

    Columns on large scales dominate the distance; scale them, or use ``metric="mahalanobis"``. In high dimensions all
    rows are about equally far apart and trees do not help. Sparse input is searched by brute force.

    Examples
    --------
    >>> from statlearn.neighbors import NearestNeighbors
    >>> search = NearestNeighbors(n_neighbors=2).fit([[0.0, 0.0], [1.0, 0.0], [0.0, 3.0]])
    >>> distances, rows = search.kneighbors([[0.0, 0.2]])
    >>> rows
    array([[0, 1]])
    >>> search.kneighbors_graph().toarray()  # a row is not its own neighbour here
    array([[0., 1., 1.],
           [1., 0., 1.],
           [1., 1., 0.]])
    """

    _constraints = {
        "n_neighbors": [Int(1, None), None],
        "radius": [Real(0, None, closed="both"), None],
        **SEARCH_CONSTRAINTS,
    }

    def __init__(
        self,
        *,
        n_neighbors=5,
        radius=1.0,
        algorithm="auto",
        leaf_size=30,
        metric="minkowski",
        p=2,
        metric_params=None,
        n_jobs=None,
    ):
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    def fit(self, X, y=None):
        """Store the training rows in a search index.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), KDTree, BallTree or fitted estimator
            With ``metric="precomputed"``, the square matrix of distances.
        y : Ignored

        Returns
        -------
        self : NearestNeighbors
        """
        check_params(self)
        self._fit_index(self._validate_rows(X))
        return self
