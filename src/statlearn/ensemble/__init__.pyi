"""The public names of the family and the modules that hold them."""

from ._adaboost import AdaBoostClassifier
from ._adaboost_regressor import AdaBoostRegressor
from ._ale import accumulated_local_effects
from ._bagging import BaggingClassifier, BaggingRegressor
from ._bundler import ExclusiveFeatureBundler
from ._conditional_dependence import conditional_dependence
from ._extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
from ._formulas import (
    average_variance,
    bootstrap_mean_correlation,
    majority_vote_accuracy,
    out_of_bag_share,
    weighted_median,
)
from ._forward_stagewise import ForwardStagewise
from ._gentle_boost import GentleBoostClassifier
from ._gradient_booster import GradientBooster
from ._gradient_boosting import GradientBoostingClassifier, GradientBoostingRegressor
from ._logit_boost import LogitBoostClassifier
from ._model_averaging import BayesianModelAveraging
from ._oob import oob_error_curve, oob_permutation_importance, voided_importance
from ._partial_dependence import partial_dependence
from ._permutation_importance import permutation_importance
from ._proximity import prototypes, proximity_matrix, proximity_outliers, proximity_plot, proximity_scaling
from ._random_forest import RandomForestClassifier, RandomForestRegressor
from ._random_trees_embedding import RandomTreesEmbedding
from ._stacking import StackingClassifier, StackingRegressor
from ._tree_correlation import TreeCorrelation, relevant_split_probability, tree_correlation
from ._tree_shap import tree_shap
from ._voting import VotingClassifier, VotingRegressor

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "BayesianModelAveraging",
    "ExclusiveFeatureBundler",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "ForwardStagewise",
    "GentleBoostClassifier",
    "GradientBooster",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "LogitBoostClassifier",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomTreesEmbedding",
    "StackingClassifier",
    "StackingRegressor",
    "TreeCorrelation",
    "VotingClassifier",
    "VotingRegressor",
    "accumulated_local_effects",
    "average_variance",
    "bootstrap_mean_correlation",
    "conditional_dependence",
    "majority_vote_accuracy",
    "oob_error_curve",
    "oob_permutation_importance",
    "out_of_bag_share",
    "partial_dependence",
    "permutation_importance",
    "prototypes",
    "proximity_matrix",
    "proximity_outliers",
    "proximity_plot",
    "proximity_scaling",
    "relevant_split_probability",
    "tree_correlation",
    "tree_shap",
    "voided_importance",
    "weighted_median",
]
