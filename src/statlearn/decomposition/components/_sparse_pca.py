"""Sparse principal components."""

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, check_array, validate_data
from statlearn._core.warnings import MAX_ITER, OK, warn_if_stopped
from statlearn._math.linalg.eigen import eigh
from statlearn._math.linalg.positive import positive_system
from statlearn._math.linalg.svd import signed

from ..dictionary._atoms import block_update
from ..dictionary._sparse_coding import lasso_codes

# Passes for the codes of one step. More atoms than rows are dependent, where exact codes take thousands; the next step
# continues from these, and no pass raises the objective.
_PASSES = 50


def sparse_codes(D, signals, alpha, start):
    """Codes (m, k) of the rows of `signals` over the rows of D: min |s - c D|^2 / 2 + alpha |c|_1."""
    squares = np.einsum("ij,ij->i", signals, signals)
    gram, products = np.ascontiguousarray(D @ D.T), np.ascontiguousarray(signals @ D.T)
    start = np.ascontiguousarray(start)
    return lasso_codes(gram, products, squares, float(alpha), max_iter=_PASSES, start=start)[0]


class _SparseComponents(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Transform of sparse components: ridge regression of rows on them."""

    def transform(self, X):
        """Scores of rows, by ridge regression on the components with the penalty `ridge_alpha`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        V = self.components_.astype(np.float64)
        G = V @ V.T
        G[np.diag_indices_from(G)] += self.ridge_alpha
        right = (X - self.mean_.astype(X.dtype)) @ V.T
        return positive_system(G).solve(right.T).T.astype(X.dtype)

    def inverse_transform(self, X):
        """Rows with given scores.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return check_array(X, dtype=FLOATS, input_name="X") @ self.components_ + self.mean_

    def _finish(self, codes, dtype):
        """Components of length 1 (or 0) from codes (p, k), signs fixed."""
        V = signed(None, codes.T.copy())[1]
        length = np.linalg.norm(V, axis=1, keepdims=True)
        self.components_ = (V / np.where(length > 0, length, 1.0) + 0.0).astype(dtype)
        self.n_components_ = len(V)
        self.mean_ = self.mean_.astype(dtype)

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _start(Z, k):
    """Scores of length 1 as rows (k, n), and loadings (p, k), from principal components."""
    U, s, Vt = linalg.svd(Z, full_matrices=False, check_finite=False)
    U, Vt = signed(U, Vt)
    r = min(k, len(s))
    D, C = np.zeros((k, len(Z))), np.zeros((Z.shape[1], k))
    D[:r], C[:, :r] = U[:, :r].T, (s[:r, None] * Vt[:r]).T
    return D, C


class SparsePCA(_SparseComponents):
    r"""Sparse principal components.

    Components with few non-zero loadings, so that they can be named. Two formulations, on the centred table X:

    - "dictionary": :math:`\min_{U, V} \tfrac12 \lVert X - U V \rVert_F^2 + \alpha \lVert V \rVert_1` with the columns
      of U (n, k) of length at most 1, by turns of sparse codes V and block-coordinate updates of U;
    - "regression": :math:`\min_{\Theta^\top\Theta = I,\, V} \sum_i \lVert x_i - \Theta V^\top x_i \rVert^2 + \lambda
      \sum_k \lVert v_k \rVert^2 + \sum_k \lambda_{1k} \lVert v_k \rVert_1`, by turns of elastic nets for the
      :math:`v_k` and :math:`\Theta = U W^\top` from the decomposition of :math:`X^\top X V`. With
      :math:`\lambda_1 = 0` the :math:`v_k` are proportional to the principal components.

    Stops when the objective falls by less than `tol` times itself.

    Parameters
    ----------
    n_components : int or None, default=None
        Number k of components; None means the number of columns.
    alpha : float or array-like of shape (n_components,), default=1
        The penalty :math:`\alpha`, or :math:`\lambda_1`, one for all or (only for "regression") one per component.
        Larger values give more zeros.
    ridge_alpha : float, default=0.01
        The penalty of the ridge regression in `transform`.
    max_iter : int, default=1000
    tol : float, default=1e-8
    method : {"lars", "cd"}, default="lars"
        Accepted for compatibility: codes are computed by coordinate descent.
    n_jobs : int or None, default=None
        Accepted for compatibility; see :func:`statlearn.threads`.
    U_init : array-like of shape (n_samples, n_components) or None, default=None
        Scores to start from ("dictionary").
    V_init : array-like of shape (n_components, n_features) or None, default=None
        Components to start from.
    verbose : int or bool, default=False
        Accepted for compatibility.
    random_state : int, RandomState or None, default=None
        Seed of columns of U that are drawn again because no loading uses them.
    formulation : {"dictionary", "regression"}, default="dictionary"
    ridge : float, default=0.0
        The penalty :math:`\lambda` of the regression form; needed if there are more columns than rows.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Sparse loadings, of length 1 unless all are 0.
    raw_components_ : ndarray of shape (n_components, n_features)
        The solution V before it is scaled to length 1.
    theta_ : ndarray of shape (n_features, n_components)
        The matrix :math:`\Theta` of the regression form. Only with ``formulation="regression"``.
    error_ : ndarray
        Objective after each step; it never rises.
    mean_ : ndarray of shape (n_features,)
    n_components_, n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined when X has string column names.

    See Also
    --------
    MiniBatchSparsePCA : For many rows.
    PCA : Without zeros.

    Notes
    -----
    The problem has local minima; both forms start from principal components. Sparse components are neither orthogonal
    nor uncorrelated. Scale columns in different units first: the penalty is the same for all.

    References
    ----------
    Zou, Hastie and Tibshirani (2006), Sparse principal component analysis. J. Comput. Graph. Statist. 15.
    Jenatton, Obozinski and Bach (2010), Structured sparse principal component analysis. AISTATS 13.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from statlearn.decomposition import SparsePCA
    >>> from statlearn.prep import StandardScaler
    >>> X = StandardScaler().fit_transform(load_wine().data)
    >>> model = SparsePCA(2, alpha=150.0, formulation="regression").fit(X)
    >>> (model.components_ != 0).sum(axis=1)
    array([7, 3])
    """

    _constraints = {
        "n_components": [Int(1, None), None],
        "alpha": [Real(0, None), "array-like"],
        "ridge_alpha": [Real(0, None)],
        "max_iter": [Int(0, None)],
        "tol": [Real(0, None)],
        "method": [Options("lars", "cd")],
        "n_jobs": [Int(None, None), None],
        "U_init": ["array-like", None],
        "V_init": ["array-like", None],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
        "formulation": [Options("dictionary", "regression")],
        "ridge": [Real(0, None)],
    }

    def __init__(
        self,
        n_components=None,
        *,
        alpha=1,
        ridge_alpha=0.01,
        max_iter=1000,
        tol=1e-8,
        method="lars",
        n_jobs=None,
        U_init=None,
        V_init=None,
        verbose=False,
        random_state=None,
        formulation="dictionary",
        ridge=0.0,
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.ridge_alpha = ridge_alpha
        self.max_iter = max_iter
        self.tol = tol
        self.method = method
        self.n_jobs = n_jobs
        self.U_init = U_init
        self.V_init = V_init
        self.verbose = verbose
        self.random_state = random_state
        self.formulation = formulation
        self.ridge = ridge

    def fit(self, X, y=None):
        """Compute the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_data(self, X, dtype=FLOATS)
        Z = X.astype(np.float64)
        self.mean_ = Z.mean(axis=0)
        Z = Z - self.mean_
        k = X.shape[1] if self.n_components is None else self.n_components
        alpha = np.asarray(self.alpha, dtype=np.float64)
        if alpha.ndim and (self.formulation == "dictionary" or alpha.shape != (k,)):
            raise ValueError(
                f"`alpha` must be a number, or with `formulation`='regression' one number per component ({k})."
            )
        if np.any(~(alpha >= 0)):
            raise ValueError("`alpha` must not be negative or NaN.")
        start = None if self.V_init is None else check_array(self.V_init, dtype=np.float64, input_name="V_init")
        if start is not None and start.shape != (k, X.shape[1]):
            raise ValueError(f"V_init must have shape ({k}, {X.shape[1]}), got {start.shape}.")
        forget(self, "theta_")
        if self.formulation == "regression":
            codes, errors = self._by_regression(Z, k, np.broadcast_to(alpha, (k,)), start)
        else:
            codes, errors = self._by_dictionary(Z, k, float(alpha), start)
        self.error_, self.n_iter_ = np.array(errors), max(len(errors) - 1, 1)
        self.raw_components_ = codes.T.astype(X.dtype)
        self._finish(codes, X.dtype)
        return self

    def _settled(self, errors):
        return len(errors) > 1 and errors[-2] - errors[-1] <= self.tol * abs(errors[-1])

    def _stopped(self, errors):
        status = OK if self._settled(errors) or self.max_iter == 0 else MAX_ITER
        warn_if_stopped(self, status, f"the objective still falls after {self.max_iter} steps")

    def _by_dictionary(self, Z, k, alpha, start):
        n = len(Z)
        signals = np.ascontiguousarray(Z.T)
        D, C = _start(Z, k)
        if self.U_init is not None:
            D = check_array(self.U_init, dtype=np.float64, input_name="U_init").T.copy()
            if D.shape != (k, n):
                raise ValueError(f"U_init must have shape ({n}, {k}), got {D.T.shape}.")
        if start is not None:
            C = np.ascontiguousarray(start.T)
        generator = check_random_state(self.random_state)
        total = float(np.sum(Z * Z))

        def objective(A, B):
            # |signals - C D|^2 from products that exist already.
            fit = total - 2.0 * np.sum(B * D) + np.sum((D @ D.T) * A)
            return 0.5 * fit + alpha * float(np.abs(C).sum())

        A, B = C.T @ C, C.T @ signals
        errors = [float(objective(A, B))]
        for _ in range(self.max_iter):
            C = sparse_codes(D, signals, alpha, C)
            A, B = C.T @ C, C.T @ signals
            unused = block_update(D, A, B, signals, C, generator)
            if unused:
                A, B = C.T @ C, C.T @ signals
            errors.append(float(objective(A, B)))
            if self._settled(errors):
                break
        self._stopped(errors)
        return C, errors

    def _by_regression(self, Z, k, alpha, start):
        p = Z.shape[1]
        if k > p:
            raise ValueError(f"`n_components`={k} exceeds the {p} columns of X; use at most {p}.")
        S = Z.T @ Z
        G = np.ascontiguousarray(S + self.ridge * np.eye(p))
        vectors = eigh(S)[1]
        theta = signed(None, vectors[:, ::-1].T[:k])[1].T
        V = (theta if start is None else start.T).copy()
        total = float(np.trace(S))
        errors: list[float] = []
        codes = np.ascontiguousarray(V.T)
        for _ in range(max(self.max_iter, 1)):
            products = np.ascontiguousarray((S @ theta).T)
            squares = np.einsum("jk,jk->k", theta, S @ theta)
            for j in range(k):  # one by one, as penalties may differ; the problem of the kernel has half of them
                at = slice(j, j + 1)
                codes[at] = lasso_codes(G, products[at], squares[at], 0.5 * float(alpha[j]), start=codes[at])[0]
            V = codes.T
            U, _, Wt = linalg.svd(S @ V, full_matrices=False, check_finite=False)
            theta = U @ Wt
            fit = total - 2.0 * np.sum(theta * (S @ V)) + np.sum(V * (S @ V))
            errors.append(float(fit + self.ridge * np.sum(V * V) + np.sum(alpha * np.abs(V).sum(axis=0))))
            if self._settled(errors):
                break
        self._stopped(errors)
        self.theta_ = theta
        return V, errors


class MiniBatchSparsePCA(_SparseComponents):
    r"""Sparse principal components from small batches of columns.

    Minimises :math:`\tfrac12 \lVert X - U V \rVert_F^2 + \alpha \lVert V \rVert_1` with the columns of U of length at
    most 1, as `SparsePCA`, but updates U after the sparse codes of a few columns of X instead of all, from running sums
    of their products. Suited to many columns.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components; None means the number of columns.
    alpha : float, default=1
    ridge_alpha : float, default=0.01
        The penalty of the ridge regression in `transform`.
    max_iter : int, default=1000
        Maximum number of passes over the columns.
    callback : callable or None, default=None
        Called after every batch with the local variables; for compatibility.
    batch_size : int, default=3
        Number of columns per batch.
    verbose : int or bool, default=False
        Accepted for compatibility.
    shuffle : bool, default=True
        Whether to shuffle the columns before they are divided into batches.
    n_jobs : int or None, default=None
        Accepted for compatibility.
    method : {"lars", "cd"}, default="lars"
        Accepted for compatibility.
    random_state : int, RandomState or None, default=None
    tol : float, default=1e-3
        Relative change of U over a pass at which the iteration stops.
    max_no_improvement : int or None, default=10
        Number of batches without a lower smoothed cost at which the iteration stops; None continues.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Sparse loadings, of length 1 unless all are 0.
    mean_ : ndarray of shape (n_features,)
    n_components_, n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined when X has string column names.

    See Also
    --------
    SparsePCA : On all columns at once, with a monotone objective.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from statlearn.decomposition import MiniBatchSparsePCA
    >>> from statlearn.prep import StandardScaler
    >>> X = StandardScaler().fit_transform(load_wine().data)
    >>> MiniBatchSparsePCA(2, alpha=3, random_state=0).fit_transform(X).shape
    (178, 2)
    """

    _constraints = {
        "n_components": [Int(1, None), None],
        "alpha": [Real(0, None)],
        "ridge_alpha": [Real(0, None)],
        "max_iter": [Int(0, None)],
        "callback": ["callable", None],
        "batch_size": [Int(1, None)],
        "verbose": ["verbose"],
        "shuffle": ["boolean"],
        "n_jobs": [Int(None, None), None],
        "method": [Options("lars", "cd")],
        "random_state": ["random_state"],
        "tol": [Real(0, None)],
        "max_no_improvement": [Int(0, None), None],
    }

    def __init__(
        self,
        n_components=None,
        *,
        alpha=1,
        ridge_alpha=0.01,
        max_iter=1000,
        callback=None,
        batch_size=3,
        verbose=False,
        shuffle=True,
        n_jobs=None,
        method="lars",
        random_state=None,
        tol=1e-3,
        max_no_improvement=10,
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.ridge_alpha = ridge_alpha
        self.max_iter = max_iter
        self.callback = callback
        self.batch_size = batch_size
        self.verbose = verbose
        self.shuffle = shuffle
        self.n_jobs = n_jobs
        self.method = method
        self.random_state = random_state
        self.tol = tol
        self.max_no_improvement = max_no_improvement

    def fit(self, X, y=None):
        """Compute the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_data(self, X, dtype=FLOATS)
        Z = X.astype(np.float64)
        self.mean_ = Z.mean(axis=0)
        Z = Z - self.mean_
        n, p = Z.shape
        k = p if self.n_components is None else self.n_components
        generator = check_random_state(self.random_state)
        D, _ = _start(Z, k)
        codes, signals = np.zeros((p, k)), np.ascontiguousarray(Z.T)
        order = generator.permutation(p) if self.shuffle else np.arange(p)
        batches = [order[i : i + self.batch_size] for i in range(0, p, self.batch_size)]
        A, B = np.zeros((k, k)), np.zeros((k, n))
        self.n_iter_, smoothed, lowest, waited = 0, None, np.inf, 0
        for step in range(self.max_iter * len(batches)):
            batch = batches[step % len(batches)]
            if step % len(batches) == 0:
                self.n_iter_ += 1
                before = D.copy()
            part = sparse_codes(D, signals[batch], self.alpha, codes[batch])
            codes[batch] = part
            cost = 0.5 * np.sum((signals[batch] - part @ D) ** 2) + self.alpha * np.abs(part).sum()
            cost /= len(batch)
            # Old products lose weight, as their codes belong to an older dictionary.
            size = len(batch)
            theta = float((step + 1) * size if step < size - 1 else size**2 + step + 1 - size)
            keep = (theta + 1 - size) / (theta + 1)
            A, B = keep * A + part.T @ part, keep * B + part.T @ signals[batch]
            block_update(D, A, B, signals[batch], None, generator)
            if self.callback is not None:
                self.callback(locals())
            smoothed = cost if smoothed is None else smoothed + (cost - smoothed) * min(2.0 * size / (p + 1), 1.0)
            waited = 0 if smoothed < lowest else waited + 1
            lowest = min(lowest, smoothed)
            if (step + 1) % len(batches) == 0 and np.linalg.norm(D - before) <= self.tol * np.sqrt(k):
                break
            if self.max_no_improvement is not None and waited >= self.max_no_improvement and self.n_iter_ > 1:
                break
        codes = sparse_codes(D, signals, self.alpha, codes)
        self.n_iter_ = max(self.n_iter_, 1)
        self._finish(codes, X.dtype)
        return self
