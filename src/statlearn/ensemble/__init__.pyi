"""The public names of the family and the modules that hold them."""

from statlearn._math.rows.site_statistics import SiteStatistics

from ._bagging import BaggingClassifier, BaggingRegressor
from ._exclusive_feature_bundler import ExclusiveFeatureBundler
from ._federated import federated_average, federated_fit
from ._formulas import (
    average_variance,
    bootstrap_mean_correlation,
    majority_vote_accuracy,
    out_of_bag_share,
    weighted_median,
)
from ._model_averaging import BayesianModelAveraging
from ._reexports import (
    ClassifierChain,
    MultiOutputClassifier,
    MultiOutputRegressor,
    OutputCodeClassifier,
    RegressorChain,
)
from ._self_training import SelfTrainingClassifier
from ._sharded import ShardedClassifier, ShardedRegressor
from ._stacking import StackingClassifier, StackingRegressor
from ._voting import VotingClassifier, VotingRegressor
from .boosting._adaboost import AdaBoostClassifier
from .boosting._adaboost_regressor import AdaBoostRegressor
from .boosting._forward_stagewise import ForwardStagewise
from .boosting._gentle_boost import GentleBoostClassifier
from .boosting._gradient_booster import GradientBooster
from .boosting._gradient_boosting import GradientBoostingClassifier, GradientBoostingRegressor
from .boosting._logit_boost import LogitBoostClassifier
from .forest._extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
from .forest._isolation_forest import IsolationForest
from .forest._out_of_bag import oob_error_curve, oob_permutation_importance, voided_importance
from .forest._proximity import prototypes, proximity_matrix, proximity_outliers, proximity_plot, proximity_scaling
from .forest._random_forest import RandomForestClassifier, RandomForestRegressor
from .forest._random_trees_embedding import RandomTreesEmbedding
from .forest._tree_correlation import TreeCorrelation, relevant_split_probability, tree_correlation
from .inspection._accumulated_local_effects import accumulated_local_effects
from .inspection._additive_trees import is_sum_of_trees
from .inspection._conditional_dependence import conditional_dependence
from .inspection._partial_dependence import partial_dependence
from .inspection._permutation_importance import permutation_importance
from .inspection._tree_shap import tree_shap

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "BayesianModelAveraging",
    "ClassifierChain",
    "ExclusiveFeatureBundler",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "ForwardStagewise",
    "GentleBoostClassifier",
    "GradientBooster",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "IsolationForest",
    "LogitBoostClassifier",
    "MultiOutputClassifier",
    "MultiOutputRegressor",
    "OutputCodeClassifier",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomTreesEmbedding",
    "RegressorChain",
    "SelfTrainingClassifier",
    "ShardedClassifier",
    "ShardedRegressor",
    "SiteStatistics",
    "StackingClassifier",
    "StackingRegressor",
    "TreeCorrelation",
    "VotingClassifier",
    "VotingRegressor",
    "accumulated_local_effects",
    "average_variance",
    "bootstrap_mean_correlation",
    "conditional_dependence",
    "federated_average",
    "federated_fit",
    "is_sum_of_trees",
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
