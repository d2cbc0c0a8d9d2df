"""The board of a comparison while it runs, from the journal of its process."""

from dataclasses import dataclass, field

import numpy as np
from markupsafe import Markup

from statlearn.app import names
from statlearn.app.compare.fitting import ALL_ROWS
from statlearn.app.compare.scoring import METRICS
from statlearn.app.report.board_figures import WhiskerColumn


@dataclass
class Progress:
    """What a comparison has done so far.

    Parameters
    ----------
    models : dict of str to str
        Labels of the models.
    units, done : int
        Fits in all (the most there can be, under a time limit), and finished ones.
    seconds : float or None
        The time limit.
    scores : dict of str to dict of int to dict
        Scores by model and fold.
    times : dict of str to list of float
        Seconds of the fits.
    problems : list of (str, str)
        Labels and errors of models that failed.
    notes : list of str
    phase : str
        What is being done after the fits; empty before.
    """

    models: dict = field(default_factory=dict)
    units: int = 0
    done: int = 0
    seconds: float | None = None
    scores: dict = field(default_factory=dict)
    times: dict = field(default_factory=dict)
    problems: list = field(default_factory=list)
    notes: list = field(default_factory=list)
    phase: str = ""


def read_progress(events):
    """The progress that the events of a journal describe.

    A comparison that was resumed has several runs in its journal. What follows the main part of a run (the comparison
    with columns that were left out, or with random folds) is a phase without scores.
    """
    found, part, whole = Progress(), 0, set()
    for event in events:
        kind = event.get("event")
        if kind == "run":
            part, found.phase = 0, ""
        elif kind == "start":
            part += 1
            if part == 1:
                found.models, found.units = dict(event["models"]), int(event["units"])
                found.seconds, found.done = event.get("seconds"), int(event["done"])
                whole = set()
            else:
                found.phase = "Fitting again for the appendix and for the score with other folds"
        elif kind == "note":
            found.notes.append(str(event["text"]))
        elif kind == "unit" and part == 1:
            _add(found, event, whole)
    return found


def _add(found, event, whole):
    model, fold = str(event["model"]), int(event["fold"])
    if event["status"] != "done":
        problem = (str(event["label"]), str(event.get("error") or event["status"]))
        found.problems += [] if problem in found.problems else [problem]
        return
    if (model, fold) not in whole:
        whole.add((model, fold))
        found.done += 1
    found.times.setdefault(model, []).append(float(event["fit_seconds"]))
    if fold != ALL_ROWS and event.get("scores"):
        found.scores.setdefault(model, {})[fold] = event["scores"]


def live_board(progress):
    """Rows of the board, the best first, and the drawing of their axis; None before there are scores."""
    if not progress.scores:
        return None
    metric = next(iter(next(iter(next(iter(progress.scores.values())).values()))))
    task = next(task for task in METRICS if metric in METRICS[task])
    greater = METRICS[task][metric].greater_is_better
    known = {m: np.array([s[metric] for s in folds.values()]) for m, folds in progress.scores.items()}
    known = {m: values[np.isfinite(values)] for m, values in known.items()}
    known = {m: values for m, values in known.items() if len(values)}
    if not known:
        return None
    order = sorted(known, key=lambda m: (-1 if greater else 1) * known[m].mean())
    means = np.array([known[m].mean() for m in order])
    errors = np.array([known[m].std(ddof=1) / np.sqrt(len(known[m])) if len(known[m]) > 1 else 0.0 for m in order])
    column = WhiskerColumn(means, errors, 0, greater)
    rows = []
    for k, model in enumerate(order):
        label = progress.models.get(model, model)
        mean, error = names.mean_and_error(means[k], errors[k])
        figure = column.cell(means[k], errors[k], known[model], f"{label}: {mean} ± {error}", "s1")
        rows.append(
            {
                "label": label, "figure": Markup(figure), "mean": mean, "error": error, "folds": len(known[model]),
                "time": names.duration(float(np.mean(progress.times[model]))),
            }
        )  # fmt: skip
    return {
        "rows": rows, "metric": names.metric_label(metric), "axis": Markup(column.axis()),
        "waiting": [label for model, label in progress.models.items() if model not in known],
        "band": f"--b0:{column.band[0]:.2f}%;--b1:{column.band[1]:.2f}%;--b:{column.best:.2f}%",
    }  # fmt: skip
