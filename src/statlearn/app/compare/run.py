"""The comparison: every suitable model, tuned and scored on the same folds, and what follows from it."""

from contextlib import nullcontext

import numpy as np

from statlearn import __version__
from statlearn.app.compare import ranking, scoring, stack
from statlearn.app.compare.checkpoints import State, describe
from statlearn.app.compare.comparison import ComparisonResult
from statlearn.app.compare.fitting import ALL_ROWS
from statlearn.app.compare.inner_predictions import Nested
from statlearn.app.compare.planning import make_plan
from statlearn.app.compare.progress import Progress, Stopwatch
from statlearn.app.compare.result import ModelResult
from statlearn.app.compare.results import Evidence, Results, differences, wins
from statlearn.app.compare.runner import count_jobs
from statlearn.app.compare.schedule import Schedule
from statlearn.app.compare.tuning import tunes_by_model
from statlearn.app.errors import AppError, DataError, Interrupted, UsageError
from statlearn.app.honesty import findings as honesty
from statlearn.app.honesty import leaks
from statlearn.app.honesty.wording import say
from statlearn.app.names import metric_label, plain
from statlearn.app.report.folder_lock import locked
from statlearn.app.setting_names import listed, option
from statlearn.app.tables import frames

LEAK_SHARE = 0.25  # of the time limit, for the comparison with columns that are the target in disguise
STACK_SHARE = 0.1  # of a time limit, for the fits behind the scores of a stack
CLOSING_SHARE = 0.05  # of a time limit, for what follows the fits
CLOSING_SECONDS = 3.0  # at most


def compare(
    X,
    y=None,
    *,
    target=None,
    task="auto",
    models=None,
    metric=None,
    folds=10,
    repeats=1,
    holdout=0.2,
    groups=None,
    time_order=None,
    keep=(),
    drop=(),
    rule="min",
    search="grid",
    time_limit=None,
    n_jobs=1,
    random_state=0,
    mute=(),
    out=None,
    resume=False,
    progress=None,
    source=None,
    n_rows=None,
    notes=(),
):
    """Cross-validated comparison of every suitable model on a table.

    Each model is tuned inside the training part of each outer fold and scored on its test part. All models see the same
    folds. The table is prepared (missing values, categories, dates, text, scaling) inside the training part too. Some
    of the rows are held out. At the end the best model, the simplest model within one standard error of it and the
    baseline are scored once on these rows.

    Parameters
    ----------
    X : data frame (pandas or polars) or array of shape (n_rows, n_columns)
        The table.
    y : str, array-like of shape (n_rows,) or None, default=None
        The target: the name of a column of X, its values, or a formula such as ``"price ~ size + town"`` or
        ``"price ~ . - town"``, which names the columns to learn from too.
    target : str or None, default=None
        Name of the target column; an alternative to passing the name as `y`.
    task : {"auto", "regression", "classification"}, default="auto"
        "auto" decides by the type and the number of distinct values of the target.
    models : sequence of str or None, default=None
        Names, class names or patterns ("lasso*"), as listed by ``statlearn models``. None for all that suit the table,
        and a weighted mean of the best of them ("stack").
    metric : str or None, default=None
        Metric that ranks the models; None for "rmse" (regression) or "log_loss" (classification). See
        `statlearn.app.compare.scoring.METRICS`; common aliases such as "auc" are accepted.
    folds : int, default=10
        Number of outer cross-validation folds.
    repeats : int, default=1
        Number of times the outer folds are drawn.
    holdout : float, default=0.2
        Fraction of the rows to hold out for a final test; 0 for none.
    groups : str, array-like or None, default=None
        Rows of one group are never split between training and test. A column name (the column is then not used as a
        feature), or one value per row.
    time_order : str, array-like or None, default=None
        Models are tested only on later rows than they were trained on. A column name, or one value per row.
    keep, drop : sequence of str, default=()
        Columns to use even if they look like identifiers, and columns to leave out.
    rule : {"min", "one_se"}, default="min"
        How tuning parameters are chosen: at the smallest validation loss, or the simplest within one standard error.
    search : {"grid", "bayes"}, default="grid"
        How tuning parameters are searched. "bayes" tunes the models that have three or more parameters worth tuning
        (boosting, forests) over wider ranges by `statlearn.gp.BayesSearchCV`, at the smallest validation loss. It takes
        longer. All others are tuned on their grids.
    time_limit : float or None, default=None
        Limit in seconds for the whole comparison. Every model is then fitted to at least a sample of the rows, and the
        most promising ones to all rows, fold by fold. Models that do not finish are marked.
    n_jobs : int, default=1
        Number of worker processes; -1 for one per processor.
    random_state : int, default=0
        Random seed.
    mute : sequence of str, default=()
        Codes of findings to hide.
    out : path or None, default=None
        Folder for the state of the work. `ComparisonResult.write` writes the report there too, and removes the state.
        No other process may write to this folder meanwhile.
    resume : bool, default=False
        Continue from the state in `out`.
    progress : Progress or None, default=None
        Where progress is shown; None shows nothing.
    source : str or None, default=None
        Name of the table in the report.
    n_rows : int or None, default=None
        Number of rows of the whole table, if X is a sample of it.
    notes : sequence of str, default=()
        Remarks on the table for the report.

    Returns
    -------
    ComparisonResult

    Notes
    -----
    After Ctrl-C the result covers what has finished so far, and ``result.complete`` is False.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> import statlearn
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> result = statlearn.compare(X, y, models=["ridge", "lasso"], folds=5)
    >>> [model.label for model in result.models]
    ['ridge', 'lasso', 'mean of the target']
    """
    watch = Stopwatch()
    asked = {
        "X": X, "y": y, "target": target, "task": task, "metric": metric, "folds": folds, "repeats": repeats,
        "holdout": holdout, "groups": groups, "time_order": time_order, "rule": rule, "n_jobs": n_jobs,
        "search": search, "random_state": random_state, "keep": keep, "drop": drop, "models": models,
    }  # fmt: skip
    if time_limit is not None and not time_limit > 0:
        raise UsageError(f"{option('time_limit')} must be a positive number of seconds, got {time_limit!r}")
    if resume and out is None:
        raise UsageError(f"{option('resume')} needs the folder of the earlier run; pass it as {option('out')}")
    honesty.check_codes(mute)
    jobs = count_jobs(n_jobs)
    progress = progress or Progress()

    with nullcontext() if out is None else locked(out):
        return _compare(
            asked, time_limit=time_limit, jobs=jobs, mute=mute, out=out, resume=resume, progress=progress,
            about={"source": source, "n_rows": n_rows, "notes": notes}, watch=watch,
        )  # fmt: skip


