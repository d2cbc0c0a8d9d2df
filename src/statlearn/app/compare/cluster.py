"""Units of work on a Dask cluster: one fit of a model on a fold is one task."""

import contextlib
import pickle
import uuid
from concurrent.futures import CancelledError

from statlearn.app.compare.fitting import Designs, Record, run
from statlearn.app.errors import UsageError
from statlearn.app.setting_names import option

_PATIENCE = 10  # seconds until a scheduler must answer
_loaded: dict = {}  # in a worker: run -> (problem, designs)


class ClusterRunner:
    """Does units of work on the workers of a cluster, which receive the problem once.

    Scheduling, transport and the repetition of tasks whose worker was lost are Dask's. A unit gives the same record
    wherever it is done.

    Parameters
    ----------
    problem : Problem
    cluster : str or distributed.Client
        The address of the scheduler, or a client.
    """

    def __init__(self, problem, cluster):
        self.problem, self.cluster = problem, cluster
        self._client, self._is_ours, self._problem = None, False, None
        self._run = f"statlearn-compare-{uuid.uuid4().hex[:12]}"

    def __enter__(self):
        try:
            import distributed
        except ModuleNotFoundError as error:
            raise UsageError(f"{option('cluster')} requires Dask: pip install 'statlearn[dask]'") from error
        self._is_ours = isinstance(self.cluster, str)
        try:
            self._client = distributed.Client(self.cluster, timeout=_PATIENCE) if self._is_ours else self.cluster
        except (OSError, TimeoutError, ValueError) as error:
            raise UsageError(f"{option('cluster')}: no Dask scheduler answers at {self.cluster!r}") from error
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        if not workers:
            self.__exit__()
            raise UsageError(f"{option('cluster')} must have workers, but the one at {self.cluster!r} has none")
        if any(worker["nthreads"] != 1 for worker in workers.values()):
            self.__exit__()
            raise UsageError(
                f"{option('cluster')} must have workers of one thread each (dask worker --nthreads 1), because the "
                "warnings of a fit are those of a process"
            )
        self.n_jobs = len(workers)
        # Bytes, not an object: a worker that takes over from a lost one receives them again.
        self._problem = self._client.submit(bytes, pickle.dumps(self.problem, protocol=5), key=f"{self._run}-problem")
        return self

    def __exit__(self, *_):
        self._problem = None
        if self._is_ours and self._client is not None:
            with contextlib.suppress(OSError, TimeoutError):
                self._client.close()

    def results(self, units):
        """Pairs of a record and its unit, as they are finished; a few tasks are ahead of the workers."""
        from distributed import as_completed

        units = enumerate(units)
        waiting = as_completed()
        of = {}

        def submit():
            for number, unit in units:
                key = f"{self._run}-{unit.name}-{unit.fold}-{uuid.uuid4().hex[:8]}-{number}"
                future = self._client.submit(do_unit, self._run, self._problem, unit, key=key, pure=False)
                of[future.key] = unit
                waiting.add(future)
                return

        for _ in range(2 * self.n_jobs):
            submit()
        for future in waiting:
            unit = of.pop(future.key)
            yield self._record(future, unit), unit
            submit()

    def _record(self, future, unit):
        """The record of a unit; a fit that kills its workers again and again has failed."""
        from distributed import KilledWorker

        try:
            return future.result()
        except KilledWorker:
            return Record(unit.name, unit.fold, "failed", "the fit ended several workers, perhaps for lack of memory")
        except (CancelledError, OSError, TimeoutError) as error:
            raise ConnectionError(
                "The Dask scheduler was lost. What has finished is in the folder of the report: start the cluster "
                f"again and pass {option('resume')}."
            ) from error


def do_unit(run_name, problem, unit):
    """A unit of work on a worker, which unpacks the problem once."""
    if run_name not in _loaded:
        _loaded.clear()
        unpacked = pickle.loads(problem)  # from our own client
        _loaded[run_name] = unpacked, Designs(unpacked)
    problem, designs = _loaded[run_name]
    return run(problem, designs, unit.name, unit.fold, unit.seconds, unit.effort)
