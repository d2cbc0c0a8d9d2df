"""Models of several classes or responses made of others, from scikit-learn, re-exported."""

from sklearn.multiclass import OutputCodeClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier, MultiOutputRegressor, RegressorChain

__all__ = [
    "ClassifierChain",
    "MultiOutputClassifier",
    "MultiOutputRegressor",
    "OutputCodeClassifier",
    "RegressorChain",
]
