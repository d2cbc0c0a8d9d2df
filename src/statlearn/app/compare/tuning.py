"""Settings of one model on one set of training rows: tried over inner folds, chosen by the rule of the comparison."""

import time
import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from statlearn._core.params import InvalidParameterError, check_params
from statlearn._core.selection import CVCurve
from statlearn._core.warnings import StatlearnWarning, warn
from statlearn.app.compare.result import TuningCurve
from statlearn.app.compare.scoring import predictions_of
from statlearn.app.compare.splits import mixed_order

INNER_FOLDS = 5
BAYES_SETTINGS = 25  # proposals of a Bayesian search
WIDER = 2  # points that are added once where the best value is the last of a grid


@dataclass(frozen=True)
class Effort:
    """How much one unit of work may cost.

    Parameters
    ----------
    rows : int or None
        The model is fitted to at most this many of the training rows; None takes all.
    tuning_rows : int or None
        Its settings are chosen on at most this many of them; None takes all.
    inner_folds : int
        Inner folds behind the choice; 1 is a single split, 0 takes a point of the grid untried.
    test_rows : int or None
        The model is tested on at most this many of the test rows; None takes all.
    settings : dict or None
        A point of the grid that is taken without a search.
    """

    rows: int | None = None
    tuning_rows: int | None = None
    inner_folds: int = INNER_FOLDS
    test_rows: int | None = None
    settings: dict | None = None

    @property
    def hurried(self):
        """Whether settings come from a single inner split, which chance decides when several are nearly as good."""
        return self.inner_folds == 1


FULL = Effort()


class Tuned(NamedTuple):
    """A fitted model, how its settings were found, and how long it took to fit it with them."""

    model: object
    curve: TuningCurve | None
    settings: dict
    seconds: float


