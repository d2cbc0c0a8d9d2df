"""Saved models on other tables."""

from statlearn.app.errors import DataError
from statlearn.app.model import file as model_file
from statlearn.app.model.table_model import TableModel
from statlearn.app.tables.table import open_table


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
    found.table_notes = [*table.notes, *found.table_notes]
    return found, found.table_notes


def what_if_file(model, data, row, changes, coverage=0.9, seed=0):
    """One row of a table as it is and with changed cells; see :func:`statlearn.app.explain.what_if.what_if`."""
    from statlearn.app.explain.what_if import what_if

    table = read_whole(data)
    found = what_if(model, table.frame, row, changes, coverage=coverage, seed=seed)
    found.notes = [*table.notes, *found.notes]
    return found
