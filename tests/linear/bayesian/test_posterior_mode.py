"""Posterior modes for every noise and prior."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats
from sklearn.exceptions import ConvergenceWarning

from statlearn.linear import LADRegressor, Lasso, LinearRegression, MAPRegressor, Ridge, StudentTRegressor
from tests.helpers import assert_close

LIKELIHOODS, PRIORS = ["gaussian", "laplace", "student"], ["flat", "gaussian", "laplace"]


def problem(rng, n=40, p=3):
    X = rng.normal(size=(n, p)) + 0.5
    return X, X @ np.array([2.0, -1.0, 0.1])[:p] + rng.standard_t(3, size=n) + 1.0


def neg_log_posterior(X, y, w, b, likelihood, prior, sigma, tau, df):
    """From scipy's densities, constants included."""
    noise = {"gaussian": stats.norm(0, sigma), "laplace": stats.laplace(0, sigma), "student": stats.t(df, 0, sigma)}
    slopes = {"gaussian": stats.norm(0, tau), "laplace": stats.laplace(0, tau)}
    value = -noise[likelihood].logpdf(y - b - X @ w).sum()
    return value if prior == "flat" else value - slopes[prior].logpdf(w).sum()


def kernels(likelihood, prior, sigma, tau, df):
    """Minus the logarithms of the unnormalised densities, fast enough for an optimiser."""
    noise = {
        "gaussian": lambda r: np.sum(r**2) / (2 * sigma**2),
        "laplace": lambda r: np.sum(np.abs(r)) / sigma,
        "student": lambda r: (df + 1) / 2 * np.sum(np.log(1 + (r / sigma) ** 2 / df)),
    }
    slopes = {
        "flat": lambda w: 0.0,
        "gaussian": lambda w: np.sum(w**2) / (2 * tau**2),
        "laplace": lambda w: np.sum(np.abs(w)) / tau,
    }
    return noise[likelihood], slopes[prior]


@pytest.mark.spec("LIN-33", "LIN-P20")
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_the_fit_is_the_numerical_mode_of_the_posterior(likelihood, prior, rng):
    X, y = problem(rng)
    sigma, tau, df = 0.8, 0.4, 3.0
    model = MAPRegressor(likelihood, prior, noise_scale=sigma, prior_scale=tau, df=df).fit(X, y)

    noise, slopes = kernels(likelihood, prior, sigma, tau, df)

    def value(z):
        return noise(y - z[0] - X @ z[1:]) + slopes(z[1:])

    at = np.append(model.intercept_, model.coef_)
    assert_close(model.objective_, value(at))
    for start in (at + 0.05, np.zeros(4)):
        found = optimize.minimize(value, start, method="Powell", options={"xtol": 1e-8, "ftol": 1e-12})
        assert model.objective_ <= found.fun + 1e-6
    for step in rng.normal(size=(100, 4)) * rng.choice([1e-4, 1e-2], size=(100, 1)):
        assert value(at + step) >= model.objective_ - 1e-9
    # The kernels leave out constants only: differences are those of the log-posterior.
    settings_ = (likelihood, prior, sigma, tau, df)
    full = [neg_log_posterior(X, y, z[1:], z[0], *settings_) for z in (at, np.ones(4))]
    assert_close(full[1] - full[0], value(np.ones(4)) - value(at), atol=1e-8)


@pytest.mark.spec("LIN-33", "LIN-P20")
@given(st.integers(0, 2**31), st.floats(0.2, 3.0), st.floats(0.2, 3.0))
def test_penalties_follow_from_the_scales(seed, sigma, tau):
    rng = np.random.default_rng(seed)
    X, y = problem(rng)
    scales = {"noise_scale": sigma, "prior_scale": tau}
    ridge = MAPRegressor("gaussian", "gaussian", **scales).fit(X, y)
    assert ridge.penalty_ == pytest.approx(sigma**2 / tau**2)
    assert_close(ridge.coef_, Ridge(sigma**2 / tau**2).fit(X, y).coef_)
    lasso = MAPRegressor("gaussian", "laplace", **scales).fit(X, y)
    assert lasso.penalty_ == pytest.approx(2 * sigma**2 / tau)
    expected = Lasso(2 * sigma**2 / tau, penalty_scale="rss", tol=1e-10).fit(X, y)
    assert_close(lasso.coef_, expected.coef_, atol=1e-6)
    assert_close(MAPRegressor("gaussian", "flat", **scales).fit(X, y).coef_, LinearRegression().fit(X, y).coef_)
    lad = LADRegressor().fit(X, y)
    fit = MAPRegressor("laplace", "flat", **scales).fit(X, y)
    assert_close(np.abs(y - fit.predict(X)).sum(), np.abs(y - lad.predict(X)).sum())


