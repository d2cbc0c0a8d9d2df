"""The criteria of additive models of families other than the Gaussian."""

import numpy as np
import pytest

from statlearn._math.losses.families import make_family
from statlearn._math.losses.response import resolve_link
from statlearn.smooth.gam._fit import Smoothing
from statlearn.smooth.gam._loss import RowLoss, constant
from statlearn.smooth.gam._penalty import SmoothnessPenalty
from tests.helpers import assert_close


class DenseRows:
    """A model matrix as it is."""

    def __init__(self, B):
        self.B, self.n, self.width = B, *B.shape

    def values(self, beta):
        return self.B @ beta

    def products(self, r):
        return self.B.T @ r

    def gram(self, w):
        return (self.B * np.asarray(w)[:, None]).T @ self.B

    def quadratic(self, A):
        return np.einsum("ij,jk,ik->i", self.B, A, self.B)


def problem_of(family, seed):
    rng = np.random.default_rng(seed)
    n, k = 200, 6
    B = np.column_stack([np.ones(n), rng.normal(size=(n, k))])
    mu = np.exp(0.4 * B @ rng.normal(size=k + 1))
    y = {"gamma": mu * rng.gamma(5, 0.2, size=n), "poisson": rng.poisson(mu).astype(float)}[family]
    family = make_family(family)
    loss = RowLoss(y, family, resolve_link(family, "log"), constant(1.0, n))
    penalties = [SmoothnessPenalty(slice(1, 4), np.eye(3)), SmoothnessPenalty(slice(4, 7), np.eye(3))]
    blocks = [(slice(1, 4), [0], 0), (slice(4, 7), [1], 0)]
    return Smoothing(DenseRows(B), loss, np.zeros(n), penalties, blocks, known_scale=family.dispersion_known)


@pytest.mark.parametrize("family", ["gamma", "poisson"])
@pytest.mark.parametrize("criterion", ["reml", "ml", "gcv"])
def test_criteria_do_not_depend_on_where_newton_began(family, criterion, seed):
    def evaluate(problem, rho):
        if criterion == "gcv":
            return problem.gcv(rho)[:2]
        return problem.marginal(rho, restricted=criterion == "reml")[:2]

    rho = np.array([1.0, 3.0])
    value, gradient = evaluate(problem_of(family, seed), rho)
    for away in (1e-3, 1e-2, 0.1, 1.0):
        warm = problem_of(family, seed)
        evaluate(warm, rho + away)
        again, slope = evaluate(warm, rho)
        assert_close(again, value, rtol=1e-9, atol=0)
        # Third derivatives of the loss are differences, with some 1e-9 of rounding.
        assert_close(slope, gradient, rtol=1e-7, atol=1e-9 * np.abs(gradient).max())
