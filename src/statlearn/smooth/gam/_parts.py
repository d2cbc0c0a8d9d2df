"""Linear and nonlinear parts of smooth terms, with a test of each."""

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student

from statlearn._core.summary import Table
from statlearn._math.losses.families import make_family

from ._factor import times
from ._term_tests import VanishingForm, wide_mixture

_EXACT = 1e-8  # relative error with which a basis must contain the straight line


def linear_coefficients(term, low, high):
    """Coefficients of a smooth term whose values are x plus a constant, None if its basis has none."""
    if term.parametric or len(term.places) != 1 or term.by_place is not None or term.term.basis == "re":
        return None
    x = np.linspace(low, high, 3 * term.width + 10)
    X = np.zeros((len(x), max(term.places) + 1))
    X[:, term.places[0]] = x
    columns = np.column_stack([np.ones(len(x)), term.design(X)])
    coefficients = np.linalg.lstsq(columns, x)[0]
    error = np.abs(columns @ coefficients - x).max()
    return coefficients[1:] if error <= _EXACT * (high - low) else None


def split_term(model, j):
    """The straight line of a smooth term, and what is left of it.

    The line is the projection of the fitted function on x, weighted by the working weights of the rows.

    Returns
    -------
    slope, line, rest : ndarray
        ``slope @ coef`` is the slope of the line for the coefficients `coef` of the term. The coefficients of x are
        `line`, those of the remainder ``rest @ coef``. None if the term has no linear part.
    """
    term, at = model.terms_[j], model._slices[j]
    lows, highs = model._column_range
    line = linear_coefficients(term, lows[term.places[0]], highs[term.places[0]])
    if line is None:
        return None
    G, g, total = model.information_[at, at], model.information_[at, 0], model.information_[0, 0]
    across = line @ G - (line @ g) * g / total
    slope = across / (across @ line)
    return slope, line, np.eye(len(line)) - np.outer(line, slope)


def remainder_test(model, at, slope, rest, residual_df):
    """Test that the remainder of a term is zero, as if its smoothing parameters were given.

    The statistic is the squared length of its coefficients in the metric of their Bayesian covariance. If the term is a
    straight line, the coefficients have mean zero and their frequentist covariance, which gives a weighted sum of
    chi-squares whose mean is the effective degrees of freedom of the remainder.

    Returns
    -------
    statistic, p_value, degrees_of_freedom : float
    """
    inverse = model.covariance_ / model.scale_
    frequentist = times(inverse[at], model.information_, model._diagonal()) @ inverse[:, at]
    basis = np.linalg.qr(slope[:, None], mode="complete")[0][:, 1:]  # the remainder is orthogonal to the slope
    turn = basis.T @ rest
    form = VanishingForm(turn @ inverse[at, at] @ turn.T, turn @ frequentist @ turn.T)
    if not len(form.weights):
        return 0.0, 1.0, 0.0
    statistic = float(form.statistics(turn @ model.coef_[at])[0]) / model.scale_
    return statistic, wide_mixture(statistic, form.weights, residual_df), float(form.weights.sum())


def parts_table(model):
    """A row for each smooth term of one feature: slope, its test, and the test of the remainder; None without rows."""
    known = make_family(**model.family_).dispersion_known
    residual_df = None if known else max(1.0, round(model.df_residual_))
    statistic, remainder = ("z", "chi²") if known else ("t", "F")
    rows, cells = [], []
    for j, term in enumerate(model.terms_):
        split = None if term.parametric else split_term(model, j)
        if split is None:
            continue
        slope, _, rest = split
        at = model._slices[j]
        beta, V = model.coef_[at], model.covariance_[at, at]
        estimate, error = float(slope @ beta), float(np.sqrt(slope @ V @ slope))
        value = estimate / error
        p = 2 * (norm.sf(abs(value)) if known else student.sf(abs(value), model.df_residual_))
        test, p_rest, df = remainder_test(model, at, slope, rest, residual_df)
        rows.append(term.label)
        cells.append([estimate, error, value, p, df, test if known else test / max(df, 1e-300), p_rest])
    if not rows:
        return None
    names = ["slope", "std_error", statistic, "p", "df", remainder, "p_nonlinear"]
    return Table(rows, dict(zip(names, np.array(cells).T)), "Linear and nonlinear parts of smooth terms")
