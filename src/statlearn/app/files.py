"""Trouble with files, in words."""

import errno
from pathlib import Path

from statlearn.app.errors import AppError

_REASONS = {
    errno.ENOSPC: "the disk is full; free some space or choose another folder",
    errno.EDQUOT: "your disk quota is exceeded; free some space or choose another folder",
    errno.EFBIG: "the file exceeds the maximum size allowed by the system",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.EROFS: "the file system is read-only",
    errno.ENOENT: "no such file or folder",
    errno.EISDIR: "this is a folder, not a file",
    errno.ENOTDIR: "part of the path is a file, not a folder",
    errno.EEXIST: "this is a file, not a folder",
}


def explain(error, path=None):
    """An OSError as a sentence: which file, why, and what to do where that is known."""
    reason = _REASONS.get(error.errno, error.strerror or str(error))
    where = error.filename if path is None else path
    return f"{where}: {reason}" if where is not None else reason


def make_folder(path):
    """The folder, made with its parents where it was missing; AppError where it cannot be."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AppError(explain(error, path)) from error
    return Path(path)
