"""The functions that fit models by formulas."""

from ._anova import anova_models
from ._core import Kind, read_family
from ._frame import read_frame
from ._likelihood_fit import LikelihoodFit
from ._model_fit import ModelFit
from ._smooth_fit import SmoothFit, TreeFit
from ._strata import split_error, strata_table


def lm(formula, data, *, weights=None, offset=None, subset=None, contrasts=None):
    """Linear model by least squares, as R's ``lm``.

    Parameters
    ----------
    formula : str
        Target and terms in R's syntax; see :class:`statlearn.prep.FormulaTransformer`.
    data : data frame or dict of columns
        Rows with a missing value in a variable of the model are dropped, and counted in `n_dropped`.
    weights : str, array-like or None, default=None
        Inverse variances up to a factor: an expression of columns, or a value per row.
    offset : str, array-like, float or None, default=None
        Known part of the mean, in addition to ``offset(...)`` in the formula.
    subset : str, array-like of bool or None, default=None
        Rows to use, such as ``"age > 30"``.
    contrasts : dict or None, default=None
        Contrasts by the name of a factor, such as ``{"g": "sum"}``; treatment contrasts for the others, polynomial ones
        for ordered factors.

    Returns
    -------
    LikelihoodFit

    Examples
    --------
    >>> from statlearn.formula import lm
    >>> table = {"y": [3.1, 4.2, 4.9, 6.3, 6.8, 8.4, 8.7, 9.6], "x": list(range(8)), "g": list("abcabcab")}
    >>> model = lm("y ~ x + g", table)
    >>> print(model.anova().table.to_text())
               df    sum sq   mean sq  F value   p value
    x           1  37.14881  37.14881  398.023  3.72e-05
    g           2   0.07786   0.03893    0.417    0.6847
    Residuals   4   0.37333   0.09333
    >>> model.update(". ~ . - g").coef.round(3).tolist()
    [3.208, 0.94]
    """
    return LikelihoodFit(formula, data, Kind(), weights=weights, offset=offset, subset=subset, contrasts=contrasts)


def glm(formula, data, family="gaussian", *, link=None, theta="ml", weights=None, offset=None, subset=None,
        contrasts=None):  # fmt: skip
    """Generalised linear model by maximum likelihood, as R's ``glm`` and ``MASS::glm.nb``.

    Parameters
    ----------
    formula : str
        Target and terms; a binomial target is a factor, numbers 0 and 1, proportions with numbers of trials as
        `weights`, or ``cbind(successes, failures)``.
    data : data frame or dict of columns
    family : str, default="gaussian"
        "gaussian", "binomial", "poisson", "gamma", "inverse_gaussian", "negative_binomial", "quasipoisson" or
        "quasibinomial", also in R's spelling such as "Gamma" or "binomial(probit)".
    link : str or None, default=None
        None is the canonical link, as in R, and the logarithm for the negative binomial family.
    theta : "ml" or float, default="ml"
        Parameter of the negative binomial family.
    weights, offset, subset, contrasts
        See :func:`lm`; the offset is part of the linear predictor.

    Returns
    -------
    LikelihoodFit

    Examples
    --------
    >>> from statlearn.formula import glm
    >>> trial = {"counts": [18, 17, 15, 20, 10, 20, 25, 13, 12], "outcome": list("abc") * 3}
    >>> print(glm("counts ~ outcome", trial, "poisson").anova().table.to_text())
             df  deviance drop   chi²  p value
    outcome   2         5.4523  5.452  0.06547
    """
    kind = read_family(family, link, theta)
    return LikelihoodFit(formula, data, kind, weights=weights, offset=offset, subset=subset, contrasts=contrasts)


def model(formula, data, estimator, *, weights=None, subset=None, contrasts=None):
    """Any estimator fitted by a formula.

    Parameters
    ----------
    formula : str
    data : data frame or dict of columns
    estimator : estimator
        It is cloned, and fitted to the columns of the design.
    weights, subset, contrasts
        See :func:`lm`; weights are passed as `sample_weight`.

    Returns
    -------
    ModelFit

    Examples
    --------
    >>> from statlearn.formula import model
    >>> from statlearn.linear import Ridge
    >>> table = {"y": [1.0, 2.0, 4.0, 3.0, 6.0], "x": [1, 2, 3, 4, 5], "g": list("ababa")}
    >>> model("y ~ x + g", table, Ridge(alpha=1.0)).predict({"x": [6], "g": ["b"]}).round(2).tolist()
    [5.82]
    """
    return ModelFit(formula, data, estimator, weights=weights, subset=subset, contrasts=contrasts)


