"""Correlation of the trees, and the chance of a relevant split."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_friedman1

from statlearn.ensemble import (
    RandomForestClassifier,
    RandomForestRegressor,
    average_variance,
    relevant_split_probability,
    tree_correlation,
)


@pytest.mark.spec("ENS-08")
def test_the_decomposition_holds_exactly(rng):
    X, y = make_friedman1(300, noise=1.0, random_state=0)
    model = RandomForestRegressor(15, random_state=0).fit(X[:200], y[:200])
    found = tree_correlation(model, X[200:])
    by_tree = np.column_stack([tree.predict(X[200:]) for tree in model.estimators_])
    covariance = np.cov(by_tree.T, ddof=0)
    off = covariance[~np.eye(15, dtype=bool)].mean()
    assert found.variance == pytest.approx(np.trace(covariance) / 15)
    assert found.correlation == pytest.approx(off / found.variance)
    assert found.average_variance == pytest.approx(model.predict(X[200:]).var())
    assert found.average_variance == pytest.approx(average_variance(found.correlation, found.variance, 15))


@pytest.mark.spec("ENS-P2", "ENS-T3")
def test_variance_of_an_average_of_equally_correlated_numbers(seed):
    for members, expected in ((1, 1.0), (5, 0.44), (10, 0.37), (100, 0.307)):
        assert average_variance(0.3, 1.0, members) == pytest.approx(expected, abs=1e-12)
    rng = np.random.default_rng(seed)
    draws, members, rho = 20_000, 10, 0.3
    shared = rng.normal(size=(draws, 1))
    numbers = np.sqrt(rho) * shared + np.sqrt(1 - rho) * rng.normal(size=(draws, members))
    variance = numbers.mean(axis=1).var()
    assert abs(variance - 0.37) < 4 * 0.37 * np.sqrt(2 / draws)


@pytest.mark.spec("ENS-P6", "ENS-08")
def test_fewer_columns_a_node_mean_less_correlated_trees(seed):
    X, y = make_friedman1(700, noise=1.0, random_state=seed)
    train, test = slice(0, 400), slice(400, 700)
    found = []
    for columns in (None, 4, 1):
        model = RandomForestRegressor(60, max_features=columns, random_state=seed).fit(X[train], y[train])
        found.append(tree_correlation(model, X[test]).correlation)
    assert found[0] > found[1] > found[2]
    # Variance over training sets at fixed rows: the forest's is below a single tree's.
    forests, trees = [], []
    rng = np.random.default_rng(seed)
    for _ in range(12):
        rows = rng.choice(400, 200, replace=False)
        model = RandomForestRegressor(25, max_features=4, random_state=0).fit(X[rows], y[rows])
        forests.append(model.predict(X[test]))
        trees.append(model.estimators_[0].predict(X[test]))
    assert np.var(forests, axis=0).mean() < 0.5 * np.var(trees, axis=0).mean()


def test_two_classes_count_as_one_number(rng):
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    model = RandomForestClassifier(20, random_state=0).fit(X[:200], y[:200])
    found = tree_correlation(model, X[200:])
    shares = np.column_stack([tree.predict_proba(X[200:])[:, 1] for tree in model.estimators_])
    assert found.variance == pytest.approx(shares.var(axis=0).mean())
    assert 0 < found.correlation < 1


@pytest.mark.spec("ENS-14", "ENS-T4")
def test_chance_of_a_relevant_column_printed_value():
    assert relevant_split_probability(6, 100, 10) == pytest.approx(0.4565650, abs=1e-7)


@pytest.mark.spec("ENS-14")
@given(relevant=st.integers(0, 20), noise=st.integers(0, 60), m=st.integers(1, 80))
def test_chance_of_a_relevant_column_is_the_formula(relevant, noise, m):
    if m > relevant + noise:
        with pytest.raises(ValueError, match="max_features"):
            relevant_split_probability(relevant, noise, m)
        return
    expected = 1 - comb(noise, m) / comb(relevant + noise, m)
    assert relevant_split_probability(relevant, noise, m) == pytest.approx(expected, abs=1e-12)
