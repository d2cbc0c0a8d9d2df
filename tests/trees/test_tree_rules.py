"""Rules of trees, shortened and sorted on validation rows."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from statlearn.trees import (
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ObliqueTreeClassifier,
    rules_from_tree,
)
from statlearn.trees._tree_rules import precision_of, rule_table, shortened
from tests.helpers import assert_close
from tests.trees.multiway_data import GOLF_X, GOLF_Y


def noisy(rng, n=150):
    X = rng.normal(size=(n, 4)).round(1)
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) + 0.5 * rng.normal(size=n)
    return X, np.digitize(y, [-0.5, 0.5])


@pytest.mark.spec("TRE-P19", "TRE-30")
@given(seed=st.integers(0, 10_000))
def test_rules_of_a_tree_partition_the_rows_and_reproduce_it(seed):
    rng = np.random.default_rng(seed)
    X, y = noisy(rng)
    new, _ = noisy(rng)
    for model in (DecisionTreeClassifier(min_samples_leaf=3).fit(X, y), DecisionTreeRegressor(max_depth=4).fit(X, y)):
        rules = rules_from_tree(model)
        assert len(rules) == model.get_n_leaves()
        covered = np.array([rule.covers(new) for rule in rules])
        np.testing.assert_array_equal(covered.sum(axis=0), 1)
        said = np.array([rule.prediction for rule in rules])[covered.argmax(axis=0)]
        np.testing.assert_array_equal(said, model.predict(new))
        own = np.array([rule.covers(X) for rule in rules])
        assert_close([rule.support for rule in rules], own.sum(axis=1))
        # Each column has at most one bound on each side.
        for rule in rules:
            sides = [(c.feature, c.operator) for c in rule.conditions]
            assert len(sides) == len(set(sides))


def slow_precision(rule, table, y, w):
    mask = np.ones(len(y), bool)
    for c in rule.conditions:
        mask &= c.holds(table[c.feature])
    return w[mask & (y == rule.prediction)].sum() / w[mask].sum() if w[mask].sum() > 0 else 0.0


@pytest.mark.spec("TRE-P19", "TRE-30")
@given(seed=st.integers(0, 10_000))
def test_dropping_conditions_never_lowers_the_precision(seed):
    rng = np.random.default_rng(seed)
    X, y = noisy(rng)
    new_X, new_y = noisy(rng)
    w = rng.integers(0, 3, len(new_y)).astype(float)
    model = DecisionTreeClassifier().fit(X, y)
    table = rule_table(model, new_X)
    for rule in rules_from_tree(model):
        precision = slow_precision(rule, table, new_y, w)
        assert_close(precision_of(rule, table, new_y, w)[0], precision)
        short = shortened(rule, table, new_y, w)
        assert set(short.conditions) <= set(rule.conditions)
        # Step by step the most superfluous condition goes, until none is superfluous.
        while rule.conditions != short.conditions:
            options = [slow_precision(rule.without(k), table, new_y, w) for k in range(len(rule.conditions))]
            assert max(options) > precision
            rule, precision = rule.without(int(np.argmax(options))), max(options)
        options = [slow_precision(rule.without(k), table, new_y, w) for k in range(len(rule.conditions))]
        assert not options or max(options) <= precision + 1e-12


@pytest.mark.spec("TRE-30")
def test_rules_are_sorted_by_precision_on_the_validation_rows(rng):
    X, y = noisy(rng)
    new_X, new_y = noisy(rng)
    model = DecisionTreeClassifier().fit(X, y)
    rules = rules_from_tree(model, new_X, new_y)
    assert [r.precision for r in rules] == sorted((r.precision for r in rules), reverse=True)
    for rule in rules:
        mask = rule.covers(new_X)
        assert rule.support == mask.sum()
        if mask.any():
            assert_close(rule.precision, np.mean(new_y[mask] == rule.prediction))
    plain = rules_from_tree(model, new_X, new_y, simplify=False, sort=False)
    assert [r.conditions for r in plain] == [r.conditions for r in rules_from_tree(model)]


@pytest.mark.spec("TRE-30")
def test_names_and_missing_cells_in_rules():
    frame = pd.DataFrame(GOLF_X, columns=["outlook", "temperature", "humidity", "windy"])
    frame = frame.astype({"outlook": "category", "temperature": float, "humidity": float, "windy": "category"})
    tree = DecisionTreeClassifier().fit(frame, GOLF_Y)
    rules = rules_from_tree(tree)
    assert str(rules[-1]) == "outlook not in {rain, sunny} -> play (4 rows, 100% right)"
    table = rule_table(tree, frame)
    said = np.empty(14, dtype=object)
    for rule in rules:
        said[rule.covers(table)] = rule.prediction
    assert (said == GOLF_Y).all()
    multiway = C45Classifier().fit(frame, GOLF_Y)
    rules = rules_from_tree(multiway, frame, GOLF_Y)
    assert "outlook = overcast -> play" in str(rules[0]) or rules[0].precision == 1.0
    covered = np.array([r.covers(rule_table(multiway, frame)) for r in rules_from_tree(multiway)])
    np.testing.assert_array_equal(covered.sum(axis=0), 1)


def test_models_without_rules_raise(rng):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(TypeError, match="ObliqueTreeClassifier"):
        rules_from_tree(ObliqueTreeClassifier().fit(X, y))
    with pytest.raises(ValueError, match="single path"):
        rules_from_tree(DecisionTreeClassifier(missing="surrogate").fit(X, y))
    with pytest.raises(ValueError, match="only supported for classifiers"):
        rules_from_tree(DecisionTreeRegressor().fit(X, y), X, y)
    with pytest.raises(ValueError, match="does not support multi-output"):
        rules_from_tree(DecisionTreeRegressor().fit(X, np.column_stack([y, y])))


@pytest.mark.spec("TRE-30")
@given(seed=st.integers(0, 10_000))
def test_levels_of_a_path_are_one_set_and_rules_still_part_the_rows(seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"letter": pd.Categorical(rng.choice(list("abcdefgh"), 80)), "x": rng.normal(size=80)})
    tree = DecisionTreeRegressor(max_depth=5).fit(X, rng.normal(size=80))
    rules = rules_from_tree(tree, simplify=False, sort=False)
    table = rule_table(tree, X)
    covered = np.array([rule.covers(table) for rule in rules])
    np.testing.assert_array_equal(covered.sum(axis=0), 1)
    assert_close(np.array([rule.prediction for rule in rules])[covered.argmax(axis=0)], tree.predict(X))
    for rule in rules:
        assert sum(condition.feature == 0 for condition in rule.conditions) <= 1


def test_a_split_on_missingness_is_described():
    x = np.r_[np.arange(10.0), np.full(10, np.nan)]
    tree = DecisionTreeRegressor(max_depth=1).fit(x[:, None], np.isnan(x))
    assert [str(rule) for rule in rules_from_tree(tree)] == [
        "x0 is known -> 0 (10 rows)",
        "x0 is missing -> 1 (10 rows)",
    ]


def test_bounds_of_missing_cells_are_left_out():
    x = np.r_[np.arange(10.0), np.full(10, np.nan)]
    X = np.column_stack([x, np.r_[np.zeros(15), np.ones(5)]])
    y = np.r_[np.full(5, 2), np.full(5, 9), np.full(10, 1)]  # missing values go with the small ones first
    tree = DecisionTreeRegressor().fit(X, y)
    rules = rules_from_tree(tree)
    texts = [str(rule) for rule in rules]
    assert "x0 is missing -> 1 (10 rows)" in texts
    assert np.sum([rule.covers(X) for rule in rules], axis=0).tolist() == [1] * 20


def test_a_chain_of_splits_gives_short_rules():
    X = np.arange(600.0)[:, None]
    y = np.arange(600) % 2
    tree = DecisionTreeClassifier().fit(X, y)
    assert tree.get_depth() > 500
    rules = rules_from_tree(tree)
    assert max(len(rule.conditions) for rule in rules) == 2
    assert [rule.covers(X).sum() for rule in rules] == [1] * 600
