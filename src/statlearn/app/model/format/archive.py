"""The zip archive of a model file: written with fixed times, read with limits on what it unpacks to."""

import hashlib
import io
import json
import zipfile
import zlib

from . import arrays

FORMAT = "statlearn model"
VERSION = 1  # of the format; raised by a change that earlier readers would misread
TREE = "model.json"
SKOPS_TREE = "schema.json"  # of files of earlier versions
MAX_MEMBERS = 500_000
# A file may unpack to the free size and a number of times its own.
FREE_BYTES, FREE_TREE_BYTES = 2**28, 2**25
MAX_RATIO, MAX_TREE_RATIO = 50, 20
_TIME = (1980, 1, 1, 0, 0, 0)


class Refused(ValueError):
    """An archive that is not opened, with the reason as a part of a sentence."""


def pack(writer, version):
    """The bytes of a model file.

    Parameters
    ----------
    writer : Writer
    version : str
        Of statlearn.
    """
    packed = _pack(writer, version, zipfile.ZIP_DEFLATED)
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        if _too_large(archive, len(packed), TREE) is None:
            return packed
    return _pack(writer, version, zipfile.ZIP_STORED)  # what shrinks that much looks like an attack to a reader


def _pack(writer, version, compression):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        digests = []
        for number, array in enumerate(writer.arrays):
            content = arrays.to_bytes(array)
            digests.append(hashlib.sha256(content).hexdigest())
            archive.writestr(_entry(f"arrays/{number}.npy", compression), content)
        tree = {
            "format": FORMAT,
            "format_version": VERSION,
            "statlearn": version,
            "root": writer.root,
            "arrays": digests,
            "nodes": writer.nodes,
        }
        text = json.dumps(tree, allow_nan=False, separators=(",", ":"))
        archive.writestr(_entry(TREE, compression), text)
    return buffer.getvalue()


def _entry(name, compression):
    entry = zipfile.ZipInfo(name, _TIME)
    entry.compress_type = compression
    entry.external_attr = 0o644 << 16
    return entry


def _too_large(archive, size, tree):
    """What is wrong with the sizes in the directory of an archive of this size, or None."""
    entries = archive.infolist()
    if len(entries) > MAX_MEMBERS:
        return f"has {len(entries):,} members"
    if sum(entry.file_size for entry in entries) > FREE_BYTES + MAX_RATIO * size:
        return f"would unpack to more than {(FREE_BYTES + MAX_RATIO * size) / 2**20:,.0f} MB"
    limit = FREE_TREE_BYTES + MAX_TREE_RATIO * size
    if any(entry.file_size > limit for entry in entries if entry.filename == tree):
        return f"would unpack to a description of more than {limit / 2**20:,.0f} MB"
    return None


class Members:
    """The members of an archive whose directory has been checked.

    Parameters
    ----------
    content : bytes
    """

    def __init__(self, content):
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
        except (zipfile.BadZipFile, ValueError, EOFError, OSError, NotImplementedError) as error:
            raise Refused("is not a model file, or is incomplete") from error
        entries = self._zip.infolist()
        self.names = {entry.filename for entry in entries}
        self._unpacked, self._limit = 0, FREE_BYTES + MAX_RATIO * len(content)
        reason = _too_large(self._zip, len(content), self._description())
        if reason is not None:
            raise Refused(f"{reason}, so it was not loaded")
        if len(self.names) < len(entries):
            raise Refused("contains two members of the same name")
        stored = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        if any(entry.compress_type not in stored or entry.flag_bits & 1 for entry in entries):
            raise Refused("is encrypted, or compressed in another way than model files are")

    def _description(self):
        """The member with a limit of its own, or None."""
        return None

    def spend(self, size):
        """Count bytes that are unpacked; Refused when they are more than an honest file contains.

        The directory was checked, but members can be read several times, and hold archives themselves.
        """
        self._unpacked += size
        if self._unpacked > self._limit:
            raise Refused(f"would unpack to more than {self._limit / 2**20:,.0f} MB, so it was not loaded")

    def read(self, name):
        """The content of a member; Refused if it is absent or was changed."""
        if type(name) is not str or name not in self.names:
            raise Refused("is damaged (a member is missing)")
        self.spend(self._zip.getinfo(name).file_size)
        try:
            return self._zip.read(name)
        except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, NotImplementedError) as error:
            raise Refused("is damaged (a checksum does not match)") from error

    def array(self, name):
        """The array of a member."""
        return arrays.from_bytes(self.read(name))


class Archive(Members):
    """The archive of a model file.

    Parameters
    ----------
    content : bytes
    """

    def __init__(self, content):
        super().__init__(content)
        if not self.is_skops and TREE not in self.names:
            raise Refused("is an archive, but not a statlearn model file")

    @property
    def is_skops(self):
        """Whether an earlier version wrote the file."""
        return TREE not in self.names and SKOPS_TREE in self.names

    def _description(self):
        return SKOPS_TREE if self.is_skops else TREE

    def tree(self):
        """What the description says, parsed."""
        try:
            return json.loads(self.read(SKOPS_TREE if self.is_skops else TREE))
        except RecursionError:
            raise Refused("is damaged (its description is nested too deep)") from None
        except Refused:
            raise
        except ValueError as error:
            raise Refused("is an archive, but not a statlearn model file") from error

    def numbered_array(self, number, digest):
        """Array of this number, if its content has this digest."""
        content = self.read(f"arrays/{number}.npy")
        if hashlib.sha256(content).hexdigest() != digest:
            raise Refused("is damaged (a checksum does not match)")
        return arrays.from_bytes(content)
