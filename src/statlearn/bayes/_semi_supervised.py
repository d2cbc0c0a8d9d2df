"""Naive Bayes with some labels, by EM."""

import numpy as np
from scipy import sparse
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import HasMethods, Int, Real, check_params
from statlearn._core.partial_labels import partial_labels
from statlearn._core.validation import check_weights, validate_data
from statlearn._core.warnings import ConvergenceWarning, warn


class SemiSupervisedNB(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    r"""Naive Bayes for data of which only some rows are labelled, fitted by EM.

    The classifier is fitted to the labelled rows. Then its probabilities of the classes of the unlabelled rows (E step)
    and a fit to all rows, in which every unlabelled row counts for each class with its probability (M step), alternate.
    This climbs the log-likelihood of rows and labels,

    .. math:: \sum_{i\ \text{labelled}} s_i \log p(x_i, y_i)
              + \lambda \sum_{i\ \text{unlabelled}} s_i \log \sum_c p(x_i, c)

    plus the logarithm of the classifier's prior.

    Parameters
    ----------
    estimator : naive Bayes classifier or None, default=None
        Classifier with `predict_joint_log_proba` and sample weights. None means :class:`MultinomialNB`.
    unlabeled_weight : float, default=1.0
        Factor :math:`\lambda` of the weights of unlabelled rows. 0 leaves them out.
    max_iter : int, default=100
        Maximum number of EM steps.
    tol : float, default=1e-4
        EM stops when no probability of an unlabelled row changes by more than this.

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier.
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        Class probabilities of the training rows; 0 and 1 for labelled rows.
    transduction_ : ndarray of shape (n_samples,)
        Given labels, and the most probable class of the unlabelled rows.
    log_likelihoods_ : ndarray of shape (n_iter_ + 1,)
        The log-likelihood above at the start and after each step, without the prior.
    n_iter_ : int
        Number of EM steps.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    See Also
    --------
    statlearn.mixture.GaussianMixture : Normal components with any covariance and some labels (`unlabeled_weight`).
    statlearn.ensemble.SelfTrainingClassifier : Adds hard labels one after another, for any classifier.

    Notes
    -----
    Unlabelled rows are marked by -1, NaN or None in y. They help if the groups in the data are the classes. If they
    are not, many unlabelled rows outvote a few labels, and the classifier gets worse: choose `unlabeled_weight` by
    cross-validation of labelled rows. Dependent columns make the probabilities too sure of themselves, and with them
    the groups. The objective never falls by more than what the change of the prior explains.

    A step is a fit to all labelled rows and one copy of the unlabelled rows per class.

    References
    ----------
    Nigam, McCallum, Thrun & Mitchell (2000), Text classification from labeled and unlabeled documents using EM, Machine
    Learning 39, 103-134.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.bayes import GaussianNB, SemiSupervisedNB
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [6.0], [7.0], [8.0], [9.0]])
    >>> y = [0, 0, -1, -1, -1, -1, 1, 1]
    >>> model = SemiSupervisedNB(GaussianNB()).fit(X, y)
    >>> model.transduction_
    array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> model.estimator_.theta_.ravel().round(2)
    array([1.5, 7.5])
    """

    _constraints = {
        "estimator": [HasMethods("fit", "predict_joint_log_proba"), None],
        "unlabeled_weight": [Real(0, None)],
        "max_iter": [Int(0, None)],
        "tol": [Real(0, None)],
    }

    def __init__(self, estimator=None, *, unlabeled_weight=1.0, max_iter=100, tol=1e-4):
        self.estimator = estimator
        self.unlabeled_weight = unlabeled_weight
        self.max_iter = max_iter
        self.tol = tol

    def _inner(self):
        if self.estimator is not None:
            return self.estimator
        from ._multinomial_nb import MultinomialNB

        return MultinomialNB()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(getattr(self, "estimator_", self._inner()))
        outer, read = tags.input_tags, inner.input_tags
        outer.sparse, outer.allow_nan, outer.positive_only = (
            read.sparse,
            read.allow_nan,
            read.positive_only,
        )
        if inner.classifier_tags is not None:
            tags.classifier_tags.poor_score = inner.classifier_tags.poor_score
        return tags

    def _valid(self, X, *, reset):
        inner = get_tags(self._inner() if reset else self.estimator_).input_tags
        return validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr" if inner.sparse else False,
            ensure_all_finite="allow-nan" if inner.allow_nan else True,
        )

    def fit(self, X, y, sample_weight=None):
        """Fit the classifier to labelled and unlabelled rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels; -1, NaN or None for unlabelled rows.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A row of weight k counts k times; a row of weight 0 is ignored.

        Returns
        -------
        self
        """
        check_params(self)
        X = self._valid(X, reset=True)
        partial = partial_labels(y, X, type(self).__name__)
        weights = check_weights(sample_weight, X)
        weights = np.ones(X.shape[0]) if weights is None else np.array(weights, dtype=np.float64)
        known = np.flatnonzero(partial.known & (weights > 0))
        if not len(known):
            raise ValueError("`sample_weight` is 0 for all labelled rows; at least one must have a positive weight.")
        labels, codes = np.unique(partial.codes[known], return_inverse=True)  # classes with a row of positive weight
        self.classes_ = partial.classes[labels]
        problem = _LabelledProblem(
            clone(self._inner()), X, known, codes.ravel(), ~partial.known & (weights > 0), weights,
            self.unlabeled_weight, self.classes_,
        )  # fmt: skip
        problem.fit_labelled()
        values, n_iter, change = [problem.e_step()], 0, np.inf
        if not len(problem.unknown):
            change = 0.0
        while n_iter < self.max_iter and change > self.tol:
            before = problem.P
            problem.m_step()
            values.append(problem.e_step())
            change = float(np.abs(problem.P - before).max())
            n_iter += 1
        if change > self.tol and self.max_iter > 0:
            warn(
                f"SemiSupervisedNB: a probability still changed by {change:.1e} after {n_iter} steps. Increase "
                "`max_iter` or `tol`.",
                ConvergenceWarning,
            )
        self.estimator_, self.n_iter_, self.log_likelihoods_ = problem.estimator, n_iter, np.array(values)
        P = problem.estimator.predict_proba(X)
        P[known] = 0.0
        P[known, problem.codes] = 1.0
        self.label_distributions_ = P
        self.transduction_ = self.classes_[P.argmax(axis=1)]
        return self

    def predict(self, X):
        """Predicted class of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self.estimator_.predict(self._valid(X, reset=False))

    def predict_proba(self, X):
        """Probabilities of the classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        return self.estimator_.predict_proba(self._valid(X, reset=False))

    def predict_log_proba(self, X):
        """Logarithms of the probabilities of the classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        return self.estimator_.predict_log_proba(self._valid(X, reset=False))


class _LabelledProblem:
    """The E and M steps. P holds the class probabilities of the unlabelled rows."""

    def __init__(self, estimator, X, known, codes, unknown, weights, factor, classes):
        self.estimator, self.classes, self.codes = estimator, classes, codes
        self.unknown = np.flatnonzero(unknown) if factor > 0 else np.empty(0, dtype=np.intp)
        self.labelled, self.rest = X[known], X[self.unknown]
        self.known_weights, self.weights = weights[known], factor * weights[self.unknown]
        # One copy of the unlabelled rows per class
        stack = sparse.vstack if sparse.issparse(X) else np.vstack
        self.X = stack([self.labelled, *[self.rest] * len(classes)]) if len(self.unknown) else self.labelled
        self.X = self.X.tocsr() if sparse.issparse(X) else self.X
        self.y = np.concatenate([codes, np.repeat(np.arange(len(classes)), len(self.unknown))])

    def fit_labelled(self):
        self.estimator.fit(self.labelled, self.classes[self.codes], sample_weight=self.known_weights)

    def m_step(self):
        weights = np.concatenate([self.known_weights, (self.P * self.weights[:, None]).T.ravel()])
        self.estimator.fit(self.X, self.classes[self.y], sample_weight=weights)

    def e_step(self):
        """Probabilities of the classes of the unlabelled rows; returns the log-likelihood."""
        joint = self.estimator.predict_joint_log_proba(self.labelled)
        value = self.known_weights @ joint[np.arange(len(self.codes)), self.codes]
        if len(self.unknown):
            self.P = self.estimator.predict_proba(self.rest)
            value += self.weights @ logsumexp(self.estimator.predict_joint_log_proba(self.rest), axis=1)
        return float(value)
