"""Forward stagewise regression."""

import numpy as np
from sklearn.base import BaseEstimator

from statlearn._core import native
from statlearn._core.params import Int, Real, check_params
from statlearn._core.validation import FLOATS, check_weights, validate_data
from statlearn.linear._base import LinearRegressorMixin
from statlearn.linear._centred_data import centred_data


class ForwardStagewiseRegressor(LinearRegressorMixin, BaseEstimator):
    r"""Forward stagewise regression.

    Starting from 0, the incremental version repeats

    .. math:: w_j \leftarrow w_j + \varepsilon\,\mathrm{sign}\langle x_j, r \rangle, \qquad j = \arg\max_k
        \lvert\langle x_k, r \rangle\rvert,

    with r the residual. Earlier coefficients are never refitted. The full-step version (``epsilon=None``) changes the
    coefficient of the most correlated column by :math:`\langle x_j, r \rangle / \langle x_j, x_j \rangle`. The
    intercept follows from centring the data.

    Parameters
    ----------
    epsilon : float or None, default=0.01
        Step size in units of the coefficients; None means full steps.
    max_iter : int, default=5000
        Maximum number of steps. This is the tuning parameter, since early stopping acts as regularisation.
    tol : float, default=1e-8
        Stop when the largest absolute inner product is at most this fraction of its value at 0. The incremental version
        also stops when a step would no longer reduce the residual sum of squares.
    max_nodes : int, default=1000
        Approximate maximum number of points of the path to keep, evenly spaced in steps.
    fit_intercept : bool, default=True

    Attributes
    ----------
    coef_path_ : ndarray of shape (n_features, n_nodes)
        Coefficients at the nodes, starting with 0.
    rss_path_ : ndarray of shape (n_nodes,)
        Residual sum of squares at the nodes.
    steps_path_ : ndarray of shape (n_nodes,)
        Number of steps before each node.
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    n_iter_ : int
        Number of steps.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    See Also
    --------
    Lars : The limit of small steps, where the coefficient profiles are monotone.

    Notes
    -----
    The algorithm uses inner products and costs O(p) per step, plus O(n p) for the first step of each column.
    Standardise the columns first, because the step size is in units of the coefficients.

    References
    ----------
    Hastie, Tibshirani & Friedman (2009), The Elements of Statistical Learning, sections 3.3.3 and 3.8.1.
    Efron, Hastie, Johnstone & Tibshirani (2004), Least angle regression, Annals of Statistics 32.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import ForwardStagewiseRegressor
    >>> X = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    >>> y = X @ [3.0, 1.0]
    >>> ForwardStagewiseRegressor(epsilon=0.5, max_iter=4).fit(X, y).coef_
    array([2., 0.])
    >>> ForwardStagewiseRegressor(epsilon=None).fit(X, y).coef_
    array([3., 1.])
    """

    _accept_sparse = False
    _constraints: dict = {
        "epsilon": [Real(0, None, closed="neither"), None],
        "max_iter": [Int(0, None)],
        "tol": [Real(0, None)],
        "max_nodes": [Int(2, None)],
        "fit_intercept": ["boolean"],
    }

    def __init__(self, epsilon=0.01, *, max_iter=5000, tol=1e-8, max_nodes=1000, fit_intercept=True):
        self.epsilon = epsilon
        self.max_iter = max_iter
        self.tol = tol
        self.max_nodes = max_nodes
        self.fit_intercept = fit_intercept

    def fit(self, X, y, sample_weight=None):
        """Compute the path of up to `max_iter` steps.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
            Weight k counts as k copies of the row.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=FLOATS, y_numeric=True)
        design = centred_data(X, y, check_weights(sample_weight, X), fit_intercept=self.fit_intercept)
        every = -(-self.max_iter // self.max_nodes) or 1
        coefs, rss, steps, self.n_iter_, _ = native.linear.stagewise_path(
            design.X, np.ascontiguousarray(design.y[:, 0]), self.epsilon or 0.0, self.tol, int(self.max_iter), every
        )
        self.coef_path_ = np.ascontiguousarray(coefs.T, dtype=X.dtype)
        self.rss_path_, self.steps_path_ = rss, steps
        self.coef_ = coefs[-1].astype(X.dtype)
        self.intercept_ = design.intercept(coefs[-1:])[0].astype(X.dtype)
        return self
