"""Sparse linear discriminant analysis."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.discriminant import LinearDiscriminantAnalysis, SparseLDA
from tests.discriminant.tables import gaussians
from tests.helpers import assert_close


@given(seed=st.integers(0, 10_000), k=st.integers(2, 4))
def test_without_a_penalty_it_is_linear_discriminant_analysis(seed, k):
    X, y = gaussians(np.random.default_rng(seed), 80, 3, k)
    model = SparseLDA(1e-10, max_iter=5000, tol=1e-9).fit(X, y)
    found, exact = model.predict_proba(X), LinearDiscriminantAnalysis().fit(X, y).predict_proba(X)
    assert np.mean(np.abs(found - exact)) < 1e-3  # alternation is slow where two eigenvalues are close


def test_each_half_step_is_optimal(rng):
    """Coefficients meet the conditions of the elastic net for their scores, and scores are the best for them."""
    X, y = gaussians(rng, 100, 6, 3)
    alpha, ratio = 0.1, 0.8
    model = SparseLDA(alpha, l1_ratio=ratio, tol=1e-9, max_iter=2000).fit(X, y)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    shares = np.bincount(y) / len(y)
    assert_close(model.theta_.T @ (shares[:, None] * model.theta_), np.eye(model.theta_.shape[1]), atol=1e-8)
    assert_close(shares @ model.theta_, 0, atol=1e-9)
    for theta, scaling in zip(model.theta_.T, model.scalings_.T):
        beta = scaling * X.std(axis=0)
        gradient = Z.T @ (theta[y] - Z @ beta) / len(y) - alpha * (1 - ratio) * beta
        used = beta != 0
        assert_close(gradient[used], alpha * ratio * np.sign(beta[used]), atol=1e-5)
        assert np.all(np.abs(gradient[~used]) <= alpha * ratio + 1e-5)
    first = np.stack([(Z @ (model.scalings_[:, 0] * X.std(axis=0)))[y == c].mean() for c in range(3)])
    assert_close(first / np.sqrt(first**2 @ shares), model.theta_[:, 0], atol=1e-5)


def test_it_finds_the_columns_that_matter(rng):
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 300))
    X[:, :4] += 3 * np.array([[1, 0, -1, 0], [0, 1, 0, -1], [-1, -1, 1, 1]])[y]
    model = SparseLDA(0.2).fit(X, y)
    assert np.all(model.support_[:4])
    assert model.support_.sum() < 30
    assert model.score(X, y) > 0.95
    assert SparseLDA(0.5).fit(X, y).support_.sum() <= model.support_.sum()
    assert model.transform(X).shape == (90, 2)


def test_too_large_a_penalty_leaves_the_priors(rng):
    X, y = gaussians(rng, 60)
    with pytest.warns(UserWarning, match="no column remains"):
        model = SparseLDA(100.0).fit(X, y)
    assert_close(model.predict_proba(X), np.tile(np.bincount(y) / len(y), (len(X), 1)))
    assert model.transform(X).shape == (60, 0)
