"""Trees in rotated coordinates."""

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from statlearn._core.blas import single_blas_thread
from statlearn._core.fitted_state import forget
from statlearn._core.frames import refuse_names
from statlearn._core.params import HasMethods, Options, check_params
from statlearn._core.validation import FLOATS, check_weights, validate_data

from ._tree import DecisionTreeClassifier


def _principal_axes(X, weights):
    """Principal axes as columns, in decreasing order of variance; the largest entry of each is positive.

    Axes along which the rows differ only by rounding errors are dropped (except the first), because the axes themselves
    would then be determined by rounding and a tree could split on them.
    """
    total = weights.sum()
    centred = X - weights @ X / total
    # Squares of large numbers would overflow; scaling by a power of two is exact.
    centred = np.ldexp(centred, -np.frexp(np.abs(centred).max())[1])
    # Not from the covariance matrix, where rounding hides axes below 1e-8 of the largest standard deviation.
    triangle = np.linalg.qr(np.sqrt(weights)[:, None] * centred, mode="r")
    _, deviations, vectors = np.linalg.svd(triangle, full_matrices=False)
    significant = deviations > max(X.shape) * np.finfo(np.float64).eps * deviations[0]
    significant[0] = True
    axes = vectors[significant].T
    largest = np.abs(axes).argmax(axis=0)
    return axes * np.where(axes[largest, np.arange(axes.shape[1])] < 0, -1.0, 1.0)


def _tree_has(method):
    return lambda self: hasattr(self._template(), method)


class RotatedTree(MetaEstimatorMixin, BaseEstimator):
    """Decision tree in rotated coordinates, with splits that are oblique in the original ones.

    Parameters
    ----------
    estimator : classifier or regressor, or None, default=None
        The tree. None uses a :class:`DecisionTreeClassifier`.
    rotation : {"pca"} or array-like of shape (n_features, k), default="pca"
        Axes of the new coordinates: the principal axes of the training rows, or the columns of the given matrix.

    Attributes
    ----------
    estimator_ : estimator
        The tree, fitted to ``X @ rotation_``.
    rotation_ : ndarray of shape (n_features, k)
        The axes, as columns. Principal axes with zero variance are dropped.
    classes_ : ndarray
        The class labels, if the tree is a classifier.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Principal axes do not depend on the target. They help if the rows are elongated along or across the boundary. Scale
    the columns first. All nodes share one rotation, whereas :class:`ObliqueTreeClassifier` finds a direction for each.

    To plot the boundary in the original coordinates, use :func:`statlearn.plot.plot_decision_boundary`.

    References
    ----------
    Rodriguez, J. J., Kuncheva, L. I. and Alonso, C. J. (2006). Rotation forest: a new classifier ensemble method.
    *IEEE Transactions on Pattern Analysis and Machine Intelligence* 28, 1619-1630.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.trees import DecisionTreeClassifier, RotatedTree
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = X[:, 0] > X[:, 1]
    >>> diagonal = np.array([[1, 1], [-1, 1]]) / np.sqrt(2)
    >>> tree = RotatedTree(DecisionTreeClassifier(), rotation=diagonal).fit(X, y)
    >>> tree.estimator_.get_n_leaves()
    2
    """

    _constraints = {
        "estimator": [HasMethods("fit", "predict"), None],
        "rotation": [Options("pca"), "array-like"],
    }

    def __init__(self, estimator=None, *, rotation="pca"):
        self.estimator = estimator
        self.rotation = rotation

    def _template(self):
        return DecisionTreeClassifier() if self.estimator is None else self.estimator

    def fit(self, X, y, sample_weight=None):
        """Compute the rotation and grow the tree.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        refuse_names(X, type(self).__name__)
        X, y = validate_data(self, X, y, dtype=FLOATS, y_numeric=not is_classifier(self._template()))
        weights = check_weights(sample_weight, np.empty((X.shape[0], 1)))
        self.rotation_ = self._axes(X, weights)
        self.estimator_ = clone(self._template())
        fit_params = {} if weights is None else {"sample_weight": weights}
        self.estimator_.fit(self._turned(X), y, **fit_params)
        forget(self, "classes_")
        if is_classifier(self.estimator_):
            self.classes_ = self.estimator_.classes_
        return self

    def _axes(self, X, weights):
        p = X.shape[1]
        if isinstance(self.rotation, str):
            weights = np.ones(X.shape[0]) if weights is None else weights
            with single_blas_thread():  # the same bits for any number of threads
                return _principal_axes(X.astype(np.float64), weights)
        axes = np.asarray(self.rotation, dtype=np.float64)
        if axes.ndim != 2 or axes.shape[0] != p or not np.isfinite(axes).all():
            raise ValueError(f"`rotation` must be a matrix of finite numbers with {p} rows, one for each column of X.")
        return axes

    def _turned(self, X):
        # Not `@`: the result of a row must not depend on the other rows in the batch.
        return np.einsum("ij,jk->ik", X.astype(np.float64), self.rotation_)

    def _read(self, X):
        check_is_fitted(self)
        return self._turned(validate_data(self, X, dtype=FLOATS, reset=False))

    def predict(self, X):
        """Predictions of the tree for the rotated rows."""
        turned = self._read(X)
        return self.estimator_.predict(turned)

    @available_if(_tree_has("predict_proba"))
    def predict_proba(self, X):
        """Class probabilities of the tree for the rotated rows."""
        turned = self._read(X)
        return self.estimator_.predict_proba(turned)

    @available_if(_tree_has("predict_log_proba"))
    def predict_log_proba(self, X):
        """Logarithm of the class probabilities."""
        turned = self._read(X)
        return self.estimator_.predict_log_proba(turned)

    @available_if(_tree_has("apply"))
    def apply(self, X):
        """Index of the leaf that each row reaches."""
        turned = self._read(X)
        return self.estimator_.apply(turned)

    def score(self, X, y, sample_weight=None):
        """Score of the tree on the rotated rows, accuracy or R squared.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,) or None, default=None

        Returns
        -------
        float
        """
        turned = self._read(X)
        return self.estimator_.score(turned, y, sample_weight=sample_weight)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self._template())
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        tags.target_tags = inner.target_tags
        tags.target_tags.multi_output = tags.target_tags.two_d_labels = False
        tags.target_tags.single_output = True
        if tags.classifier_tags is not None:
            tags.classifier_tags.multi_label = False
        return tags
