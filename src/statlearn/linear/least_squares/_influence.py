"""Influence of single rows on a least-squares fit, and variance inflation factors."""

from dataclasses import dataclass

import numpy as np
from scipy import linalg
from sklearn.utils.validation import check_array

from statlearn._core.params import Int, Options, check_arguments
from statlearn._core.validation import FLOATS, check_weights, validate_data
from statlearn._math.rows.least_squares import LeastSquaresStatistic


@dataclass
class Influence:
    """Influence diagnostics of a least-squares fit, one entry per row.

    With frequency weights, the entries of a row are those of each of its copies. With precision weights, residuals are
    multiplied by the square root of the weight where unit variance is required, as in R.

    Attributes
    ----------
    leverage : ndarray
        Diagonal of the hat matrix.
    residuals : ndarray
        y - fitted.
    loo_residuals : ndarray
        Residual of each row from the fit to all other rows, r / (1 - h).
    standardized : ndarray
        r / (s sqrt(1 - h)), "internally studentised" (``rstandard`` in R).
    studentized : ndarray
        The same with s estimated without the row, "externally studentised" (``rstudent``). Under the model they follow
        a t distribution with one residual degree of freedom fewer.
    cooks_distance : ndarray
        Squared change of all fitted values when the row is left out, divided by (number of coefficients x s²).
    dffits : ndarray
        Change of the row's fitted value when the row is left out, in units of its standard error.
    sigma : float
        Residual standard error.
    n_terms : int
        Number of coefficients.
    weights : ndarray or None
        Number of copies of each row (frequency weights only).
    """

    leverage: np.ndarray
    residuals: np.ndarray
    loo_residuals: np.ndarray
    standardized: np.ndarray
    studentized: np.ndarray
    cooks_distance: np.ndarray
    dffits: np.ndarray
    sigma: float
    n_terms: int
    weights: np.ndarray | None = None

    @property
    def loo_mse(self):
        """Leave-one-out mean squared error."""
        return float(np.average(self.loo_residuals**2, weights=self.weights))

    @property
    def gcv(self):
        """Generalised cross-validation: mean squared residual divided by (1 - terms / n)²."""
        n = len(self.residuals) if self.weights is None else float(np.sum(self.weights))
        return float(np.average(self.residuals**2, weights=self.weights)) / (1.0 - self.n_terms / n) ** 2

    def to_frame(self):
        """The diagnostics as a pandas DataFrame."""
        import pandas as pd

        names = ("residuals", "leverage", "loo_residuals", "standardized", "studentized", "cooks_distance", "dffits")
        return pd.DataFrame({name: getattr(self, name) for name in names})


def influence(X, y, *, fit_intercept=True, sample_weight=None, weights="frequency"):
    """Leverage, studentised residuals, Cook's distance and DFFITS of a least-squares fit.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    fit_intercept : bool, default=True
    sample_weight : array-like of shape (n_samples,) or None, default=None
    weights : {"frequency", "precision"}, default="frequency"
        Meaning of the weights: number of copies of a row, or inverse variance (``lm(weights=)`` in R).

    Returns
    -------
    Influence

    Examples
    --------
    >>> from statlearn.linear import influence
    >>> found = influence([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 5.0])
    >>> found.leverage.round(2)
    array([0.7, 0.3, 0.3, 0.7])
    >>> found.cooks_distance.argmax()
    np.int64(3)
    """
    from ._linear_regression import LinearRegression

    model = LinearRegression(fit_intercept=fit_intercept).fit(X, y, sample_weight)
    return model.influence(X, y, sample_weight, weights=weights)


def influence_of(model, X, y, sample_weight, weights, target):
    """`influence` for a fitted `LinearRegression` and its training data."""
    check_arguments("influence", weights=(weights, [Options("frequency", "precision")]))
    check_arguments("influence", target=(target, [Int(0, len(np.atleast_2d(model.coef_)) - 1)]))
    fit = model._inference(weights)
    X, y = validate_data(model, X, y, dtype=FLOATS, y_numeric=True, multi_output=True, reset=False)
    w = check_weights(sample_weight, X)
    w = np.ones(len(y)) if w is None else w.astype(np.float64)
    residual = (y - model._mean(X)).reshape(len(y), -1)[:, target].astype(np.float64)
    h = model.statistic_.unit_variance(X, fit.kept)
    scaled = residual  # to variance s² (1 - h)
    if weights == "precision":
        h, scaled = w * h, np.sqrt(w) * residual
    h = np.clip(h, 0.0, 1.0)
    slack = 1.0 - h
    s2, df, k = fit.variance[target], fit.df, fit.n_terms
    with np.errstate(divide="ignore", invalid="ignore"):
        # A row of leverage 1 is fitted exactly whatever its y, so its deleted residual is undefined.
        slack = np.where(slack > 1e-12, slack, np.nan)
        standardized = scaled / np.sqrt(s2 * slack)
        s2_without = (df * s2 - scaled**2 / slack) / (df - 1)
        studentized = scaled / np.sqrt(np.maximum(s2_without, 0.0) * slack)
        return Influence(
            leverage=h,
            residuals=residual,
            loo_residuals=residual / slack,
            standardized=standardized,
            studentized=studentized,
            cooks_distance=standardized**2 * h / slack / k,
            dffits=studentized * np.sqrt(h / slack),
            sigma=float(np.sqrt(s2)),
            n_terms=k,
            weights=w if weights == "frequency" and sample_weight is not None else None,
        )


