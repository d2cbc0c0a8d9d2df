"""The honesty box: what could make the numbers of a comparison look better, or surer, than they are."""

import numpy as np

from statlearn.app import frames, leaks, ranking
from statlearn.app.errors import UsageError
from statlearn.app.profile import row_hashes
from statlearn.app.result import Finding
from statlearn.app.scoring import METRICS

# What each finding is called, why it matters and what to do about it.
CATALOG = {
    "TARGET-IN-DISGUISE": (
        "A column is the target under another name",
        "A column that determines the target exactly is hardly ever known before the target itself; the errors "
        "reported here will not be met in use.",
        "Find out how the column comes about. If it is made from the target or after it, remove it and compare again.",
    ),
    "LEAK": (
        "A single column predicts the target almost perfectly",
        "Real causes are rarely that sharp. Often such a column was recorded after the target was known (leakage), and "
        "it will not be there, or not like that, when predictions are needed.",
        "Ask when the column is known. If that is after the target, remove it; if not, enjoy it.",
    ),
    "DUPLICATES": (
        "Rows occur more than once",
        "Copies of a row can be in the training and in the test part at once; the model then is tested on what it has "
        "seen, and errors look too small.",
        "If the copies are errors, remove them. If they are repeated measurements of one thing, name the column that "
        "tells the things apart as groups.",
    ),
    "GROUPS": (
        "A column looks like the identity of something measured repeatedly",
        "Rows of the same person, machine or place resemble each other. With random folds the model is tested on "
        "things it has met, and new ones will be predicted worse than reported.",
        "If predictions are wanted for new ones, pass the column as groups.",
    ),
    "TIME-ORDER": (
        "The table has dates, but the folds were drawn at random",
        "Models then learn from the future of the rows they are tested on; in use there is no future to learn from.",
        "If predictions are for later rows, pass the column as time order.",
    ),
    "GRID-EDGE": (
        "The best tuning value lies at the edge of what was tried",
        "The validated error still falls there, so a better value probably lies outside.",
        "Widen the grid in the direction of the edge.",
    ),
    "IMBALANCE": (
        "One class is rare",
        "Accuracy is high for a model that never predicts the rare class, and few rows tell about it.",
        "Judge by log loss, the area under the ROC curve or balanced accuracy, and choose the threshold by costs.",
    ),
    "RARE-CLASS": (
        "A class has fewer examples than there are folds",
        "Some folds are without it in the test or in the training part; the errors for this class are next to unknown.",
        "Collect more examples, merge the class with another, or use fewer folds.",
    ),
    "NOT-CONVERGED": (
        "A fit stopped before it had converged",
        "The model is not the one that its objective defines; its rank may change with more iterations.",
        "Raise max_iter of the estimator, or leave the model out.",
    ),
    "WIDE": (
        "More columns than rows to learn from",
        "Without a penalty or a selection the fit is perfect and means nothing, and tuning itself is uncertain.",
        "Trust penalised models more than others here, and the held-out score more than the folds'.",
    ),
    "SMALL": (
        "Few rows",
        "Standard errors from few test rows are themselves uncertain, and so are all ranks.",
        "Repeat the folds (repeats), and read close ranks as ties.",
    ),
    "UNSTABLE-WINNER": (
        "Another draw of the folds could have another winner",
        "The rank of the models is within the noise of the folds; to pick the first is to pick by luck.",
        "Treat the leading models as equal and take the simplest or the fastest, or raise repeats.",
    ),
    "WILD-FOLD": (
        "One fold decides the mean of the best model",
        "A few rows that are predicted wildly wrong dominate the mean and its standard error, and with them the ranks.",
        "Look at the worst rows in the report for errors in the data, or rank by a metric that bears them (mae).",
    ),
    "HOLDOUT-GAP": (
        "The held-out rows tell another story than the folds",
        "The held-out score is far outside what the folds promised: the parts differ, or the folds are too hopeful.",
        "Look for order, groups or duplicates in the table; believe the worse of the two numbers.",
    ),
    "NO-SIGNAL": (
        "No model beats the baseline significantly",
        "What the models seem to have learned may be noise.",
        "Look for better features or more rows; do not use the leader because it leads.",
    ),
    "FAILED": (
        "A model could not be fitted",
        "It takes no part in the comparison; a better model than the best may be among those that failed.",
        "Read its message in the report.",
    ),
    "UNFINISHED": (
        "The comparison ended early",
        "Fewer folds than planned lie behind the numbers, or models are missing.",
        "Go on with --resume, or allow more time.",
    ),
    "SAMPLED": (
        "Only a part of the table was used",
        "The models were fitted and tested on a random sample of the rows; all rows would make them somewhat better.",
        "Raise the limit of rows if memory and time allow.",
    ),
    "MISSING": (
        "A column is mostly empty",
        "What fills the gaps is guessed, and whether a cell is empty may itself say something about the target.",
        "Find out why cells are missing; drop the column if nobody knows.",
    ),
}  # fmt: skip

