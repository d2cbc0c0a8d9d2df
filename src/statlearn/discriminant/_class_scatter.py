"""The additive statistic of Gaussian classes: weights, means and scatters about the means.

Everything in this family that is fitted by moments comes from it: linear, quadratic, diagonal and regularised
discriminants, streams of blocks, the training parts of all folds from one pass over the rows, and scatter matrices.
"""

import itertools

import numpy as np
from sklearn.utils.validation import check_array

from statlearn._core import native
from statlearn._core.memory import require_memory
from statlearn._core.validation import FLOATS, check_same_length, check_weights, encode_classes, naming
from statlearn._math.rows.site_statistics import SiteStatistics, column_names, require_classes
from statlearn._math.rows.statistics import NATIVE_WIDTH, divide_the_rows


def _sorted_by_group(codes, n_groups, keep):
    """Rows listed group by group, and where each group starts; `keep` masks the rows that take part (None: all)."""
    rows = None
    if keep is not None:
        rows = np.flatnonzero(keep)
        codes = codes[rows]
    small = codes.astype(np.uint16) if n_groups < 2**16 else codes  # numpy sorts 16 bits in linear time
    order = np.argsort(small, kind="stable")
    starts = np.zeros(n_groups + 1, dtype=np.intp)
    np.cumsum(np.bincount(codes, minlength=n_groups), out=starts[1:])
    return (order if rows is None else rows[order]).astype(np.intp, copy=False), starts


