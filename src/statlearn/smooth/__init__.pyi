"""The public names of the family and the modules that hold them."""

from ._equivalent_kernel import equivalent_kernel
from ._mars import MARS
from ._mars_classifier import MARSClassifier
from ._mars_terms import reflected_pairs
from ._smoothing_spline import SmoothingSpline, df_to_lambda, lambda_to_df

__all__ = [
    "MARS",
    "MARSClassifier",
    "SmoothingSpline",
    "df_to_lambda",
    "equivalent_kernel",
    "lambda_to_df",
    "reflected_pairs",
]
