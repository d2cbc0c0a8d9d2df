import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from statlearn._math.linalg.nonnegative import nonnegative_quadratic
from tests.helpers import assert_close


@given(st.integers(1, 8), st.integers(0, 2**31))
def test_pivoting_solves_non_negative_quadratics(p, seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(p + 2, p))
    S, b = A.T @ A + 0.01 * np.eye(p), 3 * rng.normal(size=p)
    w, done = nonnegative_quadratic(S, b)
    gradient = S @ w - b
    assert done
    assert np.all(w >= 0)
    assert np.all(gradient >= -1e-8)
    assert_close(w @ gradient, 0.0, atol=1e-8)
