"""Sparse codes over a given dictionary."""

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_array, check_is_fitted

from statlearn._core import native
from statlearn._core.jobs import jobs
from statlearn._core.params import Instance, Int, Options, Real, check_arguments, check_params
from statlearn._core.validation import FLOATS, validate_data
from statlearn._core.warnings import ConvergenceWarning, warn
from statlearn._math.linalg.wavelets import WaveletName, wavelet_matrix

ALGORITHMS = ("lasso_lars", "lasso_cd", "lars", "omp", "threshold")
_CD_TOL = 1e-4  # duality gap of "lasso_cd", relative to the squared norm of the signal

CODING_RULES = {
    "transform_algorithm": [Options(*ALGORITHMS)],
    "transform_n_nonzero_coefs": [Int(1, None), None],
    "transform_alpha": [Real(0, None), None],
    "split_sign": ["boolean"],
    "n_jobs": [Instance(int, np.integer), None],
    "positive_code": ["boolean"],
    "transform_max_iter": [Int(0, None)],
}


def cosine_dictionary(n_features, n_components=None):
    """Overcomplete cosines, atoms of norm 1: a constant, then ever faster oscillations, with their means removed.

    Parameters
    ----------
    n_features : int
    n_components : int or None, default=None
        Number of atoms; None means twice the number of features. With as many atoms as features they are orthonormal.
    """
    k = 2 * n_features if n_components is None else n_components
    D = np.cos(np.pi * np.arange(k)[:, None] * (np.arange(n_features) + 0.5) / k)
    D[1:] -= D[1:].mean(axis=1, keepdims=True)
    norms = np.linalg.norm(D, axis=1, keepdims=True)
    return D[norms[:, 0] > 1e-10] / norms[norms[:, 0] > 1e-10]


FIXED = {"cosine": cosine_dictionary, "identity": np.eye}


def refuse_positive(algorithm, positive):
    """Refuse a sign constraint where the method has none."""
    if positive and algorithm in ("omp", "lars"):
        raise ValueError(f"Positive constraint not supported for {algorithm!r} coding method.")


def lasso_codes(gram, products, squares, alpha, *, positive=False, exact=True, max_iter=1000, start=None):
    """Lasso codes of many signals from cross-products, and the number of signals that did not converge."""
    codes = np.zeros_like(products) if start is None else np.array(start, dtype=np.float64, order="C")
    failed = native.decomposition.lasso_codes(
        gram, products, squares, float(alpha), positive, exact, _CD_TOL, max(1, max_iter), codes
    )
    return codes, failed


def _lars_codes(gram, products, n_nonzero):
    """Codes after `n_nonzero` steps of least-angle regression."""
    from statlearn.linear import lars_path_gram

    codes = np.zeros_like(products)
    for code, product in zip(codes, products):
        if np.any(product):
            code[:] = lars_path_gram(product, gram, n_samples=len(product), max_iter=n_nonzero, method="lar")[2][:, -1]
    return codes


def encode(X, dictionary, algorithm, *, n_nonzero=None, alpha=None, gram=None, products=None, start=None, max_iter=1000,
           positive=False, quiet=False):  # fmt: skip
    """Codes as float64, for checked arguments."""
    refuse_positive(algorithm, positive)
    D = np.ascontiguousarray(dictionary, np.float64)
    signals = np.ascontiguousarray(X, np.float64)
    k, p = D.shape
    computed = products is not None
    products = np.ascontiguousarray(products if computed else signals @ D.T, np.float64)
    if algorithm == "threshold":
        level = 1.0 if alpha is None else alpha
        codes = np.sign(products) * np.maximum(np.abs(products) - level, 0.0)
        return np.maximum(codes, 0.0) if positive else codes
    gram = np.ascontiguousarray(D @ D.T if gram is None else gram, np.float64)
    squares = np.einsum("ij,ij->i", signals, signals)
    if algorithm in ("omp", "lars"):
        count = int(min(max(p / 10, 1), k)) if n_nonzero is None else min(int(n_nonzero), k)
        if algorithm == "lars":
            return _lars_codes(gram, products, count)
        limit, tol = (k, float(alpha)) if alpha is not None else (count, -1.0)
        codes = np.empty_like(products) if computed else products  # overwrites data that are no longer needed
        early = native.common.omp_codes(gram, products, squares, limit, tol, codes, np.empty(len(codes), np.int32))
        if early and not quiet:
            warn(
                f"Orthogonal matching pursuit ended early for {early} of {len(X)} signals: their residual is zero or "
                "the next atom depends linearly on the chosen ones. The requested precision or number of atoms was not "
                "reached.",
                RuntimeWarning,
            )
        return codes
    codes, failed = lasso_codes(
        gram,
        products,
        squares,
        1.0 if alpha is None else alpha,
        positive=positive,
        exact=algorithm == "lasso_lars",
        max_iter=max_iter,
        start=start,
    )
    if failed and algorithm == "lasso_cd":
        warn(
            f"lasso_cd did not converge for {failed} of {len(X)} signals. Increase max_iter, or use lasso_lars.",
            ConvergenceWarning,
        )
    return codes


