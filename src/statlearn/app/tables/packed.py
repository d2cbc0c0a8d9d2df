"""Files packed with gzip, unpacked with a limit: a few megabytes of them can hold terabytes."""

import gzip
import zlib

from statlearn._core.memory import size_words
from statlearn.app.errors import DataError

MAX_BYTES = 2**29
_BLOCK = 2**22


def check_unpacked_size(path):
    """Raise DataError if a gzip file is damaged, or if it unpacks to more than the limit."""
    for _ in _blocks(path):
        pass


def unpacked(path, most=None):
    """What a gzip file unpacks to, or the first bytes of it.

    Parameters
    ----------
    path : path
    most : int or None
        How many bytes are wanted.
    """
    found = bytearray()
    for block in _blocks(path):
        found += block
        if most is not None and len(found) >= most:
            return bytes(found[:most])
    return bytes(found)


def _blocks(path):
    size = 0
    try:
        with gzip.open(path, "rb") as stream:
            while block := stream.read(_BLOCK):
                size += len(block)
                if size > MAX_BYTES:
                    raise DataError(f"{path} unpacks to more than {size_words(MAX_BYTES)}; unpack it first")
                yield block
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path} is an incomplete or damaged gzip file") from error
