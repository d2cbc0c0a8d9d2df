"""Orthogonal matching pursuit: the greedy rule written out, agreement with scikit-learn, the choice of the size."""

import numpy as np
import pytest
import sklearn.linear_model as sk
from hypothesis import given
from hypothesis import strategies as st

from statlearn._core import native
from statlearn.linear import (
    LinearRegression,
    OrthogonalMatchingPursuit,
    OrthogonalMatchingPursuitCV,
    orthogonal_mp,
    orthogonal_mp_gram,
)
from tests.helpers import assert_close


def problem(rng, n=40, p=12, m=None):
    X = rng.normal(size=(n, p)) + 1.0
    w = np.zeros((p, m or 1))
    w[:4] = 3.0 * rng.normal(size=(4, m or 1))
    y = X @ w + 0.3 * rng.normal(size=(n, m or 1)) + 2.0
    return X, y[:, 0] if m is None else y


def greedy(X, y, steps):
    """The definition, by least squares from scratch."""
    active, residual = [], y
    for _ in range(steps):
        active.append(int(np.argmax(np.abs(X.T @ residual))))
        coef = np.linalg.lstsq(X[:, active], y, rcond=None)[0]
        residual = y - X[:, active] @ coef
    w = np.zeros(X.shape[1])
    w[active] = coef
    return w


@given(st.integers(1, 6), st.booleans(), st.integers(0, 2**31))
def test_is_the_greedy_rule(steps, precompute, seed):
    X, y = problem(np.random.default_rng(seed))
    expected = greedy(X, y, steps)
    assert_close(orthogonal_mp(X, y, n_nonzero_coefs=steps, precompute=precompute), expected, atol=1e-9)
    assert_close(orthogonal_mp_gram(X.T @ X, X.T @ y, n_nonzero_coefs=steps), expected, atol=1e-9)
    centred = X - X.mean(axis=0)
    model = OrthogonalMatchingPursuit(n_nonzero_coefs=steps, precompute=precompute).fit(X, y)
    assert_close(model.coef_, greedy(centred, y - y.mean(), steps), atol=1e-9)
    assert_close(model.intercept_, y.mean() - X.mean(axis=0) @ model.coef_)
    assert model.n_iter_ == steps


@pytest.mark.parametrize("m", [None, 3])
@pytest.mark.parametrize("options", [{}, {"n_nonzero_coefs": 3}, {"tol": 20.0}])
def test_agrees_with_scikit_learn(rng, m, options):
    X, y = problem(rng, m=m)
    ours, theirs = (kind(**options).fit(X, y) for kind in (OrthogonalMatchingPursuit, sk.OrthogonalMatchingPursuit))
    assert_close(ours.coef_, theirs.coef_, atol=1e-9)
    assert_close(ours.intercept_, theirs.intercept_)
    assert np.array_equal(ours.n_iter_, theirs.n_iter_)
    for flag in (True, False):
        path = dict(n_nonzero_coefs=3, return_path=flag, return_n_iter=True)
        for a, b in zip(orthogonal_mp(X, y, **path), sk.orthogonal_mp(X, y, **path)):
            assert_close(a, b, atol=1e-9)


def test_all_columns_are_least_squares_and_weights_are_copies(rng):
    X, y = problem(rng)
    assert_close(OrthogonalMatchingPursuit(n_nonzero_coefs=12).fit(X, y).coef_, LinearRegression().fit(X, y).coef_)
    weights = rng.integers(0, 3, size=40)
    rows = np.repeat(np.arange(40), weights)
    a = OrthogonalMatchingPursuit(n_nonzero_coefs=3).fit(X, y, weights)
    assert_close(a.coef_, OrthogonalMatchingPursuit(n_nonzero_coefs=3).fit(X[rows], y[rows]).coef_)


def test_dependent_columns_end_it_with_a_warning(rng):
    X = rng.normal(size=(20, 2))
    with pytest.warns(RuntimeWarning, match="linear dependence"):
        coef = orthogonal_mp(np.hstack([X, X]), X @ [1.0, 2.0] + 0.1 * rng.normal(size=20), n_nonzero_coefs=3)
    assert np.count_nonzero(coef) == 2


def test_cross_validation_chooses_like_scikit_learn(rng):
    X, y = problem(rng, n=80)
    ours, theirs = OrthogonalMatchingPursuitCV(cv=4).fit(X, y), sk.OrthogonalMatchingPursuitCV(cv=4).fit(X, y)
    assert ours.n_nonzero_coefs_ == theirs.n_nonzero_coefs_
    assert_close(ours.coef_, theirs.coef_, atol=1e-9)
    simple = OrthogonalMatchingPursuitCV(cv=4, rule="one_se").fit(X, y)
    assert simple.n_nonzero_coefs_ == simple.cv_curve_.parameter[simple.cv_curve_.one_se] <= ours.n_nonzero_coefs_


def test_wrong_settings_are_refused(rng):
    X, y = problem(rng)
    with pytest.raises(ValueError, match="n_nonzero_coefs"):
        OrthogonalMatchingPursuit(n_nonzero_coefs=13).fit(X, y)
    with pytest.raises(ValueError, match="norms"):
        orthogonal_mp_gram(X.T @ X, X.T @ y, tol=0.1)
    with pytest.raises(ValueError, match="Gram"):
        orthogonal_mp_gram(X.T @ X, X[:5, 0])
    with pytest.raises(ValueError, match="LinearRegression"):
        OrthogonalMatchingPursuit().fit(X, y).summary()


def test_the_pursuit_is_the_same_from_columns_cross_products_and_step_by_step(rng):
    """A number of atoms that is no multiple of a register."""
    X, Y = np.asfortranarray(rng.normal(size=(30, 37))), rng.normal(size=(30, 70))
    products, squares = np.ascontiguousarray(Y.T @ X), np.sum(Y**2, axis=0)
    codes, others, steps = np.empty_like(products), np.empty_like(products), np.empty(70, np.int32)
    assert native.common.omp_codes(X.T @ X, products, squares, 6, -1.0, codes, steps) == 0
    assert native.common.omp_codes_of_columns(X, products, squares, 6, -1.0, others, steps) == 0
    assert_close(codes, others)
    assert (steps == 6).all()
    chosen, path = np.empty(6, np.int32), np.empty((6, 6))
    assert native.common.omp_path(X.T @ X, products[3], squares[3], 6, -1.0, chosen, path) == 6
    for m in range(1, 7):
        assert_close(path[m - 1, :m], np.linalg.lstsq(X[:, chosen[:m]], Y[:, 3])[0])
        residual = Y[:, 3] - X[:, chosen[: m - 1]] @ path[m - 2, : m - 1] if m > 1 else Y[:, 3]
        assert chosen[m - 1] == np.argmax(np.abs(X.T @ residual))
    assert_close(codes[3, chosen], path[5])


def test_a_pursuit_ends_early_at_a_residual_of_zero(rng):
    X = rng.normal(size=(20, 6))
    with pytest.warns(RuntimeWarning, match="prematurely"):
        coef = orthogonal_mp(X, X[:, 2] - X[:, 4], n_nonzero_coefs=4)
    assert_close(coef, [0, 0, 1, 0, -1, 0])
