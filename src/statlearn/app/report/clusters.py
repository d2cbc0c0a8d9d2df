"""The page of ``statlearn cluster``: how many clusters, what they are, and how sure that is."""

import json

import numpy as np
from markupsafe import Markup

from statlearn.cluster import CHOOSE_K_INDICES as INDICES
from statlearn.cluster import CHOOSE_K_RULES as RULES

from .. import names as names
from .figures import extent
from .files import to_plain
from .html import render
from .svg import Plot

MAX_DOTS = 3000
MAX_BARS = 400
MAX_COLUMNS = 40
N_COLOURS = 7


def clusters_html(found):
    """One HTML page for a `Clustering`."""
    return render(
        "clusters.html.j2",
        title=f"Clusters of {found.source}",
        source=found.source,
        method=found.settings["method"],
        verdict=found.verdict,
        n_clusters=found.n_clusters,
        facts=_facts(found),
        indices=[_index_figure(found, name) for name in INDICES if name in found.choice.table],
        validity=_validity(found),
        pictures=_pictures(found),
        sizes=_sizes(found),
        columns=_columns(found),
        more_columns=max(0, len(found.columns) - MAX_COLUMNS),
        truth=_truth(found),
        findings=[{"title": a, "detail": b, "advice": c} for a, b, c in found.findings],
        notes=found.notes,
        dropped=[{"name": name, "why": why} for name, why in found.dropped.items()],
        settings=[(name.replace("_", " "), names.setting(value)) for name, value in found.settings.items()],
    )


def clusters_json(found):
    """Every number of the page, for programs."""
    content = {
        "format": "statlearn clusters 1",
        "source": found.source,
        "rows": found.n_rows,
        "verdict": found.verdict,
        "n_clusters": found.n_clusters,
        "sizes": found.sizes,
        "choices": found.choice.choices,
        "validity": {"k": found.choice.k, **found.choice.table},
        "silhouette": {
            "mean": found.silhouettes.mean() if found.n_clusters > 1 else None,
            "by_cluster": _by_cluster(found),
        },
        "stability": None if found.stability is None else found.stability.jaccard,
        "columns": found.columns,
        "truth": found.truth,
        "findings": [{"title": a, "detail": b, "advice": c} for a, b, c in found.findings],
        "used": found.used,
        "dropped": found.dropped,
        "notes": found.notes,
        "settings": found.settings,
        "seconds": found.seconds,
    }
    return json.dumps(to_plain(content), indent=1, ensure_ascii=False, allow_nan=False)


def _facts(found):
    facts = [("rows", f"{len(found.labels):,}"), ("columns used", f"{len(found.used):,}")]
    if found.n_clusters > 1:
        facts.append(("mean silhouette", f"{found.silhouettes.mean():.3f}"))
    if found.stability is not None:
        facts.append(("bootstrap stability", f"{found.stability.score:.3f}"))
    if found.truth:
        facts.append((f"adjusted Rand index with {found.truth['column']}", f"{found.truth['adjusted_rand']:.3f}"))
    return [*facts, ("time", names.duration(found.seconds))]


def _index_figure(found, name):
    """One index against the number of clusters."""
    choice = found.choice
    values, errors = choice.table[name], choice.table.get(f"{name}_error")
    seen = np.isfinite(values)
    spread = np.zeros(len(values)) if errors is None else np.nan_to_num(errors)
    low, high = extent((values - spread)[seen], (values + spread)[seen], pad=0.08) if seen.any() else (0.0, 1.0)
    ks = np.arange(len(choice.k))  # slots, so that the axis shows whole numbers
    plot = Plot([str(k) for k in choice.k], (low, high), width=300, height=180, x_label="clusters", grid="y")
    plot.rule(x=float(np.flatnonzero(choice.k == found.n_clusters)[0]))
    if errors is not None:
        plot.whiskers((values - spread)[seen], (values + spread)[seen], ks[seen], "s1")
    plot.line(ks[seen], values[seen], "s1")
    plot.dots(ks[seen], values[seen], "s1 solid", size=5)
    chosen = choice.choices.get(name)
    if chosen is not None:
        at = int(np.flatnonzero(choice.k == chosen)[0])
        if seen[at]:
            plot.dot(ks[at], values[at], "s3", size=10, title=f"{chosen} clusters: {names.plain(values[at])}")
    words = f"Choice: {chosen}" if chosen is not None else "No choice"
    return {
        "name": INDICES[name],
        "caption": f"{words}, {RULES[name]}." if chosen is not None else words + ".",
        "svg": Markup(plot.svg(INDICES[name], words)),
    }


def _validity(found):
    """The table of indices: headings, and one row per number of clusters."""
    shown = [name for name in INDICES if name in found.choice.table]
    rows = []
    for j, k in enumerate(found.choice.k):
        cells = []
        for name in shown:
            value = found.choice.table[name][j]
            cells.append({
                "text": "–" if not np.isfinite(value) else names.plain(float(value)),
                "chosen": found.choice.choices.get(name) == k,
            })  # fmt: skip
        rows.append({"k": int(k), "cells": cells, "best": int(k) == found.n_clusters})
    return {"headings": [INDICES[name] for name in shown], "rows": rows}


