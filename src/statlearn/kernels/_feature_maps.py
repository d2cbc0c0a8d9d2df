"""Explicit feature maps whose inner products are kernels."""

import math
from itertools import combinations_with_replacement

import numpy as np

from statlearn._core.memory import require_memory
from statlearn._core.params import Int, Real, check_arguments
from statlearn._core.validation import FLOATS, check_array, naming


def poly_feature_dim(n_features, degree=2, coef0=1.0):
    r"""Number of features of :func:`poly_feature_map`.

    :math:`\binom{p + d}{d}` for c > 0 (all monomials up to order d), :math:`\binom{p + d - 1}{d}` for c = 0 (those of
    order d).

    Parameters
    ----------
    n_features : int
        The number of columns p.
    degree : int, default=2
        The degree d.
    coef0 : float, default=1.0
        The constant c.

    Returns
    -------
    int

    Examples
    --------
    >>> from statlearn.kernels import poly_feature_dim
    >>> poly_feature_dim(2, 2), poly_feature_dim(2, 2, coef0=0.0), poly_feature_dim(256, 5)
    (6, 3, 9711475137)
    """
    check_arguments(
        poly_feature_dim,
        n_features=(n_features, [Int(1, None)]),
        degree=(degree, [Int(0, None)]),
        coef0=(coef0, [Real(0, None)]),
    )
    return math.comb(n_features + degree - (0 if coef0 > 0 else 1), degree)


def poly_feature_map(X, degree=2, *, gamma=1.0, coef0=1.0):
    r"""Explicit features of the polynomial kernel :math:`(\gamma \langle x, z \rangle + c)^d`.

    The feature of a monomial with exponents :math:`a_1, \ldots, a_p` and order :math:`k = \sum_j a_j` is

    .. math:: \sqrt{\frac{d!}{(d - k)! \, a_1! \cdots a_p!} \, c^{d - k} \gamma^k} \; x_1^{a_1} \cdots x_p^{a_p}

    For two columns, d = 2 and c = 1 it is :math:`(1, \sqrt2 x_1, \sqrt2 x_2, x_1^2, \sqrt2 x_1 x_2, x_2^2)`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    degree : int, default=2
    gamma : float, default=1.0
    coef0 : float, default=1.0
        The constant c; 0 keeps only the monomials of order d.

    Returns
    -------
    ndarray of shape (n_samples, n_outputs)
        Monomials by increasing order, within an order as scikit-learn's `PolynomialFeatures` has them.

    See Also
    --------
    poly_feature_dim : their number.

    Notes
    -----
    The number of features grows like :math:`p^d / d!`; the kernel has the same inner products at a cost of p.

    Examples
    --------
    >>> from statlearn.kernels import poly_feature_map
    >>> poly_feature_map([[1.0, 2.0]]).round(3)
    array([[1.   , 1.414, 2.828, 1.   , 2.828, 4.   ]])
    """
    check_arguments(
        poly_feature_map,
        degree=(degree, [Int(0, None)]),
        gamma=(gamma, [Real(0, None)]),
        coef0=(coef0, [Real(0, None)]),
    )
    with naming("X"):
        X = check_array(X, dtype=FLOATS, input_name="X")
    n, p = X.shape
    count = poly_feature_dim(p, int(degree), coef0)
    require_memory(
        n * count * X.dtype.itemsize,
        f"A map to {count:,} features",
        "Use polynomial_kernel or PolynomialCountSketch instead.",
    )
    features = np.empty((n, count), dtype=X.dtype)
    column = 0
    for order in range(0 if coef0 > 0 else degree, degree + 1):
        for chosen in combinations_with_replacement(range(p), order):
            exponents = np.bincount(chosen, minlength=1) if chosen else ()
            ways = math.factorial(degree) // math.factorial(degree - order)
            for exponent in exponents:
                ways //= math.factorial(int(exponent))
            scale = math.sqrt(ways * float(coef0) ** (degree - order) * float(gamma) ** order)
            features[:, column] = scale * np.prod(X[:, list(chosen)], axis=1)
            column += 1
    return features


def gaussian_taylor_map(x, n_terms=30, *, sigma=1.0):
    r"""Truncated features of the Gaussian kernel of one variable.

    .. math:: \varphi_k(x) = \frac{e^{-x^2 / (2 \sigma^2)} x^k}{\sigma^k \sqrt{k!}}, \quad k = 0, \ldots, K - 1

    Their inner products converge to :math:`\exp(-(x - z)^2 / (2 \sigma^2))` as K grows.

    Parameters
    ----------
    x : array-like of shape (n_samples,) or (n_samples, 1)
    n_terms : int, default=30
        The number of features K. The values of x within :math:`\sigma \sqrt K` of 0, roughly, are represented well.
    sigma : float, default=1.0

    Returns
    -------
    ndarray of shape (n_samples, n_terms)

    Notes
    -----
    The kernel :math:`\exp(-(x - z)^2)` is ``sigma = 1 / sqrt(2)``, whose features carry :math:`\sqrt{2^k / k!}`.

    Examples
    --------
    >>> from statlearn.kernels import gaussian_taylor_map
    >>> a, b = gaussian_taylor_map([0.7, -0.4])
    >>> round(float(a @ b), 7)
    0.5460744
    """
    check_arguments(
        gaussian_taylor_map,
        n_terms=(n_terms, [Int(1, None)]),
        sigma=(sigma, [Real(0, None, closed="neither")]),
    )
    with naming("x"):
        x = check_array(x, dtype=FLOATS, ensure_2d=False, input_name="x")
    if x.ndim > 2 or (x.ndim == 2 and x.shape[1] != 1):
        raise ValueError(f"x must have one column, got shape {x.shape}.")
    scaled = x.ravel() / float(sigma)
    features = np.empty((len(scaled), n_terms), dtype=x.dtype)
    # The size of the k-th feature on the log scale: neither the power nor the factorial overflows.
    with np.errstate(divide="ignore"):
        logs = np.log(np.abs(scaled))
    for k in range(n_terms):
        power = np.zeros_like(scaled) if k == 0 else k * logs
        size = np.exp(power - scaled**2 / 2 - math.lgamma(k + 1) / 2)
        features[:, k] = size if k % 2 == 0 else np.sign(scaled) * size
    return features
