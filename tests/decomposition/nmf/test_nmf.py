"""Non-negative matrix factorisation against its formulae, its optimality conditions and scikit-learn."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn import decomposition as sk

from statlearn import threads
from statlearn._core import native
from statlearn.decomposition import NMF, MiniBatchNMF, non_negative_factorization, rank_cv
from tests.helpers import assert_close

LOSSES = ["frobenius", "kullback-leibler", "itakura-saito", 1.5, -0.5, 3.0]
X22 = np.array([[1.0, 2.0], [3.0, 4.0]])


def table(rng, n=30, p=8, k=3, noise=0.05):
    return rng.gamma(1.0, size=(n, k)) @ rng.gamma(1.0, size=(k, p)) + noise * rng.random((n, p)) + 1e-3


def divergence(X, Y, beta):
    """The beta divergence, literally, over the cells that are not NaN."""
    seen = ~np.isnan(X)
    x, y = X[seen], Y[seen]
    if beta == 2:
        return 0.5 * np.sum((x - y) ** 2)
    if beta == 1:
        return np.sum(np.where(x > 0, x * np.log(np.where(x > 0, x, 1) / y), 0) - x + y)
    if beta == 0:
        return np.sum(x / y - np.log(x / y) - 1)
    return np.sum(x**beta + (beta - 1) * y**beta - beta * x * y ** (beta - 1)) / (beta * (beta - 1))


def one_sweep(X, W, H, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return non_negative_factorization(X, W, H, init="custom", max_iter=1, solver="mu", tol=0.0, **options)[:2]


@pytest.mark.spec("DEC-18", "DEC-T7")
def test_one_multiplicative_sweep_of_the_printed_example():
    # Updating H first and then W is updating W first and then H of the transposed problem.
    Ht, Wt = one_sweep(X22.T.copy(), np.ones((2, 1)), np.ones((1, 2)))
    assert_close(Ht.ravel(), [2, 3])
    assert_close(Wt.ravel(), [8 / 13, 18 / 13])
    assert_close(np.sum((X22 - np.ones((2, 2))) ** 2), 14)
    assert_close(np.sum((X22 - Wt.T @ Ht.T) ** 2), 2 / 13)


@pytest.mark.spec("DEC-19", "DEC-T8")
def test_poisson_of_rank_one_is_the_product_of_the_margins_after_one_sweep():
    W, H = one_sweep(X22, np.ones((2, 1)), np.ones((1, 2)), beta_loss="kullback-leibler")
    assert_close(W @ H, [[1.2, 1.8], [2.8, 4.2]])


@pytest.mark.spec("DEC-P10")
@given(st.integers(0, 10_000), st.sampled_from(LOSSES))
def test_multiplicative_updates_never_raise_the_divergence(seed, beta_loss):
    rng = np.random.default_rng(seed)
    X = table(rng, 12, 6)
    beta = {"frobenius": 2, "kullback-leibler": 1, "itakura-saito": 0}.get(beta_loss, beta_loss)
    W, H = rng.random((12, 3)) + 0.1, rng.random((3, 6)) + 0.1
    before = divergence(X, W @ H, beta)
    for _ in range(5):
        W, H = one_sweep(X, W, H, beta_loss=beta_loss)
        after = divergence(X, W @ H, beta)
        assert after <= before * (1 + 1e-9)
        assert (W >= 0).all()
        assert (H >= 0).all()
        before = after


@pytest.mark.spec("DEC-P10", "DEC-21")
def test_the_multiplicative_step_is_a_gradient_step(rng):
    X, W, H = table(rng), rng.random((30, 3)), rng.random((3, 8))
    new, _ = one_sweep(X, W, H)
    gradient = W @ H @ H.T - X @ H.T
    assert_close(new, W - W / (W @ H @ H.T) * gradient)


@pytest.mark.spec("DEC-P10")
@pytest.mark.parametrize("solver", ["cd", "pg"])
@pytest.mark.parametrize("missing", [False, True])
def test_the_other_solvers_never_raise_the_objective(rng, solver, missing):
    X = table(rng)
    if missing:
        X[rng.random(X.shape) < 0.3] = np.nan
    W, H = rng.random((30, 3)), rng.random((3, 8))
    before = np.inf
    for _ in range(15):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            W, H, _ = non_negative_factorization(X, W, H, init="custom", max_iter=1, solver=solver, alpha_W=0.01)
        after = divergence(X, W @ H, 2) + 0.5 * 0.01 * (8 * np.sum(W**2) + 30 * np.sum(H**2))
        assert after <= before * (1 + 1e-9)
        before = after


@pytest.mark.spec("DEC-18", "DEC-20", "DEC-21")
@pytest.mark.parametrize("solver", ["cd", "pg"])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_the_solution_satisfies_the_optimality_conditions(rng, solver, l1_ratio):
    X = table(rng)
    n, p = X.shape
    tol = 1e-9 if solver == "cd" else 1e-5
    model = NMF(3, solver=solver, tol=tol, max_iter=20_000, alpha_W=0.01, alpha_H=0.02, l1_ratio=l1_ratio)
    W = model.fit_transform(X)
    H = model.components_
    for F, gradient in (
        (W, W @ H @ H.T - X @ H.T + 0.01 * p * (l1_ratio + (1 - l1_ratio) * W)),
        (H, W.T @ W @ H - W.T @ X + 0.02 * n * (l1_ratio + (1 - l1_ratio) * H)),
    ):
        scale = np.abs(X).max() * np.sqrt(n)
        assert np.abs(np.minimum(F, gradient)).max() < 1e4 * tol * scale


@pytest.mark.spec("DEC-18", "DEC-19")
@pytest.mark.parametrize("beta_loss", LOSSES)
def test_multiplicative_updates_agree_with_scikit_learn(rng, beta_loss):
    X = table(rng)
    W, H = rng.random((30, 3)), rng.random((3, 8))
    options = dict(n_components=3, init="custom", solver="mu", beta_loss=beta_loss, max_iter=20, alpha_W=0.01, tol=0)
    ours, theirs = NMF(**options), sk.NMF(**options)
    assert_close(ours.fit_transform(X, W=W, H=H), theirs.fit_transform(X, W=W.copy(), H=H.copy()), rtol=1e-6)
    assert_close(ours.components_, theirs.components_, rtol=1e-6)
    assert_close(ours.reconstruction_err_, theirs.reconstruction_err_, rtol=1e-6)


@pytest.mark.spec("DEC-18")
def test_coordinate_descent_matches_or_beats_scikit_learn(rng):
    X = table(rng, 60, 20, 5, noise=1.0)
    ours = NMF(5, random_state=0, max_iter=2000, tol=1e-6).fit(X)
    theirs = sk.NMF(5, random_state=0, max_iter=2000, tol=1e-6).fit(X)
    assert ours.reconstruction_err_ <= theirs.reconstruction_err_ * 1.002


@pytest.mark.parametrize("beta_loss", ["frobenius", "kullback-leibler", 1.5])
def test_sparse_and_dense_tables_give_the_same_factors(rng, beta_loss):
    X = np.where(rng.random((40, 9)) < 0.4, rng.random((40, 9)), 0.0)
    X[X.sum(axis=1) == 0, 0] = 1.0
    options = dict(n_components=3, init="random", random_state=0, solver="mu", beta_loss=beta_loss, max_iter=20, tol=0)
    dense, thin = NMF(**options).fit(X), NMF(**options).fit(sparse.csr_matrix(X))
    assert_close(dense.components_, thin.components_)
    assert_close(dense.reconstruction_err_, thin.reconstruction_err_)
    assert_close(dense.transform(X), thin.transform(sparse.csc_matrix(X)))


@pytest.mark.parametrize("options", [{}, {"solver": "pg"}, {"solver": "mu"}, {"solver": "mu", "beta_loss": 1}])
def test_missing_values_have_no_influence_and_are_recovered(rng, options):
    """A table of exact rank is completed; what stands in for a missing value in the file is never read."""
    X = (rng.random((40, 2)) + 0.1) @ (rng.random((2, 10)) + 0.1)
    holes = rng.random(X.shape) < 0.3
    with_nan = np.where(holes, np.nan, X)
    model = NMF(2, max_iter=4000, tol=1e-8, random_state=0, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        W = model.fit_transform(with_nan)
    completed = W @ model.components_
    assert np.abs(completed - X)[holes].max() < 0.02
    assert model.reconstruction_err_ < 0.06  # multiplicative updates converge slowly


def test_weights_of_a_row_with_missing_values_solve_its_own_least_squares(rng):
    from scipy.optimize import nnls

    X = table(rng)
    model = NMF(3, max_iter=3000).fit(X)
    new = table(rng)[:5]
    new[rng.random(new.shape) < 0.4] = np.nan
    new[:, 0] = 1.0
    W = model.transform(new)
    for row, w in zip(new, W):
        seen = ~np.isnan(row)
        assert_close(w, nnls(model.components_[:, seen].T, row[seen])[0], atol=1e-6)


@pytest.mark.parametrize("options", [{}, {"solver": "mu", "beta_loss": "kullback-leibler"}])
def test_a_row_is_transformed_the_same_in_any_company(rng, options):
    X = table(rng)
    model = NMF(3, max_iter=3000, **options).fit(X)
    together = model.transform(X)
    alone = np.vstack([model.transform(row[None]) for row in X])
    assert_close(together, alone)


@pytest.mark.spec("DEC-P10")
def test_scaling_the_factors_leaves_the_product(rng):
    X = table(rng)
    model = NMF(3, max_iter=3000)
    W = model.fit_transform(X)
    d = rng.random(3) + 0.5
    assert_close((W * d) @ (model.components_ / d[:, None]), W @ model.components_)


def test_the_rank_is_found_on_held_out_cells(rng):
    X = rng.gamma(0.5, size=(60, 3)) @ rng.gamma(0.5, size=(3, 12)) + 0.1 * rng.random((60, 12))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        curve = rank_cv(NMF(max_iter=300, random_state=0), X, range(1, 6), n_folds=3, random_state=0)
    assert curve.parameter[curve.best] == 3


@pytest.mark.parametrize(
    "X, message",
    [
        ([[1.0, -1.0]], r"Negative values in data passed to NMF \(input X\)\. Clip or shift .* PCA\."),
        ([[1.0, np.nan], [2.0, np.nan]], "no observed value in column 'x1'"),
        ([[1.0, 2.0], [np.nan, np.nan]], "no observed value in row 1"),
        ([[1.0, np.inf]], "infinity"),
    ],
)
def test_bad_tables_raise(X, message):
    with pytest.raises(ValueError, match=message):
        NMF(1).fit(X)


def test_losses_of_zero_or_less_refuse_zeros():
    with pytest.raises(ValueError, match="beta_loss <= 0 and X contains zeros"):
        NMF(1, solver="mu", beta_loss="itakura-saito").fit([[0.0, 1.0]])
    with pytest.raises(ValueError, match="solver 'pg' does not handle"):
        NMF(1, solver="pg", beta_loss=1).fit([[0.0, 1.0]])


def test_float32_stays_float32_and_agrees(rng):
    X = table(rng)
    for options in ({}, {"solver": "mu", "beta_loss": 1}):
        model = NMF(3, max_iter=50, tol=0, **options)
        W = model.fit_transform(X.astype(np.float32))
        assert W.dtype == model.components_.dtype == np.float32
        double = NMF(3, max_iter=50, tol=0, **options)
        assert_close(W @ model.components_, double.fit_transform(X) @ double.components_, rtol=2e-2)  # 24 bits


@pytest.mark.parametrize("beta_loss", ["frobenius", "kullback-leibler"])
def test_mini_batches_agree_with_scikit_learn(rng, beta_loss):
    X = table(rng, 60)
    W, H = rng.random((60, 3)), rng.random((3, 8))
    options = dict(n_components=3, init="custom", batch_size=20, max_iter=5, tol=0, beta_loss=beta_loss)
    ours, theirs = MiniBatchNMF(**options), sk.MiniBatchNMF(**options)
    ours.fit(X, W=W, H=H)
    theirs.fit(X, W=W.copy(), H=H.copy())
    assert_close(ours.components_, theirs.components_, rtol=1e-6)
    assert ours.n_steps_ == theirs.n_steps_


def test_mini_batches_of_a_stream_learn_the_parts(rng):
    model = MiniBatchNMF(2, random_state=0, fresh_restarts=True, forget_factor=0.9)
    parts = np.array([[1.0, 0, 2, 0], [0, 3.0, 0, 1]])
    for _ in range(60):
        model.partial_fit(rng.gamma(0.5, size=(50, 2)) @ parts)
    X = rng.gamma(0.5, size=(50, 2)) @ parts
    X[0, 0] = np.nan
    X[0, 1] = np.nan
    error = model.inverse_transform(model.transform(X)) - X
    assert np.nanmean(error**2) < 0.05 * np.nanvar(X)


def test_a_batch_of_empty_rows_does_not_end_the_fit(rng):
    X = np.zeros((60, 8))
    X[::2] = rng.random((30, 2)) @ rng.random((2, 8))
    X = X[np.argsort(np.arange(60) % 2 == 1, kind="stable")]  # the second half is empty: whole batches of nothing
    model = MiniBatchNMF(2, batch_size=10, init="nndsvda", random_state=0, max_iter=500, tol=1e-3).fit(X)
    assert model.n_steps_ > 12  # two passes; the first empty batch is the fourth
    assert model.reconstruction_err_ < 0.2 * np.linalg.norm(X)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("order", ["C", "F"])
def test_one_pass_updates_the_rows_and_gathers_the_products_with_the_new_ones(rng, missing, order):
    """More rows than a block, more columns than a panel, and none of them a multiple of a register."""
    n, p, k = 550, 113, 5
    X = np.asarray(table(rng, n, p, k), order=order)
    if missing:
        X[rng.random(X.shape) < 0.2] = np.nan
    W, H = rng.random((n, k)), rng.random((k, p))
    coordinates = np.arange(k, dtype=np.int32)

    steps = np.minimum(1 / (1 - np.isnan(X).mean(axis=1)), 1.9)

    def filled(W):
        return np.where(np.isnan(X), W @ H, X)

    expected = W.copy()
    products = np.ascontiguousarray(filled(W) @ H.T)
    violation = native.decomposition.nmf_coordinate_rows(products, H @ H.T, coordinates, 0.0, 0.0, 3, 0.0, expected)
    if missing:
        expected = np.maximum(W + steps[:, None] * (expected - W), 0.0)
    squares = np.sum((X - W @ H)[~np.isnan(X)] ** 2) if missing else 0.0
    updated, gathered = W.copy(), np.empty((p, k))
    facts = native.decomposition.nmf_alternating_pass(
        X, H, H @ H.T, coordinates, 0.0, 0.0, 3, 0.0, missing, steps if missing else np.empty(0), updated, gathered
    )
    assert_close(facts, (violation, np.abs(products).sum(), squares))
    assert_close(updated, expected)
    assert_close(gathered, filled(expected).T @ expected)


@pytest.mark.parametrize("beta_loss", ["kullback-leibler", 1.5])
def test_extrapolated_updates_match_or_beat_plain_ones(rng, beta_loss):
    X = rng.poisson(table(rng, 60, 20, 4)) + 0.1
    options = dict(n_components=4, init="random", random_state=0, solver="mu", beta_loss=beta_loss, max_iter=60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # stopped on purpose
        plain, ahead = NMF(**options, tol=0).fit(X), NMF(**options, tol=1e-12).fit(X)
    assert ahead.reconstruction_err_ <= plain.reconstruction_err_ * (1 + 1e-6)


@pytest.mark.parametrize("options", [{}, {"solver": "mu", "beta_loss": "kullback-leibler"}])
@pytest.mark.parametrize("missing", [False, True])
def test_factors_have_the_same_bits_for_any_number_of_threads(rng, options, missing):
    X = table(rng, 1100, 30)
    if missing:
        X[rng.random(X.shape) < 0.2] = np.nan
    found = []
    for n_threads in (1, 3):
        with threads(n_threads), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # stopped on purpose
            found.append(NMF(3, max_iter=6, random_state=0, **options).fit(X).components_)
    np.testing.assert_array_equal(*found)
