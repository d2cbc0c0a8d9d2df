"""Multilayer perceptron for classification."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import type_of_target, unique_labels
from sklearn.utils.validation import column_or_1d

from statlearn._core.callbacks import with_callbacks
from statlearn._core.params import check_params
from statlearn._core.validation import check_labels, classes_of_stream, refuse_no_label, refuse_one_class
from statlearn._math.linalg.sparse_arrays import to_dense

from ._docs import fill
from ._mlp_base import SEARCH_SPACE, MultilayerPerceptron


@fill
class MLPClassifier(ClassifierMixin, MultilayerPerceptron):
    r"""Multilayer perceptron classifier.

    Fully connected layers :math:`h = g(W^\top x + b)` with a softmax output for several classes, a logistic one for two
    classes or several labels. It minimises by gradient steps on batches, or on all rows by L-BFGS,

    .. math:: \frac{1}{S} \Big( \sum_i s_i \, \ell(y_i, f(x_i)) + \frac{\alpha}{2} \lVert W \rVert^2 \Big),
        \quad S = \sum_i s_i ,

    where the cross-entropy :math:`\ell` is minus the log of the probability of the class of row i (summed over labels),
    s are the weights, the sums run over the rows of a batch, and W stands for all weights without the intercepts.

    Parameters
    ----------
    {PARAMETERS}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    {ATTRIBUTES}

    See Also
    --------
    MLPRegressor : The same for numbers.
    Conv2dClassifier : Networks for images.
    statlearn.linear.LogisticRegression : The network without hidden layers, by a convex solver.

    Notes
    -----
    {NOTES}

    References
    ----------
    D. E. Rumelhart, G. E. Hinton and R. J. Williams, "Learning representations by back-propagating errors", Nature 323
    (1986). D. P. Kingma and J. Ba, "Adam: a method for stochastic optimization", ICLR 2015. X. Glorot and Y. Bengio,
    "Understanding the difficulty of training deep feedforward neural networks", AISTATS 2010.

    Examples
    --------
    >>> from statlearn.neural import MLPClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["equal", "differ", "differ", "equal"]
    >>> model = MLPClassifier(4, "tanh", solver="lbfgs", random_state=1).fit(X, y)
    >>> model.predict(X)
    array(['equal', 'differ', 'differ', 'equal'], dtype='<U6')
    """

    _y_options: dict = {}
    _search_space = SEARCH_SPACE

    @with_callbacks
    def fit(self, X, y, sample_weight=None, *, X_val=None, y_val=None, sample_weight_val=None):
        """Fit the network.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or indicator matrix of shape (n_samples, n_labels)
        sample_weight : array-like of shape (n_samples,) or None, default=None
        X_val, y_val, sample_weight_val : array-like or None, default=None
            Validation rows. Their loss and accuracy are recorded in `history_`; with ``early_stopping=True`` they end
            the training.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, (X_val, y_val, sample_weight_val))

    @available_if(lambda self: self._check_solver())
    def partial_fit(self, X, y, sample_weight=None, classes=None):
        """Take one epoch on further rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
        classes : array-like or None, default=None
            All classes; required in the first call.

        Returns
        -------
        self
        """
        check_params(self)
        known = getattr(self, "classes_", None)
        classes = classes_of_stream(known, classes)
        if known is None:
            self._set_classes(y if type_of_target(y).startswith("multilabel") else classes)
        return self._fit(X, y, sample_weight, incremental=True)

    def _set_classes(self, y):
        self._multilabel = type_of_target(y).startswith("multilabel")
        self.classes_ = np.arange(np.shape(y)[1]) if self._multilabel else np.unique(y)

    def _encode_target(self, y, *, first, incremental):
        """Class codes or indicator columns, and the output function with its number of units."""
        if y.ndim == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        check_labels(y)
        if not incremental and (first or not hasattr(self, "classes_")):
            self._set_classes(y)
            if not self._multilabel:
                refuse_one_class(self.classes_, type(self).__name__)
        else:
            self._check_classes(y, incremental)
        n_classes = len(self.classes_)
        output = ("logistic", n_classes) if self._multilabel else ("logistic", 1) if n_classes < 3 else None
        return self._codes(y), output or ("softmax", n_classes)

    def _check_classes(self, y, incremental):
        classes = unique_labels(y)
        if self.warm_start and not incremental:
            if set(classes.tolist()) != set(self.classes_.tolist()):
                raise ValueError(
                    "warm_start can only be used where `y` has the same classes as in the previous call to fit. "
                    f"Previously got {self.classes_}, `y` has {classes}."
                )
        elif len(np.setdiff1d(classes, self.classes_)):
            raise ValueError(
                f"`y` has classes not in `self.classes_`. `self.classes_` has {self.classes_}. 'y' has {classes}."
            )

    def _codes(self, y):
        """The target in the form of the loss."""
        dtype = self.coefs_[0].dtype if hasattr(self, "coefs_") else np.float64
        if self._multilabel:
            y = to_dense(y)
            return np.asarray(y, dtype=dtype)
        codes = np.searchsorted(self.classes_, y)
        return codes.astype(np.int64) if len(self.classes_) > 2 else codes[:, None].astype(dtype)

    def _encode_validation(self, y_val, n):
        if y_val is None:
            raise ValueError("`X_val` requires `y_val`.")
        y_val = np.asarray(y_val)
        refuse_no_label(y_val)
        if y_val.ndim == 2 and y_val.shape[1] == 1:
            y_val = y_val.ravel()
        if len(y_val) != n:
            raise ValueError(f"`X_val` has {n} rows, but `y_val` has {len(y_val)}.")
        if not self._multilabel and not np.isin(y_val, self.classes_).all():
            unknown = y_val[~np.isin(y_val, self.classes_)].tolist()[0]
            raise ValueError(f"`y_val` contains the label {unknown!r}, which is not in `y`.")
        return self._codes(y_val)

    def _labels(self, means):
        """Labels from the values of the output layer."""
        if self._multilabel:
            return (means > 0.5).astype(int)
        if self.n_outputs_ == 1:
            return self.classes_[(means[:, 0] > 0.5).astype(int)]
        return self.classes_[means.argmax(axis=1)]

    def _score_of(self, means, target, weights):
        labels = target.astype(int) if self._multilabel else self.classes_[target.astype(int).ravel()]
        return accuracy_score(labels, self._labels(means), sample_weight=weights)

    def predict(self, X):
        """Predicted classes.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_labels)
        """
        return self._labels(self._means(X))

    def predict_proba(self, X):
        """Probabilities of the classes, or of every label.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        means = self._means(X)
        return np.hstack([1 - means, means]) if self.n_outputs_ == 1 and not self._multilabel else means

    def predict_log_proba(self, X):
        """Logarithms of the probabilities.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
