"""The public names of the family and the modules that hold them."""

from .components._cell_cv import rank_cv
from .components._incremental import IncrementalPCA
from .components._pca import PCA
from .components._plots import biplot, scree_plot
from .components._references import broken_stick, explained_variance_reference, quantile_grid
from .components._svd import best_rank_k, fundamental_subspaces, svd, svd_inverse, svd_norms
from .components._truncated import TruncatedSVD
from .components._whiten import latent_variable_form, whiten
from .factors._factor_analysis import FactorAnalysis
from .factors._fastica import FastICA, fastica
from .factors._negentropy import ica_mutual_information, negentropy
from .factors._prodenica import ProDenICA
from .factors._rotation import oblimin, promax, quartimax, varimax
from .robust._irls import IRLSPCA
from .robust._pursuit import PrincipalComponentPursuit
from .robust._ransac import RANSACPCA, ransac_trials
from .shapes._principal_curve import PrincipalCurve
from .shapes._principal_surface import PrincipalSurface
from .shapes._procrustes import procrustes, procrustes_average

__all__ = [
    "IRLSPCA",
    "PCA",
    "RANSACPCA",
    "FactorAnalysis",
    "FastICA",
    "IncrementalPCA",
    "PrincipalComponentPursuit",
    "PrincipalCurve",
    "PrincipalSurface",
    "ProDenICA",
    "TruncatedSVD",
    "best_rank_k",
    "biplot",
    "broken_stick",
    "explained_variance_reference",
    "fastica",
    "fundamental_subspaces",
    "ica_mutual_information",
    "latent_variable_form",
    "negentropy",
    "oblimin",
    "procrustes",
    "procrustes_average",
    "promax",
    "quantile_grid",
    "quartimax",
    "rank_cv",
    "ransac_trials",
    "scree_plot",
    "svd",
    "svd_inverse",
    "svd_norms",
    "varimax",
    "whiten",
]
