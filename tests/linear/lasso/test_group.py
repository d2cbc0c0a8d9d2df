import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso as PeerLasso

from statlearn import threads
from statlearn.linear import GroupLasso, GroupLassoCV, LassoLars, group_lasso_path
from tests.helpers import assert_close


def problem(rng, n=40, sizes=(3, 1, 4, 2, 5)):
    groups = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.normal(size=(n, len(groups))) + 0.5 * rng.normal(size=(n, 1)) + 2.0
    coef = np.where(np.isin(groups, [0, 3]), rng.normal(size=len(groups)), 0.0)
    order = rng.permutation(len(groups))
    return X[:, order], X @ coef + 0.5 * rng.normal(size=n), groups[order]


def objective(X, y, w, b, alpha, groups, weights=None):
    """The docstring formula, literally."""
    penalty = sum(
        (np.sqrt(np.sum(groups == g)) if weights is None else weights[k]) * np.linalg.norm(w[groups == g])
        for k, g in enumerate(np.unique(groups))
    )
    return np.mean((y - b - X @ w) ** 2) / 2 + alpha * penalty


def assert_optimal(X, y, coef, alpha, groups, weights=None, tol=1e-6):
    """A zero group has |X_g'r|/n <= alpha c_g, another X_g'r/n = alpha c_g w_g/|w_g|."""
    Xc, yc = X - X.mean(axis=0), y - y.mean()
    gradient = Xc.T @ (yc - Xc @ coef) / len(y)
    for k, g in enumerate(np.unique(groups)):
        at = groups == g
        c = np.sqrt(at.sum()) if weights is None else weights[k]
        size = np.linalg.norm(coef[at])
        if size == 0:
            assert np.linalg.norm(gradient[at]) <= alpha * c + tol
        else:
            assert np.all(coef[at] != 0)
            assert_close(gradient[at], alpha * c * coef[at] / size, atol=tol)


@pytest.mark.spec("LIN-23", "LIN-P17")
@given(st.integers(0, 10**6), st.sampled_from([0.02, 0.1, 0.3, 1.0]), st.booleans())
def test_optimality_and_whole_groups(seed, share, wide):
    rng = np.random.default_rng(seed)
    X, y, groups = problem(rng, n=12 if wide else 40)
    Xc = X - X.mean(axis=0)
    largest = max(
        np.linalg.norm(Xc[:, groups == g].T @ (y - y.mean())) / len(y) / np.sqrt((groups == g).sum()) for g in range(5)
    )
    model = GroupLasso(share * largest, groups=groups, tol=1e-12, max_iter=10**6).fit(X, y)
    assert_optimal(X, y, model.coef_, share * largest, groups)
    assert_close(model.intercept_, y.mean() - X.mean(axis=0) @ model.coef_, atol=0)
    at_zero = np.mean((y - y.mean()) ** 2) / 2
    assert model.dual_gap_ <= 1e-12 * at_zero
    if share == 1.0:
        assert_close(model.coef_, 0.0, atol=1e-8)


def test_documented_objective_is_minimised(rng):
    X, y, groups = problem(rng)
    model = GroupLasso(0.1, groups=groups, tol=1e-12).fit(X, y)
    best = objective(X, y, model.coef_, model.intercept_, 0.1, groups)
    start = np.append(model.coef_ + 0.1, model.intercept_)
    found = minimize(lambda z: objective(X, y, z[:-1], z[-1], 0.1, groups), start, method="Powell").fun
    assert best <= found + 1e-9
    zero = objective(X, y, np.zeros(15), y.mean(), 0.1, groups)
    loose = GroupLasso(0.1, groups=groups, tol=1e-3).fit(X, y)
    excess = objective(X, y, loose.coef_, loose.intercept_, 0.1, groups) - best
    assert excess <= loose.dual_gap_ + 1e-12
    assert loose.dual_gap_ <= 1e-3 * zero


@pytest.mark.spec("LIN-P17")
@given(st.integers(0, 10**6), st.sampled_from([0.01, 0.1, 0.5]))
def test_singleton_groups_are_the_lasso(seed, alpha):
    X, y, _ = problem(np.random.default_rng(seed))
    group = GroupLasso(alpha, tol=1e-13, max_iter=10**6).fit(X, y)
    assert_close(group.coef_, LassoLars(alpha).fit(X, y).coef_, atol=1e-5)
    peer = PeerLasso(alpha, tol=1e-12, max_iter=10**6).fit(X, y)
    assert_close(group.coef_, peer.coef_, atol=1e-5)


