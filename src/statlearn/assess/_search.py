"""Grid and randomised search with the one-standard-error rule and a validation curve with standard errors."""

import copy

import numpy as np
from sklearn import model_selection
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget
from statlearn._core.params import HasMethods, Instance, Int, Options, Real, check_params
from statlearn._core.validation import check_same_length, refuse_no_rows

from ._one_se import refit_callable, select
from ._scorers import read_scoring

_SEARCH_CONSTRAINTS = {
    "estimator": [HasMethods("fit"), None],
    "scoring": [Instance(str), "callable", Instance(list, tuple, dict, set), None],
    "n_jobs": [Int(None, None), None],
    "refit": ["boolean", Instance(str), "callable"],
    "cv": ["cv"],
    "verbose": ["verbose"],
    "pre_dispatch": [Int(None, None), Instance(str)],
    "error_score": [Options("raise"), Real(None, None), Instance(float)],  # NaN among them
    "return_train_score": ["boolean"],
    "rule": [Options("min", "one_se")],
    "complexity": [Instance(str), Instance(list, tuple), "callable", None],
}


class _RuleSearch:
    """Base class of the searches: defaults, rule and curve. It must be the first of the base classes."""

    _candidates: str  # the parameter that holds the candidates

    def _estimator(self):
        """The model to tune: ridge regression unless one was passed."""
        if self.estimator is not None:
            return self.estimator
        from statlearn.linear import Ridge

        return Ridge()

    def _defaults(self):
        """Default values of the estimator and the candidates, if they are None."""
        settings = {}
        estimator = self._estimator()
        if self.estimator is None:
            settings["estimator"] = estimator
        if getattr(self, self._candidates) is None:
            settings[self._candidates] = default_grid(estimator)
        return settings

    def _filled(self):
        """A copy with the defaults filled in."""
        filled = copy.copy(self)
        vars(filled).update(self._defaults())
        return filled

    def __sklearn_tags__(self):
        filled = copy.copy(self)
        filled.estimator = self._estimator()  # the tags are the estimator's; candidates do not matter
        return super(_RuleSearch, filled).__sklearn_tags__()

    def get_metadata_routing(self):
        """Metadata routing; see scikit-learn's guide.

        Returns
        -------
        MetadataRouter
        """
        return super(_RuleSearch, self._filled()).get_metadata_routing()

    def fit(self, X, y=None, **params):
        """Score every candidate by cross-validation, choose one by the rule, and fit it to all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets), default=None
        **params : dict
            ``groups`` for the splitter and arguments of `fit` of the estimator; arrays with one value per row
            (``sample_weight``) are split with the rows.

        Returns
        -------
        self : object
        """
        check_params(self)
        if self.rule == "one_se" and callable(self.refit):
            raise ValueError("`rule`='one_se' chooses the candidate itself; use `refit`=True, or set `rule`='min'.")
        refuse_no_rows(X)
        if y is not None:
            check_same_length(X, y)
        # scikit-learn sets most of these, depending on `refit`, `scoring` and the names of the columns.
        forget(self, "best_index_", "best_params_", "best_score_", "best_estimator_", "refit_time_")
        forget(self, "feature_names_in_", "cv_order_", "cv_curve_")
        several = not isinstance(self.scoring, (str, type(None)))
        metric = self.refit if isinstance(self.refit, str) and several else "score"
        settings = self._defaults() | self._choice(metric)
        if self.scoring is not None:
            settings["scoring"] = read_scoring(self.scoring)
        # scikit-learn's fit reads the settings from the object, and callbacks receive the object that is fitted, so
        # that they are set on it for the time of the fit.
        parameters = {name: getattr(self, name) for name in settings}
        vars(self).update(settings)
        try:
            super().fit(X, y, **params)
        finally:
            vars(self).update(parameters)
        self._keep_curve(metric)
        return self

    def _choice(self, metric):
        """The `refit` argument of scikit-learn's fit: a callable if the rule chooses."""
        if self.rule == "one_se" and self.refit is not False:
            return {"refit": refit_callable(self.complexity, metric)}
        return {}

    def _keep_curve(self, metric):
        if f"mean_test_{metric}" not in self.cv_results_:  # several metrics and none of them ranks
            return
        if np.all(np.isnan(self.cv_results_[f"mean_test_{metric}"])):
            raise ValueError(
                f"`scoring`={self.scoring!r} gave no candidate a score, so none can be chosen. Set "
                "`error_score`='raise' to see why."
            )
        chosen, self.cv_order_, self.cv_curve_ = select(self.cv_results_, self.rule, self.complexity, metric)
        if callable(self.refit):
            return
        self.best_index_ = chosen
        self.best_params_ = self.cv_results_["params"][chosen]
        self.best_score_ = self.cv_results_[f"mean_test_{metric}"][chosen]

    def _has_predict(self):
        try:
            return self.estimator is None or super().predict is not None
        except AttributeError as error:  # pass on the reason, not one more layer of it
            raise error.__cause__ or error from None

    @available_if(_has_predict)
    def predict(self, X):
        """Predictions of the chosen candidate, fitted to all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        check_is_fitted(self)
        return super().predict(X)


def default_grid(estimator):
    """Default candidates: the grid declared by the class of the estimator."""
    space = getattr(type(estimator), "_search_space", None)
    if space is not None and space.grid:
        return {name: list(values) for name, values in space.grid.items()}
    if "alpha" in estimator.get_params():
        return {"alpha": np.logspace(3, -3, 13).tolist()}
    raise ValueError(
        f"{type(estimator).__name__} declares no default grid; pass the candidates, for example "
        "{'max_depth': [1, 2, 4]}."
    )


class GridSearchCV(_RuleSearch, model_selection.GridSearchCV):
    r"""Exhaustive grid search with a selection rule and the whole validation curve.

    Every combination of the grid is scored by cross-validation. ``rule="min"`` chooses the best mean score, as
    scikit-learn's class of the same name does; ``rule="one_se"`` chooses the simplest combination whose mean is within
    one standard error of the best. A drop-in replacement for scikit-learn's class, with the same parameters, attributes
    and methods.

    Parameters
    ----------
    estimator : estimator or None, default=None
        Estimator to tune; None means ``statlearn.linear.Ridge()``.
    param_grid : dict, list of dicts or None, default=None
        Values to try; None uses the default grid declared by the class of the estimator.
    scoring : str, callable, list, tuple, dict or None, default=None
        One or several metrics, where greater is better; None uses the `score` method of the estimator.
    n_jobs : int or None, default=None
    refit : bool, str or callable, default=True
        Whether to fit the chosen combination to all rows. With several metrics, the name of the one used for the
        choice. A callable chooses from ``cv_results_`` and requires ``rule="min"``.
    cv : int, splitter, iterable or None, default=None
        None uses five folds, stratified for classifiers.
    verbose : int, default=0
    pre_dispatch : int or str, default="2*n_jobs"
    error_score : "raise" or float, default=nan
        Score of a combination whose fit fails.
    return_train_score : bool, default=False
    rule : {"min", "one_se"}, default="min"
        Selection rule.
    complexity : None, str, list of str or callable, default=None
        Definition of "simpler" for ``rule="one_se"`` and for the order of `cv_curve_`. None orders the usual
        parameters (a larger ``alpha`` is simpler, a larger ``C`` or ``max_depth`` more complex), others are an error.
        ``"grid"``: every list of the grid is ordered from simple to complex. Names of parameters, with a minus sign if
        larger is simpler: ``"-alpha"``, ``["max_depth", "-min_samples_leaf"]``. Or a function of the dict of settings.
        Several parameters are combined by the mean of their ranks.

    Attributes
    ----------
    best_params_, best_index_, best_score_, best_estimator_, cv_results_, scorer_, n_splits_, refit_time_, multimetric_
        As in scikit-learn; the best one is that chosen by the rule.
    classes_ : ndarray of shape (n_classes,)
        Class labels. Only for classifiers.
    n_features_in_, feature_names_in_
        Those of `best_estimator_`.
    cv_curve_ : CVCurve
        Loss (negative score) of the combinations per fold, simplest first, with means and standard errors; has `plot`.
        Combinations whose fit failed are omitted.
    cv_order_ : ndarray
        Combination of each point of the curve, as an index into ``cv_results_["params"]``.

    Notes
    -----
    `best_score_` is used for the choice and therefore optimistic. `nested_cross_validate` estimates the error of
    the whole search without this optimism. The standard error of a mean over folds ignores that training sets overlap;
    it is a yardstick, not a test.

    See Also
    --------
    RandomizedSearchCV : samples combinations.
    nested_cross_validate : error of the search itself.
    one_standard_error : the rule as a function.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 7.10.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from statlearn.assess import GridSearchCV
    >>> from statlearn.linear import Ridge
    >>> X, y = load_diabetes(return_X_y=True)
    >>> grid = {"alpha": [0.001, 0.01, 0.1, 1.0, 10.0]}
    >>> GridSearchCV(Ridge(), grid).fit(X, y).best_params_
    {'alpha': 0.001}
    >>> search = GridSearchCV(Ridge(), grid, rule="one_se").fit(X, y)
    >>> search.best_params_
    {'alpha': 0.1}
    """

    _constraints = {**_SEARCH_CONSTRAINTS, "param_grid": [Instance(dict, list, tuple), None]}
    _candidates = "param_grid"

    def __init__(
        self,
        estimator=None,
        param_grid=None,
        *,
        scoring=None,
        n_jobs=None,
        refit=True,
        cv=None,
        verbose=0,
        pre_dispatch="2*n_jobs",
        error_score=np.nan,
        return_train_score=False,
        rule="min",
        complexity=None,
    ):
        super().__init__(
            estimator,
            param_grid,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.rule = rule
        self.complexity = complexity


class RandomizedSearchCV(_RuleSearch, model_selection.RandomizedSearchCV):
    r"""Randomised search over sampled settings with a selection rule and the whole validation curve.

    `n_iter` settings are drawn from lists or distributions and scored by cross-validation; everything else is as in
    :class:`GridSearchCV`.

    Parameters
    ----------
    estimator : estimator or None, default=None
        Estimator to tune; None means ``statlearn.linear.Ridge()``.
    param_distributions : dict, list of dicts or None, default=None
        Lists, or distributions with a method `rvs`; None uses the default grid declared by the class of the estimator.
    n_iter : int, default=10
        Number of settings to draw. If there are only lists, they are drawn without replacement.
    scoring : str, callable, list, tuple, dict or None, default=None
        One or several metrics, where greater is better; None uses the `score` method of the estimator.
    n_jobs : int or None, default=None
    refit : bool, str or callable, default=True
        Whether to fit the chosen settings to all rows. With several metrics, the name of the one used for the choice. A
        callable chooses from ``cv_results_`` and requires ``rule="min"``.
    cv : int, splitter, iterable or None, default=None
        None uses five folds, stratified for classifiers.
    verbose : int, default=0
    pre_dispatch : int or str, default="2*n_jobs"
    random_state : int, RandomState or None, default=None
    error_score : "raise" or float, default=nan
        Score of settings whose fit fails.
    return_train_score : bool, default=False
    rule : {"min", "one_se"}, default="min"
        Selection rule.
    complexity : None, str, list of str or callable, default=None
        Definition of "simpler"; see :class:`GridSearchCV`.

    Attributes
    ----------
    best_params_, best_index_, best_score_, best_estimator_, cv_results_, scorer_, n_splits_, refit_time_, multimetric_
        As in scikit-learn; the best one is that chosen by the rule.
    classes_ : ndarray of shape (n_classes,)
        Class labels. Only for classifiers.
    n_features_in_, feature_names_in_
        Those of `best_estimator_`.
    cv_curve_ : CVCurve
        Loss (negative score) of the settings per fold, simplest first, with means and standard errors.
    cv_order_ : ndarray
        Settings of each point of the curve, as an index into ``cv_results_["params"]``.

    Examples
    --------
    >>> from scipy.stats import loguniform
    >>> from sklearn.datasets import load_diabetes
    >>> from statlearn.assess import RandomizedSearchCV
    >>> from statlearn.linear import Ridge
    >>> X, y = load_diabetes(return_X_y=True)
    >>> search = RandomizedSearchCV(Ridge(), {"alpha": loguniform(1e-3, 1e3)}, rule="one_se", random_state=0)
    >>> curve = search.fit(X, y).cv_curve_
    >>> bool(curve.parameter[curve.one_se] >= curve.parameter[curve.best])
    True
    """

    _constraints = {
        **_SEARCH_CONSTRAINTS,
        "param_distributions": [Instance(dict, list, tuple), None],
        "n_iter": [Int(1, None)],
        "random_state": ["random_state"],
    }
    _candidates = "param_distributions"

    def __init__(
        self,
        estimator=None,
        param_distributions=None,
        *,
        n_iter=10,
        scoring=None,
        n_jobs=None,
        refit=True,
        cv=None,
        verbose=0,
        pre_dispatch="2*n_jobs",
        random_state=None,
        error_score=np.nan,
        return_train_score=False,
        rule="min",
        complexity=None,
    ):
        super().__init__(
            estimator,
            param_distributions,
            n_iter=n_iter,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            random_state=random_state,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.rule = rule
        self.complexity = complexity
