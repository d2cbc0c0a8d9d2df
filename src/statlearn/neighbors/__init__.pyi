"""The public names of the family and the modules that hold them."""

from ._choose_k import choose_k
from ._classification import KNeighborsClassifier, RadiusNeighborsClassifier
from ._density_bandwidth import select_density_bandwidth
from ._dtw import dtw_distance, dtw_path
from ._graph import KNeighborsTransformer, RadiusNeighborsTransformer, kneighbors_graph, radius_neighbors_graph
from ._is_metric import is_metric
from ._kernel_density import KernelDensity
from ._local_outlier_factor import LocalOutlierFactor
from ._mixed import MixedDistance, attribute_weights
from ._nearest_centroid import NearestCentroid
from ._nearest_neighbors import NearestNeighbors
from ._pairwise import pairwise_distances
from ._prototypes import CondensedNearestNeighbors, EditedNearestNeighbors
from ._regression import KNeighborsRegressor, RadiusNeighborsRegressor
from ._search_trees import BallTree, KDTree
from ._sets import hamming_count, jaccard_distance, jaccard_similarity, matching_distance, overlap_distance
from ._shrunken_centroids import ShrunkenCentroidsCV, shrunken_centroid_path
from ._smoother import knn_effective_df, knn_risk, knn_smoother_matrix
from ._theory import asymptotic_1nn_error, cover_hart_bounds, curse_simulation, median_nn_distance

__all__ = [
    "BallTree",
    "CondensedNearestNeighbors",
    "EditedNearestNeighbors",
    "KDTree",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "KNeighborsTransformer",
    "KernelDensity",
    "LocalOutlierFactor",
    "MixedDistance",
    "NearestCentroid",
    "NearestNeighbors",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "RadiusNeighborsTransformer",
    "ShrunkenCentroidsCV",
    "asymptotic_1nn_error",
    "attribute_weights",
    "choose_k",
    "cover_hart_bounds",
    "curse_simulation",
    "dtw_distance",
    "dtw_path",
    "hamming_count",
    "is_metric",
    "jaccard_distance",
    "jaccard_similarity",
    "kneighbors_graph",
    "knn_effective_df",
    "knn_risk",
    "knn_smoother_matrix",
    "matching_distance",
    "median_nn_distance",
    "overlap_distance",
    "pairwise_distances",
    "radius_neighbors_graph",
    "select_density_bandwidth",
    "shrunken_centroid_path",
]
