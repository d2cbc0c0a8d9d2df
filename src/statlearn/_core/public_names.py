"""All public names and their packages, read from the stubs without importing a family, and hints for wrong ones."""

import ast
import difflib
import functools
from pathlib import Path

from .families import AROUND, FAMILIES
from .lazy import read_stub
from .synonyms import SKLEARN_MODULES, entries_of

ROOT = Path(__file__).parents[1]


@functools.cache
def public_names():
    """The packages of each public name: ``{"KernelPCA": ("statlearn.manifold",), ...}``, submodules last."""
    homes = {name: ["statlearn"] for name in read_stub("statlearn", str(ROOT / "__init__.py"))[0]}
    for family in (*FAMILIES, *AROUND):
        file = ROOT / family / "__init__.py"
        if not file.with_suffix(".pyi").exists():
            continue
        package = f"statlearn.{family}"
        home, modules = read_stub(package, str(file))
        for name in home:
            homes.setdefault(name, []).append(package)
        for module in modules:
            for name in _listed(file.with_name(f"{module}.py")):
                homes.setdefault(name, []).append(f"{package}.{module}")
    return {name: tuple(sorted(packages, key=lambda p: (p.count("."), p))) for name, packages in homes.items()}


def _listed(file):
    """The names in the `__all__` of a module, without importing it."""
    if not file.exists():
        return []
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and any(getattr(t, "id", None) == "__all__" for t in node.targets):
            try:
                return [str(name) for name in ast.literal_eval(node.value)]
            except ValueError:
                return []
    return []


def hint(package, name):
    """Hint where a name that `package` lacks is, or what it is called here; empty without a hint."""
    names = public_names()
    if package == "statlearn" and name in SKLEARN_MODULES:  # `tree` is a function of statlearn.formula, too
        return f"The names of sklearn.{name} are in {_joined(_shown(e) for e in SKLEARN_MODULES[name])}."
    if name in names:
        return f"{name} is in {_joined(names[name])}."
    entries = entries_of(name)
    if entries:
        return f"{name}: use {_joined((_shown(e) for e in entries), 'or')}."
    close = _close(name, package, names)
    return f"Did you mean {_joined(close, 'or')}?" if close else ""


def _shown(entry):
    """A catalog entry as it is written in code: ``statlearn.ensemble.GradientBoostingClassifier(reg_lambda=)``."""
    return f"statlearn.{entry}"


def _joined(words, last="and"):
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def _close(name, package, names):
    """Up to three public names with a similar spelling and their packages, those of the package first."""
    if package == "statlearn":
        names = {**names, **dict.fromkeys((*FAMILIES, *AROUND), ("statlearn",))}
    by_case = {}
    for known in names:
        by_case.setdefault(known.lower().replace("_", ""), []).append(known)
    keys = difflib.get_close_matches(name.lower().replace("_", ""), by_case, n=3, cutoff=0.8)
    close = sorted((n for key in keys for n in by_case[key]), key=lambda n: package not in names[n])[:3]
    return [f"{names[n][0]}.{n}" for n in close]
