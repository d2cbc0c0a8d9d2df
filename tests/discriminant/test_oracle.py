"""The Bayes classifier of known densities."""

import numpy as np
import pytest
from scipy.stats import expon, multivariate_normal, norm

from statlearn.discriminant import (
    BayesClassifier,
    DiagonalLDA,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
    lda_error_rate,
)
from tests.helpers import assert_close


@pytest.mark.spec("DIS-16")
def test_quadrature_equals_the_theory():
    for delta, prior in ((2.0, 0.5), (1.0, 0.2)):
        oracle = BayesClassifier([norm(0, 1), norm(delta, 1)], priors=[prior, 1 - prior])
        assert_close(float(oracle.error_rate()), lda_error_rate(delta, priors=[prior, 1 - prior]), atol=1e-9)
    S = np.array([[1.0, 0.5], [0.5, 2.0]])
    means = np.array([[0.0, 0.0], [2.0, 1.0]])
    oracle = BayesClassifier([multivariate_normal(m, S) for m in means])
    assert_close(oracle.error_rate().error, lda_error_rate(means=means, covariance=S), atol=1e-12)
    box = [(-10, 12), (-14, 15)]
    assert_close(oracle.error_rate(bounds=box).error, lda_error_rate(means=means, covariance=S), atol=1e-7)
    # two exponentials: the densities cross at log 4 / 3
    cross = np.log(4) / 3
    oracle = BayesClassifier([expon(), expon(scale=0.25)])
    assert_close(float(oracle.error_rate()), 0.5 * (1 - np.exp(-cross)) + 0.5 * np.exp(-4 * cross), atol=1e-8)


@pytest.mark.spec("DIS-16")
def test_monte_carlo_agrees_with_quadrature(seed):
    oracle = BayesClassifier([norm(0, 1), norm(1.5, 2), norm(-3, 1)], priors=[0.5, 0.3, 0.2])
    drawn = oracle.error_rate("monte_carlo", n_samples=20_000, random_state=seed)
    assert abs(drawn.error - oracle.error_rate().error) < 4.5 * drawn.std_error
    assert drawn.std_error > 0


@pytest.mark.spec("DIS-16")
def test_posteriors_and_functions(rng):
    oracle = BayesClassifier([norm(0, 1).logpdf, norm(1, 1)], priors=[0.25, 0.75], classes=["a", "b"])
    x = rng.normal(size=(20, 1))
    joint = np.column_stack([0.25 * norm.pdf(x, 0, 1), 0.75 * norm.pdf(x, 1, 1)])
    assert_close(oracle.predict_proba(x), joint / joint.sum(axis=1, keepdims=True))
    np.testing.assert_array_equal(oracle.predict(x), np.where(joint[:, 1] > joint[:, 0], "b", "a"))
    with pytest.raises(ValueError, match="no method `rvs`"):
        oracle.sample(5)
    with pytest.raises(ValueError, match="`bounds` must be given"):
        oracle.error_rate()
    assert_close(oracle.error_rate(bounds=[(-10, 12)]).error, lda_error_rate(1.0, priors=[0.25, 0.75]), atol=1e-8)
    with pytest.raises(ValueError, match="at least two classes"):
        BayesClassifier([norm()])
    with pytest.raises(ValueError, match="one entry per class"):
        BayesClassifier([norm(), norm()], priors=[1.0])
    with pytest.raises(TypeError, match="densities"):
        BayesClassifier([norm(), 3.0])


@pytest.mark.spec("DIS-P13")
def test_no_fitted_rule_beats_it(seed):
    means = [[0, 0], [1.5, 0.5], [0, 2]]
    covariances = [np.eye(2), [[1, 0.7], [0.7, 1]], [[2, 0], [0, 0.5]]]
    oracle = BayesClassifier([multivariate_normal(m, S) for m, S in zip(means, covariances)], priors=[0.5, 0.3, 0.2])
    X, y = oracle.sample(300, random_state=seed)
    X_test, y_test = oracle.sample(40_000, random_state=seed + 1)
    right = oracle.predict(X_test) == y_test
    for rule in (
        LinearDiscriminantAnalysis(),
        QuadraticDiscriminantAnalysis(),
        DiagonalLDA(),
        RegularizedDiscriminantAnalysis(0.5, 0.1),
    ):
        gap = right.astype(float) - (rule.fit(X, y).predict(X_test) == y_test)
        assert gap.mean() > -3 * gap.std() / np.sqrt(len(gap))
    assert abs(1 - right.mean() - oracle.error_rate().error) < 4.5 * np.sqrt(0.25 / len(y_test))


