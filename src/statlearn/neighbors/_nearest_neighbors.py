"""Nearest neighbours without a target."""

from statlearn._core.params import Int, Real, check_params

from ._base import SEARCH_CONSTRAINTS, KNeighborsMixin, NeighborsBase, RadiusNeighborsMixin


class NearestNeighbors(KNeighborsMixin, RadiusNeighborsMixin, NeighborsBase):
    r"""Search for the nearest training rows.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbours of a query, where none are asked for by number.
    radius : float, default=1.0
        Radius of a query, where none is given.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        Back end. "auto" takes a KD-tree in few dimensions (9 columns for Euclid's distance, 15 for others) where the
        metric allows, a ball tree for other true metrics, and looks at every row otherwise. It changes the speed, never
        the answer.
    leaf_size : int, default=30
        Rows of a leaf of a tree, rounded up to a multiple of 8.
    metric : str, callable or object, default="minkowski"
        See :func:`pairwise_distances`. "precomputed" takes matrices of distances, dense or sparse. An object with a
        method ``pairwise(A, B)`` is asked for blocks of distances.
    p : float, default=2
        Power of Minkowski's metric: 1 Manhattan, 2 Euclid.
    metric_params : dict, default=None
        Parameters of the metric.
    n_jobs : int, default=None
        Threads; None for all that the process may use. The answer does not depend on it.

    Attributes
    ----------
    effective_metric_ : str or callable
        Name of the metric, with Minkowski's resolved by its power.
    effective_metric_params_ : dict
        Parameters of the metric.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Only if X has column names that are all strings.
    n_samples_fit_ : int
        Number of training rows.

    See Also
    --------
    KDTree, BallTree : The trees alone.
    kneighbors_graph : Graphs of neighbours, also symmetric and mutual ones.

    Notes
    -----
    All back ends compute distances in the same order of operations, in double precision, and of equal distances the
    smaller row number comes first: results are identical to the bit. Brute force for Euclid's distance compares in
    single precision first, with a proved bound on the rounding, and computes exactly what might be among the nearest.

    Columns on large scales dominate the distance: scale them, or use ``metric="mahalanobis"``. In many dimensions all
    rows are about equally far, and no tree helps. Sparse input is searched by brute force.

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
        """Index the training rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), KDTree, BallTree or fitted estimator
            For ``metric="precomputed"`` the square matrix of distances.
        y : Ignored

        Returns
        -------
        self : NearestNeighbors
        """
        check_params(self)
        self._fit_index(self._validate_rows(X))
        return self
