"""Canonical correlation analysis."""

import numpy as np
from scipy import stats
from sklearn.utils.validation import check_is_fitted

from statlearn._core.summary import Table

from ._base import CrossRegression
from ._cross_components import correlation_pair, cross_components


class CCA(CrossRegression):
    r"""Canonical correlation analysis: pairs of linear combinations of two tables with the largest correlation.

    .. math:: \rho_a = \max_{w, c} \operatorname{corr}(X w, Y c)
        \quad\text{subject to}\quad X w \perp X w_b,\; Y c \perp Y c_b \text{ for } b < a

    Parameters
    ----------
    n_components : int, default=2
        Number of pairs.
    scale : bool, default=True
        Divide the columns of X and y by their standard deviations first. Correlations do not change, weights do.
    max_iter : int, default=500
        Not used: the pairs are singular vectors, computed directly.
    tol : float, default=1e-6
        Not used, as `max_iter`.
    copy : bool, default=True
        Not used: the input is never modified.

    Attributes
    ----------
    correlations_ : ndarray of shape (n_components,)
        Canonical correlations of the training rows.
    x_weights_ : ndarray of shape (n_features, n_components)
        Unit vectors w of the deflated tables.
    y_weights_ : ndarray of shape (n_targets, n_components)
    x_loadings_ : ndarray of shape (n_features, n_components)
    y_loadings_ : ndarray of shape (n_targets, n_components)
    x_rotations_ : ndarray of shape (n_features, n_components)
        Scores are the centred and scaled X times this matrix.
    y_rotations_ : ndarray of shape (n_targets, n_components)
    coef_ : ndarray of shape (n_targets, n_features)
    intercept_ : ndarray of shape (n_targets,)
    n_iter_ : list of int
        Always 1 for each component.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    See Also
    --------
    PLSCanonical : Pairs of largest covariance, for tables with many or dependent columns.

    Notes
    -----
    With p + q columns close to n rows the largest correlation is near 1 whatever the truth: compare it with the tests
    of `summary`, or with other rows. Columns that depend on others are given the shortest weights. The correlations
    are those of R's ``cancor``.

    References
    ----------
    Hotelling, H. (1936). Relations between two sets of variates. *Biometrika* 28.

    Rao, C. R. (1951). An asymptotic expansion of the distribution of Wilks' criterion. *Bulletin of the International
    Statistical Institute* 33.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decomposition import CCA
    >>> rng = np.random.default_rng(0)
    >>> z = rng.normal(size=200)
    >>> X = np.column_stack([z + rng.normal(size=200), rng.normal(size=200)])
    >>> Y = np.column_stack([rng.normal(size=200), z + rng.normal(size=200)])
    >>> CCA().fit(X, Y).correlations_.round(2)
    array([0.55, 0.06])
    """

    def __init__(self, n_components=2, *, scale=True, max_iter=500, tol=1e-6, copy=True):
        self.n_components = n_components
        self.scale = scale
        self.max_iter = max_iter
        self.tol = tol
        self.copy = copy

    def _components(self, A, B, k):
        components = cross_components(A, B, k, pair=correlation_pair, canonical=True, unit_y=True)
        every = cross_components(A, B, min(A.shape[1], B.shape[1]), pair=correlation_pair, canonical=True, unit_y=True)
        T, U = A @ every.x_rotations, B @ every.y_rotations
        lengths = np.linalg.norm(T, axis=0) * np.linalg.norm(U, axis=0)
        self._all_correlations = np.clip(np.sum(T * U, axis=0) / lengths, 0.0, 1.0)
        self.correlations_ = self._all_correlations[: components.x_weights.shape[1]]
        return components

    def summary(self):
        """Canonical correlations with Wilks' lambda and Rao's F test that this and all later ones are 0.

        The tests assume independent rows and normal errors, and that no columns were chosen by looking at them.

        Returns
        -------
        Table
        """
        check_is_fitted(self)
        rho = self._all_correlations
        p, q, n = len(self._x_mean), len(self._y_mean), self._total_weight
        rows = [_rao_test(rho[a:], n - 1 - a, p - a, q - a) for a in range(len(rho))]
        columns = {"canonical_correlation": rho, **dict(zip(("Wilks_left", "F", "df1", "df2", "p"), np.array(rows).T))}
        return Table([f"pair {a + 1}" for a in range(len(rho))], columns, caption="Canonical correlation analysis")


def _rao_test(rho, v, p, q):
    """Wilks' lambda of the correlations, and its F approximation with v degrees of freedom about the means."""
    with np.errstate(divide="ignore"):
        wilks = float(np.exp(np.sum(np.log1p(-(rho**2)))))
    ratio = p**2 + q**2 - 5
    t = np.sqrt(((p * q) ** 2 - 4) / ratio) if ratio > 0 else 1.0
    df1, df2 = p * q, (v - (p + q + 1) / 2) * t - (p * q - 2) / 2
    if df2 <= 0:
        return wilks, np.nan, df1, df2, np.nan
    F = (wilks ** (-1 / t) - 1) * df2 / df1 if wilks > 0 else np.inf
    return wilks, F, df1, df2, float(stats.f.sf(F, df1, df2))
