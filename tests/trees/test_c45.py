"""C4.5 against Quinlan's printed trees and a slow obvious version."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.base import clone
from sklearn.datasets import load_iris

from statlearn._core.native import trees as native
from statlearn.trees import C45Classifier, HuntTree, ID3Classifier, gain_ratio, information_gain
from tests.helpers import assert_close
from tests.trees.multiway_data import GOLF_X, GOLF_Y

GOLF = ["outlook", "temperature", "humidity", "windy"]


def golf_frame():
    frame = pd.DataFrame(GOLF_X, columns=GOLF)
    return frame.astype({"outlook": "category", "temperature": float, "humidity": int})


@pytest.mark.spec("TRE-11")
@pytest.mark.parametrize("kind", ["pandas", "polars", "array"])
def test_golf_tree_of_the_book(kind):
    X = {"pandas": golf_frame(), "array": GOLF_X}.get(kind)
    if kind == "polars":
        X = pl.DataFrame({name: golf_frame()[name].to_list() for name in GOLF})
    model = C45Classifier().fit(X, GOLF_Y)
    names = GOLF if kind != "array" else ["x0", "x1", "x2", "x3"]
    assert model.export_text(decimals=0).split("\n") == [
        f"{names[0]} = overcast: play (4)",
        f"{names[0]} = rain",
        f"|   {names[3]} = false: play (3)",
        f"|   {names[3]} = true: no (2)",
        f"{names[0]} = sunny",
        f"|   {names[2]} <= 78: play (2)",
        f"|   {names[2]} > 78: no (3)",
    ]
    assert model.score(X, GOLF_Y) == 1.0


@pytest.mark.spec("TRE-11")
def test_missing_cells_as_in_the_book():
    """Quinlan (1993), chapter 3: the outlook of one row is unknown; and a case of unknown humidity."""
    X = golf_frame()
    X.loc[5, "outlook"] = np.nan
    model = C45Classifier(prune=False).fit(X, GOLF_Y)
    assert model.export_text(decimals=0).split("\n") == [
        "outlook = overcast: play (3.231)",
        "outlook = rain",
        "|   windy = false: play (3)",
        "|   windy = true: no (2.385/0.3846)",
        "outlook = sunny",
        "|   humidity <= 78: play (2)",
        "|   humidity > 78: no (3.385/0.3846)",
    ]
    case = pd.DataFrame({"outlook": ["sunny"], "temperature": [70.0], "humidity": [np.nan], "windy": ["false"]})
    no, play = model.predict_proba(case)[0]
    assert round(play, 2) == 0.44
    assert round(no, 2) == 0.56
    # A level that nobody knows counts as missing.
    unknown = case.assign(outlook="fog", humidity=70.0, windy="true")
    overcast, rain, sunny = 3 + 3 / 13, 5 + 5 / 13, 5 + 5 / 13
    expected = (overcast + rain * (5 / 13) / (2 + 5 / 13) + sunny) / 14
    assert_close(model.predict_proba(unknown)[0, 1], expected)
    assert_close(model.predict_proba(unknown).sum(), 1.0)


@pytest.mark.spec("TRE-11")
def test_iris_tree_matches_the_program():
    """The tree that Weka 3's J48 prints for iris: its thresholds are the lower neighbours of these mid-points."""
    X, y = load_iris(return_X_y=True)
    model = C45Classifier().fit(X, y)
    assert model.export_text().split("\n") == [
        "x3 <= 0.80: 0 (50)",
        "x3 > 0.80",
        "|   x3 <= 1.75",
        "|   |   x2 <= 4.95: 1 (48/1)",
        "|   |   x2 > 4.95",
        "|   |   |   x3 <= 1.55: 2 (3)",
        "|   |   |   x3 > 1.55: 1 (3/1)",
        "|   x3 > 1.75: 2 (46/1)",
    ]


