"""Bagging: base estimators fitted to bootstrap samples of the rows and random subsets of the columns."""

import copy
import functools
import numbers

import numpy as np
from joblib import effective_n_jobs
from sklearn import ensemble
from sklearn.base import BaseEstimator, is_classifier
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget
from statlearn._core.frames import naming_text
from statlearn._core.params import HasMethods, Int, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import check_weights, explained, refuse_no_label, validate_data
from statlearn._core.warnings import warn

from ._member_tables import MemberColumns
from ._members import N_JOBS, DefaultsMixin, check_same_classes
from ._weak_learner import seeded_clone

# How numpy's messages begin if a weighted sample without replacement is larger than the rows of positive weight.
_TOO_FEW_ROWS = ("Fewer non-zero entries in p", "Cannot take a larger sample than population")


class _Draw(BaseEstimator):
    """Placeholder for a member while its rows and columns are drawn."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        return self

    def predict(self, X):
        return np.zeros(X.shape[0], int)


def _output_of_member(single, member, columns, method, X, params):
    """What the ensemble would say if this were its only member."""
    single = copy.copy(single)
    single.estimators_, single.estimators_features_ = [member], [columns]
    return getattr(super(DefaultsMixin, single), method)(X, **params)


class _Bagging(DefaultsMixin):
    """Base class of the bagging classifier and regressor: default member and out-of-bag score."""

    _constraints: dict = {
        "estimator": [HasMethods("fit", "predict"), None],
        "n_estimators": [Int(1, None)],
        "max_samples": [Int(1, None), Real(0, 1, closed="right"), None],
        "max_features": [Int(1, None), Real(0, 1, closed="right")],
        "bootstrap": ["boolean"],
        "bootstrap_features": ["boolean"],
        "oob_score": ["boolean"],
        "warm_start": ["boolean"],
        "n_jobs": N_JOBS,
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    @naming_text("a member")
    def fit(self, X, y, sample_weight=None, **fit_params):
        """Fit each member to its own sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Training data, validated by the members. Trees treat categorical columns of a data frame as categorical.
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Rows are drawn with probabilities proportional to their weights.
        **fit_params : dict
            Metadata, if scikit-learn's metadata routing is enabled.

        Returns
        -------
        self : object
        """
        check_params(self)
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        refuse_no_label(y)
        n = len(np.atleast_1d(np.asarray(y)))
        if sample_weight is not None:
            sample_weight = check_weights(sample_weight, np.empty((n, 1)))
        if self.oob_score and not self.bootstrap:
            raise ValueError("Out of bag estimation only available if bootstrap=True.")
        if self.oob_score and self.warm_start:
            raise ValueError("Out of bag estimate only available if warm_start=False.")
        self._vote = getattr(self, "vote", "soft")  # as of this fit, whatever set_params changes later
        # scikit-learn before 1.8 does not accept None for the full number of rows.
        settings = {"max_samples": self._n_drawn(n, sample_weight)} if self.max_samples is None and n else {}
        limit = max(100 * n, 1_000_000)
        if isinstance(self.max_samples, numbers.Integral) and self.max_samples > limit:
            raise ValueError(f"`max_samples`={self.max_samples} is too large for {n:,} rows; use at most {limit:,}.")
        kind = self._default_member() if self.estimator is None else self.estimator
        if is_classifier(self) and not is_classifier(kind):
            raise ValueError(f"`estimator` must be a classifier, got {type(kind).__name__}.")
        if self.warm_start and hasattr(self, "estimators_"):
            X = self._columns.read_frame(X)
            self._check_continuation(X, y)
        else:
            self._columns = MemberColumns(kind)
            X = self._columns.fit_frame(X)
        validate_data(self, X, y, accept_sparse=["csr", "csc"], dtype=None, ensure_all_finite=False, multi_output=True)
        in_parts = bool(self._columns.positions) and self._draws_columns(np.shape(X)[1])
        settings["estimator"] = _Draw() if in_parts else self._columns.told(kind)
        try:
            with self._filled(**settings):
                super().fit(X, y, sample_weight, **fit_params)
        except ValueError as error:
            if sample_weight is None or not str(error).startswith(_TOO_FEW_ROWS):
                raise
            raise ValueError(
                f"`max_samples`={self.max_samples!r} exceeds the {np.count_nonzero(sample_weight)} rows of positive "
                "weight, from which bootstrap=False draws without replacement; use a smaller `max_samples`."
            ) from error
        if in_parts:
            self._fit_to_parts(kind, X, y)
        forget(self, "oob_score_", "oob_decision_function_", "oob_prediction_")
        if self.oob_score:
            self._estimate_out_of_bag(X, y)
        return self

    def _n_drawn(self, n, sample_weight):
        """Number of rows drawn if `max_samples` is None; without replacement, each row of positive weight once."""
        return n if self.bootstrap or sample_weight is None else np.count_nonzero(sample_weight)

    def _check_continuation(self, X, y):
        """Raise if the columns or classes differ from those of the existing members."""
        validate_data(self, X, accept_sparse=True, dtype=None, ensure_all_finite=False, reset=False)
        if hasattr(self, "classes_"):
            check_same_classes(self.classes_, np.unique(np.asarray(y)))

    def _draws_columns(self, p):
        n_drawn = self.max_features if isinstance(self.max_features, numbers.Integral) else self.max_features * p
        return self.bootstrap_features or n_drawn < p

    def _fit_to_parts(self, kind, X, y):
        """Fit the members drawn last, passing each the positions of its categorical columns."""
        table, y = self._checked(X), self._member_target(y)
        samples = self.estimators_samples_
        first = len(self.estimators_) - len(samples)
        for t, rows in enumerate(samples, start=first):
            columns = self.estimators_features_[t]
            member = seeded_clone(kind, np.random.RandomState(self.estimators_[t].random_state))
            member.set_params(categorical_features=np.flatnonzero(np.isin(columns, self._columns.positions)).tolist())
            counts = np.bincount(rows, minlength=table.shape[0])
            self.estimators_[t] = member.fit(table[:, columns], y, sample_weight=counts)
        self.estimator_ = kind

    def _defaults(self):
        # Computed here, because scikit-learn's out-of-bag score counts rows that are in every sample as predicted 0.
        settings = {"oob_score": False}
        if self.estimator is None:
            settings["estimator"] = self._default_member()
        return settings

    def _average(self, method, X, params, join=np.add):
        """The members' outputs, averaged by scikit-learn's method in the order of the members, whatever `n_jobs` is.

        With several jobs, scikit-learn adds the members of each job first, so that the last digits depend on their
        number.
        """
        size = len(self.estimators_)
        if effective_n_jobs(self.n_jobs) == 1 or size == 1:
            # `n_estimators` as of the fit, because scikit-learn divides by it.
            return getattr(self._beyond(n_estimators=size), method)(X, **params)
        single = copy.copy(self)
        vars(single).update({**self._defaults(), "estimators_": [], "n_estimators": 1, "n_jobs": 1})
        outputs = Parallel(n_jobs=self.n_jobs, verbose=self.verbose, return_as="generator")(
            delayed(_output_of_member)(single, member, columns, method, X, params)
            for member, columns in zip(self.estimators_, self.estimators_features_, strict=True)
        )
        total = functools.reduce(join, outputs)
        return total / size if join is np.add else total - np.log(size)

    def _members(self):
        """Fitted members with the columns and rows used by each."""
        return zip(self.estimators_, self.estimators_features_, self.estimators_samples_, strict=True)

    def _table(self, X):
        """The array passed to the members for a table given by the user."""
        return self._checked(self._columns.read_frame(X))

    def _checked(self, X):
        X = validate_data(self, X, accept_sparse=["csr", "csc"], dtype=None, ensure_all_finite=False, reset=False)
        return self._columns.numbers(X)

    def _out_of_bag(self, X, n_outputs, output):
        """Sums of the members' outputs over their out-of-bag rows, and the number of such members per row."""
        X = self._checked(X)
        n = X.shape[0]
        sums, counts = np.zeros((n, n_outputs)), np.zeros(n)
        for member, columns, rows in self._members():
            unseen = np.ones(n, bool)
            unseen[rows] = False
            if unseen.any():
                sums[unseen] += output(member, X[unseen][:, columns])
                counts += unseen
        if not counts.all():
            warn(
                "Some inputs do not have OOB scores. This probably means too few estimators were used to compute any "
                f"reliable oob estimates: {int((counts == 0).sum())} of {n} rows are in every sample. Increase "
                "`n_estimators`."
            )
        return sums, counts


