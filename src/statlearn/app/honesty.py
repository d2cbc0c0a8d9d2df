"""The honesty box: what could make the numbers of a comparison look better, or surer, than they are."""

import numpy as np

from statlearn.app import frames, leaks, ranking
from statlearn.app._names import metric_label
from statlearn.app.errors import UsageError
from statlearn.app.profile import row_hashes
from statlearn.app.result import Finding
from statlearn.app.scoring import METRICS
from statlearn.app.wording import Options, joined, listed, option, setting

# What each finding is called, why it matters and what to do about it. {name} is an option of the command line or an
# argument in Python, as the reader knows it.
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
        "If the copies are errors, remove them. If they are repeated measurements of one thing, pass the column that "
        "identifies the things to {groups}.",
    ),
    "GROUPS": (
        "A column looks like the identity of something measured repeatedly",
        "Rows of the same person, machine or place resemble each other. With random folds the model is tested on "
        "things it has met, and new ones will be predicted worse than reported.",
        "If predictions are wanted for new ones, pass the column to {groups}.",
    ),
    "TIME-ORDER": (
        "The table has dates, but the folds were drawn at random",
        "Models then learn from the future of the rows they are tested on; in use there is no future to learn from.",
        "If predictions are for later rows, pass the column to {time_order}.",
    ),
    "GRID-EDGE": (
        "The best tuning value lies at the edge of what was tried",
        "The validated error still falls there, so that the model may be better than its score here.",
        "Fit the estimator itself with further values of this parameter.",
    ),
    "IMBALANCE": (
        "One class is rare",
        "A model that never predicts the rare class has a high accuracy, and few rows show how well it is predicted.",
        "Judge by log loss, the area under the ROC curve or balanced accuracy, and choose the threshold by costs.",
    ),
    "RARE-CLASS": (
        "A class has fewer examples than there are folds",
        "Some folds lack it in the test or the training part, so that the errors for this class are hardly known.",
        "Collect more examples, merge the class with another, or use fewer {folds}.",
    ),
    "NOT-CONVERGED": (
        "A fit stopped before it had converged",
        "The model is not the one that its objective defines; its rank may change with more iterations.",
        "Fit the estimator itself with a larger `max_iter`, or leave the model out with {models}.",
    ),
    "WIDE": (
        "More columns than rows to learn from",
        "Without a penalty or a selection the fit is perfect and means nothing, and tuning itself is uncertain.",
        "Trust penalised models more than others here, and the held-out score more than the folds'.",
    ),
    "SMALL": (
        "Few rows",
        "Standard errors from few test rows are themselves uncertain, and so are all ranks.",
        "Repeat the folds with {repeats}, and read close ranks as ties.",
    ),
    "UNSTABLE-WINNER": (
        "Another draw of the folds could have another winner",
        "The ranks of the leading models are within the noise of the folds; picking the first one is picking by luck.",
        "Treat the leading models as equal and take the simplest or the fastest, or raise {repeats}.",
    ),
    "WILD-FOLD": (
        "One fold decides the mean of the best model",
        "A few rows with very wrong predictions dominate the mean and its standard error, and with them the ranks.",
        "Look at the worst rows in the report for errors in the data, or rank by a metric that such rows cannot "
        "dominate: {robust}.",
    ),
    "HOLDOUT-GAP": (
        "The held-out score is worse than the folds promised",
        "The held-out rows differ from the others, or the scores of the folds are too optimistic.",
        "Look for order, groups or duplicates in the table, and believe the worse of the two numbers.",
    ),
    "NO-SIGNAL": (
        "No model beats the baseline significantly",
        "What the models seem to have learned may be noise.",
        "Look for better features or more rows, and do not use the first model only because it comes first.",
    ),
    "FAILED": (
        "A model could not be fitted",
        "It takes no part in the comparison; a better model than the best may be among those that failed.",
        "Read its message in the report.",
    ),
    "UNFINISHED": (
        "The comparison ended early",
        "Models with fewer folds have less certain scores, and one that did not finish may be better than the best.",
        "Allow more time with {time_limit}, name fewer {models}, or continue with {resume}.",
    ),
    "QUICK-TUNING": (
        "Settings were chosen in a hurry",
        "Models with settings to choose may be somewhat better than shown here.",
        "Allow more time with {time_limit}.",
    ),
    "SAMPLED": (
        "Only a part of the table was used",
        "The models were fitted and tested on a random sample of the rows; all rows would make them somewhat better.",
        "Raise {max_rows} if memory and time allow.",
    ),
    "MISSING": (
        "A column is mostly empty",
        "What fills the gaps is guessed, and whether a cell is empty may itself say something about the target.",
        "Find out why cells are missing, or leave the column out with {drop}.",
    ),
    "LEFT-OUT": (
        "Columns were left out",
        "No model has seen them. A column that identifies rows, or has one value, says nothing about new rows.",
        "If an identifier among them is a measurement, use it with {keep}.",
    ),
    "IDENTIFIER": (
        "A column named like an identifier is used",
        "It is associated with the target. If identifiers are given out in the order of time or by group, a model can "
        "learn that order, and new rows will not have it.",
        "If it only identifies rows, leave it out with {drop}.",
    ),
}  # fmt: skip

