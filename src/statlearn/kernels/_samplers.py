"""Random and sampled features that approximate particular kernels."""

import numpy as np
from scipy import sparse
from scipy.fft import irfft, rfft
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.blas import single_blas_thread
from statlearn._core.memory import require_memory
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, require_finite, validate_data
from statlearn._math.linalg.sparse_arrays import stored_values, to_dense

_OUTPUT = ["float64", "float32"]


class _Sampler(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base class of samplers with a fixed number of features, which use only the shape of X."""

    _sparse = True

    @property
    def _n_features_out(self):
        return len(self.random_offset_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._sparse
        tags.transformer_tags.preserves_dtype = _OUTPUT
        return tags


def _cosines(projection, offset):
    """sqrt(2 / m) cos(projection + offset), in place."""
    projection += offset
    np.cos(projection, out=projection)
    projection *= projection.dtype.type(np.sqrt(2.0 / projection.shape[1]))
    return projection


class RBFSampler(_Sampler):
    r"""Random Fourier features of the Gaussian kernel :math:`\exp(-\gamma \lVert x - z \rVert^2)`.

    The features are :math:`\sqrt{2/m} \cos(w_j^\top x + b_j)` with :math:`w_j` normal with variance
    :math:`2\gamma` and :math:`b_j` uniform on :math:`[0, 2\pi]`; their inner products estimate the kernel without bias,
    with a standard error of at most about :math:`1 / \sqrt m`.

    Parameters
    ----------
    gamma : float or "scale", default=1.0
        Parameter of the kernel. "scale" means 1 / (n_features * X.var()).
    n_components : int, default=100
        The number of features m.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    random_weights_ : ndarray of shape (n_features, n_components)
        The vectors w, as columns.
    random_offset_ : ndarray of shape (n_components,)
        The offsets b.
    gamma_ : float
        Parameter of the kernel.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names of X, if it has any.

    See Also
    --------
    Nystroem : features that adapt to the data.

    References
    ----------
    Rahimi and Recht (2007), Random features for large-scale kernel machines.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.kernels import RBFSampler, rbf_kernel
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> Z = RBFSampler(gamma=0.2, n_components=5000, random_state=0).fit_transform(X)
    >>> bool(np.abs(Z @ Z.T - rbf_kernel(X, gamma=0.2)).max() < 0.1)
    True
    """

    _constraints = {
        "gamma": [Options("scale"), Real(0, None)],
        "n_components": [Int(1, None)],
        "random_state": ["random_state"],
    }

    def __init__(self, *, gamma=1.0, n_components=100, random_state=None):
        self.gamma = gamma
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X, y=None):
        """Draw the features.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS)
        random = check_random_state(self.random_state)
        self.gamma_ = self._scale(X) if isinstance(self.gamma, str) else float(self.gamma)
        weights = np.sqrt(2.0 * self.gamma_) * random.normal(size=(X.shape[1], self.n_components))
        self.random_weights_ = weights.astype(X.dtype, copy=False)
        self.random_offset_ = random.uniform(0, 2 * np.pi, size=self.n_components).astype(X.dtype, copy=False)
        return self

    @staticmethod
    def _scale(X):
        if sparse.issparse(X):
            variance = float((X.multiply(X)).mean() - X.mean() ** 2)
        else:
            variance = float(X.var(dtype=np.float64))
        return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0

    def transform(self, X):
        """Features of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features)

        Returns
        -------
        ndarray of shape (n_queries, n_components)
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS, reset=False)
        with single_blas_thread():  # the same bits for any number of threads
            projection = X @ self.random_weights_
        require_finite(projection)
        return _cosines(projection, self.random_offset_).astype(X.dtype, copy=False)


class SkewedChi2Sampler(_Sampler):
    r"""Random features of the skewed chi-squared kernel.

    .. math:: k(x, z) = \prod_j \frac{2 \sqrt{x_j + c} \sqrt{z_j + c}}{x_j + z_j + 2c}

    Parameters
    ----------
    skewedness : float, default=1.0
        The constant c.
    n_components : int, default=100
        Number of features.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    random_weights_ : ndarray of shape (n_features, n_components)
        Frequencies, drawn from a hyperbolic secant distribution.
    random_offset_ : ndarray of shape (n_components,)
        Offsets, uniform on [0, 2 pi].
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names of X, if it has any.

    See Also
    --------
    AdditiveChi2Sampler : features of the additive chi-squared kernel.

    References
    ----------
    Li, Ionescu and Sminchisescu (2010), Random Fourier approximations for skewed multiplicative histogram kernels.

    Examples
    --------
    >>> from statlearn.kernels import SkewedChi2Sampler
    >>> SkewedChi2Sampler(n_components=10, random_state=0).fit_transform([[0.0, 1.0], [1.0, 1.0]]).shape
    (2, 10)
    """

    _sparse = False
    _constraints = {
        "skewedness": [Real(None, None)],
        "n_components": [Int(1, None)],
        "random_state": ["random_state"],
    }

    def __init__(self, *, skewedness=1.0, n_components=100, random_state=None):
        self.skewedness = skewedness
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X, y=None):
        """Draw the features.

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
        random = check_random_state(self.random_state)
        uniform = random.uniform(size=(X.shape[1], self.n_components))
        weights = np.log(np.tan(np.pi / 2 * uniform)) / np.pi  # the inverse distribution function of sech
        self.random_weights_ = weights.astype(X.dtype, copy=False)
        self.random_offset_ = random.uniform(0, 2 * np.pi, size=self.n_components).astype(X.dtype, copy=False)
        return self

    def transform(self, X):
        """Features of rows.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            All entries must exceed -`skewedness`.

        Returns
        -------
        ndarray of shape (n_queries, n_components)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        if np.any(-self.skewedness >= X):
            raise ValueError("X may not contain entries smaller than -skewedness.")
        with single_blas_thread():
            projection = np.log(X + X.dtype.type(self.skewedness)) @ self.random_weights_
        return _cosines(projection, self.random_offset_).astype(X.dtype, copy=False)


class AdditiveChi2Sampler(TransformerMixin, BaseEstimator):
    r"""Features of the additive chi-squared kernel :math:`\sum_j 2 x_j z_j / (x_j + z_j)` of non-negative rows.

    The Fourier transform of the kernel is sampled at regular frequencies: every column gives
    :math:`2 \cdot \text{sample\_steps} - 1` features, and zeros remain zeros.

    Parameters
    ----------
    sample_steps : int, default=2
        Number of frequencies. More are more accurate.
    sample_interval : float or None, default=None
        Distance of the frequencies. None means 0.8, 0.5 or 0.4 for 1, 2 or 3 steps, and must be set for more.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names of X, if it has any.

    See Also
    --------
    additive_chi2_kernel : conditionally positive definite relative, :math:`-\sum_j (x_j - z_j)^2 / (x_j + z_j)`.

    Notes
    -----
    The two kernels differ by a term for each row: :math:`2xz/(x + z) = (x + z)/2 - (x - z)^2 / (2(x + z))`.

    References
    ----------
    Vedaldi and Zisserman (2012), Efficient additive kernels via explicit feature maps.

    Examples
    --------
    >>> from statlearn.kernels import AdditiveChi2Sampler
    >>> Z = AdditiveChi2Sampler(sample_steps=3).fit_transform([[1.0], [2.0]])
    >>> (Z @ Z.T).round(2)  # exactly 1, 4/3 and 2
    array([[0.95, 1.29],
           [1.29, 1.9 ]])
    """

    _constraints = {"sample_steps": [Int(1, 10_000)], "sample_interval": [Real(0, None, closed="neither"), None]}

    def __init__(self, *, sample_steps=2, sample_interval=None):
        self.sample_steps = sample_steps
        self.sample_interval = sample_interval

    def fit(self, X, y=None):
        """Check the parameters and the columns.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        validate_data(self, X, accept_sparse="csr", dtype=FLOATS, ensure_non_negative=True)
        self._interval()
        return self

    def _interval(self):
        if self.sample_interval is not None:
            return float(self.sample_interval)
        if self.sample_steps not in (1, 2, 3):
            raise ValueError("If sample_steps is not in [1, 2, 3], you need to provide sample_interval.")
        return {1: 0.8, 2: 0.5, 3: 0.4}[self.sample_steps]

    def transform(self, X):
        """Features of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features)

        Returns
        -------
        ndarray or sparse matrix of shape (n_queries, n_features * (2 * sample_steps - 1))
            Sparse if X is sparse.
        """
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS, ensure_non_negative=True, reset=False)
        values = stored_values(X)
        parts = self._features(values)
        if sparse.issparse(X):
            blocks = [sparse.csr_matrix((part, X.indices, X.indptr), shape=X.shape) for part in parts]
            return sparse.hstack(blocks, format="csr", dtype=X.dtype)
        return np.hstack(parts)

    def _features(self, values):
        interval = self._interval()
        self._require_memory(values.nbytes)
        positive = values > 0
        logs = np.log(np.where(positive, values, 1.0)).astype(values.dtype, copy=False)
        parts = [np.sqrt(values * values.dtype.type(interval))]
        for step in range(1, self.sample_steps):
            size = np.sqrt(values * values.dtype.type(2 * interval / np.cosh(np.pi * step * interval)))
            angle = values.dtype.type(step * interval) * logs
            parts += [size * np.cos(angle), size * np.sin(angle)]
        return parts

    def _require_memory(self, size_of_one):
        require_memory(
            size_of_one * (2 * self.sample_steps - 1),
            f"the features of `sample_steps`={self.sample_steps:,}",
            "Reduce `sample_steps`, or transform fewer rows at a time.",
        )

    def get_feature_names_out(self, input_features=None):
        """Names of the features: the column's, its frequency, and whether it is a cosine or a sine.

        Parameters
        ----------
        input_features : array-like of str or None, default=None

        Returns
        -------
        ndarray of str objects
        """
        from sklearn.utils.validation import _check_feature_names_in

        check_is_fitted(self, "n_features_in_")
        self._require_memory(100 * self.n_features_in_)
        names = _check_feature_names_in(self, input_features, generate_names=True)
        owner = type(self).__name__.lower()
        labels = [f"{owner}_{name}_sqrt" for name in names]
        for step in range(1, self.sample_steps):
            labels += [f"{owner}_{name}_cos{step}" for name in names]
            labels += [f"{owner}_{name}_sin{step}" for name in names]
        return np.asarray(labels, dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = _OUTPUT
        return tags


class PolynomialCountSketch(_Sampler):
    r"""Random features of the polynomial kernel :math:`(\gamma \langle x, z \rangle + c)^d` by tensor sketch.

    Each of d hash functions adds the columns, with random signs, into m buckets; the features are the circular
    convolution of the d results, computed by the fast Fourier transform. Their inner products estimate the kernel
    without bias.

    Parameters
    ----------
    gamma : float, default=1.0
    degree : int, default=2
        The degree d.
    coef0 : float, default=0.0
        The constant c, non-negative.
    n_components : int, default=100
        The number of features m; a power of two is fastest.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    indexHash_ : ndarray of shape (degree, n_features)
        Bucket of each column, with one more column if `coef0` is not 0.
    bitHash_ : ndarray of shape (degree, n_features)
        Signs.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names of X, if it has any.

    References
    ----------
    Pham and Pagh (2013), Fast and scalable polynomial kernels via explicit feature maps.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.kernels import PolynomialCountSketch, polynomial_kernel
    >>> X = np.random.default_rng(0).normal(size=(20, 5))
    >>> Z = PolynomialCountSketch(degree=2, n_components=4096, random_state=0).fit_transform(X)
    >>> K = polynomial_kernel(X, degree=2, gamma=1.0, coef0=0.0)
    >>> bool(np.linalg.norm(Z @ Z.T - K) < 0.1 * np.linalg.norm(K))
    True
    """

    _constraints = {
        "gamma": [Real(0, None)],
        "degree": [Int(1, 10_000)],
        "coef0": [Real(0, None)],
        "n_components": [Int(1, None)],
        "random_state": ["random_state"],
    }

    def __init__(self, *, gamma=1.0, degree=2, coef0=0.0, n_components=100, random_state=None):
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X, y=None):
        """Draw the hash functions.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS)
        random = check_random_state(self.random_state)
        columns = X.shape[1] + (self.coef0 != 0)
        self.indexHash_ = random.randint(0, high=self.n_components, size=(self.degree, columns))
        self.bitHash_ = random.choice(a=[-1, 1], size=(self.degree, columns))
        return self

    def transform(self, X):
        """Features of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features)

        Returns
        -------
        ndarray of shape (n_queries, n_components)
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS, reset=False)
        dtype, m = X.dtype, self.n_components
        p = self.n_features_in_
        product = None
        for buckets, signs in zip(self.indexHash_, self.bitHash_):
            # A hash function is a sparse matrix with one sign per column.
            values = (np.sqrt(self.gamma) * signs[:p]).astype(dtype)
            sketch = X @ sparse.csr_matrix((values, (np.arange(p), buckets[:p])), shape=(p, m))
            sketch = np.asarray(to_dense(sketch))
            if len(buckets) > p:
                sketch[:, buckets[p]] += dtype.type(np.sqrt(self.coef0) * signs[p])
            spectrum = rfft(sketch, axis=1)
            product = spectrum if product is None else product * spectrum
        require_finite(product)
        return irfft(product, n=m, axis=1).astype(dtype, copy=False)

    @property
    def _n_features_out(self):
        if not hasattr(self, "indexHash_"):
            raise AttributeError("_n_features_out")  # not fitted
        return self.n_components