def _members_decide(self):
    """Whether the members have a decision function; raises scikit-learn's error if they do not."""
    try:
        return self._beyond().decision_function is not None
    except AttributeError as error:
        raise error.__cause__ or error from None


def _one_hot(codes, n_classes):
    votes = np.zeros((len(codes), n_classes))
    votes[np.arange(len(codes)), np.asarray(codes, dtype=np.intp)] = 1.0
    return votes


class BaggingClassifier(_Bagging, ensemble.BaggingClassifier):
    r"""Bagging classifier: classifiers fitted to bootstrap samples and averaged.

    Each of B members is fitted to a sample of the rows, drawn with replacement, and optionally to a subset of the
    columns. The ensemble predicts the class with the largest average probability (``vote="soft"``) or with the most
    votes (``vote="hard"``, as in Breiman's paper). Ties go to the first class.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The base estimator. None uses a fully grown :class:`statlearn.trees.DecisionTreeClassifier`.
    n_estimators : int, default=10
        Number of members.
    max_samples : int, float or None, default=None
        Number of rows drawn for each member, or a proportion of the rows (of the sum of the weights, if given). None
        draws as many rows as X has.
    max_features : int or float, default=1.0
        Number or proportion of columns drawn for each member.
    bootstrap : bool, default=True
        Whether to draw rows with replacement.
    bootstrap_features : bool, default=False
        Whether to draw columns with replacement.
    oob_score : bool, default=False
        Whether to estimate the accuracy from out-of-bag rows.
    warm_start : bool, default=False
        Whether to add members to those of the previous fit.
    n_jobs : int or None, default=None
        Number of members fitted in parallel. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed for the samples and the members.
    verbose : int, default=0
    vote : {"soft", "hard"}, default="soft"
        "soft" averages probabilities if the members provide them, "hard" counts predicted labels.

    Attributes
    ----------
    estimator_ : classifier
        The base estimator.
    estimators_ : list of classifiers
        The members, fitted to class indices 0, 1, ...
    estimators_samples_ : list of ndarray
        Rows drawn for each member.
    estimators_features_ : list of ndarray
        Columns drawn for each member.
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.
    n_classes_ : int
        Number of classes.
    oob_score_ : float
        Accuracy of the out-of-bag predictions over the rows that have one. Only with ``oob_score=True``.
    oob_decision_function_ : ndarray of shape (n_rows, n_classes)
        Out-of-bag probabilities (or vote proportions); NaN for rows that are in every sample. Only with
        ``oob_score=True``.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Bagging reduces variance, not bias, so use deep trees as members. It leaves a base estimator that is linear in y
    unchanged in expectation. Members whose `fit` accepts weights receive the bootstrap counts as weights, which avoids
    copying rows. They must treat a row of weight 0 as absent.

    Row weights are sampling probabilities. Weight k is equivalent to k copies of a row in distribution, but not draw by
    draw.

    See Also
    --------
    RandomForestClassifier : Faster, and draws random columns at every split.

    References
    ----------
    Breiman, L. (1996). Bagging predictors. *Machine Learning* 24, 123-140.

    Ho, T. K. (1998). The random subspace method for constructing decision forests. *IEEE Trans. PAMI* 20, 832-844.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.ensemble import BaggingClassifier
    >>> from statlearn.linear import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BaggingClassifier(LogisticRegression(), vote="hard", oob_score=True, n_estimators=30, random_state=0)
    >>> bool(model.fit(X, y).oob_score_ > 0.9)
    True
    """

    _search_space = SearchSpace("bagged trees", fixed={"n_estimators": 50})
    _constraints = {**_Bagging._constraints, "vote": [Options("soft", "hard")]}

    def __init__(
        self,
        estimator=None,
        n_estimators=10,
        *,
        max_samples=None,
        max_features=1.0,
        bootstrap=True,
        bootstrap_features=False,
        oob_score=False,
        warm_start=False,
        n_jobs=None,
        random_state=None,
        verbose=0,
        vote="soft",
    ):
        super().__init__(
            estimator,
            n_estimators,
            max_samples=max_samples,
            max_features=max_features,
            bootstrap=bootstrap,
            bootstrap_features=bootstrap_features,
            oob_score=oob_score,
            warm_start=warm_start,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
        self.vote = vote

    def _default_member(self):
        from statlearn.trees import DecisionTreeClassifier

        return DecisionTreeClassifier()

    def _output(self, member, X):
        """A member's probabilities for all classes, or its votes."""
        K = len(self.classes_)
        if self._vote == "hard" or not hasattr(member, "predict_proba"):
            return _one_hot(member.predict(X), K)
        shares = np.zeros((X.shape[0], K))
        shares[:, np.asarray(member.classes_, dtype=np.intp)] = member.predict_proba(X)
        return shares

    def _estimate_out_of_bag(self, X, y):
        sums, counts = self._out_of_bag(X, len(self.classes_), self._output)
        seen = counts > 0
        shares = np.full(sums.shape, np.nan)
        shares[seen] = sums[seen] / counts[seen, None]
        self.oob_decision_function_ = shares
        best = self.classes_[np.argmax(sums[seen], axis=1)]
        self.oob_score_ = accuracy_score(np.asarray(y).reshape(-1)[seen], best) if seen.any() else np.nan

    def predict_proba(self, X, **params):
        """Class probabilities: average of the members' probabilities, or their vote proportions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
        **params : dict
            Metadata, if scikit-learn's metadata routing is enabled.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        check_is_fitted(self)
        if self._vote == "soft":
            with explained(self, X, reset=False):
                return self._average("predict_proba", self._columns.read_frame(X), params)
        X = self._table(X)
        votes = sum(self._output(m, X[:, columns]) for m, columns in zip(self.estimators_, self.estimators_features_))
        return votes / len(self.estimators_)

    def predict_log_proba(self, X, **params):
        """Logarithm of the class probabilities.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
        **params : dict
            Metadata, if scikit-learn's metadata routing is enabled.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        check_is_fitted(self)
        by_logarithms = hasattr(self.estimator_, "predict_log_proba")
        if self._vote == "soft" and by_logarithms and not self._columns.positions:
            return self._average("predict_log_proba", X, params, join=np.logaddexp)
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X, **params))

    @available_if(_members_decide)
    def decision_function(self, X, **params):
        """Average of the members' decision functions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
        **params : dict
            Metadata, if scikit-learn's metadata routing is enabled.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
        """
        check_is_fitted(self)
        return self._average("decision_function", self._columns.read_frame(X), params)

    def _member_target(self, y):
        return np.searchsorted(self.classes_, np.ravel(y))


