"""Dissimilarities by name: their use in the search engines, and the matrix of all pairs.

A dissimilarity is either one of the policies of the compiled core, possibly after a map of the rows (Mahalanobis is
Euclidean after a linear map, cosine is Euclidean between unit vectors), or a Python function of two blocks of rows.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import linalg, sparse
from scipy.spatial.distance import cdist
from sklearn.utils.validation import check_array

from statlearn._core.jobs import jobs
from statlearn._core.native import neighbors as native
from statlearn._core.validation import FLOATS
from statlearn._core.warnings import AmbiguousInputWarning, warn
from statlearn._math.linalg.sparse_arrays import to_dense

ALIASES = {
    "l2": "euclidean",
    "l1": "manhattan",
    "cityblock": "manhattan",
    "infinity": "chebyshev",
    "p": "minkowski",
    "matching": "hamming",
    "sokalmichener": "rogerstanimoto",
}

# Numbers of the policies in native/neighbors/distances.hpp.
_CODES = {
    "euclidean": 0,
    "manhattan": 1,
    "chebyshev": 2,
    "minkowski": 3,
    "hamming": 4,
    "canberra": 5,
    "braycurtis": 6,
    "haversine": 7,
    "kl": 8,
    "jeffreys": 9,
    "nan_euclidean": 10,
    "jaccard": 11,
    "dice": 12,
    "rogerstanimoto": 13,
    "russellrao": 14,
    "sokalsneath": 15,
    "sqeuclidean": 16,
    "half_square": 17,
}
# Powers of Minkowski's metric. Below, q equal differences are q^(1/p) times as far apart as one of them, which
# overflows; above, the powers of differences overflow or vanish next to 1.
_SMALLEST_POWER, _LARGEST_POWER = 0.01, 50
_MAPPED = {"seuclidean": "euclidean", "mahalanobis": "euclidean", "cosine": "half_square", "correlation": "half_square"}

# scikit-learn's objects for metrics without parameters, by the names of their classes.
_SKLEARN_OBJECTS = {
    f"{word}Distance{bits}": word.lower() for word in ("Euclidean", "Manhattan", "Chebyshev") for bits in ("", 32, 64)
}

# Which back ends take which names. A box bounds only sums over coordinates; a ball needs the triangle inequality.
KD_TREE_METRICS = ["euclidean", "l2", "minkowski", "p", "manhattan", "cityblock", "l1", "chebyshev", "infinity"]
BALL_TREE_METRICS = [
    *KD_TREE_METRICS,
    "seuclidean",
    "mahalanobis",
    "hamming",
    "canberra",
    "jaccard",
    "rogerstanimoto",
    "russellrao",
    "sokalmichener",
    "sokalsneath",
    "haversine",
]
BRUTE_METRICS = sorted({*_CODES, *_MAPPED, *ALIASES, "yule", "precomputed"} - {"half_square"})
SPARSE_METRICS = ["cityblock", "cosine", "euclidean", "l1", "l2", "manhattan", "sqeuclidean"]
VALID_METRICS = {"kd_tree": KD_TREE_METRICS, "ball_tree": BALL_TREE_METRICS, "brute": BRUTE_METRICS}


@dataclass
class Metric:
    """A dissimilarity prepared for the search engines.

    Parameters
    ----------
    name : str
        Canonical name, "callable" for a function.
    code : int or None
        Code of the native policy; None for a Python function.
    power : float
        Power of the Minkowski metric.
    rows : callable or None
        ``rows(X, query)`` returns the rows on which the policy works.
    blocks : callable or None
        ``blocks(A, B)`` returns the matrix of dissimilarities, for a Python function.
    """

    name: str
    code: int | None = None
    power: float = 2.0
    rows: object = None
    blocks: object = None

    @property
    def boxes(self):
        """Whether a KD-tree supports it (after the map of the rows)."""
        return self.code in (0, 1, 2, 7, 16, 17) or (self.code == 3 and self.power >= 1)

    @property
    def balls(self):
        """Whether it satisfies the triangle inequality (after the map of the rows)."""
        return self.code in (0, 1, 2, 4, 5, 7, 11, 13, 14, 15) or (self.code == 3 and self.power >= 1)

    def map_rows(self, X, query=False):
        """The rows on which the native policy works, C-contiguous; computations are in double precision."""
        return X if self.rows is None else self.rows(np.asarray(X, dtype=np.float64, order="C"), query)


def _weighted(w, p):
    w = np.asarray(w, dtype=np.float64)
    if np.any(w < 0) or not np.all(np.isfinite(w)):
        raise ValueError("`w` must contain finite, non-negative weights.")
    return partial(_multiplied_rows, w ** (1.0 / p))


# The maps of the rows are functions of this module, bound to their parameters, so that a fitted model can be pickled.
def _multiplied_rows(scale, X, query):
    _same_length(X, len(scale), "w")
    return X * scale


def _divided_rows(scale, X, query):
    _same_length(X, len(scale), "V")
    return X / scale


def _mapped_rows(factor, name, X, query):
    _same_length(X, len(factor), name)
    Y = np.empty((X.shape[0], len(factor)))
    native.linear_map(X, factor, Y)
    return Y


def _unit_rows(centre, X, query):
    Y = np.empty((X.shape[0], X.shape[1] + 2))
    native.unit_rows(X, centre, int(query), Y)
    return Y


def _sphere_rows(X, query):
    if X.shape[1] != 2:
        raise ValueError("`metric`='haversine' requires two columns, latitude and longitude in radians.")
    Y = np.empty((X.shape[0], 3))
    native.sphere_rows(X, Y)
    return Y


def _probability_rows(name, X, query):
    if np.any(X < 0):
        raise ValueError(f"`metric`={name!r} compares probabilities, so X must not contain negative values.")
    sums = X.sum(axis=1, dtype=np.float64)
    off = np.abs(sums - 1.0) > 1e-4
    if np.any(off):
        at = int(np.argmax(off))
        raise ValueError(
            f"`metric`={name!r} compares probabilities, so each row must sum to 1, but row {at} sums to "
            f"{sums[at]:.6g}. Divide each row by its sum."
        )
    return X


def _same_length(X, length, name):
    if X.shape[1] != length:
        raise ValueError(f"`{name}` has {length} entries, but X has {X.shape[1]} columns.")


def _minkowski(p, w):
    if not p > 0:
        raise ValueError(f"`p` must be greater than 0, got {p!r}.")
    if p < _SMALLEST_POWER:
        raise ValueError(f"`p`={p!r} is too small: distances overflow; use at least {_SMALLEST_POWER}.")
    if p == np.inf:
        if w is not None and np.any(np.asarray(w) == 0):
            raise ValueError("`w` must be positive for p = inf.")
        return Metric("chebyshev", _CODES["chebyshev"])
    if p > _LARGEST_POWER:
        raise ValueError(
            f"`p`={p!r} is too large: powers of differences overflow or vanish; use at most {_LARGEST_POWER}, or p=inf."
        )
    name = {1: "manhattan", 2: "euclidean"}.get(p, "minkowski")
    return Metric(name, _CODES[name], float(p), rows=None if w is None else _weighted(w, p))


def _standardised(X, V):
    if V is None:
        V = np.var(X, axis=0, ddof=1, dtype=np.float64)
    V = np.asarray(V, dtype=np.float64).ravel()
    if np.any(V < 0) or not np.all(np.isfinite(V)):
        raise ValueError("`V` must contain the variances of the columns, which must be finite and non-negative.")
    # A constant column is the same everywhere and adds nothing.
    scale = np.sqrt(np.where(V == 0, 1.0, V))
    return Metric("seuclidean", _CODES["euclidean"], rows=partial(_divided_rows, scale))


def _mahalanobis(X, V, VI):
    """Euclidean distance after a map by a factor of the inverse covariance."""
    if V is not None and VI is not None:
        raise ValueError("`metric`='mahalanobis' accepts either V or VI, not both.")
    p = X.shape[1]
    if V is None and VI is None:
        if X.shape[0] < 2:
            raise ValueError(
                "`metric`='mahalanobis' without V or VI needs at least two rows to estimate the covariance matrix."
            )
        V = np.cov(X, rowvar=False, dtype=np.float64).reshape(p, p)
    matrix, name = (V, "V") if VI is None else (VI, "VI")
    matrix = np.atleast_2d(np.asarray(matrix, dtype=np.float64))
    if matrix.shape != (p, p):
        raise ValueError(f"`{name}` must have shape {(p, p)}, got {matrix.shape}.")
    values, vectors = linalg.eigh((matrix + matrix.T) / 2)
    floor = np.finfo(np.float64).eps * p * max(values[-1], 0.0)
    if VI is None and values[0] <= floor:
        raise ValueError(
            "The covariance matrix for `metric`='mahalanobis' is singular because some columns are constant or "
            "linear combinations of others. Drop them, or pass VI (for example a pseudo-inverse)."
        )
    if VI is not None and values[0] < -floor:
        raise ValueError("VI must be positive semi-definite for `metric`='mahalanobis' to define a distance.")
    factor = np.ascontiguousarray(vectors * (np.sqrt(np.maximum(values, 0.0)) if VI is not None else values**-0.5))
    return Metric("mahalanobis", _CODES["euclidean"], rows=partial(_mapped_rows, factor, name))


def _function(metric, params):
    """A Python function of two rows, evaluated pair by pair."""
    return Metric("callable", blocks=partial(_pair_by_pair, metric, params))


def _pair_by_pair(metric, params, A, B):
    dense = [_dense_rows(M) for M in (A, B)]
    D = np.array([[metric(a, b, **params) for b in dense[1]] for a in dense[0]], dtype=np.float64)
    return D.reshape(A.shape[0], B.shape[0])


def _yule(A, B):
    return cdist(A != 0, B != 0, metric="yule")


def _dense_rows(M):
    """The form in which a user's function receives each row: an array, or a one-row sparse matrix."""
    return M if not sparse.issparse(M) else [M[[i]] for i in range(M.shape[0])]


