"""The public names of the family and the modules that hold them."""

from ._equivalent_kernel import equivalent_kernel
from .additive._additive_model import AdditiveModel
from .additive._bruto import BRUTO
from .additive._projection_pursuit import ProjectionPursuitRegressor
from .gam._classifier import GAMClassifier
from .gam._gam import GAM
from .gam._terms import by, factor, lin, offset, re, s, s2, te, ti
from .local._bandwidth import match_df, select_bandwidth
from .local._kernel_density import KernelDensity, select_density_bandwidth
from .local._kernel_density_classifier import KernelDensityClassifier
from .local._kernel_profile import kernel_integral, kernel_profile
from .local._likelihood import LocalLikelihood
from .local._loess import Loess
from .local._logistic import LocalLogistic
from .local._polynomial import LocalPolynomialRegressor, NadarayaWatson
from .local._supersmoother import SuperSmoother
from .local._varying_coefficients import VaryingCoefficientModel
from .mars._classifier import MARSClassifier
from .mars._mars import MARS
from .mars._terms import reflected_pairs
from .monotone._isotonic import IsotonicRegression
from .splines._basis_expansion import BasisExpansion, BasisRegressor
from .splines._logistic import SplineLogistic
from .splines._random_effect_basis import RandomEffectBasis
from .splines._regression_spline import RegressionSpline
from .splines._smoothing_spline import SmoothingSpline, df_to_lambda, lambda_to_df
from .splines._step_basis import PiecewisePolynomialBasis, StepBasis
from .splines._tensor_product import TensorProductBasis, TensorProductSpline
from .splines._thin_plate import ThinPlateSpline
from .splines._thin_plate_basis import ThinPlateBasis
from .splines._transformer import SplineTransformer, penalty_matrix
from .wavelets._basis import WaveletBasis
from .wavelets._smoother import WaveletSmoother

__all__ = [
    "BRUTO",
    "GAM",
    "MARS",
    "AdditiveModel",
    "BasisExpansion",
    "BasisRegressor",
    "GAMClassifier",
    "IsotonicRegression",
    "KernelDensity",
    "KernelDensityClassifier",
    "LocalLikelihood",
    "LocalLogistic",
    "LocalPolynomialRegressor",
    "Loess",
    "MARSClassifier",
    "NadarayaWatson",
    "PiecewisePolynomialBasis",
    "ProjectionPursuitRegressor",
    "RandomEffectBasis",
    "RegressionSpline",
    "SmoothingSpline",
    "SplineLogistic",
    "SplineTransformer",
    "StepBasis",
    "SuperSmoother",
    "TensorProductBasis",
    "TensorProductSpline",
    "ThinPlateBasis",
    "ThinPlateSpline",
    "VaryingCoefficientModel",
    "WaveletBasis",
    "WaveletSmoother",
    "by",
    "df_to_lambda",
    "equivalent_kernel",
    "factor",
    "kernel_integral",
    "kernel_profile",
    "lambda_to_df",
    "lin",
    "match_df",
    "offset",
    "penalty_matrix",
    "re",
    "reflected_pairs",
    "s",
    "s2",
    "select_bandwidth",
    "select_density_bandwidth",
    "te",
    "ti",
]
