"""The public names of the family and the modules that hold them."""

from ._encode import KBinsDiscretizer, MedianSplit, OneHotEncoder
from ._function import FunctionTransformer
from ._moments import correlation_heatmap, correlation_matrix, covariance_matrix
from ._polynomial import FeatureCrosses, PolynomialFeatures
from ._reexports import (
    RFE,
    CountVectorizer,
    LabelBinarizer,
    LabelEncoder,
    OrdinalEncoder,
    SelectFromModel,
    SimpleImputer,
    VarianceThreshold,
    compute_class_weight,
)
from ._scale import Normalizer, RobustScaler, StandardScaler
from ._table import TableTransformer

__all__ = [
    "RFE",
    "CountVectorizer",
    "FeatureCrosses",
    "FunctionTransformer",
    "KBinsDiscretizer",
    "LabelBinarizer",
    "LabelEncoder",
    "MedianSplit",
    "Normalizer",
    "OneHotEncoder",
    "OrdinalEncoder",
    "PolynomialFeatures",
    "RobustScaler",
    "SelectFromModel",
    "SimpleImputer",
    "StandardScaler",
    "TableTransformer",
    "VarianceThreshold",
    "compute_class_weight",
    "correlation_heatmap",
    "correlation_matrix",
    "covariance_matrix",
]
