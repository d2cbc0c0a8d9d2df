"""Transformers of scikit-learn, re-exported, and its weights of classes in our words."""

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
from sklearn.utils import class_weight as _class_weight

from statlearn._core.reexport import same_call

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
