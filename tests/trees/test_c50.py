"""C5.0: boosting, rules, winnowing and costs on top of C4.5."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score

from statlearn import datasets
from statlearn.trees import C45Classifier, C50Classifier
from statlearn.trees._c50 import boosted_weights
from tests.helpers import assert_close
from tests.trees.multiway_data import GOLF_X, GOLF_Y

TABLES = ["keel/vowel", "keel/sonar", "keel/german"]


def table(name):
    found = datasets.load(name)
    return found.X, found.y


def noisy(seed, n=200, p=5):
    """Two informative columns, the others noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, (X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=n) > 0).astype(int)


@pytest.mark.spec("CRS-79")
@pytest.mark.parametrize("name", TABLES)
def test_one_trial_is_the_c45_tree(name):
    X, y = table(name)
    one, tree = C50Classifier(trials=1).fit(X, y), C45Classifier().fit(X, y)
    np.testing.assert_array_equal(one.predict_proba(X), tree.predict_proba(X))
    assert one.estimators_[0].export_text() == tree.export_text()


@pytest.mark.spec("CRS-79")
@pytest.mark.parametrize("name", TABLES)
def test_ten_trials_make_fewer_errors_than_one(name):
    X, y = table(name)
    one, ten = C50Classifier(1).fit(X, y), C50Classifier(10).fit(X, y)
    assert ten.score(X, y) > one.score(X, y)
    if name != "keel/german":  # there the gain is within the noise
        unseen = [cross_val_score(C50Classifier(trials), X, y, cv=5).mean() for trials in (1, 10)]
        assert unseen[1] > unseen[0] + 0.02


@pytest.mark.spec("CRS-79")
def test_weights_of_the_next_tree_by_hand():
    weights, wrong = np.ones(4), np.array([True, False, False, False])
    # S+ = 3, S- = 1, shift = 1/2: the wrong row gets 3/2, the right ones 5/6 each.
    assert_close(boosted_weights(weights, np.ones(4), wrong), [1.5, 5 / 6, 5 / 6, 5 / 6])
    # Weight 2 is two rows.
    merged = boosted_weights(np.array([2.0, 1, 3]), np.array([2.0, 1, 3]), np.array([True, False, False]))
    apart = boosted_weights(np.ones(6), np.ones(6), np.array([True, True, False, False, False, False]))
    assert_close(merged, [apart[:2].sum(), apart[2], apart[3:].sum()])


@pytest.mark.spec("CRS-79")
def test_reweighting_raises_the_error_of_the_last_tree_halfway_to_one_half(seed):
    rng = np.random.default_rng(seed)
    weights, wrong = rng.uniform(0.5, 2, 30), np.arange(30) < 7
    after = boosted_weights(weights, np.ones(30), wrong)
    before = weights[wrong].sum() / weights.sum()
    assert_close(after.sum(), weights.sum())
    assert_close(after[wrong].sum() / after.sum(), (before + 0.5) / 2)


@pytest.mark.spec("CRS-79")
def test_boosting_ends_after_a_perfect_tree_and_before_a_useless_one():
    X = np.arange(20.0)[:, None]
    assert len(C50Classifier().fit(X, X[:, 0] > 9).estimators_) == 1
    X, y = noisy(0)
    model = C50Classifier(200, min_samples_leaf=40).fit(X, y)
    assert len(model.errors_) == len(model.estimators_) < 200
    assert (model.errors_[1:] < 0.5).all()


@pytest.mark.spec("CRS-79")
def test_trees_without_a_split_do_not_vote():
    """Their votes are the same for all rows, and many of them would overrule the trees that know something."""
    X, y = noisy(0)
    model = C50Classifier(30, min_samples_leaf=40).fit(X, y)
    assert len(model.estimators_) > 1
    assert all(member.tree_.n_leaves > 1 for member in model.estimators_)
    alone = C50Classifier(30).fit(np.zeros((10, 1)), [0, 0, 0, 0, 0, 0, 1, 1, 1, 1])
    assert len(alone.estimators_) == 1
    assert (alone.predict(np.zeros((10, 1))) == 0).all()


