"""What a saved model does with a table that holds the target: scores, importances, partial dependence, worst rows."""

from dataclasses import dataclass, field

import numpy as np

from statlearn._core.frames import take_rows

from ..compare.result import Inspection
from ..compare.scoring import METRICS, choose_metrics, predictions_of, score_function
from ..compare.task import target_array
from ..errors import DataError
from ..tables import frames
from ..tables.cell_text import read_cells
from .effects import LocalEffects, local_effects
from .inspection import inspect_model, worst_rows
from .reasons import reasons_for

MIN_UNSEEN = 20  # rows for scores of their own
N_CURVES = 40  # single rows in the figures of partial dependence


@dataclass
class Explanation(Inspection):
    """An inspection of a saved model on one table, as a page for the browser too."""

    model: object = None  # the TableModel
    source: str = "table"
    y: np.ndarray = field(default_factory=lambda: np.empty(0))
    predictions: np.ndarray = field(default_factory=lambda: np.empty(0))  # values, or one column per class
    scores: dict[str, float] = field(default_factory=dict)
    table_notes: list[str] = field(default_factory=list)
    n_seen: int = 0  # rows of the table that the model was trained on
    unseen_scores: dict[str, float] = field(default_factory=dict)  # of the other rows, if some are training rows
    unit: str = ""  # what the reasons of the worst rows are counted in; empty where there are none
    method: str = ""  # how the reasons were computed
    effects: list[LocalEffects] = field(default_factory=list)  # accumulated local effects of the columns of dependence

    def to_html(self):
        """One HTML page without scripts and outside resources."""
        from ..report.explanation import explanation_html

        return explanation_html(self)

    _repr_html_ = to_html

    def write(self, path):
        """Write that page, whole or not at all."""
        from statlearn._core.atomic_files import write_text

        write_text(path, self.to_html())


def explain(model, table, *, source="table", seconds=30.0, seed=0):
    """Look at what a saved model does with a table.

    Parameters
    ----------
    model : TableModel
        As `Comparison.model_for_use` and `statlearn.app.model.predict.load_table_model` return it.
    table : data frame
        With the target; rows where it is missing are left out.
    source : str
        Name of the table.
    seconds : float
        Time for importances and partial dependence.
    seed : int
        Random seed for the shuffles.

    Returns
    -------
    Explanation
    """
    frame = frames.as_frame(table)
    if model.target not in frame.columns:
        raise DataError(
            f"the table is missing the target {model.target!r}, which is needed to measure errors and importances"
        )
    if model.task == "regression" or not any(isinstance(label, str) for label in model.classes):
        frame, _ = read_cells(frame, only=[model.target])
    rows = np.flatnonzero(~frames.missing(frame[model.target]))
    if len(rows) < 2:
        raise DataError(f"the table has fewer than two rows with a value of the target {model.target!r}")
    frame = frames.take(frame, rows)
    X, notes = model.check(frame.drop(model.target))
    y = target_array(frame[model.target], model.task)
    classes = _classes(model, y)
    ranking, metrics = choose_metrics(model.task, model.about["metric"])
    if ranking.needs != "values" and not hasattr(model.pipeline, "predict_proba"):
        ranking = next(m for m in METRICS[model.task].values() if m.needs == "values")
    found = inspect_model(
        model.pipeline,
        X,
        y,
        task=model.task,
        metric=ranking.name,
        score=score_function(ranking, classes),
        greater_is_better=ranking.greater_is_better,
        unseen=(X, y),
        n_dependence=6,
        n_curves=N_CURVES,
        learning=False,
        seconds=seconds,
        seed=seed,
    )
    predicted = predictions_of(model.pipeline, X, classes)
    truth = y if classes is None else np.searchsorted(classes, y)
    scores = {m.name: m(truth, predicted) for m in metrics}
    seen = model.was_seen(frame, y)
    unseen_scores = {}
    if seen.any():
        notes.append(_seen_note(seen, model))
        if (~seen).sum() >= MIN_UNSEEN:
            fresh = predictions_of(model.pipeline, take_rows(X, np.flatnonzero(~seen)), classes)
            unseen_scores = {m.name: m(truth[~seen], fresh) for m in metrics}
    values = predicted.table(None if classes is None else len(classes))
    worst = worst_rows(X, y, values, task=model.task, classes=classes, rows=rows)
    unit, method = _add_reasons(model, X, rows, worst, seed)
    effects = [local_effects(model.pipeline, X, d.column, task=model.task, seed=seed) for d in found.dependence]
    return Explanation(
        importance=found.importance,
        dependence=found.dependence,
        worst=worst,
        notes=found.notes,
        seconds=found.seconds,
        model=model,
        source=source,
        y=y,
        predictions=values,
        scores={name: value for name, value in scores.items() if np.isfinite(value)},
        table_notes=notes,
        n_seen=int(seen.sum()),
        unseen_scores={name: value for name, value in unseen_scores.items() if np.isfinite(value)},
        unit=unit,
        method=method,
        effects=[effect for effect in effects if effect is not None],
    )


def _seen_note(seen, model):
    n = int(seen.sum())
    which = "All" if n == len(seen) else f"{n:,} of the {len(seen):,}"
    return (
        f"{which} rows are training rows of the model, so scores and importances look better here than they would on "
        "new rows. The comparison that chose the model scored it on rows it had not seen."
    )


def _add_reasons(model, X, rows, worst, seed):
    """Add to each worst row what moved its prediction; returns the unit and the method."""
    if not worst:
        return "", ""
    at = np.searchsorted(rows, [w.row for w in worst])
    labels = None if model.task == "regression" else np.array([w.predicted for w in worst])
    reasons, unit, method = reasons_for(
        model.pipeline, take_rows(X, at), labels, background=X, columns=list(model.columns), seed=seed
    )
    for w, own in zip(worst, reasons or ()):
        w.reasons = own
    return unit, method


def _classes(model, y):
    if model.task == "regression":
        return None
    strange = sorted(set(y.tolist()) - set(model.classes), key=str)
    if strange:
        raise DataError(f"the target has classes that the model was not trained on: {', '.join(map(str, strange[:5]))}")
    return np.array(model.classes)
