"""Columns that know the target too well."""

import numpy as np

from statlearn._core.frames import plain_columns
from statlearn.app import frames
from statlearn.app.scoring import area_under_curve

SAMPLE_ROWS = 20_000
DISGUISE = 1 - 1e-9  # rank or linear correlation of a column that is the target itself
LEAK_R2 = 0.98  # share of the variance that one column explains, by 50 bins; empirical like the next one
LEAK_AUC = 0.995
MAX_COLUMNS = 2000


def suspicious_columns(frame, truth, classes, seed=0):
    """Pairs of a code and a detail for columns that alone give the target away.

    Parameters
    ----------
    frame : narwhals frame
        Features of the training rows.
    truth : ndarray
        Values, or numbers of classes.
    classes : ndarray or None
    seed : int
        For the sample of rows.

    Returns
    -------
    list of (code, detail)
    """
    if len(truth) > SAMPLE_ROWS:
        rows = np.sort(np.random.default_rng(seed).choice(len(truth), SAMPLE_ROWS, replace=False))
        frame, truth = frames.take(frame, rows), truth[rows]
    found = []
    known = plain_columns(frame, frame.columns[:MAX_COLUMNS])
    ranks = None if classes is not None else _ranks(truth)
    for name in frame.columns[:MAX_COLUMNS]:
        gone = np.isnan(known[name]) if name in known else frames.missing(frame[name])
        if gone.mean() > 0.5 or len(truth) - gone.sum() < 20:
            continue
        here = ~gone if gone.any() else slice(None)
        target = truth[here]
        if np.all(target[:1000] == target[0]):
            continue
        if name not in known and frames.is_text(frame[name].dtype):
            hit = _text(frames.strings(frame[name])[here], target, classes)
        else:
            x = (known[name] if name in known else frames.numbers(frame[name]))[here]
            hit = _number(x, target, classes, ranks if ranks is None or not gone.any() else _ranks(target))
        if hit is not None:
            found.append((hit[0], f"{name!r}: {hit[1]}"))
    return found


def _number(x, target, classes, target_ranks):
    if not np.all(np.isfinite(x)) or np.ptp(x) == 0:
        return None
    if classes is None:
        return _number_for_value(x, target, target_ranks)
    if len(classes) == 2:
        auc = area_under_curve(target == 1, x)
        auc = max(auc, 1 - auc)
        if auc == 1 and len(np.unique(x)) == 2:
            return "TARGET-IN-DISGUISE", "its two values are the two classes."
        if auc >= LEAK_AUC:
            return "LEAK", f"alone it orders the classes with an area under the ROC curve of {auc:.4f}."
        return None
    if len(np.unique(x)) <= 2 * len(classes):
        return _text(x, target, classes)
    return None


def _number_for_value(x, target, target_ranks):
    linear = abs(np.corrcoef(x, target)[0, 1])
    if linear >= DISGUISE:
        return "TARGET-IN-DISGUISE", "it is the target up to scale and shift."
    order = np.argsort(x)
    ranks = _sorted_ranks(x[order])
    many = np.count_nonzero(np.diff(ranks)) >= 20
    if many and abs(np.corrcoef(ranks, target_ranks[order])[0, 1]) >= DISGUISE:
        return "TARGET-IN-DISGUISE", "it puts the rows in exactly the order of the target."
    explained = max(linear**2, _binned_r2(x[order], target[order]))
    if explained >= LEAK_R2:
        return "LEAK", f"alone it explains {explained:.1%} of the variance."
    return None


def _text(values, target, classes):
    levels, place, counts = np.unique(values.astype(str), return_inverse=True, return_counts=True)
    if len(levels) < 2 or len(levels) > 0.2 * len(values):
        return None  # a level per handful of rows determines anything
    if classes is None:
        means = np.bincount(place, target) / counts
        total = np.var(target)
        explained = 1 - np.mean((target - means[place]) ** 2) / total if total > 0 else 0.0
        return ("LEAK", f"its levels explain {explained:.1%} of the variance.") if explained >= LEAK_R2 else None
    table = np.zeros((len(levels), len(classes)))
    np.add.at(table, (place, target), 1)
    pure = table.max(axis=1).sum() / table.sum()
    if pure == 1:
        return "TARGET-IN-DISGUISE", "each of its levels occurs in one class only."
    base = table.sum(axis=0).max() / table.sum()
    if pure >= 0.995 and 1 - pure < 0.05 * (1 - base):
        return "LEAK", f"alone it tells the class in {pure:.1%} of the rows."
    return None


def _ranks(values):
    """Rank of each value, ties at their mean."""
    order = np.argsort(values)
    ranks = np.empty(len(values))
    ranks[order] = _sorted_ranks(values[order])
    return ranks


def _sorted_ranks(values):
    starts = np.flatnonzero(np.r_[True, values[1:] != values[:-1]])
    counts = np.diff(np.r_[starts, len(values)])
    return np.repeat(starts + (counts + 1) / 2, counts)


def _binned_r2(x, target, bins=50):
    """Share of the variance of the target between quantile bins of x (sorted), corrected for the number of bins."""
    n = len(x)
    if n < 10 * bins:
        return 0.0
    ends = np.searchsorted(x, x[(np.arange(1, bins) * (n - 1)) // bins], side="right")
    starts = np.unique(np.r_[0, ends[ends < n]])
    centred = target - target.mean()
    total = centred @ centred
    between = np.sum(np.add.reduceat(centred, starts) ** 2 / np.diff(np.r_[starts, n]))
    return 1 - (total - between) / (n - len(starts)) * (n - 1) / total if total > 0 else 0.0
