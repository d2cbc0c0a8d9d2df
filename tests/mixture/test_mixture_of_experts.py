"""Mixtures of experts, flat and in a tree."""

import numpy as np
import pytest
from scipy.special import log_softmax, logsumexp, softmax
from scipy.stats import norm

from statlearn.linear import LinearRegression, LogisticRegression
from statlearn.mixture import (
    HierarchicalMixtureOfExperts,
    HierarchicalMixtureOfExpertsClassifier,
    MixtureOfExperts,
    MixtureOfExpertsClassifier,
)
from statlearn.mixture._experts import weighted_slices
from tests.helpers import assert_close


def kink(rng, n=200):
    x = rng.uniform(-1, 1, size=n)
    return x[:, None], np.where(x < 0.2, -x, 2 * x - 0.6) + 0.05 * rng.normal(size=n)


def rings(rng, n=240):
    X = rng.normal(size=(n, 2))
    return X, np.where(np.abs(X[:, 0]) < 0.8, "in", "out")


@pytest.mark.spec("MIX-09")
def test_finds_both_pieces_of_a_kinked_line(rng):
    X, y = kink(rng)
    model = MixtureOfExperts(2, random_state=0).fit(X, y)
    assert_close(np.sort(model.coef_.ravel()), [-1.0, 2.0], atol=0.1)
    assert_close(np.sqrt(model.variance_), [0.05, 0.05], atol=0.015)
    gates = model.gate_proba(X)
    assert_close(gates.sum(axis=1), np.ones(len(X)))
    assert model.score(X, y) > 0.98 > LinearRegression().fit(X, y).score(X, y)


@pytest.mark.spec("MIX-09")
def test_likelihood_prediction_and_responsibilities_match_the_formula(rng):
    X, y = kink(rng)
    X = np.column_stack([X, rng.normal(size=len(X))])
    model = MixtureOfExperts(3, random_state=0, tol=1e-6).fit(X, y)
    gates = softmax(model.gate_intercept_ + X @ model.gate_coef_.T, axis=1)
    means = model.intercept_ + X @ model.coef_.T
    assert_close(model.predict(X), (gates * means).sum(axis=1))
    assert_close(model.predict_experts(X), means)
    joint = np.log(gates) + norm.logpdf(y[:, None], means, np.sqrt(model.variance_))
    rows = logsumexp(joint, axis=1)
    assert_close(model.log_density(X, y), rows)
    assert_close(model.log_likelihood_, rows.sum())
    assert_close(model.responsibilities(X, y), np.exp(joint - rows[:, None]), atol=1e-9)
    free = 2 * 3 + 3 * 4
    assert_close(model.bic(X, y), -2 * rows.sum() + free * np.log(len(y)))
    assert_close(model.aic(X, y), -2 * rows.sum() + 2 * free)


@pytest.mark.spec("MIX-09", "MIX-10", "MIX-P1")
@pytest.mark.parametrize("acceleration", [None, "squarem"])
def test_the_penalised_likelihood_never_falls(acceleration, seed):
    rng = np.random.default_rng(seed)
    X, y = kink(rng, n=120)
    labels = np.where(y > np.median(y), 1, 0)
    models = [
        MixtureOfExperts(3, random_state=0, acceleration=acceleration).fit(X, y),
        HierarchicalMixtureOfExperts((2, 2), random_state=0, acceleration=acceleration).fit(X, y),
        MixtureOfExpertsClassifier(2, random_state=0, acceleration=acceleration).fit(X, labels),
    ]
    for model in models:
        assert model.converged_
        assert np.all(np.diff(model.lower_bound_history_) >= -1e-7 * (1 + abs(model.log_likelihood_)))


@pytest.mark.spec("MIX-09")
def test_no_small_change_of_the_gates_or_experts_is_better(rng):
    X, y = kink(rng, n=100)
    model = MixtureOfExperts(2, random_state=0, tol=1e-11, max_iter=20_000).fit(X, y)
    scale = X.std(axis=0)

    def objective(gate, gate_b, coef, b, variance):
        logs = log_softmax(gate_b + X @ gate.T, axis=1) + norm.logpdf(y[:, None], b + X @ coef.T, np.sqrt(variance))
        return logsumexp(logs, axis=1).sum() - 0.5e-3 * np.sum((gate * scale) ** 2)

    found = [model.gate_coef_, model.gate_intercept_, model.coef_, model.intercept_, model.variance_]
    best = objective(*found)
    assert_close(best, model.lower_bound_history_[-1])
    for _ in range(10):
        moved = [a * (1 + 1e-3 * rng.normal(size=a.shape)) for a in found]
        moved[0][0] = moved[1][0] = 0.0  # the first branch is the reference
        assert objective(*moved) < best


@pytest.mark.spec("MIX-P8")
def test_one_expert_is_least_squares_or_logistic_regression(rng):
    X = rng.normal(size=(80, 2))
    y = X @ [1.0, -2.0] + 0.5 + rng.normal(size=80)
    plain = LinearRegression().fit(X, y)
    for model in (MixtureOfExperts(1).fit(X, y), HierarchicalMixtureOfExperts((1, 1)).fit(X, y)):
        assert_close(model.coef_[0], plain.coef_)
        assert_close(model.intercept_[0], plain.intercept_)
        assert_close(model.variance_[0], np.mean((y - plain.predict(X)) ** 2))
    labels = (y + rng.normal(size=80) > 0).astype(int)
    logistic = LogisticRegression(C=np.inf, tol=1e-9).fit(X, labels)
    for model in (
        MixtureOfExpertsClassifier(1, alpha=0.0, tol=1e-9).fit(X, labels),
        HierarchicalMixtureOfExpertsClassifier((1,), alpha=0.0, tol=1e-9).fit(X, labels),
    ):
        assert_close(model.coef_[0], logistic.coef_, rtol=1e-5)
        assert_close(model.predict_proba(X), logistic.predict_proba(X), rtol=1e-5)


