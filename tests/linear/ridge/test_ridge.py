"""Ridge regression: acceptance values, optimality, agreement of all solvers, path and moments."""

import numpy as np
import pytest
import sklearn.linear_model as sk
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, sparse

from statlearn.linear import Lasso, Ridge, ridge_path
from tests.helpers import assert_close

CARCASS_X = np.column_stack([[17, 17, 14, 17, 14, 20], [51, 49, 38, 58, 51, 40]]).astype(float)
CARCASS_Y = np.array([56.5, 57.6, 55.9, 61.8, 63.0, 54.6])
EXACT = ["svd", "cholesky", "dual"]
ITERATIVE = ["lsqr", "sparse_cg", "sag", "saga"]


def objective(X, y, w, b, penalty, weights=None):
    weights = np.ones(len(y)) if weights is None else weights
    return np.sum(weights * (y - b - X @ w) ** 2) + penalty * np.sum(w**2)


def problem(rng, n=30, p=6):
    X = rng.normal(size=(n, p)) + 2.0
    return X, X @ rng.normal(size=p) + rng.normal(size=n) + 5.0


@pytest.mark.spec("LIN-09", "LIN-T6")
@pytest.mark.parametrize("solver", EXACT)
def test_acceptance_values_of_the_catalog(solver):
    expected = {
        1: ((-0.6429199, 0.3321777), 52.9523438, 1.9586737),
        10: ((-0.4807416, 0.3239069), 50.6720225, 1.6837881),
        100: ((-0.1380229, 0.2508931), 48.5096565, 0.9417071),
    }
    for alpha, (coef, intercept, df) in expected.items():
        model = Ridge(alpha=alpha, solver=solver).fit(CARCASS_X, CARCASS_Y)
        assert_close(model.coef_, coef, atol=1e-6)
        assert_close(model.intercept_, intercept, atol=1e-6)
        assert_close(ridge_path(CARCASS_X, CARCASS_Y, alphas=[alpha]).df, df, atol=1e-6)


@pytest.mark.spec("LIN-09")
@pytest.mark.parametrize("solver", [*EXACT, *ITERATIVE])
@pytest.mark.parametrize("shape", [(30, 6), (8, 20)])
def test_minimises_its_documented_objective(solver, shape, rng):
    X, y = problem(rng, *shape)
    weights = rng.uniform(0.2, 3.0, size=len(y))
    model = Ridge(alpha=0.7, solver=solver, tol=1e-12).fit(X, y, weights)
    residual = weights * (y - model.predict(X))
    # The gradient of the documented objective is zero.
    assert_close(X.T @ residual, 0.7 * model.coef_, atol=1e-7)
    assert_close(residual.sum(), 0.0, atol=1e-8)
    best = objective(X, y, model.coef_, model.intercept_, 0.7, weights)
    for step in 1e-2 * rng.normal(size=(10, X.shape[1] + 1)):
        assert objective(X, y, model.coef_ + step[1:], model.intercept_ + step[0], 0.7, weights) > best


@pytest.mark.spec("LIN-P8", "LIN-11")
@given(
    st.integers(2, 15),
    st.integers(1, 15),
    st.sampled_from([1e-3, 0.1, 1.0, 50.0]),
    st.booleans(),
    st.integers(0, 2**31),
)
def test_primal_dual_svd_and_augmented_rows_agree(n, p, alpha, fit_intercept, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, p)), rng.normal(size=n)
    fits = [Ridge(alpha=alpha, solver=s, fit_intercept=fit_intercept).fit(X, y) for s in EXACT]
    Xc, yc = (X - X.mean(0), y - y.mean()) if fit_intercept else (X, y)
    augmented = np.vstack([Xc, np.sqrt(alpha) * np.eye(p)])
    by_rows = np.linalg.lstsq(augmented, np.append(yc, np.zeros(p)), rcond=None)[0]
    dual = np.linalg.solve(Xc @ Xc.T + alpha * np.eye(n), yc)
    # The smallest penalty leaves a condition number near 1e5: half of the remaining digits.
    for model in fits:
        assert_close(model.coef_, by_rows, rtol=1e-6, atol=1e-8)
        assert_close(model.dual_coef_, dual, rtol=1e-5, atol=1e-7)
        assert_close(Xc.T @ model.dual_coef_, model.coef_, rtol=1e-6, atol=1e-8)


