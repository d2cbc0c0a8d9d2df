"""Recursive least squares and the Sherman-Morrison formula."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.linear import LinearRegression, RecursiveLeastSquares, sherman_morrison
from tests.helpers import assert_close
from tests.linear import carcass


def vector(model):
    return np.array([model.intercept_, *model.coef_])


@pytest.mark.spec("LIN-07", "LIN-T10")
def test_carcass_row_by_row():
    model = RecursiveLeastSquares().fit(carcass.X[:4], carcass.y[:4])
    assert_close(vector(model), [59.6616915, -1.7412935, 0.5425373], atol=1e-6)
    model.partial_fit(carcass.X[4:5], carcass.y[4:5])
    assert_close(vector(model), [59.7797849, -1.7555699, 0.5449032], atol=1e-6)
    model.partial_fit(carcass.X[5:], carcass.y[5:])
    assert_close(vector(model), [53.3250694, -0.6680139, 0.3330417], atol=1e-6)
    assert model.n_samples_seen_ == 6


@pytest.mark.spec("LIN-07", "LIN-P5")
@given(seed=st.integers(0, 10_000), intercept=st.booleans(), weighted=st.booleans())
def test_after_every_row_it_is_the_batch_fit(seed, intercept, weighted):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(15, 3)) + 1.0, rng.normal(size=15)
    w = rng.integers(0, 3, size=15).astype(float) if weighted else np.ones(15)
    w[0] = 1.0
    stream = RecursiveLeastSquares(fit_intercept=intercept)
    for i in range(15):
        if w[i] == 0:
            continue
        stream.partial_fit(X[i : i + 1], y[i : i + 1], w[i : i + 1])
        batch = LinearRegression(fit_intercept=intercept).fit(X[: i + 1], y[: i + 1], w[: i + 1])
        # Just after the rank becomes full the system may be badly conditioned, and the recursion keeps that error.
        assert_close(stream.predict(X[: i + 1]), batch.predict(X[: i + 1]), rtol=1e-5, atol=1e-5)
    Z = np.column_stack([np.ones(15), X]) if intercept else X
    assert_close(stream.P_, np.linalg.inv(Z.T @ (w[:, None] * Z)), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(stream.P_, stream.P_.T)


@pytest.mark.spec("LIN-07")
@given(seed=st.integers(0, 10_000), exact=st.booleans(), cut=st.integers(1, 29))
def test_forgetting_minimises_the_discounted_sum(seed, exact, cut):
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(30, 2)), rng.normal(size=(30, 2))
    forget, delta = 0.9, None if exact else 0.5
    stream = RecursiveLeastSquares(forget=forget, delta=delta).partial_fit(X[:cut], Y[:cut])
    stream.partial_fit(X[cut:], Y[cut:])
    w = forget ** np.arange(29, -1, -1)
    Z = np.column_stack([np.ones(30), X])
    G = Z.T @ (w[:, None] * Z) + (0.0 if exact else forget**30 * delta) * np.eye(3)
    expected = np.linalg.solve(G, Z.T @ (w[:, None] * Y))
    assert_close(np.vstack([stream.intercept_, stream.coef_.T]), expected, rtol=1e-6, atol=1e-8)
    assert_close(stream.P_, np.linalg.inv(G), rtol=1e-6, atol=1e-8)


def test_before_full_rank_the_fit_has_minimum_norm(rng):
    X, y = rng.normal(size=(3, 6)), rng.normal(size=3)
    stream = RecursiveLeastSquares()
    for x, t in zip(X, y):
        stream.partial_fit([x], [t])
    assert stream.P_ is None
    assert_close(stream.coef_, LinearRegression().fit(X, y).coef_)
    stream.partial_fit(rng.normal(size=(10, 6)), rng.normal(size=10))
    assert stream.statistic_ is None
    assert stream.P_.shape == (7, 7)


def test_float32_streams_accumulate_in_double(rng):
    X = rng.normal(size=(400, 3)).astype(np.float32)
    y = (X @ np.array([1.0, 2.0, 3.0]) + 0.1 * rng.normal(size=400)).astype(np.float32)
    stream = RecursiveLeastSquares()
    for start in range(0, 400, 7):
        stream.partial_fit(X[start : start + 7], y[start : start + 7])
    assert stream.coef_.dtype == np.float32
    assert_close(stream.coef_, LinearRegression().fit(X, y).coef_, rtol=1e-6)


def test_changed_targets_are_refused(rng):
    X, y = rng.normal(size=(10, 2)), rng.normal(size=10)
    with pytest.raises(ValueError, match="target"):
        RecursiveLeastSquares().fit(X, y).partial_fit(X, np.column_stack([y, y]))


@pytest.mark.spec("LIN-08", "LIN-P5")
@given(seed=st.integers(0, 10_000), k=st.integers(1, 6))
def test_sherman_morrison_is_the_direct_inverse(seed, k):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(k, k)) + 4 * np.eye(k)
    u, v = rng.normal(size=(2, k))
    if abs(1 + v @ np.linalg.solve(A, u)) < 1e-3:
        return
    assert_close(sherman_morrison(np.linalg.inv(A), u, v), np.linalg.inv(A + np.outer(u, v)), rtol=1e-6)
    assert_close(sherman_morrison(np.linalg.inv(A @ A.T), u), np.linalg.inv(A @ A.T + np.outer(u, u)), rtol=1e-6)


@pytest.mark.spec("LIN-08")
def test_sherman_morrison_refuses_a_singular_result(rng):
    A = rng.normal(size=(4, 4)) + 4 * np.eye(4)
    u = rng.normal(size=4)
    v = rng.normal(size=4)
    v = -v / (v @ np.linalg.solve(A, u))
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        sherman_morrison(np.linalg.inv(A), u, v)
    with pytest.raises(ValueError, match=r"A_inv must be \(k, k\)"):
        sherman_morrison(np.ones((2, 3)), [1.0, 1.0])


def test_columns_of_a_fortran_table_or_frame_update_as_its_rows(rng):
    X, y = rng.normal(size=(30, 3)), rng.normal(size=30)
    rows = RecursiveLeastSquares().partial_fit(X[:15], y[:15]).partial_fit(X[15:], y[15:])
    columns = RecursiveLeastSquares().partial_fit(X[:15], y[:15]).partial_fit(np.asfortranarray(X[15:]), y[15:])
    np.testing.assert_array_equal(columns.coef_, rows.coef_)


@pytest.mark.spec("CRS-92")
def test_forgetting_the_last_row_by_hand():
    x, y = np.arange(1.0, 6.0)[:, None], np.array([1.0, 2.0, 2.0, 4.0, 5.0])
    model = RecursiveLeastSquares().fit(x, y)
    assert_close([model.intercept_, model.coef_[0]], [-0.2, 1.0])
    z = np.array([1.0, 5.0])
    assert_close(z @ model.P_ @ z, 0.6)
    assert_close(y[-1:] - model.predict(x[-1:]), [0.2])
    model.forget_rows(x[-1:], y[-1:])
    assert_close([model.intercept_, model.coef_[0]], [0.0, 0.9], atol=1e-12)
    assert model.n_samples_seen_ == 4


@pytest.mark.spec("CRS-92")
@pytest.mark.parametrize("delta", [None, 2.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_forgetting_rows_equals_a_fit_without_them(seed, delta, fit_intercept):
    rng = np.random.default_rng(seed)
    X, Y, weights = rng.normal(size=(60, 4)), rng.normal(size=(60, 2)), rng.uniform(0.5, 2, 60)
    model = RecursiveLeastSquares(delta=delta, fit_intercept=fit_intercept).fit(X, Y, weights)
    model.forget_rows(X[40:], Y[40:], weights[40:])
    refit = RecursiveLeastSquares(delta=delta, fit_intercept=fit_intercept).fit(X[:40], Y[:40], weights[:40])
    np.testing.assert_allclose(model.coef_, refit.coef_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.intercept_, refit.intercept_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.P_, refit.P_, rtol=1e-9, atol=1e-9)
    model.partial_fit(X[40:], Y[40:], weights[40:])
    everything = RecursiveLeastSquares(delta=delta, fit_intercept=fit_intercept).fit(X, Y, weights)
    np.testing.assert_allclose(model.coef_, everything.coef_, rtol=1e-9, atol=1e-9)


@pytest.mark.spec("CRS-92")
def test_a_row_that_alone_determines_a_coefficient_is_not_forgotten():
    X = np.array([[1.0, 0.0], [2.0, 0.0], [4.0, 0.0], [3.0, 1.0]])
    model = RecursiveLeastSquares().fit(X, [1.0, 2.0, 4.0, 9.0])
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="Row 1 of X cannot be forgotten: its leverage is 1"):
        model.forget_rows(X[2:], [4.0, 9.0])
    np.testing.assert_array_equal(model.coef_, before)
    with pytest.raises(ValueError, match="requires `forget`=1"):
        RecursiveLeastSquares(forget=0.9).fit(X, [1.0, 2.0, 4.0, 9.0]).forget_rows(X[:1], [1.0])
    with pytest.raises(ValueError, match="requires rows of full rank"):
        RecursiveLeastSquares().fit(X[:1], [1.0]).forget_rows(X[:1], [1.0])


@pytest.mark.spec("CRS-126")
def test_one_row_is_a_vector_and_a_number(rng):
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    steps = RecursiveLeastSquares()
    for x, value in zip(X, y):
        steps.partial_fit(x, value)
    assert_close(vector(steps), vector(LinearRegression().fit(X, y)))
    steps.partial_fit(X[0].tolist(), float(y[0]), sample_weight=2.0).forget_rows(X[0], y[0], sample_weight=2.0)
    assert_close(vector(steps), vector(LinearRegression().fit(X, y)))
    with pytest.raises(ValueError, match="Reshape your data"):
        steps.partial_fit(X[0], y[:3])
    with pytest.raises(ValueError, match="3 features"):
        steps.partial_fit(X[0, :2], y[0])
