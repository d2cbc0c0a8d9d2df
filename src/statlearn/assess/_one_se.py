"""One-standard-error rule, and the order of candidate settings by complexity."""

import functools
import numbers
from collections.abc import Mapping

import numpy as np

from statlearn._core.params import check_arguments
from statlearn._core.selection import CVCurve

# What a larger value of a parameter does to the model: +1 makes it more complex, -1 simpler. Read after the last "__",
# so that the steps of pipelines are understood too.
KNOWN_DIRECTIONS = {
    "C": 1,
    "alpha": -1,
    "bandwidth": -1,
    "ccp_alpha": -1,
    "degree": 1,
    "df": 1,
    "epsilon": -1,
    "gamma": 1,
    "length_scale": -1,
    "max_degree": 1,
    "max_depth": 1,
    "max_features": 1,
    "max_iter": 1,
    "max_leaf_nodes": 1,
    "max_size": 1,
    "max_steps": 1,
    "max_terms": 1,
    "min_impurity_decrease": -1,
    "min_samples_leaf": -1,
    "min_samples_split": -1,
    "n_components": 1,
    "n_estimators": 1,
    "n_features_to_select": 1,
    "n_knots": 1,
    "n_neighbors": -1,
    "n_nonzero_coefs": 1,
    "nu": 1,
    "penalty_weight": -1,
    "radius": -1,
    "reg_covar": -1,
    "shrinkage": -1,
    "size": 1,
    "smoothing": -1,
    "var_smoothing": -1,
}


def one_standard_error(scores, std_error=None, *, complexity=None, greater_is_better=True, metric="score"):
    r"""One-standard-error rule: index of the simplest candidate within one standard error of the best.

    For candidates ordered from simple to complex with means m and best candidate b, it is the first k with :math:`m_k
    \geq m_b - \mathrm{se}_b` (for losses: :math:`m_k \leq m_b + \mathrm{se}_b`). The standard error is that of the best
    candidate: the standard deviation of its fold scores (divisor K-1) over :math:`\sqrt K`.

    The function can be passed as `refit` to any search of scikit-learn, ``GridSearchCV(...,
    refit=one_standard_error)``, or with settings, ``refit=functools.partial(one_standard_error, complexity="-alpha")``.

    Parameters
    ----------
    scores : array-like of shape (k, n_folds) or (k,), or mapping
        Scores per candidate and fold, or means together with `std_error`, or the ``cv_results_`` of a search.
    std_error : array-like of shape (k,) or None, default=None
        Standard errors of the means.
    complexity : None, str, sequence or callable, default=None
        Order of the candidates. For arrays: None (already ordered from simple to complex) or a sequence of k numbers,
        larger for more complex candidates. For ``cv_results_``: None (by well-known parameters: a larger ``alpha`` is
        simpler, a larger ``C`` more complex, and so on), ``"grid"`` (in the given order), a parameter or a list of
        parameters with a minus sign if larger is simpler (``"-alpha"``, ``["max_depth", "-min_samples_leaf"]``), or a
        function of the dict of settings.
    greater_is_better : bool, default=True
        Set to False for losses. Scores of a search are always better if larger.
    metric : str, default="score"
        Metric to use for a search with several.

    Returns
    -------
    int

    Notes
    -----
    Among equally simple candidates the better one comes first. A candidate with a missing score (a failed fit) is never
    chosen if another has a score.

    References
    ----------
    Breiman, L., Friedman, J., Olshen, R. & Stone, C. (1984). Classification and Regression Trees, section 3.4.3.

    Examples
    --------
    >>> from statlearn.assess import one_standard_error
    >>> losses = [[9.0, 9.4, 9.2], [5.1, 5.9, 5.5], [5.0, 5.8, 5.3]]
    >>> one_standard_error(losses, greater_is_better=False)
    1
    """
    check_arguments(one_standard_error, greater_is_better=(greater_is_better, ["boolean"]))
    if isinstance(scores, Mapping):
        return select(scores, "one_se", complexity, metric)[0]
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim == 1 and std_error is None:
        raise ValueError("`scores` contains only means; also pass `std_error`, or scores of shape (k, n_folds).")
    if scores.ndim not in (1, 2) or scores.shape[0] == 0:
        raise ValueError(f"`scores` must have shape (k,) or (k, n_folds) with k > 0, got {scores.shape}.")
    if std_error is not None:
        std_error = np.asarray(std_error, dtype=np.float64)
        if std_error.shape != scores.shape[:1]:
            raise ValueError(f"`std_error` must have shape {scores.shape[:1]}, got {std_error.shape}.")
    keys = np.arange(len(scores)) if complexity is None else np.asarray(complexity)
    if keys.shape != scores.shape[:1]:
        raise ValueError(f"`complexity` must be None or contain {len(scores)} numbers, got shape {keys.shape}.")
    loss = (-scores if greater_is_better else scores).reshape(len(scores), -1)
    order, curve = ordered_curve(loss, list(keys), std_error)
    return int(order[curve.one_se])