def _rough_centres(X, order, starts):
    """Mean of up to 64 rows of each group: a point near its middle."""
    centres = np.zeros((len(starts) - 1, X.shape[1]))
    for g, (first, last) in enumerate(itertools.pairwise(starts)):
        if last > first:
            rows = order[first : last : max(1, (last - first) // 64)]
            centres[g] = X[rows].mean(axis=0, dtype=np.float64)
    return centres


class ClassScatter:
    """Weights, means and scatters of classes, from one pass over a block of rows.

    Parameters
    ----------
    counts : ndarray of shape (k,)
        Sum of the weights of each class.
    means : ndarray of shape (k, p)
        Class means; zero for a class without rows.
    scatter : ndarray of shape (k, p, p) or (1, p, p)
        Sums of ``w (x - mean)(x - mean)'`` of each class, or pooled over the classes.
    """

    def __init__(self, counts, means, scatter):
        self.counts, self.means, self.scatter = counts, means, scatter

    @classmethod
    def from_block(cls, X, codes, weights=None, *, n_classes, pooled=False):
        """One pass over the rows of X.

        Parameters
        ----------
        X : ndarray of shape (n, p), float32 or float64
        codes : ndarray of int of shape (n,)
            Class of each row, in 0 .. n_classes - 1.
        weights : ndarray of shape (n,) or None, default=None
        n_classes : int
        pooled : bool, default=False
            Whether one scatter is kept for all classes, which saves memory if there are many.
        """
        p = X.shape[1]
        n_matrices = 1 if pooled else n_classes
        require_memory(
            16 * n_matrices * p * p, f"{n_matrices} matrices of {p:,} x {p:,}", "Use fewer columns or a diagonal model."
        )
        keep = None if weights is None or np.all(weights > 0) else weights > 0
        order, starts = _sorted_by_group(codes, n_classes, keep)
        counts = np.diff(starts).astype(np.float64)
        if weights is not None:
            counts = np.bincount(codes, weights=weights, minlength=n_classes).astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):  # callers look at the result
            shift = _rough_centres(X, order, starts)
            sums, scatter = np.empty((n_classes, p)), np.empty((n_matrices, p, p))
            if p <= NATIVE_WIDTH:
                if not (X.flags.c_contiguous or X.flags.f_contiguous):
                    X = np.ascontiguousarray(X)
                w = None if weights is None else np.ascontiguousarray(weights, dtype=X.dtype)
                native.discriminant.group_scatter(X, order, starts, w, shift, sums, scatter)
            else:
                _fill_by_blas(X, order, starts, weights, shift, sums, scatter)
            part = sums / np.where(counts > 0, counts, 1.0)[:, None]
            if pooled:
                scatter[0] -= part.T @ sums
            else:
                scatter -= part[:, :, None] * sums[:, None, :]
            return cls(counts, shift + part, scatter)

    @classmethod
    def without_scatter(cls, X, codes, weights, counts):
        """Weights and means only, for rows that are fewer than the columns."""
        w = np.ones(len(X)) if weights is None else weights.astype(np.float64)
        means = np.zeros((len(counts), X.shape[1]))
        for k in range(len(counts)):
            rows = np.flatnonzero(codes == k)
            means[k] = np.average(X[rows].astype(np.float64), axis=0, weights=w[rows])
        return cls(counts, means, np.zeros((1, 0, 0)))

    def merge(self, other):
        """The statistic of both blocks together."""
        if self.scatter.shape != other.scatter.shape or self.means.shape != other.means.shape:
            raise ValueError("Blocks with different columns or classes cannot be merged.")
        counts = self.counts + other.counts
        share = np.divide(other.counts, counts, out=np.zeros_like(counts), where=counts > 0)
        gap = other.means - self.means
        scatter = self.scatter + other.scatter
        scaled = (self.counts * share)[:, None] * gap
        if scatter.shape[0] == 1:
            scatter[0] += scaled.T @ gap
        else:
            scatter += scaled[:, :, None] * gap[:, None, :]
        return ClassScatter(counts, self.means + share[:, None] * gap, scatter)

    @property
    def total_weight(self):
        return float(self.counts.sum())

    @property
    def n_present(self):
        """Number of classes with a positive weight."""
        return int(np.count_nonzero(self.counts))

    def mean(self):
        """Overall mean."""
        return self.counts @ self.means / self.total_weight

    def within(self):
        """Within-class scatter S_W, pooled over the classes."""
        return self.scatter.sum(axis=0)

    def between(self):
        """Between-class scatter S_B about the overall mean."""
        gap = self.means - self.mean()
        return (self.counts[:, None] * gap).T @ gap

    def class_covariances(self, minus=0.0):
        """Scatter of each class over its weight minus `minus`; NaN where nothing is left."""
        left = self.counts - minus
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.scatter / np.where(left > 0, left, np.nan)[:, None, None]

    def pooled_covariance(self, minus=0.0):
        """Within-class scatter over the total weight minus `minus`."""
        return self.within() / (self.total_weight - minus)

    def solve(self, *, divisor="n", priors=None):
        """Class proportions (or `priors`), means, and the pooled covariance with the divisor "n" or "n-k"."""
        shares = self.counts / self.total_weight if priors is None else np.asarray(priors, dtype=np.float64)
        return shares, self.means, self.pooled_covariance(self.n_present if divisor == "n-k" else 0.0)


def _fill_by_blas(X, order, starts, weights, shift, sums, scatter):
    """The wide case of `ClassScatter.from_block`, in blocks of rows."""
    sums[:], scatter[:] = 0.0, 0.0
    block = max(256, 2**21 // X.shape[1])
    for g, (first, last) in enumerate(itertools.pairwise(starts)):
        for i in range(first, last, block):
            rows = order[i : min(i + block, last)]
            Z = X[rows].astype(np.float64) - shift[g]
            if weights is not None:
                root = np.sqrt(weights[rows].astype(np.float64))[:, None]
                Z *= root
                sums[g] += (root * Z).sum(axis=0)
            else:
                sums[g] += Z.sum(axis=0)
            scatter[0 if len(scatter) == 1 else g] += Z.T @ Z


def fold_scatters(X, codes, weights, folds, n_classes):
    """`ClassScatter` of the training rows of each fold.

    If the test parts partition the rows, every row is read once: the training part of a fold is the merger of the other
    test parts.
    """
    if not divide_the_rows(folds, len(codes)):
        for train, _ in folds:
            w = None if weights is None else weights[train]
            yield ClassScatter.from_block(X[train], codes[train], w, n_classes=n_classes)
        return
    group = np.empty(len(codes), dtype=np.intp)
    for f, (_, test) in enumerate(folds):
        group[test] = f * n_classes + codes[test]
    every = ClassScatter.from_block(X, group, weights, n_classes=n_classes * len(folds))
    parts = [
        ClassScatter(every.counts[rows], every.means[rows], every.scatter[rows])
        for rows in (slice(f * n_classes, (f + 1) * n_classes) for f in range(len(folds)))
    ]
    after = [None] * len(parts)
    for f in range(len(parts) - 1, 0, -1):
        after[f - 1] = parts[f] if after[f] is None else parts[f].merge(after[f])
    before = None
    for part, rest in zip(parts, after):
        yield before.merge(rest) if before is not None and rest is not None else before or rest
        before = part if before is None else before.merge(part)


class ScatterMatrices:
    """Result of `scatter_matrices`.

    Attributes
    ----------
    classes : ndarray of shape (k,)
    counts : ndarray of shape (k,)
        Sum of the weights of each class.
    means : ndarray of shape (k, p)
    within, between, total : ndarray of shape (p, p)
        The unnormalised scatters S_W, S_B and S_T = S_W + S_B.
    class_scatters : ndarray of shape (k, p, p)
        The scatter of each class about its mean; they sum to `within`.
    pooled_covariance : ndarray of shape (p, p)
        S_W / (n - k).
    class_covariances : ndarray of shape (k, p, p)
        Scatter of each class over its weight minus 1; NaN for a class of one row.
    """

    def __init__(self, classes, statistic):
        self.classes = classes
        self.counts, self.means, self.class_scatters = statistic.counts, statistic.means, statistic.scatter
        self.within, self.between = statistic.within(), statistic.between()
        self.total = self.within + self.between
        left = statistic.total_weight - len(classes)
        self.pooled_covariance = self.within / left if left > 0 else np.full_like(self.within, np.nan)
        self.class_covariances = statistic.class_covariances(1.0)


def check_class_data(X, y, sample_weight, *, minimum=1, owner="scatter_matrices"):
    """X, classes, codes and weights for functions of classes, without the rows of weight 0."""
    with naming("X"):
        X = check_array(X, dtype=FLOATS)
    with naming("y"):
        y = check_array(y, ensure_2d=False, dtype=None, ensure_min_samples=0)
    if y.ndim != 1:
        raise ValueError(f"y must have one dimension, got {y.ndim}.")
    check_same_length(X, y)
    weights = check_weights(sample_weight, X)
    if weights is not None and not np.all(weights > 0):
        rows = np.flatnonzero(weights)
        X, y, weights = X[rows], y[rows], weights[rows]
    classes, codes = encode_classes(y, minimum=minimum, owner=owner)
    return X, classes, codes, weights


def scatter_matrices(X, y, sample_weight=None):
    r"""Within-class, between-class and total scatter, and the covariances of the classes.

    .. math:: S_W = \sum_k \sum_{i \in k} w_i (x_i - m_k)(x_i - m_k)^\top, \quad
        S_B = \sum_k n_k (m_k - m)(m_k - m)^\top, \quad S_T = S_W + S_B

    The scatters are sums, not means: n_k is the number of rows of class k, or the sum of their weights.

    Parameters
    ----------
    X : array-like of shape (n, p)
    y : array-like of shape (n,)
        Class of each row.
    sample_weight : array-like of shape (n,) or None, default=None
        A weight of k is equivalent to k copies of the row.

    Returns
    -------
    ScatterMatrices
        Object with the attributes `within`, `between`, `total`, `class_scatters`, `pooled_covariance` (divisor n - K),
        `class_covariances` (divisor n_k - 1), `means`, `counts` and `classes`.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.discriminant import scatter_matrices
    >>> X = np.array([[4, 2], [2, 4], [2, 3], [3, 6], [4, 4], [9, 10], [6, 8], [9, 5], [8, 7], [10, 8]])
    >>> scatters = scatter_matrices(X, ["A"] * 5 + ["B"] * 5)
    >>> scatters.within
    array([[13.2, -1.2],
           [-1.2, 22. ]])
    """
    X, classes, codes, weights = check_class_data(X, y, sample_weight)
    return ScatterMatrices(classes, ClassScatter.from_block(X, codes, weights, n_classes=len(classes)))


def site_scatter(model, X, classes, codes, weights, *, pooled):
    """The statistics that a site shares for a discriminant analysis."""
    statistic = ClassScatter.from_block(X, codes, weights, n_classes=len(classes), pooled=pooled)
    arrays = {
        "class_weight": statistic.counts,
        "means": statistic.means,
        "scatter": statistic.scatter,
        "pooled": np.array(bool(pooled)),
    }
    return SiteStatistics(
        "scatter", arrays, n_features=X.shape[1], n_rows=len(X), classes=classes, columns=column_names(model)
    )


def scatter_of_site(statistics, owner):
    """The `ClassScatter` of statistics of a site."""
    require_classes(statistics, owner)
    a = statistics.arrays
    return ClassScatter(a["class_weight"].astype(np.float64), a["means"], a["scatter"])
