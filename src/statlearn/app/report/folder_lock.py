"""A lock on the folder of a run: two processes never write to one folder at the same time."""

import contextlib
import os
import threading
from pathlib import Path

from statlearn.app.errors import FolderInUse
from statlearn.app.files import make_folder
from statlearn.app.setting_names import option

NAME = ".lock"
_held: dict[Path, int] = {}  # locked folders of this process, and the thread that holds each
_guard = threading.Lock()


@contextlib.contextmanager
def locked(folder):
    """Hold the lock of a folder, which is created if it does not exist, and removed again if it is left empty.

    The operating system releases the lock when the process ends, however it ends. The thread that holds it may lock
    the folder again. File systems without locks are not protected.

    Parameters
    ----------
    folder : path

    Raises
    ------
    FolderInUse
        Another process, or another thread of this one, is writing to the folder.
    """
    folder = Path(folder).resolve()
    created = [path for path in (folder, *folder.parents) if not path.exists()]
    make_folder(folder)
    with _guard:
        holder = _held.get(folder)
        if holder is None:
            _held[folder] = threading.get_ident()
    if holder is not None:
        if holder != threading.get_ident():
            raise _in_use(folder)
        yield
        return
    try:
        file = _acquire(folder / NAME)
        try:
            yield
        finally:
            _release(file, folder / NAME)
            with contextlib.suppress(OSError):  # the first one that is not empty
                for path in created:
                    path.rmdir()
    finally:
        with _guard:
            del _held[folder]


def _in_use(folder):
    return FolderInUse(
        f"another run is writing to {folder}; wait until it ends, or choose another folder with {option('out')}"
    )


def _acquire(path):
    """The locked file, or None where the file system has no locks."""
    while True:
        try:
            file = open(path, "a", opener=_without_links)  # noqa: SIM115 - it is held open as long as the lock
        except PermissionError:  # a folder that cannot be written to: whoever writes there says so
            return None
        try:
            _lock(file)
        except BlockingIOError:
            file.close()
            raise _in_use(path.parent) from None
        except OSError:
            file.close()
            return None
        # Its last holder may have removed the file between our opening and our locking it.
        try:
            if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                return file
        except FileNotFoundError:
            pass
        file.close()


def _without_links(path, flags):
    """Open a file of the folder itself: a link of a stranger must not make one elsewhere."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)


def _release(file, path):
    if file is None:
        return
    with contextlib.suppress(OSError):  # Windows does not remove open files
        path.unlink()
    file.close()


if os.name == "nt":

    def _lock(file):
        import msvcrt

        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError from error

else:

    def _lock(file):
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
