r"""Sums of statistics in an order that depends on the number of blocks alone.

Neighbours are merged in pairs, the results in pairs again, and a statistic without a neighbour waits::

    0   1   2   3   4   5   6
     \ /     \ /     \ /    |
      .       .       .    /
        \   /           \ /
          .              .
             \         /
                  .

A range of blocks that begins at a multiple of a power of two and has that length is a subtree, which a worker sums
by itself.
"""


def merged(a, b):
    """The sum of two statistics; None stands for a block without rows."""
    if a is None:
        return b
    return a if b is None else a.merge(b)


class Reduction:
    """The sum of statistics that are added in the order of their blocks; keeps at most one per level of the tree."""

    def __init__(self):
        self._levels, self._values = [], []

    def add(self, value):
        """Add the statistic of the next block."""
        level = 0
        while self._levels and self._levels[-1] == level:
            self._levels.pop()
            value = merged(self._values.pop(), value)
            level += 1
        self._levels.append(level)
        self._values.append(value)

    def result(self):
        """The sum of all; None if there are none."""
        if not self._values:
            return None
        value = self._values[-1]
        for before in reversed(self._values[:-1]):
            value = merged(before, value)
        return value


def merge_all(values):
    """The sum of statistics of neighbouring blocks or subtrees."""
    reduction = Reduction()
    for value in values:
        reduction.add(value)
    return reduction.result()


def ranges(count, width):
    """Ranges of `width` blocks, a power of two, and the rest."""
    return [(first, min(first + width, count)) for first in range(0, count, width)]


def task_width(count, workers):
    """Blocks per task: the largest power of two that leaves at least four tasks per worker."""
    width = 1
    while count // (2 * width) >= 4 * workers:
        width *= 2
    return width
