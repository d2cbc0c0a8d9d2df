"""The k-nearest-neighbour mean as a linear smoother: matrix, degrees of freedom and risk."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array

from statlearn._core.params import Int, Options, Real, check_arguments, check_value
from statlearn._core.validation import FLOATS
from statlearn._math.distances.neighbor_index import build_index

from ._aggregate import of_k_nearest, require_weight

_WEIGHTS = [Options("uniform", "distance"), "callable", None]


def _neighbors(owner, X, Q, k, metric, p, metric_params):
    check_arguments(owner, n_neighbors=(k, [Int(1, None)]), p=(p, [Real(0, None, closed="neither"), None]))
    X = check_array(X, dtype=FLOATS, order="C", input_name="X")
    if k > len(X):
        raise ValueError(f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {k}, n_samples_fit = {len(X)}.")
    Q = X if Q is None else check_array(Q, dtype=X.dtype, order="C", input_name="X_new")
    if Q.shape[1] != X.shape[1]:
        raise ValueError(f"`X_new` has {Q.shape[1]} features, but `X` has {X.shape[1]}.")
    return build_index(X, metric=metric, p=p, metric_params=metric_params).query(Q, k)


def knn_smoother_matrix(
    X, n_neighbors=5, *, X_new=None, weights="uniform", metric="minkowski", p=2, metric_params=None
):
    r"""Smoother matrix S of the k-nearest-neighbour mean, with fitted values :math:`\hat y = S y`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Training rows; each is a neighbour of itself.
    n_neighbors : int, default=5
        Number of neighbours k.
    X_new : array-like of shape (n_queries, n_features) or None, default=None
        Rows to predict; None uses the training rows.
    weights : {"uniform", "distance"}, callable or None, default="uniform"
    metric, p, metric_params
        As in :class:`KNeighborsRegressor`.

    Returns
    -------
    scipy.sparse.csr_array of shape (n_queries, n_samples)
        Rows sum to 1. With equal weights and distinct rows the diagonal is 1/k and the trace n/k.

    See Also
    --------
    knn_effective_df : effective degrees of freedom.
    statlearn.assess.smoother_matrix : the same for any estimator, as a dense matrix.

    Notes
    -----
    S is not symmetric, because being a neighbour is not mutual. If more than k rows are equal, some of them are not
    among their own k nearest, and the trace is below n/k.

    Examples
    --------
    >>> from statlearn.neighbors import knn_smoother_matrix
    >>> S = knn_smoother_matrix([[0.0], [1.0], [3.0], [4.0]], n_neighbors=2)
    >>> S.toarray()
    array([[0.5, 0.5, 0. , 0. ],
           [0.5, 0.5, 0. , 0. ],
           [0. , 0. , 0.5, 0.5],
           [0. , 0. , 0.5, 0.5]])
    >>> float(S.trace())
    2.0
    """
    check_arguments(knn_smoother_matrix, weights=(weights, _WEIGHTS))
    distance, row = _neighbors(knn_smoother_matrix, X, X_new, n_neighbors, metric, p, metric_params)
    hoods = of_k_nearest(distance, row, weights)
    require_weight(hoods)
    values = hoods.weights / np.repeat(hoods.totals(), n_neighbors)
    n = len(X) if hasattr(X, "__len__") else X.shape[0]
    S = sparse.csr_array((values, hoods.row, hoods.start), shape=(len(row), n))
    S.sort_indices()
    return S


def knn_effective_df(X, n_neighbors=5, *, X_new=None, weights="uniform", metric="minkowski", p=2, metric_params=None):
    r"""Effective degrees of freedom of the k-nearest-neighbour mean, for the training rows or new rows.

    For the training rows it is the trace of the smoother matrix S, n/k for equal weights. For new rows, whose
    prediction is :math:`s(x)^\top y`, it is the predictive model degrees of freedom,

    .. math:: \operatorname{tr} S
              + \tfrac n2 \left(\operatorname{mean}_x \lVert s(x)\rVert^2 - \tfrac1n \operatorname{tr} S^\top S\right)

    which makes :math:`\text{training error} + 2 \sigma^2\, \mathrm{df} / n` an estimate of the error at the new rows,
    apart from the difference in bias.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    n_neighbors : int, default=5
    X_new : array-like of shape (n_queries, n_features) or None, default=None
    weights : {"uniform", "distance"}, callable or None, default="uniform"
    metric, p, metric_params
        As in :class:`KNeighborsRegressor`.

    Returns
    -------
    float

    Notes
    -----
    With ``weights="distance"`` each training row keeps all the weight at its own position. The fit interpolates and the
    trace is n, so only the version for new rows is informative.

    References
    ----------
    Luan, B., Lee, Y. & Zhu, Y. (2021). Predictive model degrees of freedom in linear regression. arXiv:2106.15682.

    Examples
    --------
    >>> from statlearn.neighbors import knn_effective_df
    >>> knn_effective_df([[0.0], [1.0], [3.0], [4.0]], n_neighbors=2)
    2.0
    """
    settings = {"weights": weights, "metric": metric, "p": p, "metric_params": metric_params}
    S = knn_smoother_matrix(X, n_neighbors, **settings)
    df = float(S.trace())
    if X_new is None:
        return df
    new = knn_smoother_matrix(X, n_neighbors, X_new=X_new, **settings)
    n = S.shape[0]
    return df + 0.5 * n * (float((new.power(2)).sum()) / new.shape[0] - float((S.power(2)).sum()) / n)


@dataclass
class KnnRisk:
    """Expected squared prediction error of the k-nearest-neighbour mean and its components, one entry per point.

    Parameters
    ----------
    noise : float
        Variance of y around f, the irreducible error.
    squared_bias, variance : ndarray
        Of shape (n_points,), or (n_k, n_points) for several k.
    """

    noise: float
    squared_bias: np.ndarray
    variance: np.ndarray

    @property
    def total(self):
        """Noise plus squared bias plus variance."""
        return self.noise + self.squared_bias + self.variance


def knn_risk(f, X, X_new, n_neighbors=5, *, noise_variance=1.0, metric="minkowski", p=2, metric_params=None):
    r"""Prediction error of the k-nearest-neighbour mean at given points, for a known function and known noise.

    .. math:: \sigma^2 + \Bigl[f(x_0) - \frac1k \sum_{l=1}^k f(x_{(l)})\Bigr]^2 + \frac{\sigma^2}{k}

    The training rows are fixed and their responses are random: :math:`y_i = f(x_i) + \varepsilon_i` with variance
    :math:`\sigma^2`.

    Parameters
    ----------
    f : callable
        Maps an array of shape (n, n_features) to n numbers.
    X : array-like of shape (n_samples, n_features)
        Training rows.
    X_new : array-like of shape (n_points, n_features)
        Points at which to predict.
    n_neighbors : int or sequence of int, default=5
    noise_variance : float, default=1.0
    metric, p, metric_params
        As in :class:`KNeighborsRegressor`.

    Returns
    -------
    KnnRisk
        Has ``noise``, ``squared_bias``, ``variance`` and their sum ``total``. For several k the arrays have one row per
        k.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, equation (7.10).

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.neighbors import knn_risk
    >>> risk = knn_risk(lambda X: X[:, 0] ** 2, [[-1.0], [0.0], [1.0]], [[0.0]], [1, 3], noise_variance=0.3)
    >>> risk.total.ravel().round(4)
    array([0.6   , 0.8444])
    """
    check_arguments(knn_risk, f=(f, ["callable"]), noise_variance=(noise_variance, [Real(0, None)]))
    several = not isinstance(n_neighbors, (int, np.integer))
    ks = np.asarray(n_neighbors).reshape(-1).tolist() if several else [n_neighbors]
    for k in ks:
        check_value("n_neighbors", k, [Int(1, None)], "knn_risk")
    X_new = check_array(X_new, dtype=FLOATS, input_name="X_new")
    _, row = _neighbors(knn_risk, X, X_new, max(ks), metric, p, metric_params)
    truth = np.asarray(f(np.asarray(X_new)), dtype=np.float64).reshape(-1)
    values = np.asarray(f(np.asarray(X, dtype=np.float64)), dtype=np.float64).reshape(-1)[row]
    means = np.cumsum(values, axis=1)[:, np.array(ks) - 1] / ks
    bias = (truth - means.T) ** 2
    variance = np.repeat(noise_variance / np.array(ks, dtype=float)[:, None], len(truth), axis=1)
    return KnnRisk(noise_variance, bias, variance) if several else KnnRisk(noise_variance, bias[0], variance[0])
