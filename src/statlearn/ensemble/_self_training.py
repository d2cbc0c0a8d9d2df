"""Self-training: a classifier that labels the rows it is sure of, and learns from them."""

import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from statlearn._core.params import HasMethods, Int, Options, Real, check_params
from statlearn._core.partial_labels import partial_labels
from statlearn._core.validation import check_weights, validate_data
from statlearn._core.warnings import warn

_FOLDS = 3  # of the labelled rows, on which confidence is compared with accuracy
_FEWEST = 10  # confident rows of known label that this takes
_LARGEST_Z = 3.0


def _inner_has(method):
    """Condition for `available_if`: the fitted classifier, or else the unfitted one, has the method."""

    def check(model):
        return hasattr(getattr(model, "estimator_", model._inner()), method)

    return check


class SelfTrainingClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    r"""Self-training: a classifier for data of which only some rows are labelled.

    The classifier is fitted to the labelled rows, and predicts the others. Those that it is sure of receive the
    predicted label, and it is fitted again, until no row is added. A label that was given or added is never changed.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Classifier with `predict_proba`. None means ``LogisticRegression()``.
    threshold : float, default=0.75
        With ``criterion="threshold"``, rows whose largest probability exceeds this are added in each round.
    criterion : {"threshold", "k_best"}, default="threshold"
        Add the rows above the threshold, or the `k_best` surest rows.
    k_best : int, default=10
        Number of rows added in each round with ``criterion="k_best"``.
    max_iter : int or None, default=10
        Maximum number of rounds. None means until no row is added.
    verbose : bool, default=False
        Whether to print the number of rows that each round adds.

    Attributes
    ----------
    estimator_ : classifier
        The classifier, fitted to all rows that have a label in the end.
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.
    transduction_ : ndarray of shape (n_samples,)
        Given and added labels; -1 for rows that remain without (None if the labels are text).
    labeled_iter_ : ndarray of shape (n_samples,)
        The round in which a row was labelled: 0 for given labels, -1 for rows that remain without.
    n_iter_ : int
        Number of rounds.
    termination_condition_ : {"max_iter", "no_change", "all_labeled"}
        Why no more rows were added.
    calibration_gap_ : float
        Mean confidence minus accuracy on labelled rows above the threshold, held out in three folds before the first
        round; NaN if there are too few of them (also for the classifier), or nothing is unlabelled.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Unlabelled rows are marked by -1, NaN or None in y; without any, this is the classifier itself. The method assumes
    that the surest predictions are right. A classifier that is too sure of itself (naive Bayes with dependent columns,
    a fully grown tree, one nearest neighbour) adds its errors and then learns them. It is therefore warned about if
    all confidences are exactly 1, or if the accuracy on held-out labelled rows is significantly below the confidence.
    Calibrate such a classifier (:class:`statlearn.assess.CalibratedClassifier`), or raise the threshold. Unlabelled
    rows help only if classes are separated by gaps between them; otherwise the result may be worse than without them,
    so compare both on labelled rows that were held out.

    References
    ----------
    Yarowsky, D. (1995). Unsupervised word sense disambiguation rivaling supervised methods. ACL.

    See Also
    --------
    statlearn.cluster.LabelPropagation : labels that spread over a graph of near rows.
    statlearn.mixture.GaussianMixture : EM with some labels.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.ensemble import SelfTrainingClassifier
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [6.0], [7.0], [8.0], [9.0]])
    >>> y = [0, -1, -1, -1, -1, -1, -1, 1]
    >>> model = SelfTrainingClassifier().fit(X, y)
    >>> model.transduction_
    array([0, 0, 0, 0, 1, 1, 1, 1])
    """

    _constraints = {
        "estimator": [HasMethods("fit"), None],
        "threshold": [Real(0, 1)],
        "criterion": [Options("threshold", "k_best")],
        "k_best": [Int(1, None)],
        "max_iter": [Int(0, None), None],
        "verbose": ["verbose"],
    }

    def __init__(self, estimator=None, *, threshold=0.75, criterion="threshold", k_best=10, max_iter=10, verbose=False):
        self.estimator = estimator
        self.threshold = threshold
        self.criterion = criterion
        self.k_best = k_best
        self.max_iter = max_iter
        self.verbose = verbose

    def _inner(self):
        if self.estimator is not None:
            return self.estimator
        from statlearn.linear import LogisticRegression

        return LogisticRegression()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self._inner()).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = inner.sparse, inner.allow_nan
        return tags

    def _valid(self, X, *, reset):
        inner = get_tags(self._inner()).input_tags
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
            Passed to the classifier with the rows that it is fitted to. A row of weight 0 is not used.

        Returns
        -------
        self
        """
        check_params(self)
        X = self._valid(X, reset=True)
        partial = partial_labels(y, X, type(self).__name__)
        weights = check_weights(sample_weight, X)
        estimator = clone(self._inner())
        if weights is not None and not has_fit_parameter(estimator, "sample_weight"):
            raise TypeError(f"{type(estimator).__name__} does not accept `sample_weight`.")
        if not hasattr(estimator, "predict_proba"):
            if not partial.known.all():
                raise TypeError(f"`estimator` must have predict_proba, but {type(estimator).__name__} does not.")
            if not is_classifier(estimator):
                raise ValueError(f"`estimator` must be a classifier, got {type(estimator).__name__}.")
        used = np.ones(X.shape[0], bool) if weights is None else weights > 0
        codes, labels = partial.codes.copy(), partial.classes

        def refit(rows):
            rows = np.flatnonzero(rows & used)
            extra = {} if weights is None else {"sample_weight": weights[rows]}
            return estimator.fit(X[rows], labels[codes[rows]], **extra)

        self.labeled_iter_ = np.where(codes >= 0, 0, -1)
        self.calibration_gap_ = self._calibration_gap(X, codes, labels, used)
        self.n_iter_, self.termination_condition_ = 0, "max_iter"
        while (codes < 0).any() and (self.max_iter is None or self.n_iter_ < self.max_iter):
            self.n_iter_ += 1
            refit(codes >= 0)
            waiting = np.flatnonzero(codes < 0)
            P = estimator.predict_proba(X[waiting])
            sure = P.max(axis=1)
            if self.n_iter_ == 1 and len(sure) > 1 and np.all(sure == 1.0):
                warn(
                    f"{type(estimator).__name__} predicts all {len(sure)} unlabelled rows with probability 1, so that "
                    "all predictions are taken for labels at once. Calibrate it, or use a classifier with "
                    "probabilities between 0 and 1."
                )
            if self.criterion == "threshold":
                chosen = np.flatnonzero(sure > self.threshold)
            else:
                chosen = np.argsort(-sure, kind="stable")[: self.k_best]
            if not len(chosen):
                self.termination_condition_ = "no_change"
                break
            known = np.searchsorted(labels, estimator.classes_)
            codes[waiting[chosen]] = known[P[chosen].argmax(axis=1)]
            self.labeled_iter_[waiting[chosen]] = self.n_iter_
            if self.verbose:
                print(f"End of round {self.n_iter_}, added {len(chosen)} labels.")
        if (codes >= 0).all():
            self.termination_condition_ = "all_labeled"
        self.estimator_ = refit(codes >= 0)
        self.classes_ = self.estimator_.classes_
        self.transduction_ = _with_gaps(labels, codes)
        return self

    def _calibration_gap(self, X, codes, labels, used):
        """Confidence minus accuracy on held-out labelled rows; warns if it is significantly positive."""
        rows = np.flatnonzero((codes >= 0) & used)
        if (codes >= 0).all() or len(rows) < _FEWEST or np.bincount(codes[rows], minlength=len(labels)).min() < _FOLDS:
            return np.nan
        fold = np.empty(len(rows), int)  # stratified, in the order of the rows
        for k in range(len(labels)):
            members = codes[rows] == k
            fold[members] = np.arange(members.sum()) % _FOLDS
        confidence, right = [], []
        for k in range(_FOLDS):
            train, test = rows[fold != k], rows[fold == k]
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # those of the fits that follow matter
                    model = clone(self._inner()).fit(X[train], labels[codes[train]])
            except ValueError:  # such as more neighbours than rows
                return np.nan
            P = model.predict_proba(X[test])
            confidence.append(P.max(axis=1))
            right.append(model.classes_[P.argmax(axis=1)] == labels[codes[test]])
        confidence, right = np.concatenate(confidence), np.concatenate(right)
        level = self.threshold if self.criterion == "threshold" else np.median(confidence)
        sure = confidence >= level
        if sure.sum() < _FEWEST:
            return np.nan
        confidence, right = confidence[sure], right[sure]
        gap = float(confidence.mean() - right.mean())
        # The variance of the number of hits if the confidence were right, and at least that of one expected error.
        spread = np.sqrt(max(np.sum(confidence * (1.0 - confidence)), 1.0)) / len(right)
        if gap > _LARGEST_Z * spread:
            warn(
                f"{type(self._inner()).__name__} is too sure of itself: of {len(right)} held-out labelled rows above "
                f"{level:.2f}, {right.mean():.0%} are right at a mean confidence of {confidence.mean():.0%}. Errors "
                "will be taken for labels. Calibrate the classifier (statlearn.assess.CalibratedClassifier), or raise "
                "`threshold`."
            )
        return gap

    @available_if(_inner_has("predict"))
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

    @available_if(_inner_has("predict_proba"))
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

    @available_if(_inner_has("predict_log_proba"))
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

    @available_if(_inner_has("decision_function"))
    def decision_function(self, X):
        """Scores of the classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self)
        return self.estimator_.decision_function(self._valid(X, reset=False))


def _with_gaps(classes, codes):
    """Labels of codes, with -1 or None for unlabelled rows."""
    if (codes >= 0).all():
        return classes[codes]
    if classes.dtype.kind in "iuf":
        dtype = np.int64 if classes.dtype.kind == "u" else classes.dtype
        labels = np.full(len(codes), -1, dtype=dtype)
    else:
        labels = np.full(len(codes), None, dtype=object)
    labels[codes >= 0] = classes[codes[codes >= 0]]
    return labels
