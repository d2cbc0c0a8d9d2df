"""The public names of the family and the modules that hold them."""

from ._c45 import C45Classifier
from ._c50 import C50Classifier
from ._candidate_splits import candidate_splits
from ._complexity import tree_complexity
from ._decision_list import DecisionList
from ._differential import differential_cross_entropy, differential_kl
from ._entropy import (
    conditional_entropy,
    cross_entropy,
    differential_entropy,
    entropy,
    joint_entropy,
    kl_divergence,
    log_sum_inequality_gap,
    mutual_information,
    self_information,
)
from ._export import export_text
from ._extra_tree import ExtraTreeClassifier, ExtraTreeRegressor
from ._hunt import HuntTree
from ._id3 import ID3Classifier
from ._impurity import gain_ratio, gini_decrease, impurity, information_gain
from ._model_tree import ModelTreeRegressor
from ._oblique import ObliqueTreeClassifier, ObliqueTreeRegressor
from ._plot_tree import plot_partition, plot_tree
from ._prim import PRIM, peel_count
from ._pruning import prune_cv
from ._reduced_error import prune_reduced_error, subtree_raising
from ._rotated import RotatedTree
from ._tree import DecisionTreeClassifier, DecisionTreeRegressor
from ._tree_rules import rules_from_tree

__all__ = [
    "PRIM",
    "C45Classifier",
    "C50Classifier",
    "DecisionList",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "HuntTree",
    "ID3Classifier",
    "ModelTreeRegressor",
    "ObliqueTreeClassifier",
    "ObliqueTreeRegressor",
    "RotatedTree",
    "candidate_splits",
    "conditional_entropy",
    "cross_entropy",
    "differential_cross_entropy",
    "differential_entropy",
    "differential_kl",
    "entropy",
    "export_text",
    "gain_ratio",
    "gini_decrease",
    "impurity",
    "information_gain",
    "joint_entropy",
    "kl_divergence",
    "log_sum_inequality_gap",
    "mutual_information",
    "peel_count",
    "plot_partition",
    "plot_tree",
    "prune_cv",
    "prune_reduced_error",
    "rules_from_tree",
    "self_information",
    "subtree_raising",
    "tree_complexity",
]
