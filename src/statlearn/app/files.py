"""Writing files so that nobody ever finds half of one."""

import os
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path

from statlearn.app.errors import AppError


def explain(error, path):
    """An OSError in words: which file, why, and what to do where that is known."""
    import errno

    reason = {
        errno.ENOSPC: "the disk is full; free some space or choose another folder",
        errno.EDQUOT: "your quota is used up; free some space or choose another folder",
        errno.EACCES: "permission denied",
        errno.EROFS: "the file system is read-only",
        errno.ENOENT: "no such file or folder",
        errno.EISDIR: "it is a folder, not a file",
        errno.ENOTDIR: "a part of the path is a file, not a folder",
    }.get(error.errno, error.strerror or str(error))
    return f"{path}: {reason}"


def make_folder(path):
    """The folder, made with its parents where it was missing."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise AppError(f"{path}: it is a file, not a folder") from error
    except OSError as error:
        raise AppError(explain(error, path)) from error
    return Path(path)


@contextmanager
def atomic_path(path):
    """A temporary path beside `path` that takes its place when the block ends well, and vanishes when it does not."""
    path = Path(path)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as error:
        raise AppError(explain(error, path)) from error
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with open(temporary, "rb+") as stream:
            os.fsync(stream.fileno())  # a full disk is noticed here at the latest
        temporary.chmod(0o666 & ~_umask())
        os.replace(temporary, path)
    except OSError as error:
        raise AppError(explain(error, path)) from error
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()


def write_atomic(path, content):
    """Write text or bytes as a whole or not at all."""
    with atomic_path(path) as temporary:
        if isinstance(content, str):
            temporary.write_text(content, encoding="utf-8")
        else:
            temporary.write_bytes(content)


def _umask():
    # The process's mask can only be read by setting it.
    mask = os.umask(0)
    os.umask(mask)
    return mask
