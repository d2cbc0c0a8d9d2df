"""Passes over the blocks of a source on a Dask cluster.

A task sums the statistics of a range of blocks that is a subtree of the reduction, so the sum has the bits of one
process. Scheduling, transport and the repetition of lost tasks are Dask's. Blocks of an iterative fit remain on the
workers while they fit into half of their memory, and are read again by whoever takes over from a lost worker.
"""

import contextlib
import pickle
import threading
import time
import uuid
import warnings
from concurrent.futures import CancelledError

from statlearn._core import native
from statlearn._core.blas import one_blas_thread

from ._passes import Passes, read_blocks, statistic_of
from ._report import Cost
from ._sources.base import Source, located
from ._tree import merge_all, ranges, task_width

_FAN_IN = 8  # subtrees that one task merges, a power of two
_POLL = 0.25  # seconds between looks at the state of the cluster
_LOST = 30.0  # seconds without a scheduler after which a fit gives up
_SHARE = 0.5  # of the memory of the workers that may hold blocks


class Partial:
    """A statistic of some blocks with what it has cost.

    Parameters
    ----------
    value : object
    cost : Cost
    """

    def __init__(self, value, cost):
        self.value, self.cost = value, cost


def load_blocks(source, design, first, last):
    """The blocks of a range, for later passes."""
    cost = Cost()
    return list(read_blocks(source, design, first, last, cost)), cost


def reduce_range(source, design, first, last, statistic, state):
    """The statistic of a range of blocks that are read now."""
    cost = Cost()
    value = statistic_of(read_blocks(source, design, first, last, cost), statistic, state, cost)
    return _sent(value, cost)


def reduce_loaded(loaded, statistic, state):
    """The statistic of blocks that this worker holds, or has just received."""
    blocks, _ = loaded
    cost = Cost(blocks=len(blocks), rows=sum(len(block) for block in blocks if block is not None))
    return _sent(statistic_of(blocks, statistic, state, cost), cost)


def merge_partials(partials):
    """The sum of neighbouring subtrees."""
    cost = partials[0].cost
    for partial in partials[1:]:
        cost = cost.merge(partial.cost)
    with one_blas_thread():
        value = merge_all([partial.value for partial in partials])
    return _sent(value, cost)


def _sent(value, cost):
    """A `Partial` whose bytes count as sent."""
    cost.bytes_sent += len(pickle.dumps(value, protocol=5))
    return Partial(value, cost)


def worker_versions():
    """What has to be the same on all machines for the same bits."""
    import numpy
    import scipy
    import threadpoolctl

    import statlearn

    blas = [library for library in threadpoolctl.threadpool_info() if library["user_api"] == "blas"]
    return {
        "statlearn": statlearn.__version__,
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
        "instructions of the core": native.level,
        "BLAS": sorted({str(library.get("architecture")) for library in blas}),
    }


def counting_plugin(prefix):
    """A plugin of the scheduler that counts how often tasks of a fit were given to a worker.

    The class is made here so that it travels by value: a scheduler need not have statlearn.
    """
    from distributed import SchedulerPlugin

    class CountRuns(SchedulerPlugin):
        name = prefix
        runs = 0

        def transition(self, key, start, finish, *args, **kwargs):
            if finish == "processing" and str(key).startswith(prefix):
                self.runs += 1

    return CountRuns()


