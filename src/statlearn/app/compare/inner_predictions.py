"""Predictions of models for the rows that they train on in an outer fold, each made without its row."""

import time
from dataclasses import replace

import numpy as np

from statlearn.app.compare.runner import Runner, Unit
from statlearn.app.compare.splits import quiet_split

INNER_FOLDS = 3
MARGIN = 1.3  # of the time that the fits are expected to take


class Nested:
    """Fits models again inside the training part of an outer fold, with the settings that were chosen there.

    Parameters
    ----------
    problem : Problem
    records : dict of (str, int) to Record
    n_jobs : int
    seconds : float or None
        For all calls together.
    """

    def __init__(self, problem, records, n_jobs=1, seconds=None):
        self.problem, self.records, self.n_jobs = problem, records, n_jobs
        self.deadline = None if seconds is None else time.monotonic() + seconds
        self._spent: list[float] = []

    def __call__(self, fold, names, n_folds):
        """Numbers of rows and the predictions of each model for them; None if there is no time or a fit failed.

        There will be `n_folds` calls in all, and time must be left for them.
        """
        if self.deadline is not None and self._needed(n_folds) > self.deadline - time.monotonic():
            return None
        start = time.monotonic()
        part = self._part(fold, names)
        found = {}
        with Runner(part, self.n_jobs) as runner:
            seconds = None if self.deadline is None else max(self.deadline - start, 0.1)
            units = (Unit(name, k, seconds=seconds) for k in range(len(part.folds)) for name in names)
            for record, unit in runner.results(units):
                if record.status != "done":
                    return None
                found[unit.name, unit.fold] = record.predictions
        self._spent.append(time.monotonic() - start)
        inner = range(len(part.folds))
        rows = np.concatenate([part.folds[k][1] for k in inner])
        predictions = [np.concatenate([found[name, k] for k in inner]) for name in names]
        return self.problem.folds[fold][0][rows], predictions

    def _needed(self, n_folds):
        """Seconds that the remaining folds will take; none are known before the first."""
        if not self._spent:
            return 0.0
        return MARGIN * (n_folds - len(self._spent)) * float(np.mean(self._spent))

    def _part(self, fold, names):
        """The problem of the training part of a fold, with the settings of its models given."""
        problem = self.problem
        table = problem.table.rows(problem.folds[fold][0])
        inner = table.scheme.inner(table.y, problem.seed)(INNER_FOLDS)
        pairs = inner if isinstance(inner, list) else list(quiet_split(inner, table.y))
        return replace(
            problem, table=table, folds=pairs, candidates={name: self._settled(name, fold) for name in names}
        )

    def _settled(self, name, fold):
        """The candidate with the settings of the fold instead of its grid."""
        candidate = self.problem.candidates[name]
        if not candidate.space.grid:
            return candidate
        tuned = {*candidate.space.grid, *candidate.space.ranges}
        settings = {k: v for k, v in self.records[name, fold].settings.items() if k in tuned}
        fixed = {**candidate.space.fixed, **settings}
        return replace(candidate, space=replace(candidate.space, grid={}, ranges={}, fixed=fixed))
