"""One row of a table, and the same row with other cells: predictions, reasons and the nearest training rows."""

from dataclasses import dataclass, field

import narwhals as nw
import numpy as np

from statlearn._core.text_values import date_format, number_format, read_date, read_number

from ..errors import DataError, UsageError
from ..setting_names import did_you_mean, option
from ..statements import say
from ..tables import frames
from .nearest import Neighbour, nearest_rows
from .reasons import UNITS, method_words
from .shapley import shapley_values

MIN_BACKGROUND = 10  # rows, for reasons
N_REASONS = 8


@dataclass
class Scenario:
    """One version of the row.

    Parameters
    ----------
    cells : dict of str to object
        Cells of the columns that the model uses.
    prediction : object
        A value or a label.
    lower, upper : float or None
        Ends of the prediction interval of a regression.
    probabilities : dict of str to float
        Of the classes; empty for regression and for models without probabilities.
    reasons : list of (str, float, float or None)
        Columns, how far they move the prediction, and standard errors of sampled values.
    nearest : list of Neighbour
        The nearest training rows, if the model file stores rows.
    """

    cells: dict
    prediction: object
    lower: float | None = None
    upper: float | None = None
    probabilities: dict = field(default_factory=dict)
    reasons: list = field(default_factory=list)
    nearest: list[Neighbour] = field(default_factory=list)


@dataclass
class WhatIf:
    """Answer of `what_if`.

    Parameters
    ----------
    model : TableModel
    row : int
        Position in the table, from 0.
    before : Scenario
    after : Scenario or None
        None if nothing was changed.
    changes : dict of str to (object, object)
        Old and new cell of each changed column.
    explained : object
        The class whose output the reasons refer to; None for regression.
    unit, method : str
        What the reasons are counted in, and how they were computed; empty without reasons.
    base : float or None
        Mean of the explained output over the background.
    coverage : float
        Of the intervals.
    actual : object
        The target's value in the row, if the table has it.
    notes : list of str
    """

    model: object
    row: int
    before: Scenario
    after: Scenario | None
    changes: dict
    explained: object = None
    unit: str = ""
    method: str = ""
    base: float | None = None
    coverage: float = 0.9
    actual: object = None
    notes: list = field(default_factory=list)

    def to_html(self):
        """One HTML page without scripts and outside resources."""
        from ..report.what_if import what_if_html

        return what_if_html(self)

    _repr_html_ = to_html

    def write(self, path):
        """Write that page, whole or not at all."""
        from statlearn._core.atomic_files import write_text

        write_text(path, self.to_html())


def what_if(model, table, row, changes=None, *, coverage=0.9, seed=0):
    """Predict one row, and the same row with some cells changed.

    Parameters
    ----------
    model : TableModel
        As `Comparison.model_for_use` and `statlearn.app.model.predict.load_table_model` return it.
    table : data frame
        Its other rows are the background of the reasons.
    row : int
        Position of the row, from 0.
    changes : dict of str to object, or None
        New cells by column. Text is read as a cell of a file would be; None is a missing value.
    coverage : float
        Of the prediction intervals.
    seed : int
        For reasons that are sampled.

    Returns
    -------
    WhatIf

    Examples
    --------
    >>> import statlearn
    >>> from sklearn.datasets import load_diabetes
    >>> from statlearn.app.explain.what_if import what_if
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = statlearn.compare(X, y, models=["ridge"], folds=3).model_for_use("ridge")
    >>> found = what_if(model, X, 17, {"bmi": 0.1})
    >>> found.after.prediction > found.before.prediction
    True
    """
    frame = frames.as_frame(table)
    if not 0 < coverage < 1:
        raise UsageError(f"{option('coverage')} must be between 0 and 1, got {coverage!r}")
    if len(frame) == 0:
        raise DataError("the table has no rows")
    if isinstance(row, bool) or not isinstance(row, (int, np.integer)) or not 0 <= row < len(frame):
        raise UsageError(f"{option('row')} must be between 0 and {len(frame) - 1}, got {row!r}")
    actual = frame[model.target].to_list()[row] if model.target in frame.columns else None
    X = frames.as_frame(model.check(frame)[0])  # as the model reads it
    changed = {name: read_cell(model, X, name, value) for name, value in (changes or {}).items()}
    one = frames.take(X, [row])
    versions = [one] if not changed else [one, _with_cells(one, changed)]
    cells = [{name: version[name].to_list()[0] for name in version.columns} for version in versions]
    scenarios = [_scenario(model, v.to_native(), own, coverage) for v, own in zip(versions, cells)]
    found = WhatIf(
        model, int(row), scenarios[0], scenarios[1] if changed else None,
        {name: (cells[0][name], cells[1][name]) for name in changed}, coverage=coverage, actual=actual,
    )  # fmt: skip
    found.notes = [
        *_unlike_training(model, changed),
        *(["no changed cell differs from the row"] if _same(found) else []),
    ]
    _add_reasons(found, X, versions, seed)
    for scenario in scenarios:
        scenario.nearest = nearest_rows(model, scenario.cells)
    return found


