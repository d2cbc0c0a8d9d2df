"""A fitted model with what it takes to predict other tables."""

from dataclasses import dataclass, field

import narwhals as nw
import numpy as np

from statlearn.app.compare.intervals import Intervals
from statlearn.app.compare.scoring import predictions_of
from statlearn.app.errors import DataError, ModelFileError, UsageError
from statlearn.app.model.training import StoredRows, TrainingSummary
from statlearn.app.setting_names import option
from statlearn.app.tables import frames
from statlearn.app.tables.asked_kinds import mostly_numbers
from statlearn.app.tables.cell_text import read_cells

MAX_KEYS = 20_000  # training rows that are remembered


@dataclass
class TableModel:
    """The pipeline of a comparison's model, the columns it needs, and its out-of-fold residuals.

    Parameters
    ----------
    pipeline : Pipeline
        Preparation of the table and model, fitted on the training rows.
    name, label : str
    task, target : str
    columns : dict of str to str
        Columns that the model needs, with their kinds.
    classes : list
        Labels in the order of the probabilities; empty for regression.
    intervals : Intervals or None
        From the out-of-fold residuals; None for classification.
    identifiers : list of str
        Columns that name the rows: predictions carry them.
    seen : ndarray of uint64
        Keys of the training rows, or of a sample of them, sorted.
    n_seen : int
        How many training rows there were.
    about : dict
        Versions, source of the table, scores.
    training : TrainingSummary or None
        Summaries of the columns in the training rows, for comparison with new tables.
    stored : StoredRows or None
        A sample of the training rows, if it was asked for.
    threshold : float or None
        Probability of the second of two classes from which it is predicted; None for the most probable class.
    """

    pipeline: object
    name: str
    label: str
    task: str
    target: str
    columns: dict
    classes: list = field(default_factory=list)
    intervals: Intervals | None = None
    identifiers: list = field(default_factory=list)
    seen: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint64))
    n_seen: int = 0
    about: dict = field(default_factory=dict)
    training: TrainingSummary | None = None
    stored: StoredRows | None = None
    threshold: float | None = None

    @classmethod
    def from_comparison(cls, result, name, *, store_rows=None):
        """From one of the models of a comparison; `store_rows` adds a sample of its training rows."""
        if store_rows is None:
            store_rows = bool(result.settings.get("store_rows"))
        model = result.model(name)
        if model.estimator is None:
            raise UsageError(f"{name!r} has no fitted model (status: {model.status}); choose another model")
        columns = used_columns(model.estimator)
        seed = int(result.settings.get("seed") or 0)
        rows = frames.take(frames.as_frame(result.features).select(list(columns)), result.train_rows)
        keys = _keys(rows, result.y_true, columns)
        if len(keys) > MAX_KEYS:
            keys = np.random.default_rng(seed).choice(keys, MAX_KEYS, replace=False)
        intervals = None
        if result.task == "regression":
            intervals = Intervals.learn(rows, np.asarray(result.y_true, dtype=float), model.predictions, seed)
        about = {
            "versions": result.settings.get("versions", {}),
            "source": result.profile.source,
            "metric": result.metric,
            "level": [float(v) for v in result.level(name)],
        }
        costs = None if result.costs is None else result.costs.models.get(name)
        if costs is not None:
            about["costs"] = {"fp": result.costs.fp, "fn": result.costs.fn, "expected": costs.cost}
        classes = [] if result.task == "regression" else np.unique(result.y_true).tolist()
        identifiers = [c.name for c in result.profile.columns if c.kind == "identifier" and c.name not in columns]
        return cls(
            model.estimator, model.name, model.label, result.task, result.target, columns, classes, intervals,
            identifiers, np.sort(keys), len(rows), about, TrainingSummary.of(rows, columns),
            StoredRows.of(rows, result.train_rows, result.y_true, seed) if store_rows else None,
            costs.threshold if costs is not None else None,
        )  # fmt: skip

    def check(self, X):
        """The frame and notes on it; DataError if columns are missing.

        Parameters
        ----------
        X : data frame

        Returns
        -------
        frame : native data frame
        notes : list of str
        """
        frame = frames.as_frame(X)
        lacking = [name for name in self.columns if name not in frame.columns]
        if lacking:
            shown = ", ".join(map(repr, lacking[:10])) + (f" and {len(lacking) - 10} more" if len(lacking) > 10 else "")
            raise DataError(f"the table is missing {_columns(lacking)} that {self.label} was fitted with: {shown}")
        notes = []
        expected = {*self.columns, *self.identifiers, self.target}
        extra = [name for name in frame.columns if name not in expected]
        if extra:
            shown = ", ".join(map(repr, extra[:10])) + (f" and {len(extra) - 10} more" if len(extra) > 10 else "")
            notes.append(f"ignored {_columns(extra)} not used by the model: {shown}")
        if len(frame) == 0:
            raise DataError("the table has no rows")
        frame, remarks = read_cells(
            frame.select(list(self.columns)), only=[c for c, k in self.columns.items() if k == "number"], codes=True
        )
        frame, more = mostly_numbers(frame, [name for name, kind in self.columns.items() if kind == "number"])
        notes += [f"{remark[0].lower()}{remark[1:-1]}" for remark in remarks + more if remark.startswith("In ")]
        frame, infinite = frames.without_infinities(frame)
        if infinite:
            notes.append(f"infinite values were treated as missing in {', '.join(map(repr, infinite[:5]))}")
        return frame.to_native(), notes

    def predict(self, X):
        """Predicted values or labels.

        Parameters
        ----------
        X : data frame

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        found = self._predictions(X)
        return found.values if self.task == "regression" else np.array(self.classes)[found.values]

    def predict_proba(self, X):
        """Probabilities of the classes, where the model has them.

        Parameters
        ----------
        X : data frame

        Returns
        -------
        ndarray of shape (n_rows, n_classes) or None
        """
        return self._predictions(X).probabilities

    def predict_table(self, X, coverage=0.9):
        """Predictions with intervals, or labels with probabilities.

        The intervals are conformal, from out-of-fold residuals: they hold for a share `coverage` of rows like those of
        the training table, and are wider for rows that are hard to predict (:class:`Intervals`). Values that the target
        cannot take, such as negative prices, are cut off. Columns that name the rows come first.

        Parameters
        ----------
        X : data frame
        coverage : float

        Returns
        -------
        data frame
            Columns that name the rows; prediction, lower, upper; or prediction and one probability per class.
        """
        if not 0 < coverage < 1:
            raise UsageError(f"{option('coverage')} must be between 0 and 1, got {coverage!r}")
        found = self._predictions(X)
        given = frames.as_frame(X)
        columns = {name: given[name].to_list() for name in self.identifiers if name in given.columns}
        if self.task == "regression":
            half = self.intervals.half_widths(self.check(X)[0], coverage)
            ends = {"prediction": found.values, "lower": found.values - half, "upper": found.values + half}
            return frames.from_columns(columns | {name: self.intervals.clipped(v) for name, v in ends.items()})
        labels = np.array(self.classes)
        columns["prediction"] = labels[found.values].tolist()
        if found.probabilities is not None:
            columns |= {f"probability of {c}": found.probabilities[:, k] for k, c in enumerate(self.classes)}
        return frames.from_columns(columns)

    def drift(self, X, level=0.01):
        """Which columns of a table are distributed differently from the training rows.

        Parameters
        ----------
        X : data frame
        level : float
            Chance that any column is called moved in a table like the training rows.

        Returns
        -------
        Drift or None
            None if the model file has no summary of its training rows.
        """
        from statlearn.app.model.drift import frame_drift

        if not 0 < level < 1:
            raise UsageError(f"{option('level')} must be between 0 and 1, got {level!r}")
        return frame_drift(self, self.check(X)[0], level)

    def was_seen(self, X, y):
        """Which rows are training rows of the model, by the values of its columns and of the target.

        Parameters
        ----------
        X : data frame
        y : array-like of shape (n_rows,)
            Values of the target, or labels of classes.

        Returns
        -------
        ndarray of bool
            For long training tables only a sample is stored, so some training rows are not recognised.
        """
        return np.isin(_keys(frames.as_frame(self.check(X)[0]), y, self.columns), self.seen)

    def _predictions(self, X):
        frame, _ = self.check(X)
        classes = None if self.task == "regression" else np.array(self.classes)
        try:
            found = predictions_of(self.pipeline, frame, classes)
        except ValueError as error:
            raise DataError(f"the table cannot be used with this model: {error}") from error
        except (ArithmeticError, AttributeError, LookupError, TypeError) as error:
            reason = f"{type(error).__name__}: {error}"
            raise ModelFileError(f"{self.label} cannot predict, so its file may be damaged ({reason})") from error
        if self.threshold is not None and found.probabilities is not None:
            found.values = (found.probabilities[:, 1] >= self.threshold).astype(int)
        return found


def _keys(frame, y, columns):
    """One number per row. Rows that share all features but differ in the target are different rows."""
    y = np.asarray(y)
    target = y.astype(np.float64) if y.dtype.kind in "biuf" else y.astype(str)
    own = frames.row_keys(nw.from_native(frames.from_columns({"y": target}), eager_only=True), ["y"])
    return (frames.row_keys(frame, columns) ^ own) * np.uint64(1099511628211)


def used_columns(estimator):
    """Columns of the table that a pipeline or a stack needs, with their kinds."""
    if hasattr(estimator, "columns_"):
        return estimator.columns_
    transformer = estimator.steps[0][1]
    return {c: kind for c, kind in transformer.kinds_.items() if c not in transformer.dropped_}


def _columns(names):
    return "a column" if len(names) == 1 else f"{len(names)} columns"
