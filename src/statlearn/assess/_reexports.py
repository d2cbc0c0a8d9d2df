"""Models and meta-estimators of scikit-learn that assess or adjust others, re-exported."""

from sklearn.calibration import CalibratedClassifierCV
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import (
    FixedThresholdClassifier,
    ParameterGrid,
    ParameterSampler,
    TunedThresholdClassifierCV,
)

__all__ = [
    "CalibratedClassifierCV",
    "DummyClassifier",
    "DummyRegressor",
    "FixedThresholdClassifier",
    "FrozenEstimator",
    "ParameterGrid",
    "ParameterSampler",
    "TunedThresholdClassifierCV",
]
