"""The closed list of classes and functions that model files may name.

Estimators come from the registry: every public estimator of a family, and those of scikit-learn that a family
re-exports. What fitted models contain beside estimators is listed in `parts`. A class is named by its package and its
own name, without the private modules between them, so that moving a module breaks no file. `_math` was
a part of `_core` when the first files were written: files name what is in either as ``statlearn._core``.
"""

import importlib
from functools import lru_cache
from pathlib import Path

from statlearn._core.families import FAMILIES
from statlearn._core.lazy import read_stub

from .parts import FUNCTIONS, PARTS, TYPES


def name_of(module, attribute):
    """The name in model files of what is called `attribute` in `module`."""
    top = module.split(".")[:2] if module.startswith(("statlearn.", "sklearn.")) else module.split(".")[:1]
    if top == ["statlearn", "_math"]:
        top = ["statlearn", "_core"]
    return ".".join([*top, attribute])


# Names of parts in files written before their classes moved to another package.
FORMER = {"statlearn.ensemble.TableCoder": "statlearn._math.trees.table_coder.TableCoder"}


@lru_cache(1)
def _parts():
    return {name_of(*path.rsplit(".", 1)): path for path in PARTS} | FORMER


@lru_cache(1)
def _functions():
    return {name_of(*path.rsplit(".", 1)): path for path in FUNCTIONS}


@lru_cache(1)
def _public():
    """Public names of the families: where each is defined, by its name in model files."""
    homes = {}
    for family in FAMILIES:
        package = f"statlearn.{family}"
        stub = Path(importlib.import_module(package).__file__)
        for public, home in read_stub(package, str(stub))[0].items():
            homes[name_of(home, public)] = f"{home}.{public}"
    return homes


def find_class(name):
    """The class of this name, or None if model files may not contain it."""
    from sklearn.base import BaseEstimator

    if name in _parts():
        return _imported(_parts()[name])
    path = _public().get(name)
    if path is None:
        return None
    found = _imported(path)
    return found if isinstance(found, type) and issubclass(found, BaseEstimator) else None


def class_name(cls):
    """The name of a class in model files, or None if they may not contain it."""
    name = name_of(cls.__module__, cls.__qualname__)
    return name if find_class(name) is cls else None


def find_function(name):
    """The function of this name, or None if model files may not contain it."""
    path = _functions().get(name)
    return None if path is None else _imported(path)


@lru_cache(1)
def _names_of_functions():
    return {id(find_function(name)): name for name in _functions()}


def function_name(function):
    """The name of a function in model files, or None if they may not contain it."""
    return _names_of_functions().get(id(function))


def find_type(name):
    """A type that is a parameter, such as the data type of a transformer's output, or None."""
    return TYPES.get(name)


def type_name(cls):
    """The name of such a type, or None."""
    return next((name for name, known in TYPES.items() if known is cls), None)


def opens_files(cls, state):
    """Whether an object of these attributes opens the files that cells of a table name: a stranger's must not."""
    return hasattr(cls, "build_analyzer") and state.get("input", "content") != "content"


def _imported(path):
    module, _, attribute = path.rpartition(".")
    return getattr(importlib.import_module(module), attribute)
