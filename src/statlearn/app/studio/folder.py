"""The folder that the studio was started in: nothing outside of it is read or written."""

import os
from dataclasses import dataclass
from pathlib import Path

from statlearn.app.errors import UsageError

OWN = ".statlearn-studio"  # choices and running work, so that a restart loses nothing
TABLES = (
    ".csv", ".tsv", ".tab", ".txt", ".data", ".parquet", ".pq", ".jsonl", ".ndjson", ".arrow", ".feather", ".ipc",
    ".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".gz", ".zst",
)  # fmt: skip
DEPTH, MOST = 3, 5000  # of the search for files
SKIPPED = {"node_modules", "__pycache__", "site-packages"}


@dataclass(frozen=True)
class Entry:
    """A file or a folder that the studio can open."""

    name: str  # its path in the folder, with "/"
    size: int
    changed: float  # seconds since 1970


class Folder:
    """A folder of tables, comparisons and models.

    Parameters
    ----------
    root : path
    """

    def __init__(self, root="."):
        self.root = Path(root).resolve()

    def path(self, name):
        """The path of a file or folder by its name in this folder.

        Parameters
        ----------
        name : str
            Relative, with "/" between its parts.

        Returns
        -------
        Path

        Raises
        ------
        UsageError
            The name leads out of the folder, also by way of a symbolic link.
        """
        if not isinstance(name, str) or not name or "\0" in name or len(name) > 1000:
            raise UsageError("`name` must be the name of a file in the studio's folder")
        try:
            found = (self.root / name).resolve()
            inside = found != self.root and found.is_relative_to(self.root)
        except (OSError, ValueError, RuntimeError):  # names that no file system takes, links in a circle
            inside = False
        if not inside:
            raise UsageError(f"`name` must be inside of the studio's folder, got {name[:200]!r}")
        return found

    def name(self, path):
        """The name of a path in this folder."""
        return Path(path).resolve().relative_to(self.root).as_posix()

    def own(self, *parts):
        """A folder of the studio's own files, which is created if it does not exist."""
        path = self.root.joinpath(OWN, *parts)
        path.mkdir(parents=True, exist_ok=True)
        return path

    def tables(self):
        """Files that may be tables, the newest first; those that statlearn has written come last."""
        found = self._files(lambda name: name.lower().endswith(TABLES))
        written = {path.parent for path in self.root.glob("*/report.html")}
        return [e for e in found if self.path(e.name).parent not in written]

    def models(self):
        """Model files, the newest first."""
        return self._files(lambda name: name.endswith(".statlearn") and name != "comparison.statlearn")

    def reports(self):
        """Folders that hold a report, the newest first, as entries of their report.json."""
        return self._files(lambda name: name == "report.json")

    def _files(self, wanted):
        entries = []
        for place, folders, names in os.walk(self.root):
            deep = len(Path(place).relative_to(self.root).parts)
            folders[:] = sorted(
                f for f in folders if deep < DEPTH - 1 and not f.startswith(".") and f not in SKIPPED and f != "state"
            )
            for name in names:
                if wanted(name) and not name.startswith("."):
                    entry = self._entry(Path(place, name))
                    entries += [entry] if entry is not None else []
            if len(entries) >= MOST:
                break
        return sorted(entries, key=lambda e: (-e.changed, e.name))

    def _entry(self, path):
        try:
            facts = path.stat()
            return Entry(self.name(path), facts.st_size, facts.st_mtime)
        except (OSError, ValueError):  # a broken link, or one that leads out
            return None
