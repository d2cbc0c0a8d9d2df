"""Shared parts of the neighbour estimators: parameters, the index of the training rows, and the two kinds of query."""

import numbers
import warnings

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.metrics import DistanceMetric
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget
from statlearn._core.params import HasMethods, Instance, Int, Options, Real
from statlearn._core.validation import FLOATS, validate_data
from statlearn._math.distances.metrics import BALL_TREE_METRICS, BRUTE_METRICS, SPARSE_METRICS, VALID_METRICS
from statlearn._math.distances.neighbor_index import build_index

from ._cells import CELL_METRICS, CellCoder, has_text
from ._precomputed import DistanceGraphIndex, DistanceMatrixIndex, check_precomputed
from ._search_trees import SearchTree

METRIC_RULES = [Options(*sorted({*BRUTE_METRICS, *BALL_TREE_METRICS})), "callable", HasMethods("pairwise")]
_WITH_CELLS = Options(*sorted({*BRUTE_METRICS, *BALL_TREE_METRICS, *CELL_METRICS}))
SEARCH_CONSTRAINTS = {
    "algorithm": [Options("auto", "ball_tree", "kd_tree", "brute")],
    "leaf_size": [Int(1, None)],
    "metric": [_WITH_CELLS, *METRIC_RULES[1:]],
    "p": [Real(0, None, closed="right"), None],
    "metric_params": [Instance(dict), None],
    "n_jobs": [Int(), None],
}


def is_distance_object(metric):
    """Whether the metric is an object with ``pairwise`` rather than a name or a function."""
    return not isinstance(metric, (str, type)) and hasattr(metric, "pairwise")


