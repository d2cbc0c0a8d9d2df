"""Kernel functions of the rows of two tables."""

import math

import numpy as np
from scipy import sparse

from statlearn._core.params import Options, Real, check_arguments
from statlearn._math.linalg.sparse_arrays import stored_values

from ._evaluate import check_pair, evaluate

_GAMMA = [Real(0, None), None]
_POSITIVE = [Real(0, None, closed="neither"), None]
_ANY = [Real(None, None)]


def default_gamma(gamma, X):
    """`gamma`, or 1 / n_features if it is None."""
    return 1.0 / X.shape[1] if gamma is None else float(gamma)


def gaussian_gamma(gamma, sigma, c):
    """The gamma that is given in one of three ways, or None if none is given."""
    passed = [name for name, value in (("gamma", gamma), ("sigma", sigma), ("c", c)) if value is not None]
    if len(passed) > 1:
        raise ValueError(f"Set only one of `gamma`, `sigma` and `c`, got {' and '.join(f'`{g}`' for g in passed)}.")
    if sigma is not None:
        return _finite_gamma(1.0 / (2.0 * float(sigma) ** 2) if float(sigma) ** 2 > 0 else math.inf, "sigma", sigma)
    if c is not None:
        return _finite_gamma(1.0 / float(c), "c", c)
    return gamma


def laplacian_gamma(gamma, delta):
    """The gamma of the Laplacian kernel, given itself or as 1 / delta**2; None if neither is given."""
    if delta is None:
        return gamma
    if gamma is not None:
        raise ValueError("Set only one of `gamma` and `delta`.")
    return _finite_gamma(1.0 / float(delta) ** 2 if float(delta) ** 2 > 0 else math.inf, "delta", delta)


def _finite_gamma(gamma, name, value):
    if not math.isfinite(gamma):
        raise ValueError(f"`{name}`={value} is so small that the kernel is not a number; use a larger value.")
    return gamma


def refuse_negative(X, name="X"):
    """Raise an error if a table has negative entries."""
    values = stored_values(X)
    if values.size and values.min() < 0:
        raise ValueError(f"{name} contains negative values. This kernel requires non-negative values.")


def linear_kernel(X, Y=None, dense_output=True):
    r"""Linear kernel, the inner products :math:`\langle x, z \rangle`.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples_X, n_features)
    Y : {array-like, sparse matrix} of shape (n_samples_Y, n_features) or None, default=None
        None means X itself.
    dense_output : bool, default=True
        Whether the result is dense even if both tables are sparse.

    Returns
    -------
    ndarray or sparse matrix of shape (n_samples_X, n_samples_Y)

    Notes
    -----
    A linear kernel is useful only if every feature carries information by itself; on raw pixels it is weak.

    Examples
    --------
    >>> from statlearn.kernels import linear_kernel
    >>> linear_kernel([[1.0, 2.0], [3.0, 0.0]])
    array([[5., 3.],
           [3., 9.]])
    """
    check_arguments(linear_kernel, dense_output=(dense_output, ["boolean"]))
    X, Y = check_pair(X, Y)
    if not dense_output and sparse.issparse(X):
        return X @ (X if Y is None else Y).T
    return evaluate("linear", X, Y)


def cosine_similarity(X, Y=None, dense_output=True):
    r"""Cosine similarity :math:`\langle x, z \rangle / (\lVert x \rVert \, \lVert z \rVert)`.

    It is the linear kernel of rows scaled to length 1. The similarity to a row of zeros is 0.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples_X, n_features)
    Y : {array-like, sparse matrix} of shape (n_samples_Y, n_features) or None, default=None
        None means X itself.
    dense_output : bool, default=True
        Whether the result is dense even if both tables are sparse.

    Returns
    -------
    ndarray or sparse matrix of shape (n_samples_X, n_samples_Y)

    Examples
    --------
    >>> from statlearn.kernels import cosine_similarity
    >>> cosine_similarity([[3.0, 4.0], [0.0, 2.0], [0.0, 0.0]]).round(3)
    array([[1. , 0.8, 0. ],
           [0.8, 1. , 0. ],
           [0. , 0. , 0. ]])
    """
    check_arguments(cosine_similarity, dense_output=(dense_output, ["boolean"]))
    X, Y = check_pair(X, Y)
    if not dense_output and sparse.issparse(X):
        left = _unit_rows(X)
        return left @ (left if Y is None else _unit_rows(Y)).T
    return evaluate("cosine", X, Y)


