"""The public names of the family and the modules that hold them."""

from ._additive_model import AdditiveModel
from ._bandwidth import match_df, select_bandwidth
from ._basis_expansion import BasisExpansion, BasisRegressor
from ._bruto import BRUTO
from ._equivalent_kernel import equivalent_kernel
from ._gam import GAM
from ._gam_classifier import GAMClassifier
from ._gam_terms import by, factor, lin, offset, re, s, s2, te, ti
from ._kernel_density import KernelDensity, select_density_bandwidth
from ._kernel_density_classifier import KernelDensityClassifier
from ._kernel_profile import kernel_integral, kernel_profile
from ._local_likelihood import LocalLikelihood
from ._local_logistic import LocalLogistic
from ._local_polynomial import LocalPolynomialRegressor, NadarayaWatson
from ._loess import Loess
from ._mars import MARS
from ._mars_classifier import MARSClassifier
from ._mars_terms import reflected_pairs
from ._projection_pursuit import ProjectionPursuitRegressor
from ._random_effect_basis import RandomEffectBasis
from ._regression_spline import RegressionSpline
from ._smoothing_spline import SmoothingSpline, df_to_lambda, lambda_to_df
from ._spline_logistic import SplineLogistic
from ._spline_transformer import SplineTransformer, penalty_matrix
from ._step_basis import PiecewisePolynomialBasis, StepBasis
from ._supersmoother import SuperSmoother
from ._tensor_product import TensorProductBasis, TensorProductSpline
from ._thin_plate import ThinPlateSpline
from ._thin_plate_basis import ThinPlateBasis
from ._varying_coefficients import VaryingCoefficientModel

__all__ = [
    "BRUTO",
    "GAM",
    "MARS",
    "AdditiveModel",
    "BasisExpansion",
    "BasisRegressor",
    "GAMClassifier",
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