def sparse_encode(
    X,
    dictionary,
    *,
    gram=None,
    cov=None,
    algorithm="lasso_lars",
    n_nonzero_coefs=None,
    alpha=None,
    copy_cov=True,
    init=None,
    max_iter=1000,
    n_jobs=None,
    check_input=True,
    verbose=0,
    positive=False,
):
    r"""Sparse codes of signals over a dictionary.

    For each row x of X and a dictionary D (one atom per row), "omp" minimises :math:`\lVert x - D^\top c \rVert^2`
    greedily with at most `n_nonzero_coefs` atoms, or until it is at most `alpha`. The lasso algorithms minimise
    :math:`\tfrac12 \lVert x - D^\top c \rVert^2 + \alpha \lVert c \rVert_1`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        One signal per row.
    dictionary : array-like of shape (n_components, n_features)
        One atom per row; unit norms are recommended, since "omp" and "threshold" compare inner products.
    gram : array-like of shape (n_components, n_components) or None, default=None
        D D', if known.
    cov : array-like of shape (n_components, n_samples) or None, default=None
        D X', if known.
    algorithm : {"lasso_lars", "lasso_cd", "lars", "omp", "threshold"}, default="lasso_lars"
        "lasso_lars" is exact, "lasso_cd" stops at a duality gap of 1e-4 times the squared norm of the signal. "lars" is
        the least-angle path after `n_nonzero_coefs` steps. "threshold" shrinks D x by `alpha`.
    n_nonzero_coefs : int or None, default=None
        Number of atoms of "lars" and "omp"; None means a tenth of the features, at least 1.
    alpha : float or None, default=None
        Penalty or threshold, 1 if None. For "omp" the target for the squared error, which overrides `n_nonzero_coefs`.
    copy_cov : bool, default=True
        Accepted for compatibility. `cov` is never modified.
    init : array-like of shape (n_samples, n_components) or None, default=None
        Initial codes of the lasso algorithms.
    max_iter : int, default=1000
        Maximum number of passes of "lasso_cd".
    n_jobs : int or None, default=None
        Maximum number of threads; None uses all.
    check_input : bool, default=True
        Whether to check the arrays.
    verbose : int, default=0
        Accepted for compatibility.
    positive : bool, default=False
        Whether codes must not be negative; not for "lars" and "omp".

    Returns
    -------
    codes : ndarray of shape (n_samples, n_components)

    See Also
    --------
    SparseCoder, matching_pursuit, statlearn.linear.orthogonal_mp

    Examples
    --------
    >>> from statlearn.decomposition import sparse_encode
    >>> sparse_encode([[3.0, 0.5]], [[1.0, 0.0], [0.0, 1.0]], alpha=1.0)
    array([[2., 0.]])
    """
    check_arguments(
        sparse_encode,
        algorithm=(algorithm, [Options(*ALGORITHMS)]),
        n_nonzero_coefs=(n_nonzero_coefs, [Int(1, None), None]),
        alpha=(alpha, [Real(0, None), None]),
        max_iter=(max_iter, [Int(0, None)]),
        positive=(positive, ["boolean"]),
    )
    if check_input:
        X = check_array(X, dtype=FLOATS, input_name="X")
        dictionary = check_array(dictionary, dtype=FLOATS, input_name="dictionary")
    else:
        X, dictionary = np.asarray(X), np.asarray(dictionary)
    if dictionary.shape[1] != X.shape[1]:
        raise ValueError(
            f"Dictionary and X have different numbers of features: {dictionary.shape[1]} and {X.shape[1]}."
        )
    with jobs(n_jobs):
        codes = encode(
            X,
            dictionary,
            algorithm,
            n_nonzero=n_nonzero_coefs,
            alpha=alpha,
            gram=gram,
            products=None if cov is None else np.asarray(cov).T,
            start=init,
            max_iter=max_iter,
            positive=positive,
        )
    return codes.astype(X.dtype, copy=False)


