"""Whether the columns of a table say anything about the target, without regard to any model.

A comparison of errors over folds has to show that a model predicts better than the mean. That needs more rows than
showing that target and columns are related, for which an F test of all columns together is enough.
"""

import numpy as np
from scipy.special import betainc, ndtri
from scipy.stats import rankdata

MAX_SHARE = 0.4  # of the rows that columns of the design may take; with more, single columns are tested
MAX_ROWS = 20_000


def signal_p_value(X, truth, n_classes=None, seed=0):
    """p-value of the hypothesis that the target is independent of all columns together.

    Quantities are replaced by normal scores of their ranks, so that no wild value decides. Classes are tested one by
    one. The F test of a linear model on all columns and the best single column each have half of the level.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        Design matrix; rows are independent.
    truth : ndarray of shape (n_rows,)
        Values, or numbers of classes.
    n_classes : int or None
    seed : int
        For the sample of a long table.

    Returns
    -------
    float
        NaN if nothing can be tested.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.app.honesty.signal import signal_p_value
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> signal_p_value(X, X[:, 0] + rng.normal(size=100)) < 1e-6, signal_p_value(X, rng.normal(size=100)) > 0.01
    (True, True)
    """
    if len(X) > MAX_ROWS:
        rows = np.random.default_rng(seed).choice(len(X), MAX_ROWS, replace=False)
        X, truth = X[rows], truth[rows]
    n = len(X)
    X = X[:, np.isfinite(X).all(axis=0)]
    X = X[:, np.ptp(X, axis=0) > 0] if X.size else X
    if n < 8 or X.shape[1] == 0 or np.ptp(truth) == 0:
        return float("nan")
    X = normal_scores(X)
    if n_classes is None:
        Y = normal_scores(truth.astype(float)[:, None])
    else:
        Y = (truth[:, None] == np.arange(n_classes)) * 1.0
        Y = Y[:, Y.any(axis=0)]
        Y = Y[:, :1] if Y.shape[1] == 2 else Y
    X, Y = X - X.mean(axis=0), Y - Y.mean(axis=0)
    total = np.sum(Y**2, axis=0)
    tests = [len(X.T) * Y.shape[1] * np.min(_share_p((X.T @ Y) ** 2 / np.outer(np.sum(X**2, axis=0), total), 1, n))]
    left, sizes, _ = np.linalg.svd(X, full_matrices=False) if X.shape[1] <= MAX_SHARE * n else (None, np.zeros(1), 0)
    rank = int(np.sum(sizes > 1e-9 * sizes.max())) if left is not None else 0
    if rank:
        tests.append(Y.shape[1] * np.min(_share_p(np.sum((left[:, :rank].T @ Y) ** 2, axis=0) / total, rank, n)))
    return float(min(1.0, len(tests) * min(tests)))


def _share_p(share, df, n):
    """p-value of a share of explained variance, which has a beta distribution under independence."""
    return betainc((n - 1 - df) / 2, df / 2, np.clip(1 - share, 0.0, 1.0))


def normal_scores(table):
    """Normal quantiles of the ranks of each column."""
    return ndtri(rankdata(table, axis=0) / (len(table) + 1))
