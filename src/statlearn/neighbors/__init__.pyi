"""The public names of the family and the modules that hold them."""

from ._dtw import dtw_distance, dtw_path
from ._is_metric import is_metric
from ._mixed import MixedDistance, attribute_weights
from ._nearest_centroid import NearestCentroid
from ._prototypes import CondensedNearestNeighbors, EditedNearestNeighbors
from ._sets import hamming_count, jaccard_distance, jaccard_similarity, matching_distance, overlap_distance
from ._shrunken_centroids import ShrunkenCentroidsCV, shrunken_centroid_path
from ._smoother import knn_effective_df, knn_risk, knn_smoother_matrix
from ._theory import asymptotic_1nn_error, cover_hart_bounds, curse_simulation, median_nn_distance

__all__ = [
    "CondensedNearestNeighbors",
    "EditedNearestNeighbors",
    "MixedDistance",
    "NearestCentroid",
    "ShrunkenCentroidsCV",
    "asymptotic_1nn_error",
    "attribute_weights",
    "cover_hart_bounds",
    "curse_simulation",
    "dtw_distance",
    "dtw_path",
    "hamming_count",
    "is_metric",
    "jaccard_distance",
    "jaccard_similarity",
    "knn_effective_df",
    "knn_risk",
    "knn_smoother_matrix",
    "matching_distance",
    "median_nn_distance",
    "overlap_distance",
    "shrunken_centroid_path",
]
