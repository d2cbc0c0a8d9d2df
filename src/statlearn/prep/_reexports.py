"""Transformers of scikit-learn, re-exported."""

from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import RFE, SelectFromModel, VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import LabelBinarizer, LabelEncoder, OrdinalEncoder
from sklearn.utils.class_weight import compute_class_weight

__all__ = [
    "RFE",
    "CountVectorizer",
    "LabelBinarizer",
    "LabelEncoder",
    "OrdinalEncoder",
    "SelectFromModel",
    "SimpleImputer",
    "VarianceThreshold",
    "compute_class_weight",
]
