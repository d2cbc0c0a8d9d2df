"""Files that appear whole or not at all."""

import contextlib
import os
import secrets
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