def resolve_metric(metric, X, *, p=2, metric_params=None):
    """The `Metric` for a name, a function or an object with ``pairwise``, for the rows to be searched.

    Parameters
    ----------
    metric : str, callable or object
        A name of `VALID_METRICS`, a function of two rows, or an object whose ``pairwise(A, B)`` returns the matrix of
        dissimilarities (scikit-learn's `DistanceMetric`, `MixedDistance`).
    X : ndarray of shape (n, p)
        Rows from which unspecified parameters are estimated (variances, covariance).
    p : float, default=2
        Power of the Minkowski metric; ``metric_params["p"]`` takes precedence.
    metric_params : dict or None, default=None
        ``V``, ``VI``, ``w``, ``p``, or the keywords of a function.
    """
    params = dict(metric_params or {})
    if hasattr(metric, "pairwise") and not isinstance(metric, (str, type)):
        if type(metric).__name__ not in _SKLEARN_OBJECTS:
            return Metric(type(metric).__name__, blocks=metric.pairwise)
        metric = _SKLEARN_OBJECTS[type(metric).__name__]
    if callable(metric):
        return _function(metric, params)
    if metric == "pyfunc":
        return _function(params.pop("func"), params)
    name = ALIASES.get(metric, metric)
    if name == "minkowski":
        power = params.pop("p", None)
        built = _minkowski(2 if power is None and p is None else p if power is None else power, params.pop("w", None))
    elif name == "seuclidean":
        built = _standardised(X, params.pop("V", None))
    elif name == "mahalanobis":
        built = _mahalanobis(X, params.pop("V", None), params.pop("VI", None))
    elif name in ("cosine", "correlation"):
        built = Metric(name, _CODES["half_square"], rows=partial(_unit_rows, name == "correlation"))
    elif name in ("kl", "jeffreys"):
        built = Metric(name, _CODES[name], rows=partial(_probability_rows, name))
    elif name == "haversine":
        built = Metric(name, _CODES[name], rows=_sphere_rows)
    elif name == "yule":
        built = Metric(name, blocks=_yule)
    elif name in _CODES and name != "half_square":
        built = Metric(name, _CODES[name])
    else:
        raise ValueError(
            f"Unknown metric {metric!r}. Valid metrics are {BRUTE_METRICS}, a function of two rows, or 'precomputed'."
        )
    params.pop("p", None)
    if params:
        raise ValueError(f"`metric`={metric!r} does not accept metric_params {sorted(params)}.")
    return built


