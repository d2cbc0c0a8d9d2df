"""Wavelet coefficients of signals."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from statlearn._core.names import input_names
from statlearn._core.params import Int, check_params
from statlearn._core.validation import FLOATS, validate_columns
from statlearn._math.linalg.wavelets import (
    WaveletName,
    decompose,
    default_level,
    import_pywt,
    possible_level,
    reconstruct,
    wavelet_matrix,
)


def chosen_level(level, wavelet, n, what):
    """The given number of levels if n entries can be halved that often, the default level for None."""
    if level is None:
        return default_level(wavelet, n)
    if level > possible_level(n):
        raise ValueError(
            f"`level`={level} must be at most {possible_level(n)}: {what} has {n} entries, which can be halved "
            f"{possible_level(n)} times. Use a smaller level, or a length that is a multiple of {2 ** min(level, 60)}."
        )
    return level


class WaveletBasis(TransformerMixin, BaseEstimator):
    r"""Orthonormal wavelet basis: each row of X is a signal, and becomes its wavelet coefficients.

    With the orthonormal matrix W, whose rows are the basis functions on p equally spaced points, a row x becomes
    :math:`Wx`, and :math:`x = W^\top (Wx)`. Lengths and inner products are preserved. The first coefficients are
    averages at the coarsest scale, followed by details from coarse to fine.

    Parameters
    ----------
    wavelet : str, default="haar"
        "haar", "db1" to "db38" (Daubechies), "sym2" to "sym20" (symlets) or "coif1" to "coif17" (coiflets).
    level : int or None, default=None
        Number of halvings. None means as many as the length of the signals and of the filter allow, PyWavelets'
        default. A length that is not even cannot be halved: the coefficients are the signal itself.

    Attributes
    ----------
    level_ : int
        Number of halvings.
    wavelet_ : str
        The wavelet.
    components_ : ndarray of shape (n_features, n_features)
        The basis functions, one per row: the orthonormal matrix W, computed when it is read.
    n_features_in_ : int
        Length of the signals.
    feature_names_in_ : ndarray of str

    Notes
    -----
    Signals are continued periodically, so a jump between the last and the first entry yields large coefficients at the
    ends. Filters and transforms are those of PyWavelets (``pip install 'statlearn[wavelet]'``); the coefficients equal
    ``pywt.wavedec(x, wavelet, mode="periodization")``. A transform costs O(p) per signal. The filters of the symlets
    are known to PyWavelets with eleven digits, the others to machine precision.

    As features of a linear model all coefficients are equivalent to the signal. They are useful if few of them
    describe it: select some, shrink them, or penalise them with the lasso.

    See Also
    --------
    WaveletSmoother : a curve by shrinkage of its coefficients.
    statlearn.decomposition.SparseCoder : codes over a wavelet dictionary.

    References
    ----------
    Daubechies, I. (1992). *Ten Lectures on Wavelets*. SIAM.

    Hastie, T., Tibshirani, R. and Friedman, J. (2009). *The Elements of Statistical Learning*, 2nd ed., section 5.9.

    Examples
    --------
    >>> from statlearn.smooth import WaveletBasis
    >>> WaveletBasis("haar").fit_transform([[1.0, 2.0, 3.0, 4.0]]).round(4)
    array([[ 5.    , -2.    , -0.7071, -0.7071]])
    """

    _constraints = {"wavelet": [WaveletName()], "level": [Int(0, 60), None]}

    def __init__(self, wavelet="haar", *, level=None):
        self.wavelet = wavelet
        self.level = level

    def fit(self, X, y=None):
        """Read the length of the signals.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            A signal per row.
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        import_pywt()
        X = validate_columns(self, X, dtype=FLOATS)
        self.level_ = chosen_level(self.level, self.wavelet, X.shape[1], "a row of X")
        self.wavelet_ = self.wavelet
        return self

    def _check_state(self):
        if hasattr(self, "level_") and not 0 <= self.level_ <= possible_level(self.n_features_in_):
            raise ValueError(f"`level_`={self.level_} must be at most {possible_level(self.n_features_in_)}.")

    def transform(self, X):
        """Wavelet coefficients of signals.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = validate_columns(self, X, dtype=FLOATS, reset=False)
        return decompose(X, self.wavelet_, self.level_)

    def inverse_transform(self, X):
        """Signals of given coefficients.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = check_array(X, dtype=FLOATS, input_name="X")
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X must have {self.n_features_in_} coefficients per row, got {X.shape[1]}.")
        return reconstruct(X, self.wavelet_, self.level_)

    @property
    def components_(self):
        """The basis functions, one per row: the orthonormal matrix W."""
        check_is_fitted(self)
        return wavelet_matrix(self.wavelet_, self.n_features_in_, self.level_)

    def get_feature_names_out(self, input_features=None):
        """Names of the coefficients: the kind, the level counted from the finest, and the position.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Checked only.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        input_names(self, input_features)
        size = self.n_features_in_ >> self.level_
        names = [f"average{self.level_}_{k}" for k in range(size)]
        for level in range(self.level_, 0, -1):
            names += [f"detail{level}_{k}" for k in range(self.n_features_in_ >> level)]
        return np.asarray(names, dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
