"""The page of ``statlearn explain MODEL DATA --row``: one row as it is and with changed cells."""

from .. import names as names
from .html import render
from .model import _cell


def scenario_facts(found):
    """Lines of the comparison of both versions of the row: a name and one text for each version."""
    scenarios = [found.before, *([found.after] if found.after else [])]
    lines = [(name, [_cell(cell) for cell in cells]) for name, cells in found.changes.items()]
    lines.append((f"predicted {found.model.target}", [_cell(s.prediction) for s in scenarios]))
    if found.before.lower is not None:
        lines.append(
            (
                f"{100 * found.coverage:g} % interval",
                [f"{names.plain(s.lower)} to {names.plain(s.upper)}" for s in scenarios],
            )
        )
    for label in found.before.probabilities:
        lines.append((f"probability of {label}", [names.plain(s.probabilities[label], 3) for s in scenarios]))
    if found.actual is not None and found.actual == found.actual:
        lines.append((f"actual {found.model.target}", [_cell(found.actual), *([""] if found.after else [])]))
    return lines


def reason_rows(found):
    """Lines on what moved the prediction: a column, then its cell and its move in each version."""
    scenarios = [found.before, *([found.after] if found.after else [])]
    by_column = [{name: (move, error) for name, move, error in s.reasons} for s in scenarios]
    columns = dict.fromkeys(name for s in reversed(scenarios) for name, _, _ in s.reasons)
    lines = []
    for name in columns:
        cells = []
        for scenario, moves in zip(scenarios, by_column):
            cells += [_cell(scenario.cells.get(name)), _move(*moves[name]) if name in moves else "–"]
        lines.append((name, cells))
    return lines


def _move(move, error):
    sign = "+" if move > 0 else ""
    return f"{sign}{names.plain(move, 3)}" + (f" ± {names.plain(error, 1)}" if error is not None else "")


def what_if_html(found):
    """One HTML page for a `WhatIf`."""
    model = found.model
    scenarios = [found.before, *([found.after] if found.after else [])]
    headings = ["as it is", "changed"][: len(scenarios)]
    nearest = [
        {
            "heading": heading,
            "columns": list(scenario.nearest[0].cells)[:8],
            "rows": [
                {
                    "row": f"{n.row:,}", "actual": _cell(n.actual), "distance": names.plain(n.distance, 2),
                    "cells": [_cell(c) for c in list(n.cells.values())[:8]],
                }
                for n in scenario.nearest
            ],
        }
        for heading, scenario in zip(headings, scenarios) if scenario.nearest
    ]  # fmt: skip
    return render(
        "what_if.html.j2",
        title=f"{model.label}: row {found.row}",
        label=model.label,
        target=model.target,
        row=f"{found.row:,}",
        headings=headings,
        facts=scenario_facts(found),
        reasons=reason_rows(found),
        unit=found.unit,
        base="" if found.base is None else names.plain(found.base),
        method=found.method,
        nearest=nearest,
        notes=found.notes,
    )
