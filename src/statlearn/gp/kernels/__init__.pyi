"""The public names of the module and the files that hold them."""

from sklearn.gaussian_process.kernels import Hyperparameter

from ._algebra import CompoundKernel, Exponentiation, Product, Sum
from ._base import Kernel
from ._constant import ConstantKernel, WhiteKernel
from ._nonstationary import Brownian, DotProduct, PairwiseKernel
from ._stationary import RBF, ExpSineSquared, Matern, RationalQuadratic

__all__ = [
    "RBF",
    "Brownian",
    "CompoundKernel",
    "ConstantKernel",
    "DotProduct",
    "ExpSineSquared",
    "Exponentiation",
    "Hyperparameter",
    "Kernel",
    "Matern",
    "PairwiseKernel",
    "Product",
    "RationalQuadratic",
    "Sum",
    "WhiteKernel",
]
