"""Excel files, read in a process of their own.

The reader lays a sheet out in full, with all cells between the outermost ones, and ends its process where memory ends:
two cells at opposite corners of a sheet are enough. So that process is not ours, and has limits.
"""

import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from statlearn._core.memory import available_memory
from statlearn.app.errors import DataError
from statlearn.app.setting_names import count

SECONDS, SECONDS_PER_MB = 30, 10  # of work
_START = "import sys; sys.path[:] = {path!r}; from statlearn.app.tables.excel import child; child(*sys.argv[1:])"


def read_excel(path, notes):
    """The largest sheet, from its header on.

    Parameters
    ----------
    path : Path
    notes : list of str
        Remarks on what was read are added.

    Returns
    -------
    polars DataFrame
    """
    import polars as pl

    if importlib.util.find_spec("fastexcel") is None:
        raise DataError(
            f"{path} is an Excel file; install fastexcel to read it (pip install 'statlearn[app]'), or save it as CSV"
        )
    with tempfile.TemporaryDirectory() as folder:
        sheet = Path(folder, "sheet.arrow")
        start = _START.format(path=[part or "." for part in sys.path])
        command = [sys.executable, "-c", start, str(path), str(sheet)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        try:
            answer = json.loads(done.stdout)
        except ValueError:
            raise DataError(
                f"{path} cannot be read as Excel: it is damaged, or its cells lie so far apart that its sheets take "
                "too much memory or time; save it as CSV"
            ) from None
        if "error" in answer:
            raise DataError(answer["error"])
        notes += answer["notes"]
        return pl.read_ipc(sheet)


def child(path, sheet):
    """Write the largest sheet to an Arrow file and print the notes on it, or the error: what the other process runs."""
    _limit(Path(path).stat().st_size)
    notes = []
    try:
        _largest_sheet(path, notes).write_ipc(sheet)
        answer = {"notes": notes}
    except DataError as error:
        answer = {"error": str(error)}
    print(json.dumps(answer))


def _limit(size):
    """Let this process work and grow only as far as a file of this size can need."""
    try:
        import resource
    except ImportError:  # Windows
        return
    limits = {resource.RLIMIT_CORE: 0, resource.RLIMIT_CPU: SECONDS + SECONDS_PER_MB * size // 2**20}
    if (memory := available_memory()) is not None:
        limits[resource.RLIMIT_DATA] = memory
    for what, limit in limits.items():
        most = resource.getrlimit(what)[1]
        limit = limit if most == resource.RLIM_INFINITY else min(limit, most)
        resource.setrlimit(what, (limit, most))


def _largest_sheet(path, notes):
    import fastexcel

    try:
        book = fastexcel.read_excel(path)
        sheets = {
            name: book.load_sheet(name, header_row=None, dtypes="string").to_polars() for name in book.sheet_names
        }
        name = max(sheets, key=lambda each: sheets[each].count().sum_horizontal().sum(), default=None)
        if name is None or len(sheets[name]) < 2:
            raise DataError(f"{path} has no sheet with any rows")
        header = _header_row(sheets[name])
        frame = book.load_sheet(name, header_row=header).to_polars()
    except fastexcel.FastExcelError as error:
        reason = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
        raise DataError(f"{path} cannot be read as Excel: {reason[:300]}") from error
    if len(book.sheet_names) > 1:
        notes.append(f"The file has {len(book.sheet_names)} sheets; {name!r}, the largest, was read.")
    if header:
        notes.append(f"{count(header, 'row')} above the header {'was' if header == 1 else 'were'} skipped.")
    empty = [column for column in frame.columns if frame[column].null_count() == len(frame)]
    return frame.drop([column for column in empty if column.startswith("__UNNAMED__")])


def _header_row(cells):
    """The first row of a sheet that has a cell in at least half of the columns that are used further down."""
    import numpy as np
    import polars as pl

    filled = cells.select(pl.all().is_not_null()).to_numpy()
    used = np.flatnonzero(filled.sum(axis=0) > 1)
    counts = filled[:, used].sum(axis=1)
    return int(np.argmax(counts >= max(1, 0.5 * len(used))))
