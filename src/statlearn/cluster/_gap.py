"""Gap statistic: within-cluster scatter compared with that of data without clusters."""

from dataclasses import dataclass

import numpy as np

from statlearn._core.params import Int, Options, check_arguments

from ._partitions import Partitions, check_ks, check_rows


@dataclass(frozen=True)
class GapResult:
    """Result of `gap_statistic`.

    Attributes
    ----------
    k : ndarray
        Numbers of clusters.
    gap : ndarray
        Mean of log W over the reference sets, minus log W of the data.
    std_error : ndarray
        s' = s sqrt(1 + 1/B), where s is the standard deviation (divisor B) of log W over the B reference sets.
    log_within, log_within_reference : ndarray
        The two terms of the gap.
    n_clusters : int
        The smallest k with gap(k) >= gap(k + 1) - s'(k + 1), or the largest k if there is none.
    """

    k: np.ndarray
    gap: np.ndarray
    std_error: np.ndarray
    log_within: np.ndarray
    log_within_reference: np.ndarray
    n_clusters: int

    def plot(self, ax=None):
        """Plot of the gap with its standard errors and the choice marked; returns the matplotlib axes."""
        from ._plots import plot_gap

        return plot_gap(self, ax=ax)


def gap_statistic(X, k_values=range(1, 11), *, n_refs=20, reference="box", estimator=None, random_state=None):
    r"""Gap statistic of Tibshirani, Walther and Hastie.

    .. math:: G(k) = \frac1B \sum_b \log W_k^{(b)} - \log W_k

    where :math:`W_k` is the scatter within k clusters of the data, and :math:`W_k^{(b)}` that of the same number of
    rows drawn uniformly. The smallest k with :math:`G(k) \ge G(k+1) - s'_{k+1}` is chosen, which can be 1.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    k_values : iterable of int, default=range(1, 11)
        Consecutive integers.
    n_refs : int, default=20
        Number B of reference sets.
    reference : {"box", "pca"}, default="box"
        Uniform distribution on the box around the data, with sides along the columns or along the principal axes.
    estimator : clusterer or None, default=None
        Clusterer with a parameter `n_clusters`; None uses `KMeans` with ten initialisations.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    GapResult

    Notes
    -----
    Requires (B + 1) fits for every k. The reference is the mean of logarithms, not the logarithm of the mean.

    References
    ----------
    Tibshirani, R., Walther, G. and Hastie, T. (2001). Estimating the number of clusters in a data set via the gap
    statistic. Journal of the Royal Statistical Society B 63, 411-423.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from statlearn.cluster import gap_statistic
    >>> X, _ = make_blobs(90, centers=[[0, 0], [5, 0], [0, 5]], cluster_std=0.4, random_state=0)
    >>> gap_statistic(X, range(1, 6), n_refs=10, random_state=0).n_clusters
    3
    """
    check_arguments(
        gap_statistic,
        n_refs=(n_refs, [Int(1, None)]),
        reference=(reference, [Options("box", "pca")]),
        random_state=(random_state, ["random_state"]),
    )
    X = check_rows(X)
    ks = check_ks(k_values, X.shape[0], consecutive=True)
    partitions = Partitions(estimator, random_state)
    within = np.array([partitions.make(X, int(k), 0).within for k in ks])
    return make_gap(X, ks, within, partitions, n_refs, reference)


def make_gap(X, ks, within, partitions, n_refs, reference="box", tick=None):
    """The gap from the known scatters of the data; `tick` is called after each reference set."""
    draw = _uniform_like(X, reference)
    logs = np.empty((n_refs, len(ks)))
    for b in range(n_refs):
        rows = draw(partitions.generator(1, b))
        logs[b] = [_log(partitions.make(rows, int(k), 1, b).within) for k in ks]
        if tick is not None:
            tick()
    expected, spread = logs.mean(axis=0), logs.std(axis=0)
    log_within = _log(within)
    gap, error = expected - log_within, gap_std_error(spread, n_refs)
    enough = np.flatnonzero(gap[:-1] >= gap[1:] - error[1:])
    chosen = int(ks[enough[0]]) if len(enough) else int(ks[-1])
    return GapResult(ks, gap, error, log_within, expected, chosen)


def gap_std_error(spread, n_refs):
    """Standard deviation of log W over B reference sets, including the error of their mean."""
    return spread * np.sqrt(1.0 + 1.0 / n_refs)


def _log(within):
    """Log of W; the smallest positive number replaces a scatter of zero (identical rows in all clusters)."""
    return np.log(np.maximum(within, np.finfo(float).tiny))


def _uniform_like(X, reference):
    """Function that draws the same number of rows uniformly from the box around X."""
    X = np.asarray(X, dtype=np.float64)
    centre = X.mean(axis=0)
    axes = np.linalg.svd(X - centre, full_matrices=False)[2] if reference == "pca" else np.eye(X.shape[1])
    turned = (X - centre) @ axes.T
    low, high = turned.min(axis=0), turned.max(axis=0)
    return lambda rng: rng.uniform(low, high, size=(X.shape[0], len(low))) @ axes + centre
