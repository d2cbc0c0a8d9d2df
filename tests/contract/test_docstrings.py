"""Every public name is documented, and the examples in the documentation run as printed."""

import doctest
import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest

import statlearn
from statlearn._core.families import FAMILIES

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MODULES = [m.name for m in pkgutil.walk_packages(statlearn.__path__, "statlearn.") if "._native" not in m.name]


@pytest.mark.parametrize("name", ["statlearn", *MODULES])
def test_examples_run_as_printed(name):
    result = doctest.testmod(importlib.import_module(name), optionflags=FLAGS)
    assert result.failed == 0


def test_examples_of_the_readme_run_as_printed():
    readme = Path(__file__).parents[2] / "README.md"
    assert doctest.testfile(str(readme), module_relative=False, optionflags=FLAGS).failed == 0


@pytest.mark.parametrize("family", FAMILIES)
def test_public_names_are_documented_with_an_example(family):
    module = importlib.import_module(f"statlearn.{family}")
    poor = []
    for name in module.__all__:
        item = getattr(module, name)
        if callable(item) and item.__module__.startswith("statlearn."):
            doc = inspect.getdoc(item) or ""
            if "Examples\n--------" not in doc or "Parameters\n----------" not in doc:
                poor.append(name)
    assert not poor, f"docstrings without Parameters or Examples: {poor}"
