"""Columns that know the target too well."""

import re
from dataclasses import dataclass

import numpy as np

from statlearn._core.frames import plain_columns
from statlearn.app.compare.scoring import area_under_curve
from statlearn.app.honesty.wording import say
from statlearn.app.names import plus_minus, with_article
from statlearn.app.setting_names import listed
from statlearn.app.tables import frames

SAMPLE_ROWS = 20_000
DISGUISE = 1 - 1e-9  # rank or linear correlation of a column that is the target itself
ROUNDED = 0.99999  # correlation of a column that is the target up to rounding; empirical
LEAK_R2 = 0.98  # share of the variance that one column explains, by 50 bins; empirical like the next one
LEAK_AUC = 0.995
MAX_COLUMNS = 2000
MIN_INTERVAL_ROWS = 30  # with fewer, a strong predictor of few values may divide the target by chance
INTERVALS = "its {} values are consecutive intervals of the target."
COPY = 0.9  # share of the rows in which a near copy of a quantity is exact
SAME_CLASS = 0.97  # share of the rows in which a near copy of classes agrees
# A column that does so well alone is compared with all others together, on this many rows.
ALONE_R2, ALONE_AUC, ALONE_ROWS = 0.8, 0.95, 2000
ALONE_RATIO = 0.25  # its loss must be below this share of that of the others; empirical
DOUBT = say("LEAK-DOUBT")
_IN_TEXT = re.compile(r"[-+\u2212]?\d[\d,]*\.?\d*")


@dataclass
class Leak:
    """A column that gives the target away; severe if it is the target itself, or a copy of it with a few changes."""

    code: str
    column: str
    detail: str
    severe: bool = False


def suspicious_columns(frame, truth, classes, seed=0):
    """Pairs of a code and a detail for columns that alone give the target away; see :func:`find_leaks`."""
    return [(leak.code, f"{leak.column!r}: {leak.detail}") for leak in find_leaks(frame, truth, classes, seed)]


def find_leaks(frame, truth, classes, seed=0, *, alone=True):
    """Columns that alone give the target away.

    Parameters
    ----------
    frame : narwhals frame
        Features of the training rows.
    truth : ndarray
        Values, or numbers of classes.
    classes : ndarray or None
    seed : int
        For the sample of rows.
    alone : bool
        Whether to look for a column that does much better alone than all others together, too.

    Returns
    -------
    list of Leak
    """
    if len(truth) > SAMPLE_ROWS:
        rows = np.sort(np.random.default_rng(seed).choice(len(truth), SAMPLE_ROWS, replace=False))
        frame, truth = frames.take(frame, rows), truth[rows]
    found = []
    known = plain_columns(frame, frame.columns[:MAX_COLUMNS])
    ranks = None if classes is not None else _ranks(truth)
    for name in frame.columns[:MAX_COLUMNS]:
        gone = np.isnan(known[name]) if name in known else frames.missing(frame[name])
        if gone.any() and (hit := _gaps(gone, truth, classes)) is not None:
            found.append(Leak("TARGET-IN-DISGUISE", name, hit, severe=True))
            continue
        if gone.mean() > 0.5 or len(truth) - gone.sum() < 20:
            continue
        here = ~gone if gone.any() else slice(None)
        target = truth[here]
        if np.all(target[:1000] == target[0]):
            continue
        own_ranks = ranks if ranks is None or not gone.any() else _ranks(target)
        if name not in known and frames.is_text(frame[name].dtype):
            texts = frames.strings(frame[name])[here]
            hit = _text(texts, target, classes) or _inside_text(texts, target, classes, own_ranks)
        else:
            x = (known[name] if name in known else frames.numbers(frame[name]))[here]
            hit = _number(x, target, classes, own_ranks)
        if hit is not None:
            code, detail, *near = hit
            found.append(Leak(code, name, detail, code == "TARGET-IN-DISGUISE" or bool(near)))
    if alone and not found:
        found += _much_better_alone(frame, truth, classes, known, seed)
    return found


