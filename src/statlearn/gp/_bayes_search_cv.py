"""Hyper-parameter search by Bayesian optimisation of a cross-validated score."""

import math
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from joblib import effective_n_jobs
from sklearn.exceptions import FitFailedWarning

from statlearn._core.fitted_state import forget
from statlearn._core.params import HasMethods, Instance, Int, Options, Real, check_params
from statlearn._core.warnings import warn
from statlearn.assess import GridSearchCV, one_standard_error

from ._bayesian_optimizer import BayesianOptimizer, SpaceExhausted
from ._fold_results import FoldByFold, FoldScores, regroup, with_failures
from ._space import Space, space_of_values

GIVE_UP = 10  # settings in a row, from the first one, of which no fit works


class BayesSearchCV(GridSearchCV):
    r"""Hyper-parameter search by Bayesian optimisation.

    Settings are proposed one after another (or several at a time) by a `BayesianOptimizer` that models the
    cross-validated score, instead of being enumerated or drawn blindly. Parameters, attributes and methods are those of
    `GridSearchCV`; search spaces are written as in scikit-optimize.

    Parameters
    ----------
    estimator : estimator or None, default=None
        Estimator to tune; None means ``statlearn.linear.Ridge()``.
    search_spaces : dict, list of dicts, list of (dict, int) or None, default=None
        Dimensions by parameter name: `Real`, `Integer`, `Categorical`, a tuple ``(low, high)`` or ``(low, high,
        "log-uniform")``, a list of values, or a uniform, loguniform or randint distribution of scipy. Several spaces
        are searched one after the other, each with `n_iter` settings or its own number. None spans the default
        grid that is declared by the class of the estimator.
    n_iter : int, default=50
        Number of settings to evaluate.
    scoring : str, callable, list, tuple, dict or None, default=None
        One or several metrics, where greater is better; None uses the `score` method of the estimator. With several
        metrics, `refit` names the one that is optimised.
    n_jobs : int or None, default=None
        Number of fits that run in parallel.
    n_points : int or None, default=None
        Number of settings that are proposed at a time. None means as many as `n_jobs` can evaluate together.
    refit : bool, str or callable, default=True
        Whether to fit the chosen settings to all rows. With several metrics, the name of the one used for the
        search and the choice. A callable chooses from ``cv_results_`` and requires ``rule="min"``.
    cv : int, splitter, iterable or None, default=None
        None uses five folds, stratified for classifiers.
    prune : bool, default=False
        Whether to stop the evaluation of settings after some folds if they are very unlikely to become the best. They
        are compared with the best settings fold by fold, and stopped if they lag by more than two standard deviations
        of what the remaining folds could change (plus one standard error for ``rule="one_se"``). Scores of omitted
        folds are NaN, and such settings are never chosen.
    timeout : float or None, default=None
        Seconds after which no further settings are proposed.
    optimizer_kwargs : dict or None, default=None
        Further arguments of `BayesianOptimizer`, such as ``{"n_initial": 10, "acquisition": "lcb"}``. Scores are
        treated as exact by default; pass ``{"noise": True}`` for an estimator whose fits are random.
    verbose : int, default=0
    pre_dispatch : int or str, default="2*n_jobs"
    random_state : int, RandomState or None, default=None
    error_score : "raise" or float, default=nan
        Score of settings whose fit fails. With NaN, they are not proposed again.
    return_train_score : bool, default=False
    rule : {"min", "one_se"}, default="min"
        Selection rule: the best mean score, or the simplest settings within one standard error of it.
    complexity : None, str, list of str or callable, default=None
        Definition of "simpler"; see :class:`statlearn.assess.GridSearchCV`.

    Attributes
    ----------
    best_params_, best_index_, best_score_, best_estimator_, cv_results_, scorer_, n_splits_, refit_time_, multimetric_
        As in scikit-learn. With ``prune=True``, ``cv_results_`` also contains "n_splits_done" and "pruned".
    classes_ : ndarray of shape (n_classes,)
        Class labels. Only for classifiers.
    n_features_in_, feature_names_in_
        Those of `best_estimator_`.
    cv_curve_ : CVCurve
        Loss (negative score) of the settings per fold, simplest first, with means and standard errors.
    cv_order_ : ndarray
        Settings of each point of the curve, as an index into ``cv_results_["params"]``.

    Notes
    -----
    `best_score_` is used for the choice and therefore optimistic; `statlearn.assess.nested_cross_validate` estimates
    the error of the whole search.

    For one or two parameters, or fits that take milliseconds, a grid is as good. The search pays off with three or
    more parameters and costly fits.

    See Also
    --------
    statlearn.assess.GridSearchCV : tries all combinations.
    statlearn.assess.RandomizedSearchCV : draws combinations.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.gp import BayesSearchCV, Real
    >>> from statlearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> spaces = {"C": Real(1e-2, 1e3, "log-uniform"), "gamma": (1e-4, 1e1, "log-uniform")}
    >>> search = BayesSearchCV(SVC(), spaces, n_iter=12, random_state=0).fit(X, y)
    >>> bool(search.best_score_ > 0.97)
    True
    """

    _constraints = {
        "estimator": [HasMethods("fit"), None],
        "search_spaces": [Instance(dict, list, tuple), None],
        "n_iter": [Int(1, None)],
        "scoring": [Instance(str), "callable", Instance(list, tuple, dict, set), None],
        "n_jobs": [Int(None, None), None],
        "n_points": [Int(1, None), None],
        "refit": ["boolean", Instance(str), "callable"],
        "cv": ["cv"],
        "prune": ["boolean"],
        "timeout": [Real(0, None), None],
        "optimizer_kwargs": [Instance(dict), None],
        "verbose": ["verbose"],
        "pre_dispatch": [Int(None, None), Instance(str)],
        "random_state": ["random_state"],
        "error_score": [Options("raise"), Real(None, None), Instance(float)],  # NaN among them
        "return_train_score": ["boolean"],
        "rule": [Options("min", "one_se")],
        "complexity": [Instance(str), Instance(list, tuple), "callable", None],
    }
    _candidates = "search_spaces"

    def __init__(
        self,
        estimator=None,
        search_spaces=None,
        *,
        n_iter=50,
        scoring=None,
        n_jobs=None,
        n_points=None,
        refit=True,
        cv=None,
        prune=False,
        timeout=None,
        optimizer_kwargs=None,
        verbose=0,
        pre_dispatch="2*n_jobs",
        random_state=None,
        error_score=np.nan,
        return_train_score=False,
        rule="min",
        complexity=None,
    ):
        self.estimator = estimator
        self.search_spaces = search_spaces
        self.n_iter = n_iter
        self.scoring = scoring
        self.n_jobs = n_jobs
        self.n_points = n_points
        self.refit = refit
        self.cv = cv
        self.prune = prune
        self.timeout = timeout
        self.optimizer_kwargs = optimizer_kwargs
        self.verbose = verbose
        self.pre_dispatch = pre_dispatch
        self.random_state = random_state
        self.error_score = error_score
        self.return_train_score = return_train_score
        self.rule = rule
        self.complexity = complexity

    @property
    def total_iterations(self):
        """Number of settings that a search evaluates at most."""
        return sum(n_iter for _, n_iter in self._spaces())

    def _spaces(self):
        """Pairs of a space and its number of evaluations."""
        spaces = self._filled().search_spaces
        listed = [spaces] if isinstance(spaces, Mapping) else list(spaces)
        if not listed:
            raise ValueError("`search_spaces` must contain at least one space.")
        pairs = []
        for each in listed:
            space, n_iter = each if isinstance(each, tuple) and len(each) == 2 else (each, self.n_iter)
            if not isinstance(space, Mapping) or isinstance(n_iter, bool) or not isinstance(n_iter, (int, np.integer)):
                raise ValueError(
                    f"`search_spaces` must be a dict, a list of dicts or a list of (dict, n_iter) pairs, got {each!r}."
                )
            if n_iter < 1:
                raise ValueError(f"`search_spaces`: the number of evaluations must be at least 1, got {n_iter}.")
            try:
                pairs.append((Space(space), int(n_iter)))
            except ValueError as error:
                raise ValueError(f"`search_spaces`: {error}") from None
        return pairs

    def _defaults(self):
        settings = super()._defaults()
        if "search_spaces" in settings:  # the grid of the class
            grid = settings["search_spaces"]
            settings["search_spaces"] = {name: space_of_values(values) for name, values in grid.items()}
        return settings

    def fit(self, X, y=None, **params):
        """Search, choose settings by the rule, and fit them to all rows.

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
        self._spaces()  # raises for an invalid space before the work begins
        self._progress = _Progress()
        try:
            return super().fit(X, y, **params)
        finally:
            forget(self, "_progress")

    # What scikit-learn's fit reads while it runs.

    def _choice(self, metric):
        if not self.prune:
            return super()._choice(metric)
        self._progress.folds = FoldByFold(self.cv, self._estimator())
        settings: dict = {"cv": self._progress.folds}
        if self.refit is not False:
            settings["refit"] = _RowOfChoice(self, self.refit, metric)
        return settings

    def _run_search(self, evaluate_candidates):
        metric = self._metric()
        progress = self._progress
        deadline = math.inf if self.timeout is None else time.monotonic() + self.timeout
        seed = self.random_state
        if isinstance(seed, np.random.RandomState):
            seed = int(seed.randint(2**31 - 1))
        for number, (space, n_iter) in enumerate(self._spaces()):
            own_seed = None if seed is None else seed + number
            # Scores on the same folds are repeatable, however rugged. Noise would explain away the differences between
            # the best settings.
            settings = {"maximize": True, "noise": False, "random_state": own_seed, **self._options()}
            optimizer = BayesianOptimizer(space, **settings)
            done, n_iter = 0, min(n_iter, space.size)
            while done < n_iter and (time.monotonic() < deadline or progress.n_tried == 0):
                try:
                    points = optimizer.ask(min(self._batch(), n_iter - done))
                except SpaceExhausted:
                    break
                with progress.problems.caught():
                    scores = (
                        self._scores_by_fold(evaluate_candidates, points, metric)
                        if self.prune
                        else self._all_scores(evaluate_candidates, points, metric)
                    )
                for point, score in zip(points, scores):
                    optimizer.tell(point, score)
                done += len(points)
                if progress.n_tried >= GIVE_UP and progress.all_failed:
                    raise progress.problems.fatal
        if progress.all_failed:
            raise progress.problems.fatal
        progress.problems.report(progress.n_tried)

    def _options(self):
        options = dict(self.optimizer_kwargs or {})
        reserved = {"space", "maximize", "n_objectives", "n_constraints", "random_state", "study"} & set(options)
        if reserved:
            raise ValueError(f"`optimizer_kwargs` must not contain {sorted(reserved)}.")
        try:
            BayesianOptimizer([(0.0, 1.0)], **options)
        except TypeError as error:
            raise ValueError(f"`optimizer_kwargs`: {error}") from None
        return options

    def _metric(self):
        """Name of the metric that is optimised; None if only the first results show it."""
        several = not isinstance(self.scoring, (str, type(None))) and not callable(self.scoring)
        refit = self.refit.refit if isinstance(self.refit, _RowOfChoice) else self.refit
        if isinstance(refit, str):
            return refit
        if several and len(list(self.scoring)) > 1:
            if not callable(refit):
                raise ValueError(
                    "`refit` must be the name of the metric to optimise, because `scoring` has several: "
                    f"{sorted(self.scoring)}."
                )
            return next(iter(self.scoring))
        return next(iter(self.scoring)) if several else "score"

    def _batch(self):
        if self.n_points is not None:
            return self.n_points
        jobs = effective_n_jobs(self.n_jobs)
        return max(jobs if self.prune else math.ceil(jobs / self.n_splits_), 1)

    def _all_scores(self, evaluate, points, metric):
        """Mean scores of settings over all folds; those of which no fit works get NaN."""
        progress = self._progress
        results = _together(evaluate, points, progress.problems)
        if results is None:
            progress.failed |= {progress.n_tried + k: point for k, point in enumerate(points)}
        progress.n_tried += len(points)
        return _last_scores(results, metric, len(points))

    def _scores_by_fold(self, evaluate, points, metric):
        """Scores of settings on one fold after another, as long as they have a chance."""
        progress = self._progress
        folds, scores = progress.folds, progress.scores
        first, alive, fold = len(scores.table), list(range(len(points))), 0
        progress.n_tried += len(points)
        while alive:
            folds.current = fold
            results = _together(evaluate, [points[k] for k in alive], progress.problems)
            if fold == 0:
                scores.add(len(points), len(folds.folds))
            for k, score in zip(alive, _last_scores(results, metric, len(alive))):
                scores.put(first + k, fold, score)
                if results is not None:
                    progress.places.append((first + k, fold))
                elif fold == 0:
                    progress.failed[first + k] = points[k]
            fold += 1
            if fold == len(folds.folds):
                break
            margin = self.rule == "one_se"
            alive = [
                k
                for k in alive
                if not scores.failed[first + k] and not scores.is_hopeless(first + k, fold, margin=margin)
            ]
        return [scores.estimate(first + k) for k in range(len(points))]

    def _regrouped(self, flat):
        """Results with one row per candidate that has a score, and the first row of each in `flat`."""
        number = {k: place for place, k in enumerate(sorted({candidate for candidate, _ in self._progress.places}))}
        places = [(number[candidate], fold) for candidate, fold in self._progress.places]
        return regroup(flat, places, len(self._progress.folds.folds))

    def _keep_curve(self, metric):
        if self.prune:
            self.cv_results_, first = self._regrouped(self.cv_results_)
            self.n_splits_ = len(self._progress.folds.folds)
            if callable(self.refit):
                self.best_index_ = int(np.flatnonzero(first == self.best_index_)[0])
        if self._progress.failed:
            self.cv_results_, rows = with_failures(self.cv_results_, self._progress.failed)
            if hasattr(self, "best_index_"):
                self.best_index_ = int(rows[self.best_index_]) if callable(self.refit) else self.best_index_
        super()._keep_curve(metric)

    def optimizer(self, space=0):
        """A `BayesianOptimizer` that was told the results of the search, for its plots and predictions.

        Parameters
        ----------
        space : int, default=0
            Which of several search spaces.

        Returns
        -------
        optimizer : BayesianOptimizer
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self, "cv_results_")
        wanted = self._spaces()[space][0]
        optimizer = BayesianOptimizer(wanted, maximize=True, random_state=0)
        scores = _means_of(self.cv_results_, self._metric())
        for params, score in zip(self.cv_results_["params"], scores):
            if set(params) == set(wanted.names):
                try:
                    optimizer.tell(params, score)
                except ValueError:  # a setting of another space with the same names
                    continue
        return optimizer