DUPLICATES_WARN = 0.01  # share of rows, empirical like the next ones
RARE_SHARE = 0.1
STABLE_SHARE = 0.7
WILD_RATIO = 3.0  # loss of a fold over the median of the folds
SMALL_ROWS = 100


def check_codes(mute):
    """Refuse codes that do not exist."""
    unknown = [code for code in mute if code.upper() not in CATALOG]
    if unknown:
        raise UsageError(f"mute: no finding is called {unknown[0]!r}; there are: {', '.join(CATALOG)}")


def findings(result, problem, schedule, *, mute=()):
    """All findings of a comparison, the most serious first, without the muted ones."""
    found = []
    for look in (
        _leaks, _duplicates, _groups, _time_order, _grid_edges, _classes, _not_converged, _size, _winner, _wild_fold,
        _holdout, _signal, _failed, _unfinished, _missing,
    ):  # fmt: skip
        found += look(result, problem, schedule)
    muted = {code.upper() for code in mute}
    order = {"serious": 0, "warning": 1, "note": 2}
    return sorted((f for f in found if f.code not in muted), key=lambda f: order[f.severity])


def finding(code, detail, severity="warning", models=()):
    """An entry of the box from the catalog."""
    title, why, advice = CATALOG[code]
    return Finding(code, title, detail, why, advice, severity, list(models))


def _leaks(result, problem, schedule):
    return [
        finding(code, detail, "serious")
        for code, detail in leaks.suspicious_columns(problem.frame, problem.truth, problem.classes, problem.seed)
    ]


def _duplicates(result, problem, schedule):
    hashes = row_hashes(problem.frame) ^ _spread(problem.truth)
    _, place, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    copied = counts[place] > 1
    if problem.frame.shape[1] < 2 or not copied.any():
        return []
    in_test = np.zeros(len(hashes), bool)
    for train, test in problem.folds:
        in_test[test] |= np.isin(place[test], place[train])
    n = int(in_test.sum())
    if n == 0:
        return []
    share = n / len(hashes)
    detail = f"{n:,} rows ({share:.1%}) have an exact copy, target included, in the training part of their fold."
    return [finding("DUPLICATES", detail, "warning" if share >= DUPLICATES_WARN else "note")]


def _spread(truth):
    """64-bit numbers from the target, to be mixed into the hash of a row."""
    bits = np.ascontiguousarray(truth).astype(np.float64).view(np.uint64)
    return bits * np.uint64(0x9E3779B97F4A7C15)


def _groups(result, problem, schedule):
    if problem.scheme.groups is not None:
        return []
    found = []
    n = len(problem.y)
    for column in result.profile.columns:
        name = column.name.lower()
        named = name.endswith(("_id", " id", "subject", "patient", "person", "user", "customer")) or name == "id"
        if named and column.kind in ("category", "number", "identifier") and 2 < column.n_distinct < 0.9 * n:
            detail = f"{column.name!r} has {column.n_distinct:,} different values in {n:,} rows."
            found.append(finding("GROUPS", detail, "note"))
    return found


def _time_order(result, problem, schedule):
    dates = [column.name for column in result.profile.columns if column.kind == "date"]
    if not dates or problem.scheme.ordered:
        return []
    return [finding("TIME-ORDER", f"Dates: {', '.join(dates[:5])}.", "note")]


def _grid_edges(result, problem, schedule):
    found = []
    for model in result.models:
        curve = model.tuning
        if curve is None or len(curve.values) < 3:
            continue
        last = len(curve.values) - 1
        # A grid of whole numbers ends where the columns end; the simple end of a penalty is the empty model.
        natural = all(isinstance(value, int) for value in curve.values)
        if curve.best != last or natural:
            continue
        gain = curve.mean[last - 1] - curve.mean[last]
        if gain > 0.02 * max(curve.std_error[last], 1e-300):
            detail = f"{model.label}: {curve.parameter} = {curve.values[last]:.3g}, the last of {last + 1} values."
            found.append(finding("GRID-EDGE", detail, models=[model.name]))
    return found


def _classes(result, problem, schedule):
    if problem.classes is None:
        return []
    counts = np.bincount(problem.codes, minlength=len(problem.classes))
    rare = int(np.argmin(counts))
    share = counts[rare] / counts.sum()
    found = []
    words = f"{str(problem.classes[rare])!r} has {counts[rare]:,} of {counts.sum():,} training rows ({share:.1%})."
    if counts[rare] < result.settings["folds"]:
        found.append(finding("RARE-CLASS", words))
    if share < RARE_SHARE and share < 0.5 / len(problem.classes):
        sharp = result.metric in ("accuracy", "f1")
        found.append(finding("IMBALANCE", words, "warning" if sharp else "note"))
    return found


def _not_converged(result, problem, schedule):
    found = []
    for model in result.models:
        lines = [line for line in model.warnings if line.startswith("ConvergenceWarning")]
        if lines and model.status == "done":
            message = lines[0].partition(": ")[2].split("\n")[0]
            found.append(finding("NOT-CONVERGED", f"{model.label}: {message}", models=[model.name]))
    return found


