"""Transformers, selectors and pipelines of scikit-learn, re-exported, and its weights of classes in our words."""

from sklearn.compose import (
    ColumnTransformer,
    TransformedTargetRegressor,
    make_column_selector,
)
from sklearn.feature_extraction import DictVectorizer, FeatureHasher
from sklearn.feature_extraction.image import PatchExtractor
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from sklearn.feature_selection import (
    RFE,
    RFECV,
    GenericUnivariateSelect,
    SelectFdr,
    SelectFpr,
    SelectFromModel,
    SelectFwe,
    SelectKBest,
    SelectPercentile,
    VarianceThreshold,
)
from sklearn.impute import KNNImputer, MissingIndicator, SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import (
    Binarizer,
    LabelBinarizer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    MultiLabelBinarizer,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    TargetEncoder,
)
from sklearn.utils import class_weight as _class_weight

from statlearn._core.reexport import same_call

__all__ = [
    "RFE",
    "RFECV",
    "Binarizer",
    "ColumnTransformer",
    "CountVectorizer",
    "DictVectorizer",
    "FeatureHasher",
    "FeatureUnion",
    "GenericUnivariateSelect",
    "HashingVectorizer",
    "KNNImputer",
    "LabelBinarizer",
    "LabelEncoder",
    "MaxAbsScaler",
    "MinMaxScaler",
    "MissingIndicator",
    "MultiLabelBinarizer",
    "OrdinalEncoder",
    "PatchExtractor",
    "Pipeline",
    "PowerTransformer",
    "QuantileTransformer",
    "SelectFdr",
    "SelectFpr",
    "SelectFromModel",
    "SelectFwe",
    "SelectKBest",
    "SelectPercentile",
    "SimpleImputer",
    "TargetEncoder",
    "TransformedTargetRegressor",
    "VarianceThreshold",
    "compute_class_weight",
    "make_column_selector",
]


@same_call(_class_weight.compute_class_weight)
def compute_class_weight():
    r"""Weights of classes, such as those that make classes of different sizes count alike.

    .. math:: w_k = \frac{n}{K n_k} \qquad \text{with "balanced"}

    Estimators take them as ``class_weight="balanced"`` themselves. Weights change predicted probabilities; for
    another cost of errors, move the threshold instead (:func:`statlearn.assess.choose_threshold`).

    Parameters
    ----------
    class_weight : dict, "balanced" or None
        Weight of each class; None means 1.
    classes : ndarray of shape (n_classes,)
        The classes, in the order of the result.
    y : array-like of shape (n,)
        Labels.
    sample_weight : array-like of shape (n,) or None, default=None
        Weights of rows, for "balanced" (scikit-learn 1.9 and newer).

    Returns
    -------
    ndarray of shape (n_classes,)

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.prep import compute_class_weight
    >>> compute_class_weight("balanced", classes=np.array([0, 1]), y=[0, 0, 0, 1])
    array([0.66666667, 2.        ])
    """
