"""The public names of the family and the modules that hold them."""

from ._archetypes import ArchetypalAnalysis
from ._component_models import ComponentClassifier, ComponentRegressor
from .components._cell_cv import rank_cv
from .components._incremental import IncrementalPCA
from .components._null_variance import broken_stick, explained_variance_reference, quantile_grid
from .components._pca import PCA
from .components._plots import biplot, scree_plot
from .components._random_projection import (
    GaussianRandomProjection,
    SparseRandomProjection,
    johnson_lindenstrauss_min_dim,
)
from .components._sparse_pca import MiniBatchSparsePCA, SparsePCA
from .components._svd import best_rank_k, fundamental_subspaces, svd, svd_inverse, svd_norms
from .components._truncated import TruncatedSVD
from .components._whiten import latent_variable_form, whiten
from .cross._cca import CCA
from .cross._pls import PLSSVD, PLSCanonical, PLSRegression
from .dictionary._dictionary_learning import DictionaryLearning, dict_learning
from .dictionary._ksvd import KSVD
from .dictionary._matching_pursuit import OrthogonalMatchingPursuit, matching_pursuit
from .dictionary._online import MiniBatchDictionaryLearning, OnlineDictionaryLearning, dict_learning_online
from .dictionary._sparse_coding import SparseCoder, sparse_encode
from .factors._factor_analysis import FactorAnalysis
from .factors._fastica import FastICA, fastica
from .factors._negentropy import ica_mutual_information, negentropy
from .factors._prodenica import ProDenICA
from .factors._rotation import oblimin, promax, quartimax, varimax
from .nmf._mini_batch import MiniBatchNMF
from .nmf._nmf import NMF, non_negative_factorization
from .ratings._content import ContentRecommender
from .ratings._matrix_factorization import ImplicitFactorization, MatrixFactorization
from .ratings._neighbors import ItemKNNRecommender, UserKNNRecommender
from .robust._irls import IRLSPCA
from .robust._pursuit import PrincipalComponentPursuit
from .robust._ransac import RANSACPCA, ransac_trials
from .shapes._principal_curve import PrincipalCurve
from .shapes._principal_surface import PrincipalSurface
from .shapes._procrustes import procrustes, procrustes_average
from .text._cooccurrence import CooccurrenceMatrix
from .text._lsa import LSA
from .text._pmi import PMIEmbedding, pmi_matrix
from .text._skip_gram import SkipGramEmbedding
from .text._topics import LatentDirichletAllocation

__all__ = [
    "CCA",
    "IRLSPCA",
    "KSVD",
    "LSA",
    "NMF",
    "PCA",
    "PLSSVD",
    "RANSACPCA",
    "ArchetypalAnalysis",
    "ComponentClassifier",
    "ComponentRegressor",
    "ContentRecommender",
    "CooccurrenceMatrix",
    "DictionaryLearning",
    "FactorAnalysis",
    "FastICA",
    "GaussianRandomProjection",
    "ImplicitFactorization",
    "IncrementalPCA",
    "ItemKNNRecommender",
    "LatentDirichletAllocation",
    "MatrixFactorization",
    "MiniBatchDictionaryLearning",
    "MiniBatchNMF",
    "MiniBatchSparsePCA",
    "OnlineDictionaryLearning",
    "OrthogonalMatchingPursuit",
    "PLSCanonical",
    "PLSRegression",
    "PMIEmbedding",
    "PrincipalComponentPursuit",
    "PrincipalCurve",
    "PrincipalSurface",
    "ProDenICA",
    "SkipGramEmbedding",
    "SparseCoder",
    "SparsePCA",
    "SparseRandomProjection",
    "TruncatedSVD",
    "UserKNNRecommender",
    "best_rank_k",
    "biplot",
    "broken_stick",
    "dict_learning",
    "dict_learning_online",
    "explained_variance_reference",
    "fastica",
    "fundamental_subspaces",
    "ica_mutual_information",
    "johnson_lindenstrauss_min_dim",
    "latent_variable_form",
    "matching_pursuit",
    "negentropy",
    "non_negative_factorization",
    "oblimin",
    "pmi_matrix",
    "procrustes",
    "procrustes_average",
    "promax",
    "quantile_grid",
    "quartimax",
    "rank_cv",
    "ransac_trials",
    "scree_plot",
    "sparse_encode",
    "svd",
    "svd_inverse",
    "svd_norms",
    "varimax",
    "whiten",
]
