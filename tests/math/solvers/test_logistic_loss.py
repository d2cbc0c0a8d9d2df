"""The passes over the data: value, gradient and Hessian against formulas and finite differences."""

import numpy as np
import pytest
from scipy import sparse, special

from statlearn import threads
from statlearn._math.solvers.logistic_loss import LogisticLoss
from tests.helpers import assert_close


def make_problem(rng, n=300, p=5, K=2, kind="dense"):
    X = rng.normal(size=(n, p)) + rng.normal(size=p)
    if kind == "sparse":
        X[rng.uniform(size=X.shape) < 0.6] = 0.0
        X = sparse.csr_matrix(X)
    elif kind == "fortran":
        X = np.asfortranarray(X)
    elif kind == "strided":
        X = np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2]
    codes = rng.integers(0, K, n)
    weights = rng.integers(1, 4, n).astype(float)
    offset = rng.normal(size=n) if K == 2 else rng.normal(size=(n, K))
    return X, codes, weights, offset


def slow_value(X, codes, weights, offset, l2, theta, K):
    """The documented mean objective, literally; theta has the plain intercept last."""
    X = X.toarray() if sparse.issparse(X) else X
    scores = X @ theta[:, :-1].T + theta[:, -1]
    scores = np.column_stack([np.zeros(len(X)), scores[:, 0] + offset]) if K == 2 else scores + offset
    loss = -special.log_softmax(scores, axis=1)[np.arange(len(X)), codes]
    return np.average(loss, weights=weights) + 0.5 * l2 * np.sum(theta[:, :-1] ** 2)


@pytest.mark.spec("LIN-P25", "LIN-40")
@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize("kind", ["dense", "fortran", "strided", "sparse"])
def test_value_gradient_and_hessian_match_finite_differences(rng, K, kind):
    X, codes, weights, offset = make_problem(rng, K=K, kind=kind)
    loss = LogisticLoss(X, codes, K, weights=weights, offset=offset, l2=0.1)
    theta = 0.5 * rng.normal(size=loss.shape)
    phi = loss.from_plain(theta)
    value, gradient, hessian = loss.value_gradient_hessian(phi)
    assert_close(value, slow_value(X, codes, weights, offset, 0.1, theta, K))
    assert_close(loss.value_and_gradient(phi)[1], gradient)
    d, h = phi.size, 1e-5
    for k in range(d):
        step = np.zeros(d)
        step[k] = h
        up, down = (loss.value_and_gradient(phi + s * step.reshape(phi.shape)) for s in (1, -1))
        assert_close((up[0] - down[0]) / (2 * h), gradient.ravel()[k], rtol=1e-5, atol=1e-7)  # differences
        assert_close((up[1] - down[1]).ravel() / (2 * h), hessian[k], rtol=1e-5, atol=1e-7)
    # The loss is convex: its Hessian has no negative eigenvalue (the log-likelihood's has no positive one).
    assert np.linalg.eigvalsh(hessian).min() > -1e-12
    if K > 2:
        q = loss.q
        for k, block in enumerate(loss.block_hessians(phi)):
            assert_close(block, hessian[k * q : (k + 1) * q, k * q : (k + 1) * q])
    bound = loss.diagonal_bound().ravel()
    assert np.all(np.diag(hessian) <= bound * (1 + 1e-12))


@pytest.mark.spec("LIN-P24")
def test_zero_one_and_plus_minus_one_losses_agree(rng):
    X, codes, _, _ = make_problem(rng)
    theta = rng.normal(size=(1, 6))
    loss = LogisticLoss(X, codes, 2)
    value, gradient = loss.value_and_gradient(loss.from_plain(theta))
    f, y = X @ theta[0, :-1] + theta[0, -1], 2 * codes - 1
    p = special.expit(f)
    assert_close(value, np.mean(np.log1p(np.exp(-y * f))))
    assert_close(value, -np.mean(codes * np.log(p) + (1 - codes) * np.log(1 - p)))
    assert_close(loss.plain_gradient(gradient)[0, :-1], X.T @ (p - codes) / len(y))


@pytest.mark.spec("LIN-P28")
def test_unpenalised_softmax_hessian_has_rank_k_minus_1_times_p(rng):
    X, codes, _, _ = make_problem(rng, K=4)
    loss = LogisticLoss(X, codes, 4, fit_intercept=False)
    _, gradient, hessian = loss.value_gradient_hessian(0.3 * rng.normal(size=loss.shape))
    assert np.linalg.matrix_rank(hessian, tol=1e-10) == 3 * 5
    assert_close(gradient.sum(axis=0), 0.0, atol=1e-15)


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("p", [3, 300])  # tiles, and beyond them BLAS
def test_same_bits_for_any_number_of_threads(rng, K, p):
    X, codes, weights, _ = make_problem(rng, n=3000, p=p, K=K)
    results = []
    for n_threads in (1, 2):
        with threads(n_threads):
            loss = LogisticLoss(X, codes, K, weights=weights, l2=0.01)
            results.append(loss.value_gradient_hessian(np.full(loss.shape, 0.01)))
    for a, b in zip(*results):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("K", [2, 3])
def test_wide_hessian_equals_the_formula(rng, K):
    X, codes, weights, _ = make_problem(rng, n=500, p=290, K=K)
    loss = LogisticLoss(X, codes, K, weights=weights, l2=0.0, fit_intercept=False)
    phi = 0.05 * rng.normal(size=loss.shape)
    scores = X @ phi.T
    P = special.softmax(np.column_stack([np.zeros(len(X)), scores[:, 0]]) if K == 2 else scores, axis=1)
    hessian = loss.value_gradient_hessian(phi)[2]
    share = weights / weights.sum()
    first = P[:, 1] * (1 - P[:, 1]) if K == 2 else P[:, 0] * (1 - P[:, 0])
    assert_close(hessian[:290, :290], X.T @ ((share * first)[:, None] * X))
    if K == 3:
        cross = -share * P[:, 0] * P[:, 2]
        assert_close(hessian[:290, 580:], X.T @ (cross[:, None] * X))


def test_float32_data_are_summed_in_double(rng):
    X, codes, weights, offset = make_problem(rng, n=2000)
    X = X.astype(np.float32)
    single = LogisticLoss(X, codes, 2, weights=weights, offset=offset).value_gradient_hessian(np.full((1, 6), 0.1))
    double = LogisticLoss(X.astype(float), codes, 2, weights=weights, offset=offset)
    for a, b in zip(single, double.value_gradient_hessian(np.full((1, 6), 0.1))):
        assert_close(a, b, rtol=1e-9)


def test_extreme_scores_stay_finite(rng):
    X, codes, _, _ = make_problem(rng)
    for K, c in ((2, codes), (3, rng.integers(0, 3, len(codes)))):
        loss = LogisticLoss(1e4 * X, c, K)
        value, gradient, hessian = loss.value_gradient_hessian(np.full(loss.shape, 50.0))
        assert np.isfinite(value)
        assert np.all(np.isfinite(gradient))
        assert np.all(np.isfinite(hessian))
