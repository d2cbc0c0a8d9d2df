"""The public names of the family and the modules that hold them."""

from ._kernels import (
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
from ._regressor import GaussianProcessRegressor

__all__ = [
    "RBF",
    "Brownian",
    "CompoundKernel",
    "ConstantKernel",
    "DotProduct",
    "ExpSineSquared",
    "Exponentiation",
    "GaussianProcessRegressor",
    "Hyperparameter",
    "Kernel",
    "Matern",
    "PairwiseKernel",
    "Product",
    "RationalQuadratic",
    "Sum",
    "WhiteKernel",
from ._bayes_search_cv import BayesSearchCV
from ._bayesian_optimizer import BayesianOptimizer
from ._space import Categorical, Integer, Real, Space

__all__ = [
    "BayesSearchCV",
    "BayesianOptimizer",
    "Categorical",
    "Integer",
    "Real",
    "Space",
    "expected_hypervolume_improvement",
    "expected_improvement",
    "log_expected_improvement",
    "lower_confidence_bound",
    "probability_of_improvement",
    "q_expected_improvement",
]
