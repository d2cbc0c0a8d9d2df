"""The public names of the family and the modules that hold them."""

from ._formulas import (
    average_variance,
    bootstrap_mean_correlation,
    majority_vote_accuracy,
    out_of_bag_share,
    weighted_median,
)
from ._gradient_boosting import GradientBoostingClassifier, GradientBoostingRegressor

__all__ = [
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "average_variance",
    "bootstrap_mean_correlation",
    "majority_vote_accuracy",
    "out_of_bag_share",
    "weighted_median",
]
