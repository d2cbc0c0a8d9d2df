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
from ._pipelines import make_column_transformer, make_pipeline, make_union
from ._polynomial import FeatureCrosses, PolynomialFeatures
from ._reexports import (
    RFE,
    RFECV,
    Binarizer,
    ColumnTransformer,
    CountVectorizer,
    DictVectorizer,
    FeatureHasher,
    FeatureUnion,
    GenericUnivariateSelect,
    HashingVectorizer,
    KNNImputer,
    LabelBinarizer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    MissingIndicator,
    MultiLabelBinarizer,
    OrdinalEncoder,
    PatchExtractor,
    Pipeline,
    PowerTransformer,
    QuantileTransformer,
    SelectFdr,
    SelectFpr,
    SelectFromModel,
    SelectFwe,
    SelectKBest,
    SelectPercentile,
    SimpleImputer,
    TargetEncoder,
    TransformedTargetRegressor,
    VarianceThreshold,
    compute_class_weight,
    make_column_selector,
)
from ._sample import SMOTE, RandomOverSampler, RandomUnderSampler, SimilarityUnderSampler
from ._sampling_pipeline import SamplingPipeline
from ._scale import Normalizer, RobustScaler, StandardScaler
from ._select import DensitySimilaritySelector, SequentialFeatureSelector
from ._series import SeriesFeatures
from ._simulated_data import make_scenario
from ._table import NoColumnsLeftError, TableTransformer
from ._text import BinaryVectorizer, TfidfTransformer, TfidfVectorizer
from ._univariate_scores import (
    chi2,
    f_classif,
    f_regression,
    mutual_info_classif,
    mutual_info_regression,
    r_regression,
)
from ._word_encoder import WordIndexer

__all__ = [
    "RFE",
    "RFECV",
    "SMOTE",
    "Binarizer",
    "BinaryVectorizer",
    "ColumnTransformer",
    "CountVectorizer",
    "DensitySimilaritySelector",
    "DictVectorizer",
    "DropMissing",
    "FeatureCrosses",
    "FeatureHasher",
    "FeatureUnion",
    "FormulaModel",
    "FormulaTransformer",
    "FunctionTransformer",
    "GenericUnivariateSelect",
    "HashingVectorizer",
    "ImageFeatures",
    "ImageFlattener",
    "ImagePatches",
    "KBinsDiscretizer",
    "KNNImputer",
    "LabelBinarizer",
    "LabelEncoder",
    "MaxAbsScaler",
    "MedianSplit",
    "MinMaxScaler",
    "MissingIndicator",
    "ModelImputer",
    "MultiLabelBinarizer",
    "NoColumnsLeftError",
    "Normalizer",
    "OneHotEncoder",
    "OrdinalEncoder",
    "OutlierFilter",
    "PatchExtractor",
    "Pipeline",
    "PolynomialFeatures",
    "PowerTransformer",
    "QuantileTransformer",
    "RandomOverSampler",
    "RandomUnderSampler",
    "RobustScaler",
    "SamplingPipeline",
    "SelectFdr",
    "SelectFpr",
    "SelectFromModel",
    "SelectFwe",
    "SelectKBest",
    "SelectPercentile",
    "SequentialFeatureSelector",
    "SeriesFeatures",
    "SimilarityUnderSampler",
    "SimpleImputer",
    "StandardScaler",
    "TableTransformer",
    "TargetEncoder",
    "TfidfTransformer",
    "TfidfVectorizer",
    "TransformedTargetRegressor",
    "VarianceThreshold",
    "WordIndexer",
    "chi2",
    "compute_class_weight",
    "correlation_heatmap",
    "correlation_matrix",
    "covariance_matrix",
    "covariate_shift_weights",
    "f_classif",
    "f_regression",
    "from_formula",
    "make_column_selector",
    "make_column_transformer",
    "make_pipeline",
    "make_scenario",
    "make_union",
    "mutual_info_classif",
    "mutual_info_regression",
    "optical_flow",
    "r_regression",
]