@pytest.mark.spec("CRS-79")
def test_trees_vote_by_the_smoothed_share_of_their_best_class():
    X, y = noisy(1)
    model = C50Classifier(3).fit(X, y)
    votes = np.zeros((len(X), 2))
    for tree in model.estimators_:
        smoothed = C45Classifier()
        vars(smoothed).update({k: v for k, v in vars(tree).items() if k.endswith("_")}, _smoothing=1.0)
        share = smoothed.predict_proba(X)
        votes[np.arange(len(X)), share.argmax(axis=1)] += share.max(axis=1)
    assert_close(model.predict_proba(X), votes / votes.sum(axis=1, keepdims=True))


@pytest.mark.spec("CRS-80")
def test_winnowing_drops_columns_of_noise(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(600, 8))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0.5)
    model = C50Classifier(1, winnow=True, random_state=0).fit(X, y)
    assert model.used_features_[:2].all()
    assert model.used_features_.sum() < 8
    used = np.flatnonzero(model.used_features_)
    alone = C45Classifier().fit(X[:, used], y)
    np.testing.assert_array_equal(model.predict_proba(X), alone.predict_proba(X[:, used]))


@pytest.mark.spec("CRS-80")
def test_winnowing_keeps_all_columns_where_none_can_be_judged():
    model = C50Classifier(winnow=True, random_state=0).fit([[1.0, 2.0], [2.0, 1.0]], [0, 1])
    assert model.used_features_.all()


@pytest.mark.spec("CRS-80")
def test_costs_move_predictions_to_the_cheaper_error():
    X, y = noisy(2)
    costs = [[0, 1], [10, 0]]  # a missed 1 costs ten times as much as a false alarm
    plain, dear = C50Classifier(5).fit(X, y), C50Classifier(5, loss_matrix=costs).fit(X, y)
    assert_close(dear.predict_proba(X), plain.predict_proba(X))
    np.testing.assert_array_equal(dear.predict(X), (dear.predict_proba(X) @ np.array(costs)).argmin(axis=1))
    assert dear.predict(X).sum() > plain.predict(X).sum()
    with pytest.raises(ValueError, match=r"`loss_matrix` must have shape \(2, 2\) for 2 classes, got \(3, 3\)"):
        C50Classifier(loss_matrix=np.zeros((3, 3))).fit(X, y)


@pytest.mark.spec("CRS-80")
def test_rules_vote_by_their_smoothed_precision():
    X, y = load_iris(return_X_y=True)
    model = C50Classifier(trials=2, rules=True).fit(X, y)
    votes = np.zeros((len(X), 3))
    for rules in model.rules_:
        own = np.zeros((len(X), 3))
        for rule in rules[:-1]:
            own[rule.covers(X), rule.prediction] += rule.precision
        assert rules[-1].conditions == ()
        own[~own.any(axis=1), rules[-1].prediction] = rules[-1].precision
        own /= own.sum(axis=1, keepdims=True)
        votes[np.arange(len(X)), own.argmax(axis=1)] += own.max(axis=1)
    assert_close(model.predict_proba(X), votes / votes.sum(axis=1, keepdims=True))
    rule = model.rules_[0][0]
    covered = rule.covers(X)
    assert_close(rule.precision, ((y[covered] == rule.prediction).sum() + 1) / (covered.sum() + 3))
    assert model.score(X, y) > 0.95
    with pytest.raises(AttributeError, match="rules=True"):
        _ = C50Classifier(1).fit(X, y).rules_


@pytest.mark.spec("CRS-80")
def test_tables_with_text_and_missing_cells_are_read_by_trees_and_by_rules():
    X = pd.DataFrame(GOLF_X, columns=["outlook", "temperature", "humidity", "windy"])
    X = X.astype({"temperature": float, "humidity": float})
    X.loc[5, "outlook"], X.loc[3, "humidity"] = None, np.nan
    for rules in (False, True):
        model = C50Classifier(3, rules=rules, prune=False).fit(X, GOLF_Y)
        assert model.score(X, GOLF_Y) > 0.9
        new = X.assign(outlook="hail")
        assert_close(model.predict_proba(new).sum(axis=1), 1)
    assert "outlook = overcast" in str(model.rules_[0])
