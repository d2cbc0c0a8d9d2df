"""The public names of the family and the modules that hold them."""

from ._classical_mds import ClassicalMDS, distances_from_gram, double_center
from ._diffusion_map import DiffusionMap, diffusion_distance
from ._generators import swiss_roll, three_circles
from ._graphs import affinity_graph, graph_laplacian, n_components_from_laplacian
from ._isomap import Isomap
from ._kernel_pca import KernelPCA
from ._locally_linear import LocallyLinearEmbedding, locally_linear_embedding
from ._mds import MDS, mds_stress, smacof
from ._spectral_embedding import LaplacianEigenmaps, SpectralEmbedding, spectral_embedding
from ._trustworthiness import trustworthiness
from ._tsne import TSNE

__all__ = [
    "MDS",
    "TSNE",
    "ClassicalMDS",
    "DiffusionMap",
    "Isomap",
    "KernelPCA",
    "LaplacianEigenmaps",
    "LocallyLinearEmbedding",
    "SpectralEmbedding",
    "affinity_graph",
    "diffusion_distance",
    "distances_from_gram",
    "double_center",
    "graph_laplacian",
    "locally_linear_embedding",
    "mds_stress",
    "n_components_from_laplacian",
    "smacof",
    "spectral_embedding",
    "swiss_roll",
    "three_circles",
    "trustworthiness",
]
