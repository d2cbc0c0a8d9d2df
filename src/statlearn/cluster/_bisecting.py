"""Bisecting k-means."""

import numpy as np
from sklearn.utils import check_random_state

from statlearn._core.fitted_state import check_indices, check_numbers
from statlearn._core.params import Int, Options, Real, check_params

from ._centres import CentreClusterer
from ._kernel_input import kernel_weights, validate_rows
from ._kmeans import ALGORITHMS, Geometry, LloydRun, require_rows
from ._labels import warn_if_fewer
from ._seeding import initial_centres, nearest_centres


class BisectingKMeans(CentreClusterer):
    """Bisecting k-means: clusters are split in two, one after the other, starting from all rows.

    The splits form a tree, which assigns new rows. Each split minimises the objective of :class:`KMeans` for two
    clusters. The result is not a minimum for k clusters, but it depends less on the initialisation and the cluster
    sizes are more even.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    init : {"k-means++", "random"} or callable, default="random"
        Initialisation of each split. A callable receives ``X, n_clusters, random_state`` with ``n_clusters=2``.
    n_init : int, default=1
        Number of initialisations per split; the best run is kept.
    random_state : int, RandomState instance or None, default=None
        Seed of the initialisations.
    max_iter : int, default=300
        Maximum number of iterations per split.
    verbose : int, default=0
        Whether to print the objectives of the two parts of each split.
    tol : float, default=1e-4
        As in :class:`KMeans`, for each split.
    copy_x : bool, default=True
        Accepted for compatibility with scikit-learn; X is never changed.
    algorithm : {"lloyd", "elkan", "hamerly", "full"}, default="lloyd"
        As in :class:`KMeans`.
    bisecting_strategy : {"biggest_inertia", "largest_cluster"}, default="biggest_inertia"
        Cluster to split next: the one with the largest sum of squares, or with the largest total weight.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    inertia_ : float
        Weighted sum of squared distances of the rows to their cluster centres.
    tree_centers_ : ndarray of shape (n_nodes, n_features)
        Centres of all nodes of the tree; the first is the mean of all rows.
    tree_children_ : ndarray of shape (n_nodes, 2)
        Children of each node, or -1 and minus the label minus one for leaves.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names of X, if it has any.

    See Also
    --------
    KMeans : all clusters at once.

    Notes
    -----
    A split of m rows costs 2 m p operations per iteration, so balanced clusters are found in n p log k.

    References
    ----------
    Steinbach, Karypis and Kumar (2000), A comparison of document clustering techniques, KDD workshop on text mining.

    Examples
    --------
    >>> from statlearn.cluster import BisectingKMeans
    >>> model = BisectingKMeans(3, random_state=0).fit([[1.0], [2.0], [10.0], [11.0], [30.0], [31.0]])
    >>> sorted(model.cluster_centers_[:, 0].tolist())
    [1.5, 10.5, 30.5]
    """

    _constraints = {
        "n_clusters": [Int(1, None)],
        "init": [Options("k-means++", "random"), "callable"],
        "n_init": [Int(1, None)],
        "random_state": ["random_state"],
        "max_iter": [Int(1, None)],
        "verbose": ["verbose"],
        "tol": [Real(0, None)],
        "copy_x": ["boolean"],
        "algorithm": [Options(*ALGORITHMS)],
        "bisecting_strategy": [Options("biggest_inertia", "largest_cluster")],
    }

    def __init__(
        self,
        n_clusters=8,
        *,
        init="random",
        n_init=1,
        random_state=None,
        max_iter=300,
        verbose=0,
        tol=1e-4,
        copy_x=True,
        algorithm="lloyd",
        bisecting_strategy="biggest_inertia",
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.random_state = random_state
        self.max_iter = max_iter
        self.verbose = verbose
        self.tol = tol
        self.copy_x = copy_x
        self.algorithm = algorithm
        self.bisecting_strategy = bisecting_strategy

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
        random_state = check_random_state(self.random_state)

        mean = Geometry(rows, weights).mean
        centres, children, members = [mean], [None], [np.arange(rows.shape[0])]
        scores = [np.inf]
        while (len(centres) + 1) // 2 < self.n_clusters:
            leaves = [node for node, below in enumerate(children) if below is None]
            node = max(leaves, key=lambda leaf: scores[leaf])
            children[node] = (len(centres), len(centres) + 1)
            split = members[node]
            w = weights[split] if len(weights) else weights
            cut = self._cut(rows[split], w, random_state) if len(split) else np.vstack([centres[node], centres[node]])
            halves, squares = nearest_centres(rows[split], cut)
            for half in range(2):
                inside = halves == half
                part = w[inside] if len(w) else np.ones(int(inside.sum()))
                centres.append(cut[half])
                children.append(None)
                members.append(split[inside])
                inertia = float(part @ squares[inside])
                scores.append(inertia if self.bisecting_strategy == "biggest_inertia" else float(part.sum()))
                if self.verbose:
                    print(f"Cluster of {int(inside.sum())} rows, inertia {inertia:.6g}")

        self._keep_tree(X, centres, children)
        self.labels_ = self._walk(X)
        ours = self.labels_ if present is None else self.labels_[present]
        squares = np.empty(len(ours))
        for c, centre in enumerate(self.cluster_centers_.astype(np.float64)):
            inside = ours == c
            if inside.any():
                squares[inside] = nearest_centres(rows[inside], centre[None])[1]
        self.inertia_ = float(squares @ weights if len(weights) else squares.sum())
        warn_if_fewer(self, ours)
        return self

    def predict(self, X):
        """Cluster of each row: down the tree of splits, each time to the nearer child.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return self._walk(validate_rows(self, X, reset=False))

    def _cut(self, X, weights, random_state):
        """Centres of the two halves of some rows."""
        geometry = Geometry(X, weights)
        if X.shape[0] < 2 or not geometry.variance > 0:
            return np.vstack([geometry.mean, geometry.mean])  # copies of one row: nothing to cut
        best = None
        for _ in range(self.n_init):
            start = initial_centres(self.init, X, weights, 2, random_state)
            run = LloydRun(geometry, start, self.algorithm, self.tol, self.max_iter)
            if run.better_than(best):
                best = run
        return best.centres

    def _keep_tree(self, X, centres, children):
        self.tree_centers_ = np.asarray(centres).astype(X.dtype)
        self.tree_children_ = np.full((len(centres), 2), -1, dtype=np.intp)
        leaves, open_nodes = [], [0]
        while open_nodes:  # leaves from left to right
            node = open_nodes.pop()
            if children[node] is None:
                self.tree_children_[node, 1] = -1 - len(leaves)
                leaves.append(node)
            else:
                self.tree_children_[node] = children[node]
                open_nodes.extend(reversed(children[node]))
        self.cluster_centers_ = self.tree_centers_[leaves]

    def _check_state(self):
        """Check that children come after their parents, so that every walk down the tree ends."""
        if not hasattr(self, "tree_children_"):
            return
        n_nodes, n_leaves = len(self.tree_centers_), len(self.cluster_centers_)
        check_numbers("tree_centers_", self.tree_centers_, kind="f", shape=(n_nodes, self.n_features_in_))
        check_numbers("tree_children_", self.tree_children_, kind="i", shape=(n_nodes, 2))
        left, right = self.tree_children_.T
        leaf = left < 0
        check_indices("tree_children_", -1 - right[leaf], n_leaves)
        for side in (left, right):
            check_indices("tree_children_", side[~leaf], n_nodes)
            if np.any(side[~leaf] <= np.flatnonzero(~leaf)):
                raise ValueError("`tree_children_` must have larger numbers than their parents.")

    def _walk(self, X):
        labels = np.empty(X.shape[0], dtype=np.int32)
        open_nodes = [(0, np.arange(X.shape[0]))]
        while open_nodes:
            node, rows = open_nodes.pop()
            left, right = self.tree_children_[node]
            if left < 0:
                labels[rows] = -1 - right
            elif len(rows):
                halves = nearest_centres(X[rows], self.tree_centers_[[left, right]].astype(np.float64))[0]
                open_nodes += [(left, rows[halves == 0]), (right, rows[halves == 1])]
        return labels
