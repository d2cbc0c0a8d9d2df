"""K-SVD: atoms updated together with the codes that use them."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from statlearn._core.blas import single_blas_thread
from statlearn._core.jobs import jobs
from statlearn._core.params import Instance, Int, Real, check_params
from statlearn._core.validation import FLOATS, require_finite, validate_data
from statlearn._core.warnings import ConvergenceWarning, warn
from statlearn._math.linalg.eigen import eigh_between

from ._sparse_coding import CODING_RULES, SparseCodingMixin, encode


def leading_pair(E):
    """The best rank-one approximation a u' of E, with |u| = 1: a and u."""
    tall = E.shape[0] >= E.shape[1]
    with np.errstate(over="ignore"):
        products = E.T @ E if tall else E @ E.T
    require_finite(products)
    last = len(products) - 1
    v = eigh_between(products, last, last)[1][:, 0]
    if tall:
        return E @ v, v
    u = E.T @ v
    size = float(np.linalg.norm(u))
    return (size * v, u / size) if size > 0 else (np.zeros(len(v)), np.eye(1, E.shape[1])[0])


def ksvd_update(D, codes, X):
    """One pass over the atoms, in place: each atom and its codes become the best rank-one fit of its users' residual.

    The supports of the codes stay, and the squared error never increases. An atom without users becomes the signal with
    the largest residual, scaled to norm 1; signals are taken once. Returns the residual and the number of such atoms.
    """
    residual = X - codes @ D
    taken: list[int] = []
    for j in range(len(D)):
        users = np.flatnonzero(codes[:, j])
        if len(users) == 0:
            sizes = np.einsum("ij,ij->i", residual, residual)
            sizes[taken] = -1.0
            worst = int(np.argmax(sizes))
            size = float(np.linalg.norm(X[worst]))
            if sizes[worst] > 0 and size > 0:
                D[j] = X[worst] / size
                taken.append(worst)
            continue
        E = residual[users] + np.outer(codes[users, j], D[j])
        a, u = leading_pair(E)
        # The sign of the old atom is kept.
        sign = -1.0 if float(u @ D[j]) < 0 else 1.0
        D[j], codes[users, j] = sign * u, sign * a
        residual[users] = E - np.outer(codes[users, j], D[j])
    return residual, len(taken)


def replace_twins(D, residual, X, coherence=0.99):
    """Atoms that are nearly equal to an earlier one, up to sign, become the worst-fitted signals; returns how many."""
    inner = np.abs(np.tril(D @ D.T, -1))
    twins = np.flatnonzero(inner.max(axis=1) > coherence)
    worst = np.argsort(-np.einsum("ij,ij->i", residual, residual), kind="stable")
    replaced = 0
    for j, row in zip(twins, worst):
        size = float(np.linalg.norm(X[row]))
        if size > 0 and residual[row].any():
            D[j] = X[row] / size
            replaced += 1
    return replaced


