"""The public names of the family and the modules that hold them."""

from .components._cell_cv import rank_cv
from .components._incremental import IncrementalPCA
from .components._pca import PCA
from .components._plots import biplot, scree_plot
from .components._references import broken_stick, explained_variance_reference, quantile_grid
from .components._svd import best_rank_k, fundamental_subspaces, svd, svd_inverse, svd_norms
from .components._truncated import TruncatedSVD
from .components._whiten import latent_variable_form, whiten

__all__ = [
    "PCA",
    "IncrementalPCA",
    "TruncatedSVD",
    "best_rank_k",
    "biplot",
    "broken_stick",
    "explained_variance_reference",
    "fundamental_subspaces",
    "latent_variable_form",
    "quantile_grid",
    "rank_cv",
    "scree_plot",
    "svd",
    "svd_inverse",
    "svd_norms",
    "whiten",
]
