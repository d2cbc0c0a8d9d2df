"""Fits of a clusterer for several numbers of clusters, shared by the tools that compare them."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array

from statlearn._core.params import InvalidParameterError
from statlearn._core.validation import FLOATS

from ._labels import cluster_means


@dataclass
class Partition:
    """Partition of the rows into clusters numbered from 0, with the fitted estimator (None for a single cluster)."""

    codes: np.ndarray
    centers: np.ndarray  # mean row of each cluster
    estimator: object
    within: float  # squared distances to these means, summed
    names: np.ndarray  # what the estimator calls the clusters

    def assign(self, X):
        """Cluster of new rows: predicted by the estimator, or that of the nearest mean."""
        if len(self.centers) == 1:
            return np.zeros(X.shape[0], dtype=np.int64)
        if hasattr(self.estimator, "predict"):
            return np.minimum(np.searchsorted(self.names, self.estimator.predict(X)), len(self.names) - 1)
        from sklearn.metrics import pairwise_distances_argmin

        return pairwise_distances_argmin(X, self.centers)


class Partitions:
    """Factory of partitions: ``make(X, k, *key)``. The seed depends on the key and k only, not on the order of fits.

    Parameters
    ----------
    estimator : clusterer with a parameter `n_clusters` (or `n_components`), or None for `KMeans` with ten
    initialisations
    random_state : int, RandomState or None
    """

    def __init__(self, estimator, random_state):
        if estimator is None:
            from ._kmeans import KMeans

            estimator = KMeans(n_init=10)
        names = estimator.get_params() if hasattr(estimator, "get_params") else {}
        self.parameter = next((name for name in ("n_clusters", "n_components") if name in names), None)
        if self.parameter is None:
            raise InvalidParameterError(
                f"`estimator` must be a clusterer with a parameter n_clusters or n_components, got {estimator!r}."
            )
        self.estimator, self.seeded = estimator, "random_state" in names
        self.base = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))

    def generator(self, *key):
        """Random generator of one unit of work."""
        return np.random.default_rng([self.base, *key])

    def make(self, X, k, *key):
        if k == 1:
            return _partition(X, np.zeros(X.shape[0]), None)
        model = clone(self.estimator).set_params(**{self.parameter: k})
        if self.seeded:
            model.set_params(random_state=int(self.generator(*key, k).integers(np.iinfo(np.int32).max)))
        return _partition(X, model.fit_predict(X), model)


def _partition(X, labels, estimator):
    names, codes = np.unique(labels, return_inverse=True)
    centers, _ = cluster_means(X, codes, len(names))
    return Partition(codes, centers, estimator, float(((X - centers[codes]) ** 2).sum(dtype=np.float64)), names)


def check_rows(X):
    return check_array(X, dtype=FLOATS, input_name="X")


def check_ks(k_values, n, *, least=1, consecutive=False):
    """Numbers of clusters to try, in increasing order, each at most n."""
    ks = np.unique(np.asarray(list(k_values)))
    if not len(ks) or ks.dtype.kind not in "iu" or ks[0] < least:
        raise ValueError(f"`k_values` must be integers of at least {least}, got {k_values!r}.")
    if ks[-1] > n:
        raise ValueError(f"`k_values` contains {ks[-1]}; k must be at most {n} for this number of rows of X.")
    if consecutive and np.any(np.diff(ks) != 1):
        raise ValueError(f"`k_values` must be consecutive integers, got {ks.tolist()}.")
    return ks
