"""Who may import whom.

From the top: the app, `plot`, the families, `_math`, `_core`, `_draw`. A package imports the last three, its own
modules, and what other packages publish; families do not import each other in a circle while they load.
"""

import ast
import importlib
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

import statlearn
from statlearn._core.families import AROUND, FAMILIES

ROOT = Path(statlearn.__file__).parent
TOP = "the package itself"  # statlearn/__init__
# A package may import those of its own layer and of the layers below.
LAYERS = {"_draw": 0, "_core": 1, "_math": 2, **dict.fromkeys(FAMILIES, 3), "datasets": 3, "plot": 4, "app": 5, TOP: 5}
LAYERS["scale"] = 4


@dataclass(frozen=True)
class Import:
    """One imported name: where the statement stands, and the dotted path behind ``statlearn.``."""

    file: str
    line: int
    owner: str
    path: tuple[str, ...]
    at_load: bool

    def __str__(self):
        return f"{self.file}:{self.line}: {'.'.join(self.path)}"


def imports_of(source, file):
    """The names of statlearn that a module imports; `file` is relative to the package, such as "linear/_lasso.py"."""
    parts = Path(file).parts
    owner = parts[0] if len(parts) > 1 else TOP
    package = ("statlearn", *parts[:-1])
    found = []
    for node, at_load in statements(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else ()
            module = (*base, *(node.module or "").split(".")) if node.module else base
            paths = [(*module, alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            paths = [tuple(alias.name.split(".")) for alias in node.names]
        else:
            continue
        found += [
            Import(file, node.lineno, owner, path[1:], at_load)
            for path in paths
            if path[0] == "statlearn" and len(path) > 1
        ]
    return found


def statements(node, at_load=True):
    """All statements below a node, and whether they run while the module loads. Expressions hold no imports."""
    at_load &= not (isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or is_type_checking(node))
    for field in ("body", "orelse", "handlers", "finalbody", "cases"):
        for inner in getattr(node, field, ()):
            yield inner, at_load
            yield from statements(inner, at_load)


def is_type_checking(node):
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


@cache
def all_imports():
    """All of them, also those of the stubs that say where public names live."""
    files = sorted(path for suffix in ("py", "pyi") for path in ROOT.rglob(f"*.{suffix}"))
    return [
        found
        for path in files
        for found in imports_of(path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix())
    ]


def is_package(path):
    return (ROOT.joinpath(*path) / "__init__.py").exists()


def is_module(path):
    return is_package(path) or ROOT.joinpath(*path).with_suffix(".py").exists()


def is_published(path):
    """Whether a dotted path leads over public modules to one of them, or to a name that its module lists."""
    if is_module(path):
        return not any(part.startswith("_") for part in path)
    *place, name = path
    if any(part.startswith("_") for part in place):
        return False
    module = importlib.import_module(".".join(("statlearn", *place)))
    return name in getattr(module, "__all__", [n for n in vars(module) if not n.startswith("_")])


def is_allowed(found):
    target = found.path[0]
    return target in ("_draw", "_core", "_math", found.owner) or found.owner == TOP or is_published(found.path)


def listing(found):
    return "\n  ".join(["", *map(str, found)])


def test_packages_import_what_others_publish():
    private = [found for found in all_imports() if not is_allowed(found)]
    assert not private, (
        f"{len(private)} imports of private names of another package; publish them, or move them to _math or _core:"
        + listing(private)
    )


def test_imports_go_down_the_layers():
    """Late imports too: families do not import the displays of `plot`, which import families."""

    def upward(found):
        return is_package(found.path[:1]) and LAYERS[found.path[0]] > LAYERS[found.owner]

    wrong = [found for found in all_imports() if upward(found)]
    assert not wrong, "imports that go up, from _core to _math, to the families or to the app:" + listing(wrong)


def test_families_do_not_load_each_other_in_a_circle():
    loads = defaultdict(dict)
    for found in all_imports():
        names = (found.owner, found.path[0])
        if found.at_load and found.file.endswith(".py") and names[0] != names[1] and set(names) <= {*FAMILIES, *AROUND}:
            loads[names[0]].setdefault(names[1], found)
    circle = find_circle(loads)
    assert not circle, "packages that load each other in a circle:" + listing(circle)


def find_circle(loads):
    """The imports of one circle of packages, or nothing; `loads` maps a package to those that it loads."""

    def follow(package, way):
        for target in loads.get(package, {}):
            if target in way:
                return [loads[a][b] for a, b in zip(way[way.index(target) :], [*way[way.index(target) + 1 :], target])]
            circle = follow(target, [*way, target])
            if circle:
                return circle
        return []

    return next(filter(None, (follow(package, [package]) for package in sorted(loads))), [])


def test_packages_import_each_other_in_one_direction():
    """Late imports too: what two packages need from each other belongs to one of them, or below both."""
    edges = defaultdict(list)
    for found in all_imports():
        if found.owner != TOP and found.owner != found.path[0] and is_package(found.path[:1]):
            edges[found.owner, found.path[0]].append(found)
    both = [found for pair, imports in edges.items() if pair[::-1] in edges for found in imports]
    assert not both, "packages that import each other:" + listing(both)


@pytest.mark.parametrize("package", ["_core", "_math", *sorted({*FAMILIES, *AROUND} - {"app"})])
def test_folders_of_a_package_import_each_other_in_one_direction(package):
    edges = defaultdict(list)
    for found in all_imports():
        source, target = Path(found.file).parts, found.path
        if source[0] == target[0] == package and len(source) > 2 and is_package(target[:2]) and source[1] != target[1]:
            edges[source[1], target[1]].append(found)
    both = [found for pair, imports in edges.items() if pair[::-1] in edges for found in imports]
    assert not both, "folders that import each other:" + listing(both)


def test_every_package_is_listed_once():
    folders = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"_draw", "_core", "_math"}
    assert folders == {*FAMILIES, *AROUND}
    assert set(FAMILIES) <= folders
    assert set(FAMILIES) <= set(dir(statlearn))


# The test itself ----------------------------------------------------------------------------------------------------


def test_relative_and_late_imports_are_read():
    source = """
from .._core.params import Real
from ._base import Base
import statlearn.trees._grow
if TYPE_CHECKING:
    from statlearn.plot import plot_path
def fit():
    from statlearn.linear import Lasso, Ridge as R
try:
    import statlearn.svm
except ImportError:
    import statlearn.gp
else:
    import statlearn.bayes
finally:
    class Inner:
        with open(0):
            import statlearn.rules
match fit:
    case 1:
        import statlearn.logic
"""
    found = imports_of(source, "smooth/gam/_fit.py")
    assert [(f.path, f.at_load) for f in found] == [
        (("smooth", "_core", "params", "Real"), True),
        (("smooth", "gam", "_base", "Base"), True),
        (("trees", "_grow"), True),
        (("plot", "plot_path"), False),
        (("linear", "Lasso"), False),
        (("linear", "Ridge"), False),
        (("svm",), True),
        (("bayes",), True),
        (("gp",), True),
        (("rules",), True),
        (("logic",), True),
    ]
    (found,) = imports_of("from .._core.params import Real", "linear/_lasso.py")
    assert found.path == ("_core", "params", "Real")


def test_private_names_are_distinguished_from_public_ones():
    def allowed(text, file="smooth/_gam.py"):
        return all(map(is_allowed, imports_of(text, file)))

    assert allowed("from statlearn.linear import Ridge")
    assert allowed("from statlearn.linear import Ridge", "app/fitting.py")
    assert allowed("from statlearn import __version__, linear")
    assert allowed("from statlearn.assess import losses")
    assert allowed("from statlearn._core.params import Real")
    assert allowed("from ._gam_fit import anything")
    assert not allowed("from statlearn.linear._ridge import Ridge")
    assert not allowed("from statlearn.linear import NotThere")
    assert not allowed("from statlearn.linear import _ridge")
    assert not allowed("import statlearn.linear._ridge")


def test_circles_are_found():
    step = {name: Import(f"{name}.py", 1, name, (), True) for name in "abc"}
    assert find_circle({"a": {"b": step["a"]}, "b": {"c": step["b"]}}) == []
    assert find_circle({"a": {"b": step["a"]}, "b": {"c": step["b"]}, "c": {"b": step["c"]}}) == [step["b"], step["c"]]


def test_figures_are_made_by_the_packages_that_draw():
    """Its `new_axes` has the layout, and the error that says how to install matplotlib."""
    around = [
        f"{path.relative_to(ROOT)}"
        for path in sorted(ROOT.rglob("*.py"))
        if not {ROOT / "plot", ROOT / "_draw"} & set(path.parents) and "pyplot" in path.read_text(encoding="utf-8")
    ]
    assert not around
