"""Runs the units of work: in what order, for how long, on how many processes."""

import os
import pickle
import tempfile
import time
from pathlib import Path

import numpy as np

from statlearn.app.errors import UsageError
from statlearn.app.fitting import ALL_ROWS, Designs, Record, run

MIN_SHARE = 0.5  # seconds that any fit may take
STRONG = 5.0  # complexity from which a model is expected to lead

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


class Schedule:
    """The units of work of a comparison, fold by fold: all models always have nearly the same folds behind them.

    First every model is fitted on all training rows: what is interrupted later has its models already, and a model that
    is too slow for the time limit is found at once. A fit may take no longer than the time that is left, divided by the
    rounds that are left (and half a second): a slower model could not finish even if it were alone. Under a limit the
    models that are expected to lead come first, so that slow ones of less promise cannot use up their time.

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
        self.deadline = None if seconds is None else time.monotonic() + seconds
        self.records: dict[tuple[str, int], Record] = {}
        self.dropped: dict[str, Record] = {}  # models that failed or were too slow
        self.stopped_by: str | None = None  # "interrupt" or "time"

    def run(self):
        """Do the work. Ctrl-C and the clock end it early: `stopped_by` says which."""
        names = self._in_turn()
        n_folds = len(self.problem.folds)
        for record in self.state.load(names, n_folds):
            self.records[record.model, record.fold] = record
        units = [(name, fold) for fold in range(ALL_ROWS, n_folds) for name in names]
        labels = {name: c.space.label for name, c in self.problem.candidates.items()}
        self.progress.start(labels, len(units), len(self.records))
        try:
            for record in self._results(units):
                self._take(record, labels[record.model])
        except KeyboardInterrupt:
            self.stopped_by = "interrupt"
        finally:
            self.progress.finish()

    def _in_turn(self):
        """The models as given; under a time limit the baseline, then the strong ones, then the rest."""
        names = list(self.problem.candidates)
        if self.deadline is None:
            return names
        complexity = {name: c.space.complexity for name, c in self.problem.candidates.items()}
        return sorted(names, key=lambda name: (complexity[name] > 0, complexity[name] < STRONG))

    def _results(self, units):
        if self.n_jobs == 1:
            designs = Designs(self.problem)
            for name, fold in self._wanted(units):
                yield run(self.problem, designs, name, fold, self._share(name, fold))
            return
        from joblib import Parallel, delayed

        with tempfile.TemporaryDirectory(prefix="statlearn-") as folder:
            path = Path(folder) / "problem.pickle"
            path.write_bytes(pickle.dumps(self.problem, protocol=pickle.HIGHEST_PROTOCOL))
            parallel = Parallel(self.n_jobs, return_as="generator_unordered", pre_dispatch=self.n_jobs, batch_size=1)
            work = (
                delayed(_work)(str(path), name, fold, self._share(name, fold)) for name, fold in self._wanted(units)
            )
            results = parallel(work)
            try:
                for record in results:
                    if record.status == "interrupted":
                        raise KeyboardInterrupt
                    yield record
            finally:
                results.close()

    def _wanted(self, units):
        """Units that are still to be done, judged when their turn comes."""
        for name, fold in units:
            if name in self.dropped or (name, fold) in self.records:
                continue
            if self.deadline is not None and time.monotonic() >= self.deadline:
                self.stopped_by = "time"
                return
            yield name, fold

    def _share(self, name, fold):
        """Seconds for a fit; the baseline is never stopped: without it there is no comparison."""
        if self.deadline is None or self.problem.candidates[name].space.complexity == 0:
            return None
        left = max(self.deadline - time.monotonic(), 0.01)
        return min(left, max(left / (len(self.problem.folds) - fold), MIN_SHARE))

    def _take(self, record, label):
        if record.status == "done":
            self.records[record.model, record.fold] = record
            self.state.save(record)
        elif record.status == "out of time" and time.monotonic() >= self.deadline:
            self.stopped_by = "time"  # the end of all, not the fault of this model
        else:
            self.dropped.setdefault(record.model, record)
        self.progress.unit(record, label)

    def finished(self):
        """Names of the models with a fit on all rows, and the folds that all of these have behind them.

        After an early end a model that lags behind the others by more than a fold is left out, not waited for.
        """
        n_folds = len(self.problem.folds)
        folds = {
            name: {fold for fold in range(n_folds) if (name, fold) in self.records}
            for name in self.problem.candidates
            if name not in self.dropped and (name, ALL_ROWS) in self.records
        }
        if not folds:
            return [], np.empty(0, int)
        most = max(len(done) for done in folds.values())
        names = [name for name, done in folds.items() if len(done) >= max(most - 1, 1)]
        common = set(range(n_folds)).intersection(*(folds[name] for name in names)) if names else set()
        return names, np.array(sorted(common), int)


def _work(path, name, fold, seconds):
    """A unit of work in a process of its own; the problem is read once per process."""
    try:
        if path not in _loaded:
            _loaded.clear()
            problem = pickle.loads(Path(path).read_bytes())  # our own file, in a private folder
            _loaded[path] = (problem, Designs(problem))
        problem, designs = _loaded[path]
        return run(problem, designs, name, fold, seconds)
    except KeyboardInterrupt:
        return Record(name, fold, "interrupted")