def test_summary_states_the_bayes_error():
    summary = BayesClassifier([norm(0, 1), norm(loc=2)], priors=[0.3, 0.7], classes=["a", "b"]).summary()
    assert summary.table.columns["density"] == ["norm(0, 1)", "norm(loc=2)"]
    assert_close(summary.facts["error"], lda_error_rate(2.0, priors=[0.3, 0.7]), atol=1e-8)
    assert_close(summary.facts["error_without_data"], 0.3)
    assert "in closed form" in str(summary)
    assert "Standard error" not in str(summary)
    three = BayesClassifier([multivariate_normal(np.full(3, m), (1 + 1e-4 * m) * np.eye(3)) for m in (0.0, 1.0)])
    facts = three.summary(n_samples=5000, random_state=0).facts
    assert abs(facts["error"] - lda_error_rate(np.sqrt(3))) < 4.5 * facts["std_error"]
    unknown = BayesClassifier([lambda X: -np.sum(X**2, axis=1), lambda X: -np.sum((X - 1) ** 2, axis=1)]).summary()
    assert "error" not in unknown.facts
    assert "`bounds`" in str(unknown)


@pytest.mark.spec("CRS-08")
def test_gaussians_with_equal_covariances_have_the_closed_form():
    plane = [multivariate_normal([0, 0], np.eye(2)), multivariate_normal([2, 0], np.eye(2))]
    rate = BayesClassifier(plane).error_rate()
    assert_close(rate.error, 0.15865525393145707, atol=1e-12)
    assert (rate.std_error, rate.method) == (0.0, "closed form")
    S = np.diag([1.0, 2.0, 0.5]) + 0.2
    priors, means = [0.1, 0.9], [[0.0, 0, 1], [1.0, 1, 0]]
    rate = BayesClassifier([multivariate_normal(m, S) for m in means], priors=priors).error_rate()
    assert_close(rate.error, lda_error_rate(means=means, covariance=S, priors=priors))
    line = BayesClassifier([norm(1, 2), norm(4, 2)], priors=priors).error_rate()
    assert_close(line.error, lda_error_rate(1.5, priors=priors))
    assert line.method == "closed form"


@pytest.mark.spec("CRS-08")
@pytest.mark.parametrize("scale", [0.3, 2.0])
def test_the_bound_of_quadrature_covers_its_error(scale):
    # Equal means and covariances I and s^2 I: the rule is a circle, so the error has a closed form.
    s2 = scale**2
    radius2 = 2 * np.log(s2) / (1 - 1 / s2)
    far, far_wide = np.exp(-radius2 / 2), np.exp(-radius2 / (2 * s2))  # beyond the circle, by class
    exact = 0.5 * (far + 1 - far_wide) if scale > 1 else 0.5 * (far_wide + 1 - far)
    rate = BayesClassifier([multivariate_normal([0, 0], np.eye(2)), multivariate_normal([0, 0], s2 * np.eye(2))])
    rate = rate.error_rate()
    assert rate.method == "quadrature"
    assert abs(rate.error - exact) <= rate.std_error < 1e-4
    # In one column, with a part of the probability outside the range.
    cross = np.log(4) / 3
    exact = 0.5 * (1 - np.exp(-cross)) + 0.5 * np.exp(-4 * cross)
    oracle = BayesClassifier([expon(), expon(scale=0.25)])
    for bounds in (None, [(0.0, 3.0)]):
        rate = oracle.error_rate(bounds=bounds)
        assert abs(rate.error - exact) <= rate.std_error
    assert "quadrature" in str(oracle.summary())
