"""Factorization machines: the fast score, gradients, the documented objective, the full form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import expit
from sklearn.linear_model import LogisticRegression, Ridge

from statlearn._core import native
from statlearn.linear import FactorizationMachineClassifier, FactorizationMachineRegressor
from tests.helpers import assert_close


def pair_features(X):
    i, j = np.triu_indices(X.shape[1], 1)
    return X[:, i] * X[:, j]


def slow_score(x, w0, w, V):
    """The definition: a double sum over pairs."""
    p = len(x)
    pairs = sum(V[i] @ V[j] * x[i] * x[j] for i in range(p) for j in range(i + 1, p))
    return w0 + w @ x + pairs


def objective(X, y, w0, w, V, alphas, weights, logistic):
    f = np.array([slow_score(x, w0, w, V) for x in X])
    loss = np.logaddexp(0, -y * f) if logistic else (y - f) ** 2
    penalty = alphas[0] * w0**2 + alphas[1] * w @ w + alphas[2] * np.sum(V**2)
    return (weights @ loss + penalty) / weights.sum()


@pytest.mark.spec("LIN-P34", "LIN-47")
@given(seed=st.integers(0, 10_000), p=st.integers(1, 6), k=st.integers(1, 4))
def test_fast_score_is_the_sum_over_pairs(seed, p, k):
    rng = np.random.default_rng(seed)
    X, w0, w, V = rng.normal(size=(7, p)), rng.normal(), rng.normal(size=p), rng.normal(size=(p, k))
    parameters = np.concatenate([[w0], w, V.ravel()])
    out, expected = np.empty(7), [slow_score(x, w0, w, V) for x in X]
    native.linear.fm_scores(X, parameters, k, out)
    assert_close(out, expected)
    closed = w0 + X @ w + 0.5 * ((X @ V) ** 2 - X**2 @ V**2).sum(axis=1)
    assert_close(out, closed)
    S = sparse.csr_matrix(X)
    native.linear.fm_scores_csr(S.data, S.indices, S.indptr, p, parameters, k, out)
    assert_close(out, expected)


@pytest.mark.spec("LIN-P34")
@given(seed=st.integers(0, 10_000), p=st.integers(2, 5))
def test_rank_p_represents_any_positive_semidefinite_interactions(seed, p):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(p, p))
    W = A @ A.T
    V = np.linalg.cholesky(W + 1e-12 * np.eye(p))
    X, out = rng.normal(size=(5, p)), np.empty(5)
    native.linear.fm_scores(X, np.concatenate([np.zeros(1 + p), V.ravel()]), p, out)
    assert_close(out, pair_features(X) @ W[np.triu_indices(p, 1)], atol=1e-8)


@given(seed=st.integers(0, 10_000), logistic=st.booleans())
def test_gradient_matches_finite_differences(seed, logistic):
    rng = np.random.default_rng(seed)
    X, weights = rng.normal(size=(15, 3)), rng.uniform(0.5, 2, size=15)
    y = np.where(rng.uniform(size=15) < 0.5, 1.0, -1.0) if logistic else rng.normal(size=15)
    v, gradient, scratch = rng.normal(size=1 + 3 + 6), np.empty(10), np.empty(10)
    native.linear.fm_loss(X, y, weights, logistic, v, 2, gradient)
    for j in range(10):
        e = 1e-6 * np.eye(10)[j]
        up = native.linear.fm_loss(X, y, weights, logistic, v + e, 2, scratch)
        down = native.linear.fm_loss(X, y, weights, logistic, v - e, 2, scratch)
        assert_close(gradient[j], (up - down) / 2e-6, rtol=1e-5, atol=1e-5)  # finite differences


@pytest.mark.spec("LIN-47")
@pytest.mark.parametrize("logistic", [True, False])
def test_ends_at_a_minimum_of_the_documented_objective(logistic, rng):
    X, weights = rng.normal(size=(60, 4)), rng.uniform(0.5, 2, size=60)
    score = X[:, 0] + 2 * X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=60)
    y = np.where(score > 0, 1.0, -1.0) if logistic else score
    cls = FactorizationMachineClassifier if logistic else FactorizationMachineRegressor
    alphas = (0.3, 0.5, 0.7)
    model = cls(2, alpha_intercept=0.3, alpha_linear=0.5, alpha_pairs=0.7, tol=1e-9).fit(X, y, sample_weight=weights)
    w0, w, V = model.intercept_[0], model.coef_[0], model.factors_[0]
    best = objective(X, y, w0, w, V, alphas, weights, logistic)
    assert_close(model.objective_[0], best)
    for _ in range(30):
        d = 1e-3 * rng.normal(size=1 + 4 + 8)
        assert objective(X, y, w0 + d[0], w + d[1:5], V + d[5:].reshape(4, 2), alphas, weights, logistic) >= best
    off = ~np.eye(4, dtype=bool)
    assert_close(model.interactions_[0][off], (V @ V.T)[off])


@pytest.mark.spec("LIN-47")
def test_full_pairs_are_ridge_and_logistic_regression_on_products(rng):
    X = rng.normal(size=(80, 4))
    y = X[:, 0] - X[:, 1] * X[:, 3] + 0.1 * rng.normal(size=80)
    features = np.column_stack([X, pair_features(X)])
    options = {"pairwise": "full", "alpha_linear": 2.0, "alpha_pairs": 2.0, "tol": 1e-10}
    ours, ridge = FactorizationMachineRegressor(**options).fit(X, y), Ridge(alpha=2.0, tol=1e-12).fit(features, y)
    upper = np.triu_indices(4, 1)
    assert_close(ours.coef_[0], ridge.coef_[:4], rtol=1e-6, atol=1e-7)
    assert_close(ours.interactions_[0][upper], ridge.coef_[4:], rtol=1e-6, atol=1e-7)
    assert_close(ours.predict(X), ridge.predict(features), rtol=1e-6)
    label = (y > 0).astype(int)
    ours = FactorizationMachineClassifier(**options).fit(X, label)
    peer = LogisticRegression(C=1 / 4.0, tol=1e-10, max_iter=1000).fit(features, label)  # alpha = 1/(2C)
    assert_close(ours.coef_[0], peer.coef_[0, :4], rtol=1e-4, atol=1e-5)  # the peer stops at its own tolerance
    assert_close(ours.interactions_[0][upper], peer.coef_[0, 4:], rtol=1e-4, atol=1e-5)
    assert ours.factors_ is None


@pytest.mark.spec("LIN-47")
def test_learns_an_interaction_that_no_linear_model_sees(rng):
    X = rng.normal(size=(400, 5))
    y = (X[:, 1] * X[:, 3] > 0).astype(int)
    linear = LogisticRegression().fit(X, y).score(X, y)
    machine = FactorizationMachineClassifier(2, alpha_pairs=0.1).fit(X, y)
    assert linear < 0.65
    assert machine.score(X, y) > 0.95
    assert_close(machine.predict_proba(X)[:, 1], expit(machine.decision_function(X)))


@pytest.mark.parametrize("pairwise", ["factors", "full"])
def test_sparse_input_and_several_classes(pairwise, rng):
    X = rng.normal(size=(150, 6)) * (rng.uniform(size=(150, 6)) < 0.4)
    y = np.array(["a", "b", "c"])[np.clip(np.round(X[:, 0] + X[:, 1] * X[:, 2]), -1, 1).astype(int) + 1]
    options = {"n_components": 3, "pairwise": pairwise, "tol": 1e-8}
    dense = FactorizationMachineClassifier(**options).fit(X, y)
    other = FactorizationMachineClassifier(**options).fit(sparse.csr_array(X), y)
    assert dense.interactions_.shape == (3, 6, 6)
    assert_close(other.decision_function(sparse.csr_array(X)), dense.decision_function(X), rtol=1e-4, atol=1e-5)
    assert_close(dense.predict_proba(X).sum(axis=1), 1.0)
    np.testing.assert_array_equal(dense.predict(X), dense.classes_[dense.decision_function(X).argmax(axis=1)])


def test_the_start_belongs_to_the_seed(rng):
    X, y = rng.normal(size=(50, 3)), rng.normal(size=50)
    fits = [FactorizationMachineRegressor(2, random_state=s, alpha_pairs=0.1).fit(X, y).factors_ for s in (1, 1, 2)]
    np.testing.assert_array_equal(fits[0], fits[1])
    assert not np.array_equal(fits[0], fits[2])


def test_scores_that_rule_out_all_classes_give_equal_probabilities(rng):
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 3
    model = FactorizationMachineClassifier(n_components=1, random_state=0).fit(X, y)
    model.intercept_ = np.full(3, -1e4)
    assert_close(model.predict_proba(X), np.full((30, 3), 1 / 3))


@pytest.mark.parametrize("penalty", ["alpha_pairs", "alpha_linear"])
def test_a_huge_penalty_removes_its_terms_within_few_iterations(penalty, rng):
    X = rng.normal(size=(40, 3))
    y = (X[:, 0] + rng.normal(size=40) > 0).astype(int)
    model = FactorizationMachineClassifier(**{penalty: 1e300}, random_state=0).fit(X, y)
    assert model.n_iter_ < 200
    assert np.abs(model.interactions_ if penalty == "alpha_pairs" else model.coef_).max() < 1e-12
    assert np.isfinite(model.predict_proba(X)).all()
