"""The page of ``statlearn report A B``."""

from .. import names as names
from .html import render


def pair_rows(found):
    """Lines of the board: label, score in each comparison, and the change with its error."""
    rows = []
    for pair in found.pairs:
        levels = ["–" if level is None else names.plus_minus(*level) for level in pair.levels]
        change = "" if pair.change is None else names.plus_minus(*pair.change)
        roles = ["best" if pair.name == c.best else "" for c in found.comparisons]
        rows.append((pair.label, levels, change, roles))
    return rows


def side_by_side_html(found):
    """One HTML page for a `SideBySide`."""
    return render(
        "side_by_side.html.j2",
        title=" and ".join(found.folders),
        folders=found.folders,
        verdicts=[c.verdict for c in found.comparisons],
        targets=list(dict.fromkeys(c.target for c in found.comparisons)),
        metric="" if found.metric is None else names.metric_label(found.metric),
        notes=found.notes,
        differences=found.differences,
        rows=pair_rows(found),
    )
