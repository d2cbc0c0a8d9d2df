"""Similarity to landmarks as features."""

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted

from statlearn._core.params import Int, Real, check_params
from statlearn._core.validation import FLOATS, naming, validate_data
from statlearn.svm._kernel_table import KINDS, cross_values


class RBFLandmarks(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Features :math:`e^{-\lVert x-l_k\rVert^2/(2\sigma^2)}` of the similarity to landmarks :math:`l_k`.

    A linear machine on these features is a kernel-like machine. With all training rows as landmarks it has the same
    functions as the Gaussian kernel with :math:`\gamma=1/(2\sigma^2)`, but another penalty: on the weights of the
    landmarks, not on the norm in feature space.

    Parameters
    ----------
    landmarks : int, array-like of shape (n_landmarks, n_features) or None, default=None
        The landmarks themselves, the number of training rows drawn at random, or None for all training rows.
    sigma : float, default=1.0
        Width of the similarity, on the scale of the columns. Scale them first.
    random_state : int, RandomState or None, default=None
        For the draw of the rows.

    Attributes
    ----------
    landmarks_ : ndarray of shape (n_landmarks, n_features)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Examples
    --------
    >>> from statlearn.svm import RBFLandmarks
    >>> RBFLandmarks(sigma=1.0).fit_transform([[0.0], [1.0]]).round(4)
    array([[1.    , 0.6065],
           [0.6065, 1.    ]])
    """

    _constraints = {
        "landmarks": [Int(1, None), "array-like", None],
        "sigma": [Real(0, None, closed="neither")],
        "random_state": ["random_state"],
    }

    def __init__(self, landmarks=None, *, sigma=1.0, random_state=None):
        self.landmarks = landmarks
        self.sigma = sigma
        self.random_state = random_state

    def fit(self, X, y=None):
        """Choose the landmarks.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_data(self, X, dtype=FLOATS, order="C")
        if self.landmarks is None:
            self.landmarks_ = X.copy()
        elif isinstance(self.landmarks, (int, np.integer)):
            if self.landmarks > X.shape[0]:
                raise ValueError(f"landmarks={self.landmarks} exceeds the {X.shape[0]} training rows of X.")
            chosen = check_random_state(self.random_state).choice(X.shape[0], self.landmarks, replace=False)
            self.landmarks_ = X[np.sort(chosen)]
        else:
            with naming("landmarks"):
                self.landmarks_ = check_array(self.landmarks, dtype=X.dtype, order="C", input_name="landmarks")
            if self.landmarks_.shape[1] != X.shape[1]:
                raise ValueError(f"`landmarks` has {self.landmarks_.shape[1]} columns, but X has {X.shape[1]}.")
        if not 1e-150 < self.sigma < 1e150:
            raise ValueError(f"`sigma`={self.sigma} must be between 1e-150 and 1e150, so that its square is a number.")
        self._gamma = 0.5 / float(self.sigma) ** 2
        return self

    def transform(self, X):
        """Similarities of the rows to the landmarks.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_landmarks)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, order="C", reset=False)
        common = np.result_type(X.dtype, self.landmarks_.dtype)
        landmarks = self.landmarks_.astype(common, copy=False)
        return cross_values(X.astype(common, copy=False), landmarks, (KINDS["rbf"], self._gamma, 0.0, 3.0))

    @property
    def _n_features_out(self):
        return self.landmarks_.shape[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
