"""One unit of work: one model on one outer fold, or on all training rows."""

import time
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from sklearn.pipeline import Pipeline

from statlearn._core.selection import CVCurve
from statlearn._core.warnings import StatlearnWarning, warn
from statlearn.app import frames
from statlearn.app.errors import OutOfTime
from statlearn.app.portfolio import Candidate
from statlearn.app.result import TuningCurve
from statlearn.app.scoring import Metric, predictions_of
from statlearn.app.splits import Scheme

ALL_ROWS = -1  # the "fold" that is the fit on all training rows
INNER_FOLDS = 5


@dataclass
class Problem:
    """Everything that a unit of work needs; the same for all of them."""

    frame: object  # features of the training rows, a narwhals frame
    y: np.ndarray
    codes: np.ndarray | None  # numbers of the classes, None for regression
    classes: np.ndarray | None
    scheme: Scheme
    folds: list  # pairs of row numbers
    metric: Metric
    metrics: list[Metric]
    rule: str
    seed: int
    kinds: dict[str, str]  # what each column is taken for
    candidates: dict[str, Candidate] = field(default_factory=dict)

    @property
    def truth(self):
        """What metrics compare with: values, or numbers of classes."""
        return self.y if self.codes is None else self.codes

    def __getstate__(self):
        return {**self.__dict__, "frame": self.frame.to_native()}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.frame = frames.as_frame(self.frame)


@dataclass
class Record:
    """What one unit of work found."""

    model: str
    fold: int
    status: str = "done"  # "done", "failed", "out of time"
    error: str | None = None
    scores: dict[str, float] = field(default_factory=dict)
    predictions: np.ndarray | None = None
    settings: dict = field(default_factory=dict)
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0
    warnings: list[str] = field(default_factory=list)
    n_columns: int = 0
    tuning: TuningCurve | None = None  # only for the fit on all rows, like all below
    estimator: object = None


class Designs:
    """Design matrices of the folds, made once and used by every model; the last few are kept.

    Columns of numbers without gaps need no more than a scale: they are one block of a matrix that is made once. All
    others go through the table's transformer, fold by fold.
    """

    def __init__(self, problem, keep=2):
        self.problem = problem
        self.keep = keep
        self._known = {}
        used = [name for name, kind in problem.kinds.items() if kind != "drop"]
        plain = self._complete([name for name in used if problem.kinds[name] == "number"])
        self._rest = [name for name in used if name not in plain]
        self._block = np.column_stack(list(plain.values())) if plain else np.empty((len(problem.y), 0))

    def _complete(self, names):
        from statlearn._core.frames import plain_columns

        columns = plain_columns(self.problem.frame, names)
        return {name: columns[name] for name in names if name in columns and not np.isnan(columns[name]).any()}

    def get(self, fold, scaled):
        """Transformer (for the fit on all rows), training matrix and test matrix (for the others)."""
        key = (fold, scaled)
        if key not in self._known:
            while len(self._known) >= self.keep:
                self._known.pop(next(iter(self._known)))
            self._known[key] = self._whole(scaled) if fold == ALL_ROWS else self._part(fold, scaled)
        return self._known[key]

    def _whole(self, scaled):
        problem = self.problem
        transformer = make_transformer(scaled, problem.kinds)
        X = transformer.fit_transform(problem.frame.to_native(), problem.y)
        return transformer, np.asfortranarray(X), None

    def _part(self, fold, scaled):
        train, test = self.problem.folds[fold]
        X, X_test = self._block[train], self._block[test]
        varied = X.min(axis=0) < X.max(axis=0) if X.shape[1] else np.empty(0, bool)
        if not varied.all():
            X, X_test = X[:, varied], X_test[:, varied]
        if scaled:
            centre, spread = X.mean(axis=0), X.std(axis=0)
            X -= centre
            X /= spread
            X_test = (X_test - centre) / spread
        if self._rest:
            from statlearn.prep import NoColumnsLeftError

            frame = self.problem.frame.select(self._rest)
            transformer = make_transformer(scaled, {name: self.problem.kinds[name] for name in self._rest})
            try:
                other = transformer.fit_transform(frames.take(frame, train).to_native(), self.problem.y[train])
            except NoColumnsLeftError:
                if not X.shape[1]:
                    raise  # nothing varies in this training part
            else:
                X = np.hstack([X, other])
                X_test = np.hstack([X_test, transformer.transform(frames.take(frame, test).to_native())])
        return None, np.asfortranarray(X), X_test


def make_transformer(scaled, kinds=None):
    """Turns a table into a design matrix; learned on the training rows of a fold only.

    What a column is (a number, a category, ...) is read from the whole table, as the reader of a file does it.
    """
    from statlearn.prep import TableTransformer

    return TableTransformer(scale=scaled, drop="first", kinds=kinds)


def run(problem, designs, name, fold, seconds=None):
    """Fit one model on one fold and score it there; what goes wrong becomes part of the record.

    Parameters
    ----------
    problem : Problem
    designs : Designs
    name : str
        Name of the candidate.
    fold : int
        Number of the outer fold, or ALL_ROWS.
    seconds : float or None
        Stop the fit after so much time, where the platform can.

    Returns
    -------
    Record
    """
    record = Record(name, fold)
    candidate = problem.candidates[name]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            design = designs.get(fold, candidate.space.scaled)
            with time_limit(seconds):
                _fit_and_score(problem, design, candidate, record)
        except OutOfTime:
            record.status, record.error = "out of time", f"one fit took more than {seconds:.3g} s"
        except (
            ArithmeticError,
            AttributeError,
            LookupError,
            MemoryError,
            RuntimeError,
            TypeError,
            ValueError,
        ) as error:
            record.status, record.error = "failed", f"{type(error).__name__}: {error}"
    record.warnings = _digest(caught)
    return record


