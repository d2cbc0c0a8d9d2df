"""Gradient and Hessian of the logistic likelihood: by hand, by differences, and at the maximum."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.linear import LogisticRegression, logistic_derivatives
from statlearn.neural import check_gradient
from tests.helpers import assert_close

X4, Y4 = np.arange(4.0)[:, None], np.array([0, 0, 1, 1])


@pytest.mark.spec("CRS-41")
def test_gradient_and_hessian_by_hand():
    value, gradient, hessian = logistic_derivatives(X4, Y4, [0.0, 0.0])
    assert_close(value, 4 * np.log(0.5))
    assert_close(gradient, [0.0, 2.0])
    assert_close(hessian, [[-1.0, -1.5], [-1.5, -3.5]])
    value, gradient, hessian = logistic_derivatives(X4, Y4, [0.0, 0.5], penalty=3.0)  # the intercept is free
    plain = logistic_derivatives(X4, Y4, [0.0, 0.5])
    assert_close([value - plain.value, *(gradient - plain.gradient)], [-0.75, 0.0, -3.0])
    assert_close(hessian - plain.hessian, [[0.0, 0.0], [0.0, -6.0]])


@pytest.mark.spec("CRS-41", "CRS-42")
@given(seed=st.integers(0, 10**6), K=st.integers(2, 4), fixed=st.booleans(), intercept=st.booleans())
def test_derivatives_are_limits_of_differences(seed, K, fixed, intercept):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(12, 2)), np.append(np.arange(K), rng.integers(0, K, 12 - K))
    options = dict(penalty=0.3, reference=K - 1 if fixed else None, fit_intercept=intercept,
                   sample_weight=rng.uniform(0.5, 2.0, 12))  # fmt: skip
    coef = rng.normal(size=(K - fixed, 2 + intercept))
    at = logistic_derivatives(X, y, coef, **options)

    def derivatives(flat):
        return logistic_derivatives(X, y, flat.reshape(coef.shape), **options)

    assert check_gradient(lambda b: derivatives(b).value, coef.ravel(), at.gradient.ravel())
    assert check_gradient(lambda b: derivatives(b).gradient.ravel(), coef.ravel(), at.hessian)


@pytest.mark.spec("CRS-42")
def test_two_classes_with_a_reference_are_the_binary_case(seed):
    rng = np.random.default_rng(seed)
    X, y, beta = rng.normal(size=(20, 3)), np.append([0, 1], rng.integers(0, 2, 18)), rng.normal(size=4)
    binary = logistic_derivatives(X, y, beta, penalty=0.1)
    one_row = logistic_derivatives(X, y, beta[None], penalty=0.1, reference=0)
    full = logistic_derivatives(X, y, [np.zeros(4), beta], penalty=0.1)  # the second class's block
    for value, gradient, hessian in (one_row, (full.value, full.gradient[1:], full.hessian[4:, 4:])):
        assert_close(value, binary.value)
        assert_close(gradient[0], binary.gradient)
        assert_close(hessian, binary.hessian)
    # The Kronecker form, row by row.
    Z = np.column_stack([np.ones(20), X])
    mu = np.exp(Z @ np.vstack([np.zeros(4), beta]).T)
    mu /= mu.sum(axis=1, keepdims=True)
    kron = -sum(np.kron(np.diag(m) - np.outer(m, m), np.outer(z, z)) for m, z in zip(mu, Z))
    assert_close(logistic_derivatives(X, y, [np.zeros(4), beta]).hessian, kron)


@pytest.mark.spec("CRS-41", "CRS-42")
@pytest.mark.parametrize("K", [2, 3])
def test_gradient_vanishes_at_the_fit(seed, K):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(80, 3)), rng.integers(0, K, 80)
    model = LogisticRegression(C=0.5, tol=1e-12).fit(X, y)
    coef = np.column_stack([model.intercept_, model.coef_])
    derivatives = logistic_derivatives(X, y, coef if K > 2 else coef[0], penalty=1 / (2 * 0.5))
    assert np.abs(derivatives.gradient).max() < 1e-9
    assert np.linalg.eigvalsh(derivatives.hessian).max() < 1e-9


def test_wrong_shapes_are_named():
    with pytest.raises(ValueError, match=r"`coef` must have shape \(1, 2\) or \(2,\), got \(3,\)"):
        logistic_derivatives(X4, Y4, [0.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="`coef` must be a matrix"):
        logistic_derivatives(X4, [0, 1, 2, 2], [0.0, 0.0])
    with pytest.raises(ValueError, match="`reference` must be one of the classes"):
        logistic_derivatives(X4, Y4, [[0.0, 0.0]], reference=7)