def _gaps(gone, truth, classes):
    """What the gaps of a column say of the target, if they give it away: filled in once the target was known."""
    counts = np.bincount(gone.astype(int), minlength=2)
    if len(truth) < MIN_INTERVAL_ROWS or counts.min() < 3:
        return None
    if classes is None:
        cut = _are_intervals(gone.astype(int), counts, truth)
        return "it is missing exactly where the target is below or above some value." if cut else None
    in_gaps, filled = (np.bincount(truth[rows], minlength=len(classes)) for rows in (gone, ~gone))
    wrong = np.minimum(in_gaps, filled).sum()
    rarest = min(counts.min(), (in_gaps + filled)[in_gaps + filled > 0].min())
    if wrong > (1 - SAME_CLASS) * len(truth) or wrong > 0.1 * rarest:
        return None
    which = listed(str(label) for label in classes[in_gaps > filled])
    if wrong == 0:
        return f"it is missing in all rows of class {which}, and in no others."
    return f"whether it is missing tells class {which} from the others in {_share(1 - wrong / len(truth))} of the rows."


def _number(x, target, classes, target_ranks):
    if not np.all(np.isfinite(x)) or np.ptp(x) == 0:
        return None
    if np.abs(x).max() > 1e100:  # squares of these would overflow
        x = x / np.abs(x).max()
    if classes is None:
        return _number_for_value(x, target, target_ranks)
    if len(np.unique(x)) > len(classes) and _are_intervals(target, np.bincount(target, minlength=len(classes)), x):
        return "TARGET-IN-DISGUISE", f"the {len(classes)} classes are consecutive intervals of its values."
    if len(classes) == 2:
        auc = area_under_curve(target == 1, x)
        auc = max(auc, 1 - auc)
        if auc < 1 and len(np.unique(x)) == 2:
            return _text(x, target, classes)
        if auc == 1 and len(np.unique(x)) == 2:
            return "TARGET-IN-DISGUISE", "its two values correspond exactly to the two classes."
        if auc >= LEAK_AUC:
            return "LEAK", f"on its own it separates the classes with an area under the ROC curve of {auc:.4f}."
        return None
    if len(np.unique(x)) <= 2 * len(classes):
        return _text(x, target, classes)
    return None


def _number_for_value(x, target, target_ranks):
    linear = abs(np.corrcoef(x, target)[0, 1])
    if linear >= DISGUISE:
        return "TARGET-IN-DISGUISE", "it is a linear function of the target."
    if linear >= ROUNDED:
        return (
            "TARGET-IN-DISGUISE",
            f"up to rounding it is a linear function of the target (correlation {_cut(linear)}).",
        )
    share = _exact_share(x, target)
    if share >= COPY:
        return "TARGET-IN-DISGUISE", f"in {share:.1%} of the rows it is the same linear function of the target."
    order = np.argsort(x)
    ranks = _sorted_ranks(x[order])
    many = np.count_nonzero(np.diff(ranks)) >= 20
    if many and abs(np.corrcoef(ranks, target_ranks[order])[0, 1]) >= DISGUISE:
        return "TARGET-IN-DISGUISE", "it sorts the rows in exactly the order of the target."
    levels, place, counts = np.unique(x, return_inverse=True, return_counts=True)
    if _are_intervals(place, counts, target):
        return "TARGET-IN-DISGUISE", INTERVALS.format(len(levels))
    explained = max(linear**2, _binned_r2(x[order], target[order]))
    if explained >= LEAK_R2:
        return "LEAK", f"on its own it explains {_share(explained)} of the variance of the target."
    return None


def _cut(value, digits=6):
    """A number just below 1 that is not rounded up to it."""
    return f"{np.floor(value * 10**digits) / 10**digits:.{digits}f}".rstrip("0")


def _share(value):
    """A percentage that is not rounded up to all."""
    return f"{value:.1%}" if value < 0.9995 else "more than 99.9%"


