"""Files that appear whole or not at all, one by one or several together."""

import contextlib
import os
import secrets
import shutil
from pathlib import Path

READY = ".ready"  # inside a folder: complete files of one run that are still to be put in place
_STAGE = ".stage-"  # how the names of folders of unfinished files begin


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
    # The name is known before the file exists: Ctrl-C in the middle of its creation leaves nothing behind either.
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with open(part, mode.replace("w", "x"), **kwargs) as file:
            yield file
            file.flush()
            if sync:
                os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_text(path, text):
    """Write a text file whole or not at all."""
    with replacing(path) as file:
        file.write(text)


def write_bytes(path, data, *, sync=True):
    """Write a binary file whole or not at all."""
    with replacing(path, "wb", sync=sync) as file:
        file.write(data)


@contextlib.contextmanager
def replacing_together(folder, *, stale=()):
    """Yield an empty folder whose files take their places in `folder` when the block ends, all or none of them.

    The files are complete and on the disk before the first old one is touched, and all old ones are removed before the
    first new one appears: files of two runs never stand side by side. If the process dies on the way, nothing has
    happened yet, or `finish_replacing` completes it. Only one process may write to `folder` at a time.

    Parameters
    ----------
    folder : Path
        An existing folder.
    stale : iterable of str
        Names of further files of an earlier run, which are removed.
    """
    folder = Path(folder)
    finish_replacing(folder)
    for forgotten in folder.glob(f"{_STAGE}*"):  # of a process that died
        shutil.rmtree(forgotten, ignore_errors=True)
    stage = folder / f"{_STAGE}{secrets.token_hex(4)}"
    stage.mkdir()
    try:
        yield stage
        for file in stage.iterdir():
            _sync(file)
        _sync(stage)
        os.replace(stage, folder / READY)
    except BaseException:
        shutil.rmtree(stage, ignore_errors=True)
        raise
    finish_replacing(folder, stale=stale)


def finish_replacing(folder, *, stale=()):
    """Put complete files in place that a process left in `folder` when it died; nothing to do otherwise."""
    ready = Path(folder) / READY
    if ready.is_symlink() or not ready.is_dir():  # a link would pull files out of the folder that it leads to
        return
    names = sorted(file.name for file in ready.iterdir())
    for name in dict.fromkeys([*names, *stale]):
        if (ready / name).exists() or name in stale:  # else another process has just put the new file there
            (Path(folder) / name).unlink(missing_ok=True)
    for name in names:
        with contextlib.suppress(FileNotFoundError):
            os.replace(ready / name, Path(folder) / name)
    with contextlib.suppress(FileNotFoundError):
        ready.rmdir()
    _sync(folder)


def _sync(path):
    """Wait until the disk has a file, or the entries of a folder where the system can tell."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        if Path(path).is_dir():  # Windows does not open folders
            return
        raise
    try:
        os.fsync(descriptor)
    except OSError:
        if not Path(path).is_dir():
            raise
    finally:
        os.close(descriptor)
