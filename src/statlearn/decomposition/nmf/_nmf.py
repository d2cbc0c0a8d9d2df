"""Non-negative matrix factorisation."""

import numbers

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, check_non_negative

from statlearn._core import native
from statlearn._core.params import Int, Options, Real, check_arguments, check_params
from statlearn._core.validation import FLOATS, validate_data
from statlearn._core.warnings import ConvergenceWarning, warn
from statlearn._math.linalg.sparse_arrays import by_rows

from .._missing_cells import has_missing, refuse_empty_columns
from ._cells import ObservedCells
from ._solvers import SOLVERS, FactorPenalty, SolverSettings, codes_by_updates, nonnegative_codes
from ._start import STARTS, initial_factors

_LOSSES = {"frobenius": 2.0, "kullback-leibler": 1.0, "itakura-saito": 0.0}
_EXACT = 1e-10  # violation of a row's conditions in `transform`, relative to that of the start

COMMON_RULES = {
    "n_components": [Int(1, None), None, Options("auto")],
    "init": [Options(*STARTS), None],
    "beta_loss": [Options(*_LOSSES), Real(-10, 10)],
    "tol": [Real(0, None)],
    "max_iter": [Int(1, None)],
    "random_state": ["random_state"],
    "alpha_W": [Real(0, None)],
    "alpha_H": [Real(0, None), Options("same")],
    "l1_ratio": [Real(0, 1, closed="both")],
    "verbose": ["verbose"],
}


def _require_non_negative(X, owner):
    """Raise an error that says what to do about negative values."""
    try:
        check_non_negative(X, f"{owner} (input X)")
    except ValueError as error:
        error.args = (f"{error.args[0].rstrip('.')}. Clip or shift them if that makes sense for the data, or use PCA.",)
        raise


def beta_of(beta_loss):
    """The number behind the name of a loss."""
    return _LOSSES[beta_loss] if isinstance(beta_loss, str) else float(beta_loss)


def check_observed(X, table):
    """Refuse rows and columns without any observed cell; `table` is X as given, for the names."""
    if sparse.issparse(X) or not has_missing(X):
        return
    refuse_empty_columns(X, table)
    empty = np.flatnonzero(np.isnan(X).all(axis=1))
    if len(empty):
        raise ValueError(f"X has no observed value in row {empty[0]}; drop such rows.")


def _check_factor(F, shape, name, dtype):
    """A factor given by the user."""
    F = check_array(F, input_name=name)
    for axis, word in enumerate(("first", "second")):
        if F.shape[axis] != shape[axis]:
            raise ValueError(
                f"Array with wrong {word} dimension passed to NMF (input {name}). Expected {shape[axis]}, but got "
                f"{F.shape[axis]}."
            )
    check_non_negative(F, f"NMF (input {name})")
    if not F.any():
        raise ValueError(f"Array passed to NMF (input {name}) is full of zeros.")
    if F.dtype != dtype:
        raise TypeError(f"H and W should have the same dtype as X. Got {name}.dtype = {F.dtype}.")
    return np.array(F, order="C")


