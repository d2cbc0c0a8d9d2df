"""Graphs of the partial correlations that pass a threshold or a test."""

import numpy as np

from statlearn._core.fitted_state import forget
from statlearn._core.params import Int, Real, check_params

from ._gaussian import partial_correlation
from ._known_graph import GaussianGraphicalMLE, fit_known_graph


class ThresholdGGM(GaussianGraphicalMLE):
    r"""Gaussian graphical model of the pairs with large partial correlations.

    Computes the partial correlations r of the sample, keeps the edges that pass one rule, and fits the model on their
    graph by maximum likelihood.

    Parameters
    ----------
    threshold : float or None, default=None
        Keep edges with \|r\| greater than this.
    alpha : float or None, default=None
        Keep edges that differ from zero at this level, by Fisher's z with n - p - 1 degrees of freedom, after Holm's
        correction for the number of pairs. Used with 0.05 if all three rules are None.
    n_edges : int or None, default=None
        Keep this many edges with the largest \|r\|.
    covariance : {"precomputed"} or None, default=None
        If "precomputed", `fit` takes a covariance matrix; `alpha` is not available then.
    assume_centered : bool, default=False
        Whether the mean is taken to be zero.
    tol : float, default=1e-10
        Largest relative change of an entry at which the sweeps stop.
    max_iter : int, default=1000
        Maximum number of sweeps.

    Attributes
    ----------
    partial_correlations_ : ndarray of shape (n_features, n_features)
        Of the sample, before thresholding.
    p_values_ : ndarray of shape (n_features, n_features)
        Adjusted p values of the pairs, if `alpha` is used.
    location_ : ndarray of shape (n_features,)
    covariance_ : ndarray of shape (n_features, n_features)
    precision_ : ndarray of shape (n_features, n_features)
    sample_covariance_ : ndarray of shape (n_features, n_features)
    n_rows_ : float
    n_edges_ : int
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    GraphicalLasso : for fewer rows than columns.

    Notes
    -----
    Partial correlations are compared, not entries of the precision matrix, which depend on units. Needs more rows than
    columns.

    References
    ----------
    Edwards, D. (2000). Introduction to Graphical Modelling, 2nd ed. Springer.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import ThresholdGGM
    >>> K = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]])
    >>> X = np.random.RandomState(0).multivariate_normal(np.zeros(3), np.linalg.inv(K), size=500)
    >>> ThresholdGGM(threshold=0.2).fit(X).to_graph().edges()
    [('x0', 'x1'), ('x1', 'x2')]
    """

    _constraints = {
        "threshold": [Real(0, 1, closed="both"), None],
        "alpha": [Real(0, 1, closed="neither"), None],
        "n_edges": [Int(0, None), None],
        **{
            name: GaussianGraphicalMLE._constraints[name]
            for name in ("covariance", "assume_centered", "tol", "max_iter")
        },
    }

    def __init__(
        self,
        threshold=None,
        *,
        alpha=None,
        n_edges=None,
        covariance=None,
        assume_centered=False,
        tol=1e-10,
        max_iter=1000,
    ):
        self.threshold = threshold
        self.alpha = alpha
        self.n_edges = n_edges
        self.covariance = covariance
        self.assume_centered = assume_centered
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X, y=None, sample_weight=None):
        """Choose the edges and fit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or covariance of shape (n_features, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k counts a row k times.

        Returns
        -------
        self : ThresholdGGM
        """
        check_params(self)
        if sum(rule is not None for rule in (self.threshold, self.alpha, self.n_edges)) > 1:
            raise ValueError("Give at most one of `threshold`, `alpha` and `n_edges`.")
        S = self._sample_covariance(X, sample_weight)
        p = len(S)
        try:
            R = partial_correlation(S)
        except ValueError as error:
            raise ValueError(
                "Partial correlations need a covariance matrix that can be inverted, so more rows than columns and no "
                "column that is a combination of others. Use GraphicalLasso."
            ) from error
        self.partial_correlations_ = R
        size = np.abs(R)
        np.fill_diagonal(size, 0.0)
        forget(self, "p_values_")
        if self.threshold is not None:
            A = size > self.threshold
        elif self.n_edges is not None:
            i, j = np.triu_indices(p, 1)
            chosen = np.argsort(-size[i, j], kind="stable")[: self.n_edges]
            A = np.zeros((p, p), dtype=bool)
            A[i[chosen], j[chosen]] = A[j[chosen], i[chosen]] = True
        else:
            if not np.isfinite(self.n_rows_):
                raise ValueError(
                    "`alpha` needs the number of rows; use `threshold` or `n_edges` with a covariance matrix."
                )
            self.p_values_ = _adjusted_p_values(R, self.n_rows_)
            A = self.p_values_ <= (0.05 if self.alpha is None else self.alpha)
        self._keep(*fit_known_graph(S, A, tol=self.tol, max_iter=self.max_iter, owner=self))
        return self


def _adjusted_p_values(R, n):
    """Holm-adjusted p values of partial correlations by Fisher's z."""
    from scipy.special import ndtr

    p = len(R)
    i, j = np.triu_indices(p, 1)
    df = n - (p - 2) - 3.0
    if df <= 0:
        raise ValueError(f"Tests of partial correlations of {p} columns need more than {p + 1} rows, got {n:g}.")
    z = np.arctanh(np.clip(R[i, j], -1 + 1e-15, 1 - 1e-15)) * np.sqrt(df)
    raw = 2.0 * ndtr(-np.abs(z))
    order = np.argsort(raw, kind="stable")
    adjusted = np.minimum(1.0, np.maximum.accumulate(raw[order] * (len(raw) - np.arange(len(raw)))))
    values = np.ones((p, p))
    values[i[order], j[order]] = values[j[order], i[order]] = adjusted
    return values