@pytest.mark.spec("TRE-11")
def test_pessimistic_errors_of_the_book():
    """Quinlan (1993), chapter 4: leaves of 6, 9 and 1 rows without error promise 3.273 errors, one of 16 rows 2.512."""
    X = np.repeat([["no"], ["yes"], ["unknown"]], [6, 9, 1], axis=0)
    y = np.repeat(["democrat", "republican"], [15, 1])
    assert C45Classifier(min_samples_leaf=1, prune=False).fit(X, y).get_n_leaves() == 3
    assert C45Classifier(min_samples_leaf=1).fit(X, y).get_n_leaves() == 1
    leaf = pessimistic(16, 1, 0.25)
    leaves = pessimistic(6, 0, 0.25) + pessimistic(9, 0, 0.25) + pessimistic(1, 0, 0.25)
    assert_close(leaves, 3.273, rtol=1e-3)
    assert_close(leaf, 2.512, rtol=0.03)  # the book's table is exact, the program's limit approximate


def pessimistic(n, e, confidence):
    """Errors to expect, by the formulas of the program."""
    if e < 1e-6:
        return n * (1 - confidence ** (1 / n))
    if e + 0.5 >= n:
        return e + 0.67 * (n - e)
    z2, f = norm.isf(confidence) ** 2, e + 0.5
    return n * (f + z2 / 2 + np.sqrt(z2 * (f * (1 - f / n) + z2 / 4))) / (n + z2)


class SlowC45:
    """Growing and pruning by the definitions, recursively, for complete tables."""

    def __init__(self, X, y, names, min_leaf, confidence):
        self.X, self.y, self.names, self.min_leaf, self.confidence = X, y, names, min_leaf, confidence

    def grow(self, rows):
        y = self.y[rows]
        node = {"rows": rows, "children": {}}
        if len(set(y)) == 1 or len(y) < 2 * self.min_leaf:
            return node
        splits = [s for s in (self.split(rows, j) for j in range(self.X.shape[1])) if s is not None]
        if not splits:
            return node
        mean = np.mean([s["gain"] for s in splits])
        able = [s for s in splits if s["gain"] >= mean - 1e-9]
        best = max(able, key=lambda s: (round(s["ratio"], 10), -s["column"]))
        node["test"] = best["column"], best["cut"]
        branch = self.branch(rows, *node["test"])
        node["children"] = {b: self.grow(rows[branch == b]) for b in np.unique(branch)}
        return node

    def branch(self, rows, j, cut):
        return self.X[rows, j] if cut is None else (self.X[rows, j] > cut).astype(int)

    def split(self, rows, j):
        x, y = self.X[rows, j], self.y[rows]
        if self.names[j]:
            sizes = np.unique(x, return_counts=True)[1]
            if np.sum(sizes >= self.min_leaf) < 2:
                return None
            gain, cut = information_gain(x, y), None
        else:
            values = np.unique(x)
            K = len(np.unique(self.y))
            least = max(self.min_leaf, min(0.1 * len(y) / K, 25))
            cuts = [
                c for c in (values[1:] + values[:-1]) / 2 if least - 1e-9 <= np.sum(x <= c) <= len(y) - least + 1e-9
            ]
            if not cuts:
                return None
            gains = np.round([information_gain(x > c, y) for c in cuts], 12)
            cut = cuts[int(np.argmax(gains))]
            gain = gains.max() - np.log2(len(cuts)) / len(y)
        if gain <= 1e-12:
            return None
        information = information_gain(self.branch(rows, j, cut), y) / gain_ratio(self.branch(rows, j, cut), y)
        return {"column": j, "cut": cut, "gain": gain, "ratio": gain / information}

    def leaf_errors(self, rows):
        return pessimistic(len(rows), len(rows) - np.bincount(self.y[rows]).max(), self.confidence)

    def errors(self, node, rows):
        """Errors to expect when these rows are sent into the subtree."""
        if len(rows) == 0:
            return 0.0
        if not node["children"]:
            return self.leaf_errors(rows)
        branch = self.branch(rows, *node["test"])
        total = sum(self.errors(child, rows[branch == b]) for b, child in node["children"].items())
        lost = rows[~np.isin(branch, list(node["children"]))]
        if len(lost):
            label = np.argmax(np.bincount(self.y[node["rows"]], minlength=self.y.max() + 1))
            total += pessimistic(len(lost), np.sum(self.y[lost] != label), self.confidence)
        return total

    def prune(self, node, rows):
        node["rows"] = rows
        if not node["children"]:
            return node
        branch = self.branch(rows, *node["test"])
        for b, child in node["children"].items():
            node["children"][b] = self.prune(child, rows[branch == b])
        heaviest = max(node["children"].values(), key=lambda c: len(c["rows"]))
        as_leaf, as_is = self.leaf_errors(rows), self.errors(node, rows)
        raised = self.errors(heaviest, rows) if heaviest["children"] else np.inf
        if as_leaf <= as_is + 0.1 and as_leaf <= raised + 0.1:
            return {"rows": rows, "children": {}}
        if raised <= as_is + 0.1:
            return self.prune({**heaviest}, rows)
        return node


