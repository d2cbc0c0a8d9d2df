"""Pictures of the columns of a table: one against another, coloured by a third."""

import numpy as np

from statlearn.app.names import plain
from statlearn.app.report.figures import MAX_POINTS, extent
from statlearn.app.report.svg import Plot, shorten
from statlearn.app.tables import frames

MAX_DOTS = 3000  # beyond, points are drawn of a random sample where colours have to be told apart
MAX_LEVELS = 12
COLOURS = 6
NUMERIC = ("number", "date")
DAY = 86_400_000_000.0  # microseconds


def two_columns(frame, kinds, x, y, colour=None, seed=0):
    """A drawing of two columns and words on what it shows.

    Parameters
    ----------
    frame : narwhals frame
    kinds : dict of str to str
        As people see them: "number", "category", "date", ...
    x, y : str
    colour : str or None
    seed : int
        For the sample of long tables.

    Returns
    -------
    svg, words : str
    """
    shown = [_values(frame[name], kinds[name]) for name in (x, y)]
    groups = None if colour is None else _groups(frame[colour], kinds[colour])
    known = np.logical_and.reduce([present for _, present, _ in shown])
    n_gone = int((~known).sum())
    if not known.any():
        return "", "No row has both values."
    a, b = (values[known] for values, _, _ in shown)
    if groups is not None:
        groups = (groups[0], groups[1][known])
    level_x, level_y = (levels is not None for _, _, levels in shown)
    rng = np.random.default_rng(seed)
    if level_x and level_y:
        plot, words = _shares(a, b, shown[0][2], shown[1][2], x, y)
    elif level_x or level_y:
        at, levels, of, values = (a, shown[0][2], x, b) if level_x else (b, shown[1][2], y, a)
        name = y if level_x else x
        plot, words = _boxes(at, values, levels, of, name, groups, rng)
    else:
        dates = kinds[x] == "date"
        plot, words = _cloud(a, b, x, y, groups, rng, dates)
    if groups is not None and not (level_x and level_y):
        for k, label in enumerate(groups[0]):
            plot.key(shorten(label, 18), f"s{k + 1}", "dot")
        words += f" Coloured by {colour}."
    if n_gone:
        words += f" {n_gone:,} rows without a value in one of them are not shown."
    return plot.svg(f"{y} against {x}", words, "large"), words


def _values(series, kind):
    """Numbers, or places in a list of levels; which of them are known; the levels."""
    if kind == "date":
        moments = frames.dates(series)
        values = frames.numbers(moments) / DAY
        return values, np.isfinite(values), None
    if kind in NUMERIC and not frames.is_text(series.dtype):
        values = frames.numbers(series)
        return values, np.isfinite(values), None
    texts = _texts(series)
    known = np.array([text is not None for text in texts])
    names, counts = np.unique(texts[known].astype(str), return_counts=True)
    order = np.argsort(-counts, kind="stable")
    levels = names[order][:MAX_LEVELS].tolist()
    if len(names) > MAX_LEVELS:
        levels = [*levels[:-1], "others"]
    else:
        levels = sorted(levels, key=_by_size)
    place = {name: k for k, name in enumerate(levels)}
    return np.array([place.get(t, len(levels) - 1) for t in texts], dtype=float), known, levels


def _by_size(text):
    try:
        return (0, float(text), text)
    except ValueError:
        return (1, 0.0, text)


def _texts(series):
    if frames.is_text(series.dtype):
        return frames.strings(series)
    values, gone = series.to_list(), frames.missing(series)
    shown = [f"{value:.12g}" if isinstance(value, float) else str(value) for value in values]
    return np.array([None if lost else text for text, lost in zip(shown, gone)], dtype=object)


