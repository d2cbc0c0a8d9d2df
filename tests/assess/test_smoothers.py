"""One fit instead of n: shortcuts against refits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.gaussian_process.kernels import RBF
from sklearn.kernel_ridge import KernelRidge
from sklearn.neighbors import KNeighborsRegressor

from statlearn.assess import gcv_score, loo_shortcut, smoother_matrix
from statlearn.linear import Lasso, LinearRegression, QuantileRegressor, Ridge, effective_df
from tests.helpers import assert_close
from tests.linear import carcass


def refits(estimator, X, y):
    n = len(y)
    out = [np.arange(n) != i for i in range(n)]
    return np.mean([(y[i] - estimator.fit(X[k], y[k]).predict(X[[i]])[0]) ** 2 for i, k in enumerate(out)])


@pytest.mark.spec("ASM-26", "ASM-P15")
@given(st.integers(0, 10_000), st.floats(0.01, 100.0))
def test_the_shortcut_equals_refits_for_least_squares_and_ridge(seed, alpha):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(15, 3)), rng.normal(size=15)
    for estimator in (LinearRegression(), Ridge(alpha=alpha), Ridge(alpha=alpha, fit_intercept=False)):
        assert_close(loo_shortcut(estimator, y, X), refits(estimator, X, y), rtol=1e-6)


@pytest.mark.spec("ASM-P15")
@given(st.integers(0, 10_000))
def test_gcv_is_the_shortcut_where_leverages_are_equal(seed):
    rng = np.random.default_rng(seed)
    n = 12
    lags = np.minimum(np.arange(n), n - np.arange(n))
    S = np.array([np.roll(np.exp(-(lags**2) / 2.0), i) for i in range(n)])  # circulant: one value on the diagonal
    S /= S.sum(axis=1, keepdims=True)
    y = rng.normal(size=n)
    assert_close(gcv_score(S, y), loo_shortcut(S, y))


@pytest.mark.spec("ASM-26")
def test_carcass6_as_in_the_catalog():
    assert_close(loo_shortcut(LinearRegression(), carcass.y, carcass.X), 17.0065907, rtol=1e-7)
    assert_close(gcv_score(LinearRegression(), carcass.y, carcass.X), 8.7905722, rtol=1e-7)
    assert_close(gcv_score(LinearRegression(), carcass.y, carcass.X, df=3.0), 8.7905722, rtol=1e-7)


@pytest.mark.spec("ASM-26")
def test_any_linear_smoother_has_a_matrix(rng):
    X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    for estimator in (KNeighborsRegressor(3), KernelRidge(alpha=0.5, kernel=RBF()), Ridge(alpha=2.0)):
        assert_close(smoother_matrix(estimator, X) @ y, estimator.fit(X, y).predict(X))
    assert_close(np.trace(smoother_matrix(Ridge(2.0), X)), effective_df(Ridge(2.0).fit(X, y), X, count_intercept=True))
    assert_close(
        loo_shortcut(KernelRidge(alpha=0.5, kernel=RBF()), y, X), refits(KernelRidge(alpha=0.5, kernel=RBF()), X, y)
    )


def test_several_targets_average():
    S, Y = np.full((4, 4), 0.25), np.array([[1.0, 2.0], [2.0, 0.0], [3.0, 1.0], [4.0, 7.0]])
    assert_close(loo_shortcut(S, Y), (loo_shortcut(S, Y[:, 0]) + loo_shortcut(S, Y[:, 1])) / 2)


def test_nonlinear_smoothers_raise(rng):
    X, y = rng.normal(size=(15, 3)), rng.normal(size=15)
    for estimator in (Lasso(alpha=0.1), QuantileRegressor(alpha=0.0)):
        with pytest.raises(ValueError, match="not a linear smoother"):
            loo_shortcut(estimator, y, X)
    with pytest.raises(ValueError, match="`X` must be passed"):
        loo_shortcut(Ridge(), y)
    with pytest.raises(ValueError, match="`smoother` must have shape"):
        gcv_score(np.eye(3), y)
