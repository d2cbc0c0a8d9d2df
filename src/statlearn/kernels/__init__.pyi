"""The public names of the family and the modules that hold them."""

from ._algebra import ConstantKernel, KernelMap, KernelPower, KernelProduct, KernelScale, KernelSum
from ._centerer import KernelCenterer
from ._empirical_map import EmpiricalKernelMap
from ._feature_maps import gaussian_taylor_map, poly_feature_dim, poly_feature_map
from ._geometry import kernel_center_distance, kernel_distance, kernel_norm, kernel_projection, median_heuristic
from ._gram import gram_matrix, pairwise_kernels
from ._kernel import Kernel
from ._mercer import MercerReport, is_psd, mercer_report, nearest_psd
from ._nystroem import Nystroem
from ._objects import (
    AdditiveChi2Kernel,
    Chi2Kernel,
    CosineKernel,
    FunctionKernel,
    GaussianKernel,
    LaplacianKernel,
    LinearKernel,
    MinKernel,
    PolynomialKernel,
    SigmoidKernel,
)
from ._pairwise import (
    additive_chi2_kernel,
    chi2_kernel,
    cosine_kernel,
    cosine_similarity,
    laplacian_kernel,
    linear_kernel,
    min_kernel,
    polynomial_kernel,
    rbf_kernel,
    sigmoid_kernel,
)
from ._ridge import KernelRidge
from ._ridge_cv import KernelRidgeCV
from ._samplers import AdditiveChi2Sampler, PolynomialCountSketch, RBFSampler, SkewedChi2Sampler
from ._strings import SpectrumKernel, SpectrumVectorizer, spectrum_kernel

__all__ = [
    "AdditiveChi2Kernel",
    "AdditiveChi2Sampler",
    "Chi2Kernel",
    "ConstantKernel",
    "CosineKernel",
    "EmpiricalKernelMap",
    "FunctionKernel",
    "GaussianKernel",
    "Kernel",
    "KernelCenterer",
    "KernelMap",
    "KernelPower",
    "KernelProduct",
    "KernelRidge",
    "KernelRidgeCV",
    "KernelScale",
    "KernelSum",
    "LaplacianKernel",
    "LinearKernel",
    "MercerReport",
    "MinKernel",
    "Nystroem",
    "PolynomialCountSketch",
    "PolynomialKernel",
    "RBFSampler",
    "SigmoidKernel",
    "SkewedChi2Sampler",
    "SpectrumKernel",
    "SpectrumVectorizer",
    "additive_chi2_kernel",
    "chi2_kernel",
    "cosine_kernel",
    "cosine_similarity",
    "gaussian_taylor_map",
    "gram_matrix",
    "is_psd",
    "kernel_center_distance",
    "kernel_distance",
    "kernel_norm",
    "kernel_projection",
    "laplacian_kernel",
    "linear_kernel",
    "median_heuristic",
    "mercer_report",
    "min_kernel",
    "nearest_psd",
    "pairwise_kernels",
    "poly_feature_dim",
    "poly_feature_map",
    "polynomial_kernel",
    "rbf_kernel",
    "sigmoid_kernel",
    "spectrum_kernel",
]
