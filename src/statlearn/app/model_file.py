"""Model files: what they hold is data, and loading one runs no code from it.

The format is that of skops: a zip archive of arrays and a JSON tree of types. Types are looked up by name, and only
numpy's, scipy's, scikit-learn's estimators and statlearn's own classes are taken; anything else is refused before an
object is made.
"""

import importlib
import inspect
import json
import re
import zipfile
import zlib
from pathlib import Path

from statlearn.app import _atomic
from statlearn.app.errors import ModelFileError

# Plain classes of scikit-learn that fitted models hold beside estimators.
_PLUMBING = {
    "sklearn.model_selection._split.KFold",
    "sklearn.model_selection._split.StratifiedKFold",
    "sklearn.model_selection._split.TimeSeriesSplit",
}
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
    _atomic.write_bytes(path, dumps(model), sync=sync)


def dumps(model):
    """The bytes of a model file."""
    skops = _skops()
    return skops.dumps(model, compression=zipfile.ZIP_DEFLATED)


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
        if refused:
            raise ModelFileError(
                f"{path} contains types that are not trusted: {', '.join(sorted(refused)[:5])}. Nothing was loaded. "
                "statlearn model files contain only types of numpy, scipy, scikit-learn and statlearn."
            )
        return skops.loads(content, trusted=strange)
    except ModelFileError:
        raise
    except Exception as error:  # a tree that was tampered with can fail in any way
        raise ModelFileError(f"{path} is damaged or was not written by statlearn ({_brief(error)})") from error


def _check_archive(content, path):
    import io

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