def _groups(series, kind):
    """Names of at most six groups of rows, and the group of each row; -1 for rows without a value."""
    values, known, levels = _values(series, kind)
    if levels is None:
        cuts = np.quantile(values[known], [1 / 3, 2 / 3]) if known.any() else np.zeros(2)
        names = [f"up to {plain(cuts[0], 3)}", f"to {plain(cuts[1], 3)}", f"above {plain(cuts[1], 3)}"]
        codes = np.searchsorted(cuts, values)
    else:
        names = levels if len(levels) <= COLOURS else [*levels[: COLOURS - 1], "others"]
        codes = np.minimum(values, len(names) - 1).astype(int)
    return names, np.where(known, codes, -1)


def _sampled(n, rng):
    return np.arange(n) if n <= MAX_DOTS else np.sort(rng.choice(n, MAX_DOTS, replace=False))


def _cloud(a, b, x, y, groups, rng, dates):
    plot = Plot(
        extent(a), extent(b), width=680, height=400, x_label=shorten(x, 60), y_label=shorten(y, 60), x_dates=dates,
        grid="xy", top=16 if groups else 0,
    )  # fmt: skip
    if groups is None:
        if len(a) > MAX_POINTS:
            plot.density(a, b, "s1")
        else:
            plot.dots(a, b, "s1", size=5)
        words = f"{len(a):,} rows"
        if np.ptp(a) > 0 and np.ptp(b) > 0:
            words += f"; correlation {np.corrcoef(a, b)[0, 1]:.2f}"
        return plot, words + "."
    rows = _sampled(len(a), rng)
    for k in range(len(groups[0])):
        of = rows[groups[1][rows] == k]
        plot.dots(a[of], b[of], f"s{k + 1}", size=5 if len(rows) < 600 else 3.6)
    return plot, f"{len(a):,} rows." + (f" A random sample of {len(rows):,} is drawn." if len(rows) < len(a) else "")


def _boxes(at, values, levels, of, name, groups, rng):
    """A number in each level: the middle half, the middle 80 %, the median."""
    plot = Plot(
        [shorten(level, 24) for level in levels], extent(values), width=680, height=400, x_label=shorten(of, 60),
        y_label=shorten(name, 60), top=16 if groups else 0,
    )  # fmt: skip
    rows = _sampled(len(at), rng)
    spread = at[rows] + rng.uniform(-0.3, 0.3, len(rows))
    if groups is None:
        plot.dots(spread, values[rows], "muted faded", size=3)
    else:
        for k in range(len(groups[0])):
            here = groups[1][rows] == k
            plot.dots(spread[here], values[rows][here], f"s{k + 1}", size=3.6)
    for k in range(len(levels)):
        part = values[at == k]
        if len(part):
            low, first, middle, third, high = np.quantile(part, [0.1, 0.25, 0.5, 0.75, 0.9])
            plot.whiskers(low, high, k, "ink")
            plot.bars(k - 0.12, k + 0.12, first, third, "s1 faded")
            plot.dot(k, middle, "s1", size=9, title=f"{levels[k]}: median {plain(middle)} of {len(part):,} rows")
    return plot, f"{name} by {of}: the median, the middle half (box) and the middle 80 % (line) of each level."


def _shares(a, b, levels_a, levels_b, x, y):
    """The shares of the levels of one column within those of another."""
    shown = levels_b if len(levels_b) <= COLOURS else [*levels_b[: COLOURS - 1], "others"]
    codes = np.minimum(b, len(shown) - 1).astype(int)
    plot = Plot(
        [shorten(level, 24) for level in levels_a], (0.0, 1.0), width=680, height=400, x_label=shorten(x, 60),
        y_label=f"share of {shorten(y, 40)}", top=16,
    )  # fmt: skip
    counts = np.bincount(a.astype(int) * len(shown) + codes, minlength=len(levels_a) * len(shown))
    counts = counts.reshape(len(levels_a), len(shown))
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    ends = np.cumsum(share, axis=1)
    places = np.arange(len(levels_a))
    for k, label in enumerate(shown):
        plot.bars(places - 0.38, places + 0.38, ends[:, k] - share[:, k], ends[:, k], f"s{k + 1}", title=label)
        plot.key(shorten(label, 18), f"s{k + 1}", "box")
    return plot, f"Shares of {y} within each level of {x}."
