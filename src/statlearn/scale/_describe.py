"""`describe`: a profile of every column of a source, in one pass."""

import narwhals.stable.v1 as nw
import numpy as np

from statlearn._core.params import Int, check_arguments
from statlearn._core.summary import Summary, Table

from ._fit import make_passes
from ._quantiles import QuantileSketch
from ._sources.open import open_source


class NumberProfile:
    """Count, moments, range and quantiles of the numbers of a column.

    Parameters
    ----------
    n, missing : int
    mean, squares : float
        Mean, and sum of squares about it.
    sketch : QuantileSketch
    """

    kind = "number"

    def __init__(self, n, missing, mean, squares, sketch):
        self.n, self.missing, self.mean, self.squares, self.sketch = n, missing, mean, squares, sketch

    @classmethod
    def from_values(cls, values):
        """The profile of an array of floats, in which NaN is a missing value."""
        present = values[~np.isnan(values)].astype(np.float64)
        mean = float(present.mean()) if len(present) else 0.0
        squares = float(((present - mean) ** 2).sum())
        return cls(len(present), len(values) - len(present), mean, squares, QuantileSketch.from_values(present))

    def merge(self, other):
        """The profile of both."""
        n, gap = self.n + other.n, other.mean - self.mean
        share = other.n / n if n else 0.0
        return NumberProfile(
            n,
            self.missing + other.missing,
            self.mean + share * gap,
            self.squares + other.squares + self.n * share * gap**2,
            self.sketch.merge(other.sketch),
        )

    def row(self):
        """Entries of the table."""
        low, quarter, median, three, high = (
            self.sketch.quantile([0.0, 0.25, 0.5, 0.75, 1.0]) if self.n else np.full(5, np.nan)
        )
        return {
            "rows": self.n, "missing": self.missing, "mean": self.mean if self.n else np.nan,
            "std": np.sqrt(self.squares / (self.n - 1)) if self.n > 1 else np.nan,
            "min": low, "q25": quarter, "median": median, "q75": three, "max": high, "levels": np.nan,
        }  # fmt: skip


class LevelProfile:
    """Counts of the levels of a column of text, categories or dates; None if there are too many.

    Parameters
    ----------
    n, missing : int
    counts : dict of str to int, or None
    limit : int
    """

    kind = "levels"

    def __init__(self, n, missing, counts, limit):
        self.n, self.missing, self.limit = n, missing, limit
        self.counts = counts if counts is not None and len(counts) <= limit else None

    def merge(self, other):
        """The profile of both."""
        counts = None
        if self.counts is not None and other.counts is not None:
            counts = dict(self.counts)
            for level, count in other.counts.items():
                counts[level] = counts.get(level, 0) + count
        return LevelProfile(self.n + other.n, self.missing + other.missing, counts, self.limit)

    def row(self):
        """Entries of the table."""
        levels = np.inf if self.counts is None else len(self.counts)
        blank = dict.fromkeys(("mean", "std", "min", "q25", "median", "q75", "max"), np.nan)
        return {"rows": self.n, "missing": self.missing, **blank, "levels": levels}


class Profile:
    """Profiles of all columns.

    Parameters
    ----------
    columns : dict of str to NumberProfile or LevelProfile
    """

    def __init__(self, columns):
        self.columns = columns

    def merge(self, other):
        """The profile of both."""
        mixed = [name for name, column in self.columns.items() if column.kind != other.columns[name].kind]
        if mixed:
            raise ValueError(f"columns {mixed} are numbers in some blocks and not in others.")
        return Profile({name: column.merge(other.columns[name]) for name, column in self.columns.items()})


def describe(source, *, max_levels=1000, client=None):
    """Profile of the columns of data larger than memory, in one pass.

    Parameters
    ----------
    source : path, array, frames or Source
        See :func:`open_source`.
    max_levels : int, default=1000
        Columns of text with more levels than this are not counted by level.
    client : distributed.Client or None, default=None
        A Dask cluster.

    Returns
    -------
    Summary
        One row per column: ``rows`` with a value, ``missing``, ``mean``, ``std``, ``min``, ``q25``, ``median``,
        ``q75``, ``max`` of numbers, and the number of ``levels`` of text (infinite if there are more than
        `max_levels`). Its fact ``rank_error`` bounds the error of the quantiles, as a share of the rows; mean, std and
        the extremes are exact.

    Examples
    --------
    >>> import polars as pl
    >>> from statlearn import scale
    >>> parts = [pl.DataFrame({"x": [1.0, 2.0], "c": ["a", "b"]}), pl.DataFrame({"x": [None, 6.0], "c": ["a", "c"]})]
    >>> table = scale.describe(parts)
    >>> table["mean"][0], table["missing"].tolist(), table["levels"].tolist()
    (np.float64(3.0), [1.0, 0.0], [nan, 3.0])
    """
    check_arguments(describe, max_levels=(max_levels, [Int(1, None)]))
    passes = make_passes(open_source(source), None, None, None, client, frames=True)
    try:
        profile = passes.reduce(_profile, max_levels)
    finally:
        passes.close()
    rows = {name: column.row() for name, column in profile.columns.items()}
    names = list(next(iter(rows.values())))
    columns = {name: np.array([row[name] for row in rows.values()], dtype=np.float64) for name in names}
    errors = [column.sketch.rank_error for column in profile.columns.values() if column.kind == "number"]
    facts = {"n": passes.report.rows, "blocks": passes.report.blocks, "rank_error": max(errors, default=0.0)}
    labels = {"n": "rows", "blocks": "blocks", "rank_error": "largest error of a quantile's rank"}
    return Summary("Columns", Table(list(rows), columns), facts, labels)


def _profile(block, max_levels):
    """The profile of one block."""
    if isinstance(block.X, np.ndarray):
        return Profile({f"x{j}": NumberProfile.from_values(column) for j, column in enumerate(block.X.T)})
    frame = nw.from_native(block.X, eager_only=True)
    return Profile({name: _column_profile(frame[name], max_levels) for name in frame.columns})


def _column_profile(column, max_levels):
    if column.dtype.is_numeric() or column.dtype == nw.Boolean:
        return NumberProfile.from_values(column.cast(nw.Float64).to_numpy())
    values = column.drop_nulls()
    counts = None
    if values.n_unique() <= max_levels:
        levels, sizes = np.unique(values.cast(nw.String).to_numpy().astype(str), return_counts=True)
        counts = dict(zip(levels.tolist(), sizes.tolist()))
    return LevelProfile(len(values), len(column) - len(values), counts, max_levels)
