"""Gaussian graphical models on a given graph: maximum likelihood, thresholded graphs, and stepwise selection."""

import numpy as np
from scipy.stats import chi2
from sklearn.utils.validation import check_is_fitted

from statlearn._core import covariance as core
from statlearn._core.names import input_names
from statlearn._core.native import graphical as native
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import check_weights, validate_data
from statlearn._core.warnings import DIVERGED, MAX_ITER, warn_if_stopped

from ._covariance import EmpiricalCovariance, log_likelihood
from ._gaussian import partial_correlation
from ._penalised_likelihood import check_covariance, refuse_constant
from ._undirected import GraphMixin, UndirectedGraph, as_graph

_NO_MLE = (
    "The maximum-likelihood estimate does not exist on this graph: the covariance of {what} is singular. Use fewer "
    "edges, more rows, or GraphicalLasso."
)


def fit_known_graph(S, adjacency, *, tol=1e-10, max_iter=1000, owner="fit_known_graph"):
    """Covariance W and precision K of the maximum-likelihood fit on a graph, and the number of sweeps.

    W equals S on the diagonal and the edges, and K is zero elsewhere.
    """
    p = len(S)
    A = np.array(adjacency, dtype=bool)
    np.fill_diagonal(A, False)
    starts = np.zeros(p + 1, dtype=np.int32)
    starts[1:] = np.cumsum(A.sum(axis=1))
    neighbours = np.nonzero(A)[1].astype(np.int32)
    W, B = np.ascontiguousarray(S, dtype=np.float64).copy(), np.zeros((p, p))
    try:
        np.linalg.cholesky(W)
    except np.linalg.LinAlgError:
        W = np.diag(np.diag(S)).astype(np.float64)  # any positive definite start with the same diagonal
    change, n_iter, status, column = native.known_graph_fit(
        np.ascontiguousarray(S, dtype=np.float64), starts, neighbours, tol, max_iter, W, B
    )
    if status == DIVERGED:
        raise ValueError(_NO_MLE.format(what=f"the neighbours of column {column}"))
    residual = np.diag(W) - np.einsum("ij,ij->i", W, B)
    if (residual <= 1e-10 * np.diag(W)).any():
        raise ValueError(_NO_MLE.format(what=f"column {int(np.argmin(residual / np.diag(W)))} and its neighbours"))
    if status == MAX_ITER:
        warn_if_stopped(
            owner, status, f"entries of the covariance still change by {change:.1e}", remedy="Increase max_iter."
        )
    K = -B / residual[:, None]
    K[np.arange(p), np.arange(p)] = 1.0 / residual
    return W, (K + K.T) / 2.0, n_iter