class _BaseNMF(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base class of the factorisations of complete tables and of batches."""

    def _validate(self, X, reset):
        table = X
        X = validate_data(
            self, X, accept_sparse=("csr", "csc"), dtype=FLOATS, ensure_all_finite="allow-nan", reset=reset
        )
        if sparse.issparse(X) and np.isnan(X.data).any():
            raise ValueError("Input X contains NaN. Missing values are supported in dense tables only.")
        missing = not sparse.issparse(X) and has_missing(X)
        _require_non_negative(np.nan_to_num(X) if missing else X, type(self).__name__)
        check_observed(X, table)
        return X

    def _beta(self, X):
        """Number of the loss, after a check of the cells."""
        beta = self._fitted_beta = beta_of(self.beta_loss)  # `transform` keeps to it
        if beta <= 0 and ObservedCells(X, beta).smallest() == 0:
            raise ValueError(
                "When beta_loss <= 0 and X contains zeros, the solver may diverge. Please add small values to X, or "
                "use a positive beta_loss."
            )
        return beta

    def _rank(self, X, W=None, H=None):
        if self.n_components is None:
            return X.shape[1]
        if self.n_components == "auto":
            custom = H if H is not None else W.T if W is not None else None
            return X.shape[1] if custom is None else np.shape(custom)[0]
        return self.n_components

    def _penalty(self, X, *, of_W_alone=False):
        n, p = X.shape
        alpha_H = self.alpha_W if isinstance(self.alpha_H, str) else self.alpha_H
        on_W, on_H = p * self.alpha_W, 0.0 if of_W_alone else n * alpha_H
        share = self.l1_ratio
        return FactorPenalty(on_W * share, on_H * share, on_W * (1 - share), on_H * (1 - share))

    def _factors(self, cells, k, W, H):
        """Initial W and H for a fit."""
        if self.init == "custom":
            if W is None or H is None:
                raise ValueError("init='custom' requires both W and H.")
            n, p = cells.shape
            return (
                _check_factor(W, (n, k), "W", cells.dtype),
                _check_factor(H, (k, p), "H", cells.dtype),
            )
        if W is not None or H is not None:
            warn(
                "When init!='custom', provided W or H are ignored. Set  init='custom' to use them as initialization.",
                RuntimeWarning,
            )
        return initial_factors(cells, k, self.init, self.random_state)

    def _warn_at_limit(self, n_iter):
        if n_iter == self.max_iter and self.tol > 0:
            warn(
                f"Maximum number of iterations {self.max_iter} reached. Increase it to improve convergence.",
                ConvergenceWarning,
            )

    def _codes(self, X, H, beta, tol, max_iter):
        """W for given components, row by row, and the number of iterations."""
        penalty, k = self._penalty(X, of_W_alone=True), H.shape[0]
        table = ObservedCells(X, beta)
        if beta == 2.0 and table.missing:
            W = np.zeros((X.shape[0], k), X.dtype)
            Ht = np.ascontiguousarray(H.T)
            native.decomposition.nmf_masked_rows(X, Ht, penalty.l1_W, penalty.l2_W, 50 * max_iter, _EXACT, W)
            return W, 1
        if beta == 2.0 and getattr(self, "solver", "mu") != "mu":
            products = table.right(H)
            return nonnegative_codes(products, H @ H.T, penalty.l1_W, penalty.l2_W, _EXACT, 50 * max_iter), 1
        level = np.nanmean(X, axis=1) if table.missing else np.asarray(X.mean(axis=1)).ravel()
        W = np.repeat(np.sqrt(level / k)[:, None], k, axis=1).astype(X.dtype)
        rows = by_rows(X)
        return codes_by_updates(
            lambda live: table if len(live) == X.shape[0] else ObservedCells(rows[live], beta),
            W,
            H,
            penalty,
            beta,
            tol,
            max_iter,
        )

    def fit(self, X, y=None, **params):
        """Learn the components.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Non-negative table. NaN marks a missing value.
        y : ignored
        **params : dict
            `W` and `H`, the initial factors for ``init="custom"``.

        Returns
        -------
        self
        """
        self.fit_transform(X, **params)
        return self

    def inverse_transform(self, X):
        """Reconstructed tables for given weights.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_components)
            Weights W.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            W H.
        """
        check_is_fitted(self)
        X = check_array(X, accept_sparse=("csr", "csc"), dtype=FLOATS, input_name="X")
        return X @ self.components_

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class NMF(_BaseNMF):
    r"""Non-negative matrix factorisation.

    Finds W (n × k) and H (k × p) without negative entries that minimise

    .. math:: D_\beta(X \,\|\, WH)
        + \alpha_W r p \lVert W \rVert_1 + \alpha_H r n \lVert H \rVert_1
        + \tfrac12 \alpha_W (1 - r) p \lVert W \rVert_F^2 + \tfrac12 \alpha_H (1 - r) n \lVert H \rVert_F^2

    with r = `l1_ratio`. D is a sum over the observed cells: half the squared error for ``beta_loss="frobenius"``,
    :math:`\sum x \log(x / wh) - x + wh` for ``"kullback-leibler"``, which is the Poisson likelihood. NaN marks a
    missing
    value, which has no influence on the fit.

    Parameters
    ----------
    n_components : int, "auto" or None, default="auto"
        Number of components k. None means the number of columns, "auto" that of `W` or `H` if these are given. See
        :func:`rank_cv` for a choice by cross-validation.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar", "custom"} or None, default=None
        Initial factors. "random" draws them. The others start from the positive parts of singular vectors, with zeros
        kept ("nndsvd"), replaced by the mean of X ("nndsvda") or by small random numbers ("nndsvdar"). "custom" uses
        `W` and `H` passed to `fit`. None means "nndsvda" if k is at most the number of rows and columns, otherwise
        "random".
    solver : {"cd", "mu", "pg"}, default="cd"
        Coordinate descent, multiplicative updates or projected gradients. Losses other than "frobenius" need "mu".
    beta_loss : {"frobenius", "kullback-leibler", "itakura-saito"} or float, default="frobenius"
        The beta divergence: 2, 1 and 0, or another number between -10 and 10. With 0 or less, X must be positive.
    tol : float, default=1e-4
        Relative tolerance of the stopping rule. It is compared with the sum of the absolute projected gradients ("cd";
        with missing values also with the relative decrease of the objective in an iteration) or their norm ("pg"),
        relative to the first iteration, and with the decrease of :math:`\sqrt{2 D}` over ten
        iterations relative to its initial value ("mu"). With 0, "mu" runs `max_iter` plain updates.
    max_iter : int, default=200
        Maximum number of iterations.
    random_state : int, RandomState instance or None, default=None
        Seed of the initial factors, and of the order of coordinates with `shuffle`.
    alpha_W : float, default=0.0
        Penalty of W.
    alpha_H : float or "same", default="same"
        Penalty of H; "same" means `alpha_W`.
    l1_ratio : float, default=0.0
        Share of the L1 penalty.
    verbose : int, default=0
        Whether to print the progress.
    shuffle : bool, default=False
        Whether to draw the order of the coordinates ("cd").

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        H.
    n_components_ : int
    reconstruction_err_ : float
        :math:`\sqrt{2 D}` at the end, over the observed cells: the Frobenius norm of X - WH for "frobenius".
    n_iter_ : int
        Number of iterations.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    rank_cv : the number of components by cross-validation on held-out cells.
    MiniBatchNMF : for tables that do not fit into memory.
    ArchetypalAnalysis

    Notes
    -----
    X must not be centred. The problem is not convex: the result depends on the start, and the factors are unique at
    best up to scaling and order, so compare a few random starts. A product with the table, O(n p k), dominates an
    iteration; several sweeps of coordinate descent share one. Missing values are filled with their fitted values by
    "cd" and "pg" (EM steps, which "cd" lengthens where cells are missing as long as the objective falls); "mu" leaves
    them out of its sums. "mu" extrapolates the factors along their last change, unless ``tol=0``, which takes several
    times fewer iterations than plain updates. Multiplicative updates cannot leave a zero: do not combine "mu" with
    ``init="nndsvd"``.

    `transform` solves for each row on its own, so that a row's weights do not depend on other rows.

    References
    ----------
    Lee & Seung (2001), Algorithms for non-negative matrix factorization, NIPS.
    Lin (2007), Projected gradient methods for nonnegative matrix factorization, Neural Computation.
    Cichocki & Phan (2009), Fast local algorithms for large scale nonnegative matrix and tensor factorizations.
    Fevotte & Idier (2011), Algorithms for nonnegative matrix factorization with the beta-divergence.
    Gillis & Glineur (2012), Accelerated multiplicative updates and hierarchical ALS algorithms.
    Hien, Leplat & Gillis (2024), Block majorization minimization with extrapolation and application to beta-NMF.
    Salakhutdinov & Roweis (2003), Adaptive overrelaxed bound optimization methods, ICML.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decomposition import NMF
    >>> X = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, np.nan]])
    >>> model = NMF(1, tol=1e-6).fit(X)
    >>> model.inverse_transform(model.transform(X)).round(3)
    array([[1., 2.],
           [2., 4.],
           [3., 6.]])
    """

    _constraints = {**COMMON_RULES, "solver": [Options(*SOLVERS)], "shuffle": ["boolean"]}

    def __init__(
        self,
        n_components="auto",
        *,
        init=None,
        solver="cd",
        beta_loss="frobenius",
        tol=1e-4,
        max_iter=200,
        random_state=None,
        alpha_W=0.0,
        alpha_H="same",
        l1_ratio=0.0,
        verbose=0,
        shuffle=False,
    ):
        self.n_components = n_components
        self.init = init
        self.solver = solver
        self.beta_loss = beta_loss
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.verbose = verbose
        self.shuffle = shuffle

    def fit_transform(self, X, y=None, W=None, H=None):
        """Learn the components and return the weights.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Non-negative table. NaN marks a missing value.
        y : ignored
        W : array-like of shape (n_samples, n_components) or None, default=None
            Initial weights for ``init="custom"``.
        H : array-like of shape (n_components, n_features) or None, default=None
            Initial components for ``init="custom"``.

        Returns
        -------
        W : ndarray of shape (n_samples, n_components)
        """
        check_params(self)
        X = self._validate(X, reset=True)
        beta = self._check_solver(X)
        cells = ObservedCells(X, beta)
        W, H = self._factors(cells, self._rank(X, W, H), W, H)
        W, H, n_iter = self._solve(cells, W, H, self._penalty(X))
        self._warn_at_limit(n_iter)
        self.reconstruction_err_ = float(np.sqrt(2.0 * max(0.0, cells.divergence(W, H))))
        self.n_components_, self.components_, self.n_iter_ = H.shape[0], H, n_iter
        return W

    def _check_solver(self, X):
        beta = self._beta(X)
        if self.solver != "mu" and beta != 2.0:
            raise ValueError(
                f"Invalid beta_loss parameter: solver {self.solver!r} does not handle beta_loss = {self.beta_loss!r}. "
                "Use solver='mu'."
            )
        if self.solver == "mu" and self.init == "nndsvd":
            warn(
                "The multiplicative update ('mu') solver cannot update zeros present in the initialization, and so "
                "leads to poorer results when used jointly with init='nndsvd'. You may try init='nndsvda' or "
                "init='nndsvdar' instead."
            )
        return beta

    def _solve(self, cells, W, H, penalty):
        plan = SolverSettings(self.tol, self.max_iter, True, self.shuffle, self.verbose, self.random_state)
        return W, H, SOLVERS[self.solver](cells, W, H, penalty, plan)

    def transform(self, X):
        """Weights of new rows over the components.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Non-negative table. NaN marks a missing value.

        Returns
        -------
        W : ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = self._validate(X, reset=False)
        H = self.components_.astype(X.dtype, copy=False)
        return self._codes(X, H, self._fitted_beta, self.tol, max(self.max_iter, 200))[0]