def _text(values, target, classes):
    levels, place, counts = np.unique(values.astype(str), return_inverse=True, return_counts=True)
    if len(levels) < 2 or len(levels) > 0.2 * len(values):
        return None  # a level per handful of rows determines anything
    if classes is None:
        if _are_intervals(place, counts, target):
            return "TARGET-IN-DISGUISE", INTERVALS.format(len(levels))
        means = np.bincount(place, target) / counts
        total = np.var(target)
        explained = 1 - np.mean((target - means[place]) ** 2) / total if total > 0 else 0.0
        if explained < LEAK_R2 or not _in_order(place, target):
            return None
        return "LEAK", f"its levels explain {_share(explained)} of the target's variance."
    table = np.zeros((len(levels), len(classes)))
    np.add.at(table, (place, target), 1)
    pure = table.max(axis=1).sum() / table.sum()
    if pure == 1:
        return "TARGET-IN-DISGUISE", "each of its levels occurs in only one class."
    base = table.sum(axis=0).max() / table.sum()
    one_to_one = len(levels) == len(classes) == len(set(table.argmax(axis=1)))
    if one_to_one and pure >= SAME_CLASS and 1 - pure < 0.2 * (1 - base):
        return "LEAK", f"in {_share(pure)} of the rows its level matches the class.", "near copy"
    if pure >= 0.995 and 1 - pure < 0.05 * (1 - base):
        return "LEAK", f"on its own it determines the class in {_share(pure)} of the rows."
    return None


def _are_intervals(place, counts, target):
    """Whether the levels of a column divide the target into intervals that meet, with several rows in each.

    Intervals that lie apart may be groups of rows that differ in the target, and no cuts of it.
    """
    if len(target) < MIN_INTERVAL_ROWS or not 2 <= len(counts) <= 0.2 * len(target) or counts.min() < 3:
        return False
    order = np.lexsort((place, target))
    ends = np.flatnonzero(np.diff(place[order]))
    steps = np.diff(target[order])
    return len(ends) == len(counts) - 1 and bool(np.median(steps[ends]) <= np.quantile(steps[steps > 0], 0.9))


def _in_order(place, target):
    """Whether the levels of a column follow each other as the target rises, as its own classes would."""
    order = place[np.argsort(target, kind="stable")]
    return np.count_nonzero(order[1:] != order[:-1]) <= 2 * (place.max() + 1)


def repeated_units(frame, truth):
    """Columns of text with levels in which a quantity hardly varies, and the share of its variance between them.

    They are the same states, machines or persons measured again, unless the levels are classes of the target: then they
    are a leak.
    """
    found = {}
    for name in frame.columns[:MAX_COLUMNS]:
        if not frames.is_text(frame[name].dtype):
            continue
        here = ~frames.missing(frame[name])
        target = truth[here]
        if len(target) < 20 or np.ptp(target) == 0:
            continue
        levels, place, counts = np.unique(frames.strings(frame[name])[here], return_inverse=True, return_counts=True)
        if not 2 < len(levels) <= 0.5 * len(target):
            continue
        means = np.bincount(place, target) / counts
        between = 1 - np.mean((target - means[place]) ** 2) / np.var(target)
        if between >= LEAK_R2 and not _in_order(place, target):
            found[name] = _share(between)
    return found


def _exact_share(x, target):
    """Share of the rows in which x is the target up to the scale and shift that most rows agree on."""
    rng = np.random.default_rng(0)
    i, j = rng.integers(0, len(x), size=(2, 500))
    apart = target[i] != target[j]
    if apart.sum() < 20:
        return 0.0
    slope = np.median((x[i] - x[j])[apart] / (target[i] - target[j])[apart])
    if slope == 0 or not np.isfinite(slope):
        return 0.0
    rest = x - slope * target
    near = np.abs(rest - np.median(rest)) <= 1e-3 * max(_spread(x), abs(slope) * _spread(target))
    # Rows that share the most frequent values of the target agree with a constant as well: they say nothing.
    _, place, counts = np.unique(target, return_inverse=True, return_counts=True)
    return float(near.mean()) if counts.max() < 0.5 * len(target) else float(near[place != counts.argmax()].mean())


