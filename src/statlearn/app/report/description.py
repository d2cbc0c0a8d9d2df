"""The page of ``statlearn describe``: every column of a table."""

from .content import data_section
from .html import render


def description_html(profile):
    """One HTML page for a `TableProfile`.

    Columns that `compare` would leave out say why.
    """
    columns = [c for c in profile.columns if c.name != profile.target]
    target = [c for c in profile.columns if c.name == profile.target]
    data = data_section(profile, target + columns, profile.target if target else None)
    why = profile.left_out
    for row, column in zip(data["rows"], target + columns):
        if column.name in why:
            row["note"] = "; ".join(filter(None, [f"left out: {why[column.name]}", row["note"]]))
    return render("description.html.j2", title=profile.source, source=profile.source, data=data)