@pytest.mark.spec("LIN-11")
@pytest.mark.parametrize("solver", [*EXACT, "sparse_cg"])
@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_dual_coefficients_with_weights_rebuild_the_slopes(solver, alpha, rng):
    X, Y = rng.normal(size=(12, 4)), rng.normal(size=(12, 2))
    weights = rng.uniform(0.5, 2.0, 12)
    model = Ridge(alpha=alpha, solver=solver, tol=1e-14).fit(X, Y, weights)
    centred = X - np.average(X, axis=0, weights=weights)
    assert model.dual_coef_.shape == (12, 2)
    assert_close((centred.T @ model.dual_coef_).T, model.coef_, atol=1e-8)
    if alpha:
        assert_close(model.dual_coef_, weights[:, None] * (Y - model.predict(X)) / alpha, atol=1e-8)


@pytest.mark.spec("LIN-09")
@pytest.mark.parametrize("shape", [(40, 7), (7, 40)])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_agrees_with_scikit_learn(shape, fit_intercept, rng):
    X, _ = problem(rng, *shape)
    Y = rng.normal(size=(shape[0], 3))
    weights = rng.uniform(0, 2, shape[0])
    alpha = [0.1, 1.0, 10.0]
    ours = Ridge(alpha, fit_intercept=fit_intercept).fit(X, Y, weights)
    theirs = sk.Ridge(alpha, fit_intercept=fit_intercept, solver="svd").fit(X, Y, weights)
    assert_close(ours.coef_, theirs.coef_)
    assert_close(ours.intercept_, theirs.intercept_)
    assert ours.solver_ == ("cholesky" if shape[0] > shape[1] else "dual")


@pytest.mark.spec("LIN-P7")
@given(st.integers(0, 2**31))
def test_limits_and_monotone_norm(seed):
    rng = np.random.default_rng(seed)
    X, y = problem(rng, 25, 5)
    least_squares = np.linalg.lstsq(np.column_stack([np.ones(25), X]), y, rcond=None)[0]
    model = Ridge(alpha=0.0).fit(X, y)
    assert_close(np.append(model.intercept_, model.coef_), least_squares, rtol=1e-6)
    path = ridge_path(X, y, alphas=np.logspace(12, -8, 60))
    assert np.all(np.diff(np.linalg.norm(path.coefs, axis=0)) > 0)
    assert np.all(np.diff(path.df) > 0)
    assert_close(path.coefs[:, 0], 0.0, atol=1e-8)
    assert_close(path.intercepts[0], y.mean(), rtol=1e-6)
    assert_close(path.df[[0, -1]], [0, 5], atol=1e-6)


@pytest.mark.spec("LIN-09")
def test_penalty_scales_and_penalised_intercept(rng):
    X, y = problem(rng)
    plain = Ridge(alpha=3.0).fit(X, y)
    assert_close(Ridge(alpha=3.0, penalty_scale="rss").fit(X, y).coef_, plain.coef_)
    assert_close(Ridge(alpha=1.5, penalty_scale="half_rss").fit(X, y).coef_, plain.coef_)
    ones = np.column_stack([X, np.ones(len(y))])
    everything = np.linalg.solve(ones.T @ ones + 3.0 * np.eye(7), ones.T @ y)
    for solver in [*EXACT, "sparse_cg"]:
        model = Ridge(alpha=3.0, penalize_intercept=True, solver=solver, tol=1e-13).fit(X, y)
        assert_close(np.append(model.coef_, model.intercept_), everything, rtol=1e-6)
    model = Ridge(alpha=3.0, penalize_intercept=True).fit(sparse.csr_array(X), y)
    assert_close(np.append(model.coef_, model.intercept_), everything)


@pytest.mark.spec("LIN-09")
@pytest.mark.parametrize("container", [sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.csr_matrix])
@pytest.mark.parametrize("solver", ["auto", "cholesky", "dual", "sparse_cg", "lsqr", "saga"])
@pytest.mark.parametrize("shape", [(40, 8), (8, 40)])
def test_sparse_equals_dense(container, solver, shape, rng):
    X = rng.normal(size=shape) * (rng.random(shape) < 0.3)
    X[0] = 1.0
    y = rng.normal(size=shape[0])
    weights = rng.uniform(0.5, 2, shape[0])
    dense = Ridge(solver="svd").fit(X, y, weights)
    model = Ridge(solver=solver, tol=1e-12).fit(container(X), y, weights)
    assert_close(model.coef_, dense.coef_, atol=1e-8)
    assert_close(model.intercept_, dense.intercept_, atol=1e-8)
    assert_close(model.dual_coef_, dense.dual_coef_, atol=1e-8)
    assert_close(model.predict(container(X)), dense.predict(X), atol=1e-8)


