"""Dictionary learning by alternating minimisation."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array

from statlearn._core.blas import single_blas_thread
from statlearn._core.jobs import jobs
from statlearn._core.params import Instance, Int, Options, Real, check_arguments, check_params
from statlearn._core.validation import FLOATS, validate_data

from ._atoms import block_update, fill_up, lasso_cost, singular_start
from ._sparse_coding import CODING_RULES, SparseCodingMixin, encode, refuse_positive


def dict_learning(
    X,
    n_components,
    *,
    alpha,
    max_iter=100,
    tol=1e-8,
    method="lars",
    n_jobs=None,
    dict_init=None,
    code_init=None,
    callback=None,
    verbose=False,
    random_state=None,
    return_n_iter=False,
    positive_dict=False,
    positive_code=False,
    method_max_iter=1000,
):
    """Dictionary learning as a function; see :class:`DictionaryLearning` for the objective.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    n_components : int or None
        Number of atoms; None means the number of features.
    alpha : float
        Penalty of the codes.
    max_iter : int, default=100
    tol : float, default=1e-8
        Stop when an iteration lowers the objective by less than `tol` times its value.
    method : {"lars", "cd"}, default="lars"
        Exact lasso codes, or coordinate descent with a tolerance.
    n_jobs : int or None, default=None
        Maximum number of threads; None uses all.
    dict_init, code_init : array-like or None, default=None
        Initial atoms and codes.
    callback : callable or None, default=None
        Called every five iterations with a dictionary of the present state.
    verbose : int, default=False
    random_state : int, RandomState instance or None, default=None
        Seed of the signals that replace unused atoms.
    return_n_iter : bool, default=False
        Whether to return the number of iterations.
    positive_dict, positive_code : bool, default=False
        Whether atoms or codes must not be negative; codes only with ``method="cd"``.
    method_max_iter : int, default=1000
        Maximum number of passes of ``method="cd"``.

    Returns
    -------
    code : ndarray of shape (n_samples, n_components)
    dictionary : ndarray of shape (n_components, n_features)
    errors : list of float
        The objective after each iteration.
    n_iter : int
        Only with ``return_n_iter=True``.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decomposition import dict_learning
    >>> X = np.random.default_rng(0).normal(size=(30, 5))
    >>> code, dictionary, errors = dict_learning(X, 3, alpha=1.0, random_state=0)
    >>> bool(errors[-1] <= errors[0])
    True
    """
    check_arguments(
        dict_learning,
        alpha=(alpha, [Real(0, None)]),
        max_iter=(max_iter, [Int(0, None)]),
        method=(method, [Options("lars", "cd")]),
    )
    X = check_array(X, dtype=FLOATS, input_name="X")
    refuse_positive(method, positive_code)
    with jobs(n_jobs), single_blas_thread():
        model = DictionaryLearning(
            n_components,
            alpha=alpha,
            max_iter=max_iter,
            tol=tol,
            fit_algorithm=method,
            dict_init=dict_init,
            code_init=code_init,
            callback=callback,
            verbose=verbose,
            random_state=random_state,
            positive_dict=positive_dict,
            positive_code=positive_code,
            transform_max_iter=method_max_iter,
        )
        code, dictionary, errors, n_iter = model._alternate(X)
    return (code, dictionary, errors, n_iter) if return_n_iter else (code, dictionary, errors)


class DictionaryLearning(SparseCodingMixin, BaseEstimator):
    r"""Dictionary learning by alternating minimisation.

    Minimises over codes C (n × k) and atoms D (k × p) of norm at most 1

    .. math:: \tfrac12 \lVert X - C D \rVert_F^2 + \alpha \lVert C \rVert_1 ,

    or, with ``fit_algorithm="omp"``, the squared error alone with at most `fit_n_nonzero_coefs` atoms per signal.
    Alternates sparse coding and a pass of block coordinate descent over the atoms. Stops when an iteration lowers the
    objective by less than `tol` times its value.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of atoms; None means the number of features.
    alpha : float, default=1
        Penalty of the codes.
    max_iter : int, default=1000
        Maximum number of iterations.
    tol : float, default=1e-8
        Relative tolerance of the stopping rule.
    fit_algorithm : {"lars", "cd", "omp"}, default="lars"
        Exact lasso codes, coordinate descent with a tolerance, or orthogonal matching pursuit.
    transform_algorithm : {"lasso_lars", "lasso_cd", "lars", "omp", "threshold"}, default="omp"
        Coding method of `transform`; see :func:`sparse_encode`.
    transform_n_nonzero_coefs : int or None, default=None
        Number of atoms of "lars" and "omp"; None means a tenth of the features, at least 1.
    transform_alpha : float or None, default=None
        Penalty or threshold of `transform`, `alpha` if None. For "omp" the target for the squared error.
    n_jobs : int or None, default=None
        Maximum number of threads; None uses all.
    code_init : ndarray of shape (n_samples, n_components) or None, default=None
        Initial codes, used together with `dict_init`.
    dict_init : ndarray of shape (n_components, n_features) or None, default=None
        Initial atoms; None means the singular vectors of X.
    callback : callable or None, default=None
        Called every five iterations with a dictionary of the present state.
    verbose : int, default=False
        Whether to print the progress.
    split_sign : bool, default=False
        Whether to return the positive and the negative parts of the codes side by side.
    random_state : int, RandomState instance or None, default=None
        Seed of the signals that replace unused atoms.
    positive_code : bool, default=False
        Whether codes must not be negative; not for "lars" and "omp".
    positive_dict : bool, default=False
        Whether atoms must not be negative.
    transform_max_iter : int, default=1000
        Maximum number of passes of "lasso_cd".
    fit_n_nonzero_coefs : int or None, default=None
        Number of atoms per signal for ``fit_algorithm="omp"``; None means a tenth of the features, at least 1.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The atoms.
    error_ : list of float
        The objective after each iteration.
    n_iter_ : int
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    MiniBatchDictionaryLearning, OnlineDictionaryLearning : for many signals.
    KSVD : atoms updated together with their codes.
    SparseCoder

    Notes
    -----
    Centre the signals (patches of an image: subtract each patch's mean) unless a constant atom is wanted. The problem
    is not convex. An iteration costs O(n k (p + m)) for codes with m atoms. The projection to the unit ball after every
    update is part of the method: without it, atoms grow and codes shrink without bound.

    References
    ----------
    Mairal, Bach, Ponce & Sapiro (2009), Online dictionary learning for sparse coding, ICML.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decomposition import DictionaryLearning
    >>> X = np.random.default_rng(0).normal(size=(40, 6))
    >>> model = DictionaryLearning(4, alpha=0.5, transform_algorithm="lasso_lars", random_state=0).fit(X)
    >>> bool((np.linalg.norm(model.components_, axis=1) <= 1 + 1e-12).all())
    True
    """

    _constraints = {
        **CODING_RULES,
        "n_components": [Int(1, None), None],
        "alpha": [Real(0, None)],
        "max_iter": [Int(0, None)],
        "tol": [Real(0, None)],
        "fit_algorithm": [Options("lars", "cd", "omp")],
        "code_init": [Instance(np.ndarray), None],
        "dict_init": [Instance(np.ndarray), None],
        "callback": ["callable", None],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
        "positive_dict": ["boolean"],
        "fit_n_nonzero_coefs": [Int(1, None), None],
    }

    def __init__(
        self,
        n_components=None,
        *,
        alpha=1,
        max_iter=1000,
        tol=1e-8,
        fit_algorithm="lars",
        transform_algorithm="omp",
        transform_n_nonzero_coefs=None,
        transform_alpha=None,
        n_jobs=None,
        code_init=None,
        dict_init=None,
        callback=None,
        verbose=False,
        split_sign=False,
        random_state=None,
        positive_code=False,
        positive_dict=False,
        transform_max_iter=1000,
        fit_n_nonzero_coefs=None,
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.fit_algorithm = fit_algorithm
        self.transform_algorithm = transform_algorithm
        self.transform_n_nonzero_coefs = transform_n_nonzero_coefs
        self.transform_alpha = transform_alpha
        self.n_jobs = n_jobs
        self.code_init = code_init
        self.dict_init = dict_init
        self.callback = callback
        self.verbose = verbose
        self.split_sign = split_sign
        self.random_state = random_state
        self.positive_code = positive_code
        self.positive_dict = positive_dict
        self.transform_max_iter = transform_max_iter
        self.fit_n_nonzero_coefs = fit_n_nonzero_coefs

    def fit(self, X, y=None):
        """Learn the atoms.

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
        refuse_positive(self.fit_algorithm, self.positive_code)
        X = validate_data(self, X, dtype=FLOATS)
        with jobs(self.n_jobs), single_blas_thread():
            _, self.components_, self.error_, self.n_iter_ = self._alternate(X)
        return self

    def _alternate(self, X):
        """Codes, atoms, objectives and the number of iterations."""
        signals = np.ascontiguousarray(X, np.float64)
        k = X.shape[1] if self.n_components is None else self.n_components
        sparse = self.fit_algorithm == "omp"  # a number of atoms instead of a penalty
        if self.dict_init is None or self.code_init is None:
            D, codes = singular_start(signals, k)
        if self.dict_init is not None:
            D = fill_up(np.array(self.dict_init, dtype=np.float64), k)
            codes = np.zeros((len(X), k))
        if self.code_init is not None and self.dict_init is not None:
            codes = fill_up(np.array(self.code_init, dtype=np.float64).T, k).T
        rng = check_random_state(self.random_state)
        errors, step = [], 0
        for step in range(1, self.max_iter + 1):
            codes = encode(
                signals,
                D,
                "omp" if sparse else f"lasso_{self.fit_algorithm}",
                n_nonzero=self.fit_n_nonzero_coefs,
                alpha=None if sparse else self.alpha,
                start=codes,
                max_iter=self.transform_max_iter,
                positive=self.positive_code,
            )
            unused = block_update(D, codes.T @ codes, codes.T @ signals, signals, codes, rng, self.positive_dict)
            errors.append(lasso_cost(signals, codes, D, 0.0 if sparse else self.alpha))
            if self.verbose:
                print(f"[dict_learning] iteration {step}: cost {errors[-1]:.6g}, {unused} unused atoms resampled.")
            if step > 1 and errors[-2] - errors[-1] < self.tol * errors[-1]:
                break
            if self.callback is not None and (step - 1) % 5 == 0:
                self.callback({"dictionary": D, "code": codes, "errors": errors, "ii": step - 1})
        dtype = X.dtype
        return np.ascontiguousarray(codes, dtype), D.astype(dtype), errors, step
