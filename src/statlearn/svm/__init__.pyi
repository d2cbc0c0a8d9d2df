"""The public names of the family and the modules that hold them."""

from ._linear_svc import LinearSVC, l1_min_c
from ._linear_svr import LinearSVR
from ._one_class import OneClassSVM
from ._svc import SVC, NuSVC
from ._svr import SVR, NuSVR

__all__ = [
    "SVC",
    "SVR",
    "LinearSVC",
    "LinearSVR",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "l1_min_c",
]
