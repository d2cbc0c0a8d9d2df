"""Varying coefficients: local least squares written out, limits, standard errors, bandwidths."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from statlearn.smooth import GAM, LocalPolynomialRegressor, VaryingCoefficientModel, kernel_profile, s
from tests.helpers import assert_close


def problem(rng, n=80):
    z, x = rng.uniform(size=n), 5 + rng.normal(size=(n, 2))
    y = np.sin(4 * z) + (1 + z**2) * x[:, 0] - np.cos(3 * z) * x[:, 1] + 0.2 * rng.normal(size=n)
    return z, x, y


def slow_fit(z, x, y, w, z0, h, degree, kernel):
    """Coefficients at z0 and the matrix that takes y to them, by a dense weighted least squares."""
    k = w * kernel_profile((z - z0) / h, kernel)
    H = np.column_stack([np.ones(len(z)), x])
    B = np.column_stack([H * ((z - z0) ** d)[:, None] for d in range(degree + 1)])
    root = np.sqrt(k)[:, None]
    L = np.linalg.pinv(B * root) * root.T
    return (L @ y)[: H.shape[1]], L[: H.shape[1]]


@pytest.mark.parametrize("kernel", ["tricube", "epanechnikov", "gaussian", "uniform"])
@pytest.mark.parametrize("degree", [0, 1, 2])
def test_coefficients_are_local_least_squares(kernel, degree, rng):
    z, x, y = problem(rng)
    w = rng.uniform(0.5, 2, size=len(z))
    model = VaryingCoefficientModel(1, bandwidth=0.4, degree=degree, kernel=kernel)
    model.fit(np.column_stack([x[:, 0], z, x[:, 1]]), y, sample_weight=w)
    coef, error = model.coefficients([0.1, 0.5, 0.93], return_std=True)
    at = np.array([[5.0, 0.5, 4.0], [6.0, 0.5, 7.0]])
    said, spread = model.predict(at, return_std=True)
    for z0, b, e in zip([0.1, 0.5, 0.93], coef, error, strict=True):
        slow, L = slow_fit(z, x, y, w, z0, 0.4, degree, kernel)
        assert_close(b, slow, rtol=1e-6, atol=1e-8)
        assert_close(e**2, model.sigma2_ * np.sum(L**2 / w, axis=1), rtol=1e-6)
    slow, L = slow_fit(z, x, y, w, 0.5, 0.4, degree, kernel)
    rows = np.column_stack([np.ones(2), at[:, [0, 2]]])
    assert_close(said, rows @ slow, rtol=1e-7)
    assert_close(spread**2, model.sigma2_ * np.sum((rows @ L) ** 2 / w, axis=1), rtol=1e-6)


def test_scores_come_from_the_smoother_matrix(rng):
    z, x, y = problem(rng, 50)
    X = np.column_stack([z, x])
    model = VaryingCoefficientModel(bandwidth=0.5).fit(X, y)
    S = np.array(
        [clone(model).fit(X, e).predict(X) for e in np.eye(50)]
    ).T  # the model is linear in y at a given bandwidth
    residual = y - S @ y
    assert_close(model.df_, np.trace(S), rtol=1e-6)
    assert_close(model.rss_, residual @ residual, rtol=1e-6)
    assert_close(model.sigma2_, residual @ residual / (50 - np.trace(2 * S - S @ S.T)), rtol=1e-6)
    refits = [y[i] - clone(model).fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[[i]])[0] for i in range(50)]
    assert_close(model.loo_, np.mean(np.square(refits)), rtol=1e-6)


@given(st.integers(0, 10**6))
def test_coefficients_that_are_polynomials_are_exact(seed):
    rng = np.random.default_rng(seed)
    z, x = rng.uniform(-1, 1, size=60), rng.normal(size=(60, 2))
    b, c = rng.normal(size=3), rng.normal(size=3)
    truth = b + c * z[:, None]
    model = VaryingCoefficientModel(bandwidth=0.9).fit(
        np.column_stack([z, x]), truth[:, 0] + np.sum(truth[:, 1:] * x, axis=1)
    )
    at = np.array([-0.9, 0.0, 0.5, 1.2])
    assert_close(model.coefficients(at), b + c * at[:, None], rtol=1e-6, atol=1e-7)


def test_an_intercept_alone_is_a_local_polynomial(rng):
    z, y = rng.uniform(size=(60, 1)), rng.normal(size=60)
    for settings in (dict(bandwidth=0.3), dict(n_neighbors=25)):
        ours = VaryingCoefficientModel(**settings).fit(z, y)
        other = LocalPolynomialRegressor(**settings).fit(z, y)
        at = np.linspace(-0.1, 1.1, 21)[:, None]
        assert_close(ours.predict(at), other.predict(at))
        assert_close([ours.df_, ours.loo_], [other.df_, other.loo_])


def test_a_huge_bandwidth_is_the_linear_model_with_products(rng):
    z, x, y = problem(rng)
    model = VaryingCoefficientModel(bandwidth=1e6).fit(np.column_stack([z, x]), y)
    B = np.column_stack([np.ones(80), x, z, x * z[:, None]])
    assert_close(model.predict(np.column_stack([z, x])), B @ np.linalg.lstsq(B, y, rcond=None)[0], rtol=1e-6)
    assert_close(model.df_, 6.0)


def test_weights_are_copies_and_neighbours_count_them(rng):
    z, x, y = problem(rng, 60)
    X, w = np.column_stack([z, x]), rng.integers(0, 4, size=60)
    rows = np.repeat(np.arange(60), w)
    for settings in (dict(), dict(n_neighbors=40), dict(bandwidth=0.3)):
        a = VaryingCoefficientModel(**settings).fit(X, y, sample_weight=w)
        b = VaryingCoefficientModel(**settings).fit(X[rows], y[rows])
        assert_close(a.predict(X), b.predict(X), rtol=1e-6)
        assert_close([a.df_, a.sigma2_, a.gcv_], [b.df_, b.sigma2_, b.gcv_], rtol=1e-6)


def test_chosen_bandwidth_finds_the_curves_and_agrees_with_splines():
    rng = np.random.default_rng(0)
    z, x = rng.uniform(size=1500), rng.normal(size=1500)
    y = np.sin(4 * z) + np.cos(5 * z) * x + 0.3 * rng.normal(size=1500)
    X = np.column_stack([z, x])
    model = VaryingCoefficientModel().fit(X, y)  # judged by 1000 rows
    at = np.linspace(0.02, 0.98, 50)
    coef, error = model.coefficients(at, return_std=True)
    truth = np.column_stack([np.sin(4 * at), np.cos(5 * at)])
    assert np.sqrt(np.mean((coef - truth) ** 2)) < 0.05
    assert np.mean(np.abs(coef - truth) < 2.5 * error) > 0.9
    assert abs(np.sqrt(model.sigma2_) - 0.3) < 0.02
    splines = GAM([s(0), s(0, by=1)]).fit(X, y)
    assert np.corrcoef(splines.predict(X), model.predict(X))[0, 1] > 0.998


def test_modifier_by_name_and_plot(rng):
    z, x, y = problem(rng)
    frame = pd.DataFrame({"a": x[:, 0], "age": z, "b": x[:, 1]})
    model = VaryingCoefficientModel("age").fit(frame, y)
    assert model.modifier_ == 1
    axes = model.plot()
    assert [ax.get_ylabel() for ax in axes] == ["intercept", "a", "b"]
    assert axes[0].get_xlabel() == "age"
    assert_close(VaryingCoefficientModel(-2).fit(frame, y).predict(frame), model.predict(frame))


@pytest.mark.parametrize(
    "settings, words",
    [
        (dict(modifier=3), "`modifier`=.* is out of range"),
        (dict(modifier="age"), "'age' is not a column"),
        (dict(bandwidth=0.0), "bandwidth"),
        (dict(bandwidth=1.0, n_neighbors=3), "not both"),
        (dict(n_neighbors=81), "`n_neighbors`=.* exceeds"),
        (dict(degree=3), "degree"),
    ],
)
def test_bad_settings_raise(settings, words, rng):
    z, x, y = problem(rng)
    with pytest.raises(ValueError, match=words):
        VaryingCoefficientModel(**settings).fit(np.column_stack([z, x]), y)


def test_windows_without_rows_and_a_constant_modifier_are_met(rng):
    z, x, y = problem(rng)
    X = np.column_stack([z, x])
    far = VaryingCoefficientModel(bandwidth=0.2).fit(X, y).predict([[9.0, 5.0, 5.0]])
    assert np.isfinite(far).all()
    X[:, 0] = 2.0
    B = np.column_stack([np.ones(80), x])
    model = VaryingCoefficientModel().fit(X, y)
    assert_close(model.predict(X), B @ np.linalg.lstsq(B, y, rcond=None)[0], rtol=1e-6)
    with pytest.raises(ValueError, match="besides the modifier"):
        VaryingCoefficientModel(fit_intercept=False).fit(X[:, :1], y)
    with pytest.raises(ValueError, match="z contains"):
        model.coefficients([np.nan])
