"""Lazy loading of packages: a module is imported when one of its names is first used.

The public names are listed in the package's ``__init__.pyi``, which type checkers and editors read as well. The package
itself consists of two lines::

    from statlearn._core.lazy import attach

    __getattr__, __dir__, __all__ = attach(__name__, __file__)
"""

import ast
import importlib
import sys
from pathlib import Path


def read_stub(package, file):
    """The public names of a package, from the imports of the stub next to `file`.

    Parameters
    ----------
    package : str
    file : str
        The ``__init__.py``; the stub is the ``__init__.pyi`` next to it.

    Returns
    -------
    home : dict of str to str
        The module of each name: one of the package (``from ._lasso import Lasso``), or another place of statlearn that
        the name is re-exported from (``from statlearn._math.distances.metrics import pairwise_distances``).
    modules : list of str
        Public modules of the package (``from . import losses``): attributes, not names of the package.
    """
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))
    home, modules = {}, []
    for node in stub.body:
        if not isinstance(node, ast.ImportFrom):
            continue
        names = [alias.name for alias in node.names]
        if node.module is None:
            modules += names
        else:
            home |= dict.fromkeys(names, f"{package}.{node.module}" if node.level else node.module)
    return home, modules


def attach(package, file):
    """`__getattr__`, `__dir__` and `__all__` for a package, from the stub next to `file`."""
    home, modules = read_stub(package, file)

    def __getattr__(name):
        if name in modules:
            return importlib.import_module(f"{package}.{name}")
        if name not in home:
            raise missing_name(package, name, sys._getframe(1))
        value = getattr(importlib.import_module(home[name]), name)
        setattr(sys.modules[package], name, value)  # the next look-up finds it directly
        return value

    def __dir__():
        return sorted({*home, *modules})

    return __getattr__, __dir__, sorted(home)


def missing_name(package, name, frame):
    """The exception for a name that a package lacks, with a hint where the name is.

    Python replaces an AttributeError in ``from package import name`` by an ImportError without our text. There, and
    only there, the exception is the ImportError itself: `hasattr` and the like continue to see an AttributeError.
    """
    said = ""
    if not name.startswith("_"):
        from .public_names import hint

        said = hint(package, name)
    partly_loaded = f"{package}.{name}" in sys.modules  # a module in a circle of imports, which Python finds itself
    if not partly_loaded and _imports_from(frame):
        text = f"cannot import name {name!r} from {package!r}" + (f". {said}" if said else "")
        return ImportError(text, name=package, path=getattr(sys.modules.get(package), "__file__", None))
    return AttributeError(f"module {package!r} has no attribute {name!r}" + (f". {said}" if said else ""))


def _imports_from(frame):
    """Whether a frame is at the instruction of ``from package import name``."""
    import opcode

    code, at = frame.f_code.co_code, frame.f_lasti
    return 0 <= at < len(code) and code[at] == opcode.opmap["IMPORT_FROM"]
