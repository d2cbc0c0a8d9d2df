"""The public names of the family and the modules that hold them."""

from ._graph import KNeighborsTransformer, RadiusNeighborsTransformer, kneighbors_graph, radius_neighbors_graph
from ._metrics import pairwise_distances
from ._nearest_neighbors import NearestNeighbors
from ._search_trees import BallTree, KDTree

__all__ = [
    "BallTree",
    "KDTree",
    "KNeighborsTransformer",
    "NearestNeighbors",
    "RadiusNeighborsTransformer",
    "kneighbors_graph",
    "pairwise_distances",
    "radius_neighbors_graph",
]