def assert_same_tree(model, slow, node=0):
    tree = model.tree_
    assert tree.weight[node].sum() == len(slow["rows"])
    assert tree.n_children[node] == len(slow["children"])
    if slow["children"]:
        column, cut = slow["test"]
        assert tree.feature[node] == column
        if cut is not None:
            assert_close(tree.threshold[node], cut)
        for k, b in enumerate(sorted(slow["children"])):
            assert_same_tree(model, slow["children"][b], tree.first_child[node] + k)


@pytest.mark.spec("TRE-11")
@settings(max_examples=40)
@given(seed=st.integers(0, 100_000), confidence=st.sampled_from([0.05, 0.25, 0.5]), min_leaf=st.sampled_from([1, 2, 4]))
def test_grows_and_prunes_like_the_slow_version(seed, confidence, min_leaf):
    rng = np.random.default_rng(seed)
    n = 120
    X = np.column_stack([rng.integers(0, 3, n), rng.integers(0, 4, n), rng.integers(0, 12, n), rng.integers(0, 30, n)])
    X = X.astype(float)
    y = ((X[:, 2] > 5) ^ (X[:, 0] == 1)).astype(int) + (X[:, 3] > 22)
    y = np.where(rng.random(n) < 0.15, rng.integers(0, 3, n), y)
    names = np.array([True, True, False, False])
    settings_ = {"min_samples_leaf": min_leaf, "confidence": confidence, "categorical_features": names}
    slow = SlowC45(X, y, names, min_leaf, confidence)
    grown = slow.grow(np.arange(n))
    assert_same_tree(C45Classifier(prune=False, **settings_).fit(X, y), grown)
    assert_same_tree(C45Classifier(**settings_).fit(X, y), slow.prune(grown, np.arange(n)))


@pytest.mark.spec("TRE-11", "TRE-P7")
@given(seed=st.integers(0, 10_000))
def test_leaves_an_identifier_alone(seed):
    rng = np.random.default_rng(seed)
    n = 40
    y = rng.integers(0, 2, n)
    y[:4] = 0, 1, 0, 1
    useful = y.copy()
    useful[rng.choice(n, 6, replace=False)] ^= 1
    X = pd.DataFrame({"id": [f"row {k}" for k in range(n)], "useful": np.where(useful == 1, "a", "b")})
    for min_leaf in (1, 2):
        model = C45Classifier(prune=False, min_samples_leaf=min_leaf).fit(X, y)
        assert model.tree_.n_children[0] <= 2
        assert model.tree_.feature[0] != 0 or model.get_n_leaves() == 1


@pytest.mark.spec("TRE-11")
def test_pruning_shrinks_with_the_confidence(rng):
    X = rng.normal(size=(400, 5))
    y = (X[:, 0] > 0) ^ (rng.random(400) < 0.25)
    model = C45Classifier(threshold_penalty=False)
    leaves = [clone(model).set_params(confidence=c).fit(X, y).get_n_leaves() for c in (0.01, 0.1, 0.25, 0.5)]
    leaves.append(clone(model).set_params(prune=False).fit(X, y).get_n_leaves())
    assert leaves == sorted(leaves)
    assert leaves[0] < leaves[-1]
    assert clone(model).set_params(subtree_raising=False).fit(X, y).score(X, y) >= 0.7


@pytest.mark.spec("TRE-11")
@given(seed=st.integers(0, 10_000))
def test_pieces_of_a_row_weigh_one(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3))
    X[rng.random(X.shape) < 0.3] = np.nan
    y = rng.integers(0, 3, 60)
    model = C45Classifier(prune=False).fit(X, y)
    assert_close(model.predict_proba(X).sum(axis=1), 1.0)
    leaves = model.tree_.is_leaf
    assert_close(model.tree_.weight[leaves].sum(axis=0), np.bincount(y, minlength=3))


