"""Maps from other software: their call, ours.

One text file per library in ``docs/maps``: the title behind ``#``, a sentence behind ``>``, then one line per call,

    their call | our names, with parameters, separated by ; | note

with ours as ``family.name`` or ``family.name(parameter=, ...)``. The file of scikit-learn has one line for each group
of names that this package does not have, ``module | names | where to go``; those that it has are read from both.
"""

import importlib
import inspect
import pkgutil
import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "maps"
SUBMODULES = ("feature_extraction.image", "feature_extraction.text", "gaussian_process.kernels", "metrics.pairwise")


@dataclass(frozen=True)
class Row:
    """A call of other software, what to write instead, and what differs."""

    theirs: str
    ours: tuple[str, ...]
    note: str = ""


def read(path):
    """Title, introduction and rows of a map."""
    title, intro, rows = "", "", []
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            title = line[2:]
        elif line.startswith("> "):
            intro = f"{intro} {line[2:]}".strip()
        elif line:
            theirs, ours, note = (field.strip() for field in (line + "| |").split("|")[:3])
            rows.append(Row(theirs, tuple(entry.strip() for entry in ours.split(";") if entry.strip()), note))
    return title, intro, rows


def maps():
    """The maps by the names of their files, without that of scikit-learn."""
    return {path.stem: read(path) for path in sorted(FOLDER.glob("*.txt")) if path.stem != "scikit_learn"}


def link(entry):
    """An entry of a table as a link: ``svm.SVC(kernel='rbf')`` links to the class and shows the parameters."""
    name, bracket, options = entry.partition("(")
    target = f":obj:`~statlearn.{name}`"
    return f"{target} ``{bracket}{options}``" if bracket else target


def page(title, intro, rows):
    """A map as reStructuredText."""
    library = title.removeprefix("From ")
    lines = [title, "=" * len(title), "", intro, "", ".. list-table::", "    :header-rows: 1", "    :widths: 36 40 24"]
    lines += ["", f"    * - {library}", "      - statlearn", "      - what differs"]
    for row in rows:
        ours = ", ".join(map(link, row.ours)) or "\\-"
        lines += [f"    * - ``{row.theirs}``", f"      - {ours}", f"      - {row.note}".rstrip()]
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------------------------------------------- scikit-learn


def sklearn_modules():
    """Public modules of the installed scikit-learn, and those below them that have names of their own."""
    import sklearn

    found = [module.name for module in pkgutil.iter_modules(sklearn.__path__)]
    private = ("conftest", "externals", "tests")
    return sorted([name for name in found if not name.startswith("_") and name not in private] + [*SUBMODULES])


def sklearn_names(module):
    """Public classes and functions of a module of scikit-learn."""
    home = importlib.import_module(f"sklearn.{module}")
    names = getattr(home, "__all__", None)
    if names is None:
        names = [
            name for name, item in vars(home).items() if getattr(item, "__module__", None) == home.__name__
        ]  # those that are defined there
    modules = {name for name, item in vars(home).items() if inspect.ismodule(item)}
    return sorted(name for name in names if not name.startswith("_") and name not in modules)


def homes(name):
    """The families that have a name, as (family, whether it is our own)."""
    from statlearn._core.public_names import public_names

    found = []
    for package in public_names().get(name, ()):
        parts = package.split(".")
        if len(parts) == 2:
            item = getattr(importlib.import_module(package), name)
            found.append((parts[1], getattr(item, "__module__", "").startswith("statlearn")))
    return found


def elsewhere():
    """Names of scikit-learn that this package does not have: ``{module: [(names, where to go), ...]}``."""
    found = {}
    for line in (FOLDER / "scikit_learn.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith(("#", ">")):
            module, names, advice = (field.strip() for field in line.split("|"))
            found.setdefault(module, []).append((tuple(names.split()), advice))
    return found


def sklearn_page():
    """The map from scikit-learn: a row for every module."""
    title, intro, _ = read(FOLDER / "scikit_learn.txt")
    missing = elsewhere()
    lines = [title, "=" * len(title), "", intro, "", ".. list-table::", "    :header-rows: 1", "    :widths: 16 44 40"]
    lines += ["", "    * - sklearn", "      - statlearn", "      - scikit-learn's own, not here"]
    for module in sklearn_modules():
        families = {}
        for name in sklearn_names(module):
            for family, own in homes(name)[:1]:
                families.setdefault(family, []).append(f":obj:`~statlearn.{family}.{name}`" + ("" if own else " ↺"))
        here = [f"| **{family}**: {', '.join(names)}" for family, names in families.items()] or ["\\-"]
        there = [
            f"| {advice}" + (f": {', '.join(f'``{name}``' for name in names)}" if names != ("*",) else "")
            for names, advice in missing.get(module, ())
        ] or ["\\-"]
        lines.append(f"    * - ``{module}``")
        lines += [("      - " if not k else "        ") + line for k, line in enumerate(here)]
        lines += [("      - " if not k else "        ") + line for k, line in enumerate(there)]
    return "\n".join(lines) + "\n"


def roles(text):
    """The public names that a text links to, as ``family.name``."""
    return re.findall(r":\w+:`~?statlearn\.([\w.]+)`", text)


def write_pages(app=None):
    """Write the page of every map beside its text file."""
    pages = {name: page(*content) for name, content in maps().items()} | {"scikit_learn": sklearn_page()}
    for name, text in pages.items():
        target = FOLDER / f"{name}.rst"
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")


def setup(app):
    app.connect("builder-inited", write_pages, priority=100)
    return {"parallel_read_safe": True}
