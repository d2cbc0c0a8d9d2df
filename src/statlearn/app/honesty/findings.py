"""The honesty box: what could make the numbers of a comparison look better, or surer, than they are."""

import numpy as np

from statlearn._core.frames.column_kinds import names_group
from statlearn.app.compare import ranking
from statlearn.app.compare.portfolio.selection import STACK
from statlearn.app.compare.result import Finding
from statlearn.app.errors import UsageError
from statlearn.app.honesty import leaks
from statlearn.app.honesty.copies import copied_rows, suspicious_copies
from statlearn.app.honesty.design import FEW_GROUPS, TIME_NAME, YEAR_NAME
from statlearn.app.names import metric_label, p_value, plain
from statlearn.app.setting_names import Options, joined, listed, option, setting
from statlearn.app.tables import frames
from statlearn.app.tables.profile import KEPT_IDENTIFIER, LABELS, LEFT_OUT, NUMBERS_THE_ROWS
from statlearn.app.tables.sentinels import sentinels

# What each finding is called, why it matters and what to do about it. {name} is an option of the command line or an
# argument in Python, as the reader knows it.
CATALOG = {
    "TARGET-IN-DISGUISE": (
        "A column is the target under another name",
        "A column that determines the target is rarely known before the target itself. If it is not, real predictions "
        "will be much worse than the scores reported here.",
        "Find out how the column is recorded. If it comes from or after the target, leave it out with {drop}.",
    ),
    "LEAK": (
        "A single column predicts the target almost perfectly",
        "Few genuine predictors are this strong. Often such a column was recorded after the target was known (leakage) "
        "and will not be available when predictions are needed.",
        "Check when the column becomes known. If that is after the target, leave it out with {drop}; otherwise use it.",
    ),
    "STRONG-COLUMN": (
        "One column predicts much better than all others together",
        "It may be a strong cause of the target, or have been recorded after the target was known (leakage). In the "
        "second case, real predictions will be worse than reported.",
        "Check when the column becomes known. If that is after the target, leave it out with {drop}.",
    ),
    "TOO-GOOD": (
        "The best model is almost perfect",
        "Scores this good are rare in real data. Often some columns together determine the target, such as the parts "
        "of a total, or were recorded after it.",
        "Check that the most important columns are known before the target. If not, leave them out with {drop}.",
    ),
    "DUPLICATES": (
        "Rows occur more than once",
        "Copies of a row can end up in both the training and the test part. The model is then tested on rows it has "
        "seen, and its errors look too small.",
        "If the copies are mistakes, remove them. If they are repeated measurements of the same subject, pass the "
        "column that identifies the subject to {groups}.",
    ),
    "GROUPS": (
        "A column seems to identify something measured repeatedly",
        "Rows of the same person, machine or place resemble each other. With random folds the model is tested on "
        "subjects it has already seen, and predictions for new ones will be worse than reported.",
        "If you need predictions for new subjects, pass the column to {groups}.",
    ),
    "TIME-ORDER": (
        "The rows have an order in time, but the folds were drawn at random",
        "Models are then trained on rows that are later than those they are tested on, which is impossible in use.",
        "If you need predictions for later rows, pass the column to {time_order}.",
    ),
    "GRID-EDGE": (
        "The best tuning value is at the edge of the grid",
        "The validation error is still falling there, so the model could do better than its score here.",
        "Fit the estimator directly with values beyond the edge.",
    ),
    "IMBALANCE": (
        "One class is rare",
        "A model that never predicts the rare class still has a high accuracy, and there are few rows to judge how "
        "well that class is predicted.",
        "Judge by log loss, the area under the ROC curve or balanced accuracy, and weigh the costs of the different "
        "errors.",
    ),
    "RARE-CLASS": (
        "A class has fewer rows than there are folds",
        "Some test folds do not contain it, so little is known about the errors for this class.",
        "Collect more rows of this class, merge it with another, or lower {folds}.",
    ),
    "NOT-CONVERGED": (
        "A fit stopped before it converged",
        "The fitted model does not minimise its objective, and its rank may change with more iterations.",
        "Fit the estimator directly with a larger `max_iter`, or select other models with {models}.",
    ),
    "WIDE": (
        "More columns than training rows",
        "Without a penalty or variable selection, a linear model fits its training rows perfectly, whatever they are. "
        "Tuning is uncertain too.",
        "Trust penalised models more than others, and a score no further than its interval.",
    ),
    "SMALL": (
        "Few rows",
        "With few test rows the standard errors are themselves uncertain, and so are the ranks.",
        "Repeat the cross-validation with {repeats}, and treat close ranks as ties.",
    ),
    "UNSTABLE-WINNER": (
        "Other rows could give a different winner",
        "The leading models differ by less than the noise of the rows, so which one comes first is largely luck.",
        "Treat the leading models as tied and choose the simplest or fastest, or raise {repeats}.",
    ),
    "WILD-FOLD": (
        "One fold dominates the mean of the best model",
        "A few badly predicted rows drive the mean, its standard error and the ranks.",
        "Check the worst rows in the report for errors in the data, or rank by a metric that is less sensitive to "
        "them: {robust}.",
    ),
    "HOLDOUT-GAP": (
        "The held-out score is worse than the cross-validated score",
        "Either the held-out rows differ from the others, or the cross-validated scores are too optimistic.",
        "Look for time order, groups or duplicates in the table, and trust the worse of the two numbers.",
    ),
    "NO-SIGNAL": (
        "No model beats the baseline significantly",
        "What the models appear to have learned may be noise.",
        "Look for better columns or more rows, or raise {repeats}. Do not use the top model just because it comes "
        "first.",
    ),
    "OVERCONFIDENT": (
        "A model separates the classes, but its probabilities are worse than guessing",
        "Its probabilities are too close to 0 and 1, so it ranks below its worth. Naive Bayes is like this if columns "
        "repeat each other, because each of them counts as new evidence. The order of its probabilities may still be "
        "useful.",
        "Rank by the order alone with {ranking}, leave repeated columns out with {drop}, or calibrate the model "
        "(statlearn.assess.CalibratedClassifier) before using its probabilities.",
    ),
    "FAILED": (
        "A model could not be fitted",
        "It is missing from the comparison, and might have been better than the best model here.",
        "Read the error above. If it is about the data, fix the table; otherwise select other models with {models}.",
    ),
    "UNFINISHED": (
        "The comparison ended early",
        "Scores from fewer folds are less certain, and a model that did not finish might be better than the best here.",
        "Allow more time with {time_limit}, select fewer models with {models}, or continue with {resume}.",
    ),
    "QUICK-TUNING": (
        "Tuning was shortened to meet the time limit",
        "Models with tuning parameters may be somewhat better than shown here.",
        "Allow more time with {time_limit}.",
    ),
    "SAMPLED": (
        "Only part of the table was used",
        "The models were fitted and tested on a random sample of the rows. With all rows they would probably be "
        "somewhat better.",
        "Raise {max_rows} if memory and time allow.",
    ),
    "MISSING": (
        "A column is mostly missing",
        "Some models need the gaps filled with guesses, and whether a value is missing may itself be related to the "
        "target.",
        "Find out why the values are missing, or leave the column out with {drop}.",
    ),
    "SENTINEL": (
        "A number seems to stand for missing values",
        "Models take it for a measurement, which distorts means, scales and slopes.",
        "If it means that the value is missing, empty these cells.",
    ),
    "REPEATED-COLUMN": (
        "A column says the same as another",
        "It adds nothing to the predictions, but importances are divided between the two, so that both may look "
        "unimportant.",
        "Leave one of them out with {drop}.",
    ),
    "LEFT-OUT": (
        "Columns were left out",
        "No model has seen them. A column that only identifies rows, or has a single value, cannot help to predict new "
        "rows.",
        "If one of them is a real measurement, include it with {keep}.",
    ),
    "IDENTIFIER": (
        "A column that is named like an identifier was used",
        "It is associated with the target. If identifiers are assigned in time order or by group, a model can learn "
        "that order, which new rows will not follow.",
        "If it only identifies rows, leave it out with {drop}.",
    ),
}  # fmt: skip

DUPLICATES_WARN = 0.01  # share of rows, empirical like the next ones
RARE_SHARE = 0.1
STABLE_SHARE = 0.7
WILD_RATIO = 3.0  # loss of a fold over the median of the folds
SMALL_ROWS = 100
ROUNDING = 1e-9  # loss of a model without error, as a share of that of the baseline
PERFECT_R2 = PERFECT_ACCURACY = 0.998
_SIZES = {"rmse": 2.0, "mae": 2.0, "mse": 4.0}  # ratios of errors of as many normal rows that chance does not make
MIN_HELD_OUT = 10
USEFUL_AUC = 0.6  # empirical: below it, a model worse than the baseline has hardly learned anything


def check_codes(mute):
    """Refuse codes that do not exist."""
    unknown = [code for code in mute if code.upper() not in CATALOG]
    if unknown:
        known = ", ".join(CATALOG)
        raise UsageError(f"{option('mute')}: unknown finding {unknown[0]!r}; use one of {known}")


def findings(result, problem, schedule, *, mute=()):
    """All findings of a comparison, the most serious first, without the muted ones."""
    found = []
    for look in (
        _leaks, _too_good, _left_out, _duplicates, _groups, _time_order, _grid_edges, _classes, _not_converged, _size,
        _winner, _wild_fold, _holdout, _signal, _overconfident, _failed, _unfinished, _quick, _missing, _sentinels,
        _redundant,
    ):  # fmt: skip
        found += look(result, problem, schedule)
    named = {leak.column for leak in problem.leaks}
    if any(f.code in ("TARGET-IN-DISGUISE", "LEAK") for f in found) and not named:
        # The reason for the scores is known by its column, and a copy of the target wants no penalty at all.
        found = [f for f in found if f.code not in ("TOO-GOOD", "GRID-EDGE")]
    if any(f.code == "TOO-GOOD" for f in found):  # too few folds for a test do not make a perfect model noise
        found = [f for f in found if f.code not in ("NO-SIGNAL", "GRID-EDGE")]
    muted = {code.upper() for code in mute}
    order = {"serious": 0, "warning": 1, "note": 2}
    return sorted((f for f in found if f.code not in muted), key=lambda f: order[f.severity])


