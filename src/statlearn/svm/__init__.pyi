"""The public names of the family and the modules that hold them."""

from ._hard_margin import HardMarginSVC, NotSeparableError
from ._kkt import kkt_report
from ._landmarks import RBFLandmarks
from ._linear_svc import LinearSVC, l1_min_c
from ._linear_svr import LinearSVR
from ._margins import dataset_margin, margin_loss, population_minimizer
from ._nu_svc import NuSVC
from ._one_class import OneClassSVM
from ._one_vs_one import OneVsOneClassifier
from ._path import svm_path
from ._separators import compare_separators, model_choice_hint
from ._sgd_classifier import SGDClassifier
from ._sgd_one_class import SGDOneClassSVM
from ._sgd_path import hinge_sgd_path
from ._sgd_regressor import SGDRegressor
from ._smo import smo_solve, smo_step
from ._svc import SVC
from ._svc_cv import SVCCV
from ._svr import SVR, NuSVR

__all__ = [
    "SVC",
    "SVCCV",
    "SVR",
    "HardMarginSVC",
    "LinearSVC",
    "LinearSVR",
    "NotSeparableError",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "OneVsOneClassifier",
    "RBFLandmarks",
    "SGDClassifier",
    "SGDOneClassSVM",
    "SGDRegressor",
    "compare_separators",
    "dataset_margin",
    "hinge_sgd_path",
    "kkt_report",
    "l1_min_c",
    "margin_loss",
    "model_choice_hint",
    "population_minimizer",
    "smo_solve",
    "smo_step",
    "svm_path",
]