class NeighborsBase(BaseEstimator):
    """Base class of estimators that keep an index of their training rows.

    A subclass has the parameters `algorithm`, `leaf_size`, `metric`, `p`, `metric_params`, `n_jobs` and calls
    ``_fit_index(X)`` with validated rows (see `_validate_rows`). After that `_index` answers queries. The index is not
    part of the fitted state and is rebuilt after unpickling.
    """

    _advice_on_text = (
        "accepts only numbers; put a TableTransformer before it in a Pipeline, or compare categories with "
        "metric='hamming' and mixed columns with MixedDistance."
    )

    def _input_rules(self):
        """How scikit-learn's `validate_data` is to check rows."""
        finite = "allow-nan" if get_tags(self).input_tags.allow_nan else True
        kind = None if is_distance_object(self.metric) and not isinstance(self.metric, DistanceMetric) else FLOATS
        return dict(accept_sparse="csr", order="C", dtype=kind, ensure_all_finite=finite)

    def _validate_rows(self, X, y="no_validation"):
        """Training rows (and targets): an array, or another estimator or tree whose index is reused."""
        if isinstance(X, (NeighborsBase, SearchTree)):
            return X if isinstance(y, str) and y == "no_validation" else (X, y)
        forget(self, "_cells")
        by_cells = isinstance(self.metric, str) and self.metric in CELL_METRICS and not sparse.issparse(X)
        if by_cells and (self.metric == "hamming_count" or has_text(X)):
            return self._validate_cells(X, y, self.metric == "hamming_count")
        if isinstance(y, str) and y == "no_validation":
            return validate_data(self, X, **self._input_rules())
        return validate_data(self, X, y, multi_output=True, **self._input_rules())

    def _validate_cells(self, X, y, counts):
        """Codes of a table of categories, and the checked targets."""
        coder = CellCoder(counts)
        codes = coder.fit_transform(X)
        if isinstance(y, str) and y == "no_validation":
            valid = validate_data(self, codes, **self._input_rules())
        else:
            valid = validate_data(self, codes, y, multi_output=True, **self._input_rules())
        validate_data(self, X if hasattr(X, "columns") else np.asarray(X, dtype=object), skip_check_array=True)
        self._cells = coder
        return valid

    def _fit_index(self, X):
        """Store the training rows in a search index."""
        self._check_metric()
        self._name_metric()
        if isinstance(X, (NeighborsBase, SearchTree)):
            if isinstance(X, NeighborsBase):
                check_is_fitted(X)
            self._fit_X, self._fit_method, self._built = X._fit_X, X._fit_method, X._index
            if getattr(X, "_cells", None) is not None:
                self._cells = X._cells
            self.n_samples_fit_, self.n_features_in_ = X._fit_X.shape[0], X._fit_X.shape[1]
            forget(self, "feature_names_in_")
            return
        if self.metric == "precomputed":
            X = check_precomputed(X)
            if X.shape[0] != X.shape[1]:
                raise ValueError(f"Precomputed matrix must be square. Input is a {X.shape[0]}x{X.shape[1]} matrix.")
        elif sparse.issparse(X):
            self._check_sparse()
        self._fit_X, self.n_samples_fit_ = X, X.shape[0]
        self._fit_method = self._choose_method(X)
        self._built = self._build()
        if self._fit_method == "auto":
            self._fit_method = self._built.algorithm

    @property
    def _index(self):
        """The index of the training rows."""
        if self.__dict__.get("_built") is None:
            self._built = self._build()
        return self._built

    def _build(self):
        X = self._fit_X
        if self.metric == "precomputed":
            return DistanceGraphIndex(X) if sparse.issparse(X) else DistanceMatrixIndex(X)
        return build_index(
            X,
            self.effective_metric_,
            p=self.effective_metric_params_.get("p", 2),
            metric_params=self.effective_metric_params_,
            algorithm=self._fit_method,
            leaf_size=self.leaf_size,
        )

    def __getstate__(self):
        state = super().__getstate__().copy()
        state.pop("_built", None)
        return state

    def _check_metric(self):
        """Raise an error for metrics that the back end does not support."""
        if isinstance(self.metric, str) and self.metric not in CELL_METRICS:
            back_end = self.algorithm if self.algorithm != "auto" else "brute"
            if self.metric not in VALID_METRICS[back_end] and not (
                self.algorithm == "auto" and self.metric in BALL_TREE_METRICS
            ):
                raise ValueError(
                    f"Metric {self.metric!r} not valid for algorithm={back_end!r}. Pass a callable or one of "
                    f"{', '.join(sorted(VALID_METRICS[back_end]))}."
                )
        elif self.algorithm == "kd_tree" and not isinstance(self.metric, (str, DistanceMetric)):
            raise ValueError(
                f"`algorithm`='kd_tree' does not support callable metric {self.metric!r}. Use algorithm='brute' or "
                "'ball_tree'."
            )
        if self.metric_params is not None and "p" in self.metric_params and self.p is not None:
            warnings.warn(
                "Parameter p is found in metric_params. The corresponding parameter from __init__ is ignored.",
                SyntaxWarning,
                stacklevel=4,
            )

    def _name_metric(self):
        """The Minkowski metric by its specific name for the given power."""
        params = dict(self.metric_params or {})
        name = self.metric
        if isinstance(name, str) and name in CELL_METRICS:
            name = "manhattan" if name == "hamming_count" else "hamming"
        if isinstance(name, str) and name == "minkowski":
            power, weights = params.pop("p", self.p), params.pop("w", None)
            power = 2 if power is None else power
            power = np.inf if power > 1e17 else power  # equal to the last bit
            names = {1: "manhattan", 2: "euclidean", np.inf: "chebyshev"}
            name = names.get(power, "minkowski") if weights is None else "minkowski"
            if name == "minkowski":
                params.update(p=power, w=weights)
        self.effective_metric_, self.effective_metric_params_ = name, params

    def _check_sparse(self):
        if self.algorithm not in ("auto", "brute"):
            warnings.warn("cannot use tree with sparse input: using brute force", stacklevel=4)
        if isinstance(self.effective_metric_, str) and self.effective_metric_ not in SPARSE_METRICS:
            raise ValueError(
                f"Metric '{self.effective_metric_}' not valid for sparse input. Pass a callable or one of "
                f"{', '.join(sorted(SPARSE_METRICS))}."
            )

    def _choose_method(self, X):
        """The back end, or "auto" to let the index choose."""
        if sparse.issparse(X) or self.metric == "precomputed":
            return "brute"
        name, params = self.effective_metric_, self.effective_metric_params_
        semimetric = isinstance(name, str) and name == "minkowski" and params["p"] < 1
        method = self.algorithm
        if method == "auto":
            wide = getattr(self, "n_neighbors", None) is not None and self.n_neighbors >= X.shape[0] // 2
            method = "brute" if wide or semimetric else "auto"
        if semimetric:
            if method != "brute":
                raise ValueError(
                    f'algorithm="{method}" does not support 0 < p < 1 for the Minkowski metric. To resolve this '
                    'problem either set p >= 1 or algorithm="brute".'
                )
            warnings.warn(
                "Mind that for 0 < p < 1, Minkowski metrics are not distance metrics. Continuing the execution with "
                "`algorithm='brute'`.",
                stacklevel=4,
            )
        if method == "kd_tree" and isinstance(name, str) and name == "minkowski" and params.get("w") is not None:
            raise ValueError(
                "algorithm='kd_tree' is not valid for metric='minkowski' with a weight parameter 'w': try "
                "algorithm='ball_tree' or algorithm='brute' instead."
            )
        return method

    def _validate_queries(self, X):
        """Query rows in the format of the index; None stands for the training rows themselves."""
        if X is None:
            return None
        if self.metric == "precomputed":
            return check_precomputed(X)
        if getattr(self, "_cells", None) is not None:
            queries = X if hasattr(X, "columns") else np.asarray(X, dtype=object)
            validate_data(self, queries, reset=False, skip_check_array=True)
            return self._cells.transform(queries)
        X = validate_data(self, X, reset=False, **self._input_rules())
        if sparse.issparse(X) and not sparse.issparse(self._fit_X):
            if self._fit_method != "brute":
                raise ValueError(
                    f"{self._fit_method} does not work with sparse matrices. Densify the data or set algorithm='brute'."
                )
            X = X.toarray()
        elif sparse.issparse(self._fit_X) and not sparse.issparse(X):
            X = sparse.csr_array(X)
        return X

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        precomputed = isinstance(self.metric, str) and self.metric == "precomputed"
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = precomputed
        tags.input_tags.positive_only = precomputed
        tags.input_tags.allow_nan = isinstance(self.metric, str) and self.metric == "nan_euclidean"
        return tags