@pytest.mark.spec("LIN-33")
def test_student_noise_with_its_own_scale(rng):
    X, y = problem(rng)
    reference = StudentTRegressor(4.0).fit(X, y)
    free = MAPRegressor("student", "flat", noise_scale=None).fit(X, y)
    assert_close(free.coef_, reference.coef_)
    assert free.noise_scale_ == pytest.approx(reference.scale_)
    # At that scale the fixed-scale fit is the same.
    fixed = MAPRegressor("student", "flat", noise_scale=float(reference.scale_)).fit(X, y)
    assert_close(fixed.coef_, reference.coef_, atol=1e-6)
    assert fixed.solver_ == "reweighted LinearRegression"
    penalised = MAPRegressor("student", "gaussian", noise_scale=None, prior_scale=0.1).fit(X, y)
    fixed = MAPRegressor("student", "gaussian", noise_scale=penalised.noise_scale_, prior_scale=0.1).fit(X, y)
    assert_close(fixed.coef_, penalised.coef_, atol=1e-6)
    for likelihood, prior in (("gaussian", "flat"), ("laplace", "flat"), ("student", "laplace")):
        with pytest.raises(ValueError, match="noise_scale=None"):
            MAPRegressor(likelihood, prior, noise_scale=None).fit(X, y)


@pytest.mark.parametrize("prior", PRIORS)
def test_many_degrees_of_freedom_approach_gaussian_noise(prior, rng):
    X, y = problem(rng)
    student = MAPRegressor("student", prior, df=1e9).fit(X, y)
    assert_close(student.coef_, MAPRegressor("gaussian", prior).fit(X, y).coef_, atol=1e-5)


@pytest.mark.parametrize("likelihood", ["laplace", "student"])
def test_outliers_move_heavy_tailed_noise_less(likelihood, rng):
    X, y = problem(rng)
    spoiled = y.copy()
    spoiled[0] += 100
    shift = {}
    for name in ("gaussian", likelihood):
        fits = [MAPRegressor(name, "gaussian").fit(X, t) for t in (y, spoiled)]
        shift[name] = np.abs(fits[0].coef_ - fits[1].coef_).max()
    assert shift[likelihood] < 0.2 * shift["gaussian"]


@settings(max_examples=9)
@given(st.sampled_from(LIKELIHOODS), st.sampled_from(PRIORS), st.integers(0, 2**31))
def test_weights_are_copies(likelihood, prior, seed):
    rng = np.random.default_rng(seed)
    X, y = problem(rng, 20)
    weights = rng.integers(0, 3, 20)
    model = MAPRegressor(likelihood, prior).fit(X, y, weights)
    copies = MAPRegressor(likelihood, prior).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert_close(model.objective_, copies.objective_, rtol=1e-6)


def test_limit_of_steps_warns(rng):
    X, y = problem(rng)
    with pytest.warns(ConvergenceWarning, match="after 1 steps"):
        MAPRegressor("student", "gaussian", max_iter=1).fit(X, y)


@pytest.mark.spec("LIN-P23")
def test_lasso_wins_with_few_large_effects_and_ridge_with_many_small_ones():
    """Simulation: both priors with the right scale; the one that resembles the truth predicts better."""
    rng = np.random.default_rng(0)
    gain = {"few": [], "many": []}
    for _ in range(60):
        X = rng.normal(size=(60, 40))
        truth = {"few": np.r_[np.full(3, 2.0), np.zeros(37)], "many": rng.normal(0, 0.35, 40)}
        for kind, beta in truth.items():
            y = X @ beta + rng.normal(size=60)
            ridge = MAPRegressor("gaussian", "gaussian", prior_scale=np.sqrt(np.mean(beta**2))).fit(X, y)
            lasso = MAPRegressor("gaussian", "laplace", prior_scale=np.mean(np.abs(beta))).fit(X, y)
            error = [np.sum((m.coef_ - beta) ** 2) for m in (ridge, lasso)]  # the excess test error for X ~ N(0, I)
            gain[kind].append(error[0] - error[1])
    few, many = (np.array(gain[k]) for k in ("few", "many"))
    assert few.mean() > 4 * few.std() / np.sqrt(60)
    assert -many.mean() > 4 * many.std() / np.sqrt(60)


@pytest.mark.parametrize("likelihood", ["gaussian", "laplace", "student"])
@pytest.mark.parametrize("name", ["noise_scale", "prior_scale"])
def test_scales_whose_squares_vanish_are_refused(likelihood, name):
    with pytest.raises(ValueError, match=name):
        MAPRegressor(likelihood=likelihood, **{name: 1e-300}).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 3.0])