def _spread(values):
    """Half the distance between the 16 % and 84 % quantiles, on which a few wild values have no influence."""
    low, high = np.quantile(values, [0.16, 0.84])
    return (high - low) / 2


def _inside_text(texts, target, classes, target_ranks):
    """Numbers or names of classes inside of longer text: "257 USD", "case 12: malignant"."""
    if classes is None:
        numbers = [_IN_TEXT.findall(text) for text in texts[:SAMPLE_ROWS]]
        single = np.array([len(each) == 1 for each in numbers])
        if single.mean() < COPY:
            return None
        values = [each[0].replace(",", "").replace("\u2212", "-") if len(each) == 1 else "nan" for each in numbers]
        x = np.array(values, dtype=np.float64)
        known = np.isfinite(x)
        if np.ptp(x[known]) == 0:
            return None
        hit = _number_for_value(x[known], target[known], _ranks(target[known]) if not known.all() else target_ranks)
        return None if hit is None else (hit[0], f"for the number in its text, {hit[1]}")
    words = [str(label).casefold() for label in classes]
    if len(words) > 20 or min(map(len, words)) < 3:
        return None
    inside = np.array([[word in text.casefold() for word in words] for text in texts])
    right = inside[np.arange(len(target)), target] & (inside.sum(axis=1) == 1)
    if right.mean() >= SAME_CLASS:
        return "TARGET-IN-DISGUISE", f"its text contains the name of the class in {right.mean():.1%} of the rows."
    return None


def _much_better_alone(frame, truth, classes, known, seed):
    """The column, if there is one, that does much better alone than all others together: perhaps it came after."""
    if len(truth) < 200 or len(frame.columns) < 4 or (classes is not None and len(classes) != 2):
        return []
    scores = {name: _alone(known[name], truth, classes) for name in known}
    best = max(scores, key=scores.get, default=None)
    if best is None or scores[best] < (ALONE_R2 if classes is None else ALONE_AUC):
        return []
    rows = np.random.default_rng(seed).permutation(len(truth))[:ALONE_ROWS]
    cut = len(rows) // 2
    one, others = (_scored(frame.select(c), truth, classes, rows[:cut], rows[cut:], seed) for c in (
        [best], [name for name in frame.columns if name != best]))  # fmt: skip
    if one is None or others is None or 1 - one >= ALONE_RATIO * (1 - others):
        return []
    word = "an R²" if classes is None else "an area under the ROC curve"
    detail = (
        f"on its own it reaches {word} of {one:.2f} on new rows; the other {len(frame.columns) - 1} columns together "
        f"reach {others:.2f}. Is it known before the target?"
    )
    almost = one >= (LEAK_R2 if classes is None else LEAK_AUC)
    return [Leak("LEAK" if almost else "STRONG-COLUMN", best, detail)]


def _alone(x, truth, classes):
    here = np.isfinite(x)
    if here.mean() < 0.5 or np.ptp(x[here]) == 0:
        return 0.0
    if classes is not None:
        auc = area_under_curve(truth[here] == 1, x[here])
        return max(auc, 1 - auc)
    order = np.argsort(x[here])
    return max(_binned_r2(x[here][order], truth[here][order], bins=20), np.corrcoef(x[here], truth[here])[0, 1] ** 2)