@pytest.mark.spec("MIX-10", "MIX-P8")
def test_one_branch_at_the_root_is_a_flat_mixture(rng):
    X, y = kink(rng)
    flat = MixtureOfExperts(3, n_init=1, tol=1e-8).fit(X, y)
    for branching in ((1, 3), (3, 1)):
        tree = HierarchicalMixtureOfExperts(branching, n_init=1, tol=1e-8).fit(X, y)
        assert_close(tree.coef_, flat.coef_, rtol=1e-6)
        assert_close(tree.log_likelihood_, flat.log_likelihood_)
        assert_close(tree.gate_proba(X), flat.gate_proba(X), atol=1e-8)
    labels = np.where(y > 0.4, "high", "low")
    a = MixtureOfExpertsClassifier(2, n_init=1, tol=1e-7).fit(X, labels)
    b = HierarchicalMixtureOfExpertsClassifier((1, 2), n_init=1, tol=1e-7).fit(X, labels)
    assert_close(a.predict_proba(X), b.predict_proba(X), atol=1e-7)


@pytest.mark.spec("MIX-10", "MIX-P8")
def test_branches_of_every_node_sum_to_one_and_multiply_to_the_leaves(rng):
    X = rng.normal(size=(150, 2))
    y = np.abs(X[:, 0]) + np.maximum(X[:, 1], 0) + 0.1 * rng.normal(size=150)
    model = HierarchicalMixtureOfExperts((2, 3), random_state=0).fit(X, y)
    top, below = model.branch_proba(X)
    assert top.shape == (150, 1, 2)
    assert below.shape == (150, 2, 3)
    assert_close(top.sum(axis=2), np.ones((150, 1)))
    assert_close(below.sum(axis=2), np.ones((150, 2)))
    assert_close((top[:, 0, :, None] * below).reshape(150, 6), model.gate_proba(X))
    assert model.coef_.shape == (6, 2)
    assert model.gate_coef_[1].shape == (2, 3, 2)
    assert model.score(X, y) > 0.95


@pytest.mark.spec("MIX-P8")
def test_steep_gates_divide_the_space_like_a_tree():
    x = np.linspace(0, 4, 400)
    y = np.select([x < 1, x < 2, x < 3], [0.0, 3.0, 1.0], 5.0)
    model = HierarchicalMixtureOfExperts(
        (2, 2), alpha=0.0, responsibilities_init=np.minimum(x.astype(int), 3), max_iter=60, tol=1e-3
    )
    model.fit(x[:, None], y)
    leaf = model.gate_proba(x[:, None])
    assert np.mean(leaf.max(axis=1) > 0.99) > 0.97
    np.testing.assert_array_equal(leaf.argmax(axis=1)[[50, 150, 250, 350]], [0, 1, 2, 3])
    assert np.mean(np.abs(model.predict(x[:, None]) - y) < 0.05) > 0.97


@pytest.mark.spec("MIX-09", "MIX-10")
@pytest.mark.parametrize("make", [MixtureOfExpertsClassifier, HierarchicalMixtureOfExpertsClassifier])
def test_several_logistic_experts_learn_more_than_one(make, rng):
    X, y = rings(rng)
    model = make(random_state=0).fit(X, y)
    assert model.score(X, y) > 0.93 > LogisticRegression().fit(X, y).score(X, y)
    P = model.predict_proba(X)
    assert_close(P.sum(axis=1), np.ones(len(X)))
    assert_close(model.log_density(X, y), np.log(P[np.arange(len(y)), (y == "out").astype(int)]))
    assert list(model.classes_) == ["in", "out"]
    three = np.where(X[:, 1] > 1, "up", y)
    many = make(random_state=0).fit(X, three)
    assert many.predict_proba(X).shape == (len(X), 3)
    assert many.score(X, three) > 0.85


@pytest.mark.spec("MIX-09")
def test_weights_are_copies(rng):
    X, y = kink(rng, n=90)
    weights = rng.integers(0, 4, size=90)
    rows = np.repeat(np.arange(90), weights)
    a = MixtureOfExperts(2, random_state=0, tol=1e-9).fit(X, y, sample_weight=weights)
    b = MixtureOfExperts(2, random_state=0, tol=1e-9).fit(X[rows], y[rows])
    assert_close(a.predict(X), b.predict(X), rtol=1e-5, atol=1e-6)
    assert_close(weighted_slices(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 2.0]), 2), [1, 0, 1])


def test_bad_input_raises(rng):
    X, y = kink(rng, n=30)
    for make, message in [
        (lambda: MixtureOfExperts(40).fit(X, y), "number of experts"),
        (lambda: HierarchicalMixtureOfExperts(()).fit(X, y), "`branching` must hold"),
        (lambda: HierarchicalMixtureOfExperts((2, 0)).fit(X, y), "`branching` must hold"),
        (lambda: MixtureOfExperts(2, responsibilities_init=np.full(30, 2)).fit(X, y), "expert numbers from 0 to 1"),
        (lambda: MixtureOfExpertsClassifier(2).fit(X, np.ones(30)), "at least 2 classes"),
        (lambda: MixtureOfExpertsClassifier(2).fit(X, y > 0.3).log_density(X, np.full(30, 7)), "was not seen in fit"),
    ]:
        with pytest.raises(ValueError, match=message):
            make()
