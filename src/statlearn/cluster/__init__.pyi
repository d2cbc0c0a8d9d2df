"""The public names of the family and the modules that hold them."""

from ._kmeans import KMeans, k_means
from ._kmedoids import KMedoids
from ._seeding import kmeans_plusplus

__all__ = [
    "KMeans",
    "KMedoids",
    "k_means",
    "kmeans_plusplus",
]