def _scored(frame, truth, classes, train, test, seed):
    """R² or area under the curve of a small forest on new rows, or None if the columns cannot be used."""
    from statlearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from statlearn.prep import TableTransformer

    make = RandomForestRegressor if classes is None else RandomForestClassifier
    try:
        transformer = TableTransformer().fit(frames.take(frame, train).to_native())
        design, fresh = (transformer.transform(frames.take(frame, rows).to_native()) for rows in (train, test))
    except ValueError:
        return None
    forest = make(n_estimators=50, min_samples_leaf=5, random_state=seed).fit(design, truth[train])
    if classes is not None:
        return area_under_curve(truth[test] == 1, forest.predict_proba(fresh)[:, -1])
    return 1 - np.mean((truth[test] - forest.predict(fresh)) ** 2) / np.var(truth[test])


def determining_columns(frame, truth, kinds, most=4):
    """Up to `most` numeric columns whose linear combination is nearly the target; empty if there are none.

    They are found one after the other, each the one that explains most of what is left; those that the later ones make
    superfluous are left out again.
    """
    known = plain_columns(frame, [name for name in frame.columns[:MAX_COLUMNS] if kinds.get(name) == "number"])
    columns = {n: x - x.mean() for n, x in known.items() if np.all(np.isfinite(x)) and np.ptp(x) > 0}
    centred = truth - truth.mean()

    def rest(names):
        design = np.column_stack([columns[name] for name in names])
        return centred - design @ np.linalg.lstsq(design, centred, rcond=None)[0]

    def is_enough(names):
        return bool(names) and np.sum(rest(names) ** 2) <= 0.002 * (centred @ centred)

    chosen, left = [], centred
    while not is_enough(chosen):
        waiting = [name for name in columns if name not in chosen]
        if not waiting or len(chosen) == most or len(truth) < 10 * (len(chosen) + 1):
            return []
        strength = {name: abs(columns[name] @ left) / np.linalg.norm(columns[name]) for name in waiting}
        chosen.append(max(strength, key=strength.get))
        left = rest(chosen)
    for name in chosen[:]:
        if is_enough(fewer := [other for other in chosen if other != name]):
            chosen = fewer
    return chosen


def repeated_columns(frame):
    """Pairs of a column and an earlier one that says the same: equal cells, or a linear function of it.

    Columns with gaps are compared by their cells only.
    """
    few = frame[:SAMPLE_ROWS]
    first, found = {}, []
    for name in frame.columns[:MAX_COLUMNS]:
        key = _fingerprint(few[name])
        if key not in first:
            first[key] = name
        elif len(few) == len(frame) or _fingerprint(frame[name]) == _fingerprint(frame[first[key]]):
            found.append((name, first[key]))
    return found


def _fingerprint(series):
    """The same for columns with the same cells, and for numbers that differ in scale and shift only."""
    if frames.is_text(series.dtype):
        return hash(tuple(frames.strings(series)))
    x = frames.numbers(series)
    if np.all(np.isfinite(x)) and np.ptp(x) > 0:
        x = (x - x.mean()) / x.std()
        x = np.round(x * np.sign(x[np.argmax(np.abs(x) > 1e-6)]), 6) + 0.0  # no -0
    return hash(x.tobytes())


# ---- scores with the leaks ------------------------------------------------------------------------------------------


def verdict_with_leaks(verdict, found, metric):
    """The verdict between what was left out, because it is the target, and the score with it."""
    names = found["columns"]
    start = say("LEAK-LEFT-OUT", columns=listed(names))
    if "error" in found:
        return f"{start} {verdict}"
    number = plus_minus(found["mean"], found["std_error"])
    words = {"columns": listed(names), "model": found["label"], "metric": with_article(metric), "number": number}
    return f"{start} {verdict} {say('WITH-LEAK', **words)}"


def verdict_of_leaks(verdict, names, error):
    """The verdict of a table that has nothing else to learn from than columns that are the target."""
    start = say("RESTS-ON-LEAK", columns=listed(names), what="which is" if len(names) == 1 else "which are")
    return f"{start} {say('NOTHING-WITHOUT-LEAK', pronoun=_pronoun(names), error=error)} {verdict}"


def _pronoun(names):
    return "it" if len(names) == 1 else "them"


# ---- ranks and bins -------------------------------------------------------------------------------------------------


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
