"""Hypothesis spaces, grid posteriors and closed-form fits."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from statlearn.bayes import (
    HypothesisSpace,
    fit_bernoulli,
    fit_gaussian,
    fit_linear_gaussian,
    grid_posterior,
    sample_posterior,
)
from tests.helpers import assert_close

PRIOR, CHERRY = [0.1, 0.2, 0.4, 0.2, 0.1], [1, 0.75, 0.5, 0.25, 0]


@pytest.mark.spec("BAY-15", "BAY-T5")
def test_one_cherry():
    bags = HypothesisSpace(PRIOR, CHERRY).update([1])
    assert_close(np.exp(np.log(PRIOR) + bags.log_likelihood_), [0.1, 0.15, 0.2, 0.05, 0.0], atol=1e-12)
    assert_close(bags.posterior, [0.2, 0.3, 0.4, 0.1, 0.0], atol=1e-12)
    assert bags.map_hypothesis() == 2
    assert bags.ml_hypothesis() == 0
    assert_close(bags.predict("map")[1], 0.5, atol=1e-12)
    assert_close(bags.predict("ml")[1], 1.0, atol=1e-12)
    assert_close(bags.predict()[1], 0.65, atol=1e-12)
    assert_close(bags.predict_likelihood(1), 0.65, atol=1e-12)
    lengths = bags.description_length()
    assert_close(lengths[:4], -np.log2([0.1, 0.15, 0.2, 0.05]))
    assert np.argmin(lengths) == bags.map_hypothesis()


@pytest.mark.spec("BAY-T6")
def test_limes_in_a_row():
    for k, next_lime, all_lime in [
        (1, 0.65, 0.2),
        (2, 0.7307692, 0.3076923),
        (3, 0.7960526, 0.4210526),
        (5, 0.8859756, 0.6243902),
        (10, 0.9730315, 0.8956278),
    ]:
        bags = HypothesisSpace(PRIOR, CHERRY).update([0] * k)
        assert_close(bags.predict()[0], next_lime, atol=1e-6)
        assert_close(bags.posterior[4], all_lime, atol=1e-6)


@pytest.mark.spec("BAY-P10")
@given(st.lists(st.integers(0, 1), min_size=1, max_size=12), st.lists(st.floats(0.05, 0.95), min_size=2, max_size=5))
def test_flat_prior_and_bounds_of_the_bayes_prediction(data, rates):
    space = HypothesisSpace(outcomes=rates).update(data)
    assert space.map_hypothesis() == space.ml_hypothesis()
    assert min(rates) - 1e-12 <= space.predict()[1] <= max(rates) + 1e-12
    steps = HypothesisSpace(outcomes=rates)
    for value in data:
        steps.update([value])
    assert_close(steps.posterior, space.posterior)


def test_any_likelihood_and_wrong_input():
    means = np.array([0.0, 1.0, 5.0])
    space = HypothesisSpace([0.2, 0.3, 0.5], likelihood=lambda x: stats.norm.pdf(x, means, 1.0))
    space.update([0.9, 1.2])
    joint = np.array([0.2, 0.3, 0.5]) * stats.norm.pdf(0.9, means) * stats.norm.pdf(1.2, means)
    assert_close(space.posterior, joint / joint.sum())
    assert_close(space.log_evidence_, np.log(joint.sum()))
    with pytest.raises(ValueError, match="sum to 1"):
        HypothesisSpace([0.5, 0.6], [0.1, 0.2])
    with pytest.raises(ValueError, match="not one of the outcomes"):
        HypothesisSpace(PRIOR, CHERRY).update([2])
    sure = HypothesisSpace([0.5, 0.5], [1.0, 1.0])
    with pytest.raises(ValueError, match="probability 0 under every hypothesis"):
        sure.update([0])
    assert_close(sure.posterior, 0.5)  # unchanged


@pytest.mark.spec("BAY-16")
def test_grid_posterior_of_a_coin_is_a_beta_distribution(seed):
    grid = np.linspace(0, 1, 4001)
    with np.errstate(divide="ignore"):
        posterior = grid_posterior(
            lambda p: 7 * np.log(p) + 3 * np.log(1 - p), grid, log_prior=lambda p: np.log(p) + np.log(1 - p)
        )
    exact = stats.beta(9, 5)
    assert_close(posterior.density, exact.pdf(grid), atol=1e-4)
    assert_close([posterior.mean, posterior.variance], [exact.mean(), exact.var()], atol=1e-6)
    assert_close(posterior.mode, 2 / 3, atol=2e-4)
    assert_close(posterior.interval(0.9), exact.ppf([0.05, 0.95]), atol=1e-4)
    assert_close(posterior.predictive(lambda p: p**2), exact.var() + exact.mean() ** 2, atol=1e-6)
    draws = sample_posterior(posterior, 4000, random_state=seed)
    assert stats.kstest(draws, exact.cdf).pvalue > 1e-4
    assert posterior.plot().lines
    with pytest.raises(ValueError, match="increasing"):
        grid_posterior(lambda p: 0.0, [0, 0, 1])
    with pytest.raises(ValueError, match="probability 0 at every point"):
        grid_posterior(lambda p: -np.inf, [0, 1, 2])


@pytest.mark.spec("BAY-17", "BAY-P11")
def test_closed_form_fits_maximise_the_likelihood(seed):
    rng = np.random.default_rng(seed)
    assert fit_bernoulli([1, 0, 1, 1, 0]) == 0.6
    x = rng.normal(size=40)
    assert_close(fit_gaussian(x), [x.mean(), x.var()])
    w = rng.integers(0, 4, 40)
    assert_close(fit_gaussian(x, w), fit_gaussian(np.repeat(x, w)))
    X = rng.normal(size=(40, 3)) + 5
    y = X @ [1.0, -2.0, 0.5] + rng.normal(size=40)
    model, ols = fit_linear_gaussian(X, y), sm.OLS(y, sm.add_constant(X)).fit()
    assert_close(np.r_[model.intercept, model.coef], ols.params)
    assert_close(model.variance, ols.ssr / 40)
    assert_close(model.logpdf(X, y).sum(), ols.llf)
    weighted, copies = fit_linear_gaussian(X, y, w), fit_linear_gaussian(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert_close(weighted.coef, copies.coef)
    assert_close(weighted.variance, copies.variance)
    with pytest.raises(ValueError, match="zeros and ones"):
        fit_bernoulli([0.5])


@pytest.mark.spec("CRS-63")
def test_likelihood_of_a_sequence_in_bits():
    space = HypothesisSpace(outcomes=[0.5, 0.6, 0.75])  # share of red
    bits = space.log_likelihoods([1, 0, 0, 1, 1], base=2)
    assert_close(bits, [-5.0, -4.8547530, -5.2451125], rtol=0, atol=1e-7)
    assert_close(space.likelihoods([1, 0, 0, 1, 1]), 2.0**bits)
    assert_close(space.likelihoods(1), [0.5, 0.6, 0.75])
    assert_close(space.update([1, 0, 0, 1, 1]).log_likelihood_, space.log_likelihoods([1, 0, 0, 1, 1]))
    assert_close(space.likelihoods([]), 1.0)
    assert HypothesisSpace(outcomes=[0.0, 1.0]).log_likelihoods([1])[0] == -np.inf
    gaussian = HypothesisSpace([0.5, 0.5], likelihood=lambda x: stats.norm([0.0, 1.0]).pdf(x))
    assert_close(gaussian.log_likelihoods([0.5, 2.0]), stats.norm([0.0, 1.0]).logpdf([[0.5], [2.0]]).sum(axis=0))
    with pytest.raises(ValueError, match="base"):
        space.log_likelihoods([1], base=1)
    with pytest.raises(ValueError, match="not one of the outcomes"):
        space.likelihoods([1, 2])