class ClusterPasses(Passes):
    """Passes whose blocks are read and summed by the workers of a Dask cluster.

    Parameters
    ----------
    source : Source
    design : Design
    client : distributed.Client
    """

    def __init__(self, source: Source, design, client):
        super().__init__(source, design)
        try:
            import distributed
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError("`client` requires Dask: pip install 'statlearn[dask]'.") from error
        if not isinstance(client, distributed.Client) or client.asynchronous:
            raise TypeError(f"`client` must be None or a synchronous distributed.Client, got {type(client).__name__}.")
        self.client, self.prefix = client, f"statlearn-{uuid.uuid4().hex[:12]}"
        self.report.workers = len(self._check_workers())
        self.width = task_width(len(source), self.report.workers)
        self.ranges = ranges(len(source), self.width)
        self._loaded: list | None = None
        self._budget = None
        self._submitted = 0
        self._asking(lambda: self.client.register_plugin(counting_plugin(self.prefix)))

    def _check_workers(self):
        """The workers, after comparing their versions with those here."""
        here = worker_versions()
        there = self._asking(lambda: self.client.run(worker_versions))
        if not there:
            raise ValueError("`client` must have workers, got a cluster without any.")
        for address, versions in there.items():
            for name, version in versions.items():
                if version != here[name]:
                    raise ValueError(
                        f"Worker {address} has another version than this process: {name} {version} instead of "
                        f"{here[name]}. Results would differ in their last digits."
                    )
        return there

    def _asking(self, question):
        """The answer of the scheduler, or an error that says that it is lost."""
        try:
            return question()
        except (OSError, TimeoutError) as error:
            raise ConnectionError(f"The Dask scheduler does not answer: {error}") from error

    # ------------------------------------------------------------------------------------------------ passes

    def _reduce(self, statistic, state, cost):
        number = self.report.passes
        futures = [
            self._submit_range(k, first, last, statistic, state, number)
            for k, (first, last) in enumerate(self.ranges)
        ]  # fmt: skip
        level = 0
        while len(futures) > 1:
            futures = [
                self._submit(f"merge-{number}-{level}-{k}", merge_partials, futures[k : k + _FAN_IN])
                for k in range(0, len(futures), _FAN_IN)
            ]
            level += 1
        partial = self._result(futures[0])
        self._count_retries()
        for name, value in vars(cost.merge(partial.cost)).items():
            setattr(cost, name, value)
        return partial.value

    def _submit_range(self, k, first, last, statistic, state, number):
        """The task for a range of blocks: on loaded blocks from the second pass on, where they fit."""
        name = f"sum-{number}-{k}"
        if not self.source.shared:  # the blocks travel; later passes find them on the workers
            if self._loaded is None:
                self._loaded = [None] * len(self.ranges)
            if self._loaded[k] is None:
                blocks = load_blocks(self.source, self.design, first, last)
                self._loaded[k] = self._submit(f"load-{len(self.design.transformers)}-{k}", _as_loaded, blocks)
            return self._submit(name, reduce_loaded, self._loaded[k], statistic, state)
        if number > 0 and self._loaded is None and self._blocks_fit():
            self._loaded = [
                self._submit(f"load-{len(self.design.transformers)}-{j}", load_blocks, self.source, self.design, *span)
                for j, span in enumerate(self.ranges)
            ]
        if self._loaded is not None:
            return self._submit(name, reduce_loaded, self._loaded[k], statistic, state)
        return self._submit(name, reduce_range, self.source, self.design, first, last, statistic, state)

    def _submit(self, name, function, *arguments):
        """A task with a key of its own."""
        self._submitted += 1
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")  # blocks of the caller's memory have to travel
            return self.client.submit(function, *arguments, key=f"{self.prefix}-{name}", pure=False)

    def _blocks_fit(self):
        """Whether the blocks of the last pass fit into the share of the workers' memory that is theirs."""
        if self._budget is None:
            workers = self.client.scheduler_info(n_workers=-1)["workers"].values()
            self._budget = _SHARE * sum(worker.get("memory_limit") or 2**30 for worker in workers)
        return self.report.cost.bytes_read / max(1, self.report.passes) <= self._budget

    def fold(self, step, model):
        """``step(model, block)`` for every block in order, as a chain of tasks."""
        start, cost = time.perf_counter(), Cost()
        number, future = self.report.passes, None
        partial = Partial(model, cost)
        for k, (first, last) in enumerate(self.ranges):
            before = partial if future is None else future
            name, arguments = f"fold-{number}-{k}", (self.source, self.design, first, last)
            if self.source.shared:
                future = self._submit(name, fold_range, before, *arguments, step)
            else:
                future = self._submit(name, fold_loaded, before, load_blocks(*arguments), step)
        partial = self._result(future)
        self._count_retries()
        self.report.pass_done(partial.cost, time.perf_counter() - start)
        return partial.value

    def map(self, function, *state):
        """``function(block, *state)`` of every block with rows, in order; a few tasks ahead of the one that is due."""
        start, total, number = time.perf_counter(), Cost(), self.report.passes
        waiting: list = []
        spans = list(enumerate(ranges(len(self.source), 1)))
        while spans or waiting:
            while spans and len(waiting) < 4 * self.report.workers:
                k, span = spans.pop(0)
                name, arguments = f"map-{number}-{k}", (self.source, self.design, *span)
                if self.source.shared:
                    waiting.append(self._submit(name, map_range, *arguments, function, state))
                else:
                    waiting.append(self._submit(name, map_loaded, load_blocks(*arguments), function, state))
            partial = self._result(waiting.pop(0))
            total = total.merge(partial.cost)
            yield from partial.value
        self._count_retries()
        self.report.pass_done(total, time.perf_counter() - start)

    # ------------------------------------------------------------------------------------------------ waiting

    def _result(self, future):
        """The result of a task; an error of the data as it was raised, and a clear one if the scheduler is lost."""
        done, missed = threading.Event(), 0.0
        future.add_done_callback(lambda _: done.set())
        while not done.wait(_POLL):
            missed = missed + _POLL if self.client.status != "running" else 0.0
            if self.client.status == "closed" or missed > _LOST:
                self._refuse_lost()
        try:
            return future.result()
        except CancelledError as error:
            self._refuse_lost(error)

    def _refuse_lost(self, error=None):
        raise ConnectionError(
            "The Dask scheduler was lost during the fit, and with it the work of this pass. Nothing was written. Start "
            "the cluster again and repeat the fit."
        ) from error

    def transform_by(self, transformer):
        """Apply a fitted transformer to the features in all passes from now on."""
        super().transform_by(transformer)
        self._loaded = None

    def _count_retries(self):
        """Runs of tasks beyond one each: those that were lost with a worker."""

        def runs(name, dask_scheduler=None):
            return dask_scheduler.plugins[name].runs

        total = self._asking(lambda: self.client.run_on_scheduler(runs, self.prefix))
        self.report.retries = max(0, total - self._submitted)

    def close(self):
        """Release what the workers hold."""
        self._loaded = None
        if self.client.status == "running":
            with contextlib.suppress(OSError, TimeoutError):
                self.client.unregister_scheduler_plugin(self.prefix)


def _as_loaded(loaded):
    """Blocks that came with the task."""
    return loaded


def fold_range(partial, source, design, first, last, step):
    """The model after the blocks of a range, which are read now."""
    cost = Cost()
    return _folded(partial, list(read_blocks(source, design, first, last, cost)), cost, step)


def fold_loaded(partial, loaded, step):
    """The model after blocks that came with the task."""
    return _folded(partial, *loaded, step)


def _folded(partial, blocks, cost, step):
    model, start = partial.value, time.perf_counter()
    for block in blocks:
        if block is not None:
            with located(block.place), one_blas_thread():
                model = step(model, block)
    cost.add("computing", time.perf_counter() - start)
    return _sent(model, partial.cost.merge(cost))


def map_range(source, design, first, last, function, state):
    """The values of blocks that are read now."""
    return map_loaded(load_blocks(source, design, first, last), function, state)


def map_loaded(loaded, function, state):
    """The values of blocks that came with the task."""
    blocks, cost = loaded
    start, values = time.perf_counter(), []
    for block in blocks:
        if block is not None:
            with located(block.place), one_blas_thread():
                values.append(function(block, *state))
    cost.add("computing", time.perf_counter() - start)
    return _sent(values, cost)
