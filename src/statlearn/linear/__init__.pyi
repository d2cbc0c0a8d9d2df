"""The public names of the family and the modules that hold them."""

from ._adaptive_lasso import AdaptiveLasso
from ._bayesian_ridge import ARDRegression, BayesianRidge
from ._best_subset import BestSubsetRegressor
from ._bridge import BridgeRegression
from ._constrained import constrained_ls, path_to_budget
from ._effective_df import effective_df
from ._enhance import forward_enhance
from ._factorization import FactorizationMachineClassifier, FactorizationMachineRegressor
from ._glm import GeneralizedLinearRegressor
from ._glm_cv import GeneralizedLinearRegressorCV, glm_path
from ._glm_inference import deviance_test
from ._glm_sklearn import GammaRegressor, PoissonRegressor, TweedieRegressor
from ._group_lasso import GroupLasso, GroupLassoCV, group_lasso_path
from ._huber import HuberRegressor
from ._hyperplane import half_space, hyperplane_distance
from ._influence import hat_matrix, influence, leverage, variance_inflation
from ._lars import Lars, LassoLars
from ._lars_cv import LarsCV, LassoLarsCV, LassoLarsIC
from ._lars_path import lars_path, lars_path_gram
from ._lasso import ElasticNet, Lasso
from ._lasso_cv import ElasticNetCV, LassoCV
from ._lasso_path import enet_path, lasso_path
from ._least_squares_classifier import LeastSquaresClassifier
from ._linear_regression import LinearRegression
from ._logistic import LogisticRegression
from ._logistic_cv import LogisticRegressionCV
from ._logistic_path import logistic_path
from ._map import MAPRegressor
from ._matching_pursuit import (
    OrthogonalMatchingPursuit,
    OrthogonalMatchingPursuitCV,
    orthogonal_mp,
    orthogonal_mp_gram,
)
from ._nonconvex import NonconvexRegressor, NonconvexRegressorCV, nonconvex_path
from ._one_vs_rest import OneVsRestClassifier
from ._pcr import PrincipalComponentRegression
from ._penalty import convert_penalty
from ._perceptron import Perceptron
from ._pls import PartialLeastSquares
from ._quantile import LADRegressor, QuantileRegressor
from ._recursive import RecursiveLeastSquares, sherman_morrison
from ._regularized import RegularizedLinearClassifier, RegularizedLinearRegressor
from ._representative import RepresentativeClassifier
from ._ridge import Ridge
from ._ridge_classifier import RidgeClassifier
from ._ridge_cv import RidgeClassifierCV, RidgeCV
from ._ridge_ic import RidgeIC
from ._ridge_path import ridge_moments, ridge_path
from ._sigmoid import expit, general_logistic, logit, softmax
from ._stagewise import ForwardStagewiseRegressor
from ._stepwise import StepwiseRegressor
from ._stepwise_logistic import StepwiseLogistic
from ._student import StudentTRegressor
from ._thresholds import hard_threshold, proportional_shrink, soft_threshold

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
