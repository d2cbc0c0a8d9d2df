"""Model files: what they hold is data, and loading one runs no code from it.

The format is that of skops: a zip archive of arrays and a JSON tree of types. Types are looked up by name, and only
numpy's, scipy's, scikit-learn's estimators and statlearn's own classes are taken; anything else is refused before an
object is made.
"""

import importlib
import inspect
import io
import json
import re
import zipfile
import zlib
from dataclasses import fields, is_dataclass
from pathlib import Path

from statlearn import __version__
from statlearn._core import atomic_files
from statlearn.app.errors import ModelFileError

# Plain classes of scikit-learn that fitted models hold beside estimators.
_PLUMBING = {
    "sklearn.model_selection._split.KFold",
    "sklearn.model_selection._split.StratifiedKFold",
    "sklearn.model_selection._split.TimeSeriesSplit",
}
MARK = "statlearn.json"  # in the archive: the version that wrote it
_OWN = re.compile(r"statlearn(\.[A-Za-z_]\w*)+")
MAX_BYTES = 8 * 2**30  # what a file may unpack to


def save(model, path, *, sync=True):
    """Write a model, whole or not at all.

    Parameters
    ----------
    model : estimator
    path : path
    sync : bool
        Whether to wait until the disk has it.
    """
    atomic_files.write_bytes(path, dumps(model), sync=sync)


def dumps(model):
    """The bytes of a model file."""
    content = io.BytesIO(_skops().dumps(model, compression=zipfile.ZIP_DEFLATED))
    with zipfile.ZipFile(content, "a") as archive:
        archive.writestr(MARK, json.dumps({"version": __version__}))
    return content.getvalue()


def load(path):
    """Read a model written by `save`.

    Parameters
    ----------
    path : path

    Returns
    -------
    estimator

    Raises
    ------
    ModelFileError
        The file is missing, damaged or foreign, or names types that are not trusted. Nothing of it has run then.
    """
    skops = _skops()
    path = Path(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        from statlearn.app.files import explain

        raise ModelFileError(explain(error, path)) from error
    _check_archive(content, path)
    try:
        strange = skops.get_untrusted_types(data=content)
        refused = [name for name in strange if not _trusted(name)]
        if refused and all(_OWN.fullmatch(name) for name in refused) and not any(map(_exists, refused)):
            raise ModelFileError(
                f"{path} contains {_types(refused)} of statlearn that this version ({__version__}) does not have; "
                f"{_another_version(content)}"
            )
        if refused:
            raise ModelFileError(
                f"{path} contains types that are not trusted: {', '.join(sorted(refused)[:5])}. Nothing was loaded. "
                "statlearn model files contain only types of numpy, scipy, scikit-learn and statlearn."
            )
        found = skops.loads(content, trusted=strange)
        lacking = _lacking(found)
        if lacking:
            raise ModelFileError(f"{path} lacks {lacking}, which this version needs; {_another_version(content)}")
        return found
    except ModelFileError:
        raise
    except Exception as error:  # a tree that was tampered with can fail in any way
        raise ModelFileError(f"{path} is damaged or was not written by statlearn ({_brief(error)})") from error


def _types(names):
    shown = ", ".join(sorted(names)[:3])
    return (
        f"the type {shown}" if len(names) == 1 else f"{len(names)} types ({shown}{', ...' if len(names) > 3 else ''})"
    )


def _another_version(content):
    """Who wrote the file, and what to do about it."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        mark = json.loads(archive.read(MARK)) if MARK in archive.namelist() else {}
    wrote = mark.get("version") if isinstance(mark, dict) else None
    who = f"it was written by statlearn {wrote}" if wrote else "it was written by an older version of statlearn"
    return f"{who}. Run statlearn compare again to replace it, or load it with the version that wrote it."


def _lacking(found):
    """What an object of our own lacks that its class declares, as "the field 'x' of TableModel"; empty for nothing.

    A field that came later than the file would silently have its default.
    """
    if not is_dataclass(found):
        return ""
    for item in fields(found):
        if item.name not in vars(found):
            return f"the field {item.name!r} of {type(found).__name__}"
        values = getattr(found, item.name)
        for value in values if isinstance(values, list) else [values]:
            if lacking := _lacking(value):
                return lacking
    return ""


def _exists(name):
    module, _, attribute = name.rpartition(".")
    try:
        return hasattr(importlib.import_module(module), attribute)
    except ImportError:
        return False


def _check_archive(content, path):
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if sum(item.file_size for item in archive.infolist()) > MAX_BYTES:
                raise ModelFileError(f"{path} would unpack to more than {MAX_BYTES // 2**30} GB, so it was not loaded")
            if archive.testzip() is not None:
                raise ModelFileError(f"{path} is damaged (a checksum does not match)")
            json.loads(archive.read("schema.json"))
    except ModelFileError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise ModelFileError(f"{path} is not a model file, or is incomplete") from error
    except (KeyError, ValueError) as error:
        raise ModelFileError(f"{path} is an archive, but not a statlearn model file") from error


def _trusted(name):
    """Whether a type is plain plumbing or a class of statlearn; functions are never taken."""
    if name in _PLUMBING:
        return True
    if not _OWN.fullmatch(name):
        return False
    module, _, attribute = name.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError):
        return False
    return inspect.isclass(found) and found.__module__ == module


def _skops():
    try:
        import skops.io
    except ImportError as error:
        raise ModelFileError("model files need the skops package: pip install 'statlearn[app]'") from error
    return skops.io


def _brief(error):
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:120]}"
