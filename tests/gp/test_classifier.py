"""Gaussian process classification."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, optimize, special, stats
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessClassifier as Reference

from statlearn import gp, threads
from statlearn.gp import GaussianProcessClassifier
from statlearn.gp._laplace import LINKS
from tests.helpers import assert_close


def problem(rng, n=60, p=2):
    X = rng.normal(size=(n, p))
    return X, (np.sin(2 * X[:, 0]) + X[:, 1] + 0.5 * rng.normal(size=n) > 0).astype(int)


@pytest.mark.spec("GPR-14")
def test_it_agrees_with_scikit_learn(rng):
    X, y = problem(rng)
    kernel = 1.0 * gp.RBF([1.0, 1.0])
    ours, theirs = GaussianProcessClassifier(kernel).fit(X, y), Reference(kernel).fit(X, y)
    assert_close(ours.log_marginal_likelihood_value_, theirs.log_marginal_likelihood_value_, atol=1e-6)
    theta = theirs.kernel_.theta + 0.2
    value, gradient = ours.log_marginal_likelihood(theta, eval_gradient=True)
    value_ref, gradient_ref = theirs.log_marginal_likelihood(theta, eval_gradient=True)
    assert_close(value, value_ref, rtol=1e-8)
    assert_close(gradient, gradient_ref, atol=1e-6)
    same = GaussianProcessClassifier(theirs.kernel_, optimizer=None).fit(X, y)
    new = rng.normal(size=(20, 2)) * 2
    for a, b in zip(same.latent_mean_and_variance(new), theirs.latent_mean_and_variance(new)):
        assert_close(a, b, rtol=1e-5, atol=1e-8)
    # Their average of the logistic function is an approximation by five error functions.
    assert_close(same.predict_proba(new), theirs.predict_proba(new), atol=1e-3)
    assert np.array_equal(same.predict(new), theirs.predict(new))


@pytest.mark.spec("GPR-14", "GPR-P11")
@pytest.mark.parametrize("link", ["logistic", "probit"])
def test_the_mode_is_stationary_and_the_formulas_hold(link, rng):
    X, y = problem(rng, 40)
    kernel = 2.0 * gp.RBF(0.8)
    model = GaussianProcessClassifier(kernel, link=link, optimizer=None).fit(X, y)
    K, signs = kernel(X), np.where(y == 1, 1.0, -1.0)
    part = model.base_estimator_
    log_p = (
        (lambda f: np.log(special.expit(signs * f))) if link == "logistic" else lambda f: special.log_ndtr(signs * f)
    )
    step = 1e-5
    slope = (log_p(part.f + step) - log_p(part.f - step)) / (2 * step)
    assert_close(part.f, K @ slope, atol=1e-6)
    W = -(log_p(part.f + 1e-4) - 2 * log_p(part.f) + log_p(part.f - 1e-4)) / 1e-8
    assert_close(part.root**2, W, atol=1e-6)
    dense = np.eye(40) + np.sqrt(W)[:, None] * K * np.sqrt(W)
    value = log_p(part.f).sum() - 0.5 * part.f @ np.linalg.solve(K, part.f) - 0.5 * np.linalg.slogdet(dense)[1]
    assert_close(model.log_marginal_likelihood_value_, value, atol=1e-5)
    new = rng.normal(size=(8, 2))
    cross = kernel(new, X)
    mean, variance = model.latent_mean_and_variance(new)
    assert_close(mean, cross @ slope, atol=1e-6)
    assert_close(variance, 2.0 - np.einsum("ij,jk,ik->i", cross, np.linalg.inv(K + np.diag(1 / W)), cross), atol=1e-5)
    function = special.expit if link == "logistic" else special.ndtr
    expected = [
        integrate.quad(lambda z, m=m, s=s: function(m + s * z) * stats.norm.pdf(z), -9, 9)[0]
        for m, s in zip(mean, np.sqrt(variance))
    ]
    assert_close(model.predict_proba(new)[:, 1], expected, atol=1e-8)


@pytest.mark.spec("GPR-14", "GPR-P11")
@pytest.mark.parametrize("link", ["logistic", "probit"])
@given(seed=st.integers(0, 10**6))
def test_the_gradient_is_the_derivative(link, seed):
    rng = np.random.default_rng(seed)
    X, y = problem(rng, 15)
    y[:2] = 0, 1
    kernel = 1.5 * gp.Matern([0.7, 1.3], nu=2.5)
    model = GaussianProcessClassifier(kernel, link=link, optimizer=None).fit(X, y)
    theta = kernel.theta + 0.5 * rng.normal(size=3)
    gradient = model.log_marginal_likelihood(theta, eval_gradient=True)[1]
    numeric = optimize.approx_fprime(theta, model.log_marginal_likelihood, 1e-6)
    assert_close(gradient, numeric, rtol=1e-3, atol=1e-4)
    probabilities = model.predict_proba(rng.normal(size=(10, 2)) * 3)
    assert np.all((probabilities > 0) & (probabilities < 1))


@pytest.mark.spec("GPR-14")
@pytest.mark.parametrize("mean", [0.0, 1.3, -5.0, 40.0])
@pytest.mark.parametrize("sd", [1e-6, 0.1, 0.999, 1.001, 3.0, 30.0])
def test_the_average_of_the_logistic_function(mean, sd):
    def integrand(t):
        return special.expit(t) * stats.norm.pdf(t, mean, sd)

    points = sorted({0.0, mean, mean - 4 * sd, mean + 4 * sd})
    exact = integrate.quad(integrand, mean - 10 * sd, mean + 10 * sd, points=points, epsabs=1e-13, limit=500)[0]
    found = LINKS["logistic"].average(np.array([mean]), np.array([sd**2]))
    assert_close(found, [exact], atol=1e-9)


@pytest.mark.spec("GPR-P11")
def test_probabilities_return_to_one_half_far_from_the_data(rng):
    X, y = problem(rng)
    model = GaussianProcessClassifier(1.0 * gp.RBF(1.0)).fit(X, y)
    assert_close(model.predict_proba([[1e3, 1e3]]), [[0.5, 0.5]])
    # Averaging over the latent function makes probabilities less certain than at its mean.
    mean = model.latent_mean_and_variance(X)[0]
    assert np.all(np.abs(model.predict_proba(X)[:, 1] - 0.5) <= np.abs(special.expit(mean) - 0.5) + 1e-12)


@pytest.mark.spec("GPR-14")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("multi_class", ["one_vs_rest", "one_vs_one"])
def test_three_classes(multi_class):
    X, y = load_iris(return_X_y=True)
    X, y = X[::3], np.array(["a", "b", "c"])[y[::3]]
    ours = GaussianProcessClassifier(multi_class=multi_class).fit(X, y)
    theirs = Reference(multi_class=multi_class).fit(X, y)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    assert_close(ours.log_marginal_likelihood_value_, theirs.log_marginal_likelihood_value_, rtol=1e-8)
    theta = np.empty(0)
    assert_close(ours.log_marginal_likelihood(theta), theirs.log_marginal_likelihood(theta), rtol=1e-8)
    if multi_class == "one_vs_rest":
        assert_close(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-3)
        assert_close(ours.predict_proba(X).sum(axis=1), 1.0)
    else:
        with pytest.raises(ValueError, match="one_vs_one"):
            ours.predict_proba(X)
    with pytest.raises(ValueError, match="received 3 classes"):
        ours.latent_mean_and_variance(X)
    fitted = GaussianProcessClassifier(1.0 * gp.RBF(), multi_class=multi_class).fit(X, y)
    assert fitted.log_marginal_likelihood_value_ > ours.log_marginal_likelihood_value_
    assert "against" in str(fitted.summary())
    assert len(fitted.kernel_.kernels) == 3
    with pytest.raises(NotImplementedError):
        fitted.log_marginal_likelihood(np.zeros(2), eval_gradient=True)
    with pytest.raises(ValueError, match="Shape of theta must be either 2 or 6"):
        fitted.log_marginal_likelihood(np.zeros(5))


def test_warm_starts_and_threads_do_not_change_the_result(rng):
    X, y = problem(rng, 150)
    kernel = 1.0 * gp.RBF(1.0)
    model = GaussianProcessClassifier(kernel, warm_start=True, optimizer=None).fit(X, y)
    first = model.predict_proba(X)
    assert_close(model.fit(X, y).predict_proba(X), first, rtol=1e-8)
    found = []
    for n in (1, 2):
        with threads(n):
            found.append(GaussianProcessClassifier(kernel).fit(X, y).predict_proba(X[:20]))
    assert np.array_equal(*found)
    assert np.array_equal(GaussianProcessClassifier(kernel, n_jobs=1).fit(X, y).predict_proba(X[:20]), found[0])


def test_newton_steps_are_limited_with_a_warning(rng):
    X, y = problem(rng)
    with pytest.warns(ConvergenceWarning, match="Increase max_iter_predict"):
        GaussianProcessClassifier(10.0 * gp.RBF(), max_iter_predict=1, optimizer=None).fit(X, y)


def test_foreign_kernels_and_bad_input(rng):
    class Own(gp.RBF):
        def __call__(self, X, Y=None, eval_gradient=False):
            return super().__call__(X, Y, eval_gradient)

    X, y = problem(rng, 30)
    ours = GaussianProcessClassifier(1.0 * Own(1.0)).fit(X, y)
    same = GaussianProcessClassifier(1.0 * gp.RBF(1.0)).fit(X, y)
    assert_close(ours.log_marginal_likelihood_value_, same.log_marginal_likelihood_value_, atol=1e-6)
    assert_close(ours.predict_proba(X), same.predict_proba(X), atol=1e-4)
    with pytest.raises(ValueError, match="2 or more distinct classes"):
        GaussianProcessClassifier().fit(X, np.ones(30))
    with pytest.raises(ValueError, match="cannot be a CompoundKernel"):
        GaussianProcessClassifier(gp.CompoundKernel([gp.RBF()])).fit(X, y)
    with pytest.raises(ValueError, match="3!=2"):
        GaussianProcessClassifier(gp.RBF([1.0, 1.0, 1.0])).fit(X, y)
    assert "Log marginal likelihood" in str(same.summary())
