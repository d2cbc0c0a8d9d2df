"""Non-negative matrix factorisation on small batches of rows."""

import itertools

import numpy as np
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, Real, check_params
from statlearn.decomposition._batch_stopping import BatchStopping

from ._cells import ObservedCells
from ._nmf import COMMON_RULES, _BaseNMF
from ._solvers import _SMALL, mm_exponent, update_W


class MiniBatchNMF(_BaseNMF):
    r"""Non-negative matrix factorisation on batches of rows, or on the batches of a stream.

    The objective is that of :class:`NMF`. Each batch updates its rows of W by multiplicative updates, and then H from
    sums over all batches so far: old sums are multiplied by `forget_factor` once per pass over the data.

    Parameters
    ----------
    n_components : int, "auto" or None, default="auto"
        Number of components; as in :class:`NMF`.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar", "custom"} or None, default=None
        Initial factors, as in :class:`NMF`.
    batch_size : int, default=1024
        Number of rows in a batch.
    beta_loss : {"frobenius", "kullback-leibler", "itakura-saito"} or float, default="frobenius"
        The beta divergence: 2, 1 and 0, or another number between -10 and 10.
    tol : float, default=1e-4
        Stop when a step changes H by at most this share of its norm; 0 disables this. Also the tolerance of the rows of
        W in `transform`, relative to their largest entries.
    max_no_improvement : int or None, default=10
        Stop after this number of batches without a new minimum of the smoothed objective; None disables this.
    max_iter : int, default=200
        Maximum number of passes over the data.
    alpha_W : float, default=0.0
        Penalty of W.
    alpha_H : float or "same", default="same"
        Penalty of H.
    l1_ratio : float, default=0.0
        Share of the L1 penalty.
    forget_factor : float, default=0.7
        Weight of the previous pass over the data; 1 forgets nothing.
    fresh_restarts : bool, default=False
        Whether to solve for the batch's rows of W again in each step, instead of one update.
    fresh_restarts_max_iter : int, default=30
        Maximum number of updates of W in a step with `fresh_restarts`.
    transform_max_iter : int or None, default=None
        Maximum number of updates of W in `transform`; None means `max_iter`.
    random_state : int, RandomState instance or None, default=None
        Seed of the initial factors.
    verbose : int, default=0
        Whether to print the progress.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        H.
    n_components_ : int
    reconstruction_err_ : float
        :math:`\sqrt{2 D}` at the end of `fit`, over the observed cells.
    n_iter_ : int
        Number of passes over the data, including incomplete ones.
    n_steps_ : int
        Number of batches.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    NMF : the exact solvers.

    Notes
    -----
    A step costs O(``batch_size`` p k). Missing values (NaN) are left out of all sums.

    References
    ----------
    Lefevre, Bach & Fevotte (2011), Online algorithms for nonnegative matrix factorization with the Itakura-Saito
    divergence.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decomposition import MiniBatchNMF
    >>> X = np.random.default_rng(0).random((200, 2)) @ [[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]]
    >>> model = MiniBatchNMF(2, tol=1e-3, random_state=0).fit(X)
    >>> model.components_.shape
    (2, 3)
    """

    _constraints = {
        **COMMON_RULES,
        "batch_size": [Int(1, None)],
        "max_no_improvement": [Int(1, None), None],
        "forget_factor": [Real(0, 1, closed="both")],
        "fresh_restarts": ["boolean"],
        "fresh_restarts_max_iter": [Int(1, None)],
        "transform_max_iter": [Int(1, None), None],
    }

    def __init__(
        self,
        n_components="auto",
        *,
        init=None,
        batch_size=1024,
        beta_loss="frobenius",
        tol=1e-4,
        max_no_improvement=10,
        max_iter=200,
        alpha_W=0.0,
        alpha_H="same",
        l1_ratio=0.0,
        forget_factor=0.7,
        fresh_restarts=False,
        fresh_restarts_max_iter=30,
        transform_max_iter=None,
        random_state=None,
        verbose=0,
    ):
        self.n_components = n_components
        self.init = init
        self.batch_size = batch_size
        self.beta_loss = beta_loss
        self.tol = tol
        self.max_no_improvement = max_no_improvement
        self.max_iter = max_iter
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.forget_factor = forget_factor
        self.fresh_restarts = fresh_restarts
        self.fresh_restarts_max_iter = fresh_restarts_max_iter
        self.transform_max_iter = transform_max_iter
        self.random_state = random_state
        self.verbose = verbose

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
        beta = self._beta(X)
        cells = ObservedCells(X, beta)
        W, H = self._factors(cells, self._rank(X, W, H), W, H)
        rows = X.tocsr() if cells.sparse else X
        n, size = X.shape[0], min(self.batch_size, X.shape[0])
        batches = list(gen_batches(n, size))
        self._numerator, self._denominator = H.copy(), np.ones_like(H)
        forget = self.forget_factor ** (size / n)
        stopping = BatchStopping(self, len(batches) * self.max_iter, n)
        for step, batch in enumerate(itertools.islice(itertools.cycle(batches), stopping.n_steps), start=1):
            before = H.copy()
            cost, W[batch] = self._step(ObservedCells(rows[batch], beta), W[batch], H, beta, forget)
            # A batch of empty rows leaves H unchanged, which does not indicate convergence.
            unchanged = bool(W[batch].any()) and np.linalg.norm(H - before) <= self.tol * np.linalg.norm(H)
            if stopping(step, cost, batch.stop - batch.start, early=step == 1, unchanged=unchanged, what="H"):
                break
        if self.fresh_restarts:
            W = self._codes(X, H, beta, self.tol, self.transform_max_iter or self.max_iter)[0]
        self.n_steps_, self.n_iter_ = step, -(-step // len(batches))
        self._warn_at_limit(self.n_iter_)
        self.reconstruction_err_ = float(np.sqrt(2.0 * max(0.0, cells.divergence(W, H))))
        self.n_components_, self.components_ = H.shape[0], H
        return W

    def partial_fit(self, X, y=None, W=None, H=None):
        """Update the components with these rows as one batch.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : ignored
        W, H : array-like or None, default=None
            Initial factors of the first call, for ``init="custom"``.

        Returns
        -------
        self
        """
        first = not hasattr(self, "components_")
        if first:
            check_params(self)
        X = self._validate(X, reset=first)
        beta = self._beta(X)
        cells = ObservedCells(X, beta)
        if first:
            W, self.components_ = self._factors(cells, self._rank(X, W, H), W, H)
            self._numerator, self._denominator = self.components_.copy(), np.ones_like(self.components_)
            self.n_components_, self.n_steps_ = self.components_.shape[0], 0
        else:
            W = None
        H = self.components_.astype(X.dtype, copy=False)
        forget = self.forget_factor ** (min(self.batch_size, X.shape[0]) / X.shape[0])
        self._step(cells, W, H, beta, forget)
        self.components_ = H
        self.n_steps_ += 1
        return self

    def _step(self, cells, W, H, beta, forget):
        """Update the batch's rows of W, and H in place. Returns the objective per row, before H, and the rows."""
        penalty, exponent = self._penalty(cells.X), mm_exponent(beta)
        if self.fresh_restarts or W is None:
            W = self._codes(cells.X, H, beta, self.tol, self.fresh_restarts_max_iter)[0]
        else:
            W = update_W(cells, np.ascontiguousarray(W), H, penalty, exponent)
        if beta < 1:
            W[W < _SMALL] = 0.0
        cost = (cells.divergence(W, H) + penalty.value(W, H)) / cells.shape[0]
        num, den = cells.sums_left(W, H)
        if penalty.l1_H > 0:
            den = den + penalty.l1_H
        if penalty.l2_H > 0:
            den = den + penalty.l2_H * H
        # The sums hold H^(1/exponent) times the numerator: the update of H is their quotient.
        power = 1.0 / exponent
        self._numerator = forget * self._numerator + num * (H if power == 1.0 else H**power)
        self._denominator = forget * self._denominator + np.where(den == 0, _SMALL, den)
        H[:] = self._numerator / self._denominator
        if exponent != 1.0:
            H[:] = H**exponent
        if beta <= 1:
            H[H < _SMALL] = 0.0
        return cost, W

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
        return self._codes(X, H, self._fitted_beta, self.tol, self.transform_max_iter or self.max_iter)[0]
