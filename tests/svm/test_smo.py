"""Sequential minimal optimisation by the step."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import rbf_kernel

from statlearn.svm import SVC, smo_solve, smo_step
from statlearn.svm._qp import active_set
from tests.helpers import assert_close
from tests.svm.data import blobs


@pytest.mark.spec("SVM-08", "SVM-P6")
@given(st.integers(0, 10**6), st.sampled_from([0.1, 1.0, 10.0]))
@settings(max_examples=25)
def test_a_step_is_the_best_move_of_two_multipliers(seed, C):
    rng = np.random.default_rng(seed)
    X, y = blobs(seed, n=12)
    K = rbf_kernel(X, gamma=0.5)
    plus, minus = rng.uniform(0, C, 6), rng.uniform(0, C, 6)
    alpha = np.empty(12)
    alpha[y > 0], alpha[y < 0] = plus, minus * min(1.0, plus.sum() / minus.sum())
    i, j = rng.choice(12, 2, replace=False)

    def dual(a):
        return a.sum() - 0.5 * (a * y) @ K @ (a * y)

    moved = smo_step(alpha, i, j, K, y, C)
    assert_close(moved @ y, alpha @ y, atol=1e-9 * max(C, 1))
    assert np.all((moved >= 0) & (moved <= C))
    assert np.flatnonzero(moved != alpha).size in (0, 2) or np.abs(moved - alpha).max() < 1e-11
    assert dual(moved) >= dual(alpha) - 1e-12
    # no other point of the segment is better
    for t in np.linspace(-C, C, 101):
        other = alpha.copy()
        other[j] += t
        other[i] -= y[i] * y[j] * t
        if np.all((other[[i, j]] >= 0) & (other[[i, j]] <= C)):
            assert dual(other) <= dual(moved) + 1e-9


@pytest.mark.spec("SVM-08", "SVM-P6")
@pytest.mark.parametrize("selection", ["second_order", "max_violation", "random"])
def test_all_selections_reach_the_quadratic_program(selection, seed):
    X, y = blobs(seed, n=50)
    K = rbf_kernel(X, gamma=0.5)
    found = smo_solve(K, y, 2.0, selection=selection, tol=1e-5)
    assert found.converged
    assert found.violation < 1e-5
    assert np.all(np.diff(found.objective) >= -1e-12)
    assert abs(found.alpha @ y) < 1e-9
    b, _, converged = active_set(K, -y, np.where(y > 0, 0.0, -2.0), np.where(y > 0, 2.0, 0.0), np.zeros(50))
    assert converged
    assert_close(found.objective[-1], np.abs(b).sum() - 0.5 * b @ K @ b, rtol=1e-6)
    machine = SVC(C=2.0, gamma=0.5, tol=1e-8).fit(X, y)
    assert_close(found.intercept, machine.intercept_[0], atol=1e-4)  # tol of 1e-5


@pytest.mark.spec("SVM-08")
def test_wrong_problems_raise():
    K = np.eye(3)
    for arguments, message in (
        ((K[:2], [1, -1, 1]), "X|y|K"),
        ((K, [1, 0, 1]), "-1 and \\+1"),
        ((K, [1, -1, 1], -1.0), "C must be"),
    ):
        with pytest.raises(ValueError, match=message):
            smo_solve(*arguments)
    with pytest.raises(ValueError, match="differ"):
        smo_step([0.0, 0.0, 0.0], 1, 1, K, [1, -1, 1], 1.0)


@pytest.mark.spec("SVM-P16")
def test_steps_of_the_two_solvers_are_counted():
    """Operations behind the timing: a pair step costs n, a step of the dense program the cube of the free variables."""
    X, y = blobs(0, n=200)
    K = rbf_kernel(X, gamma=0.5)
    pairs = smo_solve(K, y, 1.0)
    _, steps, _ = active_set(K, -y, np.where(y > 0, 0.0, -1.0), np.where(y > 0, 1.0, 0.0), np.zeros(200))
    free = np.sum((pairs.alpha > 0) & (pairs.alpha < 1))
    assert pairs.n_iter * 200 < steps * max(free, 2) ** 3


def test_rows_are_not_a_kernel_matrix(rng):
    with pytest.raises(ValueError, match=r"The linear kernel matrix of rows X is X @ X\.T"):
        smo_solve(rng.normal(size=(6, 2)), [1, 1, 1, -1, -1, -1])
