"""The public names of the family and the modules that hold them."""

from ._boltzmann import BoltzmannMachine
from ._canonical import CanonicalForm
from ._conditional_ggm import ConditionalGGM
from ._covariance import (
    OAS,
    EmpiricalCovariance,
    LedoitWolf,
    ShrunkCovariance,
    empirical_covariance,
    ledoit_wolf,
    ledoit_wolf_shrinkage,
    log_likelihood,
    oas,
    shrunk_covariance,
)
from ._gaussian import (
    MultivariateGaussian,
    conditional,
    marginal,
    partial_correlation,
    precision_matrix,
    regression_from_precision,
)
from ._gaussian_likelihood import deviance, ggm_loglik, ideviance, lrt
from ._gibbs import GibbsDistribution, MarkovReport, markov_report
from ._glasso import GraphicalLasso, graphical_lasso
from ._glasso_cv import GraphicalLassoCV
from ._glasso_ic import GraphicalLassoIC
from ._glasso_path import GraphicalLassoPath, ebic, graphical_lasso_path
from ._ising import IsingModel
from ._known_graph import GaussianGraphicalMLE
from ._neighborhood import NeighborhoodSelection, StabilityGGM
from ._networks import ConditionalGaussianNetwork, GaussianBayesianNetwork, LinearGaussianCPD
from ._nonparanormal import nonparanormal_correlation
from ._plots import matrix_plot
from ._rbm import BernoulliRBM, stack_rbms, with_labels
from ._robust import EllipticEnvelope, MinCovDet, fast_mcd
from ._stepwise_ggm import StepwiseGGM
from ._threshold_ggm import ThresholdGGM
from ._undirected import UndirectedGraph, dependence_graph, generating_class, maximal_cliques, separates

__all__ = [
    "OAS",
    "BernoulliRBM",
    "BoltzmannMachine",
    "CanonicalForm",
    "ConditionalGGM",
    "ConditionalGaussianNetwork",
    "EllipticEnvelope",
    "EmpiricalCovariance",
    "GaussianBayesianNetwork",
    "GaussianGraphicalMLE",
    "GibbsDistribution",
    "GraphicalLasso",
    "GraphicalLassoCV",
    "GraphicalLassoIC",
    "GraphicalLassoPath",
    "IsingModel",
    "LedoitWolf",
    "LinearGaussianCPD",
    "MarkovReport",
    "MinCovDet",
    "MultivariateGaussian",
    "NeighborhoodSelection",
    "ShrunkCovariance",
    "StabilityGGM",
    "StepwiseGGM",
    "ThresholdGGM",
    "UndirectedGraph",
    "conditional",
    "dependence_graph",
    "deviance",
    "ebic",
    "empirical_covariance",
    "fast_mcd",
    "generating_class",
    "ggm_loglik",
    "graphical_lasso",
    "graphical_lasso_path",
    "ideviance",
    "ledoit_wolf",
    "ledoit_wolf_shrinkage",
    "log_likelihood",
    "lrt",
    "marginal",
    "markov_report",
    "matrix_plot",
    "maximal_cliques",
    "nonparanormal_correlation",
    "oas",
    "partial_correlation",
    "precision_matrix",
    "regression_from_precision",
    "separates",
    "shrunk_covariance",
    "stack_rbms",
    "with_labels",
]
