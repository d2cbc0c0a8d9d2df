"""The page of ``statlearn embed``: coordinates, scree plot, loadings, biplot, and how far they can be trusted."""

import itertools
import json

import numpy as np
from markupsafe import Markup

from .. import names as names
from .figures import extent
from .files import to_plain
from .html import render
from .svg import KEY_ROW, Plot, key_rows, shorten, text_width

MAX_DOTS = 3000
MAX_ARROWS = 10
SHORTEST_ARROW = 0.15  # of the longest: shorter ones say nothing, and their names cover each other
KEY_LETTERS = 14  # of a name in the key
KEY_ROOM = 380  # pixels of a row of the key: a little less than the figure has
LINE = 12  # pixels from one name of an arrow to the next
MAX_COLUMNS = 60
N_COLOURS = 7


def embedding_html(found):
    """One HTML page for an `Embedding`."""
    return render(
        "embedding.html.j2",
        title=f"Embedding of {found.source}",
        source=found.source,
        method=found.settings["method"],
        verdict=found.verdict,
        n_coordinates=len(found.names),
        facts=_facts(found),
        pictures=_pictures(found),
        scree=Markup(_scree(found)),
        shares=_shares(found),
        headings=found.names,
        loadings=_loadings(found),
        more_columns=0 if found.loadings is None else max(0, len(found.loadings) - MAX_COLUMNS),
        loading_words=_loading_words(found),
        findings=[{"title": a, "detail": b, "advice": c} for a, b, c in found.findings],
        notes=found.notes,
        dropped=[{"name": name, "why": why} for name, why in found.dropped.items()],
        settings=[(name.replace("_", " "), names.setting(value)) for name, value in found.settings.items()],
    )


def embedding_json(found):
    """Every number of the page, for programs; the coordinates are in coordinates.csv."""
    content = {
        "format": "statlearn embedding 1",
        "source": found.source,
        "rows": found.n_rows,
        "verdict": found.verdict,
        "method": found.method,
        "coordinates": found.names,
        "stress": found.stress,
        "trustworthiness": found.trustworthiness if np.isfinite(found.trustworthiness) else None,
        "scree": {"share": found.share, "broken_stick": found.stick, "permuted_95": found.parallel},
        "components_above_reference": found.suggested,
        "loadings": None if found.loadings is None else dict(zip(found.design_names, found.loadings.tolist())),
        "fit": found.fit,
        "findings": [{"title": a, "detail": b, "advice": c} for a, b, c in found.findings],
        "used": found.used,
        "dropped": found.dropped,
        "notes": found.notes,
        "settings": found.settings,
        "seconds": found.seconds,
    }
    return json.dumps(to_plain(content), indent=1, ensure_ascii=False, allow_nan=False)


def _facts(found):
    facts = [("rows", f"{len(found.coordinates):,}"), ("columns used", f"{len(found.used):,}")]
    if found.method == "pca":
        facts.append(("share of the variance", f"{100 * found.share[: len(found.names)].sum():.1f} %"))
    facts.append(("stress", f"{found.stress:.3f}"))
    if np.isfinite(found.trustworthiness):
        facts.append(("trustworthiness", f"{found.trustworthiness:.3f}"))
    if "p_value" in found.fit and np.isfinite(found.fit["p_value"]):
        facts.append((f"p value of {len(found.names)} factors", f"{found.fit['p_value']:.3g}"))
    return [*facts, ("time", names.duration(found.seconds))]


def _points(found):
    Y = found.coordinates
    return Y[:, :2] if Y.shape[1] > 1 else np.column_stack([Y, np.zeros(len(Y))])


