"""Examples use the package's own classes and functions, not scikit-learn's versions of them."""

import ast
import importlib
import re
from pathlib import Path

import pytest

from statlearn._core.families import FAMILIES

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "examples").rglob("*.py"))
TOOLS = {"base", "datasets", "exceptions", "pipeline"}  # of scikit-learn, which the package does not replace
IMPORT = re.compile(r"^ *>>> ((?:from|import) .*[^(]$)", re.MULTILINE)  # on one line, as examples write them
PEERS = {"sklearn", "statsmodels", "imblearn", "mlxtend", "pygam"}


def peers_in(source):
    """Line, module and name of everything that a script imports from scikit-learn and similar packages."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in PEERS:
            yield from ((node.lineno, node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, "") for alias in node.names if alias.name.split(".")[0] in PEERS)


def public_names():
    packages = [*FAMILIES, "plot", "datasets", "gp.kernels"]
    return {name for package in packages for name in importlib.import_module(f"statlearn.{package}").__all__}


def doctest_imports():
    """File, module and name of every import of a peer in the examples of pages and docstrings."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.rst"))]
    for path in [*pages, *sorted((ROOT / "src").rglob("*.py"))]:
        for line in IMPORT.findall(path.read_text(encoding="utf-8")):
            yield from ((path.relative_to(ROOT), module, name) for _, module, name in peers_in(line))


@pytest.mark.spec("CRS-164")
def test_pages_and_docstrings_import_names_from_statlearn_if_it_has_them():
    public = public_names()
    imports = list(doctest_imports())
    wrong = [f"{path}: {module} {name}" for path, module, name in imports if name in public]
    assert len(imports) > 100
    assert not wrong, "\n".join(wrong)


@pytest.mark.spec("CRS-164")
def test_examples_import_names_from_statlearn_if_it_has_them():
    public = public_names()
    assert {"StandardScaler", "train_test_split", "roc_auc_score", "PCA"} <= public
    wrong = [
        f"{script.relative_to(ROOT)}:{line}: {module} {name}"
        for script in SCRIPTS
        for line, module, name in peers_in(script.read_text())
        if name in public or module.split(".")[1:2] not in [[tool] for tool in TOOLS]
    ]
    assert not wrong, "\n".join(wrong)


def test_imports_of_scikit_learn_are_seen_in_every_form():
    source = "import sklearn.svm\nfrom sklearn.svm import SVC\ndef f():\n    from sklearn import metrics\nimport numpy"
    assert list(peers_in(source)) == [(1, "sklearn.svm", ""), (2, "sklearn.svm", "SVC"), (4, "sklearn", "metrics")]
