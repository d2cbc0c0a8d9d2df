"""The public names of the family and the modules that hold them."""

from ._covariate_shift import covariate_shift_weights
from ._encode import KBinsDiscretizer, MedianSplit, OneHotEncoder
from ._formula import FormulaTransformer
from ._formula_model import FormulaModel, from_formula
from ._function import FunctionTransformer
from ._image import ImageFlattener, ImagePatches
from ._image_features import ImageFeatures
from ._impute import DropMissing, ModelImputer
from ._moments import correlation_heatmap, correlation_matrix, covariance_matrix
from ._optical_flow import optical_flow
from ._outliers import OutlierFilter
from ._polynomial import FeatureCrosses, PolynomialFeatures
from ._reexports import (
    RFE,
    CountVectorizer,
    LabelBinarizer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    SelectFromModel,
    SimpleImputer,
    VarianceThreshold,
    compute_class_weight,
)
from ._sample import SMOTE, RandomOverSampler, RandomUnderSampler, SimilarityUnderSampler
from ._sampling_pipeline import SamplingPipeline
from ._scale import Normalizer, RobustScaler, StandardScaler
from ._select import DensitySimilaritySelector, SequentialFeatureSelector
from ._series import SeriesFeatures
from ._simulated_data import make_scenario
from ._table import NoColumnsLeftError, TableTransformer
from ._text import BinaryVectorizer, TfidfTransformer, TfidfVectorizer
from ._word_encoder import WordIndexer

__all__ = [
    "RFE",
    "SMOTE",
    "BinaryVectorizer",
    "CountVectorizer",
    "DensitySimilaritySelector",
    "DropMissing",
    "FeatureCrosses",
    "FormulaModel",
    "FormulaTransformer",
    "FunctionTransformer",
    "ImageFeatures",
    "ImageFlattener",
    "ImagePatches",
    "KBinsDiscretizer",
    "LabelBinarizer",
    "LabelEncoder",
    "MaxAbsScaler",
    "MedianSplit",
    "MinMaxScaler",
    "ModelImputer",
    "NoColumnsLeftError",
    "Normalizer",
    "OneHotEncoder",
    "OrdinalEncoder",
    "OutlierFilter",
    "PolynomialFeatures",
    "PowerTransformer",
    "QuantileTransformer",
    "RandomOverSampler",
    "RandomUnderSampler",
    "RobustScaler",
    "SamplingPipeline",
    "SelectFromModel",
    "SequentialFeatureSelector",
    "SeriesFeatures",
    "SimilarityUnderSampler",
    "SimpleImputer",
    "StandardScaler",
    "TableTransformer",
    "TfidfTransformer",
    "TfidfVectorizer",
    "VarianceThreshold",
    "WordIndexer",
    "compute_class_weight",
    "correlation_heatmap",
    "correlation_matrix",
    "covariance_matrix",
    "covariate_shift_weights",
    "from_formula",
    "make_scenario",
    "optical_flow",
]
