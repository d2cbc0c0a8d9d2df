"""Linear models for regression and classification."""

from ._lars import Lars, LarsCV, LassoLars, LassoLarsCV, LassoLarsIC, lars_path, lars_path_gram
from ._quantile import LADRegressor, QuantileRegressor

__all__ = [
    "LADRegressor",
    "Lars",
    "LarsCV",
    "LassoLars",
    "LassoLarsCV",
    "LassoLarsIC",
    "QuantileRegressor",
    "lars_path",
    "lars_path_gram",
]
