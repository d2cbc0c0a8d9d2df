"""Files of a source: which they are, and whether they are still those that were opened."""

import os
from pathlib import Path


class Files:
    """Paths with the length and time of change that they had when the source was opened."""

    def __init__(self, paths):
        self.paths = [str(Path(path).absolute()) for path in paths]
        self.marks = [self._mark(path) for path in self.paths]

    @staticmethod
    def _mark(path):
        status = os.stat(path)
        return status.st_size, status.st_mtime_ns

    def name(self, k):
        """The last part of the path."""
        return Path(self.paths[k]).name

    def check(self, k):
        """Raise if a file is gone or has changed: another pass over it would see other rows."""
        path = self.paths[k]
        try:
            mark = self._mark(path)
        except FileNotFoundError:
            raise FileNotFoundError(f"`{path}` no longer exists; a fit reads its source several times.") from None
        if mark != self.marks[k]:
            change = (
                f"its length was {self.marks[k][0]} bytes and is {mark[0]}"
                if mark[0] != self.marks[k][0]
                else ("it was written again")
            )
            raise ValueError(f"`{path}` has changed since the source was opened: {change}. Open the source again.")


def list_files(path, suffixes):
    """The file itself, or the files of a folder with one of the suffixes, by name; hidden ones are left out."""
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"`source` must be an existing file or folder, got {str(path)!r}.")
    if not path.is_dir():
        return [path]
    files = [file for file in sorted(path.rglob("*")) if file.is_file() and file.suffix.lower() in suffixes]
    return [file for file in files if not any(part.startswith((".", "_")) for part in file.relative_to(path).parts)]


def arrow(module, purpose):
    """A module of pyarrow, or an error that says how to install it."""
    import importlib

    try:
        return importlib.import_module(f"pyarrow.{module}" if module else "pyarrow")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"{purpose} requires pyarrow: pip install 'statlearn[app]'.") from error


def same_schema(names, types, first, path, where):
    """Raise unless a file has the columns of the first one."""
    if (names, types) == first:
        return
    missing = [name for name in first[0] if name not in names]
    added = [name for name in names if name not in first[0]]
    changed = [
        f"{name!r} is {types[names.index(name)]} instead of {kind}"
        for name, kind in zip(*first)
        if name in names and types[names.index(name)] != kind
    ]
    parts = [f"without {missing}"] if missing else []
    parts += [f"with {added} in addition"] if added else []
    parts += changed or ([] if parts else ["in another order"])
    raise ValueError(f"`{path}` has other columns than {where}: {'; '.join(parts)}.")