@pytest.mark.spec("TRE-11")
def test_weights_are_copies_with_missing_cells_and_names(rng):
    X = golf_frame().sample(60, replace=True, random_state=1, ignore_index=True)
    X.loc[rng.random(60) < 0.2, "outlook"] = np.nan
    X.loc[rng.random(60) < 0.2, "humidity"] = np.nan
    y, w = rng.integers(0, 2, 60), rng.integers(0, 4, 60)
    rows = np.repeat(np.arange(60), w)
    weighted = C45Classifier().fit(X, y, sample_weight=w)
    copied = C45Classifier().fit(X.iloc[rows], y[rows])
    assert weighted.export_text() == copied.export_text()


@pytest.mark.spec("TRE-11")
def test_smoothing_adds_rows_of_each_class():
    model = C45Classifier(smoothing=1.0).fit(GOLF_X, GOLF_Y)
    overcast = model.predict_proba(GOLF_X[5:6])[0]
    assert_close(overcast, [1 / 6, 5 / 6])  # four rows, all of the second class
    assert model.score(GOLF_X, GOLF_Y) == 1.0


def test_damaged_arrays_raise():
    model = C45Classifier().fit(golf_frame(), GOLF_Y)
    for name, value in (("first_child", 0), ("first_child", 99), ("n_children", 50), ("feature", 9)):
        broken = C45Classifier().fit(golf_frame(), GOLF_Y)
        getattr(broken.tree_, name)[0] = value
        with pytest.raises(ValueError, match="damaged"):
            broken.predict(golf_frame())
    with pytest.raises(ValueError, match="code is out of range"):
        native.multiway_grow(
            np.full((2, 1), 7.0, order="F"), np.array([2], np.int32), np.zeros(2, np.int32), np.ones(2), n_classes=1,
            gain_ratio=True, threshold_penalty=True, min_leaf=1.0, min_gain=0.0, max_depth=0,
        )  # fmt: skip
    assert model.get_n_leaves() == 5


def test_deep_trees_do_not_overflow():
    n = 30_000
    X = np.arange(n, dtype=float)[:, None]
    y = np.arange(n) % 2
    model = C45Classifier(prune=False, threshold_penalty=False, min_samples_leaf=1).fit(X, y)
    assert model.predict_proba(X).shape == (n, 2)


def test_numbers_as_names_by_index_name_and_mask():
    frame = golf_frame()
    for given_ in (["humidity"], [2], np.array([False, False, True, False])):
        model = C45Classifier(categorical_features=given_, prune=False).fit(frame, GOLF_Y)
        assert model.categories_[2] is not None
        assert model.categories_[1] is None
    for bad, words in (
        (["speed"], "not a column of X"),
        ([4], "column indices between"),
        ([True, False], "if it is a boolean mask"),
    ):
        with pytest.raises(ValueError, match=words):
            C45Classifier(categorical_features=bad).fit(frame, GOLF_Y)


@pytest.mark.parametrize("model", [C45Classifier(), HuntTree(), ID3Classifier()], ids=str)
def test_nullable_integers_are_accepted_with_names(model):
    rng = np.random.default_rng(0)
    words, numbers = rng.choice(list("abc"), 60), rng.integers(0, 3, 60)
    y = (words == "b") ^ (numbers > 1)
    plain = pd.DataFrame({"word": pd.Categorical(words), "n": numbers.astype(float), "yes": numbers.astype(float) > 0})
    typed = plain.assign(n=pd.array(numbers, dtype="Int64"), yes=pd.array(numbers > 0, dtype="boolean"))
    plain, typed = plain.assign(cat=pd.Categorical(words == "a")), typed.assign(cat=pd.Categorical(words == "a"))
    if not isinstance(model, ID3Classifier):
        plain.loc[::9, "n"] = np.nan
        typed.loc[::9, "n"] = pd.NA
    np.testing.assert_array_equal(clone(model).fit(typed, y).predict(typed), clone(model).fit(plain, y).predict(plain))


@pytest.mark.parametrize("kind", [C45Classifier, ID3Classifier])
def test_a_depth_beyond_the_range_of_the_kernel_is_unlimited(kind):
    free = kind().fit(GOLF_X, GOLF_Y)
    assert kind(max_depth=2**40).fit(GOLF_X, GOLF_Y).export_text() == free.export_text()