def _unit_rows(X):
    lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel())
    scale = 1.0 / np.where(lengths > 0, lengths, 1.0)
    return sparse.diags_array(scale.astype(X.dtype)) @ X


cosine_kernel = cosine_similarity


def polynomial_kernel(X, Y=None, degree=3, gamma=None, coef0=1):
    r"""Polynomial kernel :math:`(\gamma \langle x, z \rangle + c)^d`.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples_X, n_features)
    Y : {array-like, sparse matrix} of shape (n_samples_Y, n_features) or None, default=None
        None means X itself.
    degree : float, default=3
        The power d. The kernel is positive semi-definite for whole powers and `coef0` >= 0.
    gamma : float or None, default=None
        Factor of the inner product. None means 1 / n_features.
    coef0 : float, default=1
        The constant c. A larger value gives relatively more weight to lower orders; 0 keeps order d only.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)

    See Also
    --------
    poly_feature_map : explicit features of this kernel.

    Examples
    --------
    >>> from statlearn.kernels import polynomial_kernel
    >>> polynomial_kernel([[1.0, 2.0]], [[0.5, -1.0]], degree=2, gamma=1.0)
    array([[0.25]])
    """
    check_arguments(polynomial_kernel, degree=(degree, [Real(0, None)]), gamma=(gamma, _GAMMA), coef0=(coef0, _ANY))
    X, Y = check_pair(X, Y)
    return evaluate("polynomial", X, Y, gamma=default_gamma(gamma, X), coef0=coef0, degree=degree)


def rbf_kernel(X, Y=None, gamma=None, *, sigma=None, c=None):
    r"""Gaussian (radial basis function) kernel :math:`\exp(-\gamma \lVert x - z \rVert^2)`.

    The width can be given in three ways, of which at most one may be used.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples_X, n_features)
    Y : {array-like, sparse matrix} of shape (n_samples_Y, n_features) or None, default=None
        None means X itself.
    gamma : float or None, default=None
        Factor of the squared distance. If none of the three is given, it is 1 / n_features.
    sigma : float or None, default=None
        Standard deviation: :math:`\exp(-\lVert x - z \rVert^2 / (2 \sigma^2))`.
    c : float or None, default=None
        Plain divisor: :math:`\exp(-\lVert x - z \rVert^2 / c)`.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)

    See Also
    --------
    median_heuristic : a default for sigma.

    Notes
    -----
    Books and programs differ by squares and factors of 2, so state which width you report. Scale the features first:
    the kernel treats a unit of every column alike.

    Squared distances are computed as :math:`\lVert x \rVert^2 + \lVert z \rVert^2 - 2 \langle x, z \rangle` of centred
    rows where this loses no digits that matter, and from differences otherwise; sparse rows are not centred.

    Examples
    --------
    >>> from statlearn.kernels import rbf_kernel
    >>> rbf_kernel([[0.0], [2.0]], sigma=2.0).round(4)
    array([[1.    , 0.6065],
           [0.6065, 1.    ]])
    """
    check_arguments(rbf_kernel, gamma=(gamma, _GAMMA), sigma=(sigma, _POSITIVE), c=(c, _POSITIVE))
    gamma = gaussian_gamma(gamma, sigma, c)
    X, Y = check_pair(X, Y)
    return evaluate("rbf", X, Y, gamma=default_gamma(gamma, X))


def laplacian_kernel(X, Y=None, gamma=None, *, norm="l1", delta=None):
    r"""Laplacian kernel :math:`\exp(-\gamma \lVert x - z \rVert)`.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples_X, n_features)
    Y : {array-like, sparse matrix} of shape (n_samples_Y, n_features) or None, default=None
        None means X itself.
    gamma : float or None, default=None
        Factor of the distance. None means 1 / n_features, unless `delta` is given.
    norm : {"l1", "l2"}, default="l1"
        Sum of absolute differences, or Euclidean distance.
    delta : float or None, default=None
        Alternative to `gamma`: :math:`\gamma = 1 / \delta^2`.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)

    Examples
    --------
    >>> from statlearn.kernels import laplacian_kernel
    >>> laplacian_kernel([[0.0, 0.0]], [[3.0, 4.0]], gamma=0.1).round(4)
    array([[0.4966]])
    >>> laplacian_kernel([[0.0, 0.0]], [[3.0, 4.0]], gamma=0.1, norm="l2").round(4)
    array([[0.6065]])
    """
    check_arguments(
        laplacian_kernel,
        gamma=(gamma, _GAMMA),
        norm=(norm, [Options("l1", "l2")]),
        delta=(delta, _POSITIVE),
    )
    gamma = laplacian_gamma(gamma, delta)
    X, Y = check_pair(X, Y)
    return evaluate("laplacian" if norm == "l1" else "laplacian_l2", X, Y, gamma=default_gamma(gamma, X))