def _fit_and_score(problem, design, candidate, record):
    transformer, X, X_test = design
    rows = slice(None) if record.fold == ALL_ROWS else problem.folds[record.fold][0]
    y = problem.y[rows]
    truth = problem.truth[rows]
    record.n_columns = X.shape[1]
    start = time.perf_counter()
    model, curve, settings = tune(candidate, X, y, truth, problem, problem.scheme.rows(rows))
    record.fit_seconds = time.perf_counter() - start
    record.settings = settings
    if record.fold == ALL_ROWS:
        record.tuning = curve
        record.estimator = Pipeline([("table", transformer), ("model", model)])
        return
    start = time.perf_counter()
    predictions = predictions_of(model, X_test, problem.classes)
    record.predict_seconds = time.perf_counter() - start
    test = problem.folds[record.fold][1]
    if not np.all(np.isfinite(predictions.table(_n_classes(problem)))):
        raise ArithmeticError("predictions are not finite")
    record.scores = {metric.name: metric(problem.truth[test], predictions) for metric in problem.metrics}
    record.predictions = predictions.table(_n_classes(problem))


def _n_classes(problem):
    return None if problem.classes is None else len(problem.classes)


def tune(candidate, X, y, truth, problem, scheme):
    """The fitted model, its tuning curve (or None) and the settings that were chosen.

    A model that tunes itself does so; any other is tried at each point of its grid over inner folds, judged by the
    metric of the comparison, and fitted again on all rows at the point that the rule takes. Points that the model
    refuses on the rows of a fold (a span too small for its degree) are left out, with a warning.
    """
    cv = scheme.inner(y, problem.seed)
    points = _grid_points(candidate.space.grid)
    if len(points) == 1:
        model = candidate.make(problem.seed, cv, problem.rule, **points[0]).fit(X, y)
        return _forget_rows(model), _own_curve(model, problem), {**points[0], **_own_choice(model)}
    folds = cv(INNER_FOLDS)
    folds = folds if isinstance(folds, list) else list(folds.split(np.zeros(len(y)), y))
    loss, refused = np.empty((len(points), len(folds))), {}
    for j, (train, test) in enumerate(folds):
        for i, point in enumerate(points):
            if i in refused:
                continue
            try:
                model = candidate.make(problem.seed, cv, problem.rule, **point).fit(X[train], y[train])
            except ValueError as error:
                refused[i] = error
                continue
            loss[i, j] = problem.metric.loss(truth[test], predictions_of(model, X[test], problem.classes))
    points, loss = _without_refused(points, loss, refused)
    name, values = _axis(candidate.space.grid, points)
    curve = CVCurve(values, loss, np.array([len(test) for _, test in folds], float), name=name)
    chosen = curve.chosen(problem.rule)
    model = candidate.make(problem.seed, cv, problem.rule, **points[chosen]).fit(X, y)
    return _forget_rows(model), _tuning_curve(curve, chosen, problem.metric.name), points[chosen]


def _without_refused(points, loss, refused):
    """The points of the grid that could be fitted, and their losses; where there are none, the first error."""
    if not refused:
        return points, loss
    kept = [i for i in range(len(points)) if i not in refused]
    first, error = next(iter(refused.items()))
    if not kept:
        raise error
    warn(
        f"{len(refused)} of {len(points)} settings could not be fitted on the rows of a fold and were left out; "
        f"{points[first]}: {error}",
        StatlearnWarning,
    )
    return [points[i] for i in kept], loss[kept]


def _grid_points(grid):
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
    cv = model.get_params(deep=False).get("cv")
    return model.set_params(cv=len(cv)) if isinstance(cv, list) else model


def _own_curve(model, problem):
    curve = getattr(model, "cv_curve_", None)
    if not isinstance(curve, CVCurve):
        return None
    metric = "mse" if problem.classes is None else "log_loss"
    return _tuning_curve(curve, curve.chosen(getattr(model, "rule", "min")), metric)


def _tuning_curve(curve, chosen, metric):
    values = np.asarray(curve.parameter)
    spread = bool(values.dtype.kind == "f" and np.all(values > 0) and values.max() > 30 * values.min())
    return TuningCurve(
        curve.name, values.tolist(), curve.mean, curve.std_error, curve.best, curve.one_se, chosen, metric, spread
    )


def _own_choice(model):
    """What a model that tunes itself has chosen, by the names that scikit-learn gives the attributes."""
    found = {}
    for name in ("alpha_", "C_", "l1_ratio_", "n_components_", "size_", "threshold_"):
        value = getattr(model, name, None)
        if isinstance(value, (int, float, np.number)):
            found[name.rstrip("_")] = value.item() if isinstance(value, np.number) else value
    return found


def _digest(caught):
    """Different warnings once each, with their class."""
    lines = []
    for item in caught:
        line = f"{item.category.__name__}: {item.message}"
        if line not in lines:
            lines.append(line)
    return lines[:20]


@contextmanager
def time_limit(seconds):
    """Raise OutOfTime in the block after so many seconds; kernels notice within a fraction of one.

    Works in the main thread on systems with interval timers (not Windows); elsewhere fits run to their end.
    """
    import signal
    import threading

    usable = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if seconds is None or not usable:
        yield
        return

    def ring(*_):
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-3))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
