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
]
