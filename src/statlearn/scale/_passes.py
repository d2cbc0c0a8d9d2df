"""Passes over the blocks of a source in this process."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from statlearn._core.blas import one_blas_thread

from ._report import Cost, Report
from ._sources.base import located
from ._tree import Reduction

_END = object()


def read_ahead(blocks):
    """The items of an iterator, the next one being fetched while the last one is used."""
    reader = ThreadPoolExecutor(1)
    try:
        coming = reader.submit(next, blocks, _END)
        while (block := coming.result()) is not _END:
            coming = reader.submit(next, blocks, _END)
            yield block
    finally:  # without waiting: the garbage collector may close this generator in the thread of the reader itself
        reader.shutdown(wait=False, cancel_futures=True)


def read_blocks(source, design, first, last, cost):
    """Blocks of a range, with None for those without rows; what they cost is added to `cost`."""

    def timed():
        tables = source.read_range(first, last, design.columns)
        for k in range(first, last):
            start = time.perf_counter()
            table = next(tables)
            block = design.block(table, source.place(k), k)
            cost.add("reading", time.perf_counter() - start)
            yield block

    for block in read_ahead(timed()):
        cost.blocks += 1
        if block is not None:
            cost.rows += len(block)
            cost.bytes_read += block.n_bytes
        yield block


def statistic_of(blocks, statistic, state, cost):
    """The merged statistic of blocks, each computed on one BLAS thread so that its bits do not depend on threads."""
    reduction = Reduction()
    for block in blocks:
        start = time.perf_counter()
        if block is None:
            value = None
        else:
            with located(block.place), one_blas_thread():
                value = statistic(block, *state)
        with one_blas_thread():
            reduction.add(value)
        cost.add("computing", time.perf_counter() - start)
    with one_blas_thread():
        return reduction.result()


class Passes:
    """Passes over a source: `reduce` merges statistics of the blocks, `fold` visits the blocks in order.

    Parameters
    ----------
    source : Source
    design : Design
    memory : int
        Bytes of blocks that may be kept between passes.
    """

    def __init__(self, source, design, *, memory=0):
        self.source, self.design, self.memory = source, design, memory
        self.report = Report()
        self._kept: list | None = None

    @property
    def names(self):
        """Names of the features, or None."""
        return None if self.design.transformers else self.design.features

    def transform_by(self, transformer):
        """Apply a fitted transformer to the features in all passes from now on."""
        self.design = replace(self.design, transformers=[*self.design.transformers, transformer])
        self._kept = None

    @property
    def target(self):
        """Name of the target, or None."""
        return self.design.target

    def close(self):
        """Release what was kept between passes."""
        self._kept = None

    def reduce(self, statistic, *state):
        """The sum of ``statistic(block, *state)`` over all blocks, merged in the order of the tree."""
        start, cost = time.perf_counter(), Cost()
        value = self._reduce(statistic, state, cost)
        self.report.pass_done(cost, time.perf_counter() - start)
        if value is None:
            raise ValueError("`source` must have rows" + (
                "." if self.design.weight is None else f" of positive weight, but `weight`={self.design.weight!r} sums "
                "to 0."
            ))  # fmt: skip
        return value

    def _reduce(self, statistic, state, cost):
        return statistic_of(self._blocks(cost), statistic, state, cost)

    def fold(self, step, model):
        """``step(model, block)`` for every block in order; returns the last model."""
        start, cost = time.perf_counter(), Cost()
        for block in self._blocks(cost):
            if block is not None:
                before = time.perf_counter()
                with located(block.place), one_blas_thread():
                    model = step(model, block)
                cost.add("computing", time.perf_counter() - before)
        self.report.pass_done(cost, time.perf_counter() - start)
        return model

    def map(self, function, *state):
        """``function(block, *state)`` of every block with rows, in order."""
        start, cost = time.perf_counter(), Cost()
        for block in self._blocks(cost):
            if block is not None:
                before = time.perf_counter()
                with located(block.place), one_blas_thread():
                    value = function(block, *state)
                cost.add("computing", time.perf_counter() - before)
                yield value
        self.report.pass_done(cost, time.perf_counter() - start)

    def _blocks(self, cost):
        """The blocks, from memory if they were kept."""
        if self._kept is not None:
            cost.blocks += len(self._kept)
            cost.rows += sum(len(block) for block in self._kept if block is not None)
            yield from self._kept
            return
        blocks_seen: list | None = [] if self.memory else None
        size = 0
        for block in read_blocks(self.source, self.design, 0, len(self.source), cost):
            if blocks_seen is not None:
                size += 0 if block is None else block.n_bytes
                blocks_seen.append(block)
                blocks_seen = blocks_seen if size <= self.memory else None
            yield block
        self._kept = blocks_seen
