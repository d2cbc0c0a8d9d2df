"""Leave-one-out and generalised cross-validation of linear smoothers from a single fit."""

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_array

from statlearn._core.params import Real, check_arguments


def smoother_matrix(estimator, X):
    """Smoother matrix S with fitted values S y, of any estimator whose fit is linear in y.

    An estimator with a method ``smoother_matrix(X)`` or an attribute ``smoother_matrix_`` provides it. Any other is
    fitted to the columns of the identity, all at once if it supports several targets, one by one otherwise.

    Parameters
    ----------
    estimator : estimator
        Its parameters are used, but not its fitted state.
    X : array-like of shape (n_samples, n_features)

    Returns
    -------
    ndarray of shape (n_samples, n_samples)

    Notes
    -----
    A trial with random responses checks that the fit is linear in y; the lasso, trees and anything that tunes itself
    raise an error. Costs one fit with n targets, or n fits.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.assess import smoother_matrix
    >>> from statlearn.linear import LinearRegression
    >>> S = smoother_matrix(LinearRegression(), np.array([[0.0], [1.0], [2.0], [3.0]]))
    >>> S.diagonal().round(2)
    array([0.7, 0.3, 0.3, 0.7])
    """
    if hasattr(estimator, "smoother_matrix_"):
        return np.asarray(estimator.smoother_matrix_, dtype=np.float64)
    if hasattr(estimator, "smoother_matrix"):
        return np.asarray(estimator.smoother_matrix(X), dtype=np.float64)
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    identity = np.eye(n)
    if get_tags(estimator).target_tags.multi_output:
        S = np.asarray(clone(estimator).fit(X, identity).predict(X), dtype=np.float64)
    else:
        S = np.column_stack([clone(estimator).fit(X, column).predict(X) for column in identity])
    trial = np.random.default_rng(0).normal(size=n)
    fitted = clone(estimator).fit(X, trial).predict(X)
    if not np.allclose(S @ trial, fitted, rtol=1e-4, atol=1e-4 * np.abs(trial).max()):
        raise ValueError(
            f"`smoother`: {type(estimator).__name__} is not a linear smoother, because its fitted "
            "values are not linear in y."
        )
    return S


def _prepare(smoother, y, X):
    """S and y as float arrays of matching shapes."""
    if hasattr(smoother, "fit") or hasattr(smoother, "smoother_matrix_"):
        if X is None and not hasattr(smoother, "smoother_matrix_"):
            raise ValueError("`X` must be passed when `smoother` is an estimator.")
        S = smoother_matrix(smoother, X)
    else:
        S = check_array(smoother, dtype=np.float64, input_name="smoother")
    y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
    if S.shape[0] != S.shape[1] or len(y) != S.shape[0]:
        raise ValueError(f"`smoother` must have shape ({len(y)}, {len(y)}) for {len(y)} responses, got {S.shape}.")
    return S, y


def loo_shortcut(smoother, y, X=None):
    r"""Leave-one-out mean squared error of a linear smoother, without refitting.

    .. math:: \frac1n \sum_i \left(\frac{y_i - \hat y_i}{1 - S_{ii}}\right)^2

    Parameters
    ----------
    smoother : array-like of shape (n, n) or estimator
        Matrix S with fitted values S y, or an estimator that is linear in y (see :func:`smoother_matrix`).
    y : array-like of shape (n,) or (n, n_targets)
    X : array-like of shape (n, n_features) or None, default=None
        Training rows, if an estimator is passed.

    Returns
    -------
    float
        Mean over rows (and targets).

    Notes
    -----
    Exact if the fit without row i equals the fit with :math:`y_i` replaced by its own prediction: least squares, ridge
    with an unpenalised intercept, smoothing splines. For nearest neighbours it differs from the error of refits. A row
    with :math:`S_{ii} = 1` is interpolated whatever its response; the result is then infinite or NaN.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 7.10.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.assess import loo_shortcut
    >>> mean = np.full((4, 4), 0.25)  # the smoother that averages
    >>> loo_shortcut(mean, [1.0, 2.0, 3.0, 4.0])
    2.2222222222222223
    """
    S, y = _prepare(smoother, y, X)
    residual = y - S @ y
    slack = 1.0 - S.diagonal()
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.mean((residual.T / slack) ** 2))


def gcv_score(smoother, y, X=None, *, df=None):
    r"""Generalised cross-validation of a linear smoother.

    .. math:: \frac1n \sum_i \left(\frac{y_i - \hat y_i}{1 - \mathrm{tr}(S)/n}\right)^2

    Parameters
    ----------
    smoother : array-like of shape (n, n) or estimator
        Matrix S with fitted values S y, or an estimator that is linear in y (see :func:`smoother_matrix`).
    y : array-like of shape (n,) or (n, n_targets)
    X : array-like of shape (n, n_features) or None, default=None
        Training rows, if an estimator is passed.
    df : float or None, default=None
        Degrees of freedom that replace the trace, if the search for the smoother also has a cost (as in MARS).

    Returns
    -------
    float
        Equal to the leave-one-out shortcut if all :math:`S_{ii}` are equal.

    References
    ----------
    Golub, G., Heath, M. & Wahba, G. (1979). Generalized cross-validation as a method for choosing a good ridge
    parameter. Technometrics 21, 215-223.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.assess import gcv_score
    >>> mean = np.full((4, 4), 0.25)
    >>> gcv_score(mean, [1.0, 2.0, 3.0, 4.0])
    2.2222222222222223
    """
    check_arguments(gcv_score, df=(df, [Real(0, None), None]))
    S, y = _prepare(smoother, y, X)
    residual = y - S @ y
    trace = np.trace(S) if df is None else df
    return float(np.mean(residual**2) / (1.0 - trace / len(y)) ** 2)
