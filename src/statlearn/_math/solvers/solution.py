"""Result of a method that minimises an objective: one record for all solvers."""

from dataclasses import dataclass, field

import numpy as np

from statlearn._core.warnings import OK


@dataclass(kw_only=True)
class Solution:
    """The end of a minimisation. What a method finds besides is in a subclass.

    Parameters
    ----------
    objective : float
        Value of the objective.
    gap : float
        What is left, in the measure that the solver compares with its tolerance: a duality gap, a predicted decrease,
        the largest entry of the gradient, or the largest violation of an optimality condition.
    n_iter : int
    status : int
        ``OK``, ``MAX_ITER`` or ``DIVERGED`` of `_core.warnings`.
    """

    objective: float
    gap: float
    n_iter: int
    status: int

    @property
    def converged(self):
        return self.status == OK


@dataclass(kw_only=True)
class LinearSolution(Solution):
    """Coefficients and intercept of a linear score."""

    coef: np.ndarray
    intercept: float
    rank: int | None = None  # of the centred design, when a factorisation showed it
    aliased: np.ndarray | None = None  # columns that depend on the ones before them


@dataclass(kw_only=True)
class SmoothSolution(Solution):
    """Parameters that minimise a smooth loss; the gap is the largest entry of the gradient, in plain parameters."""

    phi: np.ndarray
    history: dict = field(default_factory=dict)
