"""The parts of a comparison as plain data: columns, models, findings, and what the inspection of a model shows."""

from dataclasses import dataclass, field

import numpy as np


@dataclass
class ColumnProfile:
    """One column of the table."""

    name: str
    kind: str  # "number", "category", "boolean", "date", "text", "constant", "identifier"
    n_missing: int
    n_distinct: int
    statistics: dict[str, float] = field(default_factory=dict)  # min, q1, median, mean, q3, max, std of numbers
    levels: list[tuple[str, int]] = field(default_factory=list)  # most frequent values with their counts
    histogram: tuple[np.ndarray, np.ndarray] | None = None  # edges, counts
    note: str = ""
    left_out: str = ""  # why no model sees the column; empty: it is used


@dataclass
class TableProfile:
    """The table as it was read."""

    source: str  # file name, or the built-in set's
    n_rows: int
    columns: list[ColumnProfile]
    target: str | None = None
    task: str | None = None  # "regression" or "classification"
    classes: list[str] = field(default_factory=list)
    n_duplicates: int = 0
    sampled_rows: int | None = None  # rows behind the statistics, where the table was too long for all
    notes: list[str] = field(default_factory=list)
    read_rows: int | None = None  # rows that were read, where the table was sampled: fewer than n_rows
    kinds: dict[str, str] = field(default_factory=dict)  # in the words of TableTransformer; "drop": left out

    @property
    def left_out(self):
        """The columns that no model sees, and why."""
        return {column.name: column.left_out for column in self.columns if column.left_out}


@dataclass
class Finding:
    """One entry of the honesty box."""

    code: str  # "LEAK", "DUPLICATES", "GRID-EDGE", ...: what --mute takes
    title: str
    detail: str  # what was seen, with its numbers
    why: str  # why it matters
    advice: str  # what to do
    severity: str = "warning"  # "note", "warning", "serious"
    models: list[str] = field(default_factory=list)  # the models it concerns; empty: the whole comparison


@dataclass
class TuningCurve:
    """Validated loss of one model against its tuning parameter, simplest first, from the fit on all training rows."""

    parameter: str
    values: list
    mean: np.ndarray
    std_error: np.ndarray
    best: int
    one_se: int
    chosen: int
    metric: str
    log_scale: bool = False
    at_bound: bool = False  # the last value is as far as the parameter goes


@dataclass
class LearningCurve:
    """Score against the number of rows learnt from, over the splits of a cross-validation."""

    sizes: np.ndarray
    train: np.ndarray  # one row per size, one column per split
    test: np.ndarray
    metric: str


@dataclass
class Importance:
    """How much the score suffers when a column of the table is shuffled, on rows the model has not seen."""

    columns: list[str]  # most important first
    drops: np.ndarray  # one row per column of the table, one column per shuffle; positive: the model needs the column
    lower: np.ndarray  # interval of the mean drop: over the rows that happened to be there and over the shuffles
    upper: np.ndarray
    metric: str
    score: float  # without shuffling
    n_rows: int
    n_left_out: int = 0  # columns of the table beyond those measured
    confidence: float = 0.95

    @property
    def mean(self):
        return self.drops.mean(axis=1)


@dataclass
class PartialDependence:
    """Average prediction over the rows when one column is set to each of `values`."""

    column: str
    values: list  # numbers, or the levels of a category
    mean: np.ndarray  # one row per value, one column per output (classification: the classes, the second of two)
    lower: np.ndarray  # 10 % and 90 % quantiles over the rows of the prediction, centred at the mean curve
    upper: np.ndarray
    outputs: list[str]
    categorical: bool = False
    counts: np.ndarray | None = None  # rows per level, or the deciles of a number
    curves: np.ndarray | None = None  # of some single rows, (values, rows, outputs), where they were asked for


@dataclass
class WorstRow:
    """A row that the model gets most wrong, by its out-of-fold prediction."""

    row: int  # in the table as read, from 0
    actual: object
    predicted: object
    loss: float
    cells: dict[str, object] = field(default_factory=dict)
    reasons: list[tuple[str, float]] = field(default_factory=list)  # columns and how far they move the prediction


@dataclass
class Inspection:
    """Results of `statlearn.app.explain.inspection` for one fitted model; `notes` lists what ran out of time."""

    learning: LearningCurve | None = None
    importance: Importance | None = None
    dependence: list[PartialDependence] = field(default_factory=list)
    worst: list[WorstRow] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0


@dataclass
class ModelResult:
    """One model of the comparison."""

    name: str  # key of the leaderboard, unique
    label: str
    estimator_class: str  # "statlearn.linear.LassoCV"
    complexity: float
    status: str = "waiting"  # "done", "failed", "out of time", "skipped"
    error: str | None = None  # why it has no scores, and what is known of it
    remark: str = ""  # what sets its scores apart: "3 of 10 folds"
    grid: dict[str, list] = field(default_factory=dict)
    settings: dict[str, object] = field(default_factory=dict)  # chosen on all training rows, where not the default
    fold_settings: list[dict] = field(default_factory=list)  # chosen inside each outer fold
    scores: dict[str, np.ndarray] = field(default_factory=dict)  # metric -> one value per outer fold; NaN: unfinished
    predictions: np.ndarray | None = None  # out-of-fold, per training row: values, or one column per class
    fit_seconds: np.ndarray = field(default_factory=lambda: np.empty(0))
    predict_seconds: np.ndarray = field(default_factory=lambda: np.empty(0))
    size_bytes: int = 0
    n_parameters: int | None = None  # non-zero coefficients or leaves, where that means something
    tuning: TuningCurve | None = None
    warnings: list[str] = field(default_factory=list)
    estimator: object = None  # the pipeline, fitted on all training rows; None: no time was left for that
    inspection: Inspection | None = None  # statlearn.app.explain.inspection.inspect_model

    tested = None  # no field: predictions for the test rows of each finished fold, while the comparison is made
