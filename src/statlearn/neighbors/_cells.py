"""Columns of text as numbers, for metrics that only ask whether cells are equal."""

import numpy as np

from statlearn._core.frames.frame import as_frame, is_numeric

CELL_METRICS = ("hamming", "matching", "overlap", "hamming_count")
_UNKNOWN = -1.0  # of a query, differs from all training cells


def has_text(X):
    """Whether a table has cells that are not numbers."""
    frame = as_frame(X)
    if frame is not None:
        return not all(is_numeric(column.dtype) for column in frame.iter_columns())
    if hasattr(X, "dtype"):
        kind = X.dtype.kind
        return kind in "US" or (kind == "O" and any(isinstance(cell, str) for cell in np.ravel(X)))
    try:
        return np.asarray(X).dtype.kind in "USO"
    except ValueError:  # rows of different lengths, which validation refuses
        return False


def cells_of(X):
    """A table as an array of objects; missing values are None."""
    frame = as_frame(X)
    if frame is not None:
        columns = [column.to_list() for column in frame.iter_columns()]
        table = np.empty((len(frame), len(columns)), dtype=object)
        for j, column in enumerate(columns):
            table[:, j] = column
    else:
        table = np.array(X, dtype=object)
        if table.ndim != 2:
            raise ValueError(
                f"X must be a table with rows and columns, got {table.ndim} dimension(s). Reshape a list of texts to "
                "one column: [[text] for text in texts]."
            )
    missing = np.array([[cell is None or cell != cell for cell in row] for row in table], dtype=bool)
    table[missing.reshape(table.shape)] = None
    return table


def letters_of(table):
    """The letters of a table of texts of one length per column, as further columns; other cells stay whole."""
    columns = []
    for j, column in enumerate(table.T):
        texts = [cell for cell in column if cell is not None]
        if not texts or not all(isinstance(text, str) for text in texts):
            columns.append(column[:, None])
            continue
        lengths = {len(text) for text in texts}
        if len(lengths) > 1:
            raise ValueError(
                f"metric='hamming_count' compares texts of one length letter by letter, but column {j} of X has "
                f"lengths {min(lengths)} to {max(lengths)}. Use metric='hamming' to compare whole cells."
            )
        width = lengths.pop()
        letters = np.empty((len(column), max(width, 1)), dtype=object)
        for i, text in enumerate(column):
            letters[i] = [None] * max(width, 1) if text is None else list(text) or [""]
        columns.append(letters)
    return np.concatenate(columns, axis=1)


class CellCoder:
    """Codes of cells: numbers that are equal where cells are. Missing cells and new ones differ from everything.

    With `count`, texts are split into letters and every cell becomes a block of indicators of 1/2, so that the
    Manhattan distance is the number of cells that differ.
    """

    def __init__(self, count=False):
        self.count = count

    def fit_transform(self, X):
        table = letters_of(cells_of(X)) if self.count else cells_of(X)
        self.levels = []
        codes = np.empty(table.shape)
        for j, column in enumerate(table.T):
            levels = {}
            for i, cell in enumerate(column):
                codes[i, j] = _UNKNOWN - 1.0 - i if cell is None else levels.setdefault(cell, len(levels))
            self.levels.append(levels)
        return self._indicators(codes, -2) if self.count else codes

    def transform(self, X):
        """Codes of queries, in the columns of the training table."""
        table = letters_of(cells_of(X)) if self.count else cells_of(X)
        if table.shape[1] != len(self.levels):
            what = "letters and cells" if self.count else "columns"
            raise ValueError(f"X has {table.shape[1]} {what} per row, but the model was fitted to {len(self.levels)}.")
        codes = np.empty(table.shape)
        for j, (column, levels) in enumerate(zip(table.T, self.levels)):
            codes[:, j] = [_UNKNOWN if cell is None else levels.get(cell, _UNKNOWN) for cell in column]
        return self._indicators(codes, -1) if self.count else codes

    def _indicators(self, codes, other):
        """Indicators of the levels, and of missing training cells and unknown query cells."""
        blocks = []
        for column, levels in zip(codes.T, self.levels):
            column = np.where(column < 0, other, column)
            blocks.append(0.5 * (column[:, None] == np.arange(-2, len(levels))))
        return np.ascontiguousarray(np.concatenate(blocks, axis=1))
