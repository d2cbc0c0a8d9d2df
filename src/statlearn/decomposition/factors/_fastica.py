"""Independent component analysis by fixed-point iteration."""

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget
from statlearn._core.native import decomposition as native
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, check_array, require_finite, validate_data
from statlearn._core.warnings import MAX_ITER, OK, StatlearnWarning, warn

from ._whitening import symmetric_orthogonal, whitening

_CONTRASTS = {"logcosh": 0, "exp": 1, "cube": 2}


class _No:
    """Rule that accepts only the value False."""

    def accepts(self, value):
        return value is False or (isinstance(value, np.bool_) and not value)

    def describe(self):
        return "False"

    def bad_values(self):
        return [True]


class _Contrast:
    """Moments mean[g(y) z'] and mean slopes mean[g'(y)] of the projections y = W z of white columns z."""

    def __init__(self, Z, fun, fun_args):
        self.Z, self._fun, self._args = Z, fun, dict(fun_args or {})

    def __call__(self, W):
        n = self.Z.shape[1]
        if callable(self._fun):
            value, slope = self._fun(W @ self.Z, **self._args)
            slope = np.asarray(slope)
            if slope.ndim == 2:
                slope = slope.mean(axis=-1)
            return value @ self.Z.T / n, slope
        moments, slopes = np.empty(W.shape), np.empty(len(W))
        W = np.ascontiguousarray(W, dtype=np.float64)
        native.ica_moments(self.Z, W, _CONTRASTS[self._fun], float(self._args.get("alpha", 1.0)), moments, slopes)
        return moments / n, slopes / n


def parallel_ica(contrast, W, tol, max_iter):
    """All directions at once, with symmetric orthogonalisation; returns W, steps and a status."""
    W = symmetric_orthogonal(W)
    for step in range(1, max_iter + 1):
        moments, slopes = contrast(W)
        turned = symmetric_orthogonal(moments - slopes[:, None] * W)
        change = np.max(np.abs(np.abs(np.sum(turned * W, axis=1)) - 1.0))
        W = turned
        if change < tol:
            return W, step, OK
    return W, max_iter, MAX_ITER


def deflation_ica(contrast, start, tol, max_iter):
    """One direction after the other, with Gram-Schmidt orthogonalisation."""
    k = len(start)
    W = np.zeros((k, k))
    max_steps, status = 0, OK
    for j in range(k):
        w = start[j] / np.linalg.norm(start[j])
        settled, step = False, 0
        while not settled and step < max_iter:
            step += 1
            moments, slopes = contrast(w[None])
            turned = moments[0] - slopes[0] * w
            turned -= (turned @ W[:j].T) @ W[:j]
            turned /= max(np.linalg.norm(turned), np.finfo(np.float64).tiny)
            settled = abs(abs(turned @ w) - 1.0) < tol
            w = turned
        max_steps = max(max_steps, step)
        status = status if settled else MAX_ITER
        W[j] = w
    return W, max_steps, status


