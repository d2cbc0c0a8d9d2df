"""Elementwise functions with their domains and inverses."""

import numpy as np
from scipy.special import expit, logit
from sklearn import preprocessing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from statlearn._core.frames import refuse_repeated_names
from statlearn._core.params import Instance, Options, Real, check_params
from statlearn._core.validation import FLOATS, refuse_no_rows, validate_data


def _everything(x):
    return np.ones(x.shape, dtype=bool)


def _positive(x):
    return x > 0


def _not_negative(x):
    return x >= 0


def _open_unit(x):
    return (x > 0) & (x < 1)


# Name: function, inverse, where it is defined, that in words, where the inverse is defined, that in words.
PRESETS = {
    "log": (np.log, np.exp, _positive, "above 0", _everything, ""),
    "exp": (np.exp, np.log, _everything, "", _positive, "above 0"),
    "logit": (logit, expit, _open_unit, "between 0 and 1", _everything, ""),
    "sqrt": (np.sqrt, np.square, _not_negative, "of at least 0", _not_negative, "of at least 0"),
}


def power_preset(exponent):
    """One-to-one power function: odd integer powers on the line, other positive ones from 0, negative ones above 0."""
    if exponent > 0 and exponent % 2 == 1:
        forth = lambda x: np.power(x, exponent)  # noqa: E731
        back = lambda x: np.sign(x) * np.abs(x) ** (1 / exponent)  # noqa: E731
        return forth, back, _everything, "", _everything, ""
    domain, words = (_not_negative, "of at least 0") if exponent > 0 else (_positive, "above 0")
    return (lambda x: np.power(x, exponent)), (lambda x: np.power(x, 1 / exponent)), domain, words, domain, words


def _names_columns(transformer):
    return isinstance(transformer.func, str) or transformer.feature_names_out is not None


class FunctionTransformer(preprocessing.FunctionTransformer):
    r"""Elementwise transformation by a preset with a domain and inverse, or by any function.

    Presets for `func`: "log", "exp", "logit" (:math:`\log x/(1-x)`), "sqrt", and "power" (:math:`x^{exponent}`). Values
    outside their domain raise a ValueError that names the column. The presets extend scikit-learn's class of the same
    name.

    Parameters
    ----------
    func : {"log", "exp", "logit", "sqrt", "power"}, callable or None, default=None
        Preset or function; None is the identity.
    inverse_func : callable or None, default=None
        Inverse of a function; presets have their own.
    validate : bool, default=False
        Whether to convert the input to a 2-d array before calling `func`; presets always do.
    accept_sparse : bool, default=False
        Whether `func` supports sparse matrices; presets do not.
    check_inverse : bool, default=True
        Whether to check that the inverse undoes the function; presets need no check.
    feature_names_out : callable, {"one-to-one"} or None, default=None
        Names of the output; presets keep the names.
    kw_args : dict or None, default=None
        Additional arguments of `func`.
    inv_kw_args : dict or None, default=None
        Additional arguments of `inverse_func`.
    exponent : float, default=2.0
        Exponent of "power". Odd integers allow any value, other positive exponents require values of at least 0, and
        negative ones values above 0, so that the inverse is unique.

    Attributes
    ----------
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Nothing is learned. Use logarithms for amounts that vary by factors, and logits for proportions. Zeros need a
    different treatment (their fraction is often informative). NaN passes through the presets.

    References
    ----------
    Tukey, J. W. (1977). *Exploratory Data Analysis*, chapter 3. Addison-Wesley.

    Examples
    --------
    >>> from statlearn.prep import FunctionTransformer
    >>> half = FunctionTransformer("power", exponent=0.5).fit([[4.0], [9.0]])
    >>> half.transform([[16.0]]).tolist(), half.inverse_transform([[4.0]]).tolist()
    ([[4.0]], [[16.0]])
    """

    _constraints = {
        "func": [Options("log", "exp", "logit", "sqrt", "power"), "callable", None],
        "inverse_func": ["callable", None],
        "validate": ["boolean"],
        "accept_sparse": ["boolean"],
        "check_inverse": ["boolean"],
        "feature_names_out": ["callable", Options("one-to-one"), None],
        "kw_args": [Instance(dict), None],
        "inv_kw_args": [Instance(dict), None],
        "exponent": [Real(None, 0, closed="neither"), Real(0, None, closed="neither")],
    }

    def __init__(
        self,
        func=None,
        inverse_func=None,
        *,
        validate=False,
        accept_sparse=False,
        check_inverse=True,
        feature_names_out=None,
        kw_args=None,
        inv_kw_args=None,
        exponent=2.0,
    ):
        super().__init__(
            func,
            inverse_func,
            validate=validate,
            accept_sparse=accept_sparse,
            check_inverse=check_inverse,
            feature_names_out=feature_names_out,
            kw_args=kw_args,
            inv_kw_args=inv_kw_args,
        )
        self.exponent = exponent

    def fit(self, X, y=None):
        """Check the parameters and, for a preset, the domain.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        if not isinstance(self.func, str):
            refuse_no_rows(X)
            refuse_repeated_names(X)
            return super().fit(X, y)
        self._apply(X, inverse=False, reset=True)
        return self

    def transform(self, X):
        """Apply the function to every value.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_features)
        """
        if not isinstance(self.func, str):
            return super().transform(X)
        check_is_fitted(self, "n_features_in_")
        return self._apply(X, inverse=False, reset=False)

    def inverse_transform(self, X):
        """Apply the inverse function to every value.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_features)
        """
        if not isinstance(self.func, str):
            return super().inverse_transform(X)
        check_is_fitted(self, "n_features_in_")
        return self._apply(X, inverse=True, reset=False)

    @available_if(_names_columns)
    def get_feature_names_out(self, input_features=None):
        """Names of the columns, which presets keep.

        Parameters
        ----------
        input_features : array-like of str or None, default=None

        Returns
        -------
        ndarray of str
        """
        if not isinstance(self.func, str):
            return super().get_feature_names_out(input_features)
        check_is_fitted(self, "n_features_in_")
        keeper = preprocessing.FunctionTransformer(feature_names_out="one-to-one")
        keeper.n_features_in_ = self.n_features_in_
        if hasattr(self, "feature_names_in_"):
            keeper.feature_names_in_ = self.feature_names_in_
        return keeper.get_feature_names_out(input_features)

    def _apply(self, X, *, inverse, reset):
        preset = power_preset(self.exponent) if self.func == "power" else PRESETS[self.func]
        forth, back, domain, words, image, image_words = preset
        if inverse:
            forth, domain, words = back, image, image_words
        X = validate_data(self, X, dtype=FLOATS, ensure_all_finite="allow-nan", reset=reset)
        what = f"The inverse of {self.func}" if inverse else self.func
        missing = np.isnan(X)
        self._refuse(X, ~(domain(X) | missing), f"{what} requires values {words}")
        with np.errstate(over="ignore"):
            out = forth(X)
        self._refuse(X, ~(np.isfinite(out) | missing), f"{what} overflows")
        return out

    def _refuse(self, X, wrong, why):
        """Raise an error that names the first wrong value."""
        if wrong.any():
            i, j = np.argwhere(wrong)[0]
            name = self.feature_names_in_[j] if hasattr(self, "feature_names_in_") else f"x{j}"
            raise ValueError(f"{why}, but column {name!r} of X contains {X[i, j]!r} in row {i}.")
