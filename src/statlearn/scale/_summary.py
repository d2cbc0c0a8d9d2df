"""`summary`: the table of a linear model with standard errors that need the rows again."""

from statlearn._core.params import Instance, Options, Real, check_arguments
from statlearn.linear import LinearRegression

from ._fit import make_passes
from ._models import features_of, for_arrays
from ._sources.open import open_source
from ._sums import Sums


def summary(
    model,
    source,
    target=None,
    weight=None,
    *,
    cov="HC3",
    weights="frequency",
    level=0.95,
    client=None,
):
    """Coefficient table of a `LinearRegression` with robust standard errors, from one more pass over the rows.

    Parameters
    ----------
    model : LinearRegression
        Fitted to the same rows. Its own ``summary()`` needs no pass for errors of equal variance.
    source : path, array, frames or Source
        The training rows, see :func:`open_source`.
    target, weight : str, array-like or None, default=None
        As in :func:`fit`.
    cov : {"HC0", "HC1", "HC2", "HC3"}, default="HC3"
        Covariance estimate, valid under unequal variances.
    weights : {"frequency", "precision"}, default="frequency"
        Meaning of the weights, see ``LinearRegression.summary``.
    level : float, default=0.95
        Coverage of the confidence limits.
    client : distributed.Client or None, default=None
        A Dask cluster.

    Returns
    -------
    Summary

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn import scale
    >>> from statlearn.linear import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(1, 5, size=(1000, 1))
    >>> y = x[:, 0] * (1 + rng.normal(size=1000))
    >>> source = scale.open_source(x, rows=100)
    >>> model = scale.fit(LinearRegression(), source, y)
    >>> plain, robust = model.summary(), scale.summary(model, source, y)
    >>> plain["std_error"].round(3), robust["std_error"].round(3)
    (array([0.301, 0.092]), array([0.231, 0.09 ]))
    """
    check_arguments(
        summary,
        model=(model, [Instance(LinearRegression)]),
        cov=(cov, [Options("HC0", "HC1", "HC2", "HC3")]),
        weights=(weights, [Options("frequency", "precision")]),
        level=(level, [Real(0, 1, closed="neither")]),
    )
    source = open_source(source)
    features = None if source.columns is None else features_of(model)
    passes = make_passes(source, target, weight, features, client, 0)
    try:
        total = passes.reduce(_squares, for_arrays(model), cov, weights)
    finally:
        passes.close()
    if abs(total.weight - model.statistic_.total_weight) > 1e-6 * total.weight:
        raise ValueError(
            f"`source` must hold the training rows: its total weight is {total.weight:g}, that of the fit "
            f"{model.statistic_.total_weight:g}."
        )
    return model._robust_summary(total.squares, cov, level, weights)


def _squares(block, model, cov, weights):
    """The sum of squared residuals times terms of one block."""
    squares, total = model._squared_residuals(block.X, block.y, block.weights, cov, weights)
    return Sums(squares=squares, weight=total)
