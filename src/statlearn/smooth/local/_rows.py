"""Shared part of all local fits: the training rows and the neighbourhood of a query."""

import numpy as np
from sklearn.base import BaseEstimator

from statlearn._core.params import Int, Options, Real
from statlearn._core.validation import check_array

from ._kernel_profile import PROFILES, kernel_profile

NONE = np.empty(0)
_MOST_ROWS = 2**31 - 1  # the kernels count nearest rows by weight, in 32 bits


class LocalRows(BaseEstimator):
    """Stores the rows and finds the neighbourhood of a query; a subclass fits something to it."""

    _constraints = {
        "bandwidth": [Real(0, None, closed="right"), "callable", None],
        "n_neighbors": [Int(1, None), None],
        "kernel": [Options(*PROFILES)],
        "gaussian_scale": [Options("standard", "variance", "no_half")],
        "A": ["array-like", None],
    }

    span = None  # a fraction of the rows instead of n_neighbors, if a subclass supports it

    def _degree(self):
        return 0

    def _default_neighbors(self, limit):
        """Number of neighbours if neither it nor a bandwidth is given."""
        return min(30, limit)

    def _keep(self, X, y, weights):
        """Store the rows; the local fits are computed at prediction."""
        if sum(v is not None for v in (self.bandwidth, self.n_neighbors, self.span)) > 1:
            names = "bandwidth or n_neighbors" if "span" not in self._constraints else "bandwidth, n_neighbors or span"
            raise ValueError(f"Give {names}, not both.")
        self._distance_root = self._metric_root(X.shape[1])
        # One column is kept in order, so that a window is found by bisection.
        order = np.argsort(X[:, 0], kind="stable") if X.shape[1] == 1 else np.arange(len(X))
        self._row_order = order
        self.X_train_ = np.ascontiguousarray(X[order], dtype=np.float64)
        self.y_train_ = np.ascontiguousarray(y[order], dtype=np.float64)
        self._row_weights = None if weights is None else np.ascontiguousarray(weights[order], dtype=np.float64)
        self._total_weight = float(len(y) if weights is None else weights.sum())

    def _metric_root(self, p):
        """B with (x - x0)'A(x - x0) = |B'(x - x0)|^2."""
        if self.A is None:
            return None
        A = check_array(self.A, dtype=np.float64, input_name="A")
        if A.shape != (p, p) or not np.allclose(A, A.T):
            raise ValueError(f"`A` must be a symmetric matrix of shape ({p}, {p}).")
        values, vectors = np.linalg.eigh(A)
        if values[0] < -1e-10 * max(values[-1], 0.0) or values[-1] <= 0:
            raise ValueError("`A` must be positive semi-definite and not zero.")
        if p == 1:
            return np.sqrt(values)[:, None]  # positive, which keeps the order of the rows
        positive = values > 1e-14 * values[-1]
        return vectors[:, positive] * np.sqrt(values[positive])

    def _space(self, X):
        """Rows in coordinates in which distances are Euclidean."""
        return X if self._distance_root is None else np.ascontiguousarray(X @ self._distance_root)

    def _bandwidths(self, X):
        """Bandwidths on the scale of distances, one per query."""
        if callable(self.bandwidth):
            h = np.ascontiguousarray(self.bandwidth(X), dtype=np.float64).reshape(-1)
            if h.shape != (len(X),) or not np.all(h > 0):
                raise ValueError("`bandwidth`: the function must return a positive number for each row of X.")
        else:
            h = np.full(len(X), float(self.bandwidth))
        return np.sqrt(h) if self.kernel == "gaussian" and self.gaussian_scale == "variance" else h

    def _neighbors(self):
        """Number of nearest rows that define the bandwidth; 0 if the bandwidth is set."""
        if self.bandwidth is not None:
            return 0
        if self._total_weight > _MOST_ROWS:
            raise ValueError(
                f"sample_weight has the sum {self._total_weight:.3g}; nearest rows are counted by weight, up to "
                f"{_MOST_ROWS:,}. Scale the weights, or set `bandwidth`."
            )
        limit = int(np.floor(self._total_weight + 1e-9))
        if self.n_neighbors is not None and self.n_neighbors > limit:
            raise ValueError(
                f"`n_neighbors`={self.n_neighbors} exceeds the {limit} training rows; use at most {limit}."
            )
        if self.n_neighbors is not None:
            return self.n_neighbors
        if self.span is not None:
            return max(1, int(np.floor(self.span * self._total_weight + 1e-9)))
        return max(1, self._default_neighbors(limit))

    def _exponent(self):
        """Exponent of the Gaussian profile exp(-exponent t^2)."""
        return 1.0 if self.gaussian_scale == "no_half" else 0.5

    def _arguments(self, X):
        """Rows, queries and settings in the argument order of the native kernels."""
        neighbors = self._neighbors()
        return (
            self.X_train_,
            self._space(self.X_train_),
            self.y_train_,
            NONE if self._row_weights is None else self._row_weights,
            X,
            self._space(X),
            self._bandwidths(X) if neighbors == 0 else NONE,
            PROFILES.index(self.kernel),
            self._degree(),
            self._exponent(),
            neighbors,
        )

    # The same in Python, for fits that are not native ----------------------------------------------------------------

    def _windows(self, X, *, leave_out=False):
        """Polynomial functions of the rows around each query, and their weights."""
        Z, at = self._space(self.X_train_), self._space(X)
        w = np.ones(len(Z)) if self._row_weights is None else self._row_weights
        neighbors = self._neighbors()
        bandwidths = self._bandwidths(X) if neighbors == 0 else None
        for q in range(len(X)):
            distance = np.linalg.norm(Z - at[q], axis=1)
            h = _kth_distance(distance, w, neighbors) if bandwidths is None else bandwidths[q]
            weights = self._profile(distance, h) * w
            if not np.any(weights > 0):
                if callable(self.kernel):
                    raise ValueError(
                        f"`kernel`: the function gives weight 0 to all training rows for row {q} of X; use a larger "
                        "bandwidth."
                    )
                weights = np.where(distance == distance[w > 0].min(), w, 0.0)
            if leave_out:
                weights[q] *= max(0.0, w[q] - 1.0) / w[q]
            scale = 1.0 / h if 0 < h < np.inf else 1.0
            yield _functions((self.X_train_ - X[q]) * scale, self._degree()), weights

    def _profile(self, distance, h):
        t = distance / h if h > 0 else np.where(distance > 0, np.inf, 0.0)
        if self.kernel == "gaussian":
            return np.exp(-self._exponent() * t**2)
        return kernel_profile(t, self.kernel)


def _kth_distance(distance, weights, k):
    """Distance to the nearest rows whose weights sum to k."""
    order = np.argsort(distance, kind="stable")
    reached = np.cumsum(weights[order])
    return distance[order[min(np.searchsorted(reached, k * (1 - 1e-12)), len(order) - 1)]]


def _functions(offsets, degree):
    """Polynomial functions: 1, offsets, products of offsets."""
    columns = [np.ones((len(offsets), 1))]
    if degree >= 1:
        columns.append(offsets)
    if degree >= 2:
        p = offsets.shape[1]
        columns += [offsets[:, [j]] * offsets[:, [k]] for j in range(p) for k in range(j, p)]
    return np.hstack(columns)
