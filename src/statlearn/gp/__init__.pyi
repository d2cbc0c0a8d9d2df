"""The public names of the family and the modules that hold them."""

from . import kernels as kernels
from ._acquisition import (
    expected_hypervolume_improvement,
    expected_improvement,
    log_expected_improvement,
    lower_confidence_bound,
    probability_of_improvement,
    q_expected_improvement,
)
from ._bayes_search_cv import BayesSearchCV
from ._bayesian_optimizer import BayesianOptimizer
from ._brownian import BrownianMotion
from ._classifier import GaussianProcessClassifier
from ._leave_one_out import LeaveOneOut
from ._likelihood_surface import LikelihoodSurface, lml_surface
from ._regressor import GaussianProcessRegressor
from ._space import Categorical, Integer, Real, Space
from ._sparse import SparseGaussianProcessRegressor
from ._state_space import StateSpaceGaussianProcessRegressor
from ._trials import Trial
from ._vecchia import VecchiaGaussianProcessRegressor
from .kernels import (
    RBF,
    Brownian,
    CompoundKernel,
    ConstantKernel,
    DotProduct,
    Exponentiation,
    ExpSineSquared,
    Hyperparameter,
    Kernel,
    Matern,
    PairwiseKernel,
    Product,
    RationalQuadratic,
    Sum,
    WhiteKernel,
)

__all__ = [
    "RBF",
    "BayesSearchCV",
    "BayesianOptimizer",
    "Brownian",
    "BrownianMotion",
    "Categorical",
    "CompoundKernel",
    "ConstantKernel",
    "DotProduct",
    "ExpSineSquared",
    "Exponentiation",
    "GaussianProcessClassifier",
    "GaussianProcessRegressor",
    "Hyperparameter",
    "Integer",
    "Kernel",
    "LeaveOneOut",
    "LikelihoodSurface",
    "Matern",
    "PairwiseKernel",
    "Product",
    "RationalQuadratic",
    "Real",
    "Space",
    "SparseGaussianProcessRegressor",
    "StateSpaceGaussianProcessRegressor",
    "Sum",
    "Trial",
    "VecchiaGaussianProcessRegressor",
    "WhiteKernel",
    "expected_hypervolume_improvement",
    "expected_improvement",
    "lml_surface",
    "log_expected_improvement",
    "lower_confidence_bound",
    "probability_of_improvement",
    "q_expected_improvement",
]
