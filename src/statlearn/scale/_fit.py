"""`fit`: an ordinary fitted estimator from blocks of rows."""

import numpy as np

from statlearn._core.params import HasMethods, Int, check_arguments

from ._design import Design
from ._fits.methods import method_of, supported_names
from ._models import needs_frames
from ._passes import Passes
from ._sources.base import Source
from ._sources.memory import ArraySource
from ._sources.open import open_source


def fit(estimator, source, target=None, weight=None, *, features=None, client=None, memory=2**28):
    """Fit an estimator to data larger than memory, in one process or on a Dask cluster.

    The rows are read in blocks, statistics of the blocks are merged in an order that depends on the number of blocks
    alone, and the estimator is computed from the sum. The result has the same bits in one process and on a cluster of
    any size, whatever the order in which workers finish and whoever fails on the way. It equals ``estimator.fit`` on
    all rows up to rounding.

    Parameters
    ----------
    estimator : estimator
        Cloned. See :func:`supported`.
    source : path, array, frames or Source
        See :func:`open_source`.
    target : str, array-like or None, default=None
        The column to predict; for an array, the values.
    weight : str, array-like or None, default=None
        The column of the weights; for an array, the values. A row of weight 0 is left out.
    features : list of str or None, default=None
        The columns to learn from; None means all but `target` and `weight`.
    client : distributed.Client or None, default=None
        A Dask cluster. None fits in this process, with the next block read while the last one is used.
    memory : int, default=2**28
        Bytes of blocks that this process keeps between passes of an iterative fit.

    Returns
    -------
    estimator
        Fitted, with `predict`, `summary` and all else; attributes with one entry per row are not set. In addition it
        has ``fit_report_``, a dict: ``passes``, ``blocks``, ``rows``, ``workers``, ``bytes_read``, ``bytes_sent``
        (statistics between processes), ``retries`` (tasks that were lost with a worker) and ``seconds`` by stage.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn import scale
    >>> from statlearn.linear import LinearRegression
    >>> X = np.random.default_rng(0).normal(size=(10_000, 3))
    >>> model = scale.fit(LinearRegression(), scale.open_source(X, rows=1000), X @ [1.0, 2.0, 3.0])
    >>> model.coef_.round(6)
    array([1., 2., 3.])
    >>> model.fit_report_["passes"], model.fit_report_["blocks"]
    (1, 10)
    """
    check_arguments(
        fit, estimator=(estimator, [HasMethods("fit", "get_params")]), memory=(memory, [Int(0, None)]),
    )  # fmt: skip
    method = method_of(estimator)
    passes = make_passes(source, target, weight, features, client, memory, frames=needs_frames(estimator))
    try:
        model = method(estimator, passes)
    finally:
        passes.close()
    named = passes.names is not None and getattr(model, "n_features_in_", None) == len(passes.names)
    if named and not hasattr(model, "feature_names_in_"):
        model.feature_names_in_ = np.array(passes.names, dtype=object)
    model.fit_report_ = passes.report.to_dict()
    return model


def supported():
    """Names of the estimators that can be fitted over blocks.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from statlearn.scale import supported
    >>> "LinearRegression" in supported()
    True
    """
    return supported_names()


def make_passes(source, target, weight, features, client, memory=0, *, carried=(), frames=False):
    """The passes over a source, in this process or on a cluster, after checking the columns."""
    source = open_source(source)
    if len(source) == 0:
        raise ValueError("`source` must have rows, but has no blocks.")
    source, design = _design(source, target, weight, features)
    design.carried, design.frames = list(carried), frames and source.columns is not None
    if client is None:
        return Passes(source, design, memory=memory)
    from ._cluster import ClusterPasses

    return ClusterPasses(source, design, client)


def _design(source: Source, target, weight, features):
    """The source with its target and weights, and what its columns are."""
    if source.columns is None:
        arrays = (("target", target), ("weight", weight))
        for name, value in arrays:
            if isinstance(value, str):
                raise ValueError(f"`{name}` must be an array for a source of arrays, got {value!r}.")
        if features is not None:
            raise ValueError("`features` must be None for a source of arrays.")
        y, w = (None if value is None else np.asanyarray(value) for _, value in arrays)
        assert isinstance(source, ArraySource)
        if y is not None or w is not None:
            source = ArraySource(source.X, y, w, rows=source.rows)
        return source, Design(None, None if y is None else "target", None if w is None else "weight")
    for name, value in (("target", target), ("weight", weight)):
        if value is not None and not isinstance(value, str):
            raise ValueError(f"`{name}` must be the name of a column, got {type(value).__name__}.")
        if value is not None and value not in source.columns:
            raise ValueError(f"`{name}` must be one of the columns {_few(source.columns)}, got {value!r}.")
    if features is None:
        features = [name for name in source.columns if name not in (target, weight)]
    unknown = [name for name in features if name not in source.columns]
    if unknown:
        raise ValueError(f"`features` must be among the columns {_few(source.columns)}, got {unknown}.")
    if target is not None and target in features:
        raise ValueError(f"`features` must not contain the target {target!r}.")
    if not features:
        raise ValueError("`features` must name at least one column.")
    return source, Design(list(features), target, weight)


def _few(names):
    """Names for a message, the first ten of many."""
    return f"{names[:10]} and {len(names) - 10} more" if len(names) > 10 else str(names)
