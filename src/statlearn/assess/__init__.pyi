"""The public names and the modules that hold them."""

from . import losses as losses
from ._baseline import BaselineClassifier, BaselineRegressor
from ._bootstrap import bootstrap_difference, bootstrap_interval
from ._conformal_classification import ConformalClassifier
from ._conformal_regression import ConformalRegressor
from ._cross_validation import cross_val_score, cross_validate
from ._curves import learning_curve, validation_curve
from ._intervals import delong_interval, delong_test, score_interval
from ._nested import nested_cross_validate
from ._one_se import one_standard_error
from ._permutation import permutation_importance_interval
from ._probability import deviance, log_likelihood
from ._risk import empirical_risk, expected_risk
from ._search import GridSearchCV, RandomizedSearchCV
from ._smoothers import gcv_score, loo_shortcut, smoother_matrix
from ._splits import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    LeavePOut,
    PredefinedSplit,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    check_cv,
    cross_val_predict,
    train_test_split,
    train_validation_test_split,
    two_thirds_split,
)
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
    "GroupKFold",
    "GroupShuffleSplit",
    "KFold",
    "LeaveOneGroupOut",
    "LeaveOneOut",
    "LeavePOut",
    "PredefinedSplit",
    "RandomizedSearchCV",
    "RepeatedKFold",
    "RepeatedStratifiedKFold",
    "ShuffleSplit",
    "StratifiedGroupKFold",
    "StratifiedKFold",
    "StratifiedShuffleSplit",
    "TimeSeriesSplit",
    "anova",
    "bootstrap_difference",
    "bootstrap_interval",
    "check_cv",
    "corrected_resampled_ttest",
    "cross_val_predict",
    "cross_val_score",
    "cross_validate",
    "delong_interval",
    "delong_test",
    "deviance",
    "empirical_risk",
    "expected_risk",
    "five_by_two_cv_test",
    "five_by_two_test",
    "friedman_test",
    "gcv_score",
    "learning_curve",
    "log_likelihood",
    "loo_shortcut",
    "mcnemar",
    "mcnemar_counts",
    "nested_cross_validate",
    "one_standard_error",
    "paired_ttest",
    "permutation_importance_interval",
    "score_interval",
    "smoother_matrix",
    "train_test_split",
    "train_validation_test_split",
    "ttest",
    "two_thirds_split",
    "validation_curve",
    "wilcoxon_signed_rank",
]
