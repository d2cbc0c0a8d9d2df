"""The attack itself, and what it has found: fitted states that the reader refuses."""

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from statlearn.app.errors import ModelFileError
from statlearn.app.model import file as model_file
from tests.contract.fits import shared_fit
from tests.contract.instances import instance_of
from tests.security import app_models
from tests.security.__main__ import main
from tests.security.attack import fitted, try_one
from tests.security.tampering import State, changes, some_changes
from tests.security.verbs import Watch, ask, verbs_of


def test_changes_depend_on_the_seed_alone():
    state = State.of(fitted("Ridge")[0])
    texts = [change.text for change in some_changes(state, "Ridge", 3)]
    assert texts == [change.text for change in some_changes(state, "Ridge", 3)]
    assert texts != [change.text for change in some_changes(state, "Ridge", 4)]
    assert len(texts) == len(list(changes(state)))


def test_changes_leave_the_state_as_it_was():
    model, X, y = fitted("Ridge")
    state = State.of(model)
    for change in some_changes(state, "Ridge", 0, 50):
        try_one(change, state, X, y, Watch())
    assert np.array_equal(state.model().predict(X), model.predict(X))


def test_every_verb_is_tested():
    model, X, y = fitted("LogisticRegression")
    assert {"predict", "predict_proba", "decision_function", "score", "__repr__"} <= set(verbs_of(model))
    assert "fit" not in verbs_of(model)
    assert not [text for text in ask(model, X, y) if text.startswith(("predict", "score", "decision_function"))]


@pytest.mark.parametrize(
    "deed",
    [
        lambda folder: (folder / "new").write_text("x"),
        lambda folder: shutil.rmtree(folder),
        lambda folder: subprocess.run([sys.executable, "-c", ""], check=False),
        lambda folder: os.system(":"),
    ],
    ids=["write", "delete", "start", "system"],
)
def test_harm_is_noticed(deed, tmp_path):
    (tmp_path / "folder").mkdir()
    watch = Watch()
    with watch.on() as seen:
        deed(tmp_path / "folder")
    assert seen
    with watch.on() as seen:
        pass
    assert not seen


def everywhere(value):
    return lambda array: np.full_like(array, value)


def at(place, value):
    def change(array):
        array = array.copy()
        array.flat[place] = value
        return array

    return change


# Estimator, part that holds the array (a path of attributes and positions), and the change. Each of these crashed,
# never ended or took all memory in a verb.
FOUND = [
    ("AssociationRules", ["rule_set_", "antecedents", 0], everywhere(2**20)),
    ("AssociationRules", ["rule_set_", "consequents", 1], everywhere(2**20)),
    ("AssociationRules", ["itemsets_", "indices"], everywhere(-1)),
    ("BisectingKMeans", ["tree_children_"], everywhere(0)),
    ("C45Classifier", ["tree_", "n_children"], at(-1, 1)),
    ("ID3Classifier", ["tree_", "first_child"], at(0, 0)),
    ("MARSClassifier", ["forward_terms_", "parent"], everywhere(1)),
    ("PiecewisePolynomialBasis", ["_degree"], lambda degree: 2**70),
    ("PolynomialFeatures", ["_max_degree"], lambda degree: 2**31),
    ("RandomForestRegressor", ["forest_", "feature"], lambda feature: np.full(feature.shape, 2**62)),
    ("RandomForestRegressor", ["forest_", "child"], everywhere(1)),
    ("ShardedRegressor", ["shards_"], at(0, 2**63 - 1)),
    ("StackingRegressor", ["_n_feature_outs"], lambda counts: [10**9] * len(counts)),
    ("WaveletBasis", ["level_"], lambda level: 2**31),
]


@pytest.mark.parametrize(("name", "path", "change"), FOUND, ids=lambda part: part if isinstance(part, str) else "")
def test_states_that_hung_or_crashed_raise(name, path, change):
    model = shared_fit(instance_of(name)).estimator
    model_file.loads(model_file.dumps(model))
    put(model, path, change)
    with pytest.raises(ModelFileError, match=r"damaged.*[`']"):
        model_file.loads(model_file.dumps(model))


def put(holder, path, change):
    """Change the part of an object that a path leads to."""
    first, *rest = path
    inner = vars(holder)[first] if isinstance(first, str) else holder[first]
    if rest:
        new = put(inner, rest, change)
        if new is None:
            return None
    else:
        new = change(inner)
    if isinstance(holder, tuple):
        return tuple(new if k == first else item for k, item in enumerate(holder))
    vars(holder)[first] = new
    return None


PAGES = {
    "script": "<p><script>alert(1)</script></p>",
    "image": "<img src=x>",
    "handler": '<p onclick="alert(1)">x</p>',
    "address": '<a href="https://example.org">x</a>',
    "style sheet": '<link rel="stylesheet" href="data:,">',
}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_pages_that_run_or_load_something_are_harm(page):
    with pytest.raises(app_models.Harm):
        app_models.assert_harmless(page)


def test_harmless_pages_pass():
    app_models.assert_harmless(f'{app_models.EMPTY_ICON}<a href="#here">x</a><p>&lt;script&gt;</p>')


@pytest.mark.parametrize("name", ["Comparison", "TableModel"])
def test_commands_are_asked_of_the_models_of_the_app(name):
    model, X, y = app_models.fitted(name)
    again = State.of(model).model()
    raised = [text.partition(":")[0] for text in ask(again, X, y)]
    assert not {"predict", "predict_table", "drift", "_explain", "_what_if", "_pages"} & set(raised), raised


@pytest.mark.full
def test_states_of_every_estimator_do_no_harm(capsys):
    assert not main(["--rounds", "300", "--seed", "1"]), capsys.readouterr().out
