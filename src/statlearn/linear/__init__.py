"""Linear models for regression and classification."""

from ._lars import Lars, LarsCV, LassoLars, LassoLarsCV, LassoLarsIC, lars_path, lars_path_gram
from ._quantile import LADRegressor, QuantileRegressor
from ._regularized import RegularizedLinearClassifier, RegularizedLinearRegressor

__all__ = [
    "LADRegressor",
    "Lars",
    "LarsCV",
    "LassoLars",
    "LassoLarsCV",
    "LassoLarsIC",
    "QuantileRegressor",
    "RegularizedLinearClassifier",
    "RegularizedLinearRegressor",
    "lars_path",
    "lars_path_gram",
]
