"""The public names of the family and the modules that hold them."""

from statlearn._math.graphs.similarity import similarity_graph

from ._affinity_propagation import AffinityPropagation, affinity_propagation
from ._agglomerative import AgglomerativeClustering, FeatureAgglomeration, linkage_tree, ward_tree
from ._bisecting import BisectingKMeans
from ._choose_k import CHOOSE_K_INDICES, CHOOSE_K_RULES, choose_k
from ._cop_kmeans import COPKMeans, InfeasibleConstraints
from ._dbscan import DBSCAN, dbscan, epsilon_components
from ._dendrogram import cophenetic, cut_tree, dendrogram, leaf_order
from ._eigengap import eigengap
from ._elbow import elbow_curve
from ._external import (
    adjusted_mutual_info_score,
    adjusted_rand_score,
    calinski_harabasz_score,
    completeness_score,
    contingency_matrix,
    davies_bouldin_score,
    fowlkes_mallows_score,
    homogeneity_completeness_v_measure,
    homogeneity_score,
    mutual_info_score,
    normalized_mutual_info_score,
    pair_confusion_matrix,
    rand_score,
    v_measure_score,
)
from ._fuzzy import FuzzyCMeans
from ._gap import gap_statistic
from ._hdbscan import HDBSCAN
from ._k_distance import k_distance, k_distance_plot
from ._kernel_kmeans import KernelKMeans
from ._kmeans import KMeans, k_means
from ._kmedoids import KMedoids
from ._kmodes import KModes, KPrototypes
from ._label_propagation import LabelPropagation, LabelSpreading
from ._linkage import linkage
from ._mean_shift import MeanShift, estimate_bandwidth, get_bin_seeds, mean_shift
from ._mini_batch_kmeans import MiniBatchKMeans
from ._plots import cluster_heatmap, silhouette_plot, voronoi_plot
from ._prediction_strength import prediction_strength
from ._quantizer import ColorQuantizer, VectorQuantizer, segment_image
from ._seeding import kmeans_plusplus
from ._silhouette import silhouette_samples, silhouette_score
from ._som import SelfOrganizingMap
from ._spectral import SpectralClustering, cluster_qr, discretize, spectral_clustering
from ._stability import bootstrap_stability
from ._within_between import within_between_total

__all__ = [
    "CHOOSE_K_INDICES",
    "CHOOSE_K_RULES",
    "DBSCAN",
    "HDBSCAN",
    "AffinityPropagation",
    "AgglomerativeClustering",
    "BisectingKMeans",
    "COPKMeans",
    "ColorQuantizer",
    "FeatureAgglomeration",
    "FuzzyCMeans",
    "InfeasibleConstraints",
    "KMeans",
    "KMedoids",
    "KModes",
    "KPrototypes",
    "KernelKMeans",
    "LabelPropagation",
    "LabelSpreading",
    "MeanShift",
    "MiniBatchKMeans",
    "SelfOrganizingMap",
    "SpectralClustering",
    "VectorQuantizer",
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "affinity_propagation",
    "bootstrap_stability",
    "calinski_harabasz_score",
    "choose_k",
    "cluster_heatmap",
    "cluster_qr",
    "completeness_score",
    "contingency_matrix",
    "cophenetic",
    "cut_tree",
    "davies_bouldin_score",
    "dbscan",
    "dendrogram",
    "discretize",
    "eigengap",
    "elbow_curve",
    "epsilon_components",
    "estimate_bandwidth",
    "fowlkes_mallows_score",
    "gap_statistic",
    "get_bin_seeds",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "k_distance",
    "k_distance_plot",
    "k_means",
    "kmeans_plusplus",
    "leaf_order",
    "linkage",
    "linkage_tree",
    "mean_shift",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "pair_confusion_matrix",
    "prediction_strength",
    "rand_score",
    "segment_image",
    "silhouette_plot",
    "silhouette_samples",
    "silhouette_score",
    "similarity_graph",
    "spectral_clustering",
    "v_measure_score",
    "voronoi_plot",
    "ward_tree",
    "within_between_total",
]
