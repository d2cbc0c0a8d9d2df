"""The public names of the family and the modules that hold them."""

from ._class_scatter import scatter_matrices
from ._lda import LinearDiscriminantAnalysis

__all__ = [
    "LinearDiscriminantAnalysis",
    "scatter_matrices",
]
