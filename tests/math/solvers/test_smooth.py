"""Solvers of smooth losses: what they do when nothing helps."""

import numpy as np
import pytest

from statlearn._math.solvers.smooth import gradient_descent


class Overflowed:
    """A loss that is NaN wherever it is asked for."""

    def value_and_gradient(self, phi):
        return np.nan, np.full_like(phi, np.inf)

    def diagonal_bound(self):
        return np.ones(2)

    def plain_gradient(self, gradient):
        return gradient

    def to_plain(self, phi):
        return phi


def test_gradient_descent_gives_up_on_a_loss_that_is_not_finite():
    with pytest.raises(ValueError, match="so large or so small"), np.errstate(invalid="ignore"):
        gradient_descent(Overflowed(), np.zeros((1, 2)), tol=1e-6, max_iter=10)
