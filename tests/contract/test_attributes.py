"""Docstrings of estimators describe every fitted attribute and constructor parameter, and no others."""

import ast
import inspect
import re
from functools import lru_cache
from pathlib import Path

import pytest
from sklearn.utils import get_tags

import statlearn
from statlearn import all_estimators
from tests.contract.fits import shared_fit
from tests.contract.instances import all_instances, name_of

ROOT = Path(statlearn.__file__).parent

# How a docstring says that an attribute exists under some settings, data or calls.
CONDITION = re.compile(r"\bonly (if|for|with|when|after)\b", re.IGNORECASE)
NAMES = "feature_names_in_"  # the tables of the shared fits have no column names


def entries(doc, title):
    """Description of each entry of a section, by name; the type of an entry comes first."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", inspect.cleandoc(doc), flags=re.MULTILINE)
    lines = next((text for name, text in zip(parts[1::2], parts[2::2]) if name == title), "").splitlines()
    found, names = {}, []
    for line in lines:
        if line and not line[0].isspace():
            names = [name.strip() for name in line.partition(" : ")[0].split(",")]
            found.update(dict.fromkeys(names, line.partition(" : ")[2]))
        else:
            found.update({name: f"{found[name]} {line.strip()}" for name in names})
    return found


def is_public(name):
    return name.endswith("_") and not name.startswith("_")


def public_attributes(model):
    """Names of the public fitted attributes that the model has, properties included."""
    cls = type(model)
    own = {name for name in dir(cls) if is_public(name) and not callable(inspect.getattr_static(cls, name))}
    return {name for name in vars(model) if is_public(name)} | {name for name in own if hasattr(model, name)}


@lru_cache
def assigned_attributes():
    """Public attributes of `self` that the code of each class sets, by module and class."""
    found = {}
    for path in ROOT.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        if not re.search(r"\bself\.\w+_\b[^\n]* = ", source):
            continue
        module = ".".join(["statlearn", *path.relative_to(ROOT).with_suffix("").parts])
        for cls in (node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)):
            targets = (node for node in ast.walk(cls) if isinstance(node, ast.Attribute))
            found[module, cls.name] = {
                node.attr
                for node in targets
                if isinstance(node.ctx, ast.Store) and getattr(node.value, "id", "") == "self" and is_public(node.attr)
            }
    return found


@lru_cache
def family_source(family):
    return "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / family).rglob("*.py"))


def is_set_somewhere(cls, name):
    """Whether some setting gives the class the attribute: a property, or an assignment in the code of its family."""
    source = family_source(cls.__module__.split(".")[1])
    return hasattr(cls, name) or re.search(rf'\.{name}\b[^=\n]*(?<![=!<>])=(?!=)|"{name}"', source) is not None


@pytest.mark.parametrize("estimator", all_instances(), ids=name_of)
def test_fitted_attributes_are_documented(estimator):
    model = shared_fit(estimator).estimator
    documented, public = set(entries(type(model).__doc__, "Attributes")), public_attributes(model)
    if "n_features_in_" in public and get_tags(model).input_tags.two_d_array:
        public.add(NAMES)
    missing = sorted(public - documented)
    assert not missing, f"describe {missing} in the section Attributes, or begin their names with an underscore"


@pytest.mark.parametrize("estimator", all_instances(), ids=name_of)
def test_documented_attributes_exist(estimator):
    model = shared_fit(estimator).estimator
    absent = {
        name: text
        for name, text in entries(type(model).__doc__, "Attributes").items()
        if name != NAMES and not hasattr(model, name)
    }
    unset = sorted(name for name in absent if not is_set_somewhere(type(model), name))
    assert not unset, f"no code sets {unset}"
    always = sorted(name for name, text in absent.items() if not CONDITION.search(text))
    assert not always, f"fit did not set {always}; say when they exist ('Only with ...', 'Only if ...')"


def test_attributes_set_under_other_settings_are_documented_by_a_class_that_sets_them():
    documented = {}
    for _, cls in all_estimators():
        names = set(entries(cls.__doc__, "Attributes"))
        for base in cls.__mro__:
            documented.setdefault((base.__module__, base.__name__), set()).update(names)
    found = assigned_attributes()
    assert ("statlearn.linear.lasso._lasso", "Lasso") in found
    missing = {owner: found[owner] - documented[owner] for owner in found.keys() & documented.keys()}
    missing = {owner: sorted(names) for owner, names in missing.items() if names}
    assert not missing, missing


def test_documented_parameters_match_the_constructor():
    wrong = {}
    for name, cls in all_estimators():
        differ = set(entries(cls.__doc__, "Parameters")) ^ set(inspect.signature(cls).parameters)
        if differ - {"None"}:  # the section of a class without parameters
            wrong[name] = sorted(differ)
    assert not wrong, wrong


def test_the_parser_reads_types_groups_and_conditions():
    doc = """A method.

    Attributes
    ----------
    coef_, intercept_ : ndarray
        The coefficients.
    gap_ : float
        Duality gap. Only
        with an L1 term.

    Notes
    -----
    scale_ : no attribute
    """
    found = entries(doc, "Attributes")
    assert list(found) == ["coef_", "intercept_", "gap_"]
    assert CONDITION.search(found["gap_"])
    assert not CONDITION.search(found["coef_"])
    assert entries(doc, "Parameters") == {}