def finding(code, detail, severity="warning", models=(), **words):
    """An entry of the box from the catalog; `words` fill its advice besides the names of options."""
    title, why, advice = CATALOG[code]
    return Finding(code, title, detail, why, advice.format_map(Options(words)), severity, list(models))


def _left_out(result, problem, schedule):
    found = []
    reasons = {}
    for name, reason in result.profile.left_out.items():
        if name not in result.settings.get("drop", ()) and reason != LEFT_OUT["leak"]:
            reasons.setdefault(reason, []).append(name)
    columns = {column.name: column for column in result.profile.columns}
    sorted_by = [name for name in result.profile.left_out if NUMBERS_THE_ROWS in columns[name].note]
    if reasons:
        detail = "; ".join(f"{listed(names, 20)} ({reason})" for reason, names in reasons.items()) + "."
        if sorted_by:
            detail += (
                f" {listed(sorted_by)} only numbers the rows, yet it is associated with the target. When they were "
                "numbered, the rows seem to have been sorted by the target or by something related to it."
            )
        found.append(finding("LEFT-OUT", detail, "warning" if sorted_by else "note"))
    kept = [c.name for c in result.profile.columns if KEPT_IDENTIFIER in c.note]
    if kept:
        found.append(finding("IDENTIFIER", f"{listed(kept)}.", "warning"))
    return found


def _leaks(result, problem, schedule):
    taken = [(leak.code, f"{leak.column!r}: {leak.detail}") for leak in problem.leaks]
    # A series of slow steps is a smooth function of its time, which is known before it.
    times = {c.name for c in result.profile.columns if c.kind == "date"} | {result.settings.get("time_order")}
    left = [
        (leak.code, f"{leak.column!r}: {leak.detail}")
        for leak in leaks.find_leaks(problem.used, problem.truth, problem.classes, problem.seed)
        if leak.column not in times or leak.code == "TARGET-IN-DISGUISE"
    ]
    found = [finding(code, f"{detail[:-1]}. It was left out.", "serious") for code, detail in taken]
    return found + [finding(code, detail, "warning" if code == "STRONG-COLUMN" else "serious") for code, detail in left]


def _too_good(result, problem, schedule):
    name, limit = ("r2", PERFECT_R2) if problem.classes is None else ("accuracy", PERFECT_ACCURACY)
    best, baseline = (result.level(m, name)[0] for m in (result.best, result.baseline))
    # A rare class makes the accuracy of the baseline nearly perfect too.
    if not (best >= limit and 1 - best < 0.1 * (1 - baseline)):
        return []
    label = result.model(result.best).label
    value = f"{best:.4f}" if best < 0.99995 or best == 1 else "more than 0.9999"  # rounding would make it perfect
    detail = f"{label}: cross-validated {metric_label(name)} of {value}."
    together = leaks.determining_columns(problem.frame, problem.truth, problem.kinds) if name == "r2" else []
    if together:
        detail += f" A linear function of {listed(together)} alone comes as close."
    return [finding("TOO-GOOD", detail, models=[result.best])]


def _duplicates(result, problem, schedule):
    in_test = copied_rows(problem)
    n = int(in_test.sum())
    if n == 0 or suspicious_copies(problem) == 0:
        return []
    share = n / len(in_test)
    detail = f"{n:,} rows ({share:.1%}) have an exact copy, including the target, in the training part of their fold."
    return [finding("DUPLICATES", detail, "warning" if share >= DUPLICATES_WARN else "note")]


