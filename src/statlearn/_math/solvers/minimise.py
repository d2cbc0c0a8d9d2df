r"""The solver behind "loss + penalty": any convex loss of a linear score, with L1 and L2 penalties.

Minimises over coefficients w and, if wanted, an unpenalised intercept b

.. math:: \sum_i s_i L_i(o_i + b + x_i^\top w) + l_1 \lVert w \rVert_1 + \tfrac12 l_2 \lVert w \rVert^2

with weights s that sum to 1 and fixed offsets o. `minimise` dispatches on the loss and the penalty:

========================  ==========================================================================================
smooth, l1 = 0            Newton's method; the system from one weighted cross-product (up to 2000 columns) or conjugate
                          gradients (beyond)
smooth, l1 > 0            proximal Newton; the inner problem by coordinate descent on the cross-product (up to
                          400 columns) or on the columns (beyond)
piecewise linear          primal-dual interior point for the quadratic program, then a crossover to the exact face
========================  ==========================================================================================
"""

import numpy as np

from .interior_point import interior_point
from .newton import SmoothObjective, newton


def minimise(design, loss, weights=None, *, l1=0.0, l2=0.0, intercept=True, offset=None, start=None, tol=1e-8,
             gradient_tol=None, max_iter=100):  # fmt: skip
    """Minimise the module's objective; see there.

    Parameters
    ----------
    design : Rows
    loss : object of `_math.losses.scores`, or any with `value`, `derivatives` (and `pieces` unless `smooth`)
    weights : ndarray of shape (n,) or None, default=None
        Positive weights that sum to 1; None means equal weights.
    start : (coef, intercept) or None, default=None
    tol : float, default=1e-8
        Smooth losses stop when the decrease predicted by the quadratic model is at most `tol` times the objective (the
        step is still taken); piecewise linear losses stop when the duality gap is at most `tol` times the objective.
    gradient_tol : float or None, default=None
        Additionally requires that no entry of the gradient exceeds this value. Smooth losses without L1 only.

    Returns
    -------
    LinearSolution
    """
    if weights is None:
        weights = np.full(design.n, 1.0 / design.n)
    offset = np.zeros(design.n) if offset is None else offset
    coef, b = (np.zeros(design.p), 0.0) if start is None else (np.array(start[0], dtype=np.float64), float(start[1]))
    if not loss.smooth:
        return interior_point(design, loss, weights, l1, l2, intercept, offset, tol, max_iter)
    problem = SmoothObjective(design, loss, weights, l1, l2, intercept, offset)
    return newton(problem, coef, b, tol, gradient_tol, max_iter)
