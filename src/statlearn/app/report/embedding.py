"""The page of ``statlearn embed``: coordinates, scree plot, loadings, biplot, and how far they can be trusted."""

import itertools
import json

import numpy as np
from markupsafe import Markup

from .. import _names as names
from .figures import extent
from .files import to_plain
from .html import render
from .svg import Plot, shorten, text_width

MAX_DOTS = 3000
MAX_ARROWS = 15
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
        plot.key(shorten(name, 14), f"s{k % N_COLOURS + 1}", "dot")


def _pictures(found):
    points, (code, words) = _points(found), _groups(found)
    rng = np.random.default_rng(0)
    first, second = found.names[0], found.names[1] if len(found.names) > 1 else ""
    plot = Plot(
        extent(points[:, 0]), extent(points[:, 1]), width=420, height=360, x_label=first, y_label=second, grid="",
        top=16 if words else 0,
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
        pictures.append({"name": "Biplot", "svg": Markup(_biplot(found, points, rng)), "caption": _biplot_words(found)})
    return pictures


def _biplot(found, points, rng):
    """Rows as dots and columns as arrows."""
    arrows = found.loadings[:, :2]
    length = np.hypot(arrows[:, 0], arrows[:, 1])
    # Rows in standard deviations, so that both directions have the same unit.
    deviation = points.std(axis=0)
    points = points / np.where(deviation > 0, deviation, 1.0)
    if found.method == "pca":
        arrows = arrows * deviation
        length = np.hypot(arrows[:, 0], arrows[:, 1])
    reach = float(np.quantile(np.abs(points), 0.99)) if len(points) else 1.0
    factor = 0.9 * reach / max(float(length.max(initial=0.0)), 1e-300)
    limit = max(float(np.abs(points).max(initial=1.0)), reach) * 1.3  # room for the names
    plot = Plot(
        (-limit, limit), (-limit, limit), width=420, height=360, x_label=found.names[0], y_label=found.names[1], grid=""
    )
    _dots(plot, points, np.zeros(len(points), dtype=int), [], rng)
    shown = np.argsort(-length, kind="stable")[:MAX_ARROWS]
    for j in shown:
        x, y = factor * arrows[j]
        plot.line([0.0, x], [0.0, y], "s2", title=f"{found.design_names[j]}")
        plot.dot(x, y, "s2", size=4, title=f"{found.design_names[j]}")
    _name_arrows(plot, factor * arrows[shown], [shorten(found.design_names[j], 18) for j in shown])
    return plot.svg("Rows as dots, columns as arrows", "Biplot")


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


def _biplot_words(found):
    shown = min(MAX_ARROWS, len(found.loadings))
    words = "Columns whose arrows point in the same direction rise together"
    words += "; a right angle means that they are unrelated in this plane." if found.method == "pca" else "."
    if shown < len(found.loadings):
        words += f" The {shown} longest arrows of {len(found.loadings):,} are shown."
    return words + " Rows are in standard deviations."


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
            "above": bool(found.share[k] > found.parallel[k]),
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
