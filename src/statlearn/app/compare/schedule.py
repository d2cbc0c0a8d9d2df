"""The order of the units of work, and how long each may take."""

import sys
import time
from itertools import zip_longest

import numpy as np

from statlearn.app.compare.checkpoints import fits
from statlearn.app.compare.fitting import ALL_ROWS, Record
from statlearn.app.compare.runner import Runner, Unit
from statlearn.app.compare.standings import Known
from statlearn.app.compare.tuning import FULL, Effort

MIN_SHARE = 0.5  # seconds that any fit may take
PROBE_ROWS = 400  # rows of the first fit of every model
TEST_ROWS = 2000  # behind the score of a fit to a sample
GROWTH = 4  # of the rows from one heat of the race to the next
QUICK = Effort(tuning_rows=4000, inner_folds=1)  # settings from one inner split of a sample
CAREFUL = Effort(tuning_rows=16_000, inner_folds=1)  # small samples prefer models that are too simple for all rows
CAREFUL_SHARE = 0.4  # of the remaining time that the careful effort of a finalist may take
PROBE_SHARE = 0.2  # of the time, for the first fits
LEADER_SHARE = 0.08  # of the time, for the first fit of each model that leads most often
IMPORT_SECONDS = 30.0  # that must be left for a model whose library takes seconds to be imported
HEAT_SHARE = 0.15  # of the remaining time, for one heat of the race
SAFE_SHARE = 0.6  # of the remaining time that the whole work may be expected to take
STRONG = 5.0  # complexity from which a model is expected to lead
FINALISTS = 5
COMPANY = 3  # of the finalists are followed to the end for the sake of the stack
FIRST_FOLD = 0.45  # of the remaining time that the first fold of a finalist may take
ENOUGH_FOLDS = 3  # finished by all finalists before other models get time


# Flexible models that lead most often for their cost come first; empirical, from the tables of benchmarks/automl.py.
LEADERS = ("gradient-boosting", "random-forest", "extra-trees")


def in_turn(names, complexity):
    """Models in the order of their first fits: the baseline, then a simple and a flexible one in turn.

    Examples
    --------
    >>> from statlearn.app.compare.schedule import in_turn
    >>> in_turn(["mean", "lasso", "ridge", "tree", "random-forest", "gradient-boosting"],
    ...         {"mean": 0, "lasso": 1, "ridge": 2, "tree": 3, "random-forest": 6, "gradient-boosting": 5.5})
    ['mean', 'lasso', 'gradient-boosting', 'ridge', 'random-forest', 'tree']
    """
    rank = {name: k for k, name in enumerate(LEADERS)}
    order = sorted(names, key=lambda n: (rank.get(n, len(rank)), complexity[n]))
    strong = [name for name in order if complexity[name] >= STRONG]
    simple = [name for name in order if 0 < complexity[name] < STRONG]
    turns = [name for pair in zip_longest(simple, strong) for name in pair if name is not None]
    return [name for name in names if complexity[name] == 0] + turns