DUPLICATES_WARN = 0.01  # share of rows, empirical like the next ones
RARE_SHARE = 0.1
STABLE_SHARE = 0.7
WILD_RATIO = 3.0  # loss of a fold over the median of the folds
SMALL_ROWS = 100
FEW_FOLDS = 4  # too few for a test to find much


def check_codes(mute):
    """Refuse codes that do not exist."""
    unknown = [code for code in mute if code.upper() not in CATALOG]
    if unknown:
        known = ", ".join(CATALOG)
        raise UsageError(f"{option('mute')}: no finding is called {unknown[0]!r}; the findings are: {known}")


def findings(result, problem, schedule, *, mute=()):
    """All findings of a comparison, the most serious first, without the muted ones."""
    found = []
    for look in (
        _leaks, _left_out, _duplicates, _groups, _time_order, _grid_edges, _classes, _not_converged, _size, _winner,
        _wild_fold, _holdout, _signal, _failed, _unfinished, _quick, _missing,
    ):  # fmt: skip
        found += look(result, problem, schedule)
    muted = {code.upper() for code in mute}
    order = {"serious": 0, "warning": 1, "note": 2}
    return sorted((f for f in found if f.code not in muted), key=lambda f: order[f.severity])


def finding(code, detail, severity="warning", models=(), **words):
    """An entry of the box from the catalog; `words` fill its advice beside the names of options."""
    title, why, advice = CATALOG[code]
    return Finding(code, title, detail, why, advice.format_map(Options(words)), severity, list(models))


def _left_out(result, problem, schedule):
    found = []
    reasons = {}
    for name, reason in result.profile.left_out.items():
        if name not in result.settings.get("drop", ()):
            reasons.setdefault(reason, []).append(name)
    columns = {column.name: column for column in result.profile.columns}
    sorted_by = [name for name in result.profile.left_out if "counts the rows" in columns[name].note]
    if reasons:
        detail = "; ".join(f"{listed(names)} ({reason})" for reason, names in reasons.items()) + "."
        if sorted_by:
            detail += (
                f" {listed(sorted_by)} only counts the rows, yet it is associated with the target: the rows seem to be "
                "sorted by the target or by something related to it."
            )
        found.append(finding("LEFT-OUT", detail, "warning" if sorted_by else "note"))
    kept = [c.name for c in result.profile.columns if "kept because" in c.note]
    if kept:
        found.append(finding("IDENTIFIER", f"{listed(kept)}.", "warning"))
    return found


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
    _, error = ranking.mean_and_error(result.model(result.best).scores[result.metric])
    tied = {d.name for d in result.differences if d.mean <= error} | {result.best}
    found = []
    for model in result.models:
        curve = model.tuning
        if curve is None or len(curve.values) < 3 or curve.at_bound or model.name not in tied:
            continue  # a model far from the top would not lead with better settings either
        last = len(curve.values) - 1
        # A grid of whole numbers ends where the columns end; the simple end of a penalty is the empty model.
        natural = not model.grid and (curve.values[last] == 0 or all(isinstance(v, int) for v in curve.values))
        if curve.best != last or natural:
            continue
        gain = curve.mean[last - 1] - curve.mean[last]
        error = curve.std_error[last]
        if gain > 0.1 * (error if np.isfinite(error) else 0.0) and gain > 1e-3 * abs(curve.mean[last]):
            detail = f"{model.label}: {curve.parameter} = {curve.values[last]:.3g}, the last of {last + 1} values."
            found.append(finding("GRID-EDGE", detail, "note", models=[model.name]))
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
    read = result.profile.read_rows
    if read is not None and result.profile.n_rows > read:
        # Rows without a target are left out too, but that is no sampling: only what was not read counts here.
        used = len(problem.y) + len(result.holdout_rows)
        detail = f"{used:,} of {result.profile.n_rows:,} rows, drawn at random."
        found.append(finding("SAMPLED", detail, "note"))
    return found