def _design(X, fit_intercept, sample_weight, tol):
    """Validated X, the weights, the statistic of X alone, and its independent columns."""
    X = check_array(X, dtype=FLOATS, input_name="X")
    w = check_weights(sample_weight, X)
    statistic = LeastSquaresStatistic.from_block(X, np.zeros(len(X)), w, fit_intercept=fit_intercept)
    aliased = statistic.solve(tol=tol).aliased
    return X, w, statistic, np.setdiff1d(np.arange(X.shape[1]), aliased)


def hat_matrix(X, *, fit_intercept=True, sample_weight=None, tol=1e-6):
    """Hat matrix H = Z(Z'WZ)⁻¹Z'W with Z = [1, X], which maps y to the least-squares fit Hy.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    fit_intercept : bool, default=True
    sample_weight : array-like of shape (n_samples,) or None, default=None
    tol : float, default=1e-6
        A column is treated as linearly dependent if the others explain all but this fraction of its norm.

    Returns
    -------
    ndarray of shape (n_samples, n_samples)
        Idempotent, with trace equal to the rank; symmetric without weights.

    Examples
    --------
    >>> from statlearn.linear import hat_matrix
    >>> hat_matrix([[0.0], [1.0], [2.0]]).round(3)
    array([[ 0.833,  0.333, -0.167],
           [ 0.333,  0.333,  0.333],
           [-0.167,  0.333,  0.833]])
    """
    X, w, statistic, columns = _design(X, fit_intercept, sample_weight, tol)
    V = statistic.whiten(X, columns)
    H = V @ V.T
    return H if w is None else H * w


def leverage(X, *, fit_intercept=True, sample_weight=None, tol=1e-6):
    """Leverages: the diagonal of the hat matrix, in O(n p²) time and O(n) memory.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    fit_intercept : bool, default=True
    sample_weight : array-like of shape (n_samples,) or None, default=None
    tol : float, default=1e-6
        A column is treated as linearly dependent if the others explain all but this fraction of its norm.

    Returns
    -------
    ndarray of shape (n_samples,)
        Values between 0 and 1 that sum to the rank.

    Examples
    --------
    >>> from statlearn.linear import leverage
    >>> leverage([[0.0], [1.0], [2.0], [3.0]]).round(2)
    array([0.7, 0.3, 0.3, 0.7])
    """
    X, w, statistic, columns = _design(X, fit_intercept, sample_weight, tol)
    h = statistic.unit_variance(X, columns)
    return h if w is None else h * w


def variance_inflation(X, *, fit_intercept=True, sample_weight=None, tol=1e-6):
    """Variance inflation factors 1 / (1 - R²_j), R²_j from the regression of column j on the others.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    fit_intercept : bool, default=True
    sample_weight : array-like of shape (n_samples,) or None, default=None
    tol : float, default=1e-6
        A column is treated as linearly dependent if the others explain all but this fraction of its norm.

    Returns
    -------
    ndarray or pandas Series of shape (n_features,)
        1 for a column orthogonal to the others, infinite for a column involved in a linear dependence. A Series with
        the names of the columns if X is a pandas DataFrame.

    Examples
    --------
    >>> from statlearn.linear import variance_inflation
    >>> variance_inflation([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 4.0]]).round(2)
    array([29.17, 29.17])
    """
    index = X.columns if hasattr(X, "iloc") and hasattr(X, "columns") else None
    X, _, statistic, columns = _design(X, fit_intercept, sample_weight, tol)
    p = X.shape[1]
    factors = np.full(p, np.inf)
    T = statistic.factor(columns)
    inverse = linalg.solve_triangular(T, np.eye(len(columns)), check_finite=False)
    factors[columns] = np.sum(inverse**2, axis=1) * np.sum(T**2, axis=0)
    scale = statistic.scales()
    for j in np.setdiff1d(np.arange(p), columns):
        if scale[j] > 0:
            # The columns that an aliased one is a combination of share its dependence.
            A = statistic.design
            share = np.linalg.lstsq(A[:, columns] / scale[columns], A[:, j] / scale[j], rcond=None)[0]
            factors[columns[np.abs(share) > max(tol, 1e-10)]] = np.inf
    if index is None:
        return factors
    import pandas as pd

    return pd.Series(factors, index=index, name="variance_inflation")