class KNeighborsMixin:
    """Mixin for queries for a fixed number of neighbours."""

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """Nearest training rows of each row of X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), default=None
            Queries, or with ``metric="precomputed"`` their distances to the training rows. None queries the training
            rows, excluding each row from its own neighbours.
        n_neighbors : int, default=None
            None uses the value passed to the constructor.
        return_distance : bool, default=True

        Returns
        -------
        neigh_dist : ndarray of shape (n_queries, n_neighbors)
            Distances in increasing order. Only returned if `return_distance` is True.
        neigh_ind : ndarray of shape (n_queries, n_neighbors)
            Row indices. Ties in distance are ordered by row index, whatever the back end.
        """
        check_is_fitted(self)
        if n_neighbors is None:
            n_neighbors = self.n_neighbors
        elif n_neighbors <= 0:
            raise ValueError(f"Expected n_neighbors > 0. Got {n_neighbors}.")
        elif not isinstance(n_neighbors, numbers.Integral):
            raise TypeError(f"n_neighbors does not take {type(n_neighbors)} value, enter integer value.")
        Q = self._validate_queries(X)
        if n_neighbors > self.n_samples_fit_ - (Q is None):
            wanted = "n_neighbors < n_samples_fit" if Q is None else "n_neighbors <= n_samples_fit"
            raise ValueError(
                f"Expected {wanted}, but n_neighbors = {n_neighbors}, n_samples_fit = {self.n_samples_fit_}, "
                f"n_samples = {self.n_samples_fit_ if Q is None else Q.shape[0]}."
            )
        distances, rows = self._index.query(Q, int(n_neighbors), exclude_self=Q is None, n_jobs=self.n_jobs)
        return (distances, rows) if return_distance else rows

    def kneighbors_graph(self, X=None, n_neighbors=None, mode="connectivity"):
        """Graph that connects each row of X to its nearest training rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), default=None
            As in `kneighbors`.
        n_neighbors : int, default=None
            None uses the value passed to the constructor.
        mode : {"connectivity", "distance"}, default="connectivity"
            Whether the entries are 1 or distances.

        Returns
        -------
        A : sparse matrix of shape (n_queries, n_samples_fit), CSR
        """
        check_is_fitted(self)
        check_mode(mode)
        distances, rows = self.kneighbors(X, n_neighbors)
        values = np.ones(rows.size) if mode == "connectivity" else distances.ravel()
        indptr = np.arange(0, rows.size + 1, rows.shape[1])
        return as_graph(values, rows.ravel(), indptr, self.n_samples_fit_)


