"""Files that appear whole or not at all."""

import contextlib
import os
import tempfile
from pathlib import Path


@contextlib.contextmanager
def replacing(path, mode="w", *, sync=True, **kwargs):
    """Open a new file beside `path` that takes its place when the block ends, and vanishes when the block fails.

    The new file is on the same file system, synced before the rename: a full disk, Ctrl-C or a loss of power leaves
    either the old file or the new one. Without `sync` a loss of power may leave an empty one: for files that are
    many, small and checked when they are read.
    """
    path = Path(path)
    if "b" not in mode:
        kwargs = {"encoding": "utf-8", "newline": "", **kwargs}
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, mode, **kwargs) as file:
            yield file
            file.flush()
            if sync:
                os.fsync(file.fileno())
        os.chmod(name, 0o666 & ~_umask())  # mkstemp is private to the user; the result is a file like any other
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise


def write_text(path, text):
    """Write a text file whole or not at all."""
    with replacing(path) as file:
        file.write(text)


def write_bytes(path, data, *, sync=True):
    """Write a binary file whole or not at all."""
    with replacing(path, "wb", sync=sync) as file:
        file.write(data)


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask
