"""Study files: one line per event, flushed to the disk before the next step."""

import json
import os
from pathlib import Path

from statlearn._core.atomic_files import write_bytes

FORMAT = 1


class StudyFile:
    """Journal of an optimisation.

    The first line describes the study, each further one an event. A line counts once it is complete: a process killed
    while it writes leaves an incomplete last line, which is dropped when the file is opened again. One process at a
    time may have the file open.

    Parameters
    ----------
    path : str or path
    header : dict
        Description of the study, written if the file is new.

    Attributes
    ----------
    header : dict
        Description found in the file, or the one passed if the file is new.
    events : list of dict
        Events found in the file.
    """

    def __init__(self, path, header):
        self.path = Path(path)
        if not self.path.parent.is_dir():
            raise ValueError(f"`study`: the folder {str(self.path.parent)!r} does not exist.")
        if not self.path.exists() or self.path.stat().st_size == 0:
            write_bytes(self.path, _line({"statlearn_study": FORMAT, **header}))
        self._file = open(self.path, "r+b", buffering=0)  # noqa: SIM115  # kept open: it holds the lock
        try:
            _lock(self._file, self.path)
            self.header, self.events = self._read()
        except BaseException:
            self._file.close()
            raise

    def _read(self):
        data = self._file.read()
        whole, _, rest = data.rpartition(b"\n")
        records = []
        for number, line in enumerate(whole.split(b"\n"), start=1):
            try:
                record = json.loads(line)
                if not isinstance(record, dict):
                    raise ValueError
            except (ValueError, RecursionError):
                raise ValueError(
                    f"`study`: line {number} of {str(self.path)!r} is damaged, or this is not a study file."
                ) from None
            records.append(record)
        header = records[0] if records else {}
        if header.get("statlearn_study") != FORMAT:
            raise ValueError(f"`study`: {str(self.path)!r} is not a study file of this version of statlearn.")
        if rest:  # the process was killed while it wrote this
            self._file.truncate(len(data) - len(rest))
        self._file.seek(0, os.SEEK_END)
        return header, records[1:]

    def append(self, event):
        """Write one event, complete on the disk when the method returns."""
        self._file.write(_line(event))
        os.fsync(self._file.fileno())

    def close(self):
        """Close the file, so that another process can open it."""
        self._file.close()


def _line(record):
    return json.dumps(record, allow_nan=True, separators=(",", ":")).encode() + b"\n"


def _lock(file, path):
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise ValueError(f"`study`: {str(path)!r} is in use by another process or another optimiser.") from None
