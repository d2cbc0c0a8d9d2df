"""Families whose modules load when one of their names is first used.

The public names stand in the family's ``__init__.pyi``, where type checkers and editors read them too; the package
itself is two lines::

    from statlearn._core.lazy import attach

    __getattr__, __dir__, __all__ = attach(__name__, __file__)
"""

import ast
import importlib
import sys
from pathlib import Path


def attach(package, file):
    """`__getattr__`, `__dir__` and `__all__` for a package, from the imports of the stub beside `file`.

    Names come from the package's own modules (``from ._lasso import Lasso``), or from another place of statlearn that
    they are re-exported from (``from statlearn._core.metrics import pairwise_distances``).
    """
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))
    relative = [node for node in stub.body if isinstance(node, ast.ImportFrom) and node.level == 1]
    home = {alias.name: f"{package}.{node.module}" for node in relative if node.module for alias in node.names}
    elsewhere = [node for node in stub.body if isinstance(node, ast.ImportFrom) and node.level == 0]
    home |= {alias.name: node.module for node in elsewhere for alias in node.names}
    # ``from . import losses`` names a public module of the package: an attribute, not one of its names.
    modules = {alias.name for node in relative if not node.module for alias in node.names}
    names = sorted(home)

    def __getattr__(name):
        if name in modules:
            return importlib.import_module(f"{package}.{name}")
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(home[name]), name)
        setattr(sys.modules[package], name, value)  # the next look-up finds it directly
        return value

    def __dir__():
        return sorted({*names, *modules})

    return __getattr__, __dir__, names
