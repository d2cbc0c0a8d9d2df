"""Stacking: a model of the members' out-of-fold predictions combines them."""

import copy
from functools import partial

import numpy as np
from sklearn import ensemble
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from statlearn._core.frames import columns_beside, is_mixed_frame, naming_text
from statlearn._core.params import HasMethods, Options, check_params
from statlearn._core.search import SearchSpace

from ._combination_weights import PoolClassifier, PoolRegressor
from ._members import (
    MEMBERS,
    N_JOBS,
    DefaultsMixin,
    MembersMixin,
    check_fit_arguments,
    default_classifiers,
    default_regressors,
)


def _has(method):
    """Whether the model that combines has the method; scikit-learn's reason where it has not."""

    def check(self):
        if self.weights is not None and not hasattr(self, "final_estimator_"):
            return hasattr(self._defaults()["final_estimator"], method)
        try:
            return getattr(self._beyond(), method) is not None
        except AttributeError as error:  # pass on the reason, not one more layer of it
            raise error.__cause__ or error from None

    return check


class _BesideColumns(BaseEstimator):
    """Stands in for the combining model while it is fitted: shows it the predictions joined with a data frame."""

    def __init__(self, estimator, join):
        self.estimator = estimator
        self.join = join

    def fit(self, P, y, **fit_params):
        self.estimator.fit(self.join(P), y, **fit_params)
        return self

    def __sklearn_clone__(self):  # without a copy of the frame
        return _BesideColumns(clone(self.estimator), self.join)

    def __sklearn_tags__(self):
        return get_tags(self.estimator)

    def __repr__(self):
        return repr(self.estimator)


