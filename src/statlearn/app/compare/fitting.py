"""One unit of work: one model on one outer fold, or on all training rows."""

import importlib
import pickle
import time
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from sklearn.pipeline import Pipeline

from statlearn.app.compare.portfolio.selection import Candidate
from statlearn.app.compare.result import TuningCurve
from statlearn.app.compare.scoring import Metric, Predictions, predictions_of
from statlearn.app.compare.tuning import FULL, tune
from statlearn.app.errors import OutOfTime
from statlearn.app.names import with_column_names
from statlearn.app.tables import frames
from statlearn.app.tables.learning_table import LearningTable

ALL_ROWS = -1  # the "fold" that is the fit on all training rows
SMALL_CELLS = 2_000_000  # of a table whose designs may be kept for several folds
MAX_FOLD_BYTES = 20_000_000  # of the model of a fold that is kept for the stack
N_BINS = 5  # of numbers, for models of categories
MAX_NATIVE_LEVELS = 200  # of a category, for models that take its levels as such: rarer ones are pooled


@dataclass(frozen=True, eq=False)
class Problem:
    """Everything that a unit of work needs; the same for all of them."""

    table: LearningTable  # of the training rows
    folds: list  # pairs of row numbers
    metric: Metric
    metrics: list[Metric]
    rule: str
    seed: int
    kinds: dict[str, str]  # what each column is taken for
    search: str = "grid"  # "grid" or "bayes"
    candidates: dict[str, Candidate] = field(default_factory=dict)
    leaks: list = field(default_factory=list)  # columns that were left out because they are the target in disguise

    @property
    def frame(self):
        """The features, a narwhals frame."""
        return self.table.frame

    @property
    def y(self):
        return self.table.y

    @property
    def classes(self):
        """Labels of the classes, None for regression."""
        return self.table.classes

    @property
    def scheme(self):
        """How rows may be divided."""
        return self.table.scheme

    @property
    def truth(self):
        """What metrics compare with: values, or numbers of classes."""
        return self.table.truth

    @property
    def used(self):
        """The columns that models see: those that were not left out."""
        return self.frame.select([name for name in self.frame.columns if self.kinds.get(name) != "drop"])

    def split(self, fold, rows=None, test_rows=None):
        """Numbers of the training rows and of the test rows (None for the fit on all rows), sampled if asked."""
        train, test = (np.arange(len(self.y)), None) if fold == ALL_ROWS else self.folds[fold]
        if rows is not None and rows < len(train):
            train = train[self.scheme.rows(train).subsample(self.y[train], rows, self.seed)]
        if test is not None and test_rows is not None and test_rows < len(test):
            test = test[self.scheme.rows(test).subsample(self.y[test], test_rows, self.seed)]
        return train, test


@dataclass
class Record:
    """What one unit of work found."""

    model: str
    fold: int
    status: str = "done"  # "done", "failed", "out of time"
    error: str | None = None
    scores: dict[str, float] = field(default_factory=dict)
    predictions: np.ndarray | None = None
    ranking: np.ndarray | None = None  # scores that order the rows, of a model without probabilities
    labels_only: bool = False  # the predictions of the classes are certainties, not probabilities
    settings: dict = field(default_factory=dict)
    fit_seconds: float = 0.0
    last_fit_seconds: float = 0.0  # of these, after the settings were chosen
    predict_seconds: float = 0.0
    warnings: list[str] = field(default_factory=list)
    n_columns: int = 0
    rows: int | None = None  # rows that were learned from, where these are a sample of the training rows
    tuning_rows: int | None = None  # rows behind the settings, where these are a sample; 0: not tuned
    tuning: TuningCurve | None = None  # only for the fit on all rows
    estimator: object = None  # of the fit on all rows, and of folds whose models a stack averages

    def outcome(self):
        """The predictions for the test rows, as metrics take them."""
        table = self.predictions
        if table.ndim == 1:
            return Predictions(table)
        return Predictions(table.argmax(axis=1), None if self.labels_only else table, self.ranking)


class Designs:
    """Design matrices of the folds, made once and used by every model; the last few are kept.

    Parameters
    ----------
    problem : Problem
    keep : int or None
        How many; None takes more of small ones.
    """

    def __init__(self, problem, keep=None):
        self.problem = problem
        cells = problem.frame.shape[0] * problem.frame.shape[1]
        self.keep = keep or (9 if cells < SMALL_CELLS else 3)
        self._known = {}

    def get(self, fold, table, rows=None, test_rows=None):
        """Fitted transformer, training matrix, and test matrix (None for the fit on all rows)."""
        key = (fold, table, rows, test_rows)
        if key not in self._known:
            while len(self._known) >= self.keep:
                self._known.pop(next(iter(self._known)))
            self._known[key] = self._make(*key)
        return self._known[key]

    def _make(self, fold, table, rows, test_rows):
        problem = self.problem
        train, test = problem.split(fold, rows, test_rows)
        transformer = make_transformer(table, problem.kinds)
        X = transformer.fit_transform(frames.take(problem.frame, train).to_native(), problem.y[train])
        X_test = None if test is None else transformer.transform(frames.take(problem.frame, test).to_native())
        return transformer, np.asfortranarray(X), X_test


