"""Description of clusters by column, agreement with known classes, and how far the clusters can be trusted."""

import narwhals as nw
import numpy as np

from statlearn.app.errors import UsageError
from statlearn.app.setting_names import count, option
from statlearn.app.tables import frames

MAX_DISTINCT = 0.5  # share of different texts up to which a column describes clusters; empirical


def describe_columns(frame, transformer, labels, k):
    """For each column, the share of its variation between the clusters and its typical value in each cluster."""
    described = []
    for name, kind in transformer.kinds_.items():
        if name in transformer.dropped_:
            continue
        series = frame[name] if kind != "date" else frames.dates(frame[name])
        if kind == "number" and series.dtype.is_numeric():
            described.append(_numbers(name, frames.numbers(series), labels, k))
        elif series.dtype in (nw.Date, nw.Datetime):
            described += _dates(name, series, labels, k)
        elif kind in ("binary", "category", "ordinal") or frames.is_text(series.dtype):
            values = frames.strings(series)
            if _repeats(values):
                described.append(_levels(name, values, labels, k))
    return sorted(described, key=lambda c: -c["share"])


def _repeats(values):
    """Whether levels occur more than once: texts that all differ are different in all clusters, and say nothing."""
    known = [v for v in values if v is not None]
    return len(set(known)) <= MAX_DISTINCT * len(known)


def _numbers(name, values, labels, k):
    """Means by cluster, and the share of the variance that lies between them (eta squared)."""
    seen = np.isfinite(values)
    values, labels = values[seen], labels[seen] - 1
    counts = np.bincount(labels, minlength=k)
    means = np.bincount(labels, weights=values, minlength=k) / np.maximum(counts, 1)
    total = ((values - values.mean()) ** 2).sum()
    between = (counts * (means - values.mean()) ** 2).sum()
    spread = values.std() or 1.0
    cells = [
        {"value": float(m) if c else None, "away": float((m - values.mean()) / spread) if c else 0.0}
        for m, c in zip(means, counts)
    ]
    share = float(between / total) if total > 0 else 0.0
    return {"name": name, "kind": "number", "share": share, "cells": cells, "overall": float(values.mean())}


def _dates(name, series, labels, k):
    """A date as such, and its month and weekday, which the design holds too."""
    day = _numbers(name, frames.numbers(series), labels, k)
    for cell in day["cells"]:
        cell["value"] = None if cell["value"] is None else _iso(cell["value"])
    day["overall"] = _iso(day["overall"])
    parts = {"month": series.dt.month(), "weekday": series.dt.weekday()}
    return [day, *(_numbers(f"{part} of {name}", frames.numbers(values), labels, k) for part, values in parts.items())]


def _iso(microseconds):
    return str(np.datetime64(round(microseconds), "us").astype("datetime64[D]"))


def _levels(name, values, labels, k):
    """The commonest level of each cluster with its share, and Cramer's V squared of level and cluster."""
    known = np.array([v is not None for v in values])
    levels, codes = np.unique(values[known].astype(str), return_inverse=True)
    table = np.zeros((k, len(levels)))
    np.add.at(table, (labels[known] - 1, codes), 1)
    total = table.sum()
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / max(total, 1)
    chi2 = ((table - expected) ** 2 / np.where(expected > 0, expected, 1)).sum()
    share = chi2 / (total * max(1, min(table.shape) - 1)) if total else 0.0
    cells = []
    overall = table.sum(axis=0) / max(total, 1)
    for row in table:
        top = int(row.argmax())
        part = row[top] / row.sum() if row.sum() else 0.0
        cells.append(
            {"value": f"{levels[top]} ({100 * part:.0f} %)" if row.sum() else None, "away": part - overall[top]}
        )
    common = int(overall.argmax())
    return {
        "name": name,
        "kind": "levels",
        "share": float(share),
        "cells": cells,
        "overall": f"{levels[common]} ({100 * overall[common]:.0f} %)",
    }


