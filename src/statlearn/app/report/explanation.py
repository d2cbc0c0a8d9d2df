"""The page of ``statlearn explain``: one saved model on one table."""

import numpy as np

from .. import names as names
from .html import render
from .model import Subject, empty_section, inference, inspection_figures, prediction_figures, term_figures


def explanation_html(found):
    """One HTML page for an `Explanation`."""
    model = found.model
    final = model.pipeline[-1] if hasattr(model.pipeline, "steps") else model.pipeline
    section = empty_section(model.label, f"{'.'.join(type(final).__module__.split('.')[:2])}.{type(final).__name__}")
    section["scores"] = [(names.metric_label(name), names.plain(value), "") for name, value in found.scores.items()]
    section["notes"] = [*found.table_notes, *found.notes]
    classes = [str(c) for c in model.classes]
    y = np.asarray(found.y, dtype=float) if model.task == "regression" else np.searchsorted(model.classes, found.y)
    caption = "Every row of the table."
    if found.n_seen:
        which = "All" if found.n_seen == len(found.y) else f"{found.n_seen:,} of {len(found.y):,}"
        caption = f"Every row of the table. {which} are training rows of the model."
    subject = Subject(model.task, model.target, y, classes, "predicted", caption, "rows of this table", set())
    prediction_figures(subject, np.asarray(found.predictions, dtype=float), section)
    inspection_figures(subject, found, section)
    section["inference"] = inference(model.pipeline)
    section["terms"] = term_figures(model.pipeline)
    return render(
        "explanation.html.j2",
        title=f"{model.label} predicts {model.target}",
        source=found.source,
        task=model.task,
        target=model.target,
        verdict=_verdict(found),
        facts=[("rows", f"{len(found.y):,}"), ("columns used", f"{len(model.columns):,}")],
        m=section,
    )


def _verdict(found):
    """The score here and in the comparison, and the most important columns."""
    model = found.model
    words = []
    metric = model.about.get("metric")
    if metric in found.scores:
        mean, error = names.mean_and_error(*model.about.get("level", (None, None)))
        here = f"On this table its {names.metric_label(metric)} is {names.plain(found.scores[metric])}"
        was = f". In the comparison that chose it, it was {mean}" + (f" ± {error}" if error else "")
        if found.n_seen:
            part = (
                "which consists of its training rows"
                if found.n_seen == len(found.y)
                else "which includes some of its training rows"
            )
            here = f"On this table, {part}, its {names.metric_label(metric)} is {names.plain(found.scores[metric])}"
            if metric in found.unseen_scores:
                here += f" ({names.plain(found.unseen_scores[metric])} on the rows it has not seen)"
        words.append(here + (was if mean != "–" else "") + ".")
    looked = found.importance
    if looked is not None:
        leading = [name for name, low in zip(looked.columns, looked.lower) if low > 0][:3]
        if leading:
            listed = leading[0] if len(leading) == 1 else f"{', '.join(leading[:-1])} and {leading[-1]}"
            words.append(f"It relies most on {listed}.")
        else:
            words.append("No single column is clearly important.")
    return " ".join(words)