class Schedule:
    """The units of work of a comparison.

    Without a time limit every model is fitted on all training rows first, so that what is interrupted later has its
    models already, and then fold after fold: all models always have nearly the same folds behind them.

    Under a limit every model is fitted to a small sample first, which measures its cost and its promise. If the whole
    work fits into the time, it is done, the promising models first; settings are chosen on one inner split of a sample
    if that makes it fit. If not, it is a race: the better half is fitted to four times the rows, and so on. Those that
    lead and can be afforded on all rows (the finalists) are then followed fold after fold; those clearly behind wait,
    and half of the time that is left goes to the others, the promising ones first; when the finalists are done, all
    of it. Nothing that was measured is discarded: `samples` holds what is known of models not fitted to all rows.

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
    cluster : str, distributed.Client or None
        A Dask cluster that does the units instead; without a time limit only.
    stacked : bool
        Whether a stack will be made: models that have weight in it are followed even if they are clearly behind.
    """

    def __init__(self, problem, state, progress, *, seconds=None, n_jobs=1, stacked=False, cluster=None):
        self.problem, self.state, self.progress = problem, state, progress
        self.n_jobs, self.stacked = n_jobs, stacked
        self.seconds = seconds
        self.deadline = None if seconds is None else time.monotonic() + seconds
        self.known = Known(problem)
        self.records, self.samples = self.known.records, self.known.samples
        self.dropped, self.plan, self.baseline = self.known.dropped, self.known.plan, self.known.baseline
        self.stopped_by: str | None = None  # "interrupt" or "time"
        self._members: list[str] = []  # models that have weight in the stack
        self._ended: set[str] = set()  # models that have finished folds, but were stopped on another: no more folds
        self._runner = Runner(problem, n_jobs, cluster)

    def run(self):
        """Do the work. Ctrl-C and the clock end it early: `stopped_by` says which."""
        names = list(self.problem.candidates)
        for record in self.state.load(names, len(self.problem.folds)):
            # Settings chosen in a hurry are good enough for another hurry, not for a comparison without a limit.
            in_earnest = self.deadline is not None or (record.rows is None and record.tuning_rows is None)
            if in_earnest and fits(record, self.problem):
                self.records[record.model, record.fold] = record
        self._labels = {name: c.space.label for name, c in self.problem.candidates.items()}
        n_units = len(names) * (len(self.problem.folds) + 1)
        limit = {} if self.seconds is None else {"seconds": self.seconds}
        self.progress.start(self._labels, n_units, len(self.records), **limit)
        try:
            with self._runner:
                self._work(names)
        except KeyboardInterrupt:
            self.stopped_by = "interrupt"
            if self.deadline is not None:
                self._finish_after_interrupt()
        finally:
            self.progress.finish()

    def _finish_after_interrupt(self):
        """What a race still owes when it is interrupted; a second Ctrl-C ends this too."""
        self._runner.go_on_alone()
        self.n_jobs = 1
        try:
            self._follow_baseline()
            self._fit_leader()
        except KeyboardInterrupt:
            pass

    def _work(self, names):
        if self.deadline is None:
            self._do(Unit(name, fold) for fold in range(ALL_ROWS, len(self.problem.folds)) for name in names)
            return
        self._probe(names)
        alive = [name for name in names if name not in self.dropped]
        for effort in (FULL, QUICK):
            if self._cost_of_everything(alive, effort) <= SAFE_SHARE * self.left:
                self._everything(alive, effort)
                break
        else:
            self._race(alive)
        self._second_chance()
        self._ensure_result()
        missing = (
            (n, f) not in self.records for n in names if not self.known.has_failed(n) for f in self._folds_and_all()
        )
        if any(missing):
            self.stopped_by = "time"

    def _folds_and_all(self):
        return [*range(len(self.problem.folds)), ALL_ROWS]

    @property
    def left(self):
        """Seconds that are left."""
        return np.inf if self.deadline is None else self.deadline - time.monotonic()

    # The whole work within the time.

    def _everything(self, names, effort):
        """All folds of the promising and the flexible models, then those of the others.

        If the time turns out too short, only the best finish.
        """
        self.plan.update(dict.fromkeys(names, effort))
        order = [self.baseline, *self.known.by_promise([name for name in names if name != self.baseline])]
        first = [name for k, name in enumerate(order) if k <= FINALISTS or self._is_strong(name)]
        for fold in self._folds_and_all():
            if self._cost_of_everything([name for name in first if name not in self.dropped], effort) > self.left:
                self.plan.clear()
                self._finals(self.known.by_promise([name for name in order[1:] if name not in self.dropped]))
                return
            self._do(self._whole(first, fold, effort))
        for fold in self._folds_and_all():
            self._do(self._whole([name for name in order if name not in first], fold, effort))

    def _whole(self, names, fold, effort):
        for name in names:
            if self.left <= 0:
                return
            cap = max(MIN_SHARE, 5 * self.known.cost(name, effort))
            yield Unit(name, fold, effort, None if name == self.baseline else min(cap, self.left))

    def _second_chance(self):
        """Models whose first fit took longer than its share, and those not followed further, while time is left."""
        slow = [name for name, record in self.dropped.items() if record.status == "out of time"]
        for name in slow:
            if self.left < 0.1 * self.seconds:
                break
            del self.dropped[name]
            seconds = 0.4 * self.left
            self._do([Unit(name, 0, QUICK, seconds)])
            if (name, 0) not in self.records:
                self.dropped[name] = Record(name, 0, "out of time", f"one fit was stopped after {seconds:.2g} s")
        order = self.known.by_promise(
            [n for n in self.problem.candidates if n not in self.dropped and n != self.baseline]
        )
        for fold in range(len(self.problem.folds)):
            for name in order:
                self.plan.setdefault(name, QUICK)
                self._do(self._round([name], fold))
        self._follow_baseline()
        self._fit_leaders()

    def _ensure_result(self):
        """Two folds of a quick model and of the baseline, however late it is: without them there is no result."""
        if len(self.known.finished(early=True)[1]) >= 2:
            return
        for name, fold in list(self.records):  # a model with a single fold cannot be judged, nor can others behind it
            if sum((name, f) in self.records for f in range(len(self.problem.folds))) < 2:
                del self.records[name, fold]
        for name in self._quickest_first():
            quick = Effort(inner_folds=0)
            if self.known.cost(name, quick) > MIN_SHARE:
                quick = Effort(rows=PROBE_ROWS, inner_folds=0)
            self.dropped.pop(name, None)
            self._do([Unit(name, fold, quick) for fold in (0, 1, ALL_ROWS)])
            if all((name, fold) in self.records for fold in (0, 1, ALL_ROWS)):
                break
        self._follow_baseline()

    def _quickest_first(self):
        """Models that have not failed, by the cost of a fit to a sample; those without one by their complexity."""
        names = [n for n in self.problem.candidates if n != self.baseline and not self.known.has_failed(n)]
        sample = Effort(rows=PROBE_ROWS, inner_folds=0)

        def order(name):
            return (name in self.dropped, self.known.cost(name, sample), self.problem.candidates[name].space.complexity)

        return sorted(names, key=order)

    # The race.

    def _probe(self, names):
        """A fit of every model to a small sample: the baseline, then simple and flexible models in turn.

        Half of the time is kept for whole folds, so that both kinds have candidates if the clock ends it.
        """
        rows = min(PROBE_ROWS, len(self.problem.folds[0][0]))
        cap = max(2 * MIN_SHARE, PROBE_SHARE * self.seconds / len(names))
        effort = Effort(rows=rows, inner_folds=0, test_rows=TEST_ROWS)
        waiting = [n for n in names if (n, 0) not in self.records]
        waiting = in_turn(waiting, {n: self.problem.candidates[n].space.complexity for n in waiting})
        networks = {n for n in waiting if "torch" in self.problem.candidates[n].space.needs}
        waiting.sort(key=networks.__contains__)
        caps = {name: None if name == self.baseline else cap for name in waiting}
        caps |= {name: max(cap, LEADER_SHARE * self.seconds) for name in LEADERS if name in caps}
        least = dict.fromkeys(networks if "torch" not in sys.modules else (), IMPORT_SECONDS)
        self._do(
            Unit(name, 0, effort, caps[name], sample=True)
            for name in waiting
            if self.left > max(0.5 * self.seconds, least.get(name, 0.0))
        )

    def _cost_of_everything(self, names, effort):
        total = 0.0
        for name in names:
            missing = sum((name, fold) not in self.records for fold in self._folds_and_all())
            total += missing * self.known.cost(name, effort) if missing else 0.0
        return total / self.n_jobs

    def _race(self, names):
        n = len(self.problem.folds[0][0])
        rows = min(PROBE_ROWS, n)
        running = self.known.by_promise([name for name in names if name != self.baseline])
        while len(running) > 2 and rows * GROWTH <= n:
            rows *= GROWTH
            half = running[: max(FINALISTS + 1, (len(running) + 1) // 2)]
            # Flexible models gain most from more rows: a small sample does not rule them out.
            running = [name for name in running if name in half or self._is_strong(name)]
            self._do(self._heat(running, Effort(rows=rows, inner_folds=0, test_rows=TEST_ROWS)))
            running = self.known.by_promise([name for name in running if name not in self.dropped])
        self._finals(
            self.known.by_promise([name for name in names if name != self.baseline and name not in self.dropped])
        )

    def _is_strong(self, name):
        return self.problem.candidates[name].space.complexity >= STRONG

    def _heat(self, names, effort):
        share = HEAT_SHARE * self.left
        until = self.left - share
        for name in names:
            if self.left > until:
                cap = max(MIN_SHARE, 0.4 * share, LEADER_SHARE * self.seconds if name in LEADERS else 0.0)
                yield Unit(name, 0, effort, cap, sample=True)

    def _finals(self, order):
        """Fold after fold for the models that lead, with the effort that each can afford; others while time is left."""
        n_folds = len(self.problem.folds)
        enough = min(ENOUGH_FOLDS, n_folds)
        self._plan(order, enough)
        followed = list(self.plan)
        for name in followed:  # two folds make a score: the leader has one before anything else is done
            for fold in range(min(2, n_folds)):
                self._do(self._round([name], fold))
        self._follow_baseline()
        for fold in range(n_folds):
            if fold == enough:
                self._follow_others([name for name in order if name not in followed], enough)
                followed = self.known.best_so_far()[:FINALISTS]  # whole folds say more than the samples did
                if self.stacked:  # a leader that runs ahead alone would have nobody to be averaged with
                    useful = self.known.in_the_stack(FINALISTS, range(enough))
                    self._members = list(dict.fromkeys([*useful, *followed[:COMPANY]]))
            if fold >= enough:
                running = self.known.in_the_running(followed)
                followed = [name for name in followed if name in running or name in self._members]
            self._do(self._round(followed, fold))
        self._follow_baseline()
        self._fit_leaders()

    def _follow_baseline(self):
        """The baseline on the folds that any other model has finished."""
        judged = sorted({fold for name, fold in list(self.records) if fold >= 0 and name != self.baseline})
        self._do(Unit(self.baseline, fold) for fold in [*judged, ALL_ROWS])

    def _plan(self, order, enough):
        """The finalists and their efforts: the leader takes what it needs, the next ones what remains."""
        budget = 0.85 * self.left
        for name in (name for name in order if self.known.is_near(name, order[0])):
            ladder = [CAREFUL, QUICK, Effort(inner_folds=0)]
            if not self.plan:  # the leader is fitted to a sample rather than not at all
                ladder += [Effort(rows=rows, inner_folds=0) for rows in self._smaller(name)]
            for effort in ladder:
                cost = (enough + 1) * self.known.cost(name, effort) / self.n_jobs
                limit = CAREFUL_SHARE * budget if effort is CAREFUL else budget
                if cost <= limit or (not self.plan and effort is ladder[-1]):
                    self.plan[name] = effort
                    budget -= cost
                    break
            if len(self.plan) == FINALISTS:
                return

    def _smaller(self, name):
        """Half of the training rows, a quarter and so on, down to the largest sample that a model was fitted to."""
        if name not in self.samples:
            return [None]
        rows, least = len(self.problem.folds[0][0]), self.samples[name][-1].rows
        sizes = []
        while (rows := rows // 2) > least:
            sizes.append(rows)
        return [*sizes, least]

    def _follow_others(self, names, enough):
        """The other models that can be afforded, the promising ones first, within half of the time that is left."""
        until = self.left - 0.5 * (self.left - self._reserve())
        for name in self.known.by_promise(names):
            if self.left - until < enough * self.known.cost(name, QUICK) / self.n_jobs:
                continue
            self.plan[name] = QUICK
            for fold in range(enough):
                self._do(self._round([name], fold))

    def _round(self, names, fold):
        for name in names:
            available = self.left - self._reserve()
            expected = self.known.cost(name, self.plan[name])
            owed = name == next(iter(self.plan)) and fold < 2 and available > 0  # the leader's score comes first
            if owed or available > expected:
                cap = available if name == next(iter(self.plan)) else max(2 * MIN_SHARE, 4 * expected)
                if fold == 0:  # what needs more than this for one fold leaves nothing for a second and for all rows
                    cap = min(cap, FIRST_FOLD * available)
                yield Unit(name, fold, self.plan[name], min(cap, available))

    def _reserve(self):
        """Seconds for the fits on all rows of the leader and of the members of the stack."""
        leader = self.known.leader()
        if leader is None:
            return 0.0
        owed = {name for name in (leader, *self._members) if (name, ALL_ROWS) not in self.records}
        return 1.3 * sum(self.known.cost(name, self._final_effort(name)) for name in owed) / self.n_jobs

    def _final_effort(self, name):
        return self.known.final_effort(name, self.plan.get(name, FULL))

    def _fit_leader(self):
        """The leader's fit on all rows. Without it there is nothing to predict with: it is never stopped."""
        leader = self.known.leader()
        if leader is not None:
            self.dropped.pop(leader, None)  # it may have been too slow for one fold
            self._do([Unit(leader, ALL_ROWS, self._final_effort(leader))])

    def _fit_leaders(self):
        """The fit on all rows: of the leader in any case, of the others while time is left, the best first."""
        from statlearn.app.compare.ranking import paired_means

        table = self.known.table()
        names = list(table)
        means = paired_means(np.array([table[name] for name in names])) if names else []
        leader = self.known.leader()
        for name in sorted((names[k] for k in np.argsort(means)), key=lambda name: name != leader):
            effort = self._final_effort(name)
            cost = self.known.cost(name, effort)
            if name == leader:
                self._fit_leader()
            elif self.left > 1.2 * cost:
                self._do([Unit(name, ALL_ROWS, effort, self.left)])

    # Doing units.

    def _do(self, units):
        """Run units that are not done yet and take their records."""
        units = (u for u in units if u.name not in self.dropped and self._is_new(u) and not self._has_ended(u))
        for record, unit in self._runner.results(units):
            self._take(record, unit)

    def _is_new(self, unit):
        return (unit.name, unit.fold) not in self.records

    def _has_ended(self, unit):
        return unit.fold != ALL_ROWS and unit.name in self._ended

    def _take(self, record, unit):
        if record.status == "done" and unit.sample:
            self.known.add_sample(record, unit.effort)
        elif record.status == "done":
            self.records[record.model, record.fold] = record
            self.state.save(record)
        elif record.status == "failed":
            self.dropped.setdefault(record.model, record)
        elif unit.sample and unit.effort.rows <= PROBE_ROWS:
            record.error = f"a fit to {unit.effort.rows:,} rows was stopped after {unit.seconds:.2g} s"
            self.dropped.setdefault(record.model, record)
        elif unit.sample:  # a busy machine may have stopped the best model: what smaller samples said still counts
            self.known.was_stopped(record.model, unit.effort, unit.seconds)
        elif unit.seconds is not None and self.left > 0 and unit.fold != ALL_ROWS:  # much slower than it seemed
            if any((record.model, fold) in self.records for fold in range(len(self.problem.folds))):
                self._ended.add(record.model)
            else:
                self.dropped.setdefault(record.model, record)
        self.progress.unit(record, self._labels[record.model])

    def finished(self):
        """Names of the models with two finished folds or more, and the folds they are judged by."""
        return self.known.finished(early=self.stopped_by is not None)
