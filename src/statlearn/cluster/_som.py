"""Self-organising map."""

import numpy as np
from scipy import linalg, sparse
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.blas import single_blas_thread
from statlearn._core.memory import require_memory
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, check_array, check_weights, present_rows, require_finite, validate_data

from ._seeding import nearest_centres

_MOST_UNITS = 1_000_000
_BLOCK = 1 << 22  # distances held at once


def grid_positions(shape, topology):
    """Positions of the units of a map, row by row; neighbours are at distance 1."""
    rows, columns = np.divmod(np.arange(shape[0] * shape[1]), shape[1])
    if topology == "hex":
        return np.column_stack([columns + 0.5 * (rows % 2), rows * np.sqrt(0.75)])
    return np.column_stack([columns, rows]).astype(np.float64)


def neighbour_weights(squares, radius, neighbourhood):
    """Weights of units at these squared distances on the grid; with radius 0 of the unit itself only."""
    if neighbourhood == "bubble" or radius == 0.0:
        return (squares <= radius**2 * (1.0 + 1e-9)).astype(np.float64)
    return np.exp(-squares / (2.0 * radius**2))


class SelfOrganizingMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    r"""Self-organising map: prototypes on a two-dimensional grid, as in k-means with neighbours that move along.

    Each unit of the grid has a prototype m_j. A row belongs to the unit c(i) with the nearest prototype. In each pass
    the batch algorithm moves every prototype to the weighted mean

    .. math:: m_j = \frac{\sum_i s_i\, h_t(j, c(i))\, x_i}{\sum_i s_i\, h_t(j, c(i))}

    where s are the weights of the rows, :math:`h_t(j, k) = \exp(-d(j, k)^2 / (2 r_t^2))` with the distance d on the
    grid ("gaussian"), or 1 up to distance r and 0 beyond ("bubble"). The radius decreases linearly from `radius` to
    `final_radius`. With radius 0 this is Lloyd's k-means, step for step. The online algorithm moves the prototypes
    after every row, by the learning rate times h. Neither minimises a fixed objective.

    Parameters
    ----------
    shape : tuple of two ints, default=(10, 10)
        Number of rows and columns of the grid. (1, k) is a chain.
    topology : {"rect", "hex"}, default="rect"
        Grid of squares, or of hexagons with six neighbours at the same distance.
    neighbourhood : {"gaussian", "bubble"}, default="gaussian"
        Weights of the neighbours.
    update : {"batch", "online"}, default="batch"
        All rows at once, or row by row in random order, which is slower and depends on the order.
    radius : float or None, default=None
        Radius of the first pass, in units of the grid. None means half of the longer side, at least 1.
    final_radius : float, default=0.5
        Radius of the last pass, if it is less than `radius`.
    n_passes : int, default=50
        Number of passes over the rows. With 0 the prototypes remain at the start. Batch passes with a constant radius
        end when nothing changes.
    learning_rate : float, default=0.1
        Step of the first row for ``update="online"``; it decreases linearly to a hundredth.
    init : {"pca", "random"} or array-like of shape (n_units, n_features), default="pca"
        Start: the grid laid over the plane of the first two principal components, random rows, or given prototypes.
    random_state : int, RandomState instance or None, default=None
        Seed of "random" and of the order of "online".

    Attributes
    ----------
    prototypes_ : ndarray of shape (n_units, n_features)
        The prototypes, row by row of the grid.
    positions_ : ndarray of shape (n_units, 2)
        Position of each unit on the grid, x and y.
    labels_ : ndarray of shape (n_samples,)
        Unit of each row.
    counts_ : ndarray of shape (n_units,)
        Total weight of the rows of each unit.
    quantization_error_ : float
        Weighted mean distance of the rows to their prototypes.
    topographic_error_ : float
        Weighted share of rows whose nearest and second nearest prototypes are not neighbours on the grid.
    history_ : ndarray of shape (n_iter_,)
        Quantisation error at the start of each pass.
    n_iter_ : int
        Number of passes.
    shape_ : tuple of two ints
        Rows and columns of the grid.
    topology_ : str
        The grid.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names of X, if it has any.

    See Also
    --------
    KMeans : without a grid.
    statlearn.plot.som_plot : pictures of a map.

    Notes
    -----
    A batch pass costs n k p operations and k² p for the neighbours. Standardise columns in different units. The map is
    continuous from the grid to the data, not the reverse: rows that are close may lie on distant units if the grid is
    folded, which the topographic error measures. A small final radius lowers the quantisation error and raises the
    topographic error. Distances on the grid are not distances in the data: draw the U-matrix before clusters are read
    from a map.

    References
    ----------
    Kohonen, T. (2001). *Self-Organizing Maps*, 3rd ed. Springer.

    Hastie, T., Tibshirani, R. and Friedman, J. (2009). *The Elements of Statistical Learning*, 2nd ed., section 14.4.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.cluster import SelfOrganizingMap
    >>> X = np.linspace(0, 1, 101)[:, None]
    >>> chain = SelfOrganizingMap((1, 4)).fit(X)
    >>> bool(np.all(np.diff(chain.prototypes_[:, 0]) > 0)), chain.counts_.sum()
    (True, np.float64(101.0))
    """

    _constraints = {
        "shape": ["array-like"],
        "topology": [Options("rect", "hex")],
        "neighbourhood": [Options("gaussian", "bubble")],
        "update": [Options("batch", "online")],
        "radius": [Real(0, None), None],
        "final_radius": [Real(0, None)],
        "n_passes": [Int(0, None)],
        "learning_rate": [Real(0, 1, closed="right")],
        "init": [Options("pca", "random"), "array-like"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        shape=(10, 10),
        *,
        topology="rect",
        neighbourhood="gaussian",
        update="batch",
        radius=None,
        final_radius=0.5,
        n_passes=50,
        learning_rate=0.1,
        init="pca",
        random_state=None,
    ):
        self.shape = shape
        self.topology = topology
        self.neighbourhood = neighbourhood
        self.update = update
        self.radius = radius
        self.final_radius = final_radius
        self.n_passes = n_passes
        self.learning_rate = learning_rate
        self.init = init
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        """Fit the map.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row. For ``update="online"`` the rows of a pass are drawn
            with probabilities proportional to their weights.

        Returns
        -------
        self
        """
        check_params(self)
        self.shape_ = _checked_shape(self.shape)
        X = validate_data(self, X, dtype=FLOATS, order="C")
        weights = check_weights(sample_weight, X)
        rows, present = present_rows(weights, X.astype(np.float64, copy=False))
        self.topology_ = self.topology
        self.positions_ = grid_positions(self.shape_, self.topology)
        random_state = check_random_state(self.random_state)
        start = self._start(rows, present, random_state)
        squares = self._grid_squares()
        learn = self._batch if self.update == "batch" else self._online
        prototypes, history = learn(rows, present, start, squares, random_state)
        require_finite(prototypes)
        self.history_, self.n_iter_ = np.array(history), len(history)
        self.prototypes_ = np.ascontiguousarray(prototypes).astype(X.dtype)
        self.labels_ = self._nearest(X)[0]
        weights = np.ones(len(X)) if weights is None else weights.astype(np.float64)
        self.counts_ = np.bincount(self.labels_, weights, minlength=len(self.positions_))
        self.quantization_error_ = self._quantization(X, weights)
        self.topographic_error_ = self._topographic(X, weights)
        return self

    def _grid_squares(self):
        """Squared distances of all pairs of units on the grid."""
        k = len(self.positions_)
        require_memory(16 * k * k, f"The distances between {k:,} units", "Use a smaller shape.")
        return cdist(self.positions_, self.positions_, "sqeuclidean")

    def _start(self, X, weights, random_state):
        """Prototypes before the first pass."""
        k, p = len(self.positions_), X.shape[1]
        if not isinstance(self.init, str):
            start = check_array(self.init, dtype=np.float64, copy=True, order="C", input_name="init")
            if start.shape != (k, p):
                raise ValueError(f"`init` must have shape {(k, p)}, one prototype per unit, got {start.shape}.")
            return start
        probabilities = np.full(len(X), 1.0 / len(X)) if weights is None else weights / weights.sum()
        if self.init == "random":
            return X[random_state.choice(len(X), size=k, p=probabilities)]
        with single_blas_thread(p), np.errstate(over="ignore", invalid="ignore"):
            mean = probabilities @ X
            centred = X - mean
            covariance = (centred.T * probabilities) @ centred
            require_finite(covariance)
            variances, directions = linalg.eigh(covariance, subset_by_index=(max(p - 2, 0), p - 1))
        variances, directions = np.maximum(variances[::-1], 0.0), directions[:, ::-1]
        directions = directions * np.sign(directions[np.abs(directions).argmax(axis=0), range(directions.shape[1])])
        extent = np.ptp(self.positions_, axis=0)
        scaled = 2.0 * (self.positions_ - self.positions_.min(axis=0)) / np.where(extent > 0, extent, 1.0)
        scaled -= extent > 0  # from -1 to 1
        long_side_first = scaled[:, ::-1] if extent[1] > extent[0] else scaled
        steps = np.sqrt(variances) * directions
        return mean + long_side_first[:, : steps.shape[1]] @ steps.T

    def _radii(self, steps):
        """Radius at each step."""
        first = max(max(self.shape_) / 2.0, 1.0) if self.radius is None else float(self.radius)
        return np.linspace(first, min(first, float(self.final_radius)), steps)

    def _batch(self, X, weights, prototypes, squares, random_state):
        history = []
        k = len(prototypes)
        masses = np.ones(len(X)) if weights is None else weights.astype(np.float64) / weights.max()
        radii = self._radii(self.n_passes)
        for t, radius in enumerate(radii):
            labels, nearest = nearest_centres(X, np.ascontiguousarray(prototypes))
            history.append(float(np.sqrt(np.maximum(nearest, 0.0)) @ masses / masses.sum()))
            members = sparse.csr_array((masses, (labels, np.arange(len(X)))), shape=(k, len(X)))
            sums, counts = members @ X, np.bincount(labels, masses, minlength=k)
            h = neighbour_weights(squares, radius, self.neighbourhood)
            with single_blas_thread():  # the same bits for any number of threads
                sums, counts = h @ sums, h @ counts
            reached = counts > 0.0
            moved = np.where(reached[:, None], sums / np.where(reached, counts, 1.0)[:, None], prototypes)
            settled = np.array_equal(moved, prototypes)
            prototypes = moved
            if settled and radii[-1] == radius and t + 1 < len(radii):
                break
        return prototypes, history

    def _online(self, X, weights, prototypes, squares, random_state):
        history = []
        n, prototypes = len(X), prototypes.copy()
        probabilities = None if weights is None else weights / weights.sum()
        radii = self._radii(self.n_passes * n)
        rates = self.learning_rate * np.linspace(1.0, 0.01, self.n_passes * n)
        for t in range(self.n_passes):
            distance = np.sqrt(np.maximum(nearest_centres(X, np.ascontiguousarray(prototypes))[1], 0.0))
            history.append(float(np.average(distance, weights=weights)))
            drawn = random_state.permutation(n) if weights is None else random_state.choice(n, n, p=probabilities)
            for step, i in enumerate(drawn, start=t * n):
                difference = X[i] - prototypes
                winner = np.einsum("ij,ij->i", difference, difference).argmin()
                h = neighbour_weights(squares[winner], radii[step], self.neighbourhood)
                prototypes += (rates[step] * h)[:, None] * difference
        return prototypes, history

    def _nearest(self, X):
        return nearest_centres(X, np.ascontiguousarray(self.prototypes_, dtype=np.float64))

    def predict(self, X):
        """Unit with the nearest prototype of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self._nearest(validate_data(self, X, dtype=FLOATS, order="C", reset=False))[0]

    def transform(self, X):
        """Position of each row on the grid, that of its unit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        positions : ndarray of shape (n_samples, 2)
        """
        labels = self.predict(X)
        return self.positions_.astype(self.prototypes_.dtype)[labels]

    def quantization_error(self, X, sample_weight=None):
        """Mean distance of rows to their prototypes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        float
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, order="C", reset=False)
        return self._quantization(X, check_weights(sample_weight, X))

    def _quantization(self, X, weights):
        return float(np.average(np.sqrt(np.maximum(self._nearest(X)[1], 0.0)), weights=weights))

    def topographic_error(self, X, sample_weight=None):
        """Share of rows whose nearest and second nearest prototypes are not neighbours on the grid.

        Neighbours are the eight squares or the six hexagons around a unit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        float
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, order="C", reset=False)
        return self._topographic(X, check_weights(sample_weight, X))

    def _topographic(self, X, weights):
        prototypes = self.prototypes_.astype(np.float64)
        k = len(prototypes)
        if k < 2:
            return 0.0
        apart = np.empty(len(X))
        for start in range(0, len(X), max(_BLOCK // k, 1)):
            block = slice(start, start + max(_BLOCK // k, 1))
            two = np.argsort(cdist(X[block], prototypes, "sqeuclidean"), axis=1, kind="stable")[:, :2]
            gap = self.positions_[two[:, 0]] - self.positions_[two[:, 1]]
            apart[block] = np.einsum("ij,ij->i", gap, gap) > self._reach() + 1e-9
        return float(np.average(apart, weights=weights))

    def _reach(self):
        """Largest squared grid distance of two neighbours."""
        return 2.0 if self.topology_ == "rect" else 1.0

    def u_matrix(self):
        """U-matrix: mean distance of each prototype to those of the neighbours on the grid.

        High values are borders between clusters.

        Returns
        -------
        ndarray of the shape of the grid
        """
        check_is_fitted(self)
        near = self._grid_squares()
        i, j = np.nonzero((near > 0) & (near <= self._reach() + 1e-9))
        prototypes = self.prototypes_.astype(np.float64)
        lengths = np.sqrt(np.sum((prototypes[i] - prototypes[j]) ** 2, axis=1))
        k = len(prototypes)
        numbers = np.bincount(i, minlength=k)
        return (np.bincount(i, lengths, minlength=k) / np.maximum(numbers, 1)).reshape(self.shape_)

    @property
    def _n_features_out(self):
        return self.positions_.shape[1]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _checked_shape(shape):
    """Rows and columns as ints."""
    sides = list(shape) if np.ndim(shape) == 1 else []
    whole = all(isinstance(side, (int, np.integer)) and not isinstance(side, bool) and side >= 1 for side in sides)
    if len(sides) != 2 or not whole or int(sides[0]) * int(sides[1]) > _MOST_UNITS:
        raise ValueError(f"`shape` must be two positive ints with a product of at most {_MOST_UNITS:,}, got {shape!r}.")
    return int(sides[0]), int(sides[1])
