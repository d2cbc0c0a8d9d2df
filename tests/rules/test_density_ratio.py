"""Density as classification."""

import numpy as np
import pytest

from statlearn.linear import LogisticRegression
from statlearn.prep import PolynomialFeatures
from statlearn.rules import density_ratio
from statlearn.trees import DecisionTreeClassifier


@pytest.mark.spec("RUL-13", "RUL-P8")
def test_uniform_data_have_a_ratio_near_one(rng):
    X = rng.uniform(size=(4000, 2))
    found = density_ratio(X, LogisticRegression(C=np.inf), random_state=0)
    grid = rng.uniform(0.05, 0.95, size=(200, 2))
    # log odds at the centre has a standard error of about 0.03 here, a few times that at the edges
    assert np.abs(np.log(found.ratio(grid))).max() < 0.25


@pytest.mark.spec("RUL-13", "RUL-P8")
def test_a_known_density_is_recovered(rng):
    # Density proportional to exp(2x) on [0, 1]: its log odds against the uniform reference are linear in x.
    X = np.log1p(rng.uniform(size=(20_000, 1)) * (np.exp(2) - 1)) / 2
    found = density_ratio(X, LogisticRegression(C=np.inf), n_reference=40_000, random_state=0)
    x = np.linspace(0.1, 0.9, 9)[:, None]
    truth = 2 * np.exp(2 * x[:, 0]) / (np.exp(2) - 1)
    np.testing.assert_allclose(found.ratio(x), truth, rtol=0.06)  # some four standard errors
    np.testing.assert_allclose(found.density(x), truth, rtol=0.06)
    assert found.density([[2.0]]) == 0


@pytest.mark.spec("RUL-13")
def test_permuted_and_given_references(rng):
    x = rng.normal(size=5000)
    X = np.column_stack([x, x + 0.5 * rng.normal(size=5000)])
    quadratic = PolynomialFeatures(2, include_bias=False).fit(X)

    class Quadratic(LogisticRegression):
        def fit(self, X, y):
            return super().fit(quadratic.transform(X), y)

        def predict_proba(self, X):
            return super().predict_proba(quadratic.transform(X))

    dependent = density_ratio(X, Quadratic(C=np.inf), reference="permuted", random_state=0)
    # A normal pair with correlation r against independence: the ratio at the origin is 1 / sqrt(1 - r^2).
    r2 = 1 / 1.25
    np.testing.assert_allclose(dependent.ratio([[0.0, 0.0]]), 1 / np.sqrt(1 - r2), rtol=0.15)
    same = density_ratio(X, LogisticRegression(), reference=X)
    np.testing.assert_allclose(same.ratio(X), 1.0, rtol=1e-3)
    with pytest.raises(ValueError, match="uniform"):
        dependent.density(X)


def test_trees_match_brute_force_and_bad_input_raises(rng):
    X = rng.beta(2, 2, size=(2000, 1))
    tree = DecisionTreeClassifier(min_samples_leaf=200)
    found = density_ratio(X, tree, random_state=0)
    assert found.ratio([[0.5]])[0] > found.ratio([[0.02]])[0]
    with pytest.raises(ValueError, match="reference"):
        density_ratio(X, tree, reference="normal")
    with pytest.raises(ValueError, match="reference has 2 columns"):
        density_ratio(X, tree, reference=np.zeros((3, 2)))
    with pytest.raises(ValueError, match="estimator"):
        density_ratio(X, "tree")
    with pytest.raises(ValueError, match="X"):
        density_ratio([[np.nan], [1.0]], tree)