def _pictures(found):
    if found.n_clusters < 2:
        return [{"name": "The rows", "svg": Markup(_map(found)), "caption": _map_caption(found)}]
    return [
        {"name": "The rows", "svg": Markup(_map(found)), "caption": _map_caption(found)},
        {
            "name": "Silhouettes",
            "svg": Markup(_silhouettes(found)),
            "caption": "One bar per row, by cluster. Near 1 a row is far from every other cluster, near 0 it is on a "
            "border, and below 0 another cluster is closer. The dashed line is the mean.",
        },
    ]


def _colour(cluster):
    return f"s{(cluster - 1) % N_COLOURS + 1}"


def _axes(found):
    """The judged rows along their two principal axes, and the share of the variance that these show."""
    centred = found.design - found.design.mean(axis=0)
    _, lengths, axes = np.linalg.svd(centred, full_matrices=False)
    total = (lengths**2).sum() or 1.0
    points = centred @ axes[:2].T
    if points.shape[1] < 2:
        points = np.column_stack([points, np.zeros(len(points))])
    return points, float((lengths[:2] ** 2).sum() / total)


def _map(found):
    points, _ = _axes(found)
    labels = found.labels[found.judged]
    if len(points) > MAX_DOTS:
        rows = np.random.default_rng(0).choice(len(points), MAX_DOTS, replace=False)
        points, labels = points[rows], labels[rows]
    plot = Plot(
        extent(points[:, 0]), extent(points[:, 1]), width=420, height=340, x_label="first principal component",
        y_label="second principal component", grid="", top=16,
    )  # fmt: skip
    for cluster in range(1, found.n_clusters + 1):
        here = points[labels == cluster]
        plot.dots(here[:, 0], here[:, 1], _colour(cluster), size=4.5, title=f"cluster {cluster}")
        if cluster <= N_COLOURS and found.n_clusters > 1:
            plot.key(str(cluster), _colour(cluster), "dot")
    return plot.svg("Rows along the first two principal components", f"{found.n_clusters} clusters")


def _map_caption(found):
    share = _axes(found)[1]
    words = f"The two axes show {100 * share:.0f} % of the variance of the prepared columns"
    return words + ("; clusters that overlap here may be separated in other directions." if share < 0.9 else ".")


def _silhouettes(found):
    labels, values = found.labels[found.judged], found.silhouettes
    bars = []
    for cluster in range(found.n_clusters, 0, -1):
        own = np.sort(values[labels == cluster])
        share = max(3, round(MAX_BARS * len(own) / len(values)))
        picked = own if len(own) <= share else own[np.linspace(0, len(own) - 1, share).round().astype(int)]
        bars.append((cluster, picked))
    gap = max(2, sum(len(b) for _, b in bars) // 60)
    top = sum(len(b) + gap for _, b in bars)
    plot = Plot(
        (min(-0.05, values.min()), 1.0), [], width=420, height=340, x_label="silhouette", grid="x",
    )  # fmt: skip
    scale = (plot.bottom - plot.top) / max(top, 1)
    at = plot.bottom
    zero = float(plot.x(0.0))
    for cluster, picked in bars:
        steps = "".join(f"H{float(plot.x(v)):.1f}V{at - scale * (j + 1):.2f}" for j, v in enumerate(picked))
        plot.body.append(f'<path class="bar {_colour(cluster)}" d="M{zero:.1f} {at:.2f}{steps}H{zero:.1f}z"/>')
        at -= scale * len(picked)
        plot.label(plot.right, at + scale * len(picked) / 2 + 4, str(cluster), css="name", anchor="end")
        at -= gap * scale
    plot.rule(x=float(values.mean()))
    return plot.svg("Silhouettes of the rows", f"mean {values.mean():.3f}")


def _by_cluster(found):
    labels = found.labels[found.judged]
    return [
        float(found.silhouettes[labels == c].mean()) if (labels == c).any() else None
        for c in range(1, found.n_clusters + 1)
    ]


def _sizes(found):
    silhouettes = _by_cluster(found)
    return [
        {
            "number": c + 1,
            "css": _colour(c + 1),
            "rows": f"{size:,}",
            "share": f"{100 * size / len(found.labels):.0f} %",
            "silhouette": "–" if found.n_clusters < 2 or silhouettes[c] is None else f"{silhouettes[c]:.2f}",
        }
        for c, size in enumerate(found.sizes)
    ]


def _columns(found):
    """What tells the clusters apart: one row per column, the most telling first."""
    rows = []
    for column in found.columns[:MAX_COLUMNS]:
        cells = []
        for cell in column["cells"]:
            value = cell["value"]
            text = "–" if value is None else value if isinstance(value, str) else names.plain(value)
            away = float(np.clip(cell["away"] / (2.0 if column["kind"] == "number" else 1.0), -1, 1))
            cells.append({"text": text, "v": f"{abs(away):.2f}", "up": away > 0})
        overall = column["overall"]
        rows.append({
            "name": column["name"],
            "share": f"{100 * column['share']:.0f} %",
            "cells": cells,
            "overall": overall if isinstance(overall, str) else names.plain(overall),
        })  # fmt: skip
    return rows


def _truth(found):
    if not found.truth:
        return None
    table = np.asarray(found.truth["table"])
    most = max(int(table.max(initial=0)), 1)
    return {
        "column": found.truth["column"],
        "adjusted_rand": f"{found.truth['adjusted_rand']:.3f}",
        "mutual_information": f"{found.truth['mutual_information']:.3f}",
        "rows": [
            {"name": name, "cells": [{"count": f"{count:,}", "v": f"{count / most:.2f}"} for count in line]}
            for name, line in zip(found.truth["classes"], table.tolist())
        ],
    }
