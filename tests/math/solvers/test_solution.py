"""Every minimiser returns the same record."""

import numpy as np
import pytest

from statlearn._core.warnings import MAX_ITER, OK
from statlearn._math.losses.scores import Huber, Pinball
from statlearn._math.penalties.elastic_net import ElasticNetPenalty
from statlearn._math.rows.rows import Rows
from statlearn._math.solvers.logistic_loss import LogisticLoss
from statlearn._math.solvers.minimise import minimise
from statlearn._math.solvers.smooth import FullHessian, gradient_descent, newton, quasi_newton
from statlearn._math.solvers.solution import LinearSolution, SmoothSolution, Solution


def test_a_solution_has_converged_if_its_status_is_ok():
    end = dict(objective=1.0, gap=1e-9, n_iter=3)
    assert Solution(**end, status=OK).converged
    assert not Solution(**end, status=MAX_ITER).converged


@pytest.mark.parametrize("make", [lambda y: Huber(y, 1.0), lambda y: Pinball(y, 0.3)])
def test_solvers_of_linear_scores_return_the_same_record(rng, make):
    X, y = rng.normal(size=(30, 3)), rng.normal(size=30)
    end = minimise(Rows.double(X), make(y), ElasticNetPenalty(0.0, 0.1))
    assert isinstance(end, LinearSolution)
    assert end.converged
    assert end.gap <= 1e-8 * end.objective


def test_smooth_solvers_return_the_same_record(rng):
    X, y = rng.normal(size=(40, 2)), rng.integers(0, 2, 40)
    loss = LogisticLoss(X, y, 2, l2=0.1)
    start = loss.from_plain(np.zeros((1, loss.q)))
    ends = [
        newton(loss, start, tol=1e-8, max_iter=50),
        quasi_newton(loss, start, FullHessian(loss, None), tol=1e-8, max_iter=50),
        gradient_descent(loss, start, tol=1e-8, max_iter=5000),
    ]
    for end in ends:
        assert isinstance(end, SmoothSolution)
        assert end.converged
        assert end.gap <= 1e-8
        np.testing.assert_allclose(end.objective, ends[0].objective, rtol=1e-12)
