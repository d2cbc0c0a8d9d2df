"""The fits of a comparison: every candidate and the stack, scored on the same folds and ranked."""

from dataclasses import dataclass, replace

import numpy as np

from statlearn.app.compare import ranking, stack
from statlearn.app.compare.fitting import ALL_ROWS
from statlearn.app.compare.inner_predictions import Nested
from statlearn.app.compare.result import ModelResult
from statlearn.app.compare.results import Evidence, Results, differences, wins
from statlearn.app.compare.schedule import Schedule
from statlearn.app.compare.tuning import tunes_by_model
from statlearn.app.errors import AppError, DataError, Interrupted
from statlearn.app.names import metric_label, plain
from statlearn.app.setting_names import option

STACK_SHARE = 0.1  # of a time limit, for the fits behind the scores of a stack


@dataclass(frozen=True, eq=False)
class Fits:
    """Models with their scores, best first."""

    models: list[ModelResult]
    results: Results
    simplest: str
    schedule: Schedule
    folds: list[int]  # finished ones

    @property
    def best(self):
        return self.models[0]

    @property
    def stopped_by(self):
        return self.schedule.stopped_by


def fit_all(request, plan, state, progress, seconds):
    """All candidates and their stack, fitted, scored and ranked."""
    problem, jobs = plan.problem, request.n_jobs
    nests = plan.stacked and len(problem.y) < stack.MANY_ROWS
    for_stack = STACK_SHARE * seconds if nests and seconds is not None else 0.0
    seconds = seconds if seconds is None else seconds - for_stack
    schedule = Schedule(
        problem, state, progress, seconds=seconds, n_jobs=jobs, stacked=plan.stacked, cluster=request.cluster
    )
    schedule.run()
    names, done = schedule.finished()
    if len(done) < 2:
        raise _nothing(schedule, request.out)
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
    return _ranked(problem, results, schedule, done)


def _ranked(problem, models, schedule, folds):
    """Models in their order, with the table of their scores and differences."""
    metric = problem.metric
    evidence = Evidence(
        problem.truth, problem.folds, {m.name: m.tested for m in models}, problem.metrics, problem.scheme
    )
    table = Results(metric.name, evidence.scores())
    ranked = ranking.rank(models, table, metric, evidence)
    done, best = [m for m in ranked if m.status == "done"], ranked[0].name
    single = [m.name for m in done if m.complexity > 0 and m.name != stack.STACK]
    table = replace(
        table, differences=differences(evidence, table.scores, [m.name for m in done], best),
        # A stack holds the leading models: that it comes first is no other winner.
        wins=wins(evidence, single, best, seed=problem.seed),
    )  # fmt: skip
    return Fits(ranked, table, ranking.simplest_within_one_se(ranked, table, evidence), schedule, folds)


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