class RadiusNeighborsMixin:
    """Mixin for queries for all neighbours within a radius."""

    def _within(self, X, radius, sort):
        check_is_fitted(self)
        Q = self._validate_queries(X)
        radius = self.radius if radius is None else radius
        return self._index.radius(Q, radius, sort=sort, n_jobs=self.n_jobs, exclude_self=Q is None)

    def radius_neighbors(self, X=None, radius=None, return_distance=True, sort_results=False):
        """All training rows within a radius of each row of X, including rows at exactly that distance.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), default=None
            As in `kneighbors`.
        radius : float or array-like of shape (n_queries,), default=None
            None uses the value passed to the constructor.
        return_distance : bool, default=True
        sort_results : bool, default=False
            Whether to sort by distance instead of row index.

        Returns
        -------
        neigh_dist : ndarray of shape (n_queries,) of arrays
            Only returned if `return_distance` is True.
        neigh_ind : ndarray of shape (n_queries,) of arrays
        """
        if sort_results and not return_distance:
            raise ValueError("return_distance must be True if sort_results is True.")
        indptr, rows, distances = self._within(X, radius, sort_results)
        neighbors = split_rows(rows, indptr)
        return (split_rows(distances, indptr), neighbors) if return_distance else neighbors

    def radius_neighbors_graph(self, X=None, radius=None, mode="connectivity", sort_results=False):
        """Graph that connects each row of X to the training rows within a radius.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), default=None
            As in `kneighbors`.
        radius : float, default=None
            None uses the value passed to the constructor.
        mode : {"connectivity", "distance"}, default="connectivity"
            Whether the entries are 1 or distances.
        sort_results : bool, default=False
            Whether the entries of a row are sorted by distance.

        Returns
        -------
        A : sparse matrix of shape (n_queries, n_samples_fit), CSR
        """
        check_is_fitted(self)
        check_mode(mode)
        indptr, rows, distances = self._within(X, radius, sort_results and mode == "distance")
        values = np.ones(len(rows)) if mode == "connectivity" else distances
        return as_graph(values, rows, indptr, self.n_samples_fit_)


def check_mode(mode):
    if mode not in ("connectivity", "distance"):
        raise ValueError(f'Unsupported mode, must be one of "connectivity", or "distance" but got "{mode}" instead.')


def as_graph(values, rows, indptr, n_columns):
    """A sparse matrix of the kind that scikit-learn is set to return."""
    graph = sparse.csr_matrix((values, rows, indptr), shape=(len(indptr) - 1, n_columns))
    return sparse.csr_array(graph) if wants_arrays() else graph


def wants_arrays():
    """scikit-learn 1.9's setting of the sparse interface; before, matrices."""
    from sklearn import get_config

    return get_config().get("sparse_interface", "spmatrix") == "sparray"


def split_rows(values, indptr):
    """An array of arrays, one for each query."""
    parts = np.empty(len(indptr) - 1, dtype=object)
    for i in range(len(parts)):
        parts[i] = values[indptr[i] : indptr[i + 1]]
    return parts
