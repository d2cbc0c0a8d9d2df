"""Errors of a linear smoother from its residuals and leverages, without refits."""

import numpy as np

_ROUNDING = 1e-12  # residual degrees of freedom of a row that may be rounding alone


def noise_variance(rss, df_residual, n):
    """Residual sum of squares over its degrees of freedom; NaN for a fit that leaves none."""
    return rss / df_residual if df_residual > _ROUNDING * n else np.nan


def left_out_residuals(residual, leverage):
    """Residuals of fits without each row; infinite for a row that determines its own fit."""
    slack = 1.0 - leverage
    exact = np.abs(slack) <= _ROUNDING
    return np.where(exact, np.inf, residual / np.where(exact, 1.0, slack))


def smoother_scores(residual, leverage, df, weights, n):
    """``df``, ``rss``, ``loo``, ``gcv`` and ``aicc`` of a smoother with `df` degrees of freedom.

    Leverages are those of single rows of weight 1; `n` is the sum of the weights. A row that determines its own fit has
    an infinite leave-one-out error.
    """
    w = np.ones(len(residual)) if weights is None else weights
    rss = float(np.sum(w * residual**2))
    left_out = left_out_residuals(residual, leverage)
    with np.errstate(invalid="ignore"):  # 0 times infinity, for a row of weight 0
        loo = float(np.sum(np.where(w > 0, w * left_out**2, 0.0)) / n)
        gcv = float(rss / n / (1.0 - df / n) ** 2) if df < n else np.inf
        aicc = float(np.log(rss / n) + 1.0 + 2.0 * (df + 1.0) / (n - df - 2.0)) if n - df > 2 and rss > 0 else np.inf
    return dict(df=df, rss=rss, loo=loo if np.isfinite(loo) else np.inf, gcv=gcv, aicc=aicc)
