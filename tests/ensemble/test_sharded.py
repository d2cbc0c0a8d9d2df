"""Ensembles on shards: forgetting rows equals a fit that never saw them."""

import pickle

import numpy as np
import pytest

from statlearn.ensemble import RandomForestClassifier, ShardedClassifier, ShardedRegressor
from statlearn.linear import Perceptron, Ridge
from statlearn.trees import DecisionTreeClassifier


def table(rng, n=120):
    X = rng.normal(size=(n, 4))
    return X, np.array(["low", "mid", "high"])[np.digitize(X[:, 0] + 0.3 * rng.normal(size=n), [-0.5, 0.5])]


@pytest.mark.spec("CRS-93")
@pytest.mark.parametrize(
    "estimator",
    [None, RandomForestClassifier(3), Perceptron(tol=None, max_iter=5), DecisionTreeClassifier(max_depth=2)],
)
def test_forgetting_rows_equals_a_fit_that_never_saw_them(seed, estimator):
    rng = np.random.default_rng(seed)
    X, y = table(rng)
    rows = rng.choice(120, 15, replace=False)
    model = ShardedClassifier(estimator, n_shards=4, random_state=seed).fit(X, y).forget(rows[:9]).forget(rows[9:])
    kept = np.setdiff1d(np.arange(120), rows)
    refit = ShardedClassifier(estimator, n_shards=4, random_state=seed).fit(X[kept], y[kept])
    np.testing.assert_array_equal(model.predict_proba(X), refit.predict_proba(X))
    np.testing.assert_array_equal(model.shards_, refit.shards_)
    np.testing.assert_array_equal(model.rows_, kept)


@pytest.mark.spec("CRS-93")
def test_regression_with_weights_forgets_alike(seed):
    rng = np.random.default_rng(seed)
    X, weights = rng.normal(size=(80, 3)), rng.integers(0, 3, 80).astype(float)
    y = X @ [1.0, 2.0, 3.0] + rng.normal(size=80)
    rows = np.flatnonzero(weights)[:10]
    model = ShardedRegressor(Ridge(), n_shards=3, random_state=seed).fit(X, y, sample_weight=weights).forget(rows)
    weights[rows] = 0
    refit = ShardedRegressor(Ridge(), n_shards=3, random_state=seed).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(model.predict(X), refit.predict(X))


@pytest.mark.spec("CRS-93")
def test_one_row_refits_one_member_and_leaves_the_model(seed):
    X, y = table(np.random.default_rng(seed))
    model = ShardedClassifier(n_shards=5, random_state=0).fit(X, y)
    before = list(model.estimators_)
    shard = model.shards_[17]
    model.forget(17)
    assert model.refitted_ == [shard]
    assert [a is b for a, b in zip(before, model.estimators_)] == [k != shard for k in range(5)]
    assert X[17].tobytes() not in pickle.dumps(model)
    assert model.score(X, y) > 0.7


def test_shards_have_similar_sizes(seed):
    X, y = table(np.random.default_rng(seed), 5000)
    sizes = np.bincount(ShardedClassifier(n_shards=10, random_state=seed).fit(X, y).shards_, minlength=10)
    assert np.sum((sizes - 500) ** 2 / 500) < 33.7  # chi-squared, 9 degrees of freedom, probability 1e-4


def test_a_class_that_is_forgotten_is_no_longer_predicted(seed):
    X, y = table(np.random.default_rng(seed))
    model = ShardedClassifier(random_state=0).fit(X, y).forget(np.flatnonzero(y == "mid"))
    assert model.classes_.tolist() == ["high", "low"]
    assert model.predict_proba(X).shape == (120, 2)
    with pytest.raises(ValueError, match="at least 2 classes"):
        model.forget(np.flatnonzero(y == "low"))
    assert len(model.rows_) == np.sum(y != "mid")  # unchanged by the refusal


def test_wrong_rows_raise(seed):
    X, y = table(np.random.default_rng(seed))
    model = ShardedClassifier(random_state=0).fit(X, y).forget(3)
    for rows in (3, 120, -1, [0, 3]):
        with pytest.raises(ValueError, match="not forgotten yet"):
            model.forget(rows)
    with pytest.raises(ValueError, match="positions of rows"):
        model.forget([0.5])
    with pytest.raises(ValueError, match="every row that is left"):
        model.forget(model.rows_)
    assert model.forget([]).refitted_ == []
