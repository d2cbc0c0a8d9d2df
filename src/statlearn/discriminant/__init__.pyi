"""The public names of the family and the modules that hold them."""

from ._boundaries import decision_hyperplane, pairwise_log_odds
from ._class_scatter import scatter_matrices
from ._diagonal import DiagonalLDA, DiagonalQDA
from ._error_rate import lda_error_rate
from ._fda import FlexibleDiscriminantAnalysis
from ._fisher import FisherDiscriminant, fisher_criterion
from ._lda import LinearDiscriminantAnalysis
from ._mda import MixtureDiscriminantAnalysis
from ._oracle import BayesClassifier
from ._pda import PenalizedDiscriminantAnalysis
from ._plots import canonical_plot
from ._qda import QuadraticDiscriminantAnalysis
from ._quadratic_lda import QuadraticLDA
from ._rda import RegularizedDiscriminantAnalysis
from ._reduced_rank import ReducedRankLDA
from ._sparse_lda import SparseLDA

__all__ = [
    "BayesClassifier",
    "DiagonalLDA",
    "DiagonalQDA",
    "FisherDiscriminant",
    "FlexibleDiscriminantAnalysis",
    "LinearDiscriminantAnalysis",
    "MixtureDiscriminantAnalysis",
    "PenalizedDiscriminantAnalysis",
    "QuadraticDiscriminantAnalysis",
    "QuadraticLDA",
    "ReducedRankLDA",
    "RegularizedDiscriminantAnalysis",
    "SparseLDA",
    "canonical_plot",
    "decision_hyperplane",
    "fisher_criterion",
    "lda_error_rate",
    "pairwise_log_odds",
    "scatter_matrices",
]
