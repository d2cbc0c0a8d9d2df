"""Every public name is documented, and the examples in the documentation run as printed."""

import doctest
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import statlearn
from statlearn import all_estimators
from statlearn._core.families import FAMILIES

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MODULES = [m.name for m in pkgutil.walk_packages(statlearn.__path__, "statlearn.") if "._native" not in m.name]


@pytest.mark.parametrize("name", ["statlearn", *MODULES])
def test_examples_run_as_printed(name):
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for found in doctest.DocTestFinder().find(importlib.import_module(name)):
        if found.examples:  # to run the others is to look at every file that Python has read, twelve thousand times
            runner.run(found)
    assert runner.summarize(verbose=False).failed == 0


def test_examples_of_the_readme_run_as_printed():
    readme = Path(__file__).parents[2] / "README.md"
    assert doctest.testfile(str(readme), module_relative=False, optionflags=FLAGS).failed == 0


def test_the_comparison_of_the_readme_has_the_printed_verdict():
    from statlearn import compare, datasets

    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    models, verdict = re.search(r'statlearn compare loans --folds 5 --models "(.*)"\n(.*), \.\.\.\n', readme).groups()
    loans = datasets.load("loans")
    assert compare(loans.X, loans.y, models=models.split(","), folds=5).verdict.startswith(verdict)


@pytest.mark.parametrize("family", FAMILIES)
def test_public_names_are_documented_with_an_example(family):
    module = importlib.import_module(f"statlearn.{family}")
    poor = []
    for name in module.__all__:
        item = getattr(module, name)
        if callable(item) and item.__module__.startswith("statlearn."):
            doc = inspect.getdoc(item) or ""
            described = "Parameters\n----------" in doc or not inspect.signature(item).parameters
            if "Examples\n--------" not in doc or not described:
                poor.append(name)
    assert not poor, f"docstrings without Parameters or Examples: {poor}"


def documented_parameters(doc):
    """(name, type) of the entries of the section Parameters of a docstring."""
    section = re.search(r"Parameters\n-{10}\n(.*?)(?:\n\n\w[\w ]*\n-{3,}|\Z)", inspect.cleandoc(doc), re.DOTALL)
    for names, kind in re.findall(r"^(\w[\w, ]*) : (.*(?<!\\)(?:\\\n.*)*)$", section.group(1), re.MULTILINE):
        yield from ((name.strip(), " ".join(kind.replace("\\", " ").split())) for name in names.split(","))


# Defaults whose value would be harder to read than the words in the docstring.
IN_WORDS = ("word characters", "machine precision", "float64", "int64", "nan", "np.mean", "(1, 2, ..., 9)")


def test_documented_defaults_match_the_constructors():
    wrong = []
    for name, cls in all_estimators():
        kinds = dict(documented_parameters(cls.__doc__))
        for parameter in inspect.signature(cls).parameters.values():
            text = kinds.get(parameter.name, "default=undocumented").partition("default=")[2]
            if text.endswith(IN_WORDS):
                continue
            required = parameter.default is inspect.Parameter.empty
            try:
                agrees = required if text == "" else eval(text, {"inf": float("inf")}) == parameter.default
            except (SyntaxError, NameError):
                agrees = False
            if not agrees:
                wrong.append(f"{name}: {parameter.name} has default {parameter.default!r}, documented as {text!r}")
    assert not wrong, "\n".join(wrong)