class KSVD(SparseCodingMixin, BaseEstimator):
    r"""K-SVD dictionary learning.

    Minimises over codes C (n × k) with at most `n_nonzero_coefs` non-zero entries per row and atoms D (k × p) of norm 1

    .. math:: \lVert X - C D \rVert_F^2 ,

    a sum without a factor 1/2. Alternates orthogonal matching pursuit and, atom by atom, a rank-one singular value
    decomposition of the residual of the signals that use the atom, which renews the atom and their coefficients. Stops
    when an iteration lowers the root mean squared error by less than `tol` times its value.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of atoms; None means the number of features.
    n_nonzero_coefs : int or None, default=None
        Number of atoms per signal; None means a tenth of the features, at least 1.
    max_iter : int, default=50
        Maximum number of iterations.
    tol : float, default=1e-4
        Relative tolerance of the stopping rule.
    dict_init : ndarray of shape (n_components, n_features) or None, default=None
        Initial atoms; None draws signals.
    transform_algorithm : {"lasso_lars", "lasso_cd", "lars", "omp", "threshold"}, default="omp"
        Coding method of `transform`; see :func:`sparse_encode`.
    transform_n_nonzero_coefs : int or None, default=None
        Number of atoms in `transform`; None means `n_nonzero_coefs`.
    transform_alpha : float or None, default=None
        Penalty or threshold of `transform`, 1 if None. For "omp" the target for the squared error, as for denoising.
    n_jobs : int or None, default=None
        Maximum number of threads; None uses all.
    split_sign : bool, default=False
        Whether to return the positive and the negative parts of the codes side by side.
    positive_code : bool, default=False
        Whether codes of `transform` must not be negative; not for "lars" and "omp".
    transform_max_iter : int, default=1000
        Maximum number of passes of "lasso_cd".
    verbose : int, default=0
        Whether to print the progress.
    random_state : int, RandomState instance or None, default=None
        Seed of the initial atoms.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The atoms, of norm 1.
    errors_ : ndarray of shape (n_iter_,)
        Root mean squared error per entry after each iteration.
    n_unused_ : ndarray of shape (n_iter_,)
        Number of atoms that were replaced by the worst-fitted signals, because no signal used them or they were nearly
        equal to another atom (absolute cosine above 0.99).
    n_iter_ : int
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    DictionaryLearning, OnlineDictionaryLearning

    Notes
    -----
    The update of the atoms never raises the error; the pursuit, which is greedy, can, so that the error is not
    guaranteed to fall in every iteration. The atoms with the smallest error are kept.

    References
    ----------
    Aharon, Elad & Bruckstein (2006), K-SVD: an algorithm for designing overcomplete dictionaries.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decomposition import KSVD
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 1)) * np.eye(4)[rng.integers(4, size=200)]
    >>> KSVD(4, n_nonzero_coefs=1, random_state=1).fit(X).errors_[-1] < 1e-10
    np.True_
    """

    _constraints = {
        **CODING_RULES,
        "n_components": [Int(1, None), None],
        "n_nonzero_coefs": [Int(1, None), None],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None)],
        "dict_init": [Instance(np.ndarray), None],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components=None,
        *,
        n_nonzero_coefs=None,
        max_iter=50,
        tol=1e-4,
        dict_init=None,
        transform_algorithm="omp",
        transform_n_nonzero_coefs=None,
        transform_alpha=None,
        n_jobs=None,
        split_sign=False,
        positive_code=False,
        transform_max_iter=1000,
        verbose=0,
        random_state=None,
    ):
        self.n_components = n_components
        self.n_nonzero_coefs = n_nonzero_coefs
        self.max_iter = max_iter
        self.tol = tol
        self.dict_init = dict_init
        self.transform_algorithm = transform_algorithm
        self.transform_n_nonzero_coefs = transform_n_nonzero_coefs
        self.transform_alpha = transform_alpha
        self.n_jobs = n_jobs
        self.split_sign = split_sign
        self.positive_code = positive_code
        self.transform_max_iter = transform_max_iter
        self.verbose = verbose
        self.random_state = random_state

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
        X = validate_data(self, X, dtype=FLOATS)
        signals = X.astype(np.float64)
        D = self._start(signals, check_random_state(self.random_state))
        count = self._count(X.shape[1], len(D))
        errors, unused, best = [], [], None
        with jobs(self.n_jobs), single_blas_thread():
            for step in range(1, self.max_iter + 1):
                codes = encode(signals, D, "omp", n_nonzero=count, quiet=True)
                residual, fresh = ksvd_update(D, codes, signals)
                errors.append(float(np.sqrt(np.mean(residual**2))))
                unused.append(fresh)
                if self.verbose:
                    print(f"[KSVD] iteration {step}: error {errors[-1]:.6g}, {fresh} atoms replaced")
                if best is None or errors[-1] < best[0]:
                    best = errors[-1], D.copy()
                fresh += replace_twins(D, residual, signals)
                unused[-1] = fresh
                if step > 1 and fresh == 0 and errors[-2] - errors[-1] <= self.tol * errors[-1]:
                    break
            else:
                if self.max_iter > 1 and self.tol > 0:
                    warn(
                        f"KSVD did not converge in {self.max_iter} iterations. Increase max_iter or raise tol.",
                        ConvergenceWarning,
                    )
        self.components_ = best[1].astype(X.dtype)
        self.errors_, self.n_unused_, self.n_iter_ = np.array(errors), np.array(unused), len(errors)
        return self

    def _start(self, X, rng):
        k = X.shape[1] if self.n_components is None else self.n_components
        if self.dict_init is not None:
            D = np.array(self.dict_init, dtype=np.float64)
            if D.shape != (k, X.shape[1]):
                raise ValueError(f"`dict_init` has shape {D.shape}, expected {(k, X.shape[1])}.")
        else:
            usable = np.flatnonzero(np.linalg.norm(X, axis=1) > 0)
            if len(usable) == 0:
                raise ValueError("X contains zeros only: there is nothing to learn atoms from.")
            rows = rng.permutation(usable)[:k]
            D = np.vstack([X[rows], rng.standard_normal((k - len(rows), X.shape[1]))])
        norms = np.linalg.norm(D, axis=1, keepdims=True)
        if not (norms > 0).all():
            raise ValueError("`dict_init` contains an atom of norm 0.")
        return D / norms

    def _count(self, p, k):
        return int(min(max(p / 10, 1), k)) if self.n_nonzero_coefs is None else min(self.n_nonzero_coefs, k)

    def _n_atoms(self, D):
        n_nonzero = self.transform_n_nonzero_coefs
        return self._count(D.shape[1], D.shape[0]) if n_nonzero is None else n_nonzero