def _size(result, problem, schedule):
    found = []
    widths = {r.n_columns for r in schedule.records.values()} or {problem.frame.shape[1]}
    n_train = min(len(train) for train, _ in problem.folds)
    if max(widths) > n_train:
        found.append(
            finding("WIDE", f"{max(widths):,} columns in the design matrix, {n_train:,} training rows in a fold.")
        )
    if len(problem.y) < SMALL_ROWS:
        found.append(finding("SMALL", f"{len(problem.y)} training rows.", "note"))
    if result.profile.n_rows > len(problem.y) + len(result.holdout_rows) and result.profile.sampled_rows:
        used = len(problem.y) + len(result.holdout_rows)
        if used < 0.9 * result.profile.n_rows:
            found.append(finding("SAMPLED", f"{used:,} of {result.profile.n_rows:,} rows.", "note"))
    return found


def _winner(result, problem, schedule):
    done = [m for m in result.models if m.status == "done" and m.name != result.baseline]
    metric = METRICS[result.task][result.metric]
    table = np.array([ranking.losses(m, metric) for m in done])
    if len(done) < 2 or result.best == result.baseline or not np.all(np.isfinite(table)):
        return []
    # Means over the folds are drawn anew with the variance that the corrected test gives them: training parts overlap.
    k = table.shape[1]
    overlap = np.mean([len(test) / len(train) for train, test in problem.folds])
    rng = np.random.default_rng(problem.seed)
    spread = table - table.mean(axis=1, keepdims=True)
    noise = rng.normal(size=(2000, k)) @ spread.T * np.sqrt((1 / k + overlap) / (k - 1))
    draws = table.mean(axis=1) + noise
    share = np.bincount(draws.argmin(axis=1), minlength=len(done)) / len(draws)
    if share[0] >= STABLE_SHARE:
        return []
    others = ", ".join(f"{done[k].label} ({share[k]:.0%})" for k in np.argsort(-share)[:4] if k != 0 and share[k] > 0)
    detail = f"Over other draws of the folds {done[0].label} would lead in {share[0]:.0%}; {others}."
    return [finding("UNSTABLE-WINNER", detail, "note", [done[0].name])]


def _wild_fold(result, problem, schedule):
    if result.greater_is_better or result.best == result.baseline:
        return []
    values = result.model(result.best).scores[result.metric]
    middle = np.nanmedian(values)
    if len(values) < 4 or not middle > 0 or np.nanmax(values) < WILD_RATIO * middle:
        return []
    worst = int(np.nanargmax(values))
    detail = f"{result.metric} is {values[worst]:.4g} in fold {worst + 1}, {middle:.4g} in the median fold."
    return [finding("WILD-FOLD", detail, models=[result.best])]


def _holdout(result, problem, schedule):
    if result.best not in result.holdout_scores:
        return []
    value, lower, upper = result.holdout_scores[result.best][result.metric]
    mean, error = ranking.mean_and_error(result.model(result.best).scores[result.metric])
    if not np.all(np.isfinite([value, lower, upper, mean, error])):
        return []
    spread = np.hypot((upper - lower) / 3.92, error)
    worse = (mean - value) if result.greater_is_better else (value - mean)
    if spread > 0 and worse > 3 * spread:
        detail = f"{result.metric} of the best model: {value:.4g} held out, {mean:.4g} ± {error:.2g} in the folds."
        return [finding("HOLDOUT-GAP", detail, models=[result.best])]
    return []


def _signal(result, problem, schedule):
    gap = next((d for d in result.differences if d.name == result.baseline), None)
    if result.best == result.baseline:
        return [finding("NO-SIGNAL", "The baseline itself is the best model.")]
    if gap is not None and gap.p_value >= ranking.ALPHA:
        return [finding("NO-SIGNAL", f"The best model against the baseline: p = {gap.p_value:.2g}.")]
    return []


def _failed(result, problem, schedule):
    broken = [m for m in result.models if m.status in ("failed", "out of time")]
    return [
        finding(
            "FAILED", f"{m.label}: {m.status}, {m.error}", "note" if m.status == "out of time" else "warning", [m.name]
        )
        for m in broken
    ]


def _unfinished(result, problem, schedule):
    n = len(result.model(result.best).scores[result.metric])
    if schedule.stopped_by is None and n == len(problem.folds):
        return []
    return [finding("UNFINISHED", f"{n} of {len(problem.folds)} outer folds are finished for every model shown.")]


def _missing(result, problem, schedule):
    seen = result.profile.sampled_rows or len(frames.as_frame(result.features))
    empty = [c.name for c in result.profile.columns if seen and 0.5 < c.n_missing / seen < 1]
    if not empty:
        return []
    shown = ", ".join(map(repr, empty[:5])) + (f" and {len(empty) - 5} more" if len(empty) > 5 else "")
    return [finding("MISSING", f"More than half of the cells are missing in {shown}.", "note")]