def tune(candidate, X, y, truth, problem, scheme, *, categorical=None, effort=FULL):
    """The fitted model, its tuning curve, the settings that were chosen, and the seconds of the last fit.

    A model that tunes itself does so. Any other is tried at each point of its grid over inner folds, judged by the
    metric of the comparison, and fitted again on all rows at the point that the rule takes. Where the best value of a
    single parameter is the last of its grid, the grid is continued once. Points that the model refuses on the rows of a
    fold (a span too small for its degree) are left out, with a warning. With ``search="bayes"``, models that declare
    ranges of three or more parameters are tuned over these by Bayesian optimisation instead.

    Parameters
    ----------
    candidate : Candidate
    X, y : ndarray
        Design matrix and target of the training rows.
    truth : ndarray
        What metrics compare with.
    problem : Problem
    scheme : Scheme
        Of these rows.
    categorical : ndarray of bool or None
        Columns of X that hold codes of categories.
    effort : Effort

    Returns
    -------
    Tuned
    """
    maker = _Maker(candidate, problem, scheme.inner(y, problem.seed), categorical, y)
    points = grid_points(candidate.space.grid)
    if effort.inner_folds and tunes_by_model(candidate.space, problem.search):
        return _tune_by_model(maker, X, y, truth, problem, scheme, effort)
    if len(points) == 1:
        model = maker.fit(points[0], X, y)
        return maker.tuned(model, _own_curve(model, problem), {**points[0], **_own_choice(model)})
    if effort.inner_folds == 0 or effort.settings is not None:
        point = effort.settings or dict(candidate.space.untuned) or points[len(points) // 2]
        return maker.tuned(maker.fit(point, X, y), None, point)
    search = _Search(maker, X, y, truth, problem, scheme, effort)
    points, loss, at_bound = search.run(points, candidate.space.grid)
    name, values = _axis(candidate.space.grid, points)
    curve = CVCurve(values, loss, search.weights, name=name)
    chosen = curve.chosen(problem.rule if loss.shape[1] > 1 else "min")
    model = maker.fit(points[chosen], X, y)
    return maker.tuned(model, tuning_curve(curve, chosen, problem.metric.name, at_bound), points[chosen])


def tunes_by_model(space, search):
    """Whether a model is tuned by Bayesian optimisation: if that was asked for and three or more parameters vary."""
    return search == "bayes" and len(space.ranges) >= 3


def n_settings(space, search):
    """Number of settings that are tried."""
    return BAYES_SETTINGS if tunes_by_model(space, search) else len(grid_points(space.grid))


def _tune_by_model(maker, X, y, truth, problem, scheme, effort):
    """As `tune`, over the ranges of the space, with settings proposed by a model of the losses so far."""
    from statlearn.gp import BayesSearchCV

    search, space = _Search(maker, X, y, truth, problem, scheme, effort), maker.candidate.space
    found = BayesSearchCV(
        maker.make({}, trial=True), dict(space.ranges), n_iter=BAYES_SETTINGS, cv=search.folds,
        scoring=_Scorer(problem), refit=False, prune=len(search.folds) > 1, random_state=problem.seed,
        rule=problem.rule, complexity=list(space.order),
    ).fit(X, y)  # fmt: skip
    results = found.cv_results_
    scores = np.column_stack([results[f"split{k}_test_score"] for k in range(len(search.folds))])
    kept = [k for k in found.cv_order_ if np.isfinite(scores[k]).all()]  # simple settings first
    points = [results["params"][k] for k in kept]
    curve = CVCurve(np.arange(len(kept)), -scores[kept], search.weights, name="proposed setting")
    chosen = curve.chosen(problem.rule if len(search.folds) > 1 else "min")
    model = maker.fit(points[chosen], X, y)
    return maker.tuned(model, tuning_curve(curve, chosen, problem.metric.name), points[chosen])


class _Scorer:
    """Minus the loss of the comparison, for rows with known targets."""

    def __init__(self, problem):
        self.problem = problem

    def __call__(self, model, X, y):
        classes = self.problem.classes
        truth = y if classes is None else np.searchsorted(classes, y)
        return -self.problem.metric.loss(truth, predictions_of(model, X, classes))


class _Maker:
    """Makes unfitted models of one candidate."""

    def __init__(self, candidate, problem, cv, categorical, y):
        self.candidate, self.problem, self.cv = candidate, problem, cv
        self.adapted = {} if candidate.space.adapt is None else candidate.space.adapt(y)
        self.categorical = None if categorical is None or not categorical.any() else np.flatnonzero(categorical)
        self.seconds = 0.0  # of the last call of `fit`

    def make(self, point, trial=False):
        settings = {**self.adapted, **(self.candidate.space.trial if trial else {}), **point}
        model = self.candidate.make(self.problem.seed, self.cv, self.problem.rule, **settings)
        if self.categorical is not None and "categorical_features" in model.get_params(deep=False):
            model.set_params(categorical_features=self.categorical.tolist())
        return model

    def fit(self, point, X, y):
        """The model at a point of the grid, on all rows."""
        start = time.perf_counter()
        model = self.make(point).fit(X, y)
        space = self.candidate.space
        settings = None if space.all_rows is None else space.all_rows(model, len(y))
        if settings is not None:
            model = self.make({**point, **settings}).fit(X, y)
        self.seconds = time.perf_counter() - start
        return model

    def tuned(self, model, curve, settings):
        """What the search has found, after the last fit."""
        return Tuned(_forget_rows(model), curve, settings, self.seconds)


class _Search:
    """Losses of settings over inner folds."""

    def __init__(self, maker, X, y, truth, problem, scheme, effort):
        self.maker, self.X, self.y, self.truth, self.problem = maker, X, y, truth, problem
        rows = np.arange(len(y))
        if effort.tuning_rows is not None and effort.tuning_rows < len(y):
            rows = scheme.subsample(y, effort.tuning_rows, problem.seed)
        inner = scheme.rows(rows).inner(y[rows], problem.seed)
        folds = inner(max(effort.inner_folds, 4) if effort.inner_folds == 1 else effort.inner_folds)
        folds = folds if isinstance(folds, list) else list(folds.split(np.zeros(len(rows)), y[rows]))
        if effort.inner_folds == 1:
            folds = folds[-1:]
        self.folds = [(rows[train], rows[test]) for train, test in folds]
        self.halve = effort.inner_folds == 1

    @property
    def weights(self):
        return np.array([len(test) for _, test in self.folds], float)

    def run(self, points, grid):
        """Points that were tried, their losses, and whether the grid ends at a natural bound of its parameter."""
        if self.halve and len(points) > 4:
            points = self._better_half(points)
        points, loss = self._losses(points)
        if len(grid) != 1 or np.argmin(loss.mean(axis=1)) != len(points) - 1 or len(points) < 2:
            return points, loss, False
        more, at_bound = self._beyond(points, next(iter(grid)))
        if more:
            try:
                wider, further = self._losses(more)
            except (ValueError, ArithmeticError):  # the data end where the grid did
                return points, loss, True
            points, loss = points + wider, np.vstack([loss, further])
        return points, loss, at_bound

    def _better_half(self, points):
        """Half of the points, judged on a quarter of the rows of the first inner fold."""
        train, test = self.folds[0]
        order = mixed_order(self.y[train], self.problem.classes is not None, np.random.default_rng(self.problem.seed))
        few = np.sort(train[order[: max(len(train) // 4, min(len(train), 100))]])
        points, loss = self._losses(points, [(few, test)])
        kept = np.sort(np.argsort(loss[:, 0], kind="stable")[: (len(points) + 1) // 2])
        return [points[i] for i in kept]

    def _losses(self, points, folds=None):
        folds = self.folds if folds is None else folds
        loss, refused = np.empty((len(points), len(folds))), {}
        for j, (train, test) in enumerate(folds):
            for i, point in enumerate(points):
                if i in refused:
                    continue
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # the fit with the chosen settings speaks for itself
                    try:
                        model = self.maker.make(point, trial=True).fit(self.X[train], self.y[train])
                    except ValueError as error:
                        refused[i] = error
                        continue
                    found = predictions_of(model, self.X[test], self.problem.classes)
                loss[i, j] = self.problem.metric.loss(self.truth[test], found)
        return without_refused(points, loss, refused)

    def _beyond(self, points, name):
        """Points beyond the end of a grid of numbers, as far as the parameter may go, and whether it ends there."""
        more, last = [], [point[name] for point in points]
        for _ in range(WIDER):
            value = next_value(last)
            if value is None:
                break
            point = {**points[-1], name: value}
            try:
                model = self.maker.make(point)
                check_params(model if hasattr(model, "_constraints") else model.estimator)
            except InvalidParameterError:
                break
            more.append(point)
            last.append(value)
        return more, len(more) < WIDER


def next_value(values):
    """The value that continues a grid: by its last ratio where all have one sign, else by its last step.

    Examples
    --------
    >>> from statlearn.app.compare.tuning import next_value
    >>> next_value([4, 8, 16]), next_value([0.1, 0.01]), next_value([10, 3, 1]), next_value(["a", "b"])
    (32, 0.001, None, None)
    """
    if len(values) < 2 or not all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values):
        return None
    before, last = values[-2:]
    value = last * last / before if before * last > 0 else last + (last - before)
    if all(isinstance(v, int) for v in values):
        value = round(value)
    else:
        value = float(f"{value:.12g}")
    return None if value == last or (last > 0 and value <= 0) else value


def without_refused(points, loss, refused):
    """The points of the grid that could be fitted, and their losses; if there are none, the first error."""
    if not refused:
        return points, loss
    kept = [i for i in range(len(points)) if i not in refused]
    first, error = next(iter(refused.items()))
    if not kept:
        raise error
    warn(
        f"{len(refused)} of {len(points)} settings could not be fitted and were left out. The first error, at "
        f"{points[first]}, was: {error}",
        StatlearnWarning,
    )
    return [points[i] for i in kept], loss[kept]


def grid_points(grid):
    """The points of a grid, one dict each."""
    from sklearn.model_selection import ParameterGrid

    # ParameterGrid sorts the names and varies the last fastest; the values keep their order, simple first.
    return list(ParameterGrid({name: list(values) for name, values in grid.items()})) if grid else [{}]


def _axis(grid, points):
    """Name and values along the tuning curve: the one parameter, or numbers of points where there are several."""
    if len(grid) == 1:
        name = next(iter(grid))
        return name, np.array([point[name] for point in points])
    return "point of the grid", np.arange(len(points))


def _forget_rows(model):
    """Lists of rows as `cv` would go into the model file: their number is what tells something."""
    for name in ("estimator", "estimator_"):
        if isinstance(getattr(model, name, None), BaseEstimator):
            _forget_rows(getattr(model, name))
    cv = model.get_params(deep=False).get("cv")
    return model.set_params(cv=len(cv)) if isinstance(cv, list) else model


def _own_curve(model, problem):
    curve = getattr(model, "cv_curve_", None)
    if not isinstance(curve, CVCurve):
        return None
    metric = "mse" if problem.classes is None else "log_loss"
    return tuning_curve(curve, curve.chosen(getattr(model, "rule", "min")), metric)


def tuning_curve(curve, chosen, metric, at_bound=False):
    """The curve of a search as the report shows it."""
    values = np.asarray(curve.parameter)
    spread = bool(values.dtype.kind == "f" and np.all(values > 0) and values.max() > 30 * values.min())
    return TuningCurve(
        curve.name, values.tolist(), curve.mean, curve.std_error, curve.best, curve.one_se, chosen, metric, spread,
        at_bound,
    )  # fmt: skip


def _own_choice(model):
    """What a model that tunes itself has chosen, by the names that scikit-learn gives the attributes."""
    model = getattr(model, "estimator_", model) if hasattr(model, "factor_") else model
    found = {}
    for name in ("alpha_", "gamma_", "C_", "l1_ratio_", "n_components_", "size_", "threshold_"):
        value = getattr(model, name, None)
        if isinstance(value, (int, float, np.number)):
            found[name.rstrip("_")] = value.item() if isinstance(value, np.number) else value
    return found