def make_transformer(table, kinds=None):
    """Turns a table into what a model is fitted to; learned on the training rows of a fold only.

    What a column is (a number, a category, ...) is read from the whole table, as the reader of a file does it.

    Parameters
    ----------
    table : {"normal", "scaled", "plain", "native", "mixed", "counts", "indicators", "codes"}
        A design matrix of normal scores, with or without scaling, the table for models that take categories and
        missing values, or one of those for models of discrete data (see `Entry`).
    kinds : dict or None
        A word, or the levels of an ordered category, by column.
    """
    from statlearn.prep import TableTransformer

    orders = {name: list(kind) for name, kind in (kinds or {}).items() if isinstance(kind, tuple)}
    kinds = {"kinds": kinds and {n: kind for n, kind in kinds.items() if n not in orders}, "orders": orders or None}
    coded = {
        "native": {},
        "mixed": {"scale": True},
        "codes": {"bins": N_BINS},
        "indicators": {"bins": 2},
    }
    if table in coded:
        return TableTransformer(
            categories="codes", keep_missing=True, max_levels=MAX_NATIVE_LEVELS, **kinds, **coded[table]
        )
    if table == "counts":
        return TableTransformer(keep_missing=True, **kinds)
    scale = "normal" if table == "normal" else table == "scaled"
    return TableTransformer(scale=scale, drop="first", **kinds)


def uncountable(frame, kinds):
    """Why a table has no counts: a column with negative numbers or dates; None if every column may be counted."""
    table = make_transformer("counts", kinds)
    design = table.fit_transform(frame.to_native())
    for column, kind in table.kinds_.items():
        if kind == "date":
            return f"{column!r} contains dates"
    negative = np.fmin.reduce(design, axis=0) < 0
    return f"{table.get_source_names_out()[negative][0]!r} contains negative values" if negative.any() else None


class TablePipeline(Pipeline):
    """A `TableTransformer` and a model, which learns what columns hold categories whenever both are fitted."""

    def fit(self, X, y=None):
        """Fit the transformer, then the model.

        Parameters
        ----------
        X : data frame
        y : array-like of shape (n_rows,)

        Returns
        -------
        self
        """
        table, model = self.steps[0][1], self.steps[-1][1]
        design = table.fit_transform(X, y)
        if "categorical_features" in model.get_params(deep=False):
            model.set_params(categorical_features=np.flatnonzero(table.categorical_).tolist() or None)
        model.fit(design, y)
        return self


def run(problem, designs, name, fold, seconds=None, effort=FULL):
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
        Stop the fit after this time, where the platform can.
    effort : Effort

    Returns
    -------
    Record
    """
    record = Record(name, fold)
    candidate = problem.candidates[name]
    columns = []
    if "torch" in candidate.space.needs:  # an alarm in the middle of its import would leave it broken for the process
        importlib.import_module("torch")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with time_limit(seconds):
                design = designs.get(fold, candidate.table, effort.rows, effort.test_rows)
                columns = design[0].get_feature_names_out()
                _fit_and_score(problem, design, candidate, record, effort)
        except OutOfTime:
            record.status, record.error = "out of time", f"one fit was stopped after {seconds:.2g} s"
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
    record.warnings = _digest(caught, columns)
    return record


def _fit_and_score(problem, design, candidate, record, effort):
    transformer, X, X_test = design
    train, test = problem.split(record.fold, effort.rows, effort.test_rows)
    y, truth = problem.y[train], problem.truth[train]
    n_train = len(problem.y) if record.fold == ALL_ROWS else len(problem.folds[record.fold][0])
    record.rows = len(train) if len(train) < n_train else None
    if candidate.space.grid and effort.inner_folds == 0:
        record.tuning_rows = 0
    elif candidate.space.grid and effort.tuning_rows is not None:
        record.tuning_rows = min(effort.tuning_rows, len(train))
    record.n_columns = X.shape[1]
    categorical = transformer.categorical_
    start = time.perf_counter()
    model, curve, settings, record.last_fit_seconds = tune(
        candidate, X, y, truth, problem, problem.scheme.rows(train), categorical=categorical, effort=effort
    )
    record.fit_seconds = time.perf_counter() - start
    record.settings = settings
    if record.fold == ALL_ROWS:
        record.tuning = curve
        record.estimator = TablePipeline([("table", transformer), ("model", model)])
        return
    if candidate.space.averaged and effort.rows is None and size_of(model) <= MAX_FOLD_BYTES:
        record.estimator = TablePipeline([("table", transformer), ("model", model)])
    start = time.perf_counter()
    predictions = predictions_of(model, X_test, problem.classes)
    record.predict_seconds = time.perf_counter() - start
    if not np.all(np.isfinite(predictions.table(_n_classes(problem)))):
        raise ArithmeticError("the predictions contain NaN or infinity")
    record.scores = {metric.name: metric(problem.truth[test], predictions) for metric in problem.metrics}
    record.predictions = predictions.table(_n_classes(problem))
    record.labels_only = problem.classes is not None and predictions.probabilities is None
    record.ranking = predictions.scores if record.labels_only else None


def size_of(model):
    """Bytes of a fitted model as pickle would write it; 0 if it cannot be pickled."""
    try:
        return len(pickle.dumps(model, protocol=pickle.HIGHEST_PROTOCOL))
    except (pickle.PicklingError, TypeError, AttributeError):
        return 0


def _n_classes(problem):
    return None if problem.classes is None else len(problem.classes)


def _digest(caught, columns):
    """Different warnings once each, with their class; models see no names of columns, so these are put in."""
    lines = []
    for item in caught:
        line = with_column_names(f"{item.category.__name__}: {item.message}", columns)
        if line not in lines:
            lines.append(line)
    return lines[:20]


@contextmanager
def time_limit(seconds):
    """Raise OutOfTime in the block after this many seconds; kernels notice within a fraction of one.

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
