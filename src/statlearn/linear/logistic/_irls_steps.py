"""The weighted least-squares problems that Newton's method solves for binary logistic regression."""

import numpy as np
from scipy import special

from statlearn._math.rows.linear_scores import linear_scores


def irls_steps(X, codes, weights, offset, fits):
    """Working responses and weights at each of the `fits` but the last, and the coefficients that follow."""
    responses, curvatures = [], []
    for fit in fits[:-1]:
        plain = linear_scores(X, fit["coef_"], fit["intercept_"])[:, 0].astype(np.float64)
        scores = plain if offset is None else plain + offset
        weight = special.expit(scores) * special.expit(-scores)
        with np.errstate(over="ignore"):
            # (y - p) / (p (1 - p)) is 1 / p for y = 1 and -1 / (1 - p) for y = 0.
            correction = np.where(codes == 1, 1.0 + np.exp(-scores), -1.0 - np.exp(scores))
        responses.append(plain + correction)
        curvatures.append(weight if weights is None else weights * weight)
    n, p = X.shape
    return {
        "working_response": np.array(responses).reshape(-1, n),
        "weight": np.array(curvatures).reshape(-1, n),
        "intercept": np.array([fit["intercept_"][0] for fit in fits[1:]]),
        "coef": np.array([fit["coef_"][0] for fit in fits[1:]]).reshape(-1, p),
    }
