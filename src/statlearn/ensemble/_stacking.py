"""Stacking: members combined by a model fitted to their out-of-fold predictions."""

import copy
from functools import partial

import numpy as np
from sklearn import ensemble
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget
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
    """Whether the final estimator has a method; raises scikit-learn's error if it does not."""

    def check(self):
        if self.weights is not None and not hasattr(self, "final_estimator_"):
            return hasattr(self._defaults()["final_estimator"], method)
        try:
            return getattr(self._beyond(), method) is not None
        except AttributeError as error:  # re-raise the reason without another layer around it
            raise error.__cause__ or error from None

    return check


MAX_OUTPUTS = 2**20  # columns of predictions of one member that a file may name


class _BesideColumns(BaseEstimator):
    """Placeholder for the final estimator during `fit`, which joins the predictions with a data frame."""

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
    """Base class of the stacking classifier and regressor."""

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
            raise ValueError("`weights` and `final_estimator` cannot be used together; set one of them to None.")
        if self.weights is not None and self.passthrough:
            raise ValueError(
                "`weights` does not support passthrough=True; set passthrough=False or use `final_estimator` instead."
            )

    def _check_state(self):
        """Each member gives a column of predictions, or one per class and output."""
        counts = getattr(self, "_n_feature_outs", [])
        if type(counts) is not list or any(type(n) is not int or not 0 <= n <= MAX_OUTPUTS for n in counts):
            raise ValueError(f"`_n_feature_outs` must be numbers of columns, got {counts}.")

    def _fit_filled(self, X, y, fit_params):
        """scikit-learn's `fit`, which passes a frame with mixed column types to the final estimator as a frame."""
        self._passes_through = bool(self.passthrough)  # as of this fit, whatever set_params changes later
        self._joins_frames = self._passes_through and is_mixed_frame(X)
        forget(self, "feature_names_in_")  # scikit-learn sets it if the first member has it
        with self._filled():
            if not self._joins_frames:
                return super().fit(X, y, **fit_params)
            final = _BesideColumns(self.final_estimator, partial(self._beside, X))
            with self._filled(passthrough=False, final_estimator=final):
                super().fit(X, y, **fit_params)
            self.final_estimator_ = self.final_estimator_.estimator
            return self

    def _beside(self, X, P):
        """The data frame X with the members' predictions inserted before its own columns."""
        return columns_beside(X, P, self.get_feature_names_out()[: P.shape[1]])

    def _deciding(self):
        """Method of scikit-learn that calls the final estimator, with the same kind of table as in `fit`.

        `transform` cannot be used for this, because its output depends on `set_output`.
        """
        copied = copy.copy(self)
        copied.transform = self._seen
        return super(DefaultsMixin, copied)

    def _seen(self, X):
        """Input of the final estimator: an array, or a frame like X if it was fitted to one."""
        if self._joins_frames and is_mixed_frame(X):
            return self._beside(X, np.asarray(self._predictions(X)))
        predictions = self._predictions(X, passthrough=self._passes_through)
        return np.asarray(predictions) if hasattr(predictions, "columns") else predictions

    def _predictions(self, X, passthrough=False):
        """The members' predictions, optionally followed by the columns of X."""
        copied = copy.copy(self)
        copied.passthrough = passthrough
        return super(_Stacking, copied).transform(X)

    @property
    def weights_(self):
        """Weights of the members, in the order of `estimators_`."""
        check_is_fitted(self)
        if not isinstance(self.final_estimator_, PoolRegressor | PoolClassifier):
            raise AttributeError("`weights_` is only available if `weights` is set; see `final_estimator_` instead.")
        return self.final_estimator_.coef_

    def transform(self, X):
        """The members' predictions side by side, as passed to the final estimator.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, n_columns)
            With `passthrough`, a data frame if X is one with non-numeric columns.
        """
        check_is_fitted(self)
        if not (self._joins_frames and is_mixed_frame(X)):
            return self._predictions(X, passthrough=self._passes_through)
        return self._beside(X, self._predictions(X))

    @available_if(_has("predict"))
    def predict(self, X, **predict_params):
        """Predictions of the final estimator.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        **predict_params : dict
            Parameters passed to `predict` of the final estimator.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        check_is_fitted(self)
        return self._deciding().predict(X, **predict_params)


class StackingRegressor(_Stacking, ensemble.StackingRegressor):
    r"""Stacked regressors, combined by a model fitted to their out-of-fold predictions.

    Every member predicts each row after being fitted to the other folds. The final estimator is fitted to these
    predictions, and the members are refitted to all rows. With ``weights="simplex"`` the combination solves

    .. math:: \min_w \sum_i s_i \Bigl(y_i - \sum_m w_m \hat f_m^{-i}(x_i)\Bigr)^2
        \quad\text{with}\quad w \ge 0,\; \sum_m w_m = 1

    with no intercept or penalty. "nonnegative" drops the constraint on the sum, "unconstrained" both constraints.

    Parameters
    ----------
    estimators : list of (str, regressor) or None, default=None
        Names and members. Use "drop" instead of a regressor to leave it out. None uses least squares and a small
        gradient boosting model.
    final_estimator : regressor or None, default=None
        Model that combines the predictions. None uses :class:`statlearn.linear.RidgeCV`, or `weights` if set.
    cv : int, splitter, iterable, "prefit" or None, default=None
        Cross-validation for the out-of-fold predictions, by default five folds. As many folds as rows is leave-one-out.
        "prefit" uses the members without refitting them; their predictions for rows they were fitted to favour members
        that overfit.
    n_jobs : int or None, default=None
        Number of members fitted in parallel.
    passthrough : bool, default=False
        Whether to pass the columns of X to the final estimator as well. If X is a data frame with categories or text,
        the final estimator receives a data frame. Trees, forests and boosting accept categories directly; other models
        need a pipeline that converts them to numbers.
    verbose : int, default=0
    weights : {"simplex", "nonnegative", "unconstrained"} or None, default=None
        If set, combine the members linearly by least squares under these constraints.

    Attributes
    ----------
    estimators_ : list of regressors
        The members, fitted to all rows.
    named_estimators_ : Bunch
        The fitted members by name.
    final_estimator_ : regressor
        The fitted final estimator.
    stack_method_ : list of str
        The method of each member used for stacking.
    weights_ : ndarray of shape (n_members,)
        Weights of the members. Only if `weights` is set.
    n_features_in_, feature_names_in_
        Those of the members.

    Notes
    -----
    Always stack on out-of-fold predictions. With fitted values, the member that overfits most would get all the weight.
    With simplex weights, predictions stay within the range of the members' predictions, and many weights are exactly 0.
    The weights are computed exactly by block principal pivoting on the cross-products of the members' errors, in
    O(n M^2 + M^3). Members with identical predictions share their weight equally.

    See Also
    --------
    VotingRegressor : Average with given weights.
    BayesianModelAveraging : Average weighted by posterior probability.

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

    _search_space = SearchSpace("stacking")
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
        """Fit the members and the final estimator.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Passed to the members and the final estimator. Those that do not accept weights raise a TypeError.
        **fit_params : dict
            Metadata, if scikit-learn's metadata routing is enabled.

        Returns
        -------
        self : object
        """
        self._check_combination()
        return self._fit_filled(X, y, check_fit_arguments(y, sample_weight, fit_params))