def _groups(found):
    """Colour classes of the rows and their names; a number with many values is cut into quarters."""
    if found.groups is None:
        return np.zeros(len(found.coordinates), dtype=int), []
    values = found.groups
    seen = np.array([value is not None and value == value for value in values])
    distinct = sorted({str(value) for value in values[seen]})
    numeric = all(isinstance(value, (int, float, np.number)) and not isinstance(value, bool) for value in values[seen])
    if numeric and len(distinct) > N_COLOURS and seen.any():
        numbers = np.where(seen, values, np.nan).astype(float)
        cuts = np.unique(np.nanquantile(numbers, [0.25, 0.5, 0.75]))
        code = np.searchsorted(cuts, numbers, side="right")
        edges = [names.plain(float(c)) for c in cuts]
        words = [f"below {edges[0]}", *(f"{a} to {b}" for a, b in itertools.pairwise(edges)), f"{edges[-1]} and more"]
        return np.where(seen, code, -1), words
    counts = {name: 0 for name in distinct}
    for value in values[seen]:
        counts[str(value)] += 1
    kept = sorted(counts, key=lambda name: (-counts[name], name))
    most = kept if len(kept) <= N_COLOURS else [*kept[: N_COLOURS - 1], "other"]
    place = {name: min(k, len(most) - 1) for k, name in enumerate(kept)}
    return np.array([place[str(v)] if ok else -1 for v, ok in zip(values, seen)]), most


def _dots(plot, points, code, words, rng):
    if len(points) > MAX_DOTS:
        rows = rng.choice(len(points), MAX_DOTS, replace=False)
        points, code = points[rows], code[rows]
    if not words:
        plot.dots(points[:, 0], points[:, 1], "s1", size=4)
        return
    for k, name in enumerate(words):
        here = points[code == k]
        plot.dots(here[:, 0], here[:, 1], f"s{k % N_COLOURS + 1}", size=4, title=str(name))
        plot.key(shorten(name, KEY_LETTERS), f"s{k % N_COLOURS + 1}", "dot")


def _pictures(found):
    points, (code, words) = _points(found), _groups(found)
    rng = np.random.default_rng(0)
    first, second = found.names[0], found.names[1] if len(found.names) > 1 else ""
    rows = len(key_rows([shorten(word, KEY_LETTERS) for word in words], KEY_ROOM))
    plot = Plot(
        extent(points[:, 0]), extent(points[:, 1]), width=420, height=360, x_label=first, y_label=second, grid="",
        top=16 + KEY_ROW * (rows - 1) if words else 0,
    )  # fmt: skip
    _dots(plot, points, code, words, rng)
    colour = f" The colours are the values of {found.colour}, which was not used." if words else ""
    pictures = [
        {
            "name": "The rows",
            "svg": Markup(plot.svg("Rows in the plane of the first two coordinates", found.verdict)),
            "caption": f"coordinates.csv has the coordinates of every row.{colour}",
        }
    ]
    if found.loadings is not None and len(found.names) > 1:
        pictures.append(
            {"name": "Biplot", "svg": Markup(_biplot(found, points, rng)), "caption": _biplot_words(found, points)}
        )
    return pictures


def _biplot_parts(found, points):
    """Rows in standard deviations, so that both directions have the same unit, and the arrows with their lengths."""
    arrows = found.loadings[:, :2]
    deviation = points.std(axis=0)
    points = points / np.where(deviation > 0, deviation, 1.0)
    if found.method == "pca":
        arrows = arrows * deviation
    return points, arrows, np.hypot(arrows[:, 0], arrows[:, 1])


def _biplot(found, points, rng):
    """Rows as dots and columns as arrows."""
    points, arrows, length = _biplot_parts(found, points)
    inside, reach = _bulk(points)
    factor = 0.9 * reach / max(float(length.max(initial=0.0)), 1e-300)
    limit = 1.3 * reach  # room for the names
    least = -0.05 * limit if min(points.min(initial=0.0), arrows.min(initial=0.0)) >= 0 else -limit
    plot = Plot(
        (least, limit), (least, limit), width=420, height=360, x_label=found.names[0], y_label=found.names[1], grid=""
    )
    _dots(plot, points[inside], np.zeros(int(inside.sum()), dtype=int), [], rng)
    shown = _long_arrows(length)
    for j in shown:
        x, y = factor * arrows[j]
        plot.line([0.0, x], [0.0, y], "s2", title=f"{found.design_names[j]}")
        plot.dot(x, y, "s2", size=4, title=f"{found.design_names[j]}")
    _name_arrows(plot, factor * arrows[shown], [shorten(found.design_names[j], 18) for j in shown])
    return plot.svg("Rows as dots, columns as arrows", "Biplot")