@pytest.mark.spec("LIN-09")
@pytest.mark.parametrize("solver", ["auto", "lbfgs"])
@pytest.mark.parametrize("shape", [(40, 8), (10, 25)])
def test_non_negative_slopes_meet_the_optimality_conditions(solver, shape, rng):
    X, _ = problem(rng, *shape)
    y = X @ np.where(np.arange(shape[1]) % 2, 1.0, -1.0) + rng.normal(size=shape[0])
    model = Ridge(alpha=0.5, positive=True, solver=solver, tol=1e-10).fit(X, y)
    gradient = 0.5 * model.coef_ - (X - X.mean(0)).T @ (y - model.predict(X))
    assert np.all(model.coef_ >= 0)
    assert np.any(model.coef_ == 0)
    assert np.all(gradient > -1e-4)
    assert np.abs(gradient * model.coef_).max() < 1e-3
    if solver == "auto":
        augmented = np.vstack([X - X.mean(0), np.sqrt(0.5) * np.eye(shape[1])])
        reference = optimize.nnls(augmented, np.append(y - y.mean(), np.zeros(shape[1])))[0]
        assert_close(model.coef_, reference, atol=1e-8)


def test_penalised_intercept_stays_free_in_a_non_negative_fit(rng):
    X = rng.uniform(1, 2, size=(30, 3))
    y = X @ [1.0, 2.0, 0.0] - 20.0
    model = Ridge(alpha=0.1, positive=True, penalize_intercept=True).fit(X, y)
    assert model.intercept_ < 0
    assert np.all(model.coef_ >= 0)


def test_float32_stays_and_is_accumulated_in_double(rng):
    X, y = problem(rng, 2000, 5)
    X += 1000.0
    double = Ridge().fit(X.astype(np.float32).astype(np.float64), y.astype(np.float32).astype(np.float64))
    single = Ridge().fit(X.astype(np.float32), y.astype(np.float32))
    assert single.coef_.dtype == np.float32
    assert single.predict(X.astype(np.float32)).dtype == np.float32
    assert_close(single.coef_, double.coef_, rtol=1e-6)


@pytest.mark.parametrize(
    "params, message",
    [
        ({"alpha": [1.0, -1.0]}, "alpha must be finite and non-negative"),
        ({"alpha": [1.0, np.nan]}, "alpha must be finite"),
        ({"alpha": [1.0, 2.0, 3.0]}, "do not correspond: 3 != 2"),
        ({"solver": "lbfgs"}, "only when positive=True"),
        ({"solver": "svd", "positive": True}, "does not support positive"),
    ],
)
def test_wrong_settings_are_refused(params, message, rng):
    with pytest.raises(ValueError, match=message):
        Ridge(**params).fit(rng.normal(size=(5, 2)), rng.normal(size=(5, 2)))


def test_summary_is_refused_with_the_reason():
    with pytest.raises(ValueError, match="penalty biases the coefficients"):
        Ridge().fit(CARCASS_X, CARCASS_Y).summary()


@pytest.mark.spec("LIN-P23")
def test_ridge_beats_least_squares_when_p_is_near_n():
    rng = np.random.default_rng(0)
    errors = []
    for _ in range(60):
        X, X_new = rng.normal(size=(50, 45)), rng.normal(size=(500, 45))
        beta = 0.3 * rng.normal(size=45)
        y = X @ beta + rng.normal(size=50)
        errors.append([np.mean((X_new @ beta - Ridge(alpha=a).fit(X, y).predict(X_new)) ** 2) for a in (0.0, 10.0)])
    difference = np.subtract(*np.transpose(errors))
    assert difference.mean() > 4 * difference.std() / np.sqrt(60)


@pytest.mark.spec("LIN-P4")
@given(st.sampled_from([Ridge(2.0), Lasso(0.02)]), st.sampled_from([1e-2, 0.5, 3.0, 1e2]), st.integers(0, 2**31))
def test_units_of_a_column_matter_to_a_penalty_its_origin_does_not(model, scale, seed):
    X, y = problem(np.random.default_rng(seed))
    y = y + 3.0 * X[:, 0]  # the column that changes is one that the lasso keeps
    before = model.set_params(tol=1e-12).fit(X, y).predict(X)
    units, origin = X.copy(), X.copy()
    units[:, 0] *= scale
    origin[:, 0] += 10.0 * scale
    assert np.abs(model.fit(units, y).predict(units) - before).max() > 1e-5 * np.ptp(y)
    assert_close(model.fit(origin, y).predict(origin), before, rtol=1e-6, atol=1e-6 * np.ptp(y))
