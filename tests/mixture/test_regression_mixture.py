"""Mixtures of linear and logistic regressions."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logsumexp
from scipy.stats import norm

from statlearn.linear import LinearRegression, LogisticRegression
from statlearn.mixture import LinearRegressionMixture, LogisticRegressionMixture
from tests.helpers import assert_close


def lines():
    """Two crossing lines with smooth errors; every third row follows the second."""
    x = np.linspace(-1, 1, 60)
    group = np.tile([0, 1, 0], 20)
    y = np.where(group == 0, 2 * x + 0.3 * np.sin(37 * x), 1 - x + 0.2 * np.cos(51 * x))
    return x[:, None], y, group


def test_reaches_the_maximum_of_the_likelihood():
    X, y, group = lines()
    x = X[:, 0]
    model = LinearRegressionMixture(2, responsibilities_init=group, tol=1e-13, max_iter=10_000).fit(X, y)

    def negative(v):
        share = expit(v[0])
        a = np.log(share) + norm.logpdf(y, v[1] + v[2] * x, np.exp(v[3]))
        b = np.log1p(-share) + norm.logpdf(y, v[4] + v[5] * x, np.exp(v[6]))
        return -np.logaddexp(a, b).sum()

    w, sd = model.weights_, np.sqrt(model.variance_)
    here = [np.log(w[0] / w[1])]
    for k in range(2):
        here += [model.intercept_[k], model.coef_[k, 0], np.log(sd[k])]
    assert_close(-negative(np.array(here)), model.log_likelihood_)
    found = minimize(negative, np.array(here) + 0.02, method="BFGS", options={"gtol": 1e-7})
    assert_close(-found.fun, model.log_likelihood_, rtol=1e-9)
    assert_close(here, found.x, atol=1e-4)


def test_close_to_flexmix():
    """R, flexmix 2.3.18: flexmix(y ~ x, k = 2, cluster = g + 1, control = list(tol = 1e-12, minprior = 0)).

    flexmix divides the residual sum of squares by n - 2 instead of n, so that its optimum differs slightly."""
    X, y, group = lines()
    model = LinearRegressionMixture(2, responsibilities_init=group, tol=1e-12, max_iter=10_000).fit(X, y)
    assert_close(model.weights_, [0.6650818329, 0.3349181671], atol=0.004)
    assert_close(model.intercept_, [0.0002653194, 1.0091083721], atol=0.01)
    assert_close(model.coef_.ravel(), [1.9856387587, -1.0063343618], atol=0.01)


def test_random_starts_find_the_same_lines(seed):
    X, y, group = lines()
    model = LinearRegressionMixture(2, random_state=seed, tol=1e-9).fit(X, y)
    best = LinearRegressionMixture(2, responsibilities_init=group, tol=1e-9).fit(X, y)
    assert_close(model.log_likelihood_, best.log_likelihood_, rtol=1e-5)
    labels = model.responsibilities(X, y).argmax(axis=1)
    assert max(np.mean(labels == group), np.mean(labels != group)) > 0.8
    assert np.all(np.diff(model.lower_bound_history_) >= -1e-9)
    assert_close(model.gate_proba(X), np.tile(model.weights_, (60, 1)))
    assert_close(model.predict(X), model.predict_experts(X) @ model.weights_)
    assert model._n_parameters() == 1 + 2 * 3


def test_one_component_is_a_regression(rng):
    X = rng.normal(size=(50, 2))
    y = X @ [1.0, 2.0] + rng.normal(size=50)
    one, plain = LinearRegressionMixture(1).fit(X, y), LinearRegression().fit(X, y)
    assert_close(one.coef_[0], plain.coef_)
    labels = (y + rng.normal(size=50) > 0).astype(int)
    logistic = LogisticRegressionMixture(1, alpha=0.0, tol=1e-10).fit(X, labels)
    assert_close(logistic.coef_[0], LogisticRegression(C=np.inf, tol=1e-9).fit(X, labels).coef_, rtol=1e-4)


def test_logistic_regressions_in_one_sample(rng):
    n = 4000
    X, group = rng.normal(size=(n, 2)) * [2.0, 2.0], rng.integers(0, 2, size=n)
    odds = np.where(group == 0, 3 * X[:, 0], -3 * X[:, 0] + 3 * X[:, 1])
    y = (rng.random(n) < expit(odds)).astype(int)
    model = LogisticRegressionMixture(2, random_state=0, n_init=2, acceleration="squarem").fit(X, y)
    single = LogisticRegression().fit(X, y)
    P = model.predict_proba(X)
    assert_close(P.sum(axis=1), np.ones(n))
    assert model.log_likelihood_ > np.log(single.predict_proba(X)[np.arange(n), y]).sum() + 50
    each = model.predict_experts(X)[:, :, 1]
    assert_close(P[:, 1], each @ model.weights_)
    joint = np.log(model.weights_) + np.log(np.where(y[:, None] == 1, each, 1 - each))
    assert_close(model.log_likelihood_, logsumexp(joint, axis=1).sum(), rtol=1e-6)
    assert np.all(np.diff(model.lower_bound_history_) >= -1e-6)


def test_weights_are_copies(rng):
    X, y, _ = lines()
    weights = rng.integers(0, 3, size=60)
    rows = np.repeat(np.arange(60), weights)
    a = LinearRegressionMixture(2, random_state=0, tol=1e-9).fit(X, y, sample_weight=weights)
    b = LinearRegressionMixture(2, random_state=0, tol=1e-9).fit(X[rows], y[rows])
    assert_close(a.predict(X), b.predict(X), rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match="number of experts"):
        LinearRegressionMixture(4).fit(X[:3], y[:3])
