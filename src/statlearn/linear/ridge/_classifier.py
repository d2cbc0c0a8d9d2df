"""Ridge regression on coded classes."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, column_or_1d

from statlearn._core.class_weights import label_and_sample_weights
from statlearn._core.params import Instance, Options, check_params
from statlearn._core.validation import FLOATS, check_labels, check_weights, refuse_one_class, validate_data
from statlearn.linear._base import LinearClassifierMixin

from ._ridge import RIDGE_CONSTRAINTS, SPARSE_FORMATS, RidgeFit, coef_shape


def code_labels(y):
    """Binarised targets in {-1, 1} (n, m), classes, and whether y is multilabel."""
    from sklearn.preprocessing import LabelBinarizer

    binarizer = LabelBinarizer(pos_label=1, neg_label=-1)
    Y = binarizer.fit_transform(y)
    multilabel = binarizer.y_type_.startswith("multilabel")
    return np.asarray(Y, dtype=np.float64), binarizer.classes_, multilabel


class RidgeClassifierMixin(LinearClassifierMixin):
    """Labels coded ±1, several columns for several classes; multilabel targets get one sign per column."""

    def _check_data(self, X, y, sample_weight):
        X, y = validate_data(self, X, y, accept_sparse=SPARSE_FORMATS, dtype=FLOATS, multi_output=True)
        check_labels(y)
        if y.ndim == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        Y, self.classes_, self._multilabel = code_labels(y)
        if not self._multilabel:
            refuse_one_class(self.classes_, type(self).__name__)
        weights = check_weights(sample_weight, X)
        weights = label_and_sample_weights(self.class_weight, y, weights)
        return X, y, Y, weights

    def predict(self, X):
        """Predicted class of each row, or an indicator matrix for multilabel targets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        check_is_fitted(self)
        if self._multilabel:
            return (self.decision_function(X) > 0).astype(np.intp).reshape(-1, len(self.classes_))
        return super().predict(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.input_tags.sparse = True
        return tags


class RidgeClassifier(RidgeClassifierMixin, RidgeFit, BaseEstimator):
    r"""Ridge classifier: ridge regression on classes coded -1 and +1.

    Fits :class:`Ridge` to the coded labels (one column per class when there are more than two) and predicts the sign,
    or the class with the largest score.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1.0
        Strength of the penalty.
    fit_intercept : bool, default=True
        Fit an unpenalised intercept.
    copy_X : bool, default=True
        Accepted for compatibility. X is never overwritten.
    max_iter : int or None, default=None
        Maximum number of iterations of the iterative solvers.
    tol : float, default=1e-4
        Iterative solvers stop when the norm of the gradient is at most `tol` times its initial value.
    class_weight : dict, "balanced" or None, default=None
        Weights by label, multiplied by the sample weights. "balanced" makes them inversely proportional to the class
        frequencies, where a row of weight k counts as k rows.
    solver : str, default="auto"
        See :class:`Ridge`.
    positive : bool, default=False
        Restrict the slopes to be non-negative.
    random_state : int, RandomState or None, default=None
        Accepted for compatibility. No solver is random.
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        See :class:`Ridge`.
    penalize_intercept : bool, default=False
        Penalise the intercept like a slope.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_classes, n_features)
        One row per class. With two classes, the slopes of ``classes_[1]`` as a 1-d array, as in scikit-learn 1.9.
    intercept_ : ndarray of shape (1,) or (n_classes,), or 0.0 without an intercept
    classes_ : ndarray of shape (n_classes,)
    n_iter_ : ndarray or None
    solver_ : str
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    Scores are not probabilities. With three or more classes lying along a line, a class in the middle can be masked by
    its neighbours. Logistic regression and discriminant analysis do not have this problem.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 4.2.

    Examples
    --------
    >>> from statlearn.linear import RidgeClassifier
    >>> model = RidgeClassifier().fit([[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"])
    >>> model.predict([[0.5], [2.5]])
    array(['low', 'high'], dtype='<U4')
    """

    _constraints = {**RIDGE_CONSTRAINTS, "class_weight": [Instance(dict), Options("balanced"), None]}

    def __init__(
        self,
        alpha=1.0,
        *,
        fit_intercept=True,
        copy_X=True,
        max_iter=None,
        tol=1e-4,
        class_weight=None,
        solver="auto",
        positive=False,
        random_state=None,
        penalty_scale="sklearn",
        penalize_intercept=False,
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.class_weight = class_weight
        self.solver = solver
        self.positive = positive
        self.random_state = random_state
        self.penalty_scale = penalty_scale
        self.penalize_intercept = penalize_intercept

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Class labels; an indicator matrix for multilabel targets.
        sample_weight : float or array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self : RidgeClassifier
        """
        check_params(self)
        X, _, Y, weights = self._check_data(X, y, sample_weight)
        solution = self._fit_targets(X, Y, weights)
        self.coef_, self.intercept_ = coef_shape(solution.coef, solution.intercept, 2, self.fit_intercept, X.dtype)
        return self