def distance_block(metric, X, Y):
    """The matrix of a `Metric` between validated rows."""
    if metric.code is None:
        return metric.blocks(X, Y)
    D = np.empty((X.shape[0], Y.shape[0]))
    points = metric.map_rows(Y)
    queries = np.ascontiguousarray(metric.map_rows(X, query=True), dtype=np.float64)
    native.distance_matrix(native.pack_blocks(points), Y.shape[0], queries, metric.code, metric.power, D)
    return D


def pairwise_distances(X, Y=None, metric="euclidean", *, n_jobs=None, **kwds):
    """Distances between all rows of X and all rows of Y, tables of numbers, by the metrics of `statlearn.neighbors`."""
    if isinstance(metric, str) and metric == "precomputed":
        return check_array(X, dtype=FLOATS, ensure_non_negative=True, input_name="X")
    finite = "allow-nan" if isinstance(metric, str) and metric == "nan_euclidean" else True
    plain = callable(metric) or hasattr(metric, "pairwise")
    checks = dict(dtype=None if plain else FLOATS, order="C", accept_sparse="csr", ensure_all_finite=finite)
    X = check_array(X, **checks, input_name="X")
    Y = X if Y is None else check_array(Y, **checks, input_name="Y")
    if X.shape[1] != Y.shape[1]:
        raise ValueError(
            f"Incompatible dimension for X and Y matrices: X.shape[1] == {X.shape[1]} while Y.shape[1] == {Y.shape[1]}."
        )
    if (sparse.issparse(X) or sparse.issparse(Y)) and not plain:
        X, Y = (to_dense(M) for M in (X, Y))
    if not plain and X.dtype != Y.dtype:
        X, Y = X.astype(np.float64), Y.astype(np.float64)
    resolved = resolve_metric(metric, X if not plain else Y, metric_params=kwds)
    with jobs(n_jobs):
        D = distance_block(resolved, X, Y)
    if X is Y and resolved.code is not None and resolved.name in ("cosine", "correlation"):
        np.fill_diagonal(D, 0.0)  # a row without direction is at distance 1 from all others, not from itself
    return D


def warn_of_distances(X, metric):
    """Warn if a table of rows (dense, checked) looks like the matrix of their distances."""
    n = X.shape[0]
    if n < 3 or sparse.issparse(X) or X.shape != (n, n) or metric == "precomputed":
        return
    if X.dtype.kind not in "iuf" or np.diagonal(X).any() or X.min() < 0 or 2 * np.count_nonzero(X) < n * (n - 1):
        return
    if np.abs(X - X.T).max() <= 1e-8 * X.max():
        warn(
            f"X looks like distances: its {n} rows and columns are symmetric, with zeros on the diagonal. It is read "
            f"as a table of {n} columns; set metric='precomputed' if it contains distances.",
            AmbiguousInputWarning,
        )
