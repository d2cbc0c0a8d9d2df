"""Gaussian process regression."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor as Reference
from sklearn.gaussian_process import kernels as sk

from statlearn import gp, threads
from statlearn._core.warnings import StatlearnWarning
from statlearn.gp import GaussianProcessRegressor
from statlearn.kernels import GaussianKernel, KernelRidge
from statlearn.linear import Ridge
from tests.helpers import assert_close

TIMES = np.array([[3.0], [7.0]])


def problem(rng, n=60, p=3, targets=None):
    X = rng.random((n, p))
    y = np.sin(3 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=n)
    return X, y if targets is None else np.column_stack(
        [y, *(X @ [2, 1, 3] + 0.1 * rng.normal(size=n) for _ in range(targets - 1))]
    )


def brownian(noise, y):
    return GaussianProcessRegressor(gp.Brownian(1.0, "fixed"), alpha=noise).fit(TIMES, y)


@pytest.mark.spec("GPR-T1", "GPR-T2", "GPR-01", "GPR-02")
@pytest.mark.parametrize(
    ("noise", "variance", "low", "high"),
    [(0.0, 0.75, 0.6525, 3.125), (0.1, 0.8101460, 0.6475019, 3.2321291), (1.0, 1.2173913, 0.5986957, 3.6086957)],
)
def test_printed_posterior_of_brownian_motion(noise, variance, low, high):
    for y, expected in (([0.5, 1.11], low), ([0.5, 11.0], high)):
        model = brownian(noise, y)
        mean, std = model.predict([[4.0]], return_std=True)
        assert_close(mean, [expected], atol=1e-6)
        assert_close(std**2, [variance], atol=1e-6)
        assert model.jitter_ == 0.0


@pytest.mark.spec("GPR-T3", "GPR-13")
def test_printed_posterior_covariances():
    X = np.array([[1.0], [2.0], [4.0], [5.0], [6.0], [8.0], [9.0]])
    assert_close(brownian(0.0, [0.5, 1.0]).posterior_covariance_curve(X, 5.0), [0, 0, 0.5, 1, 0.5, 0, 0], atol=1e-6)
    noisy = brownian(1.0, [0.5, 1.0])
    expected = [0.1304348, 0.2608696, 0.9130435, 1.4347826, 0.9565217, 0.4782609, 0.4782609]
    assert_close(noisy.posterior_covariance_curve(X, [5.0]), expected, atol=1e-6)
    full = noisy.predict(X, return_cov=True)[1]
    assert_close(full[:, 3], expected, atol=1e-6)


@pytest.mark.spec("GPR-T4", "GPR-11")
def test_printed_local_maxima_of_the_likelihood():
    state = np.random.RandomState(0)
    X = state.uniform(0, 5, 20)[:, None]
    y = 0.5 * np.sin(3 * X[:, 0]) + state.normal(0, 0.5, 20)

    def fit(constant, length, noise):
        kernel = gp.ConstantKernel(constant, (1e-5, 1e5)) * gp.RBF(length, (1e-2, 1e3))
        return GaussianProcessRegressor(kernel + gp.WhiteKernel(noise, (1e-10, 10)), alpha=0.0).fit(X, y)

    with pytest.warns(ConvergenceWarning, match="lower bound 1e-05.*explains nothing"):
        flat = fit(1, 100, 1)
    assert_close(flat.log_marginal_likelihood_value_, -23.8723374, atol=1e-5)
    constant, length, noise = np.exp(flat.kernel_.theta)
    assert_close(noise, 0.637210, atol=1e-3)
    assert constant < 1.001e-5
    assert 90 < length < 130
    wavy = fit(1, 1, 1e-5)
    assert_close(wavy.log_marginal_likelihood_value_, -21.8050909, atol=1e-5)
    constant, length, noise = np.exp(wavy.kernel_.theta)
    assert_close([math.sqrt(constant), length, noise], [0.63975, 0.365446, 0.294024], atol=1e-3)


def kernels_of(m):
    return 1.0 * m.RBF([1.0, 1.0, 1.0]) + m.WhiteKernel(0.1)


@pytest.mark.spec("GPR-01", "GPR-11")
@pytest.mark.parametrize("targets", [None, 2])
@pytest.mark.parametrize("normalize_y", [False, True])
def test_it_agrees_with_scikit_learn(targets, normalize_y, rng):
    X, y = problem(rng, 80, targets=targets)
    new = rng.random((15, 3))
    theirs = Reference(kernels_of(sk), normalize_y=normalize_y).fit(X, y)
    ours = GaussianProcessRegressor(kernels_of(gp), normalize_y=normalize_y).fit(X, y)
    assert_close(ours.log_marginal_likelihood_value_, theirs.log_marginal_likelihood_value_, atol=1e-6)
    theta = theirs.kernel_.theta + 0.1
    for ours_part, theirs_part in zip(
        ours.log_marginal_likelihood(theta, eval_gradient=True),
        theirs.log_marginal_likelihood(theta, eval_gradient=True),
    ):
        assert_close(ours_part, theirs_part, rtol=1e-8, atol=1e-8)
    # Their kernel object in our model: the same hyper-parameters.
    same = GaussianProcessRegressor(theirs.kernel_, normalize_y=normalize_y, optimizer=None).fit(X, y)
    assert_close(same.L_, theirs.L_, atol=1e-9)
    for option in ("return_std", "return_cov"):
        for a, b in zip(same.predict(new, **{option: True}), theirs.predict(new, **{option: True})):
            assert a.shape == b.shape
            assert_close(a, b, rtol=1e-8, atol=1e-9)


@pytest.mark.spec("GPR-02")
def test_every_row_can_have_separate_noise(rng):
    X, y = problem(rng)
    noise = rng.random(60) * 0.1 + 0.01
    ours = GaussianProcessRegressor(gp.RBF(0.7), alpha=noise).fit(X, y)
    theirs = Reference(sk.RBF(0.7), alpha=noise).fit(X, y)
    assert_close(
        ours.predict(X[:5] + 0.1, return_std=True)[1], theirs.predict(X[:5] + 0.1, return_std=True)[1], rtol=1e-5
    )
    # A row of noise v / 2 is two rows of noise v.
    fixed = {"kernel": gp.RBF(0.7), "optimizer": None}
    twice = GaussianProcessRegressor(alpha=np.r_[noise, noise[-1:]], **fixed).fit(
        np.vstack([X, X[-1:]]), np.r_[y, y[-1:]]
    )
    noise[-1] /= 2
    once = GaussianProcessRegressor(alpha=noise, **fixed).fit(X, y)
    for a, b in zip(once.predict(X, return_std=True), twice.predict(X, return_std=True)):
        assert_close(a, b)


@pytest.mark.spec("GPR-02")
def test_singular_matrices_get_a_reported_jitter():
    X = np.array([[0.0], [1.0], [1.0]])
    with pytest.warns(StatlearnWarning, match="singular without noise.*repeated"):
        model = GaussianProcessRegressor(gp.RBF(1.0), alpha=0.0, optimizer=None).fit(X, [0.0, 1.0, 1.0])
    assert 0 < model.jitter_ <= 1e-5
    assert_close(model.predict(X), [0.0, 1.0, 1.0], atol=1e-4)
    assert "added to the diagonal" in str(model.summary())
    with pytest.raises(np.linalg.LinAlgError, match="not returning a positive definite"):
        GaussianProcessRegressor(gp.RBF(1.0), alpha=1e-300, optimizer=None).fit(X, [0.0, 1.0, 1.0])


@pytest.mark.spec("GPR-P6", "GPR-11")
@given(st.integers(0, 10**6), st.sampled_from([None, "linear"]))
def test_the_gradient_of_the_likelihood_is_its_derivative(seed, mean_function):
    rng = np.random.default_rng(seed)
    X, y = rng.random((12, 2)), rng.normal(size=12)
    kernel = (
        0.7 * gp.Matern([0.5, 1.1], nu=2.5) + gp.RationalQuadratic(0.4, 1.5) * gp.DotProduct(0.3) + gp.WhiteKernel(0.2)
    )
    model = GaussianProcessRegressor(kernel, optimizer=None, mean_function=mean_function).fit(X, y)
    theta = kernel.theta + rng.normal(size=kernel.n_dims) * 0.3
    gradient = model.log_marginal_likelihood(theta, eval_gradient=True)[1]
    for k in range(len(theta)):
        step = 1e-5 * (np.arange(len(theta)) == k)
        up, down = (model.log_marginal_likelihood(theta + s * step) for s in (1, -1))
        assert_close(gradient[k], (up - down) / 2e-5, rtol=1e-5, atol=1e-5)


@pytest.mark.spec("GPR-P6")
def test_white_noise_in_the_kernel_equals_alpha_in_the_likelihood(rng):
    X, y = problem(rng)
    white = GaussianProcessRegressor(gp.RBF(0.7) + gp.WhiteKernel(0.2), alpha=0.0, optimizer=None).fit(X, y)
    alpha = GaussianProcessRegressor(gp.RBF(0.7), alpha=0.2, optimizer=None).fit(X, y)
    assert_close(white.log_marginal_likelihood_value_, alpha.log_marginal_likelihood_value_)
    new = X[:4] + 0.1
    mean, std = white.predict(new, return_std=True)
    mean_alpha, std_alpha = alpha.predict(new, return_std=True)
    assert_close(mean, mean_alpha)
    assert_close(std**2, std_alpha**2 + 0.2)
    assert_close(white.predict(new, return_std=True, latent=True)[1], std_alpha)
    assert_close(
        white.predict(new, return_cov=True, latent=True)[1], alpha.predict(new, return_cov=True)[1], atol=1e-12
    )


@pytest.mark.spec("GPR-P1")
@given(st.integers(0, 10**6))
def test_properties_of_the_posterior(seed):
    rng = np.random.default_rng(seed)
    X, new = rng.random((10, 2)), rng.random((5, 2))
    y, z = rng.normal(size=(2, 10))
    setting = {"kernel": gp.Matern(0.5, nu=1.5), "alpha": 0.0, "optimizer": None}
    first, second = (GaussianProcessRegressor(**setting).fit(X, t) for t in (y, z))
    assert_close(first.predict(X), y, atol=1e-6)
    assert_close(first.predict(X, return_std=True)[1], 0.0, atol=1e-5)
    both = GaussianProcessRegressor(**setting).fit(X, 2 * y - z)
    assert_close(both.predict(new), 2 * first.predict(new) - second.predict(new), atol=1e-7)
    assert_close(first.predict(new, return_cov=True)[1], second.predict(new, return_cov=True)[1])
    fewer = GaussianProcessRegressor(**setting).fit(X[:6], y[:6])
    assert np.all(first.predict(new, return_std=True)[1] <= fewer.predict(new, return_std=True)[1] + 1e-9)


@pytest.mark.spec("GPR-P3")
def test_covariance_across_an_observation():
    X = np.array([[1.0], [2.0]])
    grid = np.array([[1.2], [1.5], [1.8]])
    smooth = GaussianProcessRegressor(gp.RBF(1.0), alpha=0.0, optimizer=None).fit(X, [0.0, 1.0])
    assert smooth.posterior_covariance_curve([[2.2]], 1.8)[0] < -1e-4
    path = GaussianProcessRegressor(gp.Brownian(), alpha=0.0, optimizer=None).fit(X, [0.0, 1.0])
    assert_close(path.posterior_covariance_curve([[0.5], [2.5], [7.0]], 1.5), 0.0, atol=1e-12)
    assert np.all(path.posterior_covariance_curve(grid, 1.5) > 0)


@pytest.mark.spec("GPR-P7")
def test_it_is_bayesian_linear_regression_and_kernel_ridge(rng):
    X, y = problem(rng)
    new = rng.random((6, 3))
    linear = GaussianProcessRegressor(gp.DotProduct(0.5), alpha=0.3, optimizer=None).fit(X, y)
    design, at = np.column_stack([np.ones(60), X]), np.column_stack([np.ones(6), new])
    precision = np.diag([4.0, 1, 1, 1]) + design.T @ design / 0.3
    coef = np.linalg.solve(precision, design.T @ y / 0.3)
    mean, cov = linear.predict(new, return_cov=True)
    assert_close(mean, at @ coef)
    assert_close(cov, at @ np.linalg.solve(precision, at.T))
    centred = X - X.mean(0)
    plain = GaussianProcessRegressor(gp.DotProduct(1e-5), alpha=0.3, optimizer=None).fit(centred, y - y.mean())
    assert_close(plain.predict(centred) + y.mean(), Ridge(0.3).fit(X, y).predict(X), atol=1e-8)
    model = GaussianProcessRegressor(gp.RBF(0.7), alpha=0.3, optimizer=None).fit(X, y)
    ridge = KernelRidge(0.3, kernel=GaussianKernel(sigma=0.7)).fit(X, y)
    assert_close(model.predict(new), ridge.predict(new))
    assert_close(model.alpha_, ridge.dual_coef_)


@pytest.mark.spec("GPR-P8", "GPR-04")
def test_draws_and_marginals(rng):
    X = np.linspace(0, 3, 6)[:, None]
    model = GaussianProcessRegressor(gp.Matern(1.0, nu=1.5))
    draws = model.sample_y(X, 20_000, random_state=1)
    cov = np.cov(draws)
    K = gp.Matern(1.0, nu=1.5)(X)
    # Entries of a sample covariance have standard deviations sqrt((K_ii K_jj + K_ij^2) / n) <= 0.01.
    assert np.abs(cov - K).max() < 0.05
    assert np.abs(draws.mean(axis=1)).max() < 0.035
    assert_close(model.predict(X[[1, 4]], return_cov=True)[1], K[np.ix_([1, 4], [1, 4])])
    model.fit(X, np.sin(X[:, 0]))
    new = np.linspace(0.2, 4, 7)[:, None]
    mean, cov = model.predict(new, return_cov=True)
    part = model.predict(new[[0, 3]], return_cov=True)
    assert_close(part[0], mean[[0, 3]])
    assert_close(part[1], cov[np.ix_([0, 3], [0, 3])], atol=1e-12)
    assert model.sample_y(new, 5).shape == (7, 5)
    two = GaussianProcessRegressor(gp.RBF(), n_targets=2)
    assert two.sample_y(new, 5).shape == (7, 2, 5)
    assert two.predict(new, return_std=True)[1].shape == (7, 2)


# Prior means.


@pytest.mark.spec("GPR-03")
def test_a_fixed_prior_mean_is_subtracted_and_added(rng):
    X, y = problem(rng)
    new = rng.random((5, 3)) * 20

    def trend(table):
        return 3 * table[:, 0]

    for normalize_y in (False, True):
        model = GaussianProcessRegressor(gp.RBF(0.7), alpha=0.1, mean_function=trend, normalize_y=normalize_y)
        model.fit(X, y + trend(X))
        plain = GaussianProcessRegressor(gp.RBF(0.7), alpha=0.1, normalize_y=normalize_y).fit(X, y)
        assert_close(model.predict(new), plain.predict(new) + trend(new), atol=1e-6)
        assert_close(model.leave_one_out().mean, plain.leave_one_out().mean + trend(X), atol=1e-6)
    assert_close(GaussianProcessRegressor(mean_function=trend).predict(new), trend(new))


@pytest.mark.spec("GPR-03")
def test_a_basis_is_estimated_by_generalised_least_squares(rng):
    X, y = problem(rng, 40)
    new = rng.random((6, 3)) * 2
    kernel, noise = gp.Matern(0.6, nu=2.5), 0.05
    model = GaussianProcessRegressor(kernel, alpha=noise, optimizer=None, mean_function="linear").fit(X, y)
    K = kernel(X) + noise * np.eye(40)
    H, at = np.column_stack([np.ones(40), X]), np.column_stack([np.ones(6), new])
    inverse = np.linalg.inv(K)
    gram = H.T @ inverse @ H
    coef = np.linalg.solve(gram, H.T @ inverse @ y)
    assert_close(model.coef_, coef)
    cross = kernel(new, X)
    assert_close(model.predict(new), at @ coef + cross @ inverse @ (y - H @ coef))
    R = at - cross @ inverse @ H
    cov = kernel(new) - cross @ inverse @ cross.T + R @ np.linalg.solve(gram, R.T)
    assert_close(model.predict(new, return_cov=True)[1], cov, atol=1e-10)
    assert_close(model.predict(new, return_std=True)[1], np.sqrt(np.diag(cov)))
    assert_close(model.posterior_covariance_curve(new, new[2]), cov[2], atol=1e-10)
    value = stats.multivariate_normal(H @ coef, K).logpdf(y)
    assert_close(model.log_marginal_likelihood_value_, value)
    # A prior of large variance on the coefficients gives the same posterior.
    vague = 1e6 * (gp.DotProduct(1.0)) + kernel
    limit = GaussianProcessRegressor(vague, alpha=noise, optimizer=None).fit(X, y)
    assert_close(model.predict(new), limit.predict(new), rtol=1e-3, atol=1e-3)
    assert_close(model.predict(new, return_std=True)[1], limit.predict(new, return_std=True)[1], rtol=1e-2)


@pytest.mark.spec("GPR-03")
def test_bases_by_name_and_by_function(rng):
    X, y = problem(rng, 40, p=2)
    setting = {"kernel": gp.RBF(0.6), "alpha": 0.1}
    named = GaussianProcessRegressor(mean_function="quadratic", **setting).fit(X, y)
    assert named.coef_.shape == (6,)
    own = GaussianProcessRegressor(
        mean_function=lambda t: np.column_stack([np.ones(len(t)), t, t[:, 0] ** 2, t[:, 0] * t[:, 1], t[:, 1] ** 2]),
        **setting,
    ).fit(X, y)
    assert_close(named.predict(X * 2), own.predict(X * 2))
    constant = GaussianProcessRegressor(mean_function="constant", **setting).fit(X, y + 100)
    assert_close(constant.predict(X + 50), constant.coef_[0], atol=1e-6)
    with pytest.raises(ValueError, match="one number or one row per row of X"):
        GaussianProcessRegressor(mean_function=lambda t: np.ones(3)).fit(X, y)
    with pytest.raises(ValueError, match="has no mean; call fit first"):
        GaussianProcessRegressor(mean_function="linear").predict(X)


# Leave-one-out.


@pytest.mark.parametrize("mean_function", [None, "linear"])
def test_leave_one_out_equals_refitting(mean_function, rng):
    X, y = problem(rng, 15, p=2)
    setting = {
        "kernel": gp.RBF(0.6) + gp.WhiteKernel(0.05),
        "alpha": 0.01,
        "optimizer": None,
        "mean_function": mean_function,
    }
    loo = GaussianProcessRegressor(**setting).fit(X, y).leave_one_out()
    density = []
    for i in range(15):
        rest = np.arange(15) != i
        mean, std = GaussianProcessRegressor(**setting).fit(X[rest], y[rest]).predict(X[[i]], return_std=True)
        std = np.sqrt(std**2 + 0.01)
        assert_close(loo.mean[i], mean[0])
        assert_close(loo.std[i], std[0])
        density.append(stats.norm(mean[0], std[0]).logpdf(y[i]))
    assert_close(loo.log_density, density)
    assert_close(loo.log_pseudo_likelihood, np.sum(density))
    assert_close(loo.rmse, np.sqrt(np.mean((y - loo.mean) ** 2)))


def test_leave_one_out_in_the_units_of_the_target(rng):
    X, y = problem(rng, 30)
    a = GaussianProcessRegressor(kernels_of(gp), normalize_y=True).fit(X, y).leave_one_out()
    b = GaussianProcessRegressor(kernels_of(gp), normalize_y=True).fit(X, 1000 * y + 5).leave_one_out()
    assert_close(1000 * a.mean + 5, b.mean, rtol=1e-4)
    assert_close(1000 * a.std, b.std, rtol=1e-4)


# The search.


@pytest.mark.spec("GPR-12")
def test_restarts_never_lower_the_likelihood(rng):
    X, y = problem(rng, 40)
    kernel = 1.0 * gp.RBF(100.0, (1e-2, 1e2)) + gp.WhiteKernel(1.0, (1e-6, 10.0))
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        values = [
            GaussianProcessRegressor(kernel, n_restarts_optimizer=r, random_state=0)
            .fit(X, y)
            .log_marginal_likelihood_value_
            for r in (0, 1, 4)
        ]
        model = GaussianProcessRegressor(kernel, n_restarts_optimizer=4, random_state=0).fit(X, y)
    assert values == sorted(values)
    assert len(model.runs_) == 5
    assert max(value for _, value in model.runs_) == model.log_marginal_likelihood_value_
    assert "of 5 searches ended at this likelihood" in str(model.summary())


def test_a_callable_optimizer_is_used(rng):
    X, y = problem(rng, 20)
    seen = []

    def optimizer(function, start, bounds):
        seen.append(function(start)[0])
        assert_close(function(start, eval_gradient=False), seen[-1])
        return start + 0.1, function(start + 0.1)[0]

    model = GaussianProcessRegressor(1.0 * gp.RBF(), alpha=0.1, optimizer=optimizer).fit(X, y)
    assert len(seen) == 1
    assert_close(model.kernel_.theta, [0.1, 0.1])


def test_foreign_kernels_are_called_as_objects(rng):
    class Own(sk.RBF):
        def __call__(self, X, Y=None, eval_gradient=False):
            return super().__call__(X, Y, eval_gradient)

    X, y = problem(rng, 30)
    ours = GaussianProcessRegressor(1.0 * Own(1.0) + gp.WhiteKernel(0.1)).fit(X, y)
    same = GaussianProcessRegressor(1.0 * gp.RBF(1.0) + gp.WhiteKernel(0.1)).fit(X, y)
    assert_close(ours.log_marginal_likelihood_value_, same.log_marginal_likelihood_value_, atol=1e-6)
    for option in ("return_std", "return_cov"):
        a, b = (m.predict(X[:5] + 0.1, **{option: True}) for m in (ours, same))
        assert_close(a[1], b[1], rtol=1e-3)
    assert_close(
        ours.predict(X, return_std=True, latent=True)[1], same.predict(X, return_std=True, latent=True)[1], rtol=1e-2
    )


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_same_bits_for_any_number_of_threads(rng):
    X, y = problem(rng, 300)
    found = []
    for n in (1, 2):
        with threads(n):
            model = GaussianProcessRegressor(kernels_of(gp)).fit(X, y)
            found.append([model.kernel_.theta, model.alpha_, *model.predict(X[:50], return_std=True)])
    for a, b in zip(*found):
        assert np.array_equal(a, b)


def test_summary_reports_estimates_and_errors(rng):
    X, y = problem(rng, 60)
    model = GaussianProcessRegressor(1.0 * gp.RBF(1.0) + gp.WhiteKernel(0.1)).fit(X, y)
    summary = model.summary()
    assert_close(summary["estimate"], np.exp(model.kernel_.theta))
    theta = model.kernel_.theta
    step = 1e-3
    hessian = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            a, b = step * np.eye(3)[i], step * np.eye(3)[j]
            hessian[i, j] = sum(
                s * t * model.log_marginal_likelihood(theta + s * a + t * b) for s in (1, -1) for t in (1, -1)
            ) / (4 * step**2)
    assert_close(summary["log_std_error"], np.sqrt(np.diag(np.linalg.inv(-hessian))), rtol=1e-3)
    assert summary.facts["n"] == 60
    assert "Leave-one-out RMSE" in str(summary)


# Bad input.


def test_bad_arguments_raise(rng):
    X, y = problem(rng, 10)
    with pytest.raises(ValueError, match="one per row of X"):
        GaussianProcessRegressor(alpha=np.ones(3)).fit(X, y)
    with pytest.raises(ValueError, match="alpha"):
        GaussianProcessRegressor(alpha=-1.0).fit(X, y)
    with pytest.raises(ValueError, match="`alpha` must contain finite variances"):
        GaussianProcessRegressor(alpha=-np.ones(10)).fit(X, y)
    with pytest.raises(ValueError, match="2!=3"):
        GaussianProcessRegressor(gp.RBF([1.0, 1.0])).fit(X, y)
    with pytest.raises(ValueError, match="`x0` must have 3 entries"):
        GaussianProcessRegressor(optimizer=None).fit(X, y).posterior_covariance_curve(X, 1.0)
    with pytest.raises(ValueError, match="theta!=None"):
        GaussianProcessRegressor(optimizer=None).fit(X, y).log_marginal_likelihood(eval_gradient=True)
    with pytest.raises(ValueError, match="all bounds are finite"):
        GaussianProcessRegressor(gp.RBF(1.0, (1e-5, np.inf)), n_restarts_optimizer=1).fit(X, y)


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (gp.RBF(1.0, (10.0, 0.1)), r"`length_scale_bounds` of RBF must be \(low, high\) with 0 <= low <= high"),
        (gp.ConstantKernel(1.0, (-1.0, 2.0)) * gp.RBF(), "`constant_value_bounds` of ConstantKernel"),
        (gp.RBF() + gp.WhiteKernel(1.0, (np.nan, 1.0)), "`noise_level_bounds` of WhiteKernel"),
    ],
)
def test_impossible_bounds_raise_by_name(kernel, words, rng):
    with pytest.raises(ValueError, match=words):
        GaussianProcessRegressor(kernel).fit(rng.random((9, 2)), rng.random(9))


def test_repeated_rows_with_different_targets_need_noise(rng):
    X = rng.random((12, 2))
    X, y = np.r_[X, X[:3]], np.r_[X[:, 0], X[:3, 0] + 0.5]
    with pytest.warns(StatlearnWarning, match="6 rows of X are repeated with different targets.*WhiteKernel"):
        GaussianProcessRegressor(gp.RBF(0.3, "fixed")).fit(X, y)
    GaussianProcessRegressor(gp.RBF(0.3, "fixed"), alpha=0.1).fit(X, y)
    y[12:] = y[:3]
    GaussianProcessRegressor(gp.RBF(0.3, "fixed")).fit(X, y)


def test_constant_targets(rng):
    X = rng.random((10, 2))
    model = GaussianProcessRegressor(gp.RBF(1.0, "fixed"), alpha=0.01, normalize_y=True).fit(X, np.full(10, 3.3))
    assert_close(model.predict(X + 5), 3.3)


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (gp.RBF(1.0, (0.99, 1.01)), "length scale this"),
        (gp.RBF(1e3, (1e3, 1e5)), "several starts with n_restarts_optimizer"),
        (gp.RBF(1.0) + gp.WhiteKernel(1.0, (0.9, 1.1)), "free of noise"),
    ],
)
def test_hyper_parameters_at_their_bounds_are_explained(kernel, words, rng):
    X, y = problem(rng, 40)
    with pytest.warns(ConvergenceWarning, match=words):
        GaussianProcessRegressor(kernel, alpha=1e-3).fit(X, y)


@pytest.mark.spec("GPR-P2")
def test_noise_free_brownian_interpolation_is_linear(rng):
    times, values = np.array([[1.0], [2.5], [4.0]]), np.array([0.3, -1.0, 2.0])
    model = GaussianProcessRegressor(gp.Brownian(2.0, "fixed"), alpha=0.0).fit(times, values)
    at = rng.uniform(1.0, 4.0, 30)
    mean, std = model.predict(at[:, None], return_std=True)
    assert_close(mean, np.interp(at, times[:, 0], values))
    low = np.where(at < 2.5, 1.0, 2.5)
    high = np.where(at < 2.5, 2.5, 4.0)
    assert_close(std**2, 2.0 * (at - low) * (high - at) / (high - low), atol=1e-12)


@pytest.mark.parametrize("Model", [GaussianProcessRegressor, gp.SparseGaussianProcessRegressor])
@pytest.mark.parametrize(
    "kernel, name",
    [
        (gp.RBF(-1.0), "length_scale"),
        (gp.RBF([1.0, 0.0]), "length_scale"),
        (gp.RBF(np.nan, "fixed"), "length_scale"),
        (gp.RBF() + gp.WhiteKernel(-0.1), "noise_level"),
        (gp.RBF() + gp.WhiteKernel(-0.1, "fixed"), "noise_level"),
        (gp.ConstantKernel(0.0) * gp.RBF(), "constant_value"),
    ],
)
def test_hyper_parameters_must_be_positive(Model, kernel, name, rng):
    with pytest.raises(ValueError, match=f"`{name}` of .* must be positive and finite"):
        Model(kernel, alpha=0.1).fit(rng.random((9, 2)), rng.random(9))
