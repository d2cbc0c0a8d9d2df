"""What ``statlearn report A B`` prints."""

from rich.console import Group
from rich.text import Text

from .. import names as names
from ..report.side_by_side import pair_rows
from .console import _short, _table


def side_by_side(found):
    """Verdicts, the scores of every model in both comparisons, and what differs."""
    parts: list = []
    for folder, comparison in zip(found.folders, found.comparisons):
        parts += [Text(folder, style="bold"), Text(comparison.verdict), Text()]
    board = _table(("model", "left"), *((_short(folder, 30), "right") for folder in found.folders), ("change", "right"))
    for label, levels, change, roles in pair_rows(found):
        cells = [Text(level, style="bold" if role else "") for level, role in zip(levels, roles)]
        board.add_row(Text(label), *cells, change)
    heading = "Leaderboard" if found.metric is None else f"Leaderboard: {names.metric_label(found.metric)} ± SE"
    parts += [Text(heading, style="bold"), board, *map(Text, found.notes)]
    if found.differences:
        table = _table(("", "left"), *((_short(folder, 30), "left") for folder in found.folders))
        for name, *values in found.differences:
            table.add_row(name, *map(Text, values))
        parts += [Text(), Text("What differs", style="bold"), table]
    return Group(*parts)