def sigmoid_kernel(X, Y=None, gamma=None, coef0=1, *, form="tanh"):
    r"""Sigmoid kernel :math:`\tanh(\gamma \langle x, z \rangle + c)`.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples_X, n_features)
    Y : {array-like, sparse matrix} of shape (n_samples_Y, n_features) or None, default=None
        None means X itself.
    gamma : float or None, default=None
        Factor of the inner product. None means 1 / n_features.
    coef0 : float, default=1
        The constant c.
    form : {"tanh", "logistic"}, default="tanh"
        "logistic" gives :math:`1 / (1 + \exp(-(\gamma \langle x, z \rangle + c)))`. A text that writes
        :math:`(\langle x, z \rangle + b) / \sigma^2` means ``gamma=1/sigma**2, coef0=b/sigma**2``.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)

    Warnings
    --------
    This kernel is not positive semi-definite in general, which most methods assume. Check a Gram matrix with
    :func:`mercer_report`.

    Examples
    --------
    >>> from statlearn.kernels import sigmoid_kernel
    >>> sigmoid_kernel([[1.0], [2.0]], gamma=0.5, coef0=0).round(4)
    array([[0.4621, 0.7616],
           [0.7616, 0.964 ]])
    """
    check_arguments(
        sigmoid_kernel, gamma=(gamma, _GAMMA), coef0=(coef0, _ANY), form=(form, [Options("tanh", "logistic")])
    )
    X, Y = check_pair(X, Y)
    kind = "sigmoid" if form == "tanh" else "logistic"
    return evaluate(kind, X, Y, gamma=default_gamma(gamma, X), coef0=coef0)


def chi2_kernel(X, Y=None, gamma=1.0):
    r"""Chi-squared kernel :math:`\exp(-\gamma \sum_k (x_k - z_k)^2 / (x_k + z_k))` of non-negative rows.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples_X, n_features)
        Histograms or counts. Terms with :math:`x_k = z_k = 0` count as 0.
    Y : {array-like, sparse matrix} of shape (n_samples_Y, n_features) or None, default=None
        None means X itself.
    gamma : float, default=1.0

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)

    Examples
    --------
    >>> from statlearn.kernels import chi2_kernel
    >>> chi2_kernel([[1.0, 0.0], [0.5, 0.5]]).round(4)
    array([[1.    , 0.5134],
           [0.5134, 1.    ]])
    """
    check_arguments(chi2_kernel, gamma=(gamma, [Real(0, None)]))
    X, Y = _check_histograms(X, Y)
    return evaluate("chi2", X, Y, gamma=gamma)


def additive_chi2_kernel(X, Y=None):
    r"""Additive chi-squared kernel :math:`-\sum_k (x_k - z_k)^2 / (x_k + z_k)` of non-negative rows.

    It is conditionally positive definite: add a constant, or use :func:`chi2_kernel`, where a positive definite kernel
    is needed.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples_X, n_features)
        Histograms or counts. Terms with :math:`x_k = z_k = 0` count as 0.
    Y : {array-like, sparse matrix} of shape (n_samples_Y, n_features) or None, default=None
        None means X itself.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)

    Examples
    --------
    >>> from statlearn.kernels import additive_chi2_kernel
    >>> additive_chi2_kernel([[1.0, 0.0], [0.5, 0.5]]).round(4)
    array([[ 0.    , -0.6667],
           [-0.6667,  0.    ]])
    """
    X, Y = _check_histograms(X, Y)
    return evaluate("additive_chi2", X, Y)


def min_kernel(X, Y=None):
    r"""Minimum kernel :math:`\sum_k \min(x_k, z_k)` of non-negative rows.

    With one column it is the covariance of Brownian motion; with histograms it is known as the intersection kernel.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples_X, n_features)
    Y : {array-like, sparse matrix} of shape (n_samples_Y, n_features) or None, default=None
        None means X itself.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)

    Examples
    --------
    >>> from statlearn.kernels import min_kernel
    >>> min_kernel([[3.0], [7.0]])
    array([[3., 3.],
           [3., 7.]])
    """
    X, Y = _check_histograms(X, Y)
    return evaluate("minimum", X, Y)


def _check_histograms(X, Y):
    X, Y = check_pair(X, Y)
    refuse_negative(X)
    if Y is not None:
        refuse_negative(Y, "Y")
    return X, Y
