"""Dictionary learning on batches of signals."""

import itertools

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state, gen_batches
from sklearn.utils.validation import check_array

from statlearn._core.blas import single_blas_thread
from statlearn._core.fitted_state import forget
from statlearn._core.jobs import jobs
from statlearn._core.params import Instance, Int, Options, Real, check_arguments, check_params
from statlearn._core.validation import FLOATS, validate_data
from statlearn._math.linalg.svd import leading_svd
from statlearn.decomposition._batch_stopping import BatchStopping

from ._atoms import block_update, fill_up, gradient_update, lasso_cost
from ._sparse_coding import CODING_RULES, SparseCodingMixin, encode, refuse_positive


class _OnlineDictionary(SparseCodingMixin, BaseEstimator):
    """Steps on batches: codes of the batch, additive statistics A = C'C and B = C'X, an update of the atoms."""

    _start_from = "singular vectors"

    _common_rules = {
        **CODING_RULES,
        "n_components": [Int(1, None), None],
        "alpha": [Real(0, None)],
        "max_iter": [Int(0, None)],
        "batch_size": [Int(1, None)],
        "shuffle": ["boolean"],
        "dict_init": [Instance(np.ndarray), None],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
        "positive_dict": ["boolean"],
        "tol": [Real(0, None)],
        "max_no_improvement": [Int(0, None), None],
    }

    def _start(self, X, rng):
        k = X.shape[1] if self.n_components is None else self.n_components
        if self.dict_init is not None:
            D = np.array(self.dict_init, dtype=np.float64)
            if D.ndim != 2 or D.shape[1] != X.shape[1]:
                raise ValueError(f"`dict_init` has shape {D.shape}, expected {(k, X.shape[1])}.")
        elif self._start_from == "signals":
            rows = rng.permutation(np.flatnonzero(np.linalg.norm(X, axis=1) > 0))[:k]
            D = X[rows] / np.linalg.norm(X[rows], axis=1, keepdims=True)
        else:
            _, sizes, atoms = leading_svd(X, min(k, *X.shape), rng)
            D = sizes[:, None] * atoms
        return fill_up(np.asarray(D, np.float64), k)

    def _clear(self, k, p, dtype):
        self._A, self._B = np.zeros((k, k), dtype), np.zeros((k, p), dtype)
        self._seen = 0

    def _codes(self, X, D):
        return encode(
            X,
            D,
            self._coding,
            alpha=self.alpha,
            max_iter=self.transform_max_iter,
            positive=self.positive_code,
        )

    def _step(self, X, D, rng, step):
        """Codes of a batch and an update of the atoms in place; returns the objective per signal before it.

        The objective is computed only if something depends on it.
        """
        codes = self._codes(X, D)
        wanted = self.max_no_improvement is not None or self.verbose
        cost = lasso_cost(X, codes, D, self.alpha) / len(X) if wanted else np.nan
        self._gather(X, codes, step)
        self._move(X, codes, D, rng)
        return cost

    def fit(self, X, y=None):
        """Learn the atoms from batches of the signals.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            One signal per row.
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        refuse_positive(self.fit_algorithm if hasattr(self, "fit_algorithm") else "cd", self.positive_code)
        X = validate_data(self, X, dtype=FLOATS, order="C")
        forget(self, "_random_state")  # of `partial_fit`
        rng = check_random_state(self.random_state)
        D = self._start(X, rng)
        signals = X.astype(np.float64)
        if self.shuffle:
            signals = signals[rng.permutation(len(X))]
        self._clear(len(D), X.shape[1], X.dtype)
        batches = list(gen_batches(len(X), min(self.batch_size, len(X))))
        stopping = BatchStopping(self, len(batches) * self.max_iter, len(X))
        step = 0
        with jobs(self.n_jobs), single_blas_thread():
            for step, batch in enumerate(itertools.islice(itertools.cycle(batches), stopping.n_steps), start=1):
                before = D.copy()
                cost = self._step(signals[batch], D, rng, step - 1)
                size = batch.stop - batch.start
                early = step <= min(100, len(X) / size)  # the first pass is far from the end
                unchanged = np.linalg.norm(D - before) / len(D) <= self.tol
                if stopping(step, cost, size, early=early, unchanged=unchanged, what="the dictionary"):
                    break
                if getattr(self, "callback", None) is not None:
                    self.callback({"dictionary": D, "step": step})
        self.components_ = D.astype(X.dtype)
        self.n_steps_, self.n_iter_ = step, -(-step // len(batches))
        return self

    def partial_fit(self, X, y=None):
        """Update the atoms with these signals as one batch.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        first = not hasattr(self, "components_")
        X = validate_data(self, X, dtype=FLOATS, order="C", reset=first)
        if first:
            refuse_positive(self.fit_algorithm if hasattr(self, "fit_algorithm") else "cd", self.positive_code)
            self._random_state = check_random_state(self.random_state)
            D = self._start(X, self._random_state)
            self._clear(len(D), X.shape[1], X.dtype)
            self.n_steps_ = 0
        else:
            D = self.components_.astype(np.float64)
            if not hasattr(self, "_random_state"):
                self._random_state = check_random_state(self.random_state)
        with jobs(self.n_jobs), single_blas_thread():
            self._step(X.astype(np.float64), D, self._random_state, self.n_steps_)
        self.components_ = D.astype(X.dtype)
        self.n_steps_ += 1
        return self

    @property
    def _coding(self):
        return f"lasso_{self.fit_algorithm}"


