"""Hints for wrong imports: the right package, scikit-learn's modules, words of the courses, close spellings."""

import importlib
import importlib.util
import inspect
import pickle
import subprocess
import sys

import pytest

import statlearn
from statlearn import assess, decomposition, linear
from statlearn._core.families import FAMILIES
from statlearn._core.missing_modules import MissingModules, install
from statlearn._core.public_names import hint, public_names
from statlearn._core.synonyms import SKLEARN_MODULES, SYNONYMS, bare, entries_of, place


def both_forms(package, name):
    """The messages of ``from package import name`` and ``package.name``."""
    with pytest.raises(ImportError) as imported:
        exec(f"from {package} import {name}", {})
    with pytest.raises(AttributeError) as read:
        getattr(importlib.import_module(package), name)
    return str(imported.value), str(read.value)


@pytest.mark.spec("CRS-119")
@pytest.mark.parametrize(
    ("package", "name", "home"),
    [
        ("decomposition", "KernelPCA", "statlearn.manifold"),
        ("svm", "Perceptron", "statlearn.linear"),
        ("linear", "SGDClassifier", "statlearn.svm"),
        ("cluster", "GaussianMixture", "statlearn.mixture"),
        ("assess", "entropy", "statlearn.trees"),
        ("assess", "rand_score", "statlearn.cluster"),
        ("svm", "OneVsRestClassifier", "statlearn.linear"),
        ("assess", "Huber", "statlearn.assess.losses"),
        ("plot", "plot_tree", "statlearn.trees"),
    ],
)
def test_a_name_of_another_family_is_suggested(package, name, home):
    for message in both_forms(f"statlearn.{package}", name):
        assert f"{name} is in {home}" in message
        assert f"'statlearn.{package}'" in message


@pytest.mark.spec("CRS-119")
def test_names_without_a_family_and_close_spellings():
    for message in both_forms("statlearn", "KMeans"):
        assert message.endswith("KMeans is in statlearn.cluster.")
    for message in both_forms("statlearn.linear", "LogisticRegresion"):
        assert "Did you mean statlearn.linear.LogisticRegression" in message
    for message in both_forms("statlearn", "clusters"):
        assert "Did you mean statlearn.cluster or " in message
    for message in both_forms("statlearn.linear", "no_such_thing_at_all"):
        assert "Did you mean" not in message


@pytest.mark.spec("CRS-119")
def test_every_family_gives_hints():
    for family in FAMILIES:
        name = "Ridge" if family != "linear" else "KMeans"
        home = public_names()[name][0]
        for message in both_forms(f"statlearn.{family}", name):
            assert f"{name} is in {home}." in message


@pytest.mark.spec("CRS-119")
def test_public_names_match_the_packages():
    names = public_names()
    for family in FAMILIES:
        module = importlib.import_module(f"statlearn.{family}")
        assert all(f"statlearn.{family}" in names[name] for name in module.__all__)
    assert set(assess.losses.__all__) <= set(names)
    for name, packages in names.items():
        for package in packages:
            assert hasattr(importlib.import_module(package), name)


@pytest.mark.spec("CRS-120")
@pytest.mark.parametrize(
    ("module", "family"),
    [
        ("metrics", "assess and statlearn.cluster"),
        ("tree", "trees"),
        ("model_selection", "assess"),
        ("preprocessing", "prep"),
        ("linear_model", "linear"),
        ("naive_bayes", "bayes"),
        ("feature_selection", "prep"),
        ("discriminant_analysis", "discriminant"),
    ],
)
def test_modules_of_scikit_learn_name_the_family(module, family):
    for message in both_forms("statlearn", module):
        assert f"The names of sklearn.{module} are in statlearn.{family}." in message


@pytest.mark.spec("CRS-120")
@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("from statlearn.tree import DecisionTreeClassifier", "The names of sklearn.tree are in statlearn.trees."),
        ("import statlearn.metrics", "The names of sklearn.metrics are in statlearn.assess and statlearn.cluster."),
        ("from statlearn.plots import pair_plot", "Did you mean statlearn.plot?"),
        ("import statlearn.no_such_module_at_all", "No module named 'statlearn.no_such_module_at_all'"),
        ("import statlearn.trees.tree", "No module named 'statlearn.trees.tree'"),
    ],
)
def test_imports_of_modules_that_do_not_exist_name_the_right_one(line, hint):
    with pytest.raises(ModuleNotFoundError) as raised:
        exec(line, {})
    assert str(raised.value).endswith(hint)
    assert raised.value.name.startswith("statlearn.")


