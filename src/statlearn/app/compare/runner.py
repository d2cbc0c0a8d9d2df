"""Units of work and the processes that do them."""

import os
import pickle
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path

from statlearn.app.compare.cluster import ClusterRunner
from statlearn.app.compare.fitting import Designs, Record, run
from statlearn.app.compare.tuning import FULL, Effort
from statlearn.app.errors import UsageError
from statlearn.app.setting_names import option

_loaded: dict = {}  # in a worker: path -> (problem, designs)


def count_jobs(n_jobs):
    """A number of processes: None is 1, -1 all processors."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, int) or isinstance(n_jobs, bool) or n_jobs == 0 or n_jobs < -1:
        raise UsageError(f"{option('n_jobs')} must be a positive integer, or -1 for all processors, got {n_jobs!r}")
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


class Runner:
    """Does units of work, in this process or in several others that read the problem from a file.

    Parameters
    ----------
    problem : Problem
    n_jobs : int
        Processes; with one, everything happens in this one.
    cluster : str, distributed.Client or None, default=None
        A Dask cluster, whose workers do the units instead.
    """

    def __init__(self, problem, n_jobs, cluster=None):
        self.problem, self.n_jobs = problem, n_jobs
        self._cluster = None if cluster is None else ClusterRunner(problem, cluster)
        self._designs: Designs | None = None
        self._folder: tempfile.TemporaryDirectory | None = None
        self._file = ""

    def __enter__(self):
        if self._cluster is not None:
            self._cluster.__enter__()
        elif self.n_jobs > 1:
            self._folder = tempfile.TemporaryDirectory(prefix="statlearn-")
            path = Path(self._folder.name) / "problem.pickle"
            path.write_bytes(pickle.dumps(self.problem, protocol=pickle.HIGHEST_PROTOCOL))
            self._file = str(path)
        return self

    def __exit__(self, *_):
        if self._cluster is not None:
            self._cluster.__exit__()
        if self._folder is not None:
            self._folder.cleanup()

    def go_on_alone(self):
        """Do all further units in this process: the others were interrupted."""
        self.n_jobs, self._cluster = 1, None

    def results(self, units):
        """Pairs of a record and its unit, as they are finished."""
        if self._cluster is not None:
            yield from self._cluster.results(units)
            return
        if self.n_jobs == 1:
            self._designs = self._designs or Designs(self.problem)
            for unit in units:
                yield run(self.problem, self._designs, unit.name, unit.fold, unit.seconds, unit.effort), unit
            return
        from joblib import Parallel, delayed

        parallel = Parallel(self.n_jobs, return_as="generator_unordered", pre_dispatch=self.n_jobs, batch_size=1)
        results = parallel(delayed(_work)(self._file, unit) for unit in units)
        try:
            for record, unit in results:
                if record.status == "interrupted":
                    raise KeyboardInterrupt
                yield record, unit
        finally:
            with warnings.catch_warnings():  # joblib warns of work that was cut off, which is what is wanted here
                warnings.simplefilter("ignore", UserWarning)
                results.close()


def _work(path, unit):
    """A unit of work in a worker process, which reads the problem once."""
    try:
        if path not in _loaded:
            _loaded.clear()
            problem = pickle.loads(Path(path).read_bytes())  # our own file, in a private folder
            _loaded[path] = (problem, Designs(problem))
        problem, designs = _loaded[path]
        return run(problem, designs, unit.name, unit.fold, unit.seconds, unit.effort), unit
    except KeyboardInterrupt:
        return Record(unit.name, unit.fold, "interrupted"), unit