def ordered_curve(loss, keys, std_error=None):
    """Candidates with finite losses from simple to complex, and their curve; keys may be numbers or tuples."""
    mean = loss.mean(axis=1)
    finite = [k for k in range(len(loss)) if np.isfinite(mean[k])] or [0]
    order = np.array(sorted(finite, key=lambda k: (keys[k], mean[k])))
    known = None if std_error is None else std_error[order]
    return order, CVCurve(order.astype(float), loss[order], name="candidate", known_std_error=known)


def select(results, rule, complexity=None, metric="score"):
    """Chosen candidate, candidates from simple to complex, and their CVCurve, from the results of a search.

    `results` is the ``cv_results_`` of a search. With the rule "min", the order of the candidates is used if no other
    can be derived.
    """
    if f"mean_test_{metric}" not in results:
        known = sorted(key.removeprefix("mean_test_") for key in results if key.startswith("mean_test_"))
        raise ValueError(f"`metric`={metric!r} is not among the scores of the search: {known}.")
    params = list(results["params"])
    n_folds = sum(key.startswith("split") and key.endswith(f"_test_{metric}") for key in results)
    loss = -np.column_stack([results[f"split{k}_test_{metric}"] for k in range(n_folds)])
    try:
        keys = complexity_keys(params, complexity)
    except UnknownOrder:
        if rule == "one_se":
            raise
        keys = complexity_keys(params, "grid")
    order, curve = ordered_curve(loss, keys)
    name, values = _abscissa([params[k] for k in order])
    if values is not None:
        curve.name, curve.parameter = name, values
    # The best is scikit-learn's: the first of the candidates, as listed, with the largest mean.
    best = int(np.argmin(results[f"rank_test_{metric}"]))
    return (int(order[curve.one_se]) if rule == "one_se" else best), order, curve


class UnknownOrder(ValueError):
    """Error raised if it is unknown which of two settings gives the simpler model."""


def complexity_keys(params, complexity):
    """Sortable key per candidate, smaller for simpler models."""
    if callable(complexity):
        return [complexity(setting) for setting in params]
    if isinstance(complexity, str) and complexity == "grid":
        return list(range(len(params)))
    if complexity is None:
        varying = varying_names(params)
        directions = {name: KNOWN_DIRECTIONS.get(name.split("__")[-1]) for name in varying}
        unknown = sorted(name for name, direction in directions.items() if direction is None)
        if unknown:
            raise UnknownOrder(
                f"`rule`='one_se' requires settings ordered by complexity; the order is unknown for "
                f"{', '.join(unknown)}. "
                "Set `complexity` to 'grid' if the candidates are ordered from simple to complex, to the names of "
                "the deciding parameters with a minus sign if larger is simpler (complexity='-alpha'), or to a "
                "function of the settings."
            )
    else:
        names = [complexity] if isinstance(complexity, str) else list(complexity)
        if not all(isinstance(name, str) for name in names):
            raise ValueError(
                f"complexity must name parameters, with a minus sign where larger is simpler; got {names}."
            )
        directions = {name.removeprefix("-"): (-1 if name.startswith("-") else 1) for name in names}
        known = {name for setting in params for name in setting}
        missing = sorted(set(directions) - known)
        if missing:
            raise ValueError(f"`complexity` contains {missing}, which the search does not vary: {sorted(known)}.")
    if not directions:  # one candidate, or copies of it
        return [(0.0,)] * len(params)
    ranks = [_ranks([setting.get(name) for setting in params], name, d) for name, d in directions.items()]
    # Several parameters: the mean of their ranks, ties by the first parameter, then the second, and so on.
    return [(round(float(np.mean(row_ranks)), 12), *row_ranks) for row_ranks in zip(*ranks)]


def _ranks(values, name, direction):
    """Rank of each value among the distinct ones, from 0 (simplest) to 1; None means no limit and is the largest."""
    for value in values:
        if value is not None and not isinstance(value, numbers.Real):
            raise UnknownOrder(
                f"`complexity`: the values of {name} cannot be ordered: {value!r}. Use complexity='grid' or a function."
            )
    numeric = np.array([np.inf if value is None else float(value) for value in values])
    distinct, position = np.unique(direction * numeric, return_inverse=True)
    return (position / max(len(distinct) - 1, 1)).tolist()


def varying_names(params):
    """Parameters that differ between the candidates, sorted."""
    names = sorted({name for setting in params for name in setting})
    missing = object()

    def differs(name):
        first = params[0].get(name, missing)
        return any(not _same(setting.get(name, missing), first) for setting in params[1:])

    return [name for name in names if differs(name)]


def _same(a, b):
    if a is b:
        return True
    try:
        return bool(np.all(a == b))
    except (TypeError, ValueError):
        return False


def _abscissa(params):
    """Name and values of the varying parameter if there is a single numeric one."""
    names = varying_names(params)
    if len(names) != 1:
        return "candidate", None
    values = [setting.get(names[0]) for setting in params]
    if not all(isinstance(v, numbers.Real) for v in values):
        return "candidate", None
    return names[0], np.array(values, dtype=np.float64)


def refit_callable(complexity, metric):
    """`one_standard_error` with its settings, for `refit` of a search; picklable."""
    return functools.partial(one_standard_error, complexity=complexity, metric=metric)
