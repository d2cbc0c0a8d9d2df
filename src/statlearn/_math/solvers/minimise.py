r"""The solver behind "loss + penalty": any loss of a linear score with any penalty.

Minimises over coefficients w and, if wanted, an unpenalised intercept b

.. math:: \sum_i s_i L_i(o_i + b + x_i^\top w) + P(w)

with weights s that sum to 1 and fixed offsets o. `minimise` dispatches on the loss and the penalty:

=========================  =========================================================================================
smooth loss, L2            Newton's method; the system from one weighted cross-product (up to 2000 columns) or
                           conjugate gradients (beyond)
smooth loss, elastic net   proximal Newton; the inner problem by coordinate descent on the cross-product (up to
                           400 columns) or on the columns (beyond)
smooth loss, any other     proximal gradient descent
piecewise linear loss,     primal-dual interior point for the quadratic program, then a crossover to the exact face
elastic net
=========================  =========================================================================================
"""

import numpy as np

from ..penalties.elastic_net import ElasticNetPenalty
from .interior_point import interior_point
from .linear_problem import LinearProblem
from .newton import SmoothObjective, newton
from .proximal import proximal_descent


def minimise(rows, loss, penalty=None, weights=None, *, intercept=True, offset=None, start=None, tol=1e-8,
             gradient_tol=None, max_iter=None):  # fmt: skip
    """Minimise the module's objective; see there.

    Parameters
    ----------
    rows : Rows
        In double precision.
    loss : object of `_math.losses.scores`, or any with `value`, `derivatives` (and `pieces` unless `smooth`)
    penalty : Penalty or None, default=None
        None penalises nothing.
    weights : ndarray of shape (n,) or None, default=None
        Positive weights that sum to 1; None means those of the rows, divided by their sum.
    start : (coef, intercept) or None, default=None
    tol : float, default=1e-8
        Newton's method stops when the decrease predicted by the quadratic model is at most `tol` times the objective
        (the step is still taken), the interior point method when the duality gap is, and proximal descent when no
        optimality condition is violated by more than `tol` times the largest gradient at zero coefficients.
    gradient_tol : float or None, default=None
        Additionally requires that no entry of the gradient exceeds this value. Smooth losses without L1 only.
    max_iter : int or None, default=None
        None stands for 100 iterations, or 10,000 steps of proximal descent.

    Returns
    -------
    LinearSolution
    """
    penalty = ElasticNetPenalty() if penalty is None else penalty
    if weights is None:
        weights = np.full(rows.n, 1.0 / rows.n) if rows.weights is None else rows.weights / rows.weights.sum()
    offset = np.zeros(rows.n) if offset is None else offset
    coef, b = (np.zeros(rows.p), 0.0) if start is None else (np.array(start[0], dtype=np.float64), float(start[1]))
    limit = 100 if max_iter is None else max_iter
    problem = LinearProblem(rows, loss, penalty, weights, intercept, offset)
    elastic = isinstance(penalty, ElasticNetPenalty) and penalty.factor is None and not penalty.positive
    if not loss.smooth:
        if not elastic:
            raise ValueError("a piecewise linear loss takes an elastic net without factors; other penalties need a "
                             "smooth loss.")  # fmt: skip
        return interior_point(problem, tol, limit)
    if not elastic:
        return proximal_descent(problem, (coef, b), tol=tol, max_iter=max_iter or 10_000)
    return newton(SmoothObjective(problem), coef, b, tol, gradient_tol, limit)