def read_changes(assignments):
    """The changes of ``--set age=40 --set town=Bonn``.

    Parameters
    ----------
    assignments : sequence of str

    Returns
    -------
    dict of str to (str or None)
        None for an empty value, which stands for a missing one.

    Examples
    --------
    >>> from statlearn.app.explain.what_if import read_changes
    >>> read_changes(["age=40", "town="])
    {'age': '40', 'town': None}
    """
    changes = {}
    for text in assignments:
        name, sign, value = text.partition("=")
        name = name.strip()
        if not sign or not name:
            raise UsageError(f"{option('set')} must have the form COLUMN=VALUE, got {text!r}")
        if name in changes:
            raise UsageError(f"{option('set')} names the column {name!r} twice")
        changes[name] = value.strip() or None
    return changes


def read_cell(model, frame, name, value):
    """A new cell in the type of its column; UsageError if the model has no such column or cannot read the value."""
    if name == model.target:
        raise UsageError(f"{option('set')}: {name!r} is the target, which is predicted")
    if name not in model.columns:
        raise UsageError(
            f"{option('set')}: {model.label} uses no column {name!r}; {did_you_mean(name, list(model.columns))}"
        )
    if value is None or (isinstance(value, float) and value != value):
        return None
    dtype = frame[name].dtype
    if dtype.is_numeric():
        number = _number(value)
        if number is None:
            raise UsageError(f"{option('set')}: {name!r} must be a number, got {value!r}")
        return number
    if dtype == nw.Boolean:
        words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if str(value).lower() not in words:
            raise UsageError(f"{option('set')}: {name!r} must be true or false, got {value!r}")
        return words[str(value).lower()]
    if isinstance(value, str) and (moment := _moment(model, frame, name, value)) is not None:
        return value if frames.is_text(dtype) else moment
    return str(value) if frames.is_text(dtype) else value


def _moment(model, frame, name, value):
    """A new cell of a column of dates as a moment; None for other columns."""
    dtype, form = frame[name].dtype, "iso"
    if frames.is_text(dtype) and model.columns[name] == "date":
        form = date_format([text for text in set(frames.strings(frame[name])) if text is not None]) or "iso"
    elif dtype not in (nw.Date, nw.Datetime):
        return None
    moment = read_date(value, form)
    if moment is None:
        raise UsageError(f"{option('set')}: {name!r} must be a date, written as in the table, got {value!r}")
    return moment


def _number(value):
    if isinstance(value, (bool, np.bool_)):
        return float(value)
    if isinstance(value, (int, float, np.number)):
        return float(value) if np.isfinite(value) else None
    form = number_format([str(value)])
    number = None if form is None else read_number(str(value), form)
    return None if number is None or not np.isfinite(number) else float(number)


def _with_cells(one, changed):
    """The frame of one row with other cells; whole numbers become floats where the new cell is none."""
    columns = []
    for name, value in changed.items():
        dtype = one[name].dtype
        if dtype.is_integer():
            dtype = nw.Float64 if value is None or value != round(value) else dtype
            value = value if value is None or dtype == nw.Float64 else round(value)
        elif frames.is_text(dtype):
            dtype = nw.String
        columns.append(nw.new_series(name, [value], dtype, backend=one.implementation))
    return one.with_columns(*columns)


def _scenario(model, native, cells, coverage):
    table = frames.as_frame(model.predict_table(native, coverage))
    row = {name: table[name].to_list()[0] for name in table.columns}
    scenario = Scenario(cells, row["prediction"], row.get("lower"), row.get("upper"))
    mark = "probability of "
    if model.task != "regression":
        scenario.probabilities = {str(c): float(row[mark + str(c)]) for c in model.classes if mark + str(c) in row}
    return scenario


def _same(found):
    return bool(found.changes) and all(old == new for old, new in found.changes.values())


def _unlike_training(model, changed):
    """Notes on new cells that no training row has: numbers outside the range, unknown levels."""
    training = getattr(model, "training", None)
    notes = []
    for name, value in changed.items():
        known = None if training is None or value is None else training.column(name)
        if known is None or known.is_date:
            continue
        if known.is_number and not known.low <= float(value) <= known.high:
            ends = {"low": f"{known.low:g}", "high": f"{known.high:g}"}
            notes.append(say("OUTSIDE-RANGE", column=repr(name), value=f"{float(value):g}", **ends))
        elif not known.is_number and known.is_new(value):
            notes.append(say("UNKNOWN-LEVEL", column=repr(name), value=repr(str(value))))
    return notes


def _add_reasons(found, X, versions, seed):
    model = found.model
    estimator = model.pipeline
    others = np.delete(np.arange(len(X)), found.row)
    background = frames.take(X, others).to_native() if len(others) >= MIN_BACKGROUND else None
    if background is None and getattr(model, "stored", None) is not None and len(model.stored) >= MIN_BACKGROUND:
        background = model.stored.frame_like(X).to_native()
    scenarios = [found.before, *([found.after] if found.after else [])]
    output = 0
    if model.task != "regression":  # both versions are explained for the class that is predicted after the change
        found.explained = scenarios[-1].prediction
        output = list(estimator.classes_).index(found.explained)
    for k, (version, scenario) in enumerate(zip(versions, scenarios)):
        shapley = shapley_values(estimator, version.to_native(), background, columns=list(model.columns), seed=seed)
        if shapley is None:
            found.notes.append(say("NO-BACKGROUND", rows=str(MIN_BACKGROUND)))
            return
        scenario.reasons = shapley.largest(0, output, N_REASONS)
        if k == len(versions) - 1:
            found.base, found.method = float(shapley.base[output]), method_words(shapley, [output])
            found.unit = UNITS[shapley.unit].replace("the predicted class", f"{found.explained}")
