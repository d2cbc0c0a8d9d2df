"""Linear models for regression and classification."""

from ._best_subset import BestSubsetRegressor
from ._huber import HuberRegressor
from ._lars import Lars, LarsCV, LassoLars, LassoLarsCV, LassoLarsIC, lars_path, lars_path_gram
from ._linear_regression import LinearRegression
from ._perceptron import Perceptron
from ._quantile import LADRegressor, QuantileRegressor
from ._regularized import RegularizedLinearClassifier, RegularizedLinearRegressor
from ._ridge import Ridge, RidgeClassifier, ridge_moments, ridge_path
from ._ridge_cv import RidgeClassifierCV, RidgeCV, RidgeIC
from ._stepwise import StepwiseRegressor
from ._student import StudentTRegressor

__all__ = [
    "BestSubsetRegressor",
    "HuberRegressor",
    "LADRegressor",
    "Lars",
    "LarsCV",
    "LassoLars",
    "LassoLarsCV",
    "LassoLarsIC",
    "LinearRegression",
    "Perceptron",
    "QuantileRegressor",
    "RegularizedLinearClassifier",
    "RegularizedLinearRegressor",
    "Ridge",
    "RidgeCV",
    "RidgeClassifier",
    "RidgeClassifierCV",
    "RidgeIC",
    "StepwiseRegressor",
    "StudentTRegressor",
    "lars_path",
    "lars_path_gram",
    "ridge_moments",
    "ridge_path",
]
