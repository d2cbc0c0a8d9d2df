"""What ``statlearn explain MODEL DATA --row`` prints."""

from rich.console import Group
from rich.text import Text

from .. import names as names
from ..report.what_if import reason_rows, scenario_facts
from .console import _cell, _short, _table

MAX_COLUMNS = 6


def what_if(found):
    """Prediction before and after the changes, reasons, and the nearest stored training rows."""
    scenarios = [found.before, *([found.after] if found.after else [])]
    headings = ["as it is", "changed"][: len(scenarios)]
    parts: list = [
        Text.assemble((found.model.label, "bold"), f", predicting {found.model.target} in row {found.row:,}")
    ]
    table = _table(("", "left"), *((heading, "right") for heading in headings))
    for name, values in scenario_facts(found):
        table.add_row(Text(_short(name, 40)), *map(Text, values))
    parts += [Text(), table]
    rows = reason_rows(found)
    if rows:
        reasons = _table(
            ("column", "left"),
            *(column for heading in headings for column in ((heading, "right"), ("moves", "right"))),
        )
        for name, cells in rows:
            reasons.add_row(Text(_short(name, 30)), *map(Text, cells))
        words = (
            f"moves: how far the column moves {found.unit} from its mean ({names.plain(found.base)}). {found.method}"
        )
        parts += [Text(), Text("What moved it", style="bold"), reasons, Text(words, style="dim")]
    for heading, scenario in zip(headings, scenarios):
        if scenario.nearest:
            shown = list(scenario.nearest[0].cells)[:MAX_COLUMNS]
            near = _table(
                ("row", "right"), (found.model.target, "right"), ("distance", "right"),
                *((_short(c, 18), "right") for c in shown),
            )  # fmt: skip
            for n in scenario.nearest:
                near.add_row(
                    f"{n.row:,}", _cell(n.actual), names.plain(n.distance, 2), *(_cell(n.cells[c]) for c in shown)
                )
            parts += [Text(), Text(f"Nearest training rows, {heading}", style="bold"), near]
    return Group(*parts)
