"""Bound on the leave-one-out error of a soft margin, from its solution alone."""

import numpy as np

_MOST_ROWS = 1000  # for which the whole kernel matrix is looked at


def xi_alpha_bound(table, rows, alpha, limit, slack):
    """Share of rows with 2 alpha R^2 + slack >= 1 (Joachims 2000), an upper bound on the leave-one-out error.

    R^2 is any range of the kernel, c <= K(x, z) <= c + R^2, over the rows. It is 1 for the Gaussian kernel; that of
    others is computed up to 1000 rows, and bounded by |K(x, z)| <= max K(x, x) beyond. The theorem needs a multiplier
    strictly between 0 and its bound `most`, which fixes the intercept; without one the bound is 1.
    """
    if not np.any((alpha > 0.0) & (alpha < limit)):
        return 1.0
    if table.kind == "rbf":
        spread = 1.0
    elif rows.size <= _MOST_ROWS:
        K = table.values(rows, rows)
        spread = float(K.max() - K.min())
    else:
        spread = 2.0 * float(np.abs(table.diagonal(rows)).max())
    return float(np.mean(2.0 * alpha * spread + slack >= 1.0))