def non_negative_factorization(
    X,
    W=None,
    H=None,
    n_components="auto",
    *,
    init=None,
    update_H=True,
    solver="cd",
    beta_loss="frobenius",
    tol=1e-4,
    max_iter=200,
    alpha_W=0.0,
    alpha_H="same",
    l1_ratio=0.0,
    random_state=None,
    verbose=0,
    shuffle=False,
):
    """Non-negative matrix factorisation as a function; see :class:`NMF` for the objective.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
    W, H : array-like or None, default=None
        Initial factors for ``init="custom"``. With ``update_H=False``, `H` is the fixed factor.
    n_components, init, solver, beta_loss, tol, max_iter, alpha_W, alpha_H, l1_ratio, random_state, verbose, shuffle
        As in :class:`NMF`.
    update_H : bool, default=True
        Whether to solve for both factors, or for W only.

    Returns
    -------
    W : ndarray of shape (n_samples, n_components)
    H : ndarray of shape (n_components, n_features)
    n_iter : int

    Examples
    --------
    >>> from statlearn.decomposition import non_negative_factorization
    >>> W, H, n_iter = non_negative_factorization([[1.0, 2.0], [2.0, 4.0]], n_components=1)
    >>> (W @ H).round(4)
    array([[1., 2.],
           [2., 4.]])
    """
    check_arguments(non_negative_factorization, update_H=(update_H, ["boolean"]))
    model = NMF(
        n_components,
        init=init,
        solver=solver,
        beta_loss=beta_loss,
        tol=tol,
        max_iter=max_iter,
        random_state=random_state,
        alpha_W=alpha_W,
        alpha_H=alpha_H,
        l1_ratio=l1_ratio,
        verbose=verbose,
        shuffle=shuffle,
    )
    if update_H:
        weights = model.fit_transform(X, W=W, H=H)
        return weights, model.components_, model.n_iter_
    check_params(model)
    X = model._validate(X, reset=True)
    if H is None:
        raise ValueError("update_H=False requires H, the fixed factor.")
    if W is not None:
        warn("When update_H=False, the provided initial W is not used.", RuntimeWarning)
    beta = model._check_solver(X)
    k = n_components if isinstance(n_components, numbers.Integral) else np.shape(H)[0]
    H = _check_factor(H, (k, X.shape[1]), "H", X.dtype)
    weights, n_iter = model._codes(X, H, beta, tol, max(max_iter, 200))
    return weights, H, n_iter
