"""The public names and the modules that hold them."""

from ._baseline import BaselineClassifier, BaselineRegressor

__all__ = ["BaselineClassifier", "BaselineRegressor"]
