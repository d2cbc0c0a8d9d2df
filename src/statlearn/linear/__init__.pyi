"""The public names of the family and the modules that hold them."""

from ._nested_models import deviance_test
from ._penalty import convert_penalty
from ._regularized import RegularizedLinearClassifier, RegularizedLinearRegressor
from ._shrinkage_operators import hard_threshold, proportional_shrink, soft_threshold
from .bayesian._bayesian_ridge import ARDRegression, BayesianRidge
from .bayesian._posterior_mode import MAPRegressor
from .classifiers._hyperplane import half_space, hyperplane_distance
from .classifiers._least_squares import LeastSquaresClassifier
from .classifiers._one_vs_rest import OneVsRestClassifier
from .classifiers._perceptron import Perceptron
from .classifiers._representative import RepresentativeClassifier
from .components._pcr import PrincipalComponentRegression
from .components._pls import PartialLeastSquares
from .factorization._factorization import FactorizationMachineClassifier, FactorizationMachineRegressor
from .glm._cv import GeneralizedLinearRegressorCV, glm_path
from .glm._glm import GeneralizedLinearRegressor
from .glm._named_families import GammaRegressor, PoissonRegressor, TweedieRegressor
from .lars._cv import LarsCV, LassoLarsCV, LassoLarsIC
from .lars._lars import Lars, LassoLars
from .lars._path import lars_path, lars_path_gram
from .lasso._adaptive import AdaptiveLasso
from .lasso._bridge import BridgeRegression
from .lasso._constrained import constrained_ls, path_to_budget
from .lasso._cv import ElasticNetCV, LassoCV
from .lasso._group import GroupLasso, GroupLassoCV, group_lasso_path
from .lasso._lasso import ElasticNet, Lasso
from .lasso._multi_task import MultiTaskElasticNet, MultiTaskLasso
from .lasso._multi_task_cv import MultiTaskElasticNetCV, MultiTaskLassoCV
from .lasso._nonconvex import NonconvexRegressor, NonconvexRegressorCV, nonconvex_path
from .lasso._path import enet_path, lasso_path
from .least_squares._effective_df import effective_df
from .least_squares._influence import hat_matrix, influence, leverage, variance_inflation
from .least_squares._linear_regression import LinearRegression
from .least_squares._recursive import RecursiveLeastSquares, sherman_morrison
from .logistic._cv import LogisticRegressionCV
from .logistic._derivatives import logistic_derivatives
from .logistic._logistic import LogisticRegression
from .logistic._path import logistic_path
from .logistic._sigmoid import expit, general_logistic, logit, softmax
from .ridge._classifier import RidgeClassifier
from .ridge._cv import RidgeClassifierCV, RidgeCV
from .ridge._ic import RidgeIC
from .ridge._path import ridge_moments, ridge_path
from .ridge._ridge import Ridge
from .robust._huber import HuberRegressor
from .robust._quantile import LADRegressor, QuantileRegressor
from .robust._student import StudentTRegressor
from .subset._best_subset import BestSubsetRegressor
from .subset._forward_enhance import forward_enhance
from .subset._matching_pursuit import (
    OrthogonalMatchingPursuit,
    OrthogonalMatchingPursuitCV,
    orthogonal_mp,
    orthogonal_mp_gram,
)
from .subset._stagewise import ForwardStagewiseRegressor
from .subset._stepwise import StepwiseRegressor
from .subset._stepwise_logistic import StepwiseLogistic

__all__ = [
    "ARDRegression",
    "AdaptiveLasso",
    "BayesianRidge",
    "BestSubsetRegressor",
    "BridgeRegression",
    "ElasticNet",
    "ElasticNetCV",
    "FactorizationMachineClassifier",
    "FactorizationMachineRegressor",
    "ForwardStagewiseRegressor",
    "GammaRegressor",
    "GeneralizedLinearRegressor",
    "GeneralizedLinearRegressorCV",
    "GroupLasso",
    "GroupLassoCV",
    "HuberRegressor",
    "LADRegressor",
    "Lars",
    "LarsCV",
    "Lasso",
    "LassoCV",
    "LassoLars",
    "LassoLarsCV",
    "LassoLarsIC",
    "LeastSquaresClassifier",
    "LinearRegression",
    "LogisticRegression",
    "LogisticRegressionCV",
    "MAPRegressor",
    "MultiTaskElasticNet",
    "MultiTaskElasticNetCV",
    "MultiTaskLasso",
    "MultiTaskLassoCV",
    "NonconvexRegressor",
    "NonconvexRegressorCV",
    "OneVsRestClassifier",
    "OrthogonalMatchingPursuit",
    "OrthogonalMatchingPursuitCV",
    "PartialLeastSquares",
    "Perceptron",
    "PoissonRegressor",
    "PrincipalComponentRegression",
    "QuantileRegressor",
    "RecursiveLeastSquares",
    "RegularizedLinearClassifier",
    "RegularizedLinearRegressor",
    "RepresentativeClassifier",
    "Ridge",
    "RidgeCV",
    "RidgeClassifier",
    "RidgeClassifierCV",
    "RidgeIC",
    "StepwiseLogistic",
    "StepwiseRegressor",
    "StudentTRegressor",
    "TweedieRegressor",
    "constrained_ls",
    "convert_penalty",
    "deviance_test",
    "effective_df",
    "enet_path",
    "expit",
    "forward_enhance",
    "general_logistic",
    "glm_path",
    "group_lasso_path",
    "half_space",
    "hard_threshold",
    "hat_matrix",
    "hyperplane_distance",
    "influence",
    "lars_path",
    "lars_path_gram",
    "lasso_path",
    "leverage",
    "logistic_derivatives",
    "logistic_path",
    "logit",
    "nonconvex_path",
    "orthogonal_mp",
    "orthogonal_mp_gram",
    "path_to_budget",
    "proportional_shrink",
    "ridge_moments",
    "ridge_path",
    "sherman_morrison",
    "soft_threshold",
    "softmax",
    "variance_inflation",
]
