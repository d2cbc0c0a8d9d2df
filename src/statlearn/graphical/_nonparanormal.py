"""Nonparanormal (Gaussian copula) input: scores and rank-based correlations."""

import numpy as np
from scipy.special import ndtri
from scipy.stats import kendalltau, rankdata

from statlearn._core.params import Options, check_arguments
from statlearn._core.validation import check_array, naming

KINDS = ("scores", "spearman", "kendall")


def normal_scores(X):
    """Columns replaced by the normal quantiles of their truncated ranks, with variance 1.

    The empirical distribution function is truncated to [d, 1 - d] with ``d = 1 / (4 n^(1/4) sqrt(pi log n))``, as in
    Liu, Lafferty and Wasserman (2009).
    """
    n = X.shape[0]
    delta = 1.0 / (4.0 * n**0.25 * np.sqrt(np.pi * np.log(max(n, 2))))
    Z = ndtri(np.clip(rankdata(X, axis=0) / n, delta, 1.0 - delta))
    scale = Z.std(axis=0)
    return (Z - Z.mean(axis=0)) / np.where(scale > 0, scale, 1.0)


_SIGN_ROWS = 1000  # up to here all pairs of rows are compared; above, the O(n log n) of scipy is faster (empirical)


def _kendall(X):
    """Kendall's tau-b of all pairs of columns."""
    n, p = X.shape
    if n <= _SIGN_ROWS:
        # With s the signs of the differences of two rows, tau_b = sum s_a s_b / sqrt(sum s_a^2 sum s_b^2).
        C = np.zeros((p, p))
        for i in range(n - 1):
            signs = np.sign(X[i] - X[i + 1 :])
            C += signs.T @ signs
        scale = np.sqrt(np.diagonal(C))
        with np.errstate(invalid="ignore"):  # a constant column has no correlation
            R = C / np.outer(scale, scale)
        np.fill_diagonal(R, 1.0)
        return R
    R = np.eye(p)
    for i in range(p):
        for j in range(i):
            R[i, j] = R[j, i] = kendalltau(X[:, i], X[:, j]).statistic
    return R


def nonparanormal_correlation(X, kind="scores"):
    r"""Correlation matrix of the Gaussian copula behind the columns, from their ranks.

    Columns may have any continuous distributions; only monotone transformations of them need to be jointly Gaussian.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    kind : {"scores", "spearman", "kendall"}, default="scores"
        "scores": correlation of the normal quantiles of the truncated ranks. "spearman": :math:`2 \sin(\pi r / 6)` of
        Spearman's correlation. "kendall": :math:`\sin(\pi \tau / 2)` of Kendall's. The last two resist outliers, but
        may be indefinite.

    Returns
    -------
    ndarray of shape (n_features, n_features)

    References
    ----------
    Liu, H., Lafferty, J. and Wasserman, L. (2009). The nonparanormal. JMLR 10, 2295-2328.

    Liu, H., Han, F., Yuan, M., Lafferty, J. and Wasserman, L. (2012). High-dimensional semiparametric Gaussian copula
    graphical models. Annals of Statistics 40, 2293-2326.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import nonparanormal_correlation
    >>> x = np.random.RandomState(0).normal(size=(200, 1))
    >>> X = np.hstack([np.exp(x), x**3])  # monotone in the same variable
    >>> nonparanormal_correlation(X, "spearman").round(6)
    array([[1., 1.],
           [1., 1.]])
    """
    check_arguments(nonparanormal_correlation, kind=(kind, [Options(*KINDS)]))
    with naming("X"):
        X = check_array(X, dtype=np.float64, ensure_min_samples=2)
    constant = np.flatnonzero(np.ptp(X, axis=0) == 0)
    if len(constant):
        raise ValueError(f"X has constant columns ({', '.join(map(str, constant[:5]))}), which have no correlations.")
    if kind == "scores":
        Z = normal_scores(X)
        return np.clip(Z.T @ Z / len(Z), -1.0, 1.0)
    if kind == "spearman":
        R = np.corrcoef(rankdata(X, axis=0), rowvar=False).reshape(X.shape[1], -1)
        R = 2.0 * np.sin(np.pi / 6.0 * R)
    else:
        R = np.sin(np.pi / 2.0 * _kendall(X))
    np.fill_diagonal(R, 1.0)
    return R