def _groups(result, problem, schedule):
    if problem.scheme.groups is not None:
        return []
    found = []
    n = result.profile.sampled_rows or result.profile.read_rows or result.profile.n_rows
    alike = leaks.repeated_units(problem.frame, problem.truth) if problem.classes is None else {}
    for column in result.profile.columns:
        filled = n - column.n_missing
        usable = column.kind in ("category", "number", "identifier")
        if usable and (names_group(column.name) or column.name in alike) and 2 < column.n_distinct < filled:
            detail = f"{column.name!r} has {column.n_distinct:,} distinct values in {filled:,} rows."
            if column.name in alike:
                detail = f"{detail[:-1]}; {alike[column.name]} of the variance of the target lies between them."
            if LABELS in column.note:
                detail += (
                    " Its numbers are used as labels of a category, not as quantities; if they are quantities, pass "
                )
                detail += f"it to {option('keep')}."
            found.append(finding("GROUPS", detail, "warning" if column.n_distinct > FEW_GROUPS else "note"))
    return found


def _time_order(result, problem, schedule):
    if problem.scheme.ordered:
        return []
    dates = [column.name for column in result.profile.columns if column.kind == "date"]
    columns = {name: problem.frame[name] for name in problem.frame.columns if TIME_NAME.fullmatch(name)}
    columns |= {name: frames.dates(problem.frame[name]) for name in dates if name in problem.frame.columns}
    series = [name for name, values in columns.items() if _rises(values)]
    if series:
        detail = (
            f"{listed(series)} {'increases' if len(series) == 1 else 'increase'} from each row to the next. With "
            "random folds the rows before and after a test row are known, which makes a time series look easier to "
            "predict than it is."
        )
        return [finding("TIME-ORDER", detail, "warning")]
    if dates:
        return [finding("TIME-ORDER", f"Date columns: {listed(dates)}.", "note")]
    years = [name for name in problem.frame.columns if YEAR_NAME.fullmatch(name) and _are_years(problem.frame[name])]
    return [finding("TIME-ORDER", f"Columns of years: {listed(years)}.", "note")] if years else []


def _are_years(series):
    """Whether the numbers of a column can be the years of three rows or more at different times."""
    if not series.dtype.is_numeric():
        return False
    values = frames.numbers(series)
    values = np.unique(values[np.isfinite(values)])
    return len(values) > 2 and values[0] > 1500 and values[-1] < 2200 and bool(np.all(values == np.round(values)))


def _rises(series):
    """Whether the numbers of a column get larger from row to row: a time series has one row for each time."""
    if series is None or not (series.dtype.is_numeric() or series.dtype.is_temporal()):
        return False
    return bool(np.all(np.diff(frames.numbers(series)) > 0))


def _grid_edges(result, problem, schedule):
    _, error = result.level(result.best)
    tied = {d.name for d in result.differences if d.mean <= error} | {result.best}
    found = []
    for model in result.models:
        curve = model.tuning
        if curve is None or len(curve.values) < 3 or curve.at_bound or model.name not in tied:
            continue  # a model far from the top would not lead with better settings either
        if len(model.grid) > 1:
            continue  # the points of a grid of several parameters have no order, and no end
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
    counts = np.bincount(problem.truth, minlength=len(problem.classes))
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
    share = result.results.wins
    # Of a mean of the leading models it does not matter which of them comes first.
    if result.best == STACK or share.get(result.best, 1.0) >= STABLE_SHARE or _is_exact(result):
        return []
    rivals = sorted((name for name in share if name != result.best), key=lambda name: -share[name])[:3]
    others = ", ".join(f"{result.model(name).label} ({share[name]:.0%})" for name in rivals if share[name] >= 0.005)
    label = result.model(result.best).label
    detail = (
        f"In simulated redraws of the rows, {label} comes first in {share[result.best]:.0%}; other winners: {others}."
    )
    return [finding("UNSTABLE-WINNER", detail, "note", [result.best])]


def _wild_fold(result, problem, schedule):
    if result.greater_is_better or _is_exact(result):
        return []
    values = result.model(result.best).scores[result.metric]
    middle = np.nanmedian(values)
    if len(values) < 4 or not middle > 0 or np.nanmax(values) < WILD_RATIO * middle:
        return []
    worst = int(np.nanargmax(values))
    label = metric_label(result.metric)
    detail = f"The {label} is {plain(values[worst])} in fold {worst + 1} but {plain(middle)} in the median fold."
    robust = setting("metric", "mae" if result.task == "regression" else "roc_auc")
    return [finding("WILD-FOLD", detail, models=[result.best], robust=robust)]


