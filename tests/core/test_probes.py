"""What all kernels are built on: dot products, packed tiles, vector functions and small Cholesky factors."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn._core import native

EPS = np.finfo(float).eps
EXP, LOG, LOG1P, TANH = range(4)


def elementary(f, x):
    out = np.empty_like(x)
    native.probes.elementary(f, x, out)
    return out


def relative_error(found, exact):
    return np.max(np.abs(found - exact) / np.maximum(np.abs(exact), np.finfo(float).tiny))


def test_exp_is_exact_to_two_units_and_clamped(rng):
    x = np.concatenate([rng.uniform(-700, 700, 20000), rng.normal(size=20000), [0.0, -0.0, 700.0, -707.9]])
    assert relative_error(elementary(EXP, x), np.exp(x)) < 2 * EPS
    low, high = elementary(EXP, np.array([-1e9, 1e9]))
    assert 0 < low < 1e-300
    assert np.isfinite(high)


def test_exp_in_single_precision(rng):
    x = rng.uniform(-80, 80, 20000).astype(np.float32)
    exact = np.exp(x.astype(float))
    assert np.max(np.abs(elementary(EXP, x) / exact - 1)) < 2 * np.finfo(np.float32).eps


def test_log1p_is_exact_to_two_units(rng):
    e = np.concatenate([rng.uniform(size=20000), 10 ** rng.uniform(-300, 0, 20000), [0.0, 1.0]])
    assert relative_error(elementary(LOG1P, e), np.log1p(e)) < 2 * EPS


def test_log_is_exact_to_two_units_over_all_normal_numbers(rng):
    x = np.concatenate(
        [10 ** rng.uniform(-307, 308, 20000), 1 + rng.uniform(-0.5, 1, 20000), 1 + 10 ** rng.uniform(-16, -1, 2000)]
    )
    x = np.concatenate([x, [1.0, 2.0, 0.5, np.sqrt(0.5), np.sqrt(2), np.finfo(float).tiny, np.finfo(float).max]])
    assert relative_error(elementary(LOG, x), np.log(x)) < 2 * EPS
    assert elementary(LOG, np.array([0.0, -1.0])).tolist() == [np.log(np.finfo(float).tiny)] * 2


def test_tanh_is_exact_to_three_units(rng):
    x = np.concatenate([rng.uniform(-25, 25, 20000), rng.normal(size=20000), 10 ** rng.uniform(-300, 0, 20000)])
    x = np.concatenate([x, -x[-2000:], [0.0, 1e9, -1e9, np.inf, -np.inf]])
    assert relative_error(elementary(TANH, x), np.tanh(x)) < 3 * EPS


@pytest.mark.parametrize("n", [0, 1, 3, 4, 15, 16, 17, 101])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_inner_product_of_any_length(n, dtype, rng):
    x, y = rng.normal(size=n).astype(dtype), rng.normal(size=n)
    assert native.probes.inner(x, y) == pytest.approx(np.sum(x.astype(float) * y), rel=1e-13, abs=1e-14)


@pytest.mark.parametrize("shape", [(1, 1, 1), (4, 12, 3), (4, 24, 7), (5, 25, 2), (13, 37, 30)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tiles_with_an_epilogue_equal_the_product_written_out(shape, dtype, rng):
    m, n, k = shape
    A, B, start = (rng.normal(size=s).astype(dtype) for s in [(m, k), (n, k), n])
    C = np.empty((m, n), dtype)
    native.probes.tiled_product(A, B, start, C)
    expected = start + A.astype(float) @ B.astype(float).T - 2 * A.sum(axis=1, dtype=float, keepdims=True)
    np.testing.assert_allclose(C, expected, rtol=0, atol=200 * k * np.finfo(dtype).eps)


@given(st.integers(0, 2**32 - 1), st.lists(st.integers(-12, 11), min_size=1, max_size=40))
def test_cholesky_set_solves_for_the_columns_that_are_left(seed, steps):
    rng = np.random.default_rng(seed)
    X, b = rng.normal(size=(30, 12)), rng.normal(size=12)
    X[:, 11] = X[:, 0] - X[:, 1]  # cannot join beside both
    G, x = X.T @ X, np.empty(12)
    order = native.probes.joined_solve(G, np.array(steps, np.int32), 1e-10, b, x)
    expected = []
    for step in steps:
        if step < 0:
            if -1 - step < len(expected):
                del expected[-1 - step]
        elif np.linalg.matrix_rank(X[:, [*expected, step]], tol=1e-6) > len(expected):
            expected.append(step)
    assert order.tolist() == expected
    inside = G[np.ix_(order, order)]
    np.testing.assert_allclose(inside @ x[order], b[order], rtol=0, atol=1e-9)
    assert not np.any(np.delete(x, order))


def test_views_hold_what_numpy_holds():
    x, X = np.arange(5.0), np.arange(6.0).reshape(2, 3)
    assert [native.probes.element(x, i) for i in range(5)] == x.tolist()
    assert [[native.probes.cell(X, i, j) for j in range(3)] for i in range(2)] == X.tolist()
    assert [native.probes.part_size(x, 0, 5), native.probes.part_size(x, 5, 0), native.probes.part_size(x, 1, 3)] == [
        5,
        0,
        3,
    ]


@pytest.mark.parametrize(
    "call", ["element(x, 3)", "element(x, -1)", "part_size(x, 2, 2)", "part_size(x, -1, 1)", "cell(X, 0, 1)"]
)
def test_checked_builds_stop_at_indices_beyond_the_ends(call):
    """Sanitizers build so; others, whose loops have no room for checks, are not asked."""
    if not native.probes.checked:
        assert native.probes.element(np.zeros(3), 2) == 0.0
        return
    code = "import numpy as np; from statlearn._core.native import probes; x = np.zeros(3); X = x[:, None]; probes."
    ended = subprocess.run([sys.executable, "-c", code + call], capture_output=True, text=True)
    assert ended.returncode != 0
    assert "Assertion" in ended.stderr
