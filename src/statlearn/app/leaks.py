"""Columns that know the target too well."""

import numpy as np

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
    for name in frame.columns[:MAX_COLUMNS]:
        series = frame[name]
        gone = frames.missing(series)
        if gone.mean() > 0.5 or len(truth) - gone.sum() < 20:
            continue
        target = truth[~gone]
        if len(np.unique(target[:1000])) < 2:
            continue
        if frames.is_text(series.dtype):
            hit = _text(frames.strings(series)[~gone], target, classes)
        else:
            hit = _number(frames.numbers(series)[~gone], target, classes)
        if hit is not None:
            found.append((hit[0], f"{name!r}: {hit[1]}"))
    return found


def _number(x, target, classes):
    if not np.all(np.isfinite(x)) or np.ptp(x) == 0:
        return None
    if classes is None:
        return _number_for_value(x, target)
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


def _number_for_value(x, target):
    linear = abs(np.corrcoef(x, target)[0, 1])
    if linear >= DISGUISE:
        return "TARGET-IN-DISGUISE", "it is the target up to scale and shift."
    if len(np.unique(x)) > 20:
        ranks = abs(np.corrcoef(_ranks(x), _ranks(target))[0, 1])
        if ranks >= DISGUISE:
            return "TARGET-IN-DISGUISE", "it puts the rows in exactly the order of the target."
    explained = max(linear**2, _binned_r2(x, target))
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
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place]


def _binned_r2(x, target, bins=50):
    """Share of the variance of the target between quantile bins of x, corrected for the number of bins."""
    if len(x) < 10 * bins:
        return 0.0
    place = np.searchsorted(np.unique(np.quantile(x, np.linspace(0, 1, bins + 1)[1:-1])), x)
    counts = np.bincount(place)
    sums = np.bincount(place, target)
    filled = counts > 0
    means = np.zeros(len(counts))
    means[filled] = sums[filled] / counts[filled]
    inside = np.sum((target - means[place]) ** 2) / (len(x) - filled.sum())
    total = np.var(target, ddof=1)
    return 1 - inside / total if total > 0 else 0.0