class MiniBatchDictionaryLearning(_OnlineDictionary):
    r"""Dictionary learning on batches of signals, with scikit-learn's weighting of past batches.

    The objective is that of :class:`DictionaryLearning`. Each batch is coded over the present atoms, its cross-products
    C'C and C'X are added to those of earlier batches, which are damped, and the atoms are updated by a pass of block
    coordinate descent.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of atoms; None means the number of features.
    alpha : float, default=1
        Penalty of the codes.
    max_iter : int, default=1000
        Maximum number of passes over the data.
    fit_algorithm : {"lars", "cd"}, default="lars"
        Exact lasso codes, or coordinate descent with a tolerance.
    n_jobs : int or None, default=None
        Maximum number of threads; None uses all.
    batch_size : int, default=256
        Number of signals in a batch.
    shuffle : bool, default=True
        Whether to shuffle the signals once.
    dict_init : ndarray of shape (n_components, n_features) or None, default=None
        Initial atoms; None means the singular vectors of X.
    transform_algorithm : {"lasso_lars", "lasso_cd", "lars", "omp", "threshold"}, default="omp"
        Coding method of `transform`; see :func:`sparse_encode`.
    transform_n_nonzero_coefs : int or None, default=None
        Number of atoms of "lars" and "omp"; None means a tenth of the features, at least 1.
    transform_alpha : float or None, default=None
        Penalty or threshold of `transform`, `alpha` if None. For "omp" the target for the squared error.
    verbose : int, default=False
        Whether to print the progress.
    split_sign : bool, default=False
        Whether to return the positive and the negative parts of the codes side by side.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of signals, and of the signals that replace unused atoms.
    positive_code : bool, default=False
        Whether codes must not be negative; not for "lars" and "omp".
    positive_dict : bool, default=False
        Whether atoms must not be negative.
    transform_max_iter : int, default=1000
        Maximum number of passes of "lasso_cd".
    callback : callable or None, default=None
        Called after every batch with a dictionary of the present state.
    tol : float, default=1e-3
        Stop when the norm of the change of the atoms in a step, over the number of atoms, is at most this; 0 disables
        it.
    max_no_improvement : int or None, default=10
        Stop after this number of batches without a new minimum of the smoothed objective; None disables this.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The atoms.
    n_iter_ : int
        Number of passes over the data, including incomplete ones.
    n_steps_ : int
        Number of batches.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    OnlineDictionaryLearning : plain sums over the past with a forgetting factor, and gradient steps.
    DictionaryLearning

    References
    ----------
    Mairal, Bach, Ponce & Sapiro (2009), Online dictionary learning for sparse coding, ICML.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decomposition import MiniBatchDictionaryLearning
    >>> X = np.random.default_rng(0).normal(size=(100, 6))
    >>> MiniBatchDictionaryLearning(4, batch_size=20, random_state=0).fit(X).components_.shape
    (4, 6)
    """

    _constraints = {
        **_OnlineDictionary._common_rules,
        "fit_algorithm": [Options("lars", "cd")],
        "callback": ["callable", None],
    }

    def __init__(
        self,
        n_components=None,
        *,
        alpha=1,
        max_iter=1000,
        fit_algorithm="lars",
        n_jobs=None,
        batch_size=256,
        shuffle=True,
        dict_init=None,
        transform_algorithm="omp",
        transform_n_nonzero_coefs=None,
        transform_alpha=None,
        verbose=False,
        split_sign=False,
        random_state=None,
        positive_code=False,
        positive_dict=False,
        transform_max_iter=1000,
        callback=None,
        tol=1e-3,
        max_no_improvement=10,
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.max_iter = max_iter
        self.fit_algorithm = fit_algorithm
        self.n_jobs = n_jobs
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.dict_init = dict_init
        self.transform_algorithm = transform_algorithm
        self.transform_n_nonzero_coefs = transform_n_nonzero_coefs
        self.transform_alpha = transform_alpha
        self.verbose = verbose
        self.split_sign = split_sign
        self.random_state = random_state
        self.positive_code = positive_code
        self.positive_dict = positive_dict
        self.transform_max_iter = transform_max_iter
        self.callback = callback
        self.tol = tol
        self.max_no_improvement = max_no_improvement

    def _gather(self, X, codes, step):
        m = len(X)
        theta = (step + 1) * m if step < m - 1 else m**2 + step + 1 - m
        keep = (theta + 1 - m) / (theta + 1)
        self._A = (keep * self._A + codes.T @ codes / m).astype(self._A.dtype)
        self._B = (keep * self._B + codes.T @ X / m).astype(self._B.dtype)

    def _move(self, X, codes, D, rng):
        block_update(D, self._A, self._B, X, codes, rng, self.positive_dict)


class OnlineDictionaryLearning(_OnlineDictionary):
    r"""Online dictionary learning: atoms from additive statistics of a stream of signals.

    The objective is that of :class:`DictionaryLearning`, averaged over the signals:
    :math:`\tfrac1n \sum_i \min_c \tfrac12 \lVert x_i - D^\top c \rVert^2 + \alpha \lVert c \rVert_1`. For each batch,
    the lasso codes c of its signals are added to :math:`A = \sum c c^\top` and :math:`B = \sum c x^\top`, and the atoms
    take a step on :math:`\tfrac{1}{n} [\tfrac12 \mathrm{tr}(D^\top A D) - \mathrm{tr}(D^\top B)]` and are projected to
    the unit ball.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of atoms; None means the number of features.
    alpha : float, default=1.0
        Penalty of the codes.
    update : {"block", "gradient"}, default="block"
        A pass of block coordinate descent over the atoms, or a gradient step.
    learning_rate : float, default=1.0
        Step size γ of ``update="gradient"``: D ← D - (γ / n)(A D - B), n being the weight of the signals so far.
    forgetting : float, default=0.95
        Factor of A, B and n before each batch; 1 forgets nothing. Codes of early batches belong to atoms that have
        since changed: on a finite table that is passed several times, forgetting them gives a better objective.
    max_iter : int, default=10
        Maximum number of passes over the data.
    batch_size : int, default=64
        Number of signals in a batch.
    shuffle : bool, default=True
        Whether to shuffle the signals once.
    dict_init : ndarray of shape (n_components, n_features) or None, default=None
        Initial atoms; None draws signals and scales them to norm 1.
    transform_algorithm : {"lasso_lars", "lasso_cd", "lars", "omp", "threshold"}, default="lasso_lars"
        Coding method of `transform`; see :func:`sparse_encode`.
    transform_n_nonzero_coefs : int or None, default=None
        Number of atoms of "lars" and "omp"; None means a tenth of the features, at least 1.
    transform_alpha : float or None, default=None
        Penalty or threshold of `transform`, `alpha` if None. For "omp" the target for the squared error.
    n_jobs : int or None, default=None
        Maximum number of threads; None uses all.
    split_sign : bool, default=False
        Whether to return the positive and the negative parts of the codes side by side.
    positive_code : bool, default=False
        Whether codes must not be negative.
    positive_dict : bool, default=False
        Whether atoms must not be negative.
    transform_max_iter : int, default=1000
        Maximum number of passes of "lasso_cd".
    tol : float, default=1e-4
        Stop when the norm of the change of the atoms in a step, over the number of atoms, is at most this; 0 disables
        it.
    max_no_improvement : int or None, default=None
        Stop after this number of batches without a new minimum of the smoothed objective; None disables this.
    verbose : int, default=0
        Whether to print the progress.
    random_state : int, RandomState instance or None, default=None
        Seed of the initial atoms, the order of signals, and the signals that replace unused atoms.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The atoms.
    code_products_ : ndarray of shape (n_components, n_components)
        A.
    cross_products_ : ndarray of shape (n_components, n_features)
        B.
    n_seen_ : float
        n, the weight of the signals so far.
    n_iter_ : int
        Number of passes over the data, including incomplete ones.
    n_steps_ : int
        Number of batches.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    MiniBatchDictionaryLearning : scikit-learn's weighting.
    KSVD

    Notes
    -----
    A batch of m signals costs O(m k p) for its codes and O(k² p) for the atoms, whatever the number of signals seen.

    References
    ----------
    Mairal, Bach, Ponce & Sapiro (2009), Online dictionary learning for sparse coding, ICML.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decomposition import OnlineDictionaryLearning
    >>> X = np.random.default_rng(0).normal(size=(200, 6))
    >>> model = OnlineDictionaryLearning(4, alpha=0.5, random_state=0).fit(X)
    >>> bool((np.linalg.norm(model.components_, axis=1) <= 1 + 1e-12).all())
    True
    """

    _constraints = {
        **_OnlineDictionary._common_rules,
        "update": [Options("block", "gradient")],
        "learning_rate": [Real(0, None, closed="neither")],
        "forgetting": [Real(0, 1, closed="right")],
    }
    _coding = "lasso_lars"
    _start_from = "signals"

    def __init__(
        self,
        n_components=None,
        *,
        alpha=1.0,
        update="block",
        learning_rate=1.0,
        forgetting=0.95,
        max_iter=10,
        batch_size=64,
        shuffle=True,
        dict_init=None,
        transform_algorithm="lasso_lars",
        transform_n_nonzero_coefs=None,
        transform_alpha=None,
        n_jobs=None,
        split_sign=False,
        positive_code=False,
        positive_dict=False,
        transform_max_iter=1000,
        tol=1e-4,
        max_no_improvement=None,
        verbose=0,
        random_state=None,
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.update = update
        self.learning_rate = learning_rate
        self.forgetting = forgetting
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.dict_init = dict_init
        self.transform_algorithm = transform_algorithm
        self.transform_n_nonzero_coefs = transform_n_nonzero_coefs
        self.transform_alpha = transform_alpha
        self.n_jobs = n_jobs
        self.split_sign = split_sign
        self.positive_code = positive_code
        self.positive_dict = positive_dict
        self.transform_max_iter = transform_max_iter
        self.tol = tol
        self.max_no_improvement = max_no_improvement
        self.verbose = verbose
        self.random_state = random_state

    def _gather(self, X, codes, step):
        self._A, self._B = self.forgetting * self._A, self.forgetting * self._B
        self._A += codes.T @ codes
        self._B += codes.T @ X
        self._seen = self.forgetting * self._seen + len(X)
        self.code_products_, self.cross_products_, self.n_seen_ = self._A, self._B, float(self._seen)

    def _move(self, X, codes, D, rng):
        if self.update == "block":
            block_update(D, self._A, self._B, X, codes, rng, self.positive_dict)
        else:
            gradient_update(D, self._A, self._B, self.learning_rate, self._seen, self.positive_dict)


def dict_learning_online(
    X,
    n_components=2,
    *,
    alpha=1,
    max_iter=100,
    return_code=True,
    dict_init=None,
    callback=None,
    batch_size=256,
    verbose=False,
    shuffle=True,
    n_jobs=None,
    method="lars",
    random_state=None,
    positive_dict=False,
    positive_code=False,
    method_max_iter=1000,
    tol=1e-3,
    max_no_improvement=10,
):
    """Dictionary learning on batches as a function; see :class:`MiniBatchDictionaryLearning`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    n_components : int or None, default=2
        Number of atoms; None means the number of features.
    alpha, max_iter, dict_init, callback, batch_size, verbose, shuffle, n_jobs, random_state, positive_dict, \
positive_code, tol, max_no_improvement
        As in :class:`MiniBatchDictionaryLearning`.
    return_code : bool, default=True
        Whether to return the lasso codes of X as well.
    method : {"lars", "cd"}, default="lars"
        Exact lasso codes, or coordinate descent with a tolerance.
    method_max_iter : int, default=1000
        Maximum number of passes of ``method="cd"``.

    Returns
    -------
    code : ndarray of shape (n_samples, n_components)
        Only with ``return_code=True``.
    dictionary : ndarray of shape (n_components, n_features)

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decomposition import dict_learning_online
    >>> X = np.random.default_rng(0).normal(size=(50, 5))
    >>> code, dictionary = dict_learning_online(X, 3, random_state=0)
    >>> code.shape
    (50, 3)
    """
    check_arguments(
        dict_learning_online, method=(method, [Options("lars", "cd")]), return_code=(return_code, ["boolean"])
    )
    X = check_array(X, dtype=FLOATS, input_name="X")
    model = MiniBatchDictionaryLearning(
        n_components,
        alpha=alpha,
        max_iter=max_iter,
        fit_algorithm=method,
        n_jobs=n_jobs,
        batch_size=batch_size,
        shuffle=shuffle,
        dict_init=dict_init,
        transform_algorithm=f"lasso_{method}",
        transform_alpha=alpha,
        verbose=verbose,
        random_state=random_state,
        positive_code=positive_code,
        positive_dict=positive_dict,
        transform_max_iter=method_max_iter,
        callback=callback,
        tol=tol,
        max_no_improvement=max_no_improvement,
    ).fit(X)
    return (model.transform(X), model.components_) if return_code else model.components_
