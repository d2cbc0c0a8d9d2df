"""Runs the units of work: in what order, for how long, on how many processes."""

import os
import pickle
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from statlearn.app.errors import UsageError
from statlearn.app.fitting import ALL_ROWS, Designs, Record, run
from statlearn.app.tuning import FULL, Effort, grid_points

MIN_SHARE = 0.5  # seconds that any fit may take
PROBE_ROWS = 400  # rows of the first fit of every model
GROWTH = 4  # of the rows from one round of the race to the next
TUNING_ROWS = 4000  # rows behind the settings where there is no time for more
COST_POWER = 1.1  # how the cost of a fit grows with the rows, where it is not measured; empirical like the next ones
PROBE_SHARE = 0.25  # of the time, for the first fits
RACE_SHARE = 0.2  # of the remaining time, for one round of the race
ENOUGH_FOLDS = 3  # finished by all finalists before slower or weaker models get time
CLEARLY = 3.0  # standard errors behind the leader at which a finalist is not followed further

_loaded: dict = {}  # in a worker: path -> (problem, designs)


def count_jobs(n_jobs):
    """A number of processes: None is 1, -1 all processors."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, int) or isinstance(n_jobs, bool) or n_jobs == 0 or n_jobs < -1:
        raise UsageError(f"jobs must be a positive whole number, or -1 for all processors, got {n_jobs!r}")
    if n_jobs > 0:
        return n_jobs
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Unit:
    """One fit: a model, a fold (or ALL_ROWS), how much it may cost, and after how many seconds it is stopped."""

    name: str
    fold: int
    effort: Effort = FULL
    seconds: float | None = None
    sample: bool = False  # a fit that measures cost and promise, not a part of the result


@dataclass(frozen=True)
class Sample:
    """What a fit on a sample of the rows has told of a model."""

    rows: int
    score: float  # by the metric of the comparison, on (some) test rows of the first fold
    one_fit: float  # seconds of a fit with given settings
    predict_seconds: float


class Schedule:
    """The units of work of a comparison.

    Without a time limit every model is fitted on all training rows first, so that what is interrupted later has its
    models already, and then fold after fold: all models always have nearly the same folds behind them.

    Under a limit the work is a race. Every model is fitted to a small sample, which measures its cost and its promise.
    If the whole work fits into the time, it is done as without a limit. If not, the better half goes on to four times
    the rows, and so on; settings are chosen on one inner split of a sample. Those that lead and can be afforded on all
    rows (the finalists) are then followed fold by fold, the leading first; those clearly behind are not followed
    further, and what time is left goes to the next ones. Nothing that was measured is thrown away: `samples` holds what
    is known of the models that did not get to all rows.

    Parameters
    ----------
    problem : Problem
    state : State
        Where finished records go.
    progress : Progress
    seconds : float or None
        The time limit.
    n_jobs : int
        Processes; with one, everything happens in this one.
    """

    def __init__(self, problem, state, progress, *, seconds=None, n_jobs=1):
        self.problem, self.state, self.progress = problem, state, progress
        self.n_jobs = n_jobs
        self.seconds = seconds
        self.deadline = None if seconds is None else time.monotonic() + seconds
        self.records: dict[tuple[str, int], Record] = {}
        self.samples: dict[str, list[Sample]] = {}  # smallest first
        self.dropped: dict[str, Record] = {}  # models that failed, or that are too slow to be followed further
        self.stopped_by: str | None = None  # "interrupt" or "time"
        self.baseline = next(n for n, c in problem.candidates.items() if c.space.complexity == 0)
        self._worker_file: str | None = None
        self._designs: Designs | None = None

    def run(self):
        """Do the work. Ctrl-C and the clock end it early: `stopped_by` says which."""
        names = list(self.problem.candidates)
        for record in self.state.load(names, len(self.problem.folds)):
            # Settings chosen in a hurry are good enough for another hurry, not for a comparison without a limit.
            if self.deadline is not None or (record.rows is None and record.tuning_rows is None):
                self.records[record.model, record.fold] = record
        self._labels = {name: c.space.label for name, c in self.problem.candidates.items()}
        n_units = len(names) * (len(self.problem.folds) + 1)
        self.progress.start(self._labels, n_units, len(self.records), self.seconds)
        try:
            if self.n_jobs == 1:
                self._designs = Designs(self.problem)
                self._work(names)
                return
            with tempfile.TemporaryDirectory(prefix="statlearn-") as folder:
                path = Path(folder) / "problem.pickle"
                path.write_bytes(pickle.dumps(self.problem, protocol=pickle.HIGHEST_PROTOCOL))
                self._worker_file = str(path)
                self._work(names)
        except KeyboardInterrupt:
            self.stopped_by = "interrupt"
        finally:
            self.progress.finish()

    def _work(self, names):
        if self.deadline is None:
            self._everything(names)
            return
        self._probe(names)
        alive = [name for name in names if name not in self.dropped]
        if self._cost_of_everything(alive) <= 0.7 * self.left:
            self._everything(alive)
        else:
            self._race(alive)
        n_folds = len(self.problem.folds)
        if any((name, fold) not in self.records for name in alive for fold in range(ALL_ROWS, n_folds)):
            self.stopped_by = "time"

    @property
    def left(self):
        """Seconds that are left."""
        return np.inf if self.deadline is None else self.deadline - time.monotonic()

    # The whole work, in one order for all.

    def _everything(self, names):
        n_folds = len(self.problem.folds)
        wanted = [(name, fold) for fold in range(ALL_ROWS, n_folds) for name in names]
        self._do(self._while_time(wanted))

    def _while_time(self, wanted):
        """Units, judged when their turn comes; a fit may take what is left, divided by the rounds that are left."""
        for name, fold in wanted:
            if self.left <= 0:
                return
            seconds = None
            if self.deadline is not None and name != self.baseline:
                seconds = min(self.left, max(self.left / (len(self.problem.folds) - fold), MIN_SHARE))
            yield Unit(name, fold, FULL, seconds)

    # The race.

    def _probe(self, names):
        """A fit of every model to a small sample, the simple models first."""
        rows = min(PROBE_ROWS, len(self.problem.folds[0][0]))
        cap = max(MIN_SHARE, PROBE_SHARE * self.seconds / len(names))
        effort = Effort(rows=rows, inner_folds=0)
        waiting = [n for n in names if (n, 0) not in self.records]
        waiting.sort(key=lambda n: self.problem.candidates[n].space.complexity)
        caps = {name: None if name == self.baseline else cap for name in waiting}
        self._do(Unit(name, 0, effort, caps[name], sample=True) for name in waiting if self.left > 0)

    def _cost_of_everything(self, names):
        n_folds = len(self.problem.folds)
        total = 0.0
        for name in names:
            missing = sum((name, fold) not in self.records for fold in range(ALL_ROWS, n_folds))
            total += missing * self._cost(name, FULL)
        return total / self.n_jobs

    def _cost(self, name, effort):
        """Seconds that a unit will take, from the costs that were measured."""
        n = effort.rows or len(self.problem.folds[0][0])
        space = self.problem.candidates[name].space
        known = [r for (model, fold), r in self.records.items() if model == name and fold >= 0]
        if known and effort.rows is None and effort.inner_folds == 1:
            return float(np.mean([r.fit_seconds + r.predict_seconds for r in known]))
        samples = self.samples.get(name)
        if not samples:
            return float(np.mean([r.fit_seconds for r in known])) if known else np.inf
        last, power = samples[-1], COST_POWER
        if len(samples) > 1:
            before = samples[-2]
            slope = np.log(max(last.one_fit, 1e-6) / max(before.one_fit, 1e-6)) / np.log(last.rows / before.rows)
            power = float(np.clip(slope, 0.6, 3.0))
        whole = last.one_fit * (n / last.rows) ** power
        points = len(grid_points(space.grid))
        if points > 1 and effort.inner_folds:
            tuning = min(effort.tuning_rows or n, n)
            whole += points * effort.inner_folds * last.one_fit * (0.8 * tuning / last.rows) ** power
        return whole + last.predict_seconds

    def _race(self, names):
        n = len(self.problem.folds[0][0])
        rows = min(PROBE_ROWS, n)
        running = self._by_promise([name for name in names if name != self.baseline])
        while len(running) > 2 and rows * GROWTH * 2 < n:
            rows *= GROWTH
            running = running[: max(4, (len(running) + 1) // 2)]
            effort = Effort(rows=rows, tuning_rows=min(rows, TUNING_ROWS), inner_folds=1)
            until = self.left * (1 - RACE_SHARE)

            def heat(effort=effort, until=until, running=running):
                cap = max(MIN_SHARE, 2 * (self.left - until) / len(running))
                for name in running:
                    if self.left > until and self._cost(name, effort) < 2 * cap:
                        yield Unit(name, 0, effort, min(cap, self.left), sample=True)

            self._do(heat())
            running = self._by_promise([name for name in running if name not in self.dropped])
        self._finals(self._by_promise([name for name in names if name != self.baseline and name not in self.dropped]))

    def _by_promise(self, names):
        """Best first: what reached more rows comes before what did not, then the loss there."""
        metric = self.problem.metric

        def key(name):
            full = [r for (model, fold), r in self.records.items() if model == name and fold >= 0]
            samples = self.samples.get(name, [])
            if not full and not samples:
                return (1, 0, 0.0)
            score = full[0].scores.get(metric.name, np.nan) if full else samples[-1].score
            loss = -score if metric.greater_is_better else score
            reached = np.inf if full else samples[-1].rows
            return (0, -reached, loss if np.isfinite(loss) else np.inf)

        return sorted(names, key=key)

    def _finals(self, order):
        """Fold after fold for the models that lead and can be afforded, then for others while time is left."""
        effort = Effort(tuning_rows=TUNING_ROWS, inner_folds=1)
        n_folds = len(self.problem.folds)
        enough = min(ENOUGH_FOLDS, n_folds)
        finalists = self._affordable(order, effort, enough)
        if not finalists and order:  # not even one on all rows: on the sample that the race has reached
            reached = self.samples[order[0]][-1].rows if order[0] in self.samples else PROBE_ROWS
            effort = Effort(reached, TUNING_ROWS, 1)
            finalists = self._affordable(order, effort, 2) or order[:1]
        self._do(Unit(self.baseline, fold, effort, None) for fold in range(ALL_ROWS, n_folds))
        followed = list(finalists)
        for fold in range(n_folds):
            followed = self._in_the_running(followed) if fold >= enough else followed
            self._do(self._round(followed, fold, effort))
        rest = [name for name in order if name not in finalists]
        for name in rest:
            # A model counts from two folds on: with less time than that it is not begun.
            if self.left - self._reserve(effort) < 2.2 * self._cost(name, effort) / self.n_jobs:
                continue
            for fold in range(min(enough, n_folds)):
                self._do(self._round([name], fold, effort))
        self._fit_leaders(effort)

    def _affordable(self, order, effort, n_folds):
        """The first models whose folds, and a fit on all rows, fit into the time."""
        chosen, cost = [], 0.0
        for name in order:
            one = (n_folds + 1) * self._cost(name, effort) / self.n_jobs
            if cost + one <= 0.9 * self.left:
                chosen.append(name)
                cost += one
        return chosen

    def _round(self, names, fold, effort):
        for name in names:
            available = self.left - self._reserve(effort)
            expected = self._cost(name, effort)
            if available > 0.8 * expected:
                yield Unit(name, fold, effort, max(available, MIN_SHARE / 10))

    def _reserve(self, effort):
        """Seconds for the leader's fit on all rows."""
        leader = self._leader()
        if leader is None or (leader, ALL_ROWS) in self.records:
            return 0.0
        return 1.3 * self._cost(leader, effort)

    def _table(self):
        """Losses of the models with results on whole folds, one column per fold, NaN where there is none."""
        metric = self.problem.metric
        table = {}
        for (name, fold), record in self.records.items():
            if fold >= 0 and name not in self.dropped:
                score = record.scores.get(metric.name, np.nan)
                row = table.setdefault(name, np.full(len(self.problem.folds), np.nan))
                row[fold] = -score if metric.greater_is_better else score
        return table

    def _leader(self):
        from statlearn.app.ranking import paired_means

        table = self._table()
        table.pop(self.baseline, None)
        if not table:
            return None
        means = paired_means(np.array(list(table.values())))
        return list(table)[int(np.nanargmin(means))] if np.isfinite(means).any() else None

    def _in_the_running(self, names):
        """Models that are not clearly behind the leader on the folds that both have finished."""
        table, leader = self._table(), self._leader()
        if leader is None:
            return names
        kept = []
        for name in names:
            gaps = table.get(name, np.full(1, np.nan)) - table[leader]
            gaps = gaps[np.isfinite(gaps)]
            error = gaps.std(ddof=1) / np.sqrt(len(gaps)) if len(gaps) > 1 else np.inf
            if name == leader or not gaps.mean() > CLEARLY * error:
                kept.append(name)
        return kept

    def _fit_leaders(self, effort):
        """The fit on all rows: of the leader in any case, of the others while time is left, the best first."""
        from statlearn.app.ranking import paired_means

        table = self._table()
        names = list(table)
        means = paired_means(np.array([table[name] for name in names])) if names else []
        order = [names[k] for k in np.argsort(means)]
        leader = self._leader()
        for name in sorted(order, key=lambda name: name != leader):
            cost = self._cost(name, effort)
            if name == leader:
                self._do([Unit(name, ALL_ROWS, effort, max(self.left, 3 * cost, MIN_SHARE))])
            elif self.left > 1.2 * cost:
                self._do([Unit(name, ALL_ROWS, effort, self.left)])

    # Doing units.

    def _do(self, units):
        """Run units that are not done yet and take their records."""
        units = (u for u in units if u.name not in self.dropped and self._is_new(u))
        for record, unit in self._results(units):
            self._take(record, unit)

    def _is_new(self, unit):
        return (unit.name, unit.fold) not in self.records

    def _results(self, units):
        if self.n_jobs == 1:
            for unit in units:
                yield run(self.problem, self._designs, unit.name, unit.fold, unit.seconds, unit.effort), unit
            return
        from joblib import Parallel, delayed

        parallel = Parallel(self.n_jobs, return_as="generator_unordered", pre_dispatch=self.n_jobs, batch_size=1)
        results = parallel(delayed(_work)(self._worker_file, unit) for unit in units)
        try:
            for record, unit in results:
                if record.status == "interrupted":
                    raise KeyboardInterrupt
                yield record, unit
        finally:
            results.close()

    def _take(self, record, unit):
        if record.status == "done" and unit.sample:
            self.samples.setdefault(record.model, []).append(self._sample(record, unit.effort))
        elif record.status == "done":
            self.records[record.model, record.fold] = record
            self.state.save(record)
        elif record.status == "failed":
            self.dropped.setdefault(record.model, record)
        elif unit.sample and unit.effort.inner_folds == 0:
            record.error = f"a fit to {unit.effort.rows:,} rows took more than {unit.seconds:.2g} s"
            self.dropped.setdefault(record.model, record)
        elif unit.effort == FULL and self.left > 0:  # slower than its share: it could not finish even if it were alone
            self.dropped.setdefault(record.model, record)
        self.progress.unit(record, self._labels[record.model])

    def _sample(self, record, effort):
        rows = record.rows or len(self.problem.folds[0][0])
        points = len(grid_points(self.problem.candidates[record.model].space.grid))
        fits = 1.0
        if points > 1 and effort.inner_folds:
            fits += 0.75 * points * effort.inner_folds * min((effort.tuning_rows or rows) / rows, 1.0)
        score = record.scores.get(self.problem.metric.name, np.nan)
        return Sample(rows, score, record.fit_seconds / fits, record.predict_seconds)

    def finished(self):
        """Names of the models with two finished folds or more, and the folds that any of them has finished.

        Models that failed on a fold are not among them; none are where only the baseline would be left, or where no
        model was fitted on all rows.
        """
        failed = {name for name, record in self.dropped.items() if record.status == "failed"}
        folds = {
            name: {fold for fold in range(len(self.problem.folds)) if (name, fold) in self.records}
            for name in self.problem.candidates
            if name not in failed
        }
        folds = {name: done for name, done in folds.items() if len(done) >= 2}
        fitted = [name for name in folds if (name, ALL_ROWS) in self.records]
        others = [name for name in fitted if name != self.baseline]
        if not fitted or (self.stopped_by is not None and not others and len(self.problem.candidates) > 1):
            return [], np.empty(0, int)
        return list(folds), np.array(sorted(set().union(*folds.values())), int)


def _work(path, unit):
    """A unit of work in a process of its own; the problem is read once per process."""
    try:
        if path not in _loaded:
            _loaded.clear()
            problem = pickle.loads(Path(path).read_bytes())  # our own file, in a private folder
            _loaded[path] = (problem, Designs(problem))
        problem, designs = _loaded[path]
        return run(problem, designs, unit.name, unit.fold, unit.seconds, unit.effort), unit
    except KeyboardInterrupt:
        return Record(unit.name, unit.fold, "interrupted"), unit
