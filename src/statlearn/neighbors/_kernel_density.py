"""Kernel density estimates on search trees."""

import numpy as np
from scipy.special import gammainc, gammaln, logsumexp, roots_legendre
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from statlearn._core import native
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, check_weights

from ._metrics import BALL_TREE_METRICS, KD_TREE_METRICS, pairwise_distances
from ._search import build_index

KERNELS = ("gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine")  # as in kernel_density.hpp


def _log_ball(d):
    """Logarithm of the volume of the unit ball in d dimensions."""
    return 0.5 * d * np.log(np.pi) - gammaln(0.5 * d + 1)


def log_kernel_norm(kernel, bandwidth, d):
    """Logarithm of the constant that makes a kernel a density in d dimensions, for Euclid's distance."""
    log_shell = np.log(d) + _log_ball(d)  # surface of the unit sphere
    if kernel == "gaussian":
        volume = 0.5 * d * np.log(2 * np.pi)
    elif kernel == "tophat":
        volume = _log_ball(d)
    elif kernel == "epanechnikov":
        volume = _log_ball(d) + np.log(2 / (d + 2))
    elif kernel == "exponential":
        volume = log_shell + gammaln(d)
    elif kernel == "linear":
        volume = _log_ball(d) - np.log(d + 1)
    else:  # r^(d-1) cos(pi r / 2) is smooth: Gauss's rule is exact to rounding where the closed sum would cancel
        nodes, weights = roots_legendre(d // 2 + 32)
        r = 0.5 * (nodes + 1)
        volume = log_shell + logsumexp((d - 1) * np.log(r) + np.log(np.cos(0.5 * np.pi * r)), b=0.5 * weights)
    return -volume - d * np.log(bandwidth)


def _log_values(kernel, u):
    """Logarithm of the kernel, without its constant, at distances u in bandwidths."""
    inside = u < 1
    with np.errstate(divide="ignore"):
        if kernel == "gaussian":
            return -0.5 * u**2
        if kernel == "exponential":
            return -u
        if kernel == "tophat":
            return np.log(inside.astype(np.float64))
        if kernel == "epanechnikov":
            return np.log(np.where(inside, 1 - u**2, 0.0))
        if kernel == "linear":
            return np.log(np.where(inside, 1 - u, 0.0))
        return np.log(np.where(inside, np.cos(0.5 * np.pi * u), 0.0))


class KernelDensity(BaseEstimator):
    r"""Kernel density estimate.

    .. math:: \hat f(x) = \frac{1}{\sum_i w_i} \sum_i w_i\, c_h\, K\!\left(\frac{d(x, x_i)}{h}\right)

    with c_h such that each bump integrates to one (for Euclid's distance).

    Parameters
    ----------
    bandwidth : float or {"scott", "silverman"}, default=1.0
        h, the same in all directions: scale the columns. The names are :math:`n^{-1/(p+4)}` and
        :math:`(n (p + 2) / 4)^{-1/(p+4)}`, right for columns of variance 1; n is the sum of the weights.
    algorithm : {"auto", "kd_tree", "ball_tree"}, default="auto"
        The tree. Metrics that a box cannot bound are summed over all rows.
    kernel : {"gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"}, default="gaussian"
        :math:`e^{-u^2/2}`, 1, :math:`1-u^2`, :math:`e^{-u}`, :math:`1-u`, :math:`\cos(\pi u/2)`; all but the
        exponentials vanish for :math:`u \ge 1`.
    metric : str, default="euclidean"
        A metric of the trees. The estimate integrates to one for Euclid's distance only.
    atol : float, default=0
        Error allowed in the density.
    rtol : float, default=0
        Error allowed in the density, as a share of it. 0 means exact to rounding.
    breadth_first : bool, default=True
        Accepted for scikit-learn's sake: nodes are visited nearest first.
    leaf_size : int, default=40
    metric_params : dict or None

    Attributes
    ----------
    bandwidth_ : float
        h as used.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Present when the table has column names.

    See Also
    --------
    LocalOutlierFactor : density relative to that of the neighbours.

    Notes
    -----
    A tree gives bounds on the kernel over whole boxes of rows: a box with nearly equal bounds counts as one point of
    its weight, within the allowed error, and a box that cannot matter is not looked at. Exact answers still leave out
    what would not change a digit, so that a Gaussian estimate takes the rows within about eight bandwidths. Logarithms
    are right even where the density itself is too small for a number. In more than a few dimensions the estimate needs
    very many rows. Choose the bandwidth by cross-validated likelihood: ``GridSearchCV`` with this class's ``score``.

    References
    ----------
    Gray, A. G. & Moore, A. W. (2003). Nonparametric density estimation: toward computational tractability. SIAM Data
    Mining.

    Silverman, B. W. (1986). Density Estimation for Statistics and Data Analysis. Chapman & Hall.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.neighbors import KernelDensity
    >>> model = KernelDensity(kernel="tophat", bandwidth=1.0).fit([[0.0], [0.5], [5.0]])
    >>> np.exp(model.score_samples([[0.2], [5.1], [9.0]])).round(4)
    array([0.3333, 0.1667, 0.    ])
    """

    _constraints = {
        "bandwidth": [Real(0, None, closed="neither"), Options("scott", "silverman")],
        "algorithm": [Options("auto", "kd_tree", "ball_tree")],
        "kernel": [Options(*KERNELS)],
        "metric": [Options(*BALL_TREE_METRICS)],
        "atol": [Real(0, None)],
        "rtol": [Real(0, None)],
        "breadth_first": ["boolean"],
        "leaf_size": [Int(1, None)],
        "metric_params": [Instance(dict), None],
    }

    def __init__(
        self,
        *,
        bandwidth=1.0,
        algorithm="auto",
        kernel="gaussian",
        metric="euclidean",
        atol=0,
        rtol=0,
        breadth_first=True,
        leaf_size=40,
        metric_params=None,
    ):
        self.bandwidth = bandwidth
        self.algorithm = algorithm
        self.kernel = kernel
        self.metric = metric
        self.atol = atol
        self.rtol = rtol
        self.breadth_first = breadth_first
        self.leaf_size = leaf_size
        self.metric_params = metric_params

    def fit(self, X, y=None, sample_weight=None):
        """Keep the rows in a tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,) or None
            Weight k counts as k copies of the row; a common factor changes nothing but the named bandwidths.

        Returns
        -------
        self
        """
        check_params(self)
        if self.algorithm == "kd_tree" and self.metric not in KD_TREE_METRICS:
            raise ValueError(f"invalid metric for KDTree: '{self.metric}'")
        X = validate_data(self, X, order="C", dtype=FLOATS)
        weights = check_weights(sample_weight, X)
        if weights is not None and not np.all(weights > 0):
            rows = np.flatnonzero(weights)
            X, weights = X[rows], weights[rows]
        self._fit_X = X
        self._weights = None if weights is None else weights.astype(np.float64)
        n, d = self._total, X.shape[1]
        if self.bandwidth == "scott":
            self.bandwidth_ = float(n ** (-1 / (d + 4)))
        elif self.bandwidth == "silverman":
            self.bandwidth_ = float((n * (d + 2) / 4) ** (-1 / (d + 4)))
        else:
            self.bandwidth_ = self.bandwidth
        self._built = self._build()
        return self

    @property
    def _total(self):
        return len(self._fit_X) if self._weights is None else float(self._weights.sum())

    def _build(self):
        """The tree and its weights in the order of its places; None where all rows are summed."""
        if self.metric not in KD_TREE_METRICS:
            return None
        index = build_index(
            self._fit_X, self.metric, metric_params=self.metric_params, algorithm="kd_tree", leaf_size=self.leaf_size
        )
        ordered = None if self._weights is None else np.ascontiguousarray(self._weights[index._arrays[0]])
        return index, ordered

    def __getstate__(self):
        state = super().__getstate__().copy()
        state.pop("_built", None)  # built again from the rows
        return state

    def score_samples(self, X):
        """Logarithm of the density at each row.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)

        Returns
        -------
        ndarray of shape (n_queries,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, order="C", dtype=FLOATS, reset=False)
        if "_built" not in self.__dict__:
            self._built = self._build()
        log_norm = log_kernel_norm(self.kernel, self.bandwidth_, X.shape[1])
        # The tree sums bumps of height one: the allowed error is measured in their units.
        atol = self.atol * np.exp(-log_norm) if self.atol else 0.0
        sums = self._sums_of_all(X) if self._built is None else self._sums_on_tree(X, atol)
        return sums - np.log(self._total) + log_norm

    def _sums_on_tree(self, X, atol):
        index, weights = self._built
        metric = index.metric
        sums = np.empty(len(X))
        Q = np.ascontiguousarray(metric.map_rows(X, query=True), dtype=np.float64)
        native.neighbors.kernel_density(
            *index._arrays,
            index.leaf,
            Q,
            weights,
            metric.code,
            metric.power,
            KERNELS.index(self.kernel),
            float(self.bandwidth_),
            float(atol),
            float(self.rtol),
            sums,
        )
        return sums

    def _sums_of_all(self, X):
        sums = np.empty(len(X))
        size = max(1, (1 << 24) // len(self._fit_X))
        for start in range(0, len(X), size):
            block = X[start : start + size].astype(self._fit_X.dtype, copy=False)
            D = pairwise_distances(block, self._fit_X, metric=self.metric, **(self.metric_params or {}))
            terms = _log_values(self.kernel, D / self.bandwidth_)
            sums[start : start + size] = logsumexp(terms, axis=1, b=self._weights)
        return sums

    def score(self, X, y=None):
        """Sum of the logarithms of the density at the rows.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
        y : None
            Ignored.

        Returns
        -------
        float
        """
        return np.sum(self.score_samples(X))

    def sample(self, n_samples=1, random_state=None):
        """Draw rows from the estimate, for Euclid's distance.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, RandomState or None

        Returns
        -------
        ndarray of shape (n_samples, n_features)

        Notes
        -----
        A training row is drawn by its weight, and a step from it in a random direction whose length follows the kernel.
        scikit-learn draws from the Gaussian and the tophat kernel only.
        """
        check_is_fitted(self)
        if self.metric not in ("euclidean", "l2", "minkowski", "p", "mahalanobis", "seuclidean"):
            raise ValueError(f"sample draws steps of Euclid's length, which metric={self.metric!r} does not measure")
        if self.metric in ("mahalanobis", "seuclidean") or self.metric_params:
            raise NotImplementedError("sample knows plain Euclidean distances only: scale the columns before fitting")
        rng = check_random_state(random_state)
        weights = np.ones(len(self._fit_X)) if self._weights is None else self._weights
        reached = np.cumsum(weights)
        place = np.searchsorted(reached, rng.uniform(0, 1, size=n_samples) * reached[-1], side="right")
        centres = self._fit_X[np.minimum(place, len(reached) - 1)].astype(np.float64)
        if self.kernel == "gaussian":
            return rng.normal(centres, self.bandwidth_)
        steps = rng.normal(size=centres.shape)
        length = np.linalg.norm(steps, axis=1)
        radius = _radii(self.kernel, length, centres.shape[1], rng)
        return centres + steps * (radius * self.bandwidth_ / length)[:, None]


def _radii(kernel, length, d, rng):
    """Lengths of steps in bandwidths, with density proportional to r^(d-1) K(r)."""
    n = len(length)
    if kernel == "tophat":  # the length of a normal vector, made uniform by its own distribution
        return gammainc(0.5 * d, 0.5 * length**2) ** (1.0 / d)
    if kernel == "exponential":
        return rng.gamma(d, size=n)
    if kernel == "epanechnikov":
        return np.sqrt(rng.beta(0.5 * d, 2.0, size=n))
    if kernel == "linear":
        return rng.beta(d, 2.0, size=n)
    out = np.empty(0)
    while len(out) < n:  # cos(pi r / 2) is at most (pi / 2) (1 - r): two thirds of the linear kernel's draws are kept
        r = rng.beta(d, 2.0, size=2 * n)
        kept = rng.uniform(size=2 * n) * 0.5 * np.pi * (1 - r) <= np.cos(0.5 * np.pi * r)
        out = np.concatenate([out, r[kept]])
    return out[:n]
