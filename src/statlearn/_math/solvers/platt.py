"""Platt's sigmoid: probabilities of two classes from the scores of a classifier."""

import numpy as np
from scipy.special import expit

from statlearn._math.solvers.step import backtrack


def platt_sigmoid(scores, positive, weights):
    r"""Slope and intercept of :math:`P(y = 1 \mid s) = 1 / (1 + e^{-(a s + b)})`, by Newton's method.

    Minimises the convex loss sum_i w_i {log(1 + e^z_i) - t_i z_i}, z_i = a s_i + b. With n_+ and n_- the classes' sums
    of weights, the targets t are (n_+ + 1)/(n_+ + 2) and 1/(n_- + 2) instead of 1 and 0 (Platt 1999), which keeps a
    finite for separated classes. Scores are centred and scaled first.
    """
    up, down = float(weights[positive].sum()), float(weights[~positive].sum())
    target = np.where(positive, (up + 1.0) / (up + 2.0), 1.0 / (down + 2.0))
    total = weights.sum()
    centre = np.average(scores, weights=weights)
    scale = float(np.sqrt(np.average((scores - centre) ** 2, weights=weights))) or 1.0
    x = (scores - centre) / scale
    theta = np.array([0.0, np.log((up + 1.0) / (down + 1.0))])  # slope and intercept on the scale of x

    def dot(u, v):  # einsum, not BLAS: on a busy machine its threads cost more than so small a product
        return np.einsum("i,i->", u, v)

    pull = weights * target
    pull_x, pull_1 = dot(pull, x), pull.sum()

    def loss(theta):
        a, b = theta
        return dot(weights, np.logaddexp(0.0, a * x + b)) - a * pull_x - b * pull_1

    value = loss(theta)
    for _ in range(100):
        a, b = theta
        p = expit(a * x + b)
        wp = weights * p
        h = wp * (1.0 - p)
        hx = h * x
        gradient = np.array([dot(wp, x) - pull_x, wp.sum() - pull_1])
        H = np.array([[dot(hx, x), hx.sum()], [hx.sum(), h.sum()]]) + 1e-12 * total * np.eye(2)
        direction = -np.linalg.solve(H, gradient)
        slope = gradient @ direction
        if -slope <= 1e-12 * total:
            theta = theta + direction  # below what the sum of losses can resolve: the step squares the remaining error
            break
        step = backtrack(lambda t: loss(theta + t * direction), value, slope)
        if step is None:  # rounding hides any further decrease
            break
        theta, value = theta + step.length * direction, step.value
    slope = theta[0] / scale
    return float(slope), float(theta[1] - slope * centre)
