"""Optimism and degrees of freedom: simulation meets the closed forms."""

import numpy as np
import pytest

from statlearn.assess import covariance_df, in_sample_error, mallows_cp, optimism, smoother_matrix
from statlearn.linear import Lasso, LinearRegression, Ridge, StepwiseRegressor, effective_df
from statlearn.neighbors import KNeighborsRegressor
from statlearn.smooth import SmoothingSpline
from statlearn.trees import DecisionTreeRegressor
from tests.helpers import assert_close


@pytest.mark.spec("ASM-33", "ASM-P18")
@pytest.mark.parametrize("model", [LinearRegression(), Ridge(alpha=5.0), Ridge(alpha=0.5, fit_intercept=False)])
def test_linear_fits_have_the_trace_of_their_smoother(model, rng):
    n, sigma2 = 40, 1.7
    X = rng.normal(size=(n, 6))
    y = X.sum(axis=1) + np.sqrt(sigma2) * rng.normal(size=n)
    found = in_sample_error(model, X, y, noise_variance=sigma2, n_resamples=100, random_state=0)
    df = effective_df(model.fit(X, y), X, count_intercept=True)
    assert_close(found.optimism, 2 * df * sigma2 / n)
    assert_close(found.df, found.optimism * n / (2 * sigma2))
    assert_close(found.estimate, found.train + found.optimism)
    few = in_sample_error(model, X, y, noise_variance=sigma2, n_resamples=5, random_state=0)
    assert_close(optimism(model, X, y, noise_variance=sigma2, n_resamples=5, random_state=0), few.optimism)
    assert_close(covariance_df(model, X, y, noise_variance=sigma2, n_resamples=5, random_state=0), few.df)


@pytest.mark.spec("ASM-33")
def test_the_lasso_spends_its_non_zero_coefficients(rng):
    """Zou, Hastie and Tibshirani: the expected number of non-zeros is the degrees of freedom."""
    n = 60
    X = rng.normal(size=(n, 8))
    mean = X[:, :3].sum(axis=1)
    model = Lasso(alpha=0.2)
    counts = [np.count_nonzero(model.fit(X, mean + rng.normal(size=n)).coef_) for _ in range(100)]
    y = mean + rng.normal(size=n)
    found = in_sample_error(model, X, y, noise_variance=1.0, mean=mean, n_resamples=100, random_state=0)
    assert abs(found.df - 1 - np.mean(counts)) < 4 * (found.std_error * n / 2 + np.std(counts) / np.sqrt(100))


@pytest.mark.spec("ASM-33")
def test_a_search_spends_more_than_the_columns_it_keeps(rng):
    X, y = rng.normal(size=(50, 10)), rng.normal(size=50)
    model = StepwiseRegressor()
    kept = np.count_nonzero(model.fit(X, y).coef_)
    df = covariance_df(model, X, y, noise_variance=1.0, mean=np.zeros(50), n_resamples=60, random_state=0)
    assert df > kept + 2


@pytest.mark.slow
@pytest.mark.spec("ASM-P18")
def test_cp_is_unbiased_for_the_in_sample_error(rng):
    n, p, sigma2, sets = 30, 4, 2.0, 2000
    X = rng.normal(size=(n, p))
    mean = X.sum(axis=1)
    D = np.column_stack([np.ones(n), X])
    H = D @ np.linalg.solve(D.T @ D, D.T)
    Y = mean + np.sqrt(sigma2) * rng.normal(size=(sets, n))
    fits = Y @ H
    cp = mallows_cp(np.mean((Y - fits) ** 2, axis=1), p + 1, n, sigma2)
    truth = sigma2 + np.mean((fits - mean) ** 2, axis=1)
    assert abs(np.mean(cp - truth)) < 4 * np.std(cp - truth, ddof=1) / np.sqrt(sets)
    assert_close(LinearRegression().fit(X, Y[0]).predict(X), fits[0])


def test_noise_must_be_known_or_estimable(rng):
    X, y = rng.normal(size=(5, 8)), rng.normal(size=5)
    with pytest.raises(ValueError, match="pass `noise_variance`"):
        covariance_df(Ridge(), X, y)
    with pytest.raises(ValueError, match="`mean` must have shape"):
        covariance_df(Ridge(), X, y, noise_variance=1.0, mean=[0.0])


@pytest.mark.spec("CRS-12")
@pytest.mark.parametrize(
    "model",
    [LinearRegression(), Ridge(alpha=3.0), SmoothingSpline(lam=0.01), KNeighborsRegressor(4)],
    ids=lambda model: type(model).__name__,
)
def test_degrees_of_freedom_of_linear_smoothers_are_exact(model, rng):
    X = rng.normal(size=(30, 1 if isinstance(model, SmoothingSpline) else 2))
    y = X[:, 0] + rng.normal(size=30)
    found = in_sample_error(model, X, y, noise_variance=1.5)
    trace = np.trace(smoother_matrix(model.fit(X, y), X))
    assert_close(found.df, trace, rtol=1e-10)
    assert found.std_error == 0.0
    assert_close(optimism(model, X, y, noise_variance=1.5), 2 * trace * 1.5 / 30)
    if isinstance(model, LinearRegression):
        assert_close(covariance_df(model, X, y), 3.0)
    if isinstance(model, KNeighborsRegressor):
        assert_close(found.df, 30 / 4)


@pytest.mark.spec("CRS-12")
@pytest.mark.parametrize("model", [Lasso(alpha=0.1), DecisionTreeRegressor(max_depth=2), SmoothingSpline()])
def test_other_estimators_are_simulated(model, rng):
    X = rng.normal(size=(30, 1))
    y = X[:, 0] + rng.normal(size=30)
    assert in_sample_error(model, X, y, noise_variance=1.0, n_resamples=5, random_state=0).std_error > 0
