"""Finite differences and the derivatives of matrix expressions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.neural import check_gradient, derivative_bilinear, derivative_linear, derivative_quadratic


@pytest.mark.spec("NEU-03")
@given(st.integers(1, 4), st.integers(1, 3), st.integers(0, 100))
def test_matrix_derivatives_in_denominator_layout(d, h, seed):
    rng = np.random.default_rng(seed)
    X, w, y = rng.normal(size=(d, h)), rng.normal(size=d), rng.normal(size=h)
    linear = check_gradient(lambda at: X.T @ at, w, derivative_linear(X))
    assert linear
    assert linear.numerical.shape == (d, h)
    assert check_gradient(lambda at: y @ (X.T @ at), w, derivative_bilinear(X.T, y))
    A = rng.normal(size=(d, d))
    assert check_gradient(lambda at: at @ A @ at, w, lambda at: derivative_quadratic(A, at))


@pytest.mark.spec("NEU-03")
def test_a_wrong_gradient_is_detected():
    wrong = check_gradient(lambda w: np.sum(w**3), [1.0, 2.0], lambda w: 3 * w)
    assert not wrong
    assert wrong.error > 0.4
    assert "ok=False" in repr(wrong)


def test_arguments_are_checked():
    with pytest.raises(ValueError, match="`x` must be finite"):
        check_gradient(np.sum, [np.nan], [1.0])
    with pytest.raises(TypeError, match="`gradient` is required"):
        check_gradient(lambda w: 3.0, [1.0])
    with pytest.raises(ValueError, match=r"shape \(2,\).*\(1,\)"):
        check_gradient(lambda w: w[0] ** 2, [1.0], [1.0, 2.0])
