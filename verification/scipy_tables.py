"""Tables of scipy's tests, which come with scipy: hierarchies and distances."""

from pathlib import Path

import numpy as np
import scipy.spatial
from scipy.cluster.tests import hierarchy_test_data as hierarchies

from statlearn.cluster import linkage
from statlearn.neighbors import pairwise_distances
from verification.check import compare

DATA = Path(scipy.spatial.__file__).parent / "tests" / "data"
LINKAGES = ("single", "complete", "average", "weighted")
# The file of distances, that of the rows, and our metric.
METRICS = (
    ("chebyshev-ml", "double-inp", "chebyshev", {}),
    ("cityblock-ml", "double-inp", "manhattan", {}),
    ("correlation-ml", "double-inp", "correlation", {}),
    ("cosine-ml", "double-inp", "cosine", {}),
    ("euclidean-ml", "double-inp", "euclidean", {}),
    ("minkowski-3.2-ml", "double-inp", "minkowski", {"p": 3.2}),
    ("seuclidean-ml", "double-inp", "seuclidean", {}),
    ("hamming-ml", "boolean-inp", "hamming", {}),
    ("jaccard-ml", "boolean-inp", "jaccard", {}),
    ("chebyshev-ml-iris", "iris", "chebyshev", {}),
    ("cityblock-ml-iris", "iris", "manhattan", {}),
    ("cosine-ml-iris", "iris", "cosine", {}),
    ("euclidean-ml-iris", "iris", "euclidean", {}),
    ("minkowski-3.2-ml-iris", "iris", "minkowski", {"p": 3.2}),
    ("minkowski-5.8-ml-iris", "iris", "minkowski", {"p": 5.8}),
    ("seuclidean-ml-iris", "iris", "seuclidean", {}),
)
EVERY = 499  # one distance in this many of a table is compared: all of them would only swell the counts


def checks():
    yield from linkages()
    yield from distances()


def linkages():
    source = "Tables of scipy's tests, hierarchies"
    for method in LINKAGES:
        Z = linkage(hierarchies.ytdist, method, metric="precomputed")
        expected = getattr(hierarchies, f"linkage_ytdist_{method}")
        call = f"cluster.linkage(d, '{method}', metric='precomputed')"
        yield from compare(source, "ytdist", method, call, expected, Z)
    for method in ("centroid", "median", "ward"):
        expected = getattr(hierarchies, f"linkage_X_{method}")
        call = f"cluster.linkage(X, '{method}')"
        yield from compare(source, "X", method, call, expected, linkage(hierarchies.X, method))


def distances():
    for file, rows, metric, options in METRICS:
        X = np.loadtxt(DATA / (f"{rows}.txt" if rows == "iris" else f"pdist-{rows}.txt"))
        expected = np.loadtxt(DATA / f"pdist-{file}.txt").ravel()
        if metric == "seuclidean":
            options = {"V": X.var(axis=0, ddof=1)}
        D = pairwise_distances(X.astype(bool) if metric == "jaccard" else X, metric=metric, **options)
        ours = D[np.triu_indices(len(X), 1)]
        call = f"neighbors.pairwise_distances(X, metric='{metric}')"
        yield from compare("Tables of scipy's tests, distances", file, metric, call, expected[::EVERY], ours[::EVERY])
