"""Tests of nested models, as by R's ``anova(small, large)``."""

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, fdtrc
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Options, check_arguments
from statlearn._core.summary import Summary, Table


@dataclass
class NestedFit:
    """What a test of nested models needs to know of one of them, a maximum-likelihood fit."""

    family: str
    deviance: float  # residual sum of squares for least squares
    rank: int  # number of coefficients that are identified, with the intercepts
    df_residual: float
    dispersion: float | None  # its estimate, None if the family fixes it at 1
    rows: tuple  # number of training rows and their total weight, the same for all models that can be compared
    theta: float | None = None  # parameter of the negative binomial family
    pearson: float | None = None  # Pearson's estimate of the dispersion, also where the family fixes it


def deviance_test(*models, test="auto", dispersion="auto"):
    r"""Analysis of variance or deviance for nested models, as by R's ``anova(small, large)``.

    The reduction in deviance from each model to the next larger one, divided by the dispersion, is compared with a
    chi-squared distribution if the family fixes the dispersion (logistic regression, counts), and tested as an F ratio
    if the largest model estimates it. The deviance of least squares is the residual sum of squares, and the F test is
    then exact for normal errors.

    Parameters
    ----------
    *models : fitted estimators
        Two or more unpenalised :class:`LinearRegression`, :class:`LogisticRegression` (with ``C=inf``) or
        :class:`GeneralizedLinearRegressor` of one family, or models of these by
        :func:`statlearn.prep.from_formula`, in any order, fitted to the same rows. They must be nested; different
        numbers of rows, and a larger model with a larger deviance, raise an error.
    test : {"auto", "chi2", "F"}, default="auto"
        "auto" is F if the dispersion is estimated. "F" with a dispersion fixed by the family has infinite denominator
        degrees of freedom, as in R.
    dispersion : {"auto", "pearson"}, default="auto"
        "auto" estimates the dispersion by the largest model unless the family fixes it at 1. "pearson" estimates it in
        any case, as R does for the quasi families.

    Returns
    -------
    Summary
        One row per model with residual degrees of freedom and deviance, their reductions relative to the row above,
        the test statistic and the p-value.

    See Also
    --------
    statlearn.prep.FormulaModel.term_tests : a test for each term of a formula.

    Notes
    -----
    The p-value is valid for models that were chosen before seeing the data. After a search among many models it is too
    small.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import GeneralizedLinearRegressor, LinearRegression, deviance_test
    >>> X = np.array([[0.0, 1], [1, 0], [2, 1], [3, 0], [4, 1], [5, 0]])
    >>> y = np.array([1, 2, 2, 5, 7, 12])
    >>> small = GeneralizedLinearRegressor("poisson").fit(X[:, :1], y)
    >>> large = GeneralizedLinearRegressor("poisson").fit(X, y)
    >>> deviance_test(small, large)["p"].round(4)
    array([   nan, 0.6821])
    >>> print(deviance_test(LinearRegression().fit(X[:, :1], y), LinearRegression().fit(X, y)).table.to_text())
                    residual df  deviance  df  deviance drop  F value  p value
    2 coefficients            4   10.7048
    3 coefficients            3    9.3333   1         1.3714    0.441   0.5542
    """
    check_arguments(
        "deviance_test",
        test=(test, [Options("auto", "chi2", "F")]),
        dispersion=(dispersion, [Options("auto", "pearson")]),
    )
    if len(models) < 2:
        raise ValueError("models must contain at least two fitted models.")
    fits = sorted((_nested_fit(model) for model in models), key=lambda fit: fit.rank)
    largest = fits[-1]
    if len({fit.family for fit in fits}) > 1:
        raise ValueError("models must have the same family.")
    if len({fit.rows for fit in fits}) > 1:
        raise ValueError("models must be fitted to the same rows, but their numbers of rows differ.")
    if len({fit.theta for fit in fits}) > 1:
        raise ValueError(
            "models have different theta, so their deviances are not comparable; fix theta at the largest model's."
        )
    df = np.array([fit.df_residual for fit in fits], dtype=float)
    deviance = np.array([fit.deviance for fit in fits])
    drop = np.append(np.nan, deviance[:-1] - deviance[1:])
    steps = np.append(np.nan, df[:-1] - df[1:])
    if np.any(steps[1:] == 0):
        raise ValueError("models must be nested, but two of them have the same number of coefficients.")
    if np.any(drop[1:] < -1e-7 * np.abs(deviance).max()):
        raise ValueError(
            "models must be nested, but one with more coefficients has a larger deviance. Each model must contain all "
            "terms of the smaller ones."
        )
    estimated = largest.pearson if dispersion == "pearson" else largest.dispersion
    if dispersion == "pearson" and estimated is None:
        raise ValueError("dispersion='pearson' requires generalised linear models, such as GeneralizedLinearRegressor.")
    kind = ("chi2" if estimated is None else "F") if test == "auto" else test
    phi = 1.0 if estimated is None else estimated
    statistic = drop / phi if kind == "chi2" else drop / steps / phi
    p = np.full(len(fits), np.nan)
    if kind == "F" and estimated is not None:
        p[1:] = fdtrc(steps[1:], df[-1], np.maximum(statistic[1:], 0.0))
    else:  # an F ratio with infinite denominator degrees of freedom is a chi-squared one by its own
        p[1:] = chdtrc(steps[1:], np.maximum(drop[1:], 0.0) / phi)
    columns = {"df_residual": df, "deviance": deviance, "df": steps, "deviance_drop": drop, kind: statistic, "p": p}
    rows = [f"{fit.rank} coefficients" for fit in fits]
    return Summary("Analysis of deviance", Table(rows, columns), {"dispersion": phi}, {"dispersion": "dispersion"})


def _nested_fit(model):
    inner = getattr(model, "estimator_", model)  # of a model by formula
    if not hasattr(inner, "_nested_fit"):
        raise TypeError(
            "models must be LinearRegression, LogisticRegression or generalised linear models, got "
            f"{type(inner).__name__}."
        )
    check_is_fitted(inner)
    return inner._nested_fit()
