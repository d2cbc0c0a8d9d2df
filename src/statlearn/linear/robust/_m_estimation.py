"""Shared parts of the robust regressions: weighted least squares, dependent columns, coefficient tables."""

from dataclasses import dataclass

import numpy as np

from statlearn._core.params import Real, check_value
from statlearn._core.summary import Table
from statlearn._core.validation import FLOATS, check_weights, validate_data
from statlearn._core.warnings import RankWarning, warn
from statlearn._math.linalg.positive import positive_system
from statlearn._math.linalg.sparse_arrays import by_rows
from statlearn._math.rows.rows import Rows
from statlearn._math.rows.statistics import CrossProducts
from statlearn.linear._base import term_names


def warn_rank(estimator, independent):
    """Warn about the columns that were dropped."""
    names = term_names(estimator, intercept=False)
    dropped = [names[j] for j in np.flatnonzero(~independent)]
    shown = ", ".join(dropped[:5]) + (", ..." if len(dropped) > 5 else "")
    warn(
        f"{type(estimator).__name__}: {len(dropped)} column(s) of X are linearly dependent on others ({shown}), so "
        "their coefficients are set to 0. Remove these columns, or add a penalty.",
        RankWarning,
    )


@dataclass
class TrainingData:
    """Validated data in double precision; `X`, `y`, `weights` hold the rows of positive weight."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    rows: np.ndarray  # numbers of these rows among all
    all_X: np.ndarray
    all_y: np.ndarray
    dtype: np.dtype  # the precision to answer in


def prepare(estimator, X, y, sample_weight):
    """Validate the arguments of `fit`."""
    X, y = validate_data(
        estimator, X, y, dtype=FLOATS, accept_sparse=["csr", "csc", "coo"], accept_large_sparse=False, y_numeric=True
    )
    dtype = X.dtype
    weights = check_weights(sample_weight, X)
    X = by_rows(X).astype(np.float64, copy=False)
    y = y.astype(np.float64)
    if weights is None or weights.all():
        weights = np.ones(X.shape[0]) if weights is None else weights.astype(np.float64)
        return TrainingData(X, y, weights, np.arange(X.shape[0]), X, y, dtype)
    rows = np.flatnonzero(weights)
    return TrainingData(X[rows], y[rows], weights[rows].astype(np.float64), rows, X, y, dtype)


def drop_dependent(estimator, X, weights, *, penalty=0.0):
    """X without dependent columns (named in a RankWarning), and the mask of kept columns: all with a penalty."""
    if penalty > 0:
        return X, np.ones(X.shape[1], dtype=bool)
    independent = Rows(X, weights, centre=estimator.fit_intercept).independent()
    if independent.all():
        return X, independent
    warn_rank(estimator, independent)
    return X[:, independent], independent


def spread(coef, independent, fill=0.0):
    """Coefficients of the kept columns expanded to all columns."""
    full = np.full(independent.size, fill)
    full[independent] = coef
    return full


def spread_covariance(covariance, independent, fit_intercept):
    """Covariance of the kept columns expanded to all; other rows are NaN, where R prints NA."""
    independent = np.append(True, independent) if fit_intercept else independent
    full = np.full((independent.size, independent.size), np.nan)
    full[np.ix_(independent, independent)] = covariance
    return full


def weighted_least_squares(X, y, weights, fit_intercept, *, penalty=0.0):
    """Slopes and unpenalised intercept that minimise sum_i w_i r_i^2 + penalty |w|^2."""
    statistic = CrossProducts.from_block(X, y, weights, centre=fit_intercept)
    Sxx, Sxy, _ = statistic.centred() if fit_intercept else statistic.uncentred()
    A = Sxx.copy()
    A[np.diag_indices_from(A)] += penalty
    coef = positive_system(A).solve(Sxy[:, 0])
    if not fit_intercept:
        return coef, 0.0
    mean_x, mean_y = statistic.means()
    return coef, float(mean_y[0] - mean_x @ coef)


def signed_gram(X, weights):
    """X' diag(weights) X for weights of any sign."""
    zeros, p = np.zeros(X.shape[0]), X.shape[1]
    parts = []
    for part in (np.maximum(weights, 0), np.maximum(-weights, 0)):
        parts.append(CrossProducts.from_block(X, zeros, part, centre=False).G[:p, :p] if part.any() else 0.0)
    return np.zeros((p, p)) + parts[0] - parts[1]


def require_covariance(estimator, covariance):
    """The covariance for a summary; a string is the reason why it is not available and raises an error."""
    if isinstance(covariance, str):
        raise ValueError(f"{type(estimator).__name__}.summary() is not available: {covariance}.")
    return covariance


def coefficient_vector(estimator):
    """Intercept (if there is one) and slopes of a single target, in double precision."""
    beta = np.append(estimator.intercept_, estimator.coef_) if estimator.fit_intercept else estimator.coef_
    return beta.astype(float)


def coefficient_table(estimator, beta, covariance, level, *, df=None):
    """Estimates with standard errors, tests and limits: t with `df` degrees of freedom, normal without."""
    from scipy.stats import norm
    from scipy.stats import t as student

    check_value("level", level, [Real(0, 1, closed="neither")], "summary")
    law, heading = (norm, "z") if df is None else (student(df), "t")
    error = np.sqrt(np.diag(covariance))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = beta / error
    reach = law.ppf(0.5 + level / 2) * error
    columns = {
        "estimate": beta, "std_error": error, heading: ratio, "p": 2 * law.sf(np.abs(ratio)),
        "ci_low": beta - reach, "ci_high": beta + reach,
    }  # fmt: skip
    return Table(term_names(estimator, intercept=estimator.fit_intercept), columns)
