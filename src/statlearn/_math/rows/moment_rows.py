"""A few weighted rows with the same means and cross-products as all rows of a fit.

A method that depends on the data through the sum of the weights, the weighted means and the weighted cross-products
alone has the same result on these rows: penalised least squares and its paths, principal components, covariances and
what is estimated from them.
"""

import numpy as np
from scipy import linalg


def moment_rows(statistic):
    """At most p + m + 1 rows (X, Y, weights) with the moments of a `LeastSquaresStatistic`, all of the same weight."""
    parts = np.hstack([statistic.design, statistic.targets])
    used = np.any(parts != 0.0, axis=1)
    parts = parts[used] if used.any() else parts[:1]
    k, p = len(parts), statistic.n_features
    if statistic.intercept:
        # The columns of H are orthonormal and orthogonal to the ones: products are kept and means are 0.
        H = linalg.helmert(k + 1).T
        rows = (H @ parts) * np.sqrt((k + 1) / statistic.total_weight) + np.concatenate(statistic.means)
    else:
        rows = parts * np.sqrt(k / statistic.total_weight)
    weights = np.full(len(rows), statistic.total_weight / len(rows))
    return np.ascontiguousarray(rows[:, :p]), np.ascontiguousarray(rows[:, p:]), weights