def _bulk(points):
    """Which rows the biplot shows, and how far it reaches. A few far rows would shrink the others to a dot."""
    size = np.abs(points).max(axis=1, initial=0.0)
    reach = min(float(size.max(initial=0.0)), 3.0 * float(np.quantile(size, 0.75))) if len(size) else 0.0
    reach = reach or float(size.max(initial=0.0)) or 1.0
    return size <= 1.3 * reach, reach


def _long_arrows(length):
    order = np.argsort(-length, kind="stable")[:MAX_ARROWS]
    return order[length[order] >= SHORTEST_ARROW * length.max(initial=0.0)]


def _name_arrows(plot, tips, labels):
    """Names at the tips of the arrows, moved so that none leaves the figure or covers another of its side."""
    for side in (tips[:, 0] >= 0, tips[:, 0] < 0):
        lowest = -np.inf
        for k in sorted(np.flatnonzero(side), key=lambda k: -tips[k, 1]):
            right, width = tips[k, 0] >= 0, text_width(labels[k])
            px, py = float(plot.x(tips[k, 0])) + (4 if right else -4), float(plot.y(tips[k, 1])) + 4
            px = min(px, plot.right - width) if right else max(px, plot.left + width)
            lowest = max(py, lowest + LINE)
            plot.label(px, lowest, labels[k], anchor="start" if right else "end")


def _biplot_words(found, points):
    points, _, length = _biplot_parts(found, points)
    shown, outside = len(_long_arrows(length)), int(np.sum(~_bulk(points)[0]))
    words = "Columns whose arrows point in the same direction rise together"
    words += "; a right angle means that they are unrelated in this plane." if found.method == "pca" else "."
    if shown < len(length):
        one = "The longest arrow" if shown == 1 else f"The {shown} longest arrows"
        words += f" {one} of {len(length):,} {'is' if shown == 1 else 'are'} shown."
    words += " Rows are in standard deviations."
    if outside:
        words += f" {outside:,} {'row lies' if outside == 1 else 'rows lie'} outside of this figure."
    return words


def _scree(found):
    at = np.arange(len(found.share))
    top = float(max(found.share.max(initial=0.0), found.stick.max(initial=0.0), found.parallel.max(initial=0.0)))
    plot = Plot(
        [str(k + 1) for k in at], (0.0, 1.05 * top), width=520, height=260, x_label="principal component",
        y_label="share of the variance", top=16,
    )  # fmt: skip
    plot.whiskers(np.zeros(len(at)), found.share, at, "s1")
    plot.line(at, found.share, "s1")
    plot.dots(at, found.share, "s1 solid", size=5)
    plot.line(at, found.stick, "s5", dash="4 3")
    plot.line(at, found.parallel, "s2", dash="2 2")
    plot.key("observed", "s1", "line")
    plot.key("broken stick", "s5", "line")
    plot.key("permuted, 95 %", "s2", "line")
    return plot.svg("Scree plot", f"{found.suggested} components above the permuted columns")


def _shares(found):
    total = np.cumsum(found.share)
    return [
        {
            "k": k + 1,
            "share": f"{100 * found.share[k]:.1f} %",
            "total": f"{100 * total[k]:.1f} %",
            "stick": f"{100 * found.stick[k]:.1f} %",
            "parallel": f"{100 * found.parallel[k]:.1f} %",
            "above": k < found.suggested,
        }
        for k in range(min(len(found.share), 12))
    ]


def _loadings(found):
    if found.loadings is None:
        return []
    largest = float(np.abs(found.loadings).max(initial=0.0)) or 1.0
    order = np.argsort(-np.abs(found.loadings).max(axis=1), kind="stable")[:MAX_COLUMNS]
    return [
        {
            "name": found.design_names[j],
            "cells": [
                {"text": f"{value:.3f}", "v": f"{abs(value) / largest:.2f}", "up": bool(value > 0)}
                for value in found.loadings[j]
            ],
        }
        for j in order
    ]


def _loading_words(found):
    return {
        "pca": "Weight of each column in a component; the squares in a component add up to 1.",
        "factors": "Loading of each column on a factor, in standard deviations.",
        "ica": "How strongly a source shows in each column: the mixing matrix.",
        "nmf": "How much one unit of a factor adds to each column, where columns run from 0 to 1.",
    }.get(found.method, "")