def agreement(known, labels):
    """How the clusters agree with a column that took no part."""
    from statlearn.cluster import adjusted_rand_score, normalized_mutual_info_score

    name, series = known
    values = frames.strings(series)
    seen = np.array([v is not None for v in values])
    classes, codes = np.unique(values[seen].astype(str), return_inverse=True)
    if len(classes) > 50:
        raise UsageError(
            f"{option('truth')}: {name!r} has {len(classes)} distinct values; use a column with at most 50"
        )
    table = np.zeros((len(classes), labels.max()), dtype=int)
    np.add.at(table, (codes, labels[seen] - 1), 1)
    return {
        "column": name,
        "classes": [str(c) for c in classes],
        "table": table,
        "adjusted_rand": float(adjusted_rand_score(codes, labels[seen])),
        "mutual_information": float(normalized_mutual_info_score(codes, labels[seen])),
    }


def findings(found, transformer):
    """What could make the clusters less real than they look: title, detail, advice."""
    said, choice = [], found.choice
    agree = sum(k == found.n_clusters for k in choice.choices.values())
    if found.asked is not None and found.asked != choice.n_clusters:
        said.append((
            "Another number of clusters is better supported",
            f"You requested {found.asked}; {choice.n_clusters} gets the most votes from the indices.",
            "Look at both, unless your question fixes the number.",
        ))  # fmt: skip
    if found.asked is None and agree <= len(choice.choices) // 2:
        votes = ", ".join(f"{name.replace('_', ' ')} {k}" for name, k in choice.choices.items())
        said.append(
            (
                "The indices disagree",
                f"Their choices are: {votes}.",
                "The data do not settle the number of clusters; look at several.",
            )
        )
    if found.n_clusters > 1 and choice.choices.get("gap") == 1 and choice.choices.get("prediction_strength") == 1:
        said.append((
            "There may be no clusters",
            "The gap statistic and the prediction strength, the only indices that can choose one cluster, both do.",
            "Treat the clusters as a convenient division, not as real groups.",
        ))  # fmt: skip
    if found.n_clusters > 1 and np.mean(found.silhouettes) < 0.25:
        said.append((
            "Clusters overlap",
            f"The mean silhouette is {np.mean(found.silhouettes):.2f}; below 0.25 there is hardly any structure.",
            "Do not rely on the labels of rows near a border; they may belong to the neighbouring cluster.",
        ))  # fmt: skip
    if found.stability is not None and found.stability.jaccard.min() < 0.6:
        said.append((
            "A cluster is not stable",
            f"When the rows are resampled, one cluster is recovered with a mean Jaccard similarity of only "
            f"{found.stability.jaccard.min():.2f}.",
            "Do not rely on this cluster; try fewer clusters.",
        ))  # fmt: skip
    kinds = set(found.used.values())
    if "category" in kinds and "number" in kinds:
        said.append((
            "Categories and numbers share one distance",
            "Each level is a 0/1 column next to the numeric columns"
            + (", which have variance 1." if found.settings["scale"] else "."),
            f"Leave categories out with {option('drop')} if they should not shape the clusters.",
        ))  # fmt: skip
    if not found.settings["scale"]:
        said.append((
            "Columns were not scaled",
            "Columns with large values dominate the distances.",
            "Scale the columns unless they all have the same unit.",
        ))  # fmt: skip
    if any(transformer.missing_[name] for name in found.used):
        said.append((
            "Missing values were filled",
            _filled(transformer, found.used),
            "Check rows with many missing values; they may be grouped by their gaps.",
        ))  # fmt: skip
    return said


def _filled(transformer, used):
    """How many missing values were filled, and with what, by kind of column."""
    own, common, middle, none = (
        "a separate level",
        "the most common level",
        "the median of their column",
        "empty texts",
    )
    fills = {"category": own, "binary": common, "text": none}
    counts = dict.fromkeys((middle, common, own, none), 0)
    for name, kind in used.items():
        counts[fills.get(kind, middle)] += transformer.missing_[name]
    marked = {middle: " (marked in a second column)", common: " (marked in a second column)"}
    parts = [f"{count(n, 'missing value')} became {fill}{marked.get(fill, '')}" for fill, n in counts.items() if n]
    return "; ".join(parts) + "."