class FastICA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Independent component analysis by a fixed-point iteration.

    Finds directions w in whitened data z in which the projections are as far from normal as possible, measured by the
    contrast :math:`[E\,G(w^\top z) - E\,G(\nu)]^2` with :math:`\nu` standard normal: linear mixtures are more normal
    than the sources themselves. The step is

    .. math:: w \leftarrow E[z\, g(w^\top z)] - E[g'(w^\top z)]\, w, \qquad g = G'

    followed by orthogonalisation of all directions at once ("parallel") or against the earlier ones ("deflation").
    Stops when :math:`\max | |w_{new}^\top w| - 1 |` is below `tol`.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components; None keeps all.
    algorithm : {"parallel", "deflation"}, default="parallel"
    whiten : {"unit-variance", "arbitrary-variance"} or False, default="unit-variance"
        Whiten first and give the sources variance 1, or the scale of whitened data; False if X is white already.
    fun : {"logcosh", "exp", "cube"} or callable, default="logcosh"
        G(u) = log cosh(a u) / a, -exp(-u²/2) or u⁴/4. A callable returns g(u) and g'(u), the latter averaged over rows.
    fun_args : dict or None, default=None
        For "logcosh": ``{"alpha": a}`` with a between 1 and 2. For a callable: its keyword arguments.
    max_iter : int, default=200
    tol : float, default=1e-4
    w_init : array-like of shape (n_components, n_components) or None, default=None
        Initial directions; None draws them.
    whiten_solver : {"svd", "eigh"}, default="svd"
        "eigh" decomposes the covariance matrix. "svd" does so as well for tall tables, unless it is ill-conditioned,
        in which case the table itself is decomposed.
    random_state : int, RandomState or None, default=None
        Seed of the initial directions.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Unmixing matrix: sources are ``(X - mean_) @ components_.T``.
    mixing_ : ndarray of shape (n_features, n_components)
        Its pseudo-inverse.
    mean_ : ndarray of shape (n_features,)
        Only if `whiten` is not False.
    whitening_ : ndarray of shape (n_components, n_features)
        Only if `whiten` is not False.
    n_iter_ : int
        Number of steps; with "deflation", the largest number for a component.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined when X has string column names.

    See Also
    --------
    ProDenICA : With estimated densities instead of a fixed contrast.
    negentropy, ica_mutual_information : How independent the components are.

    Notes
    -----
    At most one source may be normal. Order, sign and scale of the sources are not determined by the data; they depend
    on the initial directions.

    References
    ----------
    Hyvärinen and Oja (2000), Independent component analysis: algorithms and applications. Neural Networks 13.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decomposition import FastICA
    >>> rng = np.random.default_rng(0)
    >>> sources = rng.uniform(-1, 1, size=(2000, 2))
    >>> X = sources @ [[1.0, 0.5], [0.3, 1.0]]
    >>> found = FastICA(random_state=0).fit_transform(X)
    >>> correlation = np.abs(np.corrcoef(found.T, sources.T)[:2, 2:])
    >>> bool(correlation.max(axis=1).min() > 0.99)
    True
    """

    _constraints = {
        "n_components": [Int(1, None), None],
        "algorithm": [Options("parallel", "deflation")],
        "whiten": [Options("arbitrary-variance", "unit-variance"), _No()],
        "fun": [Options("logcosh", "exp", "cube"), "callable"],
        "fun_args": [Instance(dict), None],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None)],
        "w_init": ["array-like", None],
        "whiten_solver": [Options("eigh", "svd")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components=None,
        *,
        algorithm="parallel",
        whiten="unit-variance",
        fun="logcosh",
        fun_args=None,
        max_iter=200,
        tol=1e-4,
        w_init=None,
        whiten_solver="svd",
        random_state=None,
    ):
        self.n_components = n_components
        self.algorithm = algorithm
        self.whiten = whiten
        self.fun = fun
        self.fun_args = fun_args
        self.max_iter = max_iter
        self.tol = tol
        self.w_init = w_init
        self.whiten_solver = whiten_solver
        self.random_state = random_state

    def fit(self, X, y=None):
        """Find the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        self._fit(X)
        return self

    def fit_transform(self, X, y=None):
        """Find the components and return the sources.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        sources : ndarray of shape (n_samples, n_components)
        """
        return self._sources(self._fit(X))

    def _fit(self, X):
        check_params(self)
        X = validate_data(self, X, dtype=FLOATS, ensure_min_samples=2)
        n, p = X.shape
        alpha = (self.fun_args or {}).get("alpha", 1.0)
        if not 1 <= alpha <= 2:
            raise ValueError("`fun_args`: alpha must be in [1,2].")
        k = self.n_components
        if k is not None and self.whiten is False:
            k = None
            warn("Ignoring n_components with whiten=False.", StatlearnWarning)
        if k is not None and k > min(n, p):
            warn(f"n_components is too large: it will be set to {min(n, p)}", StatlearnWarning)
        k = min(n, p) if k is None else min(k, min(n, p))
        forget(self, "mean_", "whitening_")
        K = None
        if self.whiten is not False:
            mean, K = whitening(X, k, self.whiten_solver)
            Z = _white(X, mean, K)
        else:
            Z = np.ascontiguousarray(X.T, dtype=np.float64)
        start = self.w_init
        if start is None:
            start = check_random_state(self.random_state).normal(size=(len(Z), len(Z)))
        start = np.array(start, dtype=np.float64)
        if start.shape != (len(Z), len(Z)):
            raise ValueError(f"w_init has invalid shape -- should be {(len(Z), len(Z))}.")
        contrast = _Contrast(Z, self.fun, self.fun_args)
        solve = parallel_ica if self.algorithm == "parallel" else deflation_ica
        W, self.n_iter_, status = solve(contrast, start, self.tol, self.max_iter)
        if status != OK:
            warn(
                "FastICA did not converge. Consider increasing tolerance or the maximum number of iterations. Sources "
                "that are close to normal cannot be separated.",
                ConvergenceWarning,
            )
        if K is None:
            self.components_ = W.astype(X.dtype)
        else:
            # The rows of Z have the covariance I, so the sources have exactly the variance |w|^2 / n = 1 / n.
            unmixing = W @ K
            if self.whiten == "unit-variance":
                deviation = np.sqrt(np.sum((W @ (Z @ Z.T)) * W, axis=1)) / n
                unmixing = unmixing / np.where(deviation > 0, deviation, 1.0)[:, None]
            self.components_ = unmixing.astype(X.dtype)
            self.mean_, self.whitening_ = mean.astype(X.dtype), K.astype(X.dtype)
        require_finite(self.components_)
        self.mixing_ = linalg.pinv(self.components_, check_finite=False)
        return X

    def _sources(self, X):
        centred = X - self.mean_.astype(X.dtype) if hasattr(self, "mean_") else X
        return centred @ self.components_.T.astype(X.dtype)

    def transform(self, X, copy=True):
        """Sources of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        copy : bool, default=True
            Accepted for compatibility; X is never changed.

        Returns
        -------
        sources : ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        return self._sources(validate_data(self, X, dtype=FLOATS, reset=False))

    def inverse_transform(self, X, copy=True):
        """Rows with given sources.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
        copy : bool, default=True
            Accepted for compatibility; X is never changed.

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        rows = check_array(X, dtype=FLOATS, input_name="X") @ self.mixing_.T
        return rows + self.mean_ if hasattr(self, "mean_") else rows

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _white(X, mean, K):
    """White data with one row per direction, as the kernel requires."""
    K = K * np.sqrt(len(X))
    Z = np.empty((len(K), len(X)))
    np.matmul(K, X.T, out=Z)
    Z -= (K @ mean)[:, None]
    return Z


def fastica(
    X,
    n_components=None,
    *,
    algorithm="parallel",
    whiten="unit-variance",
    fun="logcosh",
    fun_args=None,
    max_iter=200,
    tol=1e-4,
    w_init=None,
    whiten_solver="svd",
    random_state=None,
    return_X_mean=False,
    compute_sources=True,
    return_n_iter=False,
):
    """Independent component analysis as a function.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    n_components, algorithm, whiten, fun, fun_args, max_iter, tol, w_init, whiten_solver, random_state
        As in `FastICA`.
    return_X_mean : bool, default=False
    compute_sources : bool, default=True
    return_n_iter : bool, default=False

    Returns
    -------
    K : ndarray of shape (n_components, n_features) or None
        Whitening matrix; None with ``whiten=False``.
    W : ndarray of shape (n_components, n_components)
        Unmixing matrix of the whitened data: sources are ``W @ K @ (X - mean)'``.
    S : ndarray of shape (n_samples, n_components) or None
        Sources.
    X_mean : ndarray of shape (n_features,) or None
        Only with `return_X_mean`.
    n_iter : int
        Only with `return_n_iter`.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from statlearn.decomposition import fastica
    >>> K, W, S = fastica(load_digits().data, n_components=5, random_state=0)
    >>> K.shape, W.shape, S.shape
    ((5, 64), (5, 5), (1797, 5))
    """
    model = FastICA(
        n_components,
        algorithm=algorithm,
        whiten=whiten,
        fun=fun,
        fun_args=fun_args,
        max_iter=max_iter,
        tol=tol,
        w_init=w_init,
        whiten_solver=whiten_solver,
        random_state=random_state,
    )
    X = model._fit(X)
    S = model._sources(X) if compute_sources else None
    if whiten is False:
        K, W, mean = None, model.components_, None
    else:
        K, mean = model.whitening_, model.mean_
        W = model.components_ @ np.linalg.pinv(K)
    returned = [K, W, S]
    if return_X_mean:
        returned.append(mean)
    if return_n_iter:
        returned.append(model.n_iter_)
    return returned
