"""The public names of the family and the modules that hold them."""

from ._entropy import (
    conditional_entropy,
    cross_entropy,
    differential_entropy,
    entropy,
    gain_ratio,
    gini_decrease,
    impurity,
    information_gain,
    joint_entropy,
    kl_divergence,
    log_sum_inequality_gap,
    mutual_information,
    self_information,
)

__all__ = [
    "conditional_entropy",
    "cross_entropy",
    "differential_entropy",
    "entropy",
    "gain_ratio",
    "gini_decrease",
    "impurity",
    "information_gain",
    "joint_entropy",
    "kl_divergence",
    "log_sum_inequality_gap",
    "mutual_information",
    "self_information",
]
