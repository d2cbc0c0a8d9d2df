"""Linear models for regression and classification."""

from ._quantile import LADRegressor, QuantileRegressor

__all__ = [
    "LADRegressor",
    "QuantileRegressor",
]