class _Stacking(MembersMixin):
    """What the classifier and the regressor share."""

    _constraints: dict = {
        "estimators": MEMBERS,
        "final_estimator": [HasMethods("fit"), None],
        "cv": ["cv", Options("prefit")],
        "n_jobs": N_JOBS,
        "passthrough": ["boolean"],
        "verbose": ["verbose"],
    }

    def _check_combination(self):
        check_params(self)
        if self.weights is not None and self.final_estimator is not None:
            raise ValueError("weights= and final_estimator= both combine the members: leave one of them at None.")
        if self.weights is not None and self.passthrough:
            raise ValueError("weights= combines predictions alone: set passthrough=False, or pass a final_estimator.")

    def _fit_filled(self, X, y, fit_params):
        """Scikit-learn's `fit`; a frame whose columns differ in kind reaches the combining model as a frame."""
        self._passes_through = bool(self.passthrough)  # in this fit, whatever the parameter will be
        self._joins_frames = self._passes_through and is_mixed_frame(X)
        with self._filled():
            if not self._joins_frames:
                return super().fit(X, y, **fit_params)
            final = _BesideColumns(self.final_estimator, partial(self._beside, X))
            with self._filled(passthrough=False, final_estimator=final):
                super().fit(X, y, **fit_params)
            self.final_estimator_ = self.final_estimator_.estimator
            return self

    def _beside(self, X, P):
        """The frame X with the members' predictions before its own columns; of the library that these are from."""
        return columns_beside(X, P, self.get_feature_names_out()[: P.shape[1]])

    def _deciding(self):
        """The methods of scikit-learn's class that ask the combining model, which sees the table that it was fitted to.

        What `transform` returns depends on `set_output`, which is for users.
        """
        copied = copy.copy(self)
        copied.transform = self._seen
        return super(DefaultsMixin, copied)

    def _seen(self, X):
        """What the combining model sees: an array, or a frame like X where it was fitted to one."""
        if self._joins_frames and is_mixed_frame(X):
            return self._beside(X, np.asarray(self._predictions(X)))
        found = self._predictions(X, passthrough=self._passes_through)
        return np.asarray(found) if hasattr(found, "columns") else found

    def _predictions(self, X, passthrough=False):
        """The members' predictions, alone or before the columns of X."""
        copied = copy.copy(self)
        copied.passthrough = passthrough
        return super(_Stacking, copied).transform(X)

    @property
    def weights_(self):
        """Weights of the members, in the order of `estimators_`."""
        check_is_fitted(self)
        if not isinstance(self.final_estimator_, PoolRegressor | PoolClassifier):
            raise AttributeError("Members have weights only with weights=...; see final_estimator_.")
        return self.final_estimator_.coef_

    def transform(self, X):
        """The members' predictions, side by side: what the combining model sees.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, n_columns)
            With `passthrough`, a data frame where X is one that numbers alone cannot hold.
        """
        check_is_fitted(self)
        if not (self._joins_frames and is_mixed_frame(X)):
            return self._predictions(X, passthrough=self._passes_through)
        return self._beside(X, self._predictions(X))

    @available_if(_has("predict"))
    def predict(self, X, **predict_params):
        """Prediction of the combination.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        **predict_params : dict
            For `predict` of the combining model.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        check_is_fitted(self)
        return self._deciding().predict(X, **predict_params)


class StackingRegressor(_Stacking, ensemble.StackingRegressor):
    r"""Regressors combined by a model of their out-of-fold predictions.

    Every member predicts each row from the other folds; the combining model is fitted to these predictions, the members
    are fitted again to all rows. With ``weights="simplex"`` the combination solves

    .. math:: \min_w \sum_i s_i \Bigl(y_i - \sum_m w_m \hat f_m^{-i}(x_i)\Bigr)^2
        \quad\text{with}\quad w \ge 0,\; \sum_m w_m = 1

    a sum over rows without intercept and penalty; "nonnegative" drops the sum, "unconstrained" both.

    Parameters
    ----------
    estimators : list of (str, regressor) or None
        The members and their names; "drop" in place of a regressor leaves it out. None takes least squares and a few
        boosted trees.
    final_estimator : regressor or None
        Combines the predictions; None takes :class:`statlearn.linear.RidgeCV`, or `weights` where that is set.
    cv : int, splitter, iterable, "prefit" or None
        Folds for the predictions, five by default; as many folds as rows leave one out. "prefit" takes the members as
        they are: their predictions of rows they have seen flatter those that overfit.
    n_jobs : int or None
        Members fitted at a time.
    passthrough : bool, default=False
        Show the combining model the columns of X too. It gets a data frame where X is one with categories or text:
        trees, forests and boosting take them as they are, other models need a pipeline that makes numbers of them.
    verbose : int, default=0
    weights : {"simplex", "nonnegative", "unconstrained"} or None
        Combine linearly, by least squares.

    Attributes
    ----------
    estimators_ : list of regressors
        The members, fitted to all rows.
    named_estimators_ : Bunch
        The same by name.
    final_estimator_ : regressor
        The model that combines.
    stack_method_ : list of str
        The method of each member whose output is combined.
    weights_ : ndarray of shape (n_members,)
        The weights, where `weights` asks for them.

    Notes
    -----
    Stack on out-of-fold predictions only: on fitted values the member that overfits most would get all weight.
    Weights on the simplex cannot leave the range of the members' predictions, and many of them are exactly 0.
    They are found exactly, by block principal pivoting on the members' error products: O(n M^2 + M^3). Members that
    predict the same share their weight equally.

    See Also
    --------
    VotingRegressor : given weights.
    BayesianModelAveraging : weights by posterior probability.

    References
    ----------
    Wolpert, D. H. (1992). Stacked generalization. *Neural Networks* 5, 241-259.

    Breiman, L. (1996). Stacked regressions. *Machine Learning* 24, 49-64.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.ensemble import StackingRegressor
    >>> from statlearn.linear import LinearRegression, QuantileRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 2))
    >>> y = X[:, 0] + rng.normal(size=80)
    >>> members = [("mean", LinearRegression()), ("median", QuantileRegressor(alpha=0.0))]
    >>> model = StackingRegressor(members, weights="simplex").fit(X, y)
    >>> round(float(model.weights_.sum()), 12)
    1.0
    """

    _search_space = SearchSpace("stacking", 6.0, default=False)
    _constraints = {**_Stacking._constraints, "weights": [Options("simplex", "nonnegative", "unconstrained"), None]}

    def __init__(
        self,
        estimators=None,
        final_estimator=None,
        *,
        cv=None,
        n_jobs=None,
        passthrough=False,
        verbose=0,
        weights=None,
    ):
        super().__init__(estimators, final_estimator, cv=cv, n_jobs=n_jobs, passthrough=passthrough, verbose=verbose)
        self.weights = weights

    def _defaults(self):
        settings = {} if self.estimators is not None else {"estimators": default_regressors()}
        if self.weights is not None:
            settings["final_estimator"] = PoolRegressor(self.weights)
        elif self.final_estimator is None:
            from statlearn.linear import RidgeCV

            settings["final_estimator"] = RidgeCV()
        return settings

    @naming_text("a member or the final estimator")
    def fit(self, X, y, sample_weight=None, **fit_params):
        """Fit the members and the model that combines them.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,) or None
            For members and combining models that take weights; others raise a TypeError.
        **fit_params : dict
            Metadata, where scikit-learn's routing of metadata is on.

        Returns
        -------
        self : object
        """
        self._check_combination()
        return self._fit_filled(X, y, check_fit_arguments(y, sample_weight, fit_params))


class StackingClassifier(_Stacking, ensemble.StackingClassifier):
    r"""Classifiers combined by a model of their out-of-fold predictions.

    Every member predicts each row from the other folds; the combining model is fitted to these predictions, the members
    are fitted again to all rows. With ``weights="simplex"`` probabilities are averaged, by the weights of smallest
    squared error,

    .. math:: \min_w \sum_i s_i \sum_k \Bigl(1[y_i = k] - \sum_m w_m \hat p_{mk}^{-i}(x_i)\Bigr)^2
        \quad\text{with}\quad w \ge 0,\; \sum_m w_m = 1

    Parameters
    ----------
    estimators : list of (str, classifier) or None
        The members and their names; "drop" in place of a classifier leaves it out. None takes a logistic regression and
        a few boosted trees.
    final_estimator : classifier or None
        Combines the predictions; None takes :class:`statlearn.linear.LogisticRegression`, or `weights` where that is
        set.
    cv : int, splitter, iterable, "prefit" or None
        Folds for the predictions, five by default, stratified. "prefit" takes the members as they are: their
        predictions of rows they have seen flatter those that overfit.
    stack_method : {"auto", "predict_proba", "decision_function", "predict"}, default="auto"
        The members' output that is combined; "auto" takes the first that a member has.
    n_jobs : int or None
        Members fitted at a time.
    passthrough : bool, default=False
        Show the combining model the columns of X too. It gets a data frame where X is one with categories or text:
        trees, forests and boosting take them as they are, other models need a pipeline that makes numbers of them.
    verbose : int, default=0
    weights : {"simplex"} or None
        Average probabilities.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    estimators_ : list of classifiers
        The members, fitted to all rows.
    named_estimators_ : Bunch
        The same by name.
    final_estimator_ : classifier
        The model that combines.
    stack_method_ : list of str
        The method of each member whose output is combined.
    weights_ : ndarray of shape (n_members,)
        The weights, where `weights` asks for them.

    Notes
    -----
    For two classes the combining model sees the probability of the second class only. Stack on out-of-fold predictions
    only: on fitted values the member that overfits most would get all weight.

    See Also
    --------
    VotingClassifier : given weights.

    References
    ----------
    Wolpert, D. H. (1992). Stacked generalization. *Neural Networks* 5, 241-259.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.ensemble import StackingClassifier
    >>> from statlearn.linear import LeastSquaresClassifier, LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> members = [("weak", LogisticRegression(C=1e-3)), ("strong", LogisticRegression(C=10.0))]
    >>> StackingClassifier(members, weights="simplex").fit(X, y).weights_.round(6)
    array([0., 1.])
    """

    _search_space = SearchSpace("stacking", 6.0, default=False)
    _constraints = {
        **_Stacking._constraints,
        "stack_method": [Options("auto", "predict_proba", "decision_function", "predict")],
        "weights": [Options("simplex"), None],
    }

    def __init__(
        self,
        estimators=None,
        final_estimator=None,
        *,
        cv=None,
        stack_method="auto",
        n_jobs=None,
        passthrough=False,
        verbose=0,
        weights=None,
    ):
        super().__init__(
            estimators,
            final_estimator,
            cv=cv,
            stack_method=stack_method,
            n_jobs=n_jobs,
            passthrough=passthrough,
            verbose=verbose,
        )
        self.weights = weights

    def _defaults(self):
        settings = {} if self.estimators is not None else {"estimators": default_classifiers()}
        if self.weights is not None:
            settings["final_estimator"] = PoolClassifier(self.weights)
            settings["stack_method"] = "predict_proba"
        elif self.final_estimator is None:
            from statlearn.linear import LogisticRegression

            settings["final_estimator"] = LogisticRegression()
        return settings

    @naming_text("a member or the final estimator")
    def fit(self, X, y, sample_weight=None, **fit_params):
        """Fit the members and the model that combines them.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,) or None
            For members and combining models that take weights; others raise a TypeError.
        **fit_params : dict
            Metadata, where scikit-learn's routing of metadata is on.

        Returns
        -------
        self : object
        """
        self._check_combination()
        if self.weights is not None and self.stack_method not in ("auto", "predict_proba"):
            raise ValueError(f"weights= averages probabilities, but stack_method={self.stack_method!r}.")
        return self._fit_filled(X, y, check_fit_arguments(y, sample_weight, fit_params))

    @available_if(_has("predict_proba"))
    def predict_proba(self, X):
        """Class probabilities of the combination.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        check_is_fitted(self)
        return self._deciding().predict_proba(X)

    @available_if(_has("decision_function"))
    def decision_function(self, X):
        """Scores of the combining model.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
        """
        check_is_fitted(self)
        return self._deciding().decision_function(X)
