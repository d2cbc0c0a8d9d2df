"""Errors of a linear smoother from its residuals and leverages, without refits."""

import numpy as np


def smoother_scores(residual, leverage, df, weights, n):
    """``df``, ``rss``, ``loo``, ``gcv`` and ``aicc`` of a smoother with `df` degrees of freedom.

    Leverages are those of single rows of weight 1; `n` is the sum of the weights. A row that determines its own fit has
    an infinite leave-one-out error.
    """
    w = np.ones(len(residual)) if weights is None else weights
    rss = float(np.sum(w * residual**2))
    with np.errstate(divide="ignore", invalid="ignore"):
        loo = float(np.sum(np.where(w > 0, w * (residual / (1.0 - leverage)) ** 2, 0.0)) / n)
        gcv = float(rss / n / (1.0 - df / n) ** 2) if df < n else np.inf
        aicc = float(np.log(rss / n) + 1.0 + 2.0 * (df + 1.0) / (n - df - 2.0)) if n - df > 2 and rss > 0 else np.inf
    return dict(df=df, rss=rss, loo=loo if np.isfinite(loo) else np.inf, gcv=gcv, aicc=aicc)