@pytest.mark.spec("LIN-23")
def test_path_equals_single_fits_in_both_modes():
    # 12 rows and 60 columns leave the Gram matrix for the residual on the way down.
    for n, sizes in ((12, (4,) * 15), (80, (3, 1, 4, 2, 5))):
        rng = np.random.default_rng(n)
        X, y, groups = problem(rng, n=n, sizes=sizes)
        X, y = X - X.mean(axis=0), y - y.mean()
        alphas, coefs, gaps = group_lasso_path(X, y, groups=groups, n_alphas=15, eps=1e-2, tol=1e-11, max_iter=10**6)
        assert np.all(np.diff(alphas) < 0)
        assert not coefs[:, 0].any()
        assert np.all(gaps <= 1e-11 * np.mean(y**2) / 2)
        for k in (3, 8, 14):
            assert_optimal(X, y, coefs[:, k], alphas[k], groups)
            single = GroupLasso(alphas[k], groups=groups, tol=1e-11, max_iter=10**6).fit(X, y)
            assert_close(X @ single.coef_, X @ coefs[:, k], atol=1e-4 * np.abs(y).max())


def test_orthonormal_groups_shrink_by_the_block_formula():
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.normal(size=(30, 6)))[0] * np.sqrt(30)
    y = Q @ np.array([3.0, 4.0, 0.1, 0.1, 1.0, 0.0]) + 1e-3 * rng.normal(size=30)
    groups, alpha = np.array([0, 0, 1, 1, 2, 2]), 0.5
    coef = GroupLasso(alpha, groups=groups, fit_intercept=False, tol=1e-14).fit(Q, y).coef_
    ols = Q.T @ y / 30
    for g in range(3):
        at = groups == g
        factor = max(0.0, 1 - alpha * np.sqrt(2) / np.linalg.norm(ols[at]))
        assert_close(coef[at], factor * ols[at], atol=1e-7)


def test_unpenalised_groups_and_custom_weights(rng):
    X, y, groups = problem(rng)
    weights = np.array([1.0, 0.0, 2.0, 0.5, 3.0])
    model = GroupLasso(0.05, groups=groups, group_weights=weights, tol=1e-12, max_iter=10**6).fit(X, y)
    assert_optimal(X, y, model.coef_, 0.05, groups, weights)
    strong = GroupLasso(1e3, groups=groups, group_weights=weights, tol=1e-13).fit(X, y)
    free = groups == 1
    design = np.column_stack([np.ones(len(y)), X[:, free]])
    assert_close(strong.coef_[free], np.linalg.lstsq(design, y, rcond=None)[0][1:], rtol=1e-6, atol=0)
    assert not strong.coef_[~free].any()
    first = group_lasso_path(X, y, groups=groups, group_weights=weights, n_alphas=3)[1][:, 0]
    assert not first[~free].any()
    assert first[free].all()


def test_penalty_scales(rng):
    X, y, groups = problem(rng)
    n = len(y)
    plain = GroupLasso(0.1, groups=groups, tol=1e-10).fit(X, y)
    half = GroupLasso(0.1 * n, groups=groups, tol=1e-10, penalty_scale="half_rss").fit(X, y)
    full = GroupLasso(0.2 * n, groups=groups, tol=1e-10, penalty_scale="rss").fit(X, y)
    for other in (half, full):
        assert_close(other.coef_, plain.coef_, atol=1e-10)
    assert_close(half.dual_gap_, n * plain.dual_gap_, rtol=1e-6, atol=1e-12)


@given(st.integers(0, 10**6))
def test_weights_count_copies(seed):
    rng = np.random.default_rng(seed)
    X, y, groups = problem(rng, n=30)
    w = rng.integers(0, 4, size=30)
    a = GroupLasso(0.1, groups=groups, tol=1e-12).fit(X, y, sample_weight=w)
    b = GroupLasso(0.1, groups=groups, tol=1e-12).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert_close(a.coef_, b.coef_, atol=1e-6)
    assert_close(a.intercept_, b.intercept_, atol=1e-5)


