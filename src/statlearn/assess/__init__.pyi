"""The public names and the modules that hold them."""

from ._baseline import BaselineClassifier, BaselineRegressor
from ._bootstrap import bootstrap_difference, bootstrap_interval
from ._conformal_classification import ConformalClassifier
from ._conformal_regression import ConformalRegressor
from ._curves import learning_curve, validation_curve
from ._intervals import delong_interval, delong_test, score_interval
from ._nested import nested_cross_validate
from ._one_se import one_standard_error
from ._permutation import permutation_importance_interval
from ._probability import deviance, log_likelihood
from ._search import GridSearchCV, RandomizedSearchCV
from ._tests_many import anova, friedman_test
from ._tests_paired import (
    corrected_resampled_ttest,
    five_by_two_cv_test,
    five_by_two_test,
    mcnemar,
    mcnemar_counts,
    paired_ttest,
    ttest,
    wilcoxon_signed_rank,
)

__all__ = [
    "BaselineClassifier",
    "BaselineRegressor",
    "ConformalClassifier",
    "ConformalRegressor",
    "GridSearchCV",
    "RandomizedSearchCV",
    "anova",
    "bootstrap_difference",
    "bootstrap_interval",
    "corrected_resampled_ttest",
    "delong_interval",
    "delong_test",
    "deviance",
    "five_by_two_cv_test",
    "five_by_two_test",
    "friedman_test",
    "learning_curve",
    "log_likelihood",
    "mcnemar",
    "mcnemar_counts",
    "nested_cross_validate",
    "one_standard_error",
    "paired_ttest",
    "permutation_importance_interval",
    "score_interval",
    "ttest",
    "validation_curve",
    "wilcoxon_signed_rank",
]
