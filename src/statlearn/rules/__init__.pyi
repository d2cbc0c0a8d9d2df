"""The public names of the family and the modules that hold them."""

from ._apriori import apriori
from ._association import AssociationRules
from ._baskets import Baskets
from ._binarize import BinarizeDataset
from ._density_ratio import DensityRatio, density_ratio
from ._encoder import TransactionEncoder
from ._four_fold import four_fold_rules
from ._fp_tree import FPTree
from ._frequency import frequency_comparison
from ._generalized import GeneralizedRules
from ._hmine import HyperStructure, hmine
from ._itemsets import Itemsets
from ._metrics import rule_metrics
from ._mine import brute_force_itemsets, fpclose, fpgrowth, fpmax, frequent_itemsets, supports_from_closed
from ._plots import plot_frequency_comparison, plot_rule_graph, plot_rules
from ._rules import Rules, association_rules, filter_rules, rule_improvement
from ._significance import evaluate_rules, lift_interval, rule_significance

__all__ = [
    "AssociationRules",
    "Baskets",
    "BinarizeDataset",
    "DensityRatio",
    "FPTree",
    "GeneralizedRules",
    "HyperStructure",
    "Itemsets",
    "Rules",
    "TransactionEncoder",
    "apriori",
    "association_rules",
    "brute_force_itemsets",
    "density_ratio",
    "evaluate_rules",
    "filter_rules",
    "four_fold_rules",
    "fpclose",
    "fpgrowth",
    "fpmax",
    "frequency_comparison",
    "frequent_itemsets",
    "hmine",
    "lift_interval",
    "plot_frequency_comparison",
    "plot_rule_graph",
    "plot_rules",
    "rule_improvement",
    "rule_metrics",
    "rule_significance",
    "supports_from_closed",
]
