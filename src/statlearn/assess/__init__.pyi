"""The public names and the modules that hold them."""

from ._baseline import BaselineClassifier, BaselineRegressor
from ._curves import learning_curve, validation_curve
from ._nested import nested_cross_validate
from ._one_se import one_standard_error
from ._permutation import permutation_importance_interval
from ._search import GridSearchCV, RandomizedSearchCV

__all__ = [
    "BaselineClassifier",
    "BaselineRegressor",
    "GridSearchCV",
    "RandomizedSearchCV",
    "learning_curve",
    "nested_cross_validate",
    "one_standard_error",
    "permutation_importance_interval",
    "validation_curve",
]
