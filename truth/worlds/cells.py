"""Cells that are not spelt as they should be: gaps, sentinels, units, bounds, decimal commas."""

import numpy as np

from truth.world import Facts, Made, world
from truth.worlds.parts import linear, two_tasks

GAPS = [
    "", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "none", "?", "-", "--", "---", ".", "..", "missing",
    "Missing", "unknown", "#N/A", "n.a.", "na", "*", "not available", "(null)",
]  # fmt: skip


def _some(rng, n, share):
    """Numbers of rows, at least one."""
    return rng.choice(n, size=max(round(share * n), 1), replace=False)


def _respell(column, spell, share):
    """Spoils a share of the cells of a column; others are written with two decimals."""

    def spoil(frame, rng):
        cells = np.array([f"{v:.2f}" for v in frame[column]], dtype=object)
        for i in _some(rng, len(frame), share):
            cells[i] = spell(frame[column].iloc[i], rng)
        frame[column] = cells
        return frame

    return spoil


@world(rows=[120, 500], value=[-999, -99, 9999999], share=[0.02, 0.1])
def sentinels(rng, rows, value, share):
    """A number that stands for a gap."""

    def spoil(frame, rng):
        frame["height"] = np.round(170 + 10 * frame["height"], 1)
        frame.loc[frame.index[_some(rng, len(frame), share)], "height"] = value
        return frame

    return Made(two_tasks("regression"), rows, Facts(numbers=["height"], sentinels=["height"]), spoil)


@world(rows=[150, 500], share=[0.01, 0.05], how=["<{:.1f}", "<LOD", "~{:.1f}", ">{:.1f}"])
def bounds(rng, rows, share, how):
    """Measurements below a limit of detection, or approximate ones."""
    spoil = _respell("height", lambda v, rng: how.format(v), share)
    return Made(two_tasks("regression"), rows, Facts(numbers=["height"]), spoil)


@world(rows=[150, 500], share=[0.01, 0.05], unit=[" kg", "cm"])
def units(rng, rows, share, unit):
    """A unit behind some of the numbers."""
    spoil = _respell("height", lambda v, rng: f"{v:.2f}{unit}", share)
    return Made(two_tasks("regression"), rows, Facts(numbers=["height"]), spoil)


@world(rows=[150, 500], share=[0.01, 0.05])
def decimal_commas(rng, rows, share):
    """A decimal comma in some of the cells."""
    spoil = _respell("height", lambda v, rng: f"{v:.2f}".replace(".", ","), share)
    return Made(two_tasks("regression"), rows, Facts(numbers=["height"]), spoil)


@world(rows=[150, 500], share=[0.01, 0.05, 0.2, 0.4, 0.6], word=list(range(len(GAPS))))
def spelt_gaps(rng, rows, share, word):
    """One of 25 spellings of a gap."""
    spoil = _respell("height", lambda v, rng: GAPS[word], share)
    return Made(two_tasks("regression"), rows, Facts(numbers=["height"], missing={"height": share}), spoil)


@world(rows=[150, 500], share=[0.1, 0.3, 0.7, 0.9], task=["regression", "classification"])
def plain_gaps(rng, rows, share, task):
    """Empty cells at random in two columns."""

    def spoil(frame, rng):
        for name in ("height", "width"):
            frame.loc[rng.random(len(frame)) < share, name] = np.nan
        return frame

    facts = Facts(numbers=["height", "width"], missing={"height": share, "width": share})
    return Made(two_tasks(task), rows, facts, spoil, task=task)


@world(rows=[150, 500], commas=[True, False])
def money(rng, rows, commas):
    """Amounts with thousands separators, written the same way throughout."""

    def spoil(frame, rng):
        amounts = np.round(np.exp(10 + frame["height"])).astype(int)
        frame["height"] = [f"{v:,}" if commas else f"${v}" for v in amounts]
        return frame

    return Made(linear(0.5), rows, Facts(numbers=["height"]), spoil)