@dataclass
class _Progress:
    """State of a search while it runs; scikit-learn's `fit` calls several methods that need it."""

    folds: FoldByFold | None = None  # splitter of a search fold by fold
    scores: FoldScores = field(default_factory=FoldScores)
    places: list = field(default_factory=list)  # candidate and fold of each row of the results of such a search
    failed: dict[int, dict] = field(default_factory=dict)  # settings of which no fit worked, by their number
    problems: "_Problems" = field(default_factory=lambda: _Problems())
    n_tried: int = 0

    @property
    def all_failed(self):
        """Whether no fit of any candidate worked so far."""
        return len(self.failed) == self.n_tried


class _RowOfChoice:
    """Value of `refit` for a search fold by fold: the first row of the settings that the rule chooses."""

    def __init__(self, search, refit, metric):
        self.search, self.refit, self.metric = search, refit, metric

    def __call__(self, flat):
        search = self.search
        results, first = search._regrouped(flat)
        metric = self.metric if f"rank_test_{self.metric}" in results else search._metric()
        if callable(self.refit):
            chosen = self.refit(results)
        elif search.rule == "one_se":
            chosen = one_standard_error(results, complexity=search.complexity, metric=metric)
        else:
            chosen = np.argmin(results[f"rank_test_{metric}"])
        return int(first[chosen])


