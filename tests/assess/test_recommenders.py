"""Metrics of lists against their formulae and scikit-learn's, and splits by time."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

from statlearn._core.warnings import StatlearnWarning
from statlearn.assess import ndcg_at_n, precision_at_n, recall_at_n, recommender_report, user_time_split
from statlearn.decomposition import ItemKNNRecommender, MatrixFactorization
from tests.helpers import assert_close


@given(st.integers(0, 10_000), st.integers(1, 12))
def test_metrics_of_a_list_against_their_formulae(seed, n):
    rng = np.random.default_rng(seed)
    order = rng.permutation(12)
    relevant = set(rng.choice(12, rng.integers(1, 6), replace=False).tolist())
    hits = [item in relevant for item in order[:n]]
    assert_close(precision_at_n([order], [relevant], n), np.sum(hits) / n)
    assert_close(recall_at_n([order], [relevant], n), np.sum(hits) / len(relevant))
    truth = np.isin(np.arange(12), list(relevant)).astype(float)
    score = np.empty(12)
    score[order] = np.arange(12, 0, -1)
    assert_close(ndcg_at_n([order], [relevant], n), ndcg_score([truth], [score], k=n))


def test_users_without_relevant_items_are_left_out_and_short_lists_count_as_filled():
    assert_close(precision_at_n([["a"], ["b"]], [{"a"}, set()], n=2), 0.5)
    assert np.isnan(recall_at_n([["a"]], [set()]))
    with pytest.raises(ValueError, match="one entry per user"):
        recall_at_n([["a"]], [])
    with pytest.raises(ValueError, match="twice"):
        precision_at_n([["a", "a"]], [{"a"}])


@given(st.integers(0, 10_000), st.integers(1, 3))
def test_no_training_rating_is_later_than_a_test_rating_of_its_user(seed, n_test):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"user": rng.choice(list("abcde"), 40), "item": rng.integers(9, size=40), "at": rng.random(40)})
    train, test = user_time_split(X, "at", user="user", n_test=n_test, min_train=2)
    assert sorted([*train, *test]) == list(range(40))
    for user, rows in X.groupby("user"):
        inside, outside = rows.index.intersection(train), rows.index.intersection(test)
        assert len(outside) == (n_test if len(rows) - n_test >= 2 else 0), user
        if len(outside):
            assert X["at"][inside].max() <= X["at"][outside].min()
    _, share = user_time_split(X, "at", user="user", test_size=0.25, min_train=0)
    assert len(share) == sum(int(0.25 * c) for c in X["user"].value_counts())


def test_the_report_of_a_recommender(rng):
    U, V = rng.normal(size=(40, 2)), rng.normal(size=(15, 2))
    R = 3 + U @ V.T
    u, i = np.nonzero(rng.random(R.shape) < 0.7)
    X = rng.permutation(np.column_stack([u, i, R[u, i]]))
    train, test = user_time_split(X, n_test=2)
    model = MatrixFactorization(2, alpha=0.1, max_iter=2000, random_state=0).fit(X[train])
    report = recommender_report(model, X[test], n=3, threshold=3.0)
    assert_close(report["rmse"], -model.score(X[test]))
    users = np.unique(X[test][X[test, 2] >= 3, 0])
    lists, _ = model.recommend(users, 3)
    relevant = [set(X[test][(X[test, 0] == u) & (X[test, 2] >= 3), 1]) for u in users]
    assert report["n_users"] == len(users)
    assert_close(report["recall"], recall_at_n(lists, relevant, 3))
    assert_close(report["ndcg"], ndcg_at_n(lists, relevant, 3))
    assert report["hit_rate"] >= report["recall"]
    chance = recommender_report(ItemKNNRecommender(1).fit(X[train]), X[test], n=3, threshold=3.0)
    assert report["rmse"] < chance["rmse"]
    assert np.isnan(recommender_report(model, [[999, 0, 1.0]])["recall"])


def test_a_threshold_that_no_rating_reaches_is_reported():
    X = [["a", "x", 5], ["a", "y", 4], ["b", "x", 2], ["b", "z", 5]]
    model = ItemKNNRecommender(columns=[0, 1], aggregate="sum").fit(X)
    with pytest.warns(
        StatlearnWarning, match=r"None of the 1 held-out ratings reaches `threshold`=4 .*largest is 1.* as y"
    ):
        assert np.isnan(recommender_report(model, [["b", "y", 5]], threshold=4)["recall"])
    assert recommender_report(model, [["b", "y", 5]], [5], n=1, threshold=4)["recall"] == 1.0


def test_bad_times_raise():
    X = [["a", "x"], ["a", "y"]]
    with pytest.raises(ValueError, match="times has 1 entries"):
        user_time_split(X, [1.0])
    with pytest.raises(ValueError, match="missing values"):
        user_time_split(X, [1.0, np.nan])
    with pytest.raises(ValueError, match="no column 'who'"):
        user_time_split(X, user="who")