class SparseCodingMixin(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """`transform` and its inverse for an estimator with a dictionary."""

    def _encode(self, X, dictionary):
        alpha = self.transform_alpha
        if alpha is None and self.transform_algorithm != "omp":
            alpha = getattr(self, "alpha", None)
        with jobs(self.n_jobs):
            codes = encode(
                X,
                dictionary,
                self.transform_algorithm,
                n_nonzero=self._n_atoms(dictionary),
                alpha=alpha,
                max_iter=self.transform_max_iter,
                positive=self.positive_code,
            )
        if self.split_sign:
            codes = np.hstack([np.maximum(codes, 0.0), -np.minimum(codes, 0.0)])
        return codes.astype(X.dtype, copy=False)

    def _n_atoms(self, dictionary):
        """Number of atoms of a code, None for the default."""
        return self.transform_n_nonzero_coefs

    def _decode(self, codes, dictionary):
        codes = check_array(codes, dtype=FLOATS, input_name="X")
        expected = dictionary.shape[0] * (2 if self.split_sign else 1)
        if codes.shape[1] != expected:
            raise ValueError(
                "The number of components in the code is different from the number of components in the dictionary. "
                f"Expected {expected}, got {codes.shape[1]}."
            )
        if self.split_sign:
            half = expected // 2
            codes = codes[:, :half] - codes[:, half:]
        return codes @ dictionary

    def transform(self, X):
        """Sparse codes of signals.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        codes : ndarray of shape (n_samples, n_components), with `split_sign` twice as many columns
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        return self._encode(X, self.components_)

    def inverse_transform(self, X):
        """Signals of given codes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return self._decode(X, self.components_)

    @property
    def _n_features_out(self):
        return self.components_.shape[0] * (2 if self.split_sign else 1)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class SparseCoder(SparseCodingMixin, BaseEstimator):
    r"""Sparse coding over a fixed dictionary.

    Each row x is coded as :math:`x \approx D^\top c` with few non-zero entries in c; see :func:`sparse_encode` for the
    objectives. `fit` learns nothing.

    Parameters
    ----------
    dictionary : array-like of shape (n_components, n_features), or str, default="cosine"
        One atom per row; unit norms are recommended. "cosine" means twice as many cosine waves as the signals have
        entries, "identity" the unit vectors. The name of a wavelet ("haar", "db1" to "db38", "sym2" to "sym20", "coif1"
        to "coif17") means the rows of :attr:`statlearn.smooth.WaveletBasis.components_` (extra ``wavelet``).
    transform_algorithm : {"lasso_lars", "lasso_cd", "lars", "omp", "threshold"}, default="omp"
        Method; see :func:`sparse_encode`.
    transform_n_nonzero_coefs : int or None, default=None
        Number of atoms of "lars" and "omp"; None means a tenth of the features, at least 1.
    transform_alpha : float or None, default=None
        Penalty or threshold, 1 if None. For "omp" the target for the squared error of a signal, which overrides
        `transform_n_nonzero_coefs`.
    split_sign : bool, default=False
        Whether to return the positive and the negative parts of the codes side by side.
    n_jobs : int or None, default=None
        Maximum number of threads; None uses all.
    positive_code : bool, default=False
        Whether codes must not be negative; not for "lars" and "omp".
    transform_max_iter : int, default=1000
        Maximum number of passes of "lasso_cd".

    Attributes
    ----------
    n_components_ : int
        Number of atoms.
    components_ : ndarray of shape (n_components_, n_features)
        The atoms.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    DictionaryLearning, KSVD, OnlineDictionaryLearning : learn the dictionary.

    References
    ----------
    Mallat & Zhang (1993), Matching pursuits with time-frequency dictionaries.
    Rubinstein, Zibulevsky & Elad (2008), Efficient implementation of the K-SVD algorithm using batch OMP.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decomposition import SparseCoder
    >>> D = np.eye(3)
    >>> SparseCoder(D, transform_n_nonzero_coefs=1).transform([[0.1, 2.0, 0.3]])
    array([[0., 2., 0.]])
    """

    _constraints = {"dictionary": [Options(*FIXED), WaveletName(), "array-like"], **CODING_RULES}

    def __init__(
        self,
        dictionary="cosine",
        *,
        transform_algorithm="omp",
        transform_n_nonzero_coefs=None,
        transform_alpha=None,
        split_sign=False,
        n_jobs=None,
        positive_code=False,
        transform_max_iter=1000,
    ):
        self.dictionary = dictionary
        self.transform_algorithm = transform_algorithm
        self.transform_n_nonzero_coefs = transform_n_nonzero_coefs
        self.transform_alpha = transform_alpha
        self.split_sign = split_sign
        self.n_jobs = n_jobs
        self.positive_code = positive_code
        self.transform_max_iter = transform_max_iter

    def fit(self, X, y=None):
        """Check the parameters and the data.

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
        self.n_components_ = self._atoms(X).shape[0]
        return self

    def _atoms(self, X=None):
        """The atoms, checked against the length of the rows of X."""
        if isinstance(self.dictionary, str):
            p = X.shape[1] if X is not None else getattr(self, "n_features_in_", None)
            if p is None:
                raise NotFittedError(f"dictionary={self.dictionary!r} has no atoms before `fit`.")
            return FIXED[self.dictionary](p) if self.dictionary in FIXED else wavelet_matrix(self.dictionary, p)
        D = check_array(self.dictionary, dtype=FLOATS, input_name="dictionary")
        if X is not None and X.shape[1] != D.shape[1]:
            raise ValueError(
                f"Dictionary and X have different numbers of features: dictionary.shape: {D.shape} X.shape: {X.shape}."
            )
        return D

    def transform(self, X, y=None):
        """Sparse codes of signals.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        codes : ndarray of shape (n_samples, n_components), with `split_sign` twice as many columns
        """
        check_params(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        return self._encode(X, self._atoms(X))

    def inverse_transform(self, X):
        """Signals of given codes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        return self._decode(X, self._atoms())

    @property
    def components_(self):
        """The atoms."""
        return self._atoms()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags
