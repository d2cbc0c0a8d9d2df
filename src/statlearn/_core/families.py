"""The families of methods.

They are listed once, in ``statlearn/__init__.pyi``. The lazy subpackages, the registry of estimators, the attributes of
the native loader and the contract tests derive from this list; documentation and kernel tests use folders of the same
names. To add a family, create a folder and add a line to that stub.
"""

from pathlib import Path

from .lazy import read_stub

AROUND = ("app", "datasets", "plot", "scale")  # packages around the families, without estimators

_, _packages = read_stub("statlearn", str(Path(__file__).parents[1] / "__init__.py"))
FAMILIES = tuple(name for name in _packages if name not in AROUND)
