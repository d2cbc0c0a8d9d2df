"""The families of methods.

They are listed once, in ``statlearn/__init__.pyi``. From there come the lazy subpackages, the registry of estimators,
the attributes of the native loader and the contract tests; documentation and kernel tests go by folders of the same
names. A new family is a folder and a line of that stub.
"""

from pathlib import Path

from .lazy import read_stub

AROUND = ("app", "datasets", "plot", "scale")  # packages around the families, without estimators of their own

_, _packages = read_stub("statlearn", str(Path(__file__).parents[1] / "__init__.py"))
FAMILIES = tuple(name for name in _packages if name not in AROUND)
