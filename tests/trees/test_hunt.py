"""Hunt's recursion with its choosing rules."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.trees import HuntTree, ID3Classifier, gini_decrease, impurity, information_gain
from tests.helpers import assert_close
from tests.trees.multiway_data import FLU_X, FLU_Y

RULES = ["gini", "entropy", "error", "fewest", "most", "random"]


@pytest.mark.spec("TRE-12")
@pytest.mark.parametrize("chooser", RULES)
@given(seed=st.integers(0, 10_000))
def test_consistent_data_are_learned_without_error(chooser, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (50, 4))
    _, row = np.unique(X, axis=0, return_inverse=True)
    y = rng.integers(0, 3, row.max() + 1)[row]
    model = HuntTree(chooser, random_state=seed).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    inner = model.tree_.n_children > 0
    assert (model.tree_.n_children[inner] >= 2).all()
    # The class weights of children add up to those of their parent.
    for node in np.flatnonzero(inner):
        first = model.tree_.first_child[node]
        children = slice(first, first + model.tree_.n_children[node])
        np.testing.assert_array_equal(model.tree_.weight[children].sum(axis=0), model.tree_.weight[node])


@pytest.mark.spec("TRE-12")
def test_choosers_match_their_definitions():
    X = np.array([[0, 0, 0], [1, 0, 1], [2, 1, 0], [3, 1, 1], [3, 0, 0], [2, 1, 1]])
    y = np.array([0, 0, 1, 1, 0, 0])
    root = {rule: HuntTree(rule).fit(X, y).tree_.feature[0] for rule in ("fewest", "most", "gini", "entropy", "error")}
    assert root["fewest"] == 1
    assert root["most"] == 0
    assert root["gini"] == np.argmax([gini_decrease(c, y) for c in X.T])
    assert root["entropy"] == np.argmax([information_gain(c, y) for c in X.T])

    def errors(column):
        return sum(np.sum(column == v) * impurity(np.bincount(y[column == v]), "error") for v in np.unique(column))

    assert root["error"] == np.argmin([errors(c) for c in X.T])


@pytest.mark.spec("TRE-12", "TRE-T10")
def test_finds_exclusive_or_where_id3_stops():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    assert HuntTree().fit(X, y).score(X, y) == 1.0
    assert ID3Classifier().fit(X, y).get_n_leaves() == 1


@pytest.mark.spec("TRE-12")
def test_own_rule_and_its_mistakes():
    last = HuntTree(lambda codes, classes, weights, columns: columns[-1]).fit(FLU_X, FLU_Y)
    assert last.tree_.feature[0] == 1
    assert last.score(FLU_X, FLU_Y) == 1.0
    with pytest.raises(ValueError, match="`chooser` returned 7"):
        HuntTree(lambda *_: 7).fit(FLU_X, FLU_Y)


@pytest.mark.spec("TRE-12")
def test_random_columns_follow_the_seed():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 5, (60, 6)), rng.integers(0, 2, 60)
    first, again, other = (HuntTree("random", random_state=s).fit(X, y).export_text() for s in (1, 1, 2))
    assert first == again
    assert first != other


def test_contradictory_rows_end_in_a_mixed_leaf():
    model = HuntTree().fit([["a"], ["a"], ["a"], ["b"]], [0, 1, 1, 0])
    assert_close(model.predict_proba([["a"], ["b"]]), [[1 / 3, 2 / 3], [1, 0]], atol=0)
    assert HuntTree(max_depth=1).fit(FLU_X, FLU_Y).get_depth() == 1
