"""Model files: what they contain is data, and loading one runs no code from it.

A file is an archive of arrays and of a description of objects. Only classes of a closed list can be in it: the public
estimators, and the parts of fitted models that `format.parts` names. Objects are built without calling
constructors, after everything in the file has been checked. Files of earlier versions, in the format of skops, are read
by the same rules.
"""

from dataclasses import fields, is_dataclass
from pathlib import Path

from sklearn.base import BaseEstimator

from statlearn import __version__
from statlearn._core import atomic_files
from statlearn.app.errors import ModelFileError
from statlearn.app.model.format import archive as archives
from statlearn.app.model.format import reader, skops_file
from statlearn.app.model.format.writer import Writer

SKOPS_MARK = "statlearn.json"  # in files of earlier versions: the version that wrote them


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
    """The bytes of a model file; ModelFileError naming the attribute that it cannot contain."""
    return archives.pack(Writer(model), __version__)


def load(path, expected=None):
    """Read a model written by `save`.

    Parameters
    ----------
    path : path
    expected : class or None
        Class of the model that the file must contain; None for any estimator or model of the app. It is checked before
        anything is built.

    Returns
    -------
    estimator

    Raises
    ------
    ModelFileError
        The file is missing, damaged or foreign, or contains what model files may not. Nothing of it has run then.
    """
    path = Path(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        from statlearn.app.files import explain

        raise ModelFileError(explain(error, path)) from error
    return loads(content, expected, path)


def loads(content, expected=None, name="the model file"):
    """The model of the bytes of a model file; see `load`."""
    archive, tree = _open(content, name)
    try:
        if archive.is_skops:
            nodes, root, arrays = skops_file.translate(tree, archive)
        else:
            nodes, root, arrays = _read_tree(tree, archive, name)
        model = reader.build(nodes, root, arrays, lambda cls: _is_model(cls, expected))
        _complete(model, name, archive, tree)
        return model
    except ModelFileError:
        raise
    except archives.Refused as error:
        raise ModelFileError(f"{name} {error}") from error
    except reader.UnknownName as error:
        raise ModelFileError(_unknown(error.name, name, archive, tree)) from error
    except reader.WrongModel as error:
        wanted = "an estimator" if expected is None else f"a {expected.__name__}"
        raise ModelFileError(f"{name} contains {error.name}, not {wanted}") from error
    except Exception as error:  # a description that was tampered with can fail in any way
        raise ModelFileError(f"{name} is damaged or was not written by statlearn ({_brief(error)})") from error


def _is_model(cls, expected):
    if expected is not None:
        return issubclass(cls, expected)
    return issubclass(cls, BaseEstimator) or cls.__module__.startswith("statlearn.app.")


def _open(content, name):
    try:
        archive = archives.Archive(content)
        return archive, archive.tree()
    except archives.Refused as error:
        raise ModelFileError(f"{name} {error}") from error


def _read_tree(tree, archive, name):
    if type(tree) is not dict or tree.get("format") != archives.FORMAT:
        raise ModelFileError(f"{name} is an archive, but not a statlearn model file")
    if tree.get("format_version") != archives.VERSION:
        raise ModelFileError(
            f"{name} has version {reader.short(tree.get('format_version'))} of the format of model files, and this "
            f"version of statlearn ({__version__}) reads version {archives.VERSION}; {_another_version(archive, tree)}"
        )
    digests = tree["arrays"]
    if type(digests) is not list or len(digests) > len(archive.names):
        raise ValueError("a list of arrays that is none")
    return tree["nodes"], tree["root"], [archive.numbered_array(k, digest) for k, digest in enumerate(digests)]


def _unknown(what, name, archive, tree):
    if what.startswith("statlearn."):
        return (
            f"{name} contains {what}, which this version of statlearn ({__version__}) does not read from model files; "
            f"{_another_version(archive, tree)}"
        )
    return (
        f"{name} contains {what}, which is not trusted. Nothing was loaded. statlearn model files contain only "
        "estimators, their parts and plain data."
    )


def _another_version(archive, tree):
    """Who wrote the file, and what to do about it."""
    wrote = None
    if not archive.is_skops:
        wrote = tree.get("statlearn")
    elif SKOPS_MARK in archive.names:
        import json

        mark = json.loads(archive.read(SKOPS_MARK))
        wrote = mark.get("version") if isinstance(mark, dict) else None
    known = isinstance(wrote, str)
    who = f"it was written by statlearn {wrote[:20]}" if known else "it was written by an older version of statlearn"
    return f"{who}. Run statlearn compare again to replace it, or load it with the version that wrote it."


def _complete(model, name, archive, tree):
    lacking = _lacking(model)
    if lacking:
        raise ModelFileError(f"{name} lacks {lacking}, which this version needs; {_another_version(archive, tree)}")


def _lacking(model):
    """What an object of our own lacks that its class declares, as "the field 'x' of TableModel"; empty for nothing.

    A field that came later than the file would silently have its default. Each object is looked at once, however often
    others refer to it.
    """
    waiting, seen = [model], set()
    while waiting:
        found = waiting.pop()
        if not is_dataclass(found) or id(found) in seen:
            continue
        seen.add(id(found))
        for item in fields(found):
            if item.name not in vars(found):
                return f"the field {item.name!r} of {type(found).__name__}"
            values = getattr(found, item.name)
            waiting += values if isinstance(values, list) else [values]
    return ""


def _brief(error):
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:120]}"