def test_the_finder_of_hints_stands_last_and_once():
    install()
    assert sys.meta_path.count(MissingModules) == 1
    assert MissingModules.find_spec("sklearn.tree") is None
    assert MissingModules.find_spec("statlearn") is None
    assert importlib.util.find_spec("statlearn.no_such_module_at_all") is None


def resolved(entry):
    package, name = place(entry)
    return getattr(importlib.import_module(package), name)


@pytest.mark.spec("CRS-121")
@pytest.mark.parametrize(
    ("package", "name", "target"),
    [
        ("discriminant", "LDA", "statlearn.discriminant.LinearDiscriminantAnalysis"),
        ("discriminant", "QDA", "statlearn.discriminant.QuadraticDiscriminantAnalysis"),
        ("ensemble", "XGBoost", "statlearn.ensemble.GradientBoostingClassifier(reg_lambda=, gamma=)"),
        ("ensemble", "LightGBM", "statlearn.ensemble.GradientBoostingClassifier(goss=, max_conflict_rate=)"),
        ("mixture", "GMM", "statlearn.mixture.GaussianMixture"),
        ("decomposition", "ICA", "statlearn.decomposition.FastICA"),
    ],
)
def test_words_of_the_notes_name_the_class(package, name, target):
    for message in both_forms(f"statlearn.{package}", name):
        assert f"{name}: use {target}" in message


@pytest.mark.spec("CRS-121")
def test_every_synonym_leads_to_a_public_name_with_these_parameters():
    assert len({bare(word) for word in SYNONYMS}) == len(SYNONYMS)
    assert entries_of("c4-5") == SYNONYMS["C4.5"]
    for entries in (*SYNONYMS.values(), *SKLEARN_MODULES.values()):
        assert isinstance(entries, tuple)
        for entry in entries:
            item = resolved(entry)
            options = entry.partition("(")[2].rstrip(")")
            known = inspect.signature(item).parameters if callable(item) else {}
            assert {part.partition("=")[0].strip() for part in options.split(",") if part} <= set(known), entry


def test_introspection_and_star_imports_are_unaffected():
    assert not hasattr(decomposition, "KernelPCA")
    assert getattr(linear, "KMeans", None) is None
    assert "KernelPCA" not in dir(decomposition)
    assert inspect.getmembers(linear, lambda member: member is linear.Ridge) == [("Ridge", linear.Ridge)]
    assert inspect.unwrap(linear) is linear
    assert pickle.loads(pickle.dumps(linear.Ridge)) is linear.Ridge
    namespace = {}
    exec("from statlearn.linear import *", namespace)
    assert set(linear.__all__) <= set(namespace)
    with pytest.raises(AttributeError, match=r"^module 'statlearn' has no attribute '__wrapped__'$"):
        getattr(statlearn, "__wrapped__")  # noqa: B009
    with pytest.raises(AttributeError):
        pickle.loads(b"cstatlearn.decomposition\nKernelPCA\n.")


def test_a_module_in_a_circle_of_imports_is_left_to_python(monkeypatch):
    monkeypatch.setitem(sys.modules, "statlearn.linear.half_loaded", linear)
    namespace = {}
    exec("from statlearn.linear import half_loaded", namespace)
    assert namespace["half_loaded"] is linear


def test_hints_load_no_family():
    code = (
        "import sys, statlearn\n"
        "assert 'statlearn._core.synonyms' not in sys.modules\n"
        "try: statlearn.KMeans\n"
        "except AttributeError as error: assert 'statlearn.cluster' in str(error)\n"
        "assert not {'numpy', 'statlearn.cluster'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_hints_are_empty_without_a_clue():
    assert hint("statlearn.linear", "qqqqqqq") == ""
