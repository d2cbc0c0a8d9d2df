"""ID3 on small tables with known trees, and against a slow obvious version."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from statlearn._core.warnings import AmbiguousInputWarning
from statlearn.trees import ID3Classifier, entropy, information_gain
from tests.helpers import assert_close
from tests.trees.multiway_data import FLU_X, FLU_Y

TENNIS7 = [
    ("Sunny", "Hot", "High", "Weak", "No"), ("Sunny", "Hot", "High", "Strong", "No"),
    ("Overcast", "Hot", "High", "Weak", "Yes"), ("Overcast", "Mild", "High", "Weak", "Yes"),
    ("Overcast", "Mild", "High", "Strong", "Yes"), ("Overcast", "Hot", "Normal", "Weak", "Yes"),
    ("Rain", "Mild", "High", "Strong", "No"),
]  # fmt: skip


def slow_id3(columns, y, used=()):
    """Nested dicts of tests, or a label, by the definition."""
    labels, counts = np.unique(y, return_counts=True)
    gains = [information_gain(c, y) if j not in used else -1.0 for j, c in enumerate(columns)]
    best = int(np.argmax(np.round(gains, 10))) if gains else 0
    if len(labels) == 1 or gains[best] <= 1e-12:
        return labels[np.argmax(counts)]
    column = columns[best]
    return {
        (best, v): slow_id3([c[column == v] for c in columns], y[column == v], (*used, best)) for v in np.unique(column)
    }


def as_dict(model, node=0):
    tree = model.tree_
    if tree.n_children[node] == 0:
        return model.classes_[np.argmax(tree.weight[node])]
    j, first = int(tree.feature[node]), tree.first_child[node]
    return {
        (j, model.categories_[j][tree.branch[c]]): as_dict(model, c)
        for c in range(first, first + tree.n_children[node])
    }


@pytest.mark.spec("TRE-T8", "TRE-10")
def test_flu_gives_the_four_rules():
    X = np.array(FLU_X)
    assert_close(information_gain(X[:, 0], FLU_Y), 2 / 3)
    assert_close(information_gain(X[:, 1], FLU_Y), 0.0817042, atol=1e-6)
    model = ID3Classifier().fit(FLU_X, FLU_Y)
    assert model.tree_.feature[0] == 0
    found = {(tuple((c.feature, c.value) for c in rule.conditions), rule.prediction) for rule in model.rules()}
    assert found == {
        (((0, "severe"),), "flu"),
        (((0, "mild"), (1, "yes")), "flu"),
        (((0, "mild"), (1, "no")), "cold"),
        (((0, "none"),), "cold"),
    }
    assert str(model.rules()[-1]) == "x0 = severe -> flu (2 rows, 100% right)"


@pytest.mark.spec("TRE-T9", "TRE-10")
def test_tennis_is_decided_by_the_outlook_alone():
    table = pd.DataFrame(TENNIS7, columns=["Outlook", "Temperature", "Humidity", "Wind", "Play"])
    X, y = table.drop(columns="Play"), table["Play"]
    model = ID3Classifier().fit(X, y)
    assert model.feature_names_in_[model.tree_.feature[0]] == "Outlook"
    assert_close(information_gain(X["Outlook"], y), 0.9852281, atol=1e-6)
    assert_close(entropy(labels=y, base=2), 0.9852281, atol=1e-6)
    assert model.get_n_leaves() == 3
    assert model.score(X, y) == 1.0


@pytest.mark.spec("TRE-10")
@given(seed=st.integers(0, 10_000))
def test_agrees_with_the_slow_version(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (40, 4)).astype(str)
    y = np.where(rng.random(40) < 0.7, X[:, 0] > "1", X[:, 1] == X[:, 2]).astype(str)
    model = ID3Classifier().fit(X, y)
    assert as_dict(model) == slow_id3(list(X.T), y)


@pytest.mark.spec("TRE-10")
def test_a_value_without_a_branch_gets_the_majority_of_its_node():
    X = [["a", "x"], ["a", "y"], ["a", "y"], ["b", "x"], ["b", "y"], ["b", "z"]]
    model = ID3Classifier().fit(X, [1, 0, 0, 1, 1, 1])
    assert model.predict([["a", "z"], ["c", "x"], ["a", "w"]]).tolist() == [0, 1, 0]
    # At the root four of six rows are of class 1.
    assert_close(model.predict_proba([["c", "x"]]), [[1 / 3, 2 / 3]])


@pytest.mark.spec("TRE-10")
def test_missing_cells_are_a_value_and_numbers_are_names():
    table = pd.DataFrame({"size": [1.0, 1.0, np.nan, np.nan, 2.0], "colour": ["r", None, "r", "g", None]})
    y = ["no", "no", "yes", "yes", "no"]
    model = ID3Classifier().fit(table, y)
    assert model.predict(table).tolist() == y
    assert model.export_text().count("\n") == 2  # one branch for NaN
    mixed = ID3Classifier().fit(table[["colour"]], ["a", "b", "a", "a", "b"])
    assert mixed.predict(pd.DataFrame({"colour": ["g", None, "r"]})).tolist() == ["a", "b", "a"]


@pytest.mark.spec("TRE-10", "TRE-P7")
@given(seed=st.integers(0, 10_000))
def test_takes_an_identifier_first(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 20)
    y[:2] = 0, 1
    useful = np.where(rng.random(20) < 0.9, y, 1 - y)
    useful[:2] = 1, 0
    X = np.column_stack([useful, np.arange(20)])
    model = ID3Classifier().fit(X, y)
    assert model.tree_.feature[0] == 1
    assert model.tree_.n_children[0] == 20
    assert_close(information_gain(X[:, 1], y), entropy(labels=y, base=2))


def test_gain_and_depth_limits():
    X = np.array(FLU_X)
    assert ID3Classifier(max_depth=1).fit(X, FLU_Y).get_depth() == 1
    assert ID3Classifier(min_gain=0.7).fit(X, FLU_Y).get_n_leaves() == 1
    stump = ID3Classifier(min_gain=0.7).fit(X, FLU_Y)
    assert stump.export_text() == "root: cold (6/3)"


def test_a_column_of_text_and_numbers_raises():
    X = np.array([["a", 1.0], [2.0, 2.0]], dtype=object)
    with pytest.raises(TypeError, match="uniformly strings or numbers"):
        ID3Classifier().fit(X, [0, 1])
    model = ID3Classifier().fit([["a"], ["b"]], [0, 1])
    with pytest.raises(ValueError, match="was text during fit"):
        model.predict([[1.0]])
    model = ID3Classifier().fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ValueError, match="was numeric during fit"):
        model.predict([["a"]])


@pytest.mark.spec("CRS-27")
def test_measurements_are_warned_about():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(AmbiguousInputWarning, match=r"'x0' \(35 values\).*Use C45Classifier.*KBinsDiscretizer"):
        assert ID3Classifier().fit(X, y).get_n_leaves() > 50
    with pytest.warns(AmbiguousInputWarning, match="'size' "):
        ID3Classifier().fit(pd.DataFrame({"size": np.arange(150), "kind": y.astype(str)}), y)
    with pytest.warns(AmbiguousInputWarning, match=r"'x0' \(6 values\)"):
        ID3Classifier().fit([[0.1], [0.2], [0.3], [np.nan], [0.4], [0.5], [0.6]], [0, 1, 0, 1, 0, 1, 1])


@pytest.mark.spec("CRS-27")
def test_codes_and_text_are_not_warned_about(rng):
    y = np.arange(100) % 2
    codes = rng.integers(0, 20, (100, 3))
    ID3Classifier().fit(codes, y)
    ID3Classifier().fit(rng.integers(0, 3, (100, 2)) / 2, y)  # three doses
    text = pd.DataFrame({"name": [f"n{i}" for i in range(100)], "zip": [str(1000.5 + i) for i in range(100)]})
    ID3Classifier().fit(text, y)
    ID3Classifier().fit(text.astype("category"), y)
