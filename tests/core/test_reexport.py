"""Functions of scikit-learn in our words: the same calls, our formulas, examples that import this package."""

import importlib
import inspect
import pickle
import re

import pytest
from sklearn import metrics

from statlearn import assess, cluster
from statlearn._core.reexport import same_call

FAMILIES = ("assess", "cluster", "prep")
# Classes keep scikit-learn's documentation: a subclass would be another class in pipelines and saved files.
COUNTED = ("classification_report", "check_cv", "train_test_split", "pair_confusion_matrix")


def functions():
    for family in FAMILIES:
        module = importlib.import_module(f"statlearn.{family}")
        for name in module.__all__:
            item = getattr(module, name)
            if inspect.isfunction(item):
                yield family, name, item


@pytest.mark.spec("CRS-178")
@pytest.mark.parametrize("family", FAMILIES)
def test_every_reexported_function_has_a_docstring_of_ours(family):
    for home, name, item in functions():
        if home == family:
            doc = inspect.getdoc(item)
            assert item.__module__.startswith("statlearn."), name
            assert f"import {name}" in doc or f"{name}(" in doc.split("Examples\n")[1], name
            assert "from sklearn.metrics import" not in doc, name
            assert not re.search(r":(ref|term|doi):`", doc), name


@pytest.mark.spec("CRS-178")
def test_metrics_have_their_formula():
    standard = importlib.import_module("statlearn.assess._standard_metrics")
    named = [item for _, name, item in functions() if hasattr(metrics, name) and name not in COUNTED]
    assert len(named) > 30
    for item in named:
        if item.__module__ in (standard.__name__, "statlearn.cluster._external"):
            assert ":math:" in item.__doc__ or ".. math::" in item.__doc__, item.__name__


@pytest.mark.spec("CRS-178")
def test_links_lead_to_public_names():
    for family, name, item in functions():
        for target in re.findall(r":(?:func|class):`~?([\w.]+)`", item.__doc__):
            package, _, attribute = target.rpartition(".")
            home = importlib.import_module(package or f"statlearn.{family}")
            assert hasattr(home, attribute), f"{name}: {target}"


def test_calls_signatures_and_parameters_match_scikit_learn():
    for module, names in (
        (assess, ("accuracy_score", "log_loss", "roc_auc_score", "r2_score")),
        (cluster, ("rand_score", "davies_bouldin_score")),
    ):
        for name in names:
            ours, theirs = getattr(module, name), getattr(metrics, name)
            assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
            documented = set(re.findall(r"^    (\w+(?:, \w+)*) : ", ours.__doc__, re.MULTILINE))
            documented = {word for words in documented for word in words.split(", ")}
            # `y_pred` of the log loss is the name that scikit-learn has given up.
            assert set(inspect.signature(theirs).parameters) - {"y_pred"} <= documented | {"y_proba"}
    assert assess.accuracy_score([1, 0], [1, 1], normalize=False) == 1
    with pytest.raises(ValueError, match="Found input variables with inconsistent numbers of samples"):
        assess.accuracy_score([1, 0], [1])
    assert pickle.loads(pickle.dumps(assess.accuracy_score)) is assess.accuracy_score


def test_reexports_have_the_name_and_docstring_of_the_stub():
    @same_call(metrics.max_error)
    def largest():
        """Largest error."""

    assert largest([1, 3], [1, 5]) == 2
    assert (largest.__name__, largest.__doc__) == ("largest", "Largest error.")