def _winner(result, problem, schedule):
    done = [m for m in result.models if m.status == "done" and m.name != result.baseline]
    metric = METRICS[result.task][result.metric]
    done = [m for m in done if np.isfinite(ranking.losses(m, metric)).all()]  # those with all finished folds
    table = np.array([ranking.losses(m, metric) for m in done])
    if len(done) < 2 or result.best != done[0].name or table.shape[1] < 2:
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
    detail = f"With other folds, {done[0].label} would come first in {share[0]:.0%} of the draws; {others}."
    return [finding("UNSTABLE-WINNER", detail, "note", [done[0].name])]


def _wild_fold(result, problem, schedule):
    if result.greater_is_better or result.best == result.baseline:
        return []
    values = result.model(result.best).scores[result.metric]
    middle = np.nanmedian(values)
    if len(values) < 4 or not middle > 0 or np.nanmax(values) < WILD_RATIO * middle:
        return []
    worst = int(np.nanargmax(values))
    label = metric_label(result.metric)
    detail = f"The {label} is {values[worst]:.4g} in fold {worst + 1}, {middle:.4g} in the median fold."
    robust = setting("metric", "mae" if result.task == "regression" else "roc_auc")
    return [finding("WILD-FOLD", detail, models=[result.best], robust=robust)]


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
        label = metric_label(result.metric)
        detail = (
            f"The {label} of the best model is {value:.4g} on the held-out rows, {mean:.4g} ± {error:.2g} in the folds."
        )
        return [finding("HOLDOUT-GAP", detail, models=[result.best])]
    return []


def _signal(result, problem, schedule):
    gap = next((d for d in result.differences if d.name == result.baseline), None)
    if result.best == result.baseline:
        return [finding("NO-SIGNAL", "The baseline itself is the best model.")]
    if gap is not None and gap.p_value >= ranking.ALPHA:
        n = int(np.isfinite(result.model(result.best).scores[result.metric]).sum())
        few = f" over only {n} folds" if n < FEW_FOLDS else ""
        return [finding("NO-SIGNAL", f"The best model against the baseline: p = {gap.p_value:.2g}{few}.")]
    return []


def _failed(result, problem, schedule):
    return [finding("FAILED", f"{m.label}: {m.error}", models=[m.name]) for m in result.models if m.status == "failed"]


def _unfinished(result, problem, schedule):
    partial = [m for m in result.models if m.status == "done" and m.remark]
    waiting = [m for m in result.models if m.status == "out of time"]
    if not partial and not waiting:
        return []
    lines = []
    if partial:
        remarks = {}
        for model in partial:
            remarks.setdefault(model.remark, []).append(model.label)
        lines += [f"{remark[0].upper()}{remark[1:]}: {joined(labels)}." for remark, labels in remarks.items()]
    if waiting:
        lines.append(f"Not compared: {joined(m.label for m in waiting)}.")
    return [finding("UNFINISHED", " ".join(lines))]


def _quick(result, problem, schedule):
    tuned = [r.tuning_rows for r in schedule.records.values() if r.tuning_rows]
    if not tuned:
        return []
    detail = f"To keep the time limit, settings were chosen on one inner split of up to {max(tuned):,} rows."
    return [finding("QUICK-TUNING", detail, "note")]


def _missing(result, problem, schedule):
    seen = result.profile.sampled_rows or len(frames.as_frame(result.features))
    empty = [c.name for c in result.profile.columns if seen and 0.5 < c.n_missing / seen < 1]
    if not empty:
        return []
    shown = ", ".join(map(repr, empty[:5])) + (f" and {len(empty) - 5} more" if len(empty) > 5 else "")
    return [finding("MISSING", f"More than half of the cells are missing in {shown}.", "note")]
