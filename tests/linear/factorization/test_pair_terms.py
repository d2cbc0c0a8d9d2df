"""Cross-products of features and pairs stand for all rows: the same values, the same machines."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import check_grad

from statlearn.linear import FactorizationMachineClassifier, FactorizationMachineRegressor
from statlearn.linear.factorization import _factorization
from statlearn.linear.factorization._pair_terms import PairTerms
from tests.helpers import assert_close


def problem(rng, n=400, p=4):
    X = rng.normal(size=(n, p))
    score = X @ rng.normal(size=p) + X[:, 0] * X[:, 1] - 0.5 * X[:, 2] * X[:, 3]
    return X, score, rng.uniform(0.5, 2.0, n)


def phi(X):
    """Literally 1, the features and their products."""
    i, j = np.triu_indices(X.shape[1], 1)
    return np.column_stack([np.ones(len(X)), X, X[:, i] * X[:, j]])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_values_match_the_formula(rng, form, monkeypatch):
    monkeypatch.setattr("statlearn.linear.factorization._pair_terms._CHUNK", 1000)  # several chunks
    X, score, w = problem(rng)
    y = score + rng.normal(size=len(w))
    terms, Z = PairTerms(form(X)), phi(X)
    u = rng.normal(size=terms.size)
    c, b, A = terms.squared(y, w)
    assert_close(c - 2 * b @ u + u @ A @ u, w @ (y - Z @ u) ** 2, atol=0)
    sign = np.where(score > 0, 1.0, -1.0)

    def value(v):
        return terms.logistic(v, sign, w)[0]

    assert_close(value(u), w @ np.logaddexp(0, -sign * (Z @ u)), atol=0)
    assert check_grad(value, lambda v: terms.logistic(v, sign, w)[1], u) < 1e-3
    p = 1 / (1 + np.exp(-(Z @ u)))
    assert_close(terms.logistic(u, sign, w)[2], Z.T @ ((w * p * (1 - p))[:, None] * Z), rtol=1e-9, atol=0)


@pytest.mark.spec("LIN-47")
@pytest.mark.parametrize("kind", [FactorizationMachineRegressor, FactorizationMachineClassifier])
@pytest.mark.parametrize(
    "options", [{"n_components": 4}, {"pairwise": "full"}, {"n_components": 4, "fit_intercept": False}]
)
def test_both_routes_reach_the_same_minimum(rng, kind, options, monkeypatch):
    X, score, w = problem(rng)
    y = score + rng.normal(size=len(w))
    y = (y > 0).astype(int) if kind is FactorizationMachineClassifier else y
    by_terms = kind(tol=1e-8, **options).fit(X, y, sample_weight=w)
    monkeypatch.setattr(_factorization, "_WIDEST", 0)
    by_rows = kind(tol=1e-8, **options).fit(X, y, sample_weight=w)
    assert_close(by_terms.objective_, by_rows.objective_, rtol=1e-6, atol=0)
    assert_close(by_terms.interactions_, by_rows.interactions_, atol=1e-3)