class BaggingRegressor(_Bagging, ensemble.BaggingRegressor):
    r"""Bagging regressor: regressors fitted to bootstrap samples and averaged.

    Each of B members is fitted to a sample of the rows, drawn with replacement, and optionally to a subset of the
    columns.

    Parameters
    ----------
    estimator : regressor or None, default=None
        The base estimator. None uses a fully grown :class:`statlearn.trees.DecisionTreeRegressor`.
    n_estimators : int, default=10
        Number of members.
    max_samples : int, float or None, default=None
        Number of rows drawn for each member, or a proportion of the rows (of the sum of the weights, if given). None
        draws as many rows as X has.
    max_features : int or float, default=1.0
        Number or proportion of columns drawn for each member.
    bootstrap : bool, default=True
        Whether to draw rows with replacement.
    bootstrap_features : bool, default=False
        Whether to draw columns with replacement.
    oob_score : bool, default=False
        Whether to estimate R² from out-of-bag rows.
    warm_start : bool, default=False
        Whether to add members to those of the previous fit.
    n_jobs : int or None, default=None
        Number of members fitted in parallel. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed for the samples and the members.
    verbose : int, default=0

    Attributes
    ----------
    estimator_ : regressor
        The base estimator.
    estimators_ : list of regressors
        The members.
    estimators_samples_ : list of ndarray
        Rows drawn for each member.
    estimators_features_ : list of ndarray
        Columns drawn for each member.
    oob_score_ : float
        R² of the out-of-bag predictions over the rows that have one. Only with ``oob_score=True``.
    oob_prediction_ : ndarray of shape (n_rows,)
        Out-of-bag predictions; NaN for rows that are in every sample. Only with ``oob_score=True``.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    :func:`average_variance` computes the variance of the average from the correlation and variance of the members.
    Bagging reduces variance, not bias, so use deep trees as members. It leaves a base estimator that is linear in y
    unchanged in expectation.

    Row weights are sampling probabilities. Weight k is equivalent to k copies of a row in distribution, but not draw by
    draw.

    See Also
    --------
    RandomForestRegressor : Faster, and draws random columns at every split.

    References
    ----------
    Breiman, L. (1996). Bagging predictors. *Machine Learning* 24, 123-140.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.ensemble import BaggingRegressor
    >>> from statlearn.linear import LinearRegression
    >>> X = np.arange(50.0)[:, None]
    >>> model = BaggingRegressor(LinearRegression(), n_estimators=20, random_state=0).fit(X, 3 * X[:, 0])
    >>> model.predict([[10.0]]).round(6)
    array([30.])
    """

    _search_space = SearchSpace("bagged trees", fixed={"n_estimators": 50})
    _constraints = _Bagging._constraints

    def __init__(
        self,
        estimator=None,
        n_estimators=10,
        *,
        max_samples=None,
        max_features=1.0,
        bootstrap=True,
        bootstrap_features=False,
        oob_score=False,
        warm_start=False,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        super().__init__(
            estimator,
            n_estimators,
            max_samples=max_samples,
            max_features=max_features,
            bootstrap=bootstrap,
            bootstrap_features=bootstrap_features,
            oob_score=oob_score,
            warm_start=warm_start,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )

    def _default_member(self):
        from statlearn.trees import DecisionTreeRegressor

        return DecisionTreeRegressor()

    def predict(self, X, **params):
        """Predicted values: average prediction of the members.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
        **params : dict
            Metadata, if scikit-learn's metadata routing is enabled.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_outputs)
        """
        check_is_fitted(self)
        with explained(self, X, reset=False):
            return self._average("predict", self._columns.read_frame(X), params)

    def _member_target(self, y):
        return np.asarray(y)

    def _estimate_out_of_bag(self, X, y):
        y = np.asarray(y, dtype=np.float64)
        flat = y.reshape(len(y), -1)
        sums, counts = self._out_of_bag(X, flat.shape[1], lambda m, A: np.asarray(m.predict(A)).reshape(A.shape[0], -1))
        seen = counts > 0
        means = np.full(sums.shape, np.nan)
        means[seen] = sums[seen] / counts[seen, None]
        self.oob_prediction_ = means[:, 0] if flat.shape[1] == 1 else means
        self.oob_score_ = r2_score(flat[seen], means[seen]) if seen.sum() > 1 else np.nan