def _compare(asked, *, time_limit, jobs, mute, out, resume, progress, about, watch):
    """The comparison, with checked arguments and the lock of its folder."""
    plan = make_plan(asked, **about)
    state = State(
        None if out is None else f"{out}/state",
        {} if out is None else describe(plan.table.frame, plan.y, **plan.settings),
        resume=resume,
    )
    leaking = [leak.column for leak in plan.problem.leaks]
    seconds = _for_fits(time_limit, watch)
    if leaking and seconds is not None:
        seconds *= 1 - LEAK_SHARE

    results, schedule, done = _fit_all(plan, state, progress, seconds, jobs, out)
    result = _conclude(plan, results, done)
    result.settings = {
        **plan.settings,
        "models": None if asked["models"] is None else list(asked["models"]),
        "time_limit": time_limit,
        "mute": [code.upper() for code in mute] or None,
        "jobs": jobs,
        "finished_folds": len(done),
        "versions": _versions(),
    }
    result.complete = schedule.stopped_by is None
    result.stopped_by = schedule.stopped_by
    result.copied = honesty.suspicious_copies(plan.problem)
    result.findings = honesty.findings(result, plan.problem, schedule, mute=mute)
    result.verdict = ranking.verdict(result)
    if leaking and result.stopped_by != "interrupt":
        rest = None if time_limit is None else max(_for_fits(time_limit, watch), 1.0)
        progress.note(f"{listed(leaking)} gives the target away and was left out; comparing with it for the appendix.")
        result.with_leaks = leaks.compare_with(
            compare, leaking, rest, progress=progress, out=None if out is None else state.folder / "with-leaks",
            resume=resume, **asked,
        )  # fmt: skip
        if result.with_leaks.get("interrupted"):
            result.complete, result.stopped_by = False, "interrupt"
    label = scoring.METRICS[result.task][result.metric].label
    if plan.only_leaks is not None:
        result.verdict = leaks.verdict_of_leaks(result.verdict, *plan.only_leaks)
    elif leaking:
        found = result.with_leaks or {"columns": leaking, "error": "interrupted"}
        result.verdict = leaks.verdict_with_leaks(result.verdict, found, label)
    elif any(finding.code == "LEAK" for finding in result.findings):
        result.verdict += f" {leaks.DOUBT}"
    if any(finding.code == "WILD-FOLD" for finding in result.findings):
        result.verdict += f" {say('WILD-FOLD')}"
    result.seconds = watch.elapsed
    result.state = state
    return result