def gam(formula, data, family="gaussian", *, link="auto", method="reml", select=False, weights=None, offset=None,
        subset=None, contrasts=None):  # fmt: skip
    """Additive model by penalised splines, as R's ``mgcv::gam``.

    Parameters
    ----------
    formula : str
        Smooth terms ``s(x)``, ``s(x, bs = "cr", k = 20)``, ``s(x, by = g)``, ``te(u, v)``, ``ti(u, v)``, ``s(g, bs =
        "re")``, and any terms of :func:`lm` beside them.
    data : data frame or dict of columns
    family, link, method, select
        See :class:`statlearn.smooth.GAM`.
    weights, offset, subset, contrasts
        See :func:`lm`; a weight k is that of k rows.

    Returns
    -------
    ModelFit
        Its `summary` is that of the additive model.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.formula import gam
    >>> x = np.linspace(0, 1, 60)
    >>> fit = gam("y ~ s(x, k=8) + g", {"y": np.sin(6 * x) + np.tile([0, 1], 30), "x": x, "g": list("ab") * 30})
    >>> fit.predict({"x": [0.25], "g": ["b"]}).round(2)
    array([2.])
    """
    from statlearn.smooth import GAM

    estimator = GAM(family=family, link=link, method=method, select=select)
    return SmoothFit(formula, data, estimator, weights=weights, offset=offset, subset=subset, contrasts=contrasts)


def tree(formula, data, *, weights=None, subset=None, **options):
    """Classification or regression tree, by whether the target is a factor, on the columns themselves.

    Parameters
    ----------
    formula : str
        Columns and functions of columns; factors are split into sets of levels.
    data : data frame or dict of columns
    weights, subset
        See :func:`lm`; a weight k is that of k rows.
    **options
        Parameters of :class:`statlearn.trees.DecisionTreeClassifier` or
        :class:`statlearn.trees.DecisionTreeRegressor`.

    Returns
    -------
    ModelFit

    Examples
    --------
    >>> from statlearn.formula import tree
    >>> table = {"y": [1.0, 1.2, 3.1, 2.9, 1.1, 3.0], "x": [1, 2, 3, 4, 5, 6], "g": list("acbbab")}
    >>> tree("y ~ x + g", table, max_depth=1).predict({"x": [9], "g": ["c"]}).round(2)
    array([1.1])
    """
    from statlearn.trees import DecisionTreeClassifier, DecisionTreeRegressor

    target = read_frame(formula, data, weights=weights, subset=subset)
    estimator = (DecisionTreeRegressor if target.classes is None else DecisionTreeClassifier)(**options)
    return TreeFit(formula, data, estimator, weights=weights, subset=subset)


def anova(*models, test="auto", type=1):
    """Analysis of variance or deviance of one model's terms, or of several nested models.

    Parameters
    ----------
    *models : LikelihoodFit
    test : {"auto", "F", "chi2", "Wald", "Rao"}, default="auto"
    type : {1, 2, 3}, default=1
        Type of the tests of one model's terms.

    Returns
    -------
    Summary

    Examples
    --------
    >>> from statlearn.formula import anova, lm
    >>> table = {"y": [1.0, 2.0, 4.0, 3.0, 6.0], "x": [1, 2, 3, 4, 5]}
    >>> round(float(anova(lm("y ~ 1", table), lm("y ~ x", table))["p"][1]), 4)
    0.0351
    """
    for each in models:
        if not isinstance(each, LikelihoodFit):
            raise TypeError(f"models must be made by lm or glm, got {each.__class__.__name__}.")
    if not models:
        raise TypeError("anova requires at least one model.")
    return models[0].anova(test=test, type=type) if len(models) == 1 else anova_models(list(models), test)


def aov(formula, data, *, subset=None):
    """Analysis of variance with one or several strata of error, as R's ``summary(aov(...))``.

    Parameters
    ----------
    formula : str
        With ``Error(blocks)`` each term is tested within the stratum that it varies in.
    data : data frame or dict of columns
    subset : str, array-like of bool or None, default=None

    Returns
    -------
    Summary

    Examples
    --------
    >>> from statlearn.formula import aov
    >>> table = {"y": [1.0, 3.0, 2.0, 5.0, 3.0, 6.0], "a": list("xyxyxy"), "block": list("112233")}
    >>> print(aov("y ~ a + Error(block)", table).table.to_text())
                              df    sum sq   mean sq  F value  p value
    Error: block  Residuals    2   6.33333   3.16667
    Error: Within  a           1  10.66667  10.66667   64.000  0.01527
    Error: Within  Residuals   2   0.33333   0.16667
    """
    _, strata = split_error(formula)
    if strata is None:
        return lm(formula, data, subset=subset).anova()
    return strata_table(formula, data, subset=subset)
