"""Conformal prediction sets for classification."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import check_indices
from statlearn._core.frames import take_rows
from statlearn._core.params import HasMethods, Int, Options, Real, check_arguments, check_params
from statlearn._core.validation import encode_classes

from ._meta_estimator import InnerEstimatorMixin, check_target, fit_on, held_out_rows, is_frozen


def aligned_probabilities(model, X, classes):
    """predict_proba with a column for every class; classes not seen by the model have probability 0."""
    if not hasattr(model, "predict_proba"):
        raise ValueError(f"`estimator`: {type(model).__name__} has no predict_proba; wrap it in CalibratedClassifier.")
    P = np.asarray(model.predict_proba(X), dtype=np.float64)
    if len(model.classes_) == len(classes):
        return P
    full = np.zeros((len(P), len(classes)))
    full[:, np.searchsorted(classes, model.classes_)] = P
    return full


def nonconformity(P, method, penalty, rank, u=None):
    """Nonconformity score of each class for each row, (n, K); `u` in [0, 1) randomises the adaptive scores."""
    if method == "lac":
        return 1.0 - P
    order = np.argsort(-P, axis=1, kind="stable")
    ordered = np.take_along_axis(P, order, axis=1)
    scores = np.cumsum(ordered, axis=1)
    if u is not None:
        scores -= u[:, None] * ordered
    if method == "raps":
        scores += penalty * np.maximum(np.arange(1, P.shape[1] + 1) - rank, 0)
    result = np.empty_like(scores)
    np.put_along_axis(result, order, scores, axis=1)
    return result


class ConformalClassifier(InnerEstimatorMixin, ClassifierMixin, BaseEstimator):
    r"""Conformal prediction sets with guaranteed coverage for any classifier.

    For exchangeable rows, the prediction set of a new row contains its class with probability at least `coverage`,
    whatever the classifier. A class k is included in the set of x if its score s(x, k) is not among the largest: fewer
    than c (n + 1) of the n calibration scores s(x_i, y_i) are smaller. The scores are

    - "lac": :math:`1 - \hat p_k(x)`: the smallest sets on average.
    - "aps": the sum of the probabilities of all classes at least as probable as k: larger sets for harder rows.
    - "raps": the same plus ``penalty`` for each rank of k beyond ``rank``: shorter tails.

    Parameters
    ----------
    estimator : estimator or None, default=None
        Classifier with `predict_proba`; None means ``LogisticRegression()``. A `sklearn.frozen.FrozenEstimator` is not
        refitted, and all rows passed to `fit` are used for calibration.
    coverage : float, default=0.9
        Probability c that a set contains the true class.
    method : {"lac", "aps", "raps"}, default="lac"
    calibration_size : float, default=0.25
        Fraction of the rows used for calibration if `cv` is None.
    cv : int, splitter, iterable or None, default=None
        With folds, every row calibrates the fold model that did not see it (cross-conformal, CV+), so all rows serve
        both purposes at the cost of one fit per fold. None splits the rows once.
    per_class : bool, default=False
        Whether to calibrate each class on its own rows, so that the coverage holds within every class.
    allow_empty : bool, default=False
        Whether a set may be empty, which indicates that no class is plausible. Otherwise it contains at least the most
        probable class.
    randomized : bool, default=False
        Whether to subtract a random fraction of the probability of the class in "aps" and "raps". Coverage becomes
        exact and the sets smaller, but the set of a row is then random.
    penalty : float, default=0.01
        Penalty per rank, for "raps".
    rank : int, default=1
        Number of ranks without penalty, for "raps".
    random_state : int, RandomState or None, default=None
        Seed of the split and of the randomisation.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    estimator_ : estimator
        Model used by `predict` and `predict_proba`: that of the training part, or of all rows with `cv`.
    estimators_ : list of estimator
        Models whose scores are calibrated: one, or one per fold.
    scores_ : ndarray of shape (n_scores,)
        Calibration scores s(x_i, y_i).
    labels_ : ndarray of shape (n_scores,)
        Class index of each score.
    fold_ : ndarray of shape (n_scores,)
        Index of the model of each score.
    n_features_in_, feature_names_in_
        As reported by the inner estimator.

    See Also
    --------
    ConformalRegressor : prediction intervals.
    CalibratedClassifier : better probabilities, which give smaller sets.

    Notes
    -----
    The guarantee is marginal: on average over rows, not for each kind of row; `per_class` gives it within classes, and
    needs at least c/(1 - c) calibration rows of each, else the class joins every set. With `cv` the guarantee is
    2c - 1, in practice about c.

    References
    ----------
    Sadinle, Lei and Wasserman (2019), Least ambiguous set-valued classifiers with bounded error levels. Romano, Sesia
    and Candès (2020), Classification with valid and adaptive coverage. Angelopoulos et al. (2021), Uncertainty sets for
    image classifiers using conformal prediction.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.assess import ConformalClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ConformalClassifier(coverage=0.95, random_state=0).fit(X[::2], y[::2])
    >>> sets = model.predict_set(X[1::2])
    >>> sets.shape
    (75, 3)
    >>> bool(sets[range(75), y[1::2]].mean() > 0.85)
    True
    """

    _constraints = {
        "estimator": [HasMethods("fit"), None],
        "coverage": [Real(0, 1, closed="neither")],
        "method": [Options("lac", "aps", "raps")],
        "calibration_size": [Real(0, 1, closed="neither")],
        "cv": ["cv"],
        "per_class": ["boolean"],
        "allow_empty": ["boolean"],
        "randomized": ["boolean"],
        "penalty": [Real(0, None)],
        "rank": [Int(0, None)],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator=None,
        *,
        coverage=0.9,
        method="lac",
        calibration_size=0.25,
        cv=None,
        per_class=False,
        allow_empty=False,
        randomized=False,
        penalty=0.01,
        rank=1,
        random_state=None,
    ):
        self.estimator = estimator
        self.coverage = coverage
        self.method = method
        self.calibration_size = calibration_size
        self.cv = cv
        self.per_class = per_class
        self.allow_empty = allow_empty
        self.randomized = randomized
        self.penalty = penalty
        self.rank = rank
        self.random_state = random_state

    def _default(self):
        from statlearn.linear import LogisticRegression

        return LogisticRegression()

    def fit(self, X, y):
        """Fit the classifier and its conformity scores.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Passed unchanged to the inner estimator.
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        check_params(self)
        X, y = check_target(X, y, numeric=False)
        self.classes_, codes = encode_classes(y, owner="ConformalClassifier")
        inner, n = self._inner(), len(y)
        if is_frozen(inner):
            self.estimator_, self.estimators_, folds = inner, [inner], [(None, np.arange(n))]
        elif self.cv is None:
            folds = [held_out_rows(n, self.calibration_size, self.random_state, codes)]
            self.estimators_ = [fit_on(inner, X, y, folds[0][0])]
            self.estimator_ = self.estimators_[0]
        else:
            from sklearn.model_selection import check_cv

            folds = list(check_cv(self.cv, y, classifier=True).split(np.zeros((n, 1)), y))
            self.estimator_ = fit_on(inner, X, y, np.arange(n))
            self.estimators_ = [fit_on(inner, X, y, train) for train, _ in folds]
        u = check_random_state(self.random_state).uniform(size=n) if self.randomized else None
        scores, labels, fold = [], [], []
        for k, (model, (_, rows)) in enumerate(zip(self.estimators_, folds)):
            S = self._scores(model, take_rows(X, rows), None if u is None else u[rows])
            scores.append(S[np.arange(len(rows)), codes[rows]])
            labels.append(codes[rows])
            fold.append(np.full(len(rows), k))
        self.scores_, self.labels_, self.fold_ = (np.concatenate(v) for v in (scores, labels, fold))
        self._take_names(self.estimator_)
        return self

    def _scores(self, model, X, u):
        P = aligned_probabilities(model, X, self.classes_)
        return nonconformity(P, self.method, self.penalty, self.rank, u)

    def predict(self, X):
        """Most probable class of each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_proba(self, X):
        """Probabilities of the inner classifier.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        return aligned_probabilities(self.estimator_, X, self.classes_)

    def predict_set(self, X, coverage=None):
        """Prediction sets: which classes belong to the set of each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        coverage : float or None, default=None
            Coverage that overrides that of the constructor.

        Returns
        -------
        ndarray of bool of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        check_is_fitted(self)
        coverage = self.coverage if coverage is None else coverage
        check_arguments("predict_set", coverage=(coverage, self._constraints["coverage"]))
        smaller, u = 0, None
        for k, model in enumerate(self.estimators_):
            here = self.fold_ == k
            if k == 0:
                P = aligned_probabilities(model, X, self.classes_)
                u = self._shares(len(P))
                S = nonconformity(P, self.method, self.penalty, self.rank, u)
            else:
                S = self._scores(model, X, u)
            smaller = smaller + self._count_smaller(S, here)
        if self.per_class:
            total = np.bincount(self.labels_, minlength=len(self.classes_))
        else:
            total = len(self.scores_)
        # Rounding must not push (n + 1) c above the whole number that it is.
        sets = smaller < coverage * (total + 1) - 1e-9
        if not self.allow_empty:
            best = self.predict_proba(X).argmax(axis=1)
            sets[np.arange(len(sets)), best] |= ~sets.any(axis=1)
        return sets

    def _check_state(self):
        if hasattr(self, "labels_"):
            check_indices("labels_", self.labels_, len(self.classes_), start=-1)

    def _shares(self, n):
        """Random numbers for new rows, from a stream separate from that of the calibration rows."""
        if not self.randomized:
            return None
        rng = check_random_state(self.random_state)
        return np.random.default_rng([rng.randint(2**31 - 1), 1]).uniform(size=n)

    def _count_smaller(self, S, here):
        """For each row and class, the calibration scores of this model below s(x, k) (of class k, if per class)."""
        slack = 1e-12  # sums of the same probabilities in another order are equal
        if not self.per_class:
            return np.searchsorted(np.sort(self.scores_[here]), S - slack, side="left")
        counts = np.empty(S.shape, dtype=np.intp)
        for j in range(S.shape[1]):
            class_scores = np.sort(self.scores_[here & (self.labels_ == j)])
            counts[:, j] = np.searchsorted(class_scores, S[:, j] - slack, side="left")
        return counts
