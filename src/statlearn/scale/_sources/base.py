"""What every source of blocks offers, and errors that name the block."""

import contextlib
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass
class Block:
    """Rows of one block, ready for a fit.

    Parameters
    ----------
    X : ndarray or data frame
        The features: an array if all of them are numbers, otherwise a data frame.
    y : ndarray or None
    weights : ndarray or None
        Positive: rows of weight 0 are left out.
    place : str
        Where the block was read, such as "sales.parquet, row group 3".
    index : int
        Its number in the source.
    carried : dict of str to Arrow array
        Columns that are not learned from.
    """

    X: Any
    y: np.ndarray | None
    weights: np.ndarray | None
    place: str = ""
    index: int = 0
    carried: dict | None = None

    def __len__(self):
        return self.X.shape[0]

    @property
    def n_bytes(self):
        """Bytes of the arrays; a frame counts 8 per entry."""
        held = sum(part.nbytes for part in (self.y, self.weights) if part is not None)
        return held + (self.X.nbytes if isinstance(self.X, np.ndarray) else 8 * self.X.shape[0] * self.X.shape[1])


class Source:
    """Blocks of rows in a fixed order, which can be read any number of times.

    A subclass sets `columns` (the names, or None for arrays) and has `__len__`, `place(k)` and `read(k, columns)`.
    """

    columns: list[str] | None = None
    shared = True  # whether a worker can read a block by itself

    def __len__(self):
        raise NotImplementedError

    def __getstate__(self):
        return {name: value for name, value in vars(self).items() if not name.startswith("_open")}

    def place(self, k):
        """Where block k is, for messages."""
        return f"block {k}"

    def read(self, k, columns):
        """The table of block k: an Arrow table, a data frame or a triple of arrays (X, y, weights)."""
        raise NotImplementedError

    def read_range(self, first, last, columns):
        """Tables of the blocks from `first` to before `last`, in order."""
        for k in range(first, last):
            with located(self.place(k)):
                table = self.read(k, columns)
            yield table

    def n_bytes(self, k, columns):
        """Bytes of block k in memory if they are known before it is read, otherwise None."""
        return None


@contextlib.contextmanager
def located(place):
    """Errors of the data inside this block of code begin with the place."""
    try:
        yield
    except (ValueError, TypeError, OSError) as error:
        if getattr(error, "_located", False):
            raise
        kind = next(kind for kind in (FileNotFoundError, OSError, TypeError, ValueError) if isinstance(error, kind))
        wrapped = kind(f"{place}: {error}")
        wrapped._located = True
        raise wrapped from error