def _is_exact(result):
    """Whether the best model has no error but rounding, so that its folds differ by nothing else."""
    best, baseline = (result.model(name).scores[result.metric] for name in (result.best, result.baseline))
    return not result.greater_is_better and bool(np.nanmedian(best) < ROUNDING * np.nanmedian(baseline))


def _holdout(result, problem, schedule):
    if result.best not in result.holdout_scores:
        return []
    value, lower, upper = result.holdout_scores[result.best][result.metric]
    mean, error = result.level(result.best)
    if not np.all(np.isfinite([value, mean, error])):
        return []
    spread = np.hypot((upper - lower) / 3.92, error)  # NaN without an interval
    worse = (mean - value) if result.greater_is_better else (value - mean)
    # One wild row makes the interval wide enough to hold anything; the ratio of two errors shows it all the same.
    wild = result.metric in _SIZES and len(result.holdout_rows) >= MIN_HELD_OUT and value > _SIZES[result.metric] * mean
    if (spread > 0 and worse > 3 * spread) or (wild and spread != 0):
        label = metric_label(result.metric)
        detail = (
            f"The {label} of the best model is {plain(value)} on the held-out rows but {plain(mean)} ± "
            f"{plain(error, 2)} in cross-validation."
        )
        return [finding("HOLDOUT-GAP", detail, models=[result.best])]
    return []


def _sentinels(result, problem, schedule):
    """Numbers such as -999 among measurements."""
    hits = sentinels(problem.used)
    shown = [f"{name!r} is {value:.0f} in {cells:,} rows" for name, (value, cells) in list(hits.items())[:5]]
    more = f", and {len(hits) - 5} more columns have one" if len(hits) > 5 else ""
    return [finding("SENTINEL", f"{joined(shown)}{more}, far from all other values.")] if hits else []


def _redundant(result, problem, schedule):
    """Columns that repeat another one."""
    copies = leaks.repeated_columns(problem.used)
    if not copies:
        return []
    pairs = [f"{name!r} repeats {first!r}" for name, first in copies[:5]]
    more = f", and {len(copies) - 5} more" if len(copies) > 5 else ""
    return [finding("REPEATED-COLUMN", f"{joined(pairs)}{more}.", "note")]


def _signal(result, problem, schedule):
    gap = next((d for d in result.differences if d.name == result.baseline), None)
    if result.signal < ranking.CERTAIN_SIGNAL:
        return []
    if result.best == result.baseline:
        return [finding("NO-SIGNAL", "The baseline is the best model.")]
    if gap is not None and gap.p_value >= ranking.ALPHA:
        n = int(np.isfinite(result.model(result.best).scores[result.metric]).sum())
        few = f", from only {n} folds" if n < ranking.FEW_FOLDS else ""
        return [finding("NO-SIGNAL", f"The best model compared with the baseline: p = {p_value(gap.p_value)}{few}.")]
    return []


def _overconfident(result, problem, schedule):
    if result.metric not in ("log_loss", "brier"):
        return []
    label = metric_label(result.metric)
    guess, _ = result.level(result.baseline)
    found = []
    for model in result.models:
        if model.status != "done" or model.name == result.baseline:
            continue
        loss, _ = result.level(model.name)
        auc, error = result.level(model.name, "roc_auc")
        if loss > guess and auc - 2 * error > USEFUL_AUC:
            found.append((model, f"{model.label} ({label} {plain(loss, 3)}, ROC AUC {plain(auc, 3)})"))
    if not found:
        return []
    detail = f"The {label} of the baseline is {plain(guess, 3)}. Worse: {joined(words for _, words in found)}."
    names = [model.name for model, _ in found]
    return [finding("OVERCONFIDENT", detail, "note", names, ranking=setting("metric", "roc_auc"))]


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
    detail = f"Tuning parameters were chosen on one inner split of up to {max(tuned):,} rows."
    return [finding("QUICK-TUNING", detail, "note")]


def _missing(result, problem, schedule):
    seen = result.profile.sampled_rows or len(frames.as_frame(result.features))
    empty = [c.name for c in result.profile.columns if seen and 0.5 < c.n_missing / seen < 1]
    if not empty:
        return []
    shown = ", ".join(map(repr, empty[:5])) + (f" and {len(empty) - 5} more" if len(empty) > 5 else "")
    return [finding("MISSING", f"More than half of the values are missing in {shown}.", "note")]
