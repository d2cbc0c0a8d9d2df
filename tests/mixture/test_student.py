"""Mixtures of t distributions against direct maximisation, and their robustness."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp
from scipy.stats import multivariate_t, t

from statlearn._core.warnings import CollapseWarning
from statlearn.mixture import GaussianMixture, StudentTMixture
from statlearn.mixture._normal import COVARIANCE_TYPES, NormalParameters
from statlearn.mixture._student import DOF_HIGH, best_dof
from tests.helpers import assert_close


def heavy(rng, n=300, p=2):
    y = np.arange(n) % 2
    return 8.0 * y[:, None] + rng.standard_t(4, size=(n, p)), y


def test_one_component_reaches_the_maximum_of_the_likelihood(rng):
    x = 2.0 + 1.5 * rng.standard_t(5, size=400)
    model = StudentTMixture(reg_covar=0, tol=1e-13, max_iter=20_000).fit(x[:, None])

    def negative(v):
        return -t.logpdf(x, np.exp(v[0]), v[1], np.exp(v[2])).sum()

    start = [np.log(model.dof_[0]), model.means_[0, 0], 0.5 * np.log(model.covariances_[0, 0, 0])]
    assert_close(-negative(start), model.log_likelihood_)
    found = minimize(negative, np.array(start) + 0.05, method="BFGS", options={"gtol": 1e-6})
    assert_close(model.log_likelihood_, -found.fun, rtol=1e-8)
    assert_close(start, found.x, atol=1e-3)


@pytest.mark.parametrize("kind", COVARIANCE_TYPES)
@pytest.mark.parametrize("options", [{}, {"dof": 4.0}, {"shared_dof": True}])
def test_likelihood_rises_to_the_sum_of_log_densities(kind, options, rng):
    X, _ = heavy(rng)
    model = StudentTMixture(
        2, covariance_type=kind, reg_covar=0, random_state=0, tol=1e-6, max_iter=5000, **options
    ).fit(X)
    assert np.all(np.diff(model.lower_bound_history_) >= -1e-7)
    S = model._parameters().full_covariances()
    terms = [
        np.log(w) + multivariate_t(m, s, df=nu).logpdf(X)
        for w, m, s, nu in zip(model.weights_, model.means_, S, model.dof_)
    ]
    assert_close(logsumexp(terms, axis=0).sum(), model.log_likelihood_)
    assert_close(model.score_samples(X).sum(), model.log_likelihood_)
    if options.get("shared_dof"):
        assert model.dof_[0] == model.dof_[1]
    extra = {"full": 6, "tied": 3, "diag": 4, "spherical": 2}[kind] + 4 + 1
    assert model._n_parameters() == extra + (0 if "dof" in options else 1 if options else 2)


def test_outliers_move_a_normal_mixture_more(rng):
    X, y = heavy(rng)
    spoilt = np.vstack([X, rng.uniform(-60, 60, size=(12, 2))])
    start = dict(means_init=[[0, 0], [8, 8]], init_params="random", random_state=0, max_iter=2000)
    robust, normal = StudentTMixture(2, **start).fit(spoilt), GaussianMixture(2, **start).fit(spoilt)

    def error(model):
        return np.abs(np.sort(model.means_[:, 0]) - [0, 8]).max()

    assert error(robust) < 0.5 < error(normal)
    assert np.mean(robust.predict(X) == (y if robust.means_[0, 0] < 4 else 1 - y)) > 0.95


def test_many_degrees_of_freedom_are_normal(rng):
    X = rng.normal(size=(200, 2))
    student = StudentTMixture(dof=1e7, tol=1e-10, max_iter=500, reg_covar=0).fit(X)
    normal = GaussianMixture(reg_covar=0).fit(X)
    assert_close(student.means_, normal.means_, rtol=1e-5, atol=1e-6)
    assert_close(student.covariances_, normal.covariances_, rtol=1e-4)
    assert best_dof(-1.0) == DOF_HIGH


@pytest.mark.parametrize("p", [2, 4])
@pytest.mark.parametrize("dof", [0.7, 39.9, 40.1, 1e3, 1e5, 1e8])
def test_the_density_keeps_its_digits_for_any_degrees_of_freedom(dof, p):
    """In an even number of columns the gamma functions of the density cancel to a product."""
    parameters = NormalParameters.of("full", np.ones(1), np.zeros((1, p)), np.eye(p)[None], np.array([dof]))
    product = np.prod([1.0 + 2.0 * k / dof for k in range(p // 2)])
    assert_close(parameters.log_scale(), np.log(product) - p / 2 * np.log(2 * np.pi), rtol=1e-14, atol=0)


def test_squarem_and_missing_cells(rng):
    X, _ = heavy(rng)
    X[rng.random(X.shape) < 0.1] = np.nan
    start = dict(random_state=0, tol=1e-9, max_iter=20_000, reg_covar=0)
    plain = StudentTMixture(2, **start).fit(X)
    fast = StudentTMixture(2, acceleration="squarem", **start).fit(X)
    assert np.all(np.diff(plain.lower_bound_history_) >= -1e-7)
    assert_close(fast.log_likelihood_, plain.log_likelihood_, rtol=1e-6)
    assert fast.n_iter_ < plain.n_iter_
    assert not np.isnan(plain.impute(X)).any()


def test_conditional_times_marginal_is_joint(rng):
    X, _ = heavy(rng, p=3)
    model = StudentTMixture(2, random_state=0, max_iter=1000).fit(X)
    x = X[4]
    given, marginal = model.condition([0, 2], x[[0, 2]]), model.marginal([0, 2])
    assert_close(given.dof_, model.dof_ + 2)
    total = given.score_samples([[x[1]]])[0] + marginal.score_samples(x[None, [0, 2]])[0]
    assert_close(total, model.score_samples(x[None])[0])


def test_samples_have_the_right_tails(rng):
    model = StudentTMixture(dof=5.0, random_state=0).fit(rng.normal(size=(100, 1)))
    draws, _ = model.sample(60_000)
    z = (draws[:, 0] - model.means_[0, 0]) / np.sqrt(model.covariances_[0, 0, 0])
    for q in (0.9, 0.99):
        assert_close(np.quantile(z, q), t.ppf(q, 5), rtol=0.08)


def test_few_degrees_of_freedom_have_finite_samples(rng):
    model = StudentTMixture(dof=0.001, tol=1e-2, random_state=0).fit(rng.normal(size=(30, 2)))
    assert np.all(np.isfinite(model.sample(200)[0]))


@pytest.mark.parametrize("covariance_type", ["full", "tied"])
def test_random_rows_of_a_density_that_float32_makes_singular(covariance_type, seed):
    X = np.random.default_rng(seed).normal(size=(5, 30)).astype(np.float32)
    with pytest.warns(CollapseWarning):
        model = StudentTMixture(1, covariance_type=covariance_type, random_state=0).fit(X)
    assert np.isfinite(model.sample(20)[0]).all()
    parameters = model._parameters()
    lower, covariance = parameters.lower_factors()[0], parameters.full_covariances()[0]
    # float32 has seven digits
    assert_close(lower @ lower.T, covariance, rtol=0, atol=1e-4 * np.abs(covariance).max())