@pytest.mark.spec("LIN-23")
def test_cross_validation_keeps_the_curve(rng):
    X, y, groups = problem(rng, n=60)
    model = GroupLassoCV(groups=groups, cv=4, alphas=20, tol=1e-8).fit(X, y)
    fold = np.arange(60) // 15
    for k in (2, 10):
        for f in range(4):
            inner = GroupLasso(model.alphas_[k], groups=groups, tol=1e-10).fit(X[fold != f], y[fold != f])
            error = np.mean((y[fold == f] - inner.predict(X[fold == f])) ** 2)
            assert_close(model.mse_path_[k, f], error, rtol=1e-3, atol=0)
    assert model.alpha_ == model.alphas_[np.argmin(model.mse_path_.mean(axis=1))]
    single = GroupLasso(model.alpha_, groups=groups, tol=1e-10).fit(X, y)
    assert_close(model.coef_, single.coef_, atol=1e-3)
    one_se = GroupLassoCV(groups=groups, cv=4, alphas=20, rule="one_se").fit(X, y)
    assert one_se.alpha_ >= model.alpha_
    threaded = GroupLassoCV(groups=groups, cv=4, alphas=20, tol=1e-8, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(threaded.mse_path_, model.mse_path_)
    half = GroupLassoCV(groups=groups, cv=4, alphas=20, tol=1e-8, penalty_scale="half_rss").fit(X, y)
    assert_close(half.alpha_, 60 * model.alpha_, atol=0)


@pytest.mark.parametrize("form", [np.asarray, sparse.csc_array])
def test_the_answer_does_not_depend_on_threads(rng, form):
    X, y, groups = problem(rng, n=200, sizes=(5,) * 60)
    paths = []
    for n in (1, 2):
        with threads(n):
            paths.append(group_lasso_path(form(X), y, groups=groups, n_alphas=20)[1])
    np.testing.assert_array_equal(paths[0], paths[1])


@pytest.mark.spec("LIN-23")
@pytest.mark.parametrize("n", [30, 300])  # cross-products of all columns, or blocks of them
def test_sparse_equals_dense(rng, n):
    X, y, groups = problem(rng, n=n, sizes=(4,) * 10)
    X = np.where(rng.random(X.shape) < 0.3, X, 0.0)
    S, w = sparse.csr_array(X), rng.integers(0, 3, size=n).astype(float)
    for options in ({}, {"fit_intercept": False}, {"group_weights": np.arange(10.0)}):
        settings = dict(groups=groups, tol=1e-12, max_iter=10**5, **options)
        dense = GroupLasso(0.05, **settings).fit(X, y, sample_weight=w)
        kept = GroupLasso(0.05, **settings).fit(S, y, sample_weight=w)
        assert_close(kept.coef_, dense.coef_, atol=1e-6)
        assert_close(kept.intercept_, dense.intercept_, atol=1e-6)
        assert_close(kept.predict(S), dense.predict(X), atol=1e-5)
    alphas, coefs, _ = group_lasso_path(X, y, groups=groups, n_alphas=10, tol=1e-11)
    others, same, _ = group_lasso_path(S, y, groups=groups, n_alphas=10, tol=1e-11)
    assert_close(others, alphas, atol=0)
    assert_close(same, coefs, atol=1e-5)
    dense, kept = (GroupLassoCV(groups=groups, cv=3, alphas=10, tol=1e-9).fit(A, y) for A in (X, S))
    assert_close(kept.mse_path_, dense.mse_path_, rtol=1e-4, atol=0)


def test_many_groups_in_blocks_are_optimal(rng):
    X, y, groups = problem(rng, n=60, sizes=(7, 1, 3, 9) * 12)  # more columns than one block holds, and than rows
    X, y = X - X.mean(axis=0), y - y.mean()
    alphas, coefs, gaps = group_lasso_path(X, y, groups=groups, n_alphas=30, eps=1e-2, tol=1e-11, max_iter=10**5)
    assert np.all(gaps <= 1e-11 * np.mean(y**2) / 2)
    for k in (0, 10, 20, 29):
        assert_optimal(X, y, coefs[:, k], alphas[k], groups)
    single = group_lasso_path(X.astype(np.float32), y, groups=groups, alphas=alphas, tol=1e-6)[1]
    assert single.dtype == np.float32
    assert_close(X @ single, X @ coefs, atol=1e-2 * np.abs(y).max())


def test_constant_and_duplicate_columns(rng):
    X, y, groups = problem(rng)
    X = np.column_stack([X, X[:, 0], np.full(len(y), 7.0)])
    groups = np.append(groups, [groups[0], groups[0]])
    model = GroupLasso(0.05, groups=groups, tol=1e-10).fit(X, y)
    assert_close(model.coef_[0], model.coef_[-2], rtol=1e-5, atol=0)
    assert abs(model.coef_[-1]) < 1e-10
    assert np.isfinite(model.coef_).all()


def test_bad_arguments_are_named(rng):
    X, y, groups = problem(rng)
    with pytest.raises(ValueError, match="groups"):
        GroupLasso(groups=groups[:-1]).fit(X, y)
    with pytest.raises(ValueError, match="group_weights"):
        GroupLasso(groups=groups, group_weights=[1, 2]).fit(X, y)
    with pytest.raises(ValueError, match="group_weights"):
        GroupLasso(groups=groups, group_weights=[1, 2, 3, 4, -1]).fit(X, y)
    with pytest.raises(ValueError, match="alphas"):
        group_lasso_path(X, y, alphas=[])
    with pytest.raises(ValueError, match="alphas"):
        group_lasso_path(X, y, alphas=[1.0, np.nan])
    with pytest.warns(ConvergenceWarning, match="duality gap"):
        GroupLasso(0.001, groups=groups, max_iter=1, tol=1e-10).fit(X, y)


def test_a_fold_without_weight_is_refused():
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20.0)
    weights = np.repeat([0.0, 1.0], 10)
    with pytest.raises(ValueError, match="sample_weight` is 0 for all test rows of a fold"):
        GroupLassoCV(cv=2).fit(X, y, sample_weight=weights)


def test_columns_whose_products_overflow_are_refused(rng):
    """The path to the penalty once began at infinity, infinitely many steps away."""
    X = rng.normal(size=(40, 4))
    with pytest.raises(ValueError, match="so large or so small"):
        GroupLasso().fit(1e200 * X, X.sum(axis=1))
