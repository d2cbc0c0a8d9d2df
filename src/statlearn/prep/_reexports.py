"""Transformers of scikit-learn, re-exported."""

from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import RFE, SelectFromModel, VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import (
    LabelBinarizer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
)
from sklearn.utils.class_weight import compute_class_weight

__all__ = [
    "RFE",
    "CountVectorizer",
    "LabelBinarizer",
    "LabelEncoder",
    "MaxAbsScaler",
    "MinMaxScaler",
    "OrdinalEncoder",
    "PowerTransformer",
    "QuantileTransformer",
    "SelectFromModel",
    "SimpleImputer",
    "VarianceThreshold",
    "compute_class_weight",
]
