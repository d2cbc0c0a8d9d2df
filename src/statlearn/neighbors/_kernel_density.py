"""Kernel density estimation with search trees, and on the line."""

import numpy as np
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core import native
from statlearn._core.fitted_state import forget
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, check_weights, validate_columns
from statlearn._math.density.bandwidth import (
    CV_TOL,
    RULES,
    SMALLEST_BANDWIDTH,
    bandwidth_grid,
    check_unused_choice,
    chosen_bandwidth,
    likelihood_curve,
    rule_bandwidth,
)
from statlearn._math.density.kernels import KERNELS, canonical_ratio, kernel_radii, log_kernel_norm, log_kernel_values
from statlearn._math.distances.metrics import BALL_TREE_METRICS, KD_TREE_METRICS, pairwise_distances
from statlearn._math.distances.neighbor_index import build_index


class KernelDensity(BaseEstimator):
    r"""Kernel density estimation.

    .. math:: \hat f(x) = \frac{1}{\sum_i w_i} \sum_i w_i\, c_h\, K\!\left(\frac{d(x, x_i)}{h}\right)

    where c_h normalises each kernel to integrate to one (for Euclidean distance).

    Parameters
    ----------
    bandwidth : float or str, default=1.0
        Bandwidth h, the same in all directions, so scale the columns. ``"scott"`` and ``"silverman"`` are
        :math:`n^{-1/(p+4)}` and :math:`(n (p + 2) / 4)^{-1/(p+4)}`, suited to columns of variance 1; n is the sum of
        the weights. ``"cv"`` maximises the cross-validated likelihood. For a single column, R's rules ``"nrd0"``,
        ``"nrd"``, ``"ucv"``, ``"bcv"``, ``"sheather_jones"`` and ``"sheather_jones_dpi"`` (short ``"sj"`` and
        ``"sj_dpi"``; see :func:`select_density_bandwidth`) are available. They are made for the Gaussian kernel; for
        other kernels the equivalent bandwidth is used.
    algorithm : {"auto", "kd_tree", "ball_tree", "cells"}, default="auto"
        The search tree, or "cells" for sums over cells of the line, which "auto" uses for a single column. Metrics that
        cannot be bounded over boxes are summed over all rows.
    kernel : {"gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"}, default="gaussian"
        :math:`e^{-u^2/2}`, 1, :math:`1-u^2`, :math:`e^{-u}`, :math:`1-u`, :math:`\cos(\pi u/2)`; all except the
        Gaussian and the exponential vanish for :math:`u \ge 1`.
    metric : str, default="euclidean"
        A metric supported by the trees. The estimate integrates to one for Euclidean distance only.
    atol : float, default=0
        Absolute error allowed in the density.
    rtol : float, default=0
        Relative error allowed in the density; 0 means exact up to rounding.
    breadth_first : bool, default=True
        Accepted for compatibility with scikit-learn; nodes are visited nearest first.
    leaf_size : int, default=40
    metric_params : dict or None, default=None
    bandwidths : array-like or None, default=None
        Candidates, only with ``bandwidth="cv"``; None tries 25 values around the optimum for a normal density.
    cv : int, splitter, iterable or None, default=None
        Folds, only with ``bandwidth="cv"``; None means five. An integer gives shuffled folds that are the same on every
        call.

    Attributes
    ----------
    bandwidth_ : float
        The bandwidth h.
    cv_curve_ : CVCurve
        Minus the mean log density of held-out rows for each bandwidth, the largest first. Only with
        ``bandwidth="cv"``.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if X has column names that are all strings.

    See Also
    --------
    LocalOutlierFactor : density relative to that of the neighbours.
    statlearn.smooth.KernelDensityClassifier : classification by class densities.

    Notes
    -----
    The tree bounds the kernel over whole boxes of rows. A box with nearly equal bounds is treated as a single point of
    its total weight, within the allowed error, and a box with negligible contribution is skipped. Even exact results
    skip contributions too small to change a digit, so a Gaussian estimate uses only rows within about eight bandwidths.

    On the line, rows are sorted once and divided into cells whose width is a fraction of the bandwidth. A cell within
    reach of a query contributes through a few sums over its points: moments for the polynomial kernels, sines and
    cosines, the Taylor series of :math:`e^{td}` for the Gaussian, cumulative sums for the exponential. Unlike
    interpolation from a grid after a Fourier transform, this is exact up to rounding, even in the tails, and equally
    fast: linear in the number of rows, with a fraction of a microsecond per query.

    Log densities are accurate even if the density itself underflows; they are minus infinity only where all kernels of
    bounded support are 0. In more than a few dimensions a useful estimate needs very many rows. The cross-validated
    likelihood is sensitive to outliers and ties: with heavy tails it oversmooths, on rounded data it undersmooths.

    References
    ----------
    Gray, A. G. & Moore, A. W. (2003). Nonparametric density estimation: toward computational tractability. SIAM Data
    Mining.

    Greengard, L. & Strain, J. (1991). The fast Gauss transform. SIAM Journal on Scientific and Statistical Computing
    12, 79-94.

    Marron, J. S. & Nolan, D. (1988). Canonical kernels for density estimation. Statistics & Probability Letters 7,
    195-199.

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
        "bandwidth": [Real(0, None, closed="neither"), Options("scott", "silverman", "cv", *RULES)],
        "algorithm": [Options("auto", "kd_tree", "ball_tree", "cells")],
        "kernel": [Options(*KERNELS)],
        "metric": [Options(*BALL_TREE_METRICS)],
        "atol": [Real(0, None)],
        "rtol": [Real(0, None)],
        "breadth_first": ["boolean"],
        "leaf_size": [Int(1, None)],
        "metric_params": [Instance(dict), None],
        "bandwidths": ["array-like", None],
        "cv": ["cv"],
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
        bandwidths=None,
        cv=None,
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
        self.bandwidths = bandwidths
        self.cv = cv

    def fit(self, X, y=None, sample_weight=None):
        """Store the rows in a search tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : None, default=None
            Ignored.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row. A common factor affects only the bandwidths chosen by a
            rule.

        Returns
        -------
        self
        """
        check_params(self)
        if self.algorithm == "kd_tree" and self.metric not in KD_TREE_METRICS:
            raise ValueError(f"invalid metric for KDTree: '{self.metric}'.")
        check_unused_choice(self)
        X = validate_columns(self, X, order="C", dtype=FLOATS)
        if self.algorithm == "cells" and not self._on_line(X):
            raise ValueError(
                "`algorithm`='cells' requires a single column and a KD-tree metric without "
                "parameters; use `algorithm`='auto'."
            )
        weights = check_weights(sample_weight, X)
        if weights is not None and not np.all(weights > 0):
            rows = np.flatnonzero(weights)
            X, weights = X[rows], weights[rows]
        self._fit_X = X
        self._weights = None if weights is None else weights.astype(np.float64)
        self.bandwidth_ = self._choose_bandwidth()
        if self.bandwidth_ < SMALLEST_BANDWIDTH and not self._on_line(X):
            raise ValueError(
                f"`bandwidth`={self.bandwidth_} is too small: its square cannot be represented. Use at least "
                f"{SMALLEST_BANDWIDTH}."
            )
        self._built = self._build()
        return self

    @property
    def _total(self):
        return len(self._fit_X) if self._weights is None else float(self._weights.sum())

    def _on_line(self, X):
        """Whether distances are those of numbers: all metrics of the KD-tree agree on one column."""
        return X.shape[1] == 1 and self.metric in KD_TREE_METRICS and not self.metric_params

    def _choose_bandwidth(self):
        n, d = self._total, self._fit_X.shape[1]
        forget(self, "cv_curve_")
        if self.bandwidth == "scott":
            return float(n ** (-1 / (d + 4)))
        if self.bandwidth == "silverman":
            return float((n * (d + 2) / 4) ** (-1 / (d + 4)))
        if self.bandwidth == "cv":
            return self._cross_validate()
        if self.bandwidth in RULES:
            if not self._on_line(self._fit_X):
                raise ValueError(
                    f"`bandwidth`={self.bandwidth!r} is a rule for a single column, but X has {d}; use 'cv', or "
                    "'scott' on scaled columns."
                )
            x = np.asarray(self._fit_X[:, 0], dtype=np.float64)
            return float(rule_bandwidth(x, self._weights, self.bandwidth)) * canonical_ratio(self.kernel)
        return self.bandwidth

    def _cross_validate(self):
        X, weights = self._fit_X, self._weights
        if self.bandwidths is None:
            values = bandwidth_grid(X, weights, self.kernel)
        else:
            values = np.unique(np.asarray(self.bandwidths, dtype=np.float64))[::-1]
            if values.ndim != 1 or not len(values) or not np.all(np.isfinite(values) & (values > 0)):
                raise ValueError(f"`bandwidths` must be positive numbers, got {self.bandwidths!r}.")
        rough = {"rtol": max(self.rtol, CV_TOL)}
        make = lambda h: clone(self).set_params(bandwidth=h, bandwidths=None, cv=None, **rough)  # noqa: E731
        self.cv_curve_ = likelihood_curve(make, X, weights, values, self.cv)
        return chosen_bandwidth(self.cv_curve_)

    def _build(self):
        """Rows prepared for queries: sorted on the line, otherwise a tree with weights by place; None without rows."""
        if self.metric not in KD_TREE_METRICS:
            return None
        if self.algorithm in ("auto", "cells") and self._on_line(self._fit_X):
            return self._build_line()
        index = build_index(
            self._fit_X, self.metric, metric_params=self.metric_params, algorithm="kd_tree", leaf_size=self.leaf_size
        )
        ordered = None if self._weights is None else np.ascontiguousarray(self._weights[index._arrays[0]])
        return index, ordered

    def _build_line(self):
        x = self._fit_X[:, 0].astype(np.float64)
        if self._weights is None:
            x.sort()
            return "line", x, np.empty(0)
        order = np.argsort(x, kind="stable")
        return "line", x[order], self._weights[order]

    def __getstate__(self):
        state = super().__getstate__().copy()
        state.pop("_built", None)  # built again from the rows
        return state

    def score_samples(self, X):
        """Log density at each row.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)

        Returns
        -------
        ndarray of shape (n_queries,)
        """
        check_is_fitted(self)
        return self._log_density(validate_columns(self, X, order="C", dtype=FLOATS, reset=False))

    def _log_density(self, X):
        if "_built" not in self.__dict__:
            self._built = self._build()
        log_norm = log_kernel_norm(self.kernel, self.bandwidth_, X.shape[1])
        # The tree sums bumps of height one: the allowed error is measured in their units.
        atol = self.atol * np.exp(-log_norm) if self.atol else 0.0
        if self._built is None:
            sums = self._sums_of_all(X)
        elif self._built[0] == "line":
            sums = self._sums_on_line(X)
        else:
            sums = self._sums_on_tree(X, atol)
        return sums - np.log(self._total) + log_norm

    def _sums_on_line(self, X):
        _, x, weights = self._built
        sums, queries = np.empty(len(X)), np.ascontiguousarray(X[:, 0], dtype=np.float64)
        kernel = KERNELS.index(self.kernel)
        native.neighbors.line_density(x, weights, queries, kernel, float(self.bandwidth_), float(self.rtol), sums)
        return sums

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
            terms = log_kernel_values(self.kernel, D / self.bandwidth_)
            sums[start : start + size] = logsumexp(terms, axis=1, b=self._weights)
        return sums

    def score(self, X, y=None):
        """Sum of the log densities of the rows.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
        y : None, default=None
            Ignored.

        Returns
        -------
        float
        """
        return np.sum(self.score_samples(X))

    def sample(self, n_samples=1, random_state=None):
        """Random rows drawn from the estimate, for Euclidean distance.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, RandomState or None, default=None

        Returns
        -------
        ndarray of shape (n_samples, n_features)

        Notes
        -----
        A training row is drawn with probability proportional to its weight, then moved in a random direction by a
        distance that follows the kernel. scikit-learn supports only the Gaussian and tophat kernels here.
        """
        check_is_fitted(self)
        euclidean = ("euclidean", "l2", "minkowski", "p", "mahalanobis", "seuclidean")
        if self.metric not in euclidean and not self._on_line(self._fit_X):
            raise ValueError(f"`sample` draws Euclidean steps and does not support `metric`={self.metric!r}.")
        if self.metric in ("mahalanobis", "seuclidean") or self.metric_params:
            raise NotImplementedError(
                "`sample` supports Euclidean distances without `metric_params` only; scale "
                "the columns before fitting instead."
            )
        rng = check_random_state(random_state)
        weights = np.ones(len(self._fit_X)) if self._weights is None else self._weights
        reached = np.cumsum(weights)
        place = np.searchsorted(reached, rng.uniform(0, 1, size=n_samples) * reached[-1], side="right")
        centres = self._fit_X[np.minimum(place, len(reached) - 1)].astype(np.float64)
        if self.kernel == "gaussian":
            return rng.normal(centres, self.bandwidth_)
        steps = rng.normal(size=centres.shape)
        length = np.linalg.norm(steps, axis=1)
        radius = kernel_radii(self.kernel, length, centres.shape[1], rng)
        return centres + steps * (radius * self.bandwidth_ / length)[:, None]

    def plot(self, ax=None, *, grid_size=None):
        """Plot of the estimate: a curve for one column, contours for two.

        Parameters
        ----------
        ax : matplotlib axes or None, default=None
        grid_size : int or None, default=None
            Number of points per axis; None means 512 for one column and 80 for two.

        Returns
        -------
        matplotlib axes
        """
        from ._density_plot import plot_density

        check_is_fitted(self)
        return plot_density(self, ax, grid_size)
