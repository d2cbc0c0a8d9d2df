"""Sources in memory: arrays and memory maps, data frames, delayed parts."""

import itertools

import numpy as np

from .base import Source, located


class ArraySource(Source):
    """Blocks of rows of an array or a memory map.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y, weights : ndarray of shape (n_samples,) or None, default=None
    rows : int
        Rows of a block.
    """

    def __init__(self, X, y=None, weights=None, *, rows=2**16):
        if X.ndim != 2:
            raise ValueError(f"`source` must be an array with two dimensions, got {X.ndim}.")
        for name, part in (("target", y), ("weight", weights)):
            if part is not None and len(part) != len(X):
                raise ValueError(f"`{name}` must have the {len(X)} rows of the source, got {len(part)}.")
        self.X, self.y, self.weights, self.rows = X, y, weights, rows

    def __len__(self):
        return -(-len(self.X) // self.rows)

    @property
    def n_rows(self):
        return len(self.X)

    @property
    def shared(self):
        """Whether the array is a file that workers can map."""
        return isinstance(self.X, np.memmap) and self.y is None and self.weights is None

    def __getstate__(self):
        state = dict(vars(self))
        if self.shared:  # the map, not its content
            X = self.X
            state["X"] = str(X.filename), X.dtype.str, X.shape, X.offset, "F" if X.flags.f_contiguous else "C"
        return state

    def __setstate__(self, state):
        if isinstance(state["X"], tuple):
            name, dtype, shape, offset, order = state["X"]
            state = {**state, "X": np.memmap(name, dtype, "r", offset, shape, order)}
        vars(self).update(state)

    def place(self, k):
        return f"rows {k * self.rows} to {min(len(self.X), (k + 1) * self.rows) - 1}"

    def n_bytes(self, k, columns):
        return self.rows * self.X.shape[1] * self.X.itemsize

    def read(self, k, columns):
        rows = slice(k * self.rows, (k + 1) * self.rows)
        return tuple(None if part is None else np.asarray(part[rows]) for part in (self.X, self.y, self.weights))


class FrameSource(Source):
    """Data frames of any kind that narwhals reads, one block each.

    Parameters
    ----------
    frames : iterable of data frame
        A list, or an object whose iterator can be made again.
    """

    shared = False

    def __init__(self, frames):
        if iter(frames) is frames:
            raise TypeError(
                "`source` must be an iterable that can be read several times, such as a list of frames or an object "
                "with `__iter__`, got an iterator or generator, which is empty after the first pass."
            )
        self.frames = frames
        self.indexed = isinstance(frames, (list, tuple))
        first = next(iter(frames), None)
        self.count = len(frames) if hasattr(frames, "__len__") else sum(1 for _ in frames)
        self.columns = [] if first is None else _names(first)

    def __len__(self):
        return self.count

    def place(self, k):
        return f"frame {k}"

    def read(self, k, columns):
        frame = self.frames[k] if self.indexed else next(itertools.islice(iter(self.frames), k, None))
        return self._checked(frame, columns)

    def read_range(self, first, last, columns):
        frames = self.frames[first:last] if self.indexed else itertools.islice(iter(self.frames), first, last)
        seen = 0
        for k, frame in enumerate(frames):
            with located(self.place(first + k)):
                table = self._checked(frame, columns)
            yield table
            seen += 1
        if seen != last - first:
            raise ValueError(f"`source` had {self.count} frames and now has {first + seen}.")

    def _checked(self, frame, columns):
        names = _names(frame)
        absent = [name for name in columns if name not in names]
        if absent:
            raise ValueError(f"the frame must have the columns of the first one, but lacks {absent}.")
        return frame.select(columns) if hasattr(frame, "column_names") else frame[list(columns)]


def _names(frame):
    """Names of the columns of a pandas, polars or Arrow table."""
    return [str(name) for name in getattr(frame, "column_names", frame.columns)]


class DelayedSource(FrameSource):
    """Delayed parts of Dask, each of which gives a data frame when it is computed.

    Parameters
    ----------
    parts : list of dask.delayed.Delayed
    """

    shared = True

    def __init__(self, parts):
        self.frames, self.indexed, self.count = list(parts), True, len(parts)
        self.columns = _names(self._frame(0)) if parts else []

    def _frame(self, k):
        return self.frames[k].compute(scheduler="synchronous")

    def place(self, k):
        return f"delayed part {k}"

    def read(self, k, columns):
        return self._checked(self._frame(k), columns)

    def read_range(self, first, last, columns):
        return Source.read_range(self, first, last, columns)
