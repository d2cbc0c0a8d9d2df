"""The public names of the family and the modules that hold them."""

from ._one_class import OneClassSVM
from ._svc import SVC, NuSVC
from ._svr import SVR, NuSVR

__all__ = [
    "SVC",
    "SVR",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
]