class StackingClassifier(_Stacking, ensemble.StackingClassifier):
    r"""Stacked classifiers, combined by a model fitted to their out-of-fold predictions.

    Every member predicts each row after being fitted to the other folds. The final estimator is fitted to these
    predictions, and the members are refitted to all rows. With ``weights="simplex"`` probabilities are averaged with
    the weights that minimise the squared error,

    .. math:: \min_w \sum_i s_i \sum_k \Bigl(1[y_i = k] - \sum_m w_m \hat p_{mk}^{-i}(x_i)\Bigr)^2
        \quad\text{with}\quad w \ge 0,\; \sum_m w_m = 1

    Parameters
    ----------
    estimators : list of (str, classifier) or None, default=None
        Names and members. Use "drop" instead of a classifier to leave it out. None uses a logistic regression and a
        small gradient boosting model.
    final_estimator : classifier or None, default=None
        Model that combines the predictions. None uses :class:`statlearn.linear.LogisticRegression`, or `weights` if
        set.
    cv : int, splitter, iterable, "prefit" or None, default=None
        Cross-validation for the out-of-fold predictions, by default five stratified folds. "prefit" uses the members
        without refitting them; their predictions for rows they were fitted to favour members that overfit.
    stack_method : {"auto", "predict_proba", "decision_function", "predict"}, default="auto"
        Method of the members whose output is combined. "auto" uses the first one that a member has.
    n_jobs : int or None, default=None
        Number of members fitted in parallel.
    passthrough : bool, default=False
        Whether to pass the columns of X to the final estimator as well. If X is a data frame with categories or text,
        the final estimator receives a data frame. Trees, forests and boosting accept categories directly; other models
        need a pipeline that converts them to numbers.
    verbose : int, default=0
    weights : {"simplex"} or None, default=None
        If set, average the members' probabilities with these weights.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.
    estimators_ : list of classifiers
        The members, fitted to all rows.
    named_estimators_ : Bunch
        The fitted members by name.
    final_estimator_ : classifier
        The fitted final estimator.
    stack_method_ : list of str
        The method of each member used for stacking.
    weights_ : ndarray of shape (n_members,)
        Weights of the members. Only if `weights` is set.
    n_features_in_, feature_names_in_
        Those of the members.

    Notes
    -----
    With two classes, the final estimator is passed the probability of the second class only. Always stack on
    out-of-fold predictions. With fitted values, the member that overfits most would get all the weight.

    See Also
    --------
    VotingClassifier : Voting with given weights.

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

    _search_space = SearchSpace("stacking")
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
        """Fit the members and the final estimator.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Passed to the members and the final estimator. Those that do not accept weights raise a TypeError.
        **fit_params : dict
            Metadata, if scikit-learn's metadata routing is enabled.

        Returns
        -------
        self : object
        """
        self._check_combination()
        if self.weights is not None and self.stack_method not in ("auto", "predict_proba"):
            raise ValueError(
                f"`weights` averages probabilities, but stack_method={self.stack_method!r}; use 'auto' or "
                "'predict_proba'."
            )
        return self._fit_filled(X, y, check_fit_arguments(y, sample_weight, fit_params))

    @available_if(_has("predict_proba"))
    def predict_proba(self, X):
        """Class probabilities of the final estimator.

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
        """Decision function of the final estimator.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
        """
        check_is_fitted(self)
        return self._deciding().decision_function(X)