def _together(evaluate, points, problems):
    """Results after an evaluation of settings, or None if all their fits failed.

    scikit-learn raises an error if all fits of a call fail, which is normal for a single proposal.
    """
    try:
        return evaluate(points)
    except ValueError as error:
        if "fits failed" not in str(error):
            raise
        problems.fatal = problems.fatal or error
        problems.failed = problems.failed or str(error).strip()
        return None


def _last_scores(results, metric, count):
    return [math.nan] * count if results is None else list(_means_of(results, metric)[-count:])


class _Problems:
    """Warnings of many evaluations: each once, and failed fits in a single message."""

    def __init__(self):
        self.kept: dict = {}
        self.failed: str | None = None
        self.fatal: ValueError | None = None  # scikit-learn's error if all fits of a call failed

    def caught(self):
        return _Catch(self)

    def take(self, item):
        text = str(item.message)
        if issubclass(item.category, FitFailedWarning):
            self.failed = self.failed or text
        elif "scores are non-finite" not in text:
            self.kept.setdefault((item.category, text), item)

    def report(self, n_told):
        for category, text in self.kept:
            warn(text, category)
        if self.failed is not None:
            warn(f"Some of the {n_told} settings could not be fitted or scored. The first report:\n{self.failed}",
                 FitFailedWarning)  # fmt: skip


class _Catch(warnings.catch_warnings):
    def __init__(self, problems):
        super().__init__(record=True)
        self.problems = problems

    def __enter__(self):
        self.seen = super().__enter__()
        warnings.simplefilter("always")
        return self

    def __exit__(self, *details):
        super().__exit__(*details)
        for item in self.seen or ():
            self.problems.take(item)


def _means_of(results, metric):
    key = f"mean_test_{metric}"
    if key not in results:
        known = sorted(name.removeprefix("mean_test_") for name in results if name.startswith("mean_test_"))
        raise ValueError(f"`refit`={metric!r} is not among the metrics: {known}.")
    return results[key]