class GaussianGraphicalMLE(GraphMixin, EmpiricalCovariance):
    r"""Maximum-likelihood Gaussian model on a given graph.

    Maximises :math:`\log\det\Theta - \operatorname{tr}(S\Theta)` over positive definite Θ with zeros at all pairs that
    the graph does not join. At the maximum, the covariance equals S on the diagonal and the edges.

    Cycles over the variables: column j is regressed on its neighbours under the current covariance, until no entry of
    the covariance changes by more than `tol` relative to the standard deviations.

    Parameters
    ----------
    graph : UndirectedGraph, list of pairs, matrix or None, default=None
        The edges: pairs of column names or numbers, or a symmetric matrix with True for each edge. None means the
        complete graph.
    covariance : {"precomputed"} or None, default=None
        If "precomputed", `fit` takes a covariance matrix.
    assume_centered : bool, default=False
        Whether the mean is taken to be zero.
    tol : float, default=1e-10
        Largest relative change of an entry at which the sweeps stop.
    max_iter : int, default=1000
        Maximum number of sweeps.

    Attributes
    ----------
    location_ : ndarray of shape (n_features,)
        Estimated mean.
    covariance_ : ndarray of shape (n_features, n_features)
    precision_ : ndarray of shape (n_features, n_features)
    sample_covariance_ : ndarray of shape (n_features, n_features)
        The covariance S that was fitted.
    n_rows_ : float
        Number of rows, or the sum of the weights; NaN for a given covariance.
    n_edges_ : int
    n_iter_ : int
        Number of sweeps.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    GraphicalLasso : the graph from the data.
    lrt : test of two nested graphs.

    Notes
    -----
    Cost per sweep: the sum of the cubed numbers of neighbours, plus p times the number of edges. The estimate exists if
    there are at least as many rows as the largest clique of a triangulated graph has nodes, plus one.

    References
    ----------
    Hastie, T., Tibshirani, R. and Friedman, J. (2009). The Elements of Statistical Learning, algorithm 17.1. Springer.

    Lauritzen, S. L. (1996). Graphical Models. Oxford University Press.

    Examples
    --------
    >>> from statlearn.graphical import GaussianGraphicalMLE
    >>> S = [[10, 1, 5, 4], [1, 10, 2, 6], [5, 2, 10, 3], [4, 6, 3, 10]]
    >>> model = GaussianGraphicalMLE([(0, 1), (1, 2), (2, 3), (0, 3)], covariance="precomputed").fit(S)
    >>> model.covariance_.round(3)
    array([[10.   ,  1.   ,  1.314,  4.   ],
           [ 1.   , 10.   ,  2.   ,  0.87 ],
           [ 1.314,  2.   , 10.   ,  3.   ],
           [ 4.   ,  0.87 ,  3.   , 10.   ]])
    """

    _constraints = {
        "graph": [Instance(UndirectedGraph), "array-like", None],
        "covariance": [Options("precomputed"), None],
        "assume_centered": ["boolean"],
        "tol": [Real(0, None, closed="neither")],
        "max_iter": [Int(1, None)],
    }
    store_precision = True

    def __init__(self, graph=None, *, covariance=None, assume_centered=False, tol=1e-10, max_iter=1000):
        self.graph = graph
        self.covariance = covariance
        self.assume_centered = assume_centered
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X, y=None, sample_weight=None):
        """Estimate covariance and precision on the graph.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or covariance of shape (n_features, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None
            A weight of k counts a row k times.

        Returns
        -------
        self : GaussianGraphicalMLE
        """
        check_params(self)
        S = self._sample_covariance(X, sample_weight)
        p = len(S)
        A = np.ones((p, p), dtype=bool) if self.graph is None else as_graph(self.graph, input_names(self)).adjacency()
        self._keep(*fit_known_graph(S, A, tol=self.tol, max_iter=self.max_iter, owner=self))
        return self

    def _sample_covariance(self, X, sample_weight):
        X = validate_data(self, X, ensure_min_features=2, ensure_min_samples=2, dtype=np.float64)
        weights = check_weights(sample_weight, X) if sample_weight is not None else None
        if self.covariance == "precomputed":
            if weights is not None:
                raise ValueError("`sample_weight` cannot be used with covariance='precomputed'.")
            self.location_, S = np.zeros(X.shape[1]), check_covariance(X, "covariance")
            self.n_rows_ = np.nan
        else:
            self.location_, S = core.empirical_covariance(X, weights, assume_centered=self.assume_centered)
            self.n_rows_ = float(len(X)) if weights is None else float(weights.sum())
        refuse_constant(S, np.zeros_like(S), getattr(self, "feature_names_in_", None))
        self.sample_covariance_ = S
        return S

    def _keep(self, W, K, n_iter):
        self.covariance_, self.precision_, self.n_iter_ = W, K, n_iter
        self.n_edges_ = int(np.count_nonzero(np.triu(K, 1)))

    def summary(self, *, n_rows=None):
        """Partial correlations of the edges with tests of their removal.

        The test of an edge compares the model with the one without it by likelihood ratio (chi-squared, one degree of
        freedom).

        Parameters
        ----------
        n_rows : float or None
            Number of rows, required if a covariance was given.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        n = self.n_rows_ if n_rows is None else float(n_rows)
        if not np.isfinite(n):
            raise ValueError("`n_rows` is required if the model was fitted to a covariance matrix.")
        names, R = input_names(self), partial_correlation(precision=self.precision_)
        A = self.precision_ != 0
        edges = np.argwhere(np.triu(A, 1))
        statistic = np.array([_removal(self.sample_covariance_, self.precision_, A, i, j, n) for i, j in edges])
        table = Table(
            [f"{names[i]} -- {names[j]}" for i, j in edges],
            {
                "partial_correlation": np.array([R[i, j] for i, j in edges]),
                "deviance": statistic,
                "p": chi2.sf(statistic, 1),
            },
        )
        facts = {
            "n": n,
            "n_edges": self.n_edges_,
            "log_likelihood": n * log_likelihood(self.sample_covariance_, self.precision_),
            "deviance": deviance(self.precision_, self.sample_covariance_, n),
            "df": len(A) * (len(A) - 1) // 2 - self.n_edges_,
        }
        facts["deviance_p"] = float(chi2.sf(facts["deviance"], facts["df"])) if facts["df"] else np.nan
        labels = {
            "n": "Rows",
            "n_edges": "Edges",
            "log_likelihood": "Log-likelihood",
            "deviance": "Deviance from the complete graph",
            "df": "Missing edges",
            "deviance_p": "p value of the missing edges",
        }
        if not facts["df"] or not np.isfinite(facts["deviance"]):
            labels.pop("deviance_p")
        notes = (
            []
            if type(self) is GaussianGraphicalMLE
            else ["The graph was chosen with the same data, so the p values are too small."]
        )
        return Summary(f"{type(self).__name__}: {len(names)} variables", table, facts, labels, notes=notes)


def _removal(S, K, adjacency, i, j, n, tol=1e-8):
    """Likelihood ratio statistic of the edge (i, j)."""
    A = adjacency.copy()
    A[i, j] = A[j, i] = False
    smaller = fit_known_graph(S, A, tol=tol)[1]
    return max(0.0, n * float(np.linalg.slogdet(K)[1] - np.linalg.slogdet(smaller)[1]))


def ggm_loglik(emp_cov, precision, n_rows, *, mean_difference=None, constant=True):
    r"""Log-likelihood of n rows under a Gaussian graphical model.

    .. math:: \frac{n}{2} \log\det\Theta - \frac{n}{2} \operatorname{tr}(\Theta S)
        - \frac{n}{2} (\bar x - \mu)^\top \Theta (\bar x - \mu) - \frac{np}{2} \log 2\pi

    Parameters
    ----------
    emp_cov : array-like of shape (n_features, n_features)
        Covariance S of the rows about their mean, with the divisor n.
    precision : array-like of shape (n_features, n_features)
    n_rows : float
    mean_difference : array-like of shape (n_features,) or None
        Sample mean minus the model's mean; None means zero.
    constant : bool, default=True
        Whether to include the last term.

    Returns
    -------
    float

    See Also
    --------
    log_likelihood : the mean per row at the sample mean.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import ggm_loglik
    >>> round(ggm_loglik(np.eye(2), np.eye(2), 10, constant=False), 4)
    -10.0
    """
    S, K = np.asarray(emp_cov, dtype=np.float64), np.asarray(precision, dtype=np.float64)
    p = len(K)
    value = 2.0 * log_likelihood(S, K) + p * np.log(2.0 * np.pi)
    if mean_difference is not None:
        d = np.asarray(mean_difference, dtype=np.float64)
        value -= d @ K @ d
    if constant:
        value -= p * np.log(2.0 * np.pi)
    return float(n_rows * value / 2.0)


def deviance(precision, emp_cov, n_rows):
    r"""Deviance of a model from the saturated one.

    .. math:: -n \log\det(S \Theta)

    for a maximum-likelihood fit Θ, for which tr(SΘ) = p. Zero for the complete graph, infinite if S is singular.

    Parameters
    ----------
    precision : array-like of shape (n_features, n_features)
        Maximum-likelihood estimate on a graph.
    emp_cov : array-like of shape (n_features, n_features)
    n_rows : float

    Returns
    -------
    float

    See Also
    --------
    ideviance : the distance from independence.

    Examples
    --------
    >>> from statlearn.graphical import deviance
    >>> round(deviance([[1, 0], [0, 1]], [[1.0, 0.5], [0.5, 1.0]], 100), 3)
    28.768
    """
    value = -n_rows * (
        np.linalg.slogdet(np.asarray(emp_cov, dtype=float))[1]
        + np.linalg.slogdet(np.asarray(precision, dtype=float))[1]
    )
    return float(value) + 0.0


def ideviance(precision, emp_cov, n_rows):
    r"""Deviance of the model of independent variables from a model.

    .. math:: n \left(\log\det\Theta + \sum_i \log s_{ii}\right)

    Parameters
    ----------
    precision : array-like of shape (n_features, n_features)
        Maximum-likelihood estimate on a graph.
    emp_cov : array-like of shape (n_features, n_features)
    n_rows : float

    Returns
    -------
    float
        The sum of this and `deviance` is the same for all graphs.

    Examples
    --------
    >>> from statlearn.graphical import ideviance
    >>> round(ideviance([[1, 0], [0, 1]], [[1.0, 0.5], [0.5, 1.0]], 100), 3)
    0.0
    """
    variances = np.diag(np.asarray(emp_cov, dtype=float))
    return float(n_rows * (np.linalg.slogdet(np.asarray(precision, dtype=float))[1] + np.sum(np.log(variances)))) + 0.0


def lrt(larger, smaller, n_rows):
    r"""Likelihood ratio test of two nested graphical models.

    .. math:: n \log \frac{\det \Theta_0}{\det \Theta_1} \sim \chi^2

    with degrees of freedom the number of edges that the smaller model lacks.

    Parameters
    ----------
    larger, smaller : array-like of shape (n_features, n_features)
        Precision matrices Θ_0 and Θ_1 of maximum-likelihood fits; the graph of `smaller` is part of that of `larger`.
    n_rows : float

    Returns
    -------
    statistic : float
    df : int
    p_value : float

    Examples
    --------
    >>> from statlearn.graphical import GaussianGraphicalMLE, lrt
    >>> S = [[10, 1, 5, 4], [1, 10, 2, 6], [5, 2, 10, 3], [4, 6, 3, 10]]
    >>> full = GaussianGraphicalMLE(covariance="precomputed").fit(S)
    >>> cycle = GaussianGraphicalMLE([(0, 1), (1, 2), (2, 3), (0, 3)], covariance="precomputed").fit(S)
    >>> statistic, df, p_value = lrt(full.precision_, cycle.precision_, n_rows=20)
    >>> round(statistic, 4), df, round(p_value, 5)
    (13.2281, 2, 0.00134)
    """
    K0, K1 = np.asarray(larger, dtype=np.float64), np.asarray(smaller, dtype=np.float64)
    if K0.shape != K1.shape:
        raise ValueError(f"`larger` and `smaller` must have equal shapes, got {K0.shape} and {K1.shape}.")
    has0, has1 = K0 != 0, K1 != 0
    if (has1 & ~has0).any():
        i, j = np.argwhere(has1 & ~has0)[0]
        raise ValueError(f"The models are not nested: `smaller` has the edge ({i}, {j}), which `larger` lacks.")
    statistic = float(n_rows * (np.linalg.slogdet(K0)[1] - np.linalg.slogdet(K1)[1]))
    df = int(np.triu(has0, 1).sum() - np.triu(has1, 1).sum())
    return statistic, df, float(chi2.sf(statistic, df)) if df else 1.0


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
        sample_weight : array-like of shape (n_samples,) or None
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


class StepwiseGGM(GaussianGraphicalMLE):
    r"""Stepwise selection of the edges of a Gaussian graphical model.

    Deletes or adds the edge that improves the criterion most, one at a time, and stops when none does.

    Parameters
    ----------
    criterion : {"bic", "aic", "lrt"}, default="bic"
        "aic" and "bic" charge 2 or log n per edge. "lrt" deletes the edge with the largest p value above `alpha`, or
        adds the one with the smallest below it, by likelihood ratio tests.
    direction : {"backward", "forward", "both"}, default="backward"
        Start from the complete graph and delete, from the empty one and add, or from the complete one with both moves.
    alpha : float, default=0.05
        Level of the tests with ``criterion="lrt"``.
    covariance : {"precomputed"} or None, default=None
        If "precomputed", `fit` takes a covariance matrix, and `n_rows` is required.
    n_rows : int or None, default=None
        Number of rows behind a given covariance.
    assume_centered : bool, default=False
        Whether the mean is taken to be zero.
    tol : float, default=1e-10
        Largest relative change of an entry at which the sweeps of the final fit stop.
    max_iter : int, default=1000
        Maximum number of sweeps per model.

    Attributes
    ----------
    steps_ : list of (str, int, int, float)
        The moves: "delete" or "add", the two columns, and the change of the criterion (the p value for "lrt").
    location_ : ndarray of shape (n_features,)
    covariance_ : ndarray of shape (n_features, n_features)
    precision_ : ndarray of shape (n_features, n_features)
    sample_covariance_ : ndarray of shape (n_features, n_features)
    n_rows_ : float
    n_edges_ : int
    n_iter_ : int
        Number of moves, including the last attempt.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    GraphicalLassoIC : for many columns.

    Notes
    -----
    Each step fits one model per candidate edge, so some p^2 of them: meant for tens of columns. Tests after the
    selection are too optimistic.

    References
    ----------
    Edwards, D. (2000). Introduction to Graphical Modelling, 2nd ed., chapter 6. Springer.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import StepwiseGGM
    >>> K = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]])
    >>> X = np.random.RandomState(0).multivariate_normal(np.zeros(3), np.linalg.inv(K), size=500)
    >>> StepwiseGGM().fit(X).to_graph().edges()
    [('x0', 'x1'), ('x1', 'x2')]
    """

    _constraints = {
        "criterion": [Options("aic", "bic", "lrt")],
        "direction": [Options("backward", "forward", "both")],
        "alpha": [Real(0, 1, closed="neither")],
        "n_rows": [Int(2, None), None],
        **{
            name: GaussianGraphicalMLE._constraints[name]
            for name in ("covariance", "assume_centered", "tol", "max_iter")
        },
    }

    def __init__(
        self,
        criterion="bic",
        *,
        direction="backward",
        alpha=0.05,
        covariance=None,
        n_rows=None,
        assume_centered=False,
        tol=1e-10,
        max_iter=1000,
    ):
        self.criterion = criterion
        self.direction = direction
        self.alpha = alpha
        self.covariance = covariance
        self.n_rows = n_rows
        self.assume_centered = assume_centered
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X, y=None, sample_weight=None):
        """Select the edges and fit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or covariance of shape (n_features, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None
            A weight of k counts a row k times.

        Returns
        -------
        self : StepwiseGGM
        """
        check_params(self)
        S = self._sample_covariance(X, sample_weight)
        if self.covariance == "precomputed":
            if self.n_rows is None:
                raise ValueError("`n_rows` is required with covariance='precomputed'.")
            self.n_rows_ = float(self.n_rows)
        p, n = len(S), self.n_rows_
        A = np.full((p, p), self.direction != "forward")
        np.fill_diagonal(A, False)
        value = self._log_det(S, A)
        self.steps_ = []
        for _ in range(p * (p - 1)):
            move = self._best_move(S, A, value, n)
            if move is None:
                break
            kind, i, j, change, value = move
            A[i, j] = A[j, i] = kind == "add"
            self.steps_.append((kind, int(i), int(j), float(change)))
        self._keep(*fit_known_graph(S, A, tol=self.tol, max_iter=self.max_iter, owner=self))
        self.n_iter_ = len(self.steps_) + 1
        return self

    def _log_det(self, S, A):
        return float(np.linalg.slogdet(fit_known_graph(S, A, tol=1e-8, max_iter=self.max_iter, owner=self)[1])[1])

    def _best_move(self, S, A, value, n):
        """The most useful move as (kind, i, j, change, log det), or None."""
        charge = {"aic": 2.0, "bic": np.log(n), "lrt": 0.0}[self.criterion]
        best = None
        for i, j in zip(*np.triu_indices(len(S), 1)):
            kind = "delete" if A[i, j] else "add"
            if self.direction == ("backward" if kind == "add" else "forward"):
                continue
            B = A.copy()
            B[i, j] = B[j, i] = kind == "add"
            try:
                new = self._log_det(S, B)
            except ValueError:  # no estimate with this edge
                continue
            statistic = max(0.0, n * abs(new - value))
            if self.criterion == "lrt":
                p_value = float(chi2.sf(statistic, 1))
                useful = p_value > self.alpha if kind == "delete" else p_value < self.alpha
                gain, change = (p_value if kind == "delete" else 1.0 - p_value), p_value
                rank = (gain, -statistic if kind == "delete" else statistic)
            else:
                change = statistic - charge if kind == "delete" else charge - statistic
                useful, rank = change < 0.0, (-change, 0.0)
            if useful and (best is None or rank > best[0]):
                best = (rank, kind, i, j, change, new)
        return None if best is None else best[1:]
