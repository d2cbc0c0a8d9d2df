"""The search for the ridge penalty: leave-one-out from one decomposition, blocks of rows, folds."""

import numpy as np
import pytest
import sklearn.linear_model as sk
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.model_selection import GridSearchCV, KFold

import statlearn.linear.ridge._search as module
import statlearn.linear.ridge._spectrum as spectrum_module
from statlearn._core import native
from statlearn.linear import Ridge, RidgeCV
from tests.helpers import assert_close

ALPHAS = np.logspace(-3, 3, 7)


def problem(rng, n=25, p=6, m=None):
    X = rng.normal(size=(n, p)) + 1.0
    shape = n if m is None else (n, m)
    return X, (X[:, 0] if m is None else X[:, :1]) + rng.normal(size=shape) + 3.0


def refits(X, y, alpha, weights=None, fit_intercept=True):
    """Leave-one-out predictions the slow way."""
    n = len(y)
    predictions = []
    for i in range(n):
        keep = np.arange(n) != i
        model = Ridge(alpha, solver="svd", fit_intercept=fit_intercept)
        model.fit(X[keep], y[keep], None if weights is None else weights[keep])
        predictions.append(model.predict(X[[i]])[0])
    return np.array(predictions)


@pytest.mark.spec("LIN-13", "LIN-P6")
@given(
    st.sampled_from([(12, 3), (12, 11), (12, 12), (8, 20)]),
    st.booleans(),
    st.booleans(),
    st.integers(0, 2**31),
)
def test_leave_one_out_shortcut_equals_refits(shape, fit_intercept, weighted, seed):
    rng = np.random.default_rng(seed)
    X, y = problem(rng, *shape)
    weights = rng.uniform(0.3, 2.0, shape[0]) if weighted else None
    alphas = [0.01, 1.0, 100.0]
    model = RidgeCV(alphas, fit_intercept=fit_intercept, store_cv_results=True).fit(X, y, weights)
    for k, alpha in enumerate(alphas):
        errors = (y - refits(X, y, alpha, weights, fit_intercept)) ** 2
        expected = errors if weights is None else weights * errors
        assert_close(model.cv_results_[:, k], expected, rtol=1e-5, atol=1e-8)  # 1 - h near 0 costs digits
    best = np.argmin(model.cv_results_.mean(axis=0))
    assert model.alpha_ == alphas[best]
    assert_close(model.best_score_, -model.cv_results_[:, best].mean())
    assert_close(model.coef_, Ridge(model.alpha_, fit_intercept=fit_intercept).fit(X, y, weights).coef_, rtol=1e-6)


@pytest.mark.spec("LIN-13")
@pytest.mark.parametrize("shape", [(60, 8), (15, 30)])
@pytest.mark.parametrize("mode", ["auto", "eigen", "svd", None])
def test_modes_and_sparse_input_agree(shape, mode, rng):
    X, y = problem(rng, *shape)
    X[rng.random(shape) < 0.5] = 0.0
    reference = RidgeCV(ALPHAS, gcv_mode="svd", store_cv_results=True).fit(X, y)
    model = RidgeCV(ALPHAS, gcv_mode=mode, store_cv_results=True).fit(X, y)
    assert_close(model.cv_results_, reference.cv_results_, rtol=1e-6)
    if mode != "svd":
        model = RidgeCV(ALPHAS, gcv_mode=mode, store_cv_results=True).fit(sparse.csr_array(X), y)
        assert_close(model.cv_results_, reference.cv_results_, rtol=1e-6)
    else:
        with pytest.warns(FutureWarning, match="does not support sparse"):
            RidgeCV(ALPHAS, gcv_mode=mode).fit(sparse.csr_array(X), y)


def test_rows_come_in_blocks(rng, monkeypatch):
    X, y = problem(rng, 50, 4)
    whole = RidgeCV(ALPHAS, store_cv_results=True).fit(X, y)
    monkeypatch.setattr(module, "RESIDUALS", 7 * len(ALPHAS))
    blocked = RidgeCV(ALPHAS, store_cv_results=True).fit(X, y)
    assert_close(blocked.cv_results_, whole.cv_results_)
    assert_close(blocked.cv_curve_.std_error, whole.cv_curve_.std_error)


@pytest.mark.spec("LIN-13")
def test_the_whole_grid_costs_one_decomposition(rng, monkeypatch):
    """The operation count behind the speed: one cross-product pass, one eigen-decomposition, whatever the grid."""
    counts = {"products": 0, "eigh": 0}
    products, eigh = spectrum_module.CrossProducts.from_block, spectrum_module.linalg.eigh

    def counted_products(*args, **kwargs):
        counts["products"] += 1
        return products(*args, **kwargs)

    def counted_eigh(*args, **kwargs):
        counts["eigh"] += 1
        return eigh(*args, **kwargs)

    monkeypatch.setattr(spectrum_module.CrossProducts, "from_block", counted_products)
    monkeypatch.setattr(spectrum_module.linalg, "eigh", counted_eigh)
    X, y = problem(rng, 80, 5)
    RidgeCV(np.logspace(-2, 2, 50)).fit(X, y)
    assert counts == {"products": 1, "eigh": 1}


def test_folds_survive_an_outlying_fold(rng):
    """Subtracting a fold with huge values would leave no digits of the others: they are summed again."""
    X, y = problem(rng, 60, 3)
    X[:15] *= 1e9
    cv = KFold(4)
    search = GridSearchCV(sk.Ridge(solver="svd"), {"alpha": [1.0]}, cv=cv, scoring="neg_mean_squared_error").fit(X, y)
    model = RidgeCV([1.0], cv=cv, scoring="neg_mean_squared_error").fit(X, y)
    assert_close(-model.cv_curve_.loss[0, 0], search.cv_results_["split0_test_score"][0], rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("shape", [(1, 1, 1), (13, 5, 3), (101, 7, 7), (500, 300, 299)])
def test_the_kernel_is_its_formula(rng, shape, dtype):
    n, p, r = shape
    m, k = 2, 3
    X = rng.normal(size=(n, p)).astype(dtype)
    mean, root, V = rng.normal(size=p), rng.uniform(0.5, 1.5, size=n), rng.normal(size=(p, r)) / p
    fits, shrink = rng.normal(size=(r, m * k)), rng.uniform(size=(r, k)) / r
    B, base = rng.normal(size=(n, m)), rng.uniform(size=n) / 4
    Z = (root[:, None] * (X - mean)) @ V
    kept = np.maximum(1.0 - base[:, None] - Z**2 @ shrink, 0.5)
    expected = (B[:, :, None] - (Z @ fits).reshape(n, m, k)) / kept[:, None, :]
    for layout in (X, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2]):
        found = np.empty((n, m * k))
        native.linear.ridge_loo(layout, mean, root, V, fits, shrink, B, base, 0.5, found)
        assert_close(found.reshape(n, m, k), expected, rtol=1e-11, atol=1e-12)
    plain = np.empty((n, m * k))
    native.linear.ridge_loo(X - mean.astype(dtype), None, None, V, fits, shrink, B, base, 0.5, plain)
    native.linear.ridge_loo(X - mean.astype(dtype), np.zeros(p), np.ones(n), V, fits, shrink, B, base, 0.5, found)
    assert np.array_equal(plain, found)