def _fit_all(plan, state, progress, seconds, jobs, out):
    """Results of all candidates and of their stack; the schedule that made them; the folds that count."""
    problem = plan.problem
    nests = plan.stacked and len(problem.y) < stack.MANY_ROWS
    for_stack = STACK_SHARE * seconds if nests and seconds is not None else 0.0
    seconds = seconds if seconds is None else seconds - for_stack
    schedule = Schedule(problem, state, progress, seconds=seconds, n_jobs=jobs, stacked=plan.stacked)
    schedule.run()
    names, done = schedule.finished()
    if len(done) < 2:
        raise _nothing(schedule, out)
    results = [_model_result(problem, schedule, candidate, names, done) for candidate in problem.candidates.values()]
    if plan.stacked:
        inside = None
        if schedule.stopped_by != "interrupt":
            rest = None if seconds is None else schedule.left + for_stack
            inside = Nested(problem, schedule.records, jobs, rest)
        combined = stack.stack(problem, schedule.records, results, done, inside)
        if combined is not None:
            combined.size_bytes = ranking.size_of(combined.estimator)
            judged = [fold for fold, score in zip(done, combined.scores[problem.metric.name]) if np.isfinite(score)]
            combined.remark = ", ".join(filter(None, [_remark(problem, dict.fromkeys(judged)), combined.remark]))
            results.append(combined)
    return results, schedule, done


def _for_fits(time_limit, watch):
    """Seconds for the fits: what has been used, and what the rest of the work needs, are taken off."""
    if time_limit is None:
        return None
    closing = min(CLOSING_SHARE * time_limit, CLOSING_SECONDS) * watch.slowdown
    return max(time_limit - watch.elapsed - closing, 0.1 * time_limit)


def _model_result(problem, schedule, candidate, names, done):
    space = candidate.space
    result = ModelResult(candidate.name, space.label, candidate.class_name, space.complexity)
    tried = space.ranges if tunes_by_model(space, problem.search) else space.grid
    result.grid = {name: list(values) for name, values in tried.items()}
    dropped = schedule.dropped.get(candidate.name)
    if candidate.name not in names:
        result.status = dropped.status if dropped else "out of time"
        result.error = dropped.error if dropped and dropped.status == "failed" else _known(problem, schedule, candidate)
        result.warnings = dropped.warnings if dropped else []
        return result
    result.status = "done"
    parts = {fold: schedule.records.get((candidate.name, fold)) for fold in done}
    finished = {fold: part for fold, part in parts.items() if part is not None}
    result.fold_settings = [part.settings for part in finished.values()]
    result.scores = {
        metric.name: np.array([np.nan if part is None else part.scores[metric.name] for part in parts.values()])
        for metric in problem.metrics
    }
    result.fit_seconds = np.array([part.fit_seconds for part in finished.values()])
    result.predict_seconds = np.array([part.predict_seconds for part in finished.values()])
    result.predictions = _out_of_fold(problem, finished)
    result.tested = {int(fold): part.outcome() for fold, part in finished.items()}
    result.remark = _remark(problem, finished)
    lines = [line for part in finished.values() for line in part.warnings]
    full = schedule.records.get((candidate.name, ALL_ROWS))
    if full is not None:
        result.settings, result.tuning, result.estimator = full.settings, full.tuning, full.estimator
        result.n_parameters = ranking.count_parameters(full.estimator)
        result.size_bytes = ranking.size_of(full.estimator)
        lines = full.warnings + lines
    result.warnings = list(dict.fromkeys(lines))[:20]
    return result


def _known(problem, schedule, candidate):
    """What is known of a model that has not finished two folds."""
    dropped = schedule.dropped.get(candidate.name)
    samples = schedule.samples.get(candidate.name)
    if samples:
        last = samples[-1]
        whole = len(problem.folds[0][0])
        part = f"{last.rows:,} of {whole:,} rows" if last.rows < whole else "the first fold without tuning"
        return f"only fitted to {part}, with {metric_label(problem.metric.name)} {plain(last.score)}"
    return dropped.error if dropped else "not started"


def _remark(problem, finished):
    """What sets the scores of a model apart from those of a whole comparison; empty for nothing."""
    words = []
    if len(finished) < len(problem.folds):
        words.append(f"{len(finished)} of {len(problem.folds)} folds")
    parts = [part for part in finished.values() if part is not None]
    rows = {part.rows for part in parts} - {None}
    if rows:
        words.append(f"fitted to {max(rows):,} rows")
    if any(part.tuning_rows == 0 for part in parts):
        words.append("not tuned")
    return ", ".join(words)


def _out_of_fold(problem, finished):
    """Predictions for each training row while it was not trained on, averaged over repeats; NaN where it never was."""
    shape = (len(problem.y),) if problem.classes is None else (len(problem.y), len(problem.classes))
    total, times = np.zeros(shape), np.zeros(len(problem.y))
    for fold, part in finished.items():
        test = problem.folds[fold][1]
        total[test] += part.predictions
        times[test] += 1
    with np.errstate(invalid="ignore"):
        return total / (times if total.ndim == 1 else times[:, None])


def _conclude(plan, results, done):
    """The result: models in their order, differences, and scores on the held-out rows."""
    problem, profile, held = plan.problem, plan.profile, plan.held
    metric = problem.metric
    evidence = Evidence(
        problem.truth, problem.folds, {m.name: m.tested for m in results}, problem.metrics, problem.scheme
    )
    table = Results(metric.name, evidence.scores())
    ranked = ranking.rank(results, table, metric, evidence)
    best = ranked[0]
    done = [m.name for m in ranked if m.status == "done"]
    table.differences = differences(evidence, table.scores, done, best.name)
    table.wins = wins(
        evidence, [m.name for m in ranked if m.status == "done" and m.complexity > 0], best.name, seed=problem.seed
    )
    baseline = next(m.name for m in results if m.complexity == 0)
    simplest = ranking.simplest_within_one_se(ranked, table, evidence)
    result = ComparisonResult(
        profile=profile,
        task=profile.task,
        target=profile.target,
        metric=metric.name,
        greater_is_better=metric.greater_is_better,
        metrics=[m.name for m in problem.metrics],
        models=ranked,
        baseline=baseline,
        best=best.name,
        simplest=simplest,
        results=table,
        findings=[],
        verdict="",
        y_true=problem.y,
        train_rows=plan.order[plan.train],
        holdout_rows=plan.order[held],
        holdout_scores={},
    )
    result.features, result.y_holdout = plan.table.features.to_native(), plan.y[held]
    if len(held):
        frame = frames.take(plan.table.frame, held)
        truth = plan.truth[held]
        chosen = dict.fromkeys([best.name, simplest, baseline])
        result.holdout_scores, result.holdout_predictions = ranking.score_holdout(
            [result.model(name) for name in chosen if result.model(name).estimator is not None],
            frame.to_native(), truth, problem,
        )  # fmt: skip
    return result


def _nothing(schedule, out):
    failed = [f"{name}: {record.error}" for name, record in schedule.dropped.items() if record.status == "failed"]
    again = f"; {option('resume')} continues from here" if out is not None else ""
    if schedule.stopped_by == "interrupt":
        return Interrupted(f"interrupted before any model had finished two folds, so there are no results yet{again}")
    if schedule.stopped_by == "time":
        return AppError(
            f"the time limit was reached before any model had finished two folds; raise {option('time_limit')}, or "
            f"select fewer models with {option('models')}{again}"
        )
    return DataError("no model could be fitted: " + "; ".join(failed[:5]))


def _versions():
    import platform

    import scipy
    import sklearn

    own = {"statlearn": __version__, "python": platform.python_version()}
    return {**own, "numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__}
