"""Federated averaging: one model from models that were trained at several sites."""

import copy
import warnings

import numpy as np
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_array, check_is_fitted

from statlearn._core.params import HasMethods, Int, check_arguments
from statlearn._core.validation import check_same_length
from statlearn._math.linalg.sparse_arrays import to_dense

# Fitted parameters that are averaged: arrays, or lists of arrays of networks.
_ARRAYS = ("coef_", "intercept_", "_standard_coef", "_standard_intercept", "_average_coef", "_average_intercept")
_LISTS = ("coefs_", "intercepts_", "embeddings_", "filters_", "filter_biases_")


def federated_average(models, weights=None):
    r"""Average of the parameters of models trained at several sites.

    Every coefficient becomes :math:`\sum_k w_k \theta_k / \sum_k w_k`. Only parameters leave the sites, not rows.

    Parameters
    ----------
    models : sequence of fitted estimators
        Linear models of one class (``coef_`` and ``intercept_``), or networks of one shape (``coefs_`` and
        ``intercepts_``), with the same classes and columns.
    weights : array-like of shape (n_models,) or None, default=None
        Usually the numbers of rows at the sites; None means equal weights.

    Returns
    -------
    estimator
        A copy of the first model with averaged parameters. Statistics of its fit, such as `loss_curve_`, are those of
        the first model.

    See Also
    --------
    federated_fit : the rounds of federated averaging with all sites in one process.

    Notes
    -----
    The average of models that were fitted to the end is in general not the fit to the pooled rows. For least squares,
    discriminant analysis, naive Bayes and principal components, additive statistics give the pooled fit exactly. The
    average of networks is meaningful only if they started from the same weights and were trained a few steps apart.
    Parameters can reveal rows of small sites. For the transport between machines see Flower (flower.ai).

    References
    ----------
    McMahan, B., Moore, E., Ramage, D., Hampson, S. and Aguera y Arcas, B. (2017). Communication-efficient learning of
    deep networks from decentralized data. AISTATS.

    Examples
    --------
    >>> from statlearn.ensemble import federated_average
    >>> from statlearn.linear import LinearRegression
    >>> models = [LinearRegression().fit([[0.0], [1.0]], [0.0, slope]) for slope in (1.0, 4.0)]
    >>> federated_average(models, weights=[2, 1]).coef_
    array([2.])
    """
    models = list(models)
    if not models:
        raise ValueError("`models` must contain at least one fitted model, got none.")
    for model in models:
        check_is_fitted(model)
    weights = _shares(weights, len(models))
    _check_alike(models)
    result = copy.deepcopy(models[0])
    if len(models) == 1:
        return result
    for name in _ARRAYS:
        if hasattr(result, name):
            setattr(result, name, _mean([getattr(model, name) for model in models], weights, name))
    for name in _LISTS:
        if hasattr(result, name):
            columns = zip(*(getattr(model, name) for model in models))
            setattr(result, name, [_mean(arrays, weights, name) for arrays in columns])
    if hasattr(result, "t_"):  # rows seen: the schedules of step sizes depend on them
        seen = float(weights @ [model.t_ for model in models])
        result.t_ = int(seen) if isinstance(result.t_, int) else seen
    if hasattr(result, "_optimizer"):  # moments of one site's steps are not those of the average
        result._optimizer = None
    if hasattr(result, "_inference"):
        result._inference = None
        result._why_no_inference = "the model is an average of several"
    return result


def _shares(weights, n):
    if weights is None:
        return np.full(n, 1 / n)
    weights = check_array(weights, ensure_2d=False, dtype=np.float64, input_name="weights")
    if weights.shape != (n,):
        raise ValueError(f"`weights` must contain one number for each of the {n} models, got shape {weights.shape}.")
    if np.any(weights < 0) or weights.sum() == 0:
        raise ValueError("`weights` must be non-negative and not all zero.")
    return weights / weights.sum()


def _mean(arrays, weights, name):
    arrays = [np.asarray(to_dense(array)) for array in arrays]
    if any(array.shape != arrays[0].shape for array in arrays):
        shapes = ", ".join(sorted({str(array.shape) for array in arrays}))
        raise ValueError(f"`models` must have parameters of one shape, but `{name}` has the shapes {shapes}.")
    mean = sum(weight * array.astype(np.float64) for weight, array in zip(weights, arrays))
    return mean.astype(arrays[0].dtype)[()]


def _check_alike(models):
    """Refuse models whose parameters do not mean the same."""
    first = models[0]
    if not (hasattr(first, "coef_") or hasattr(first, "coefs_")) or not hasattr(first, "predict"):
        raise TypeError(f"`models` must be linear models or networks, got {type(first).__name__}.")
    if hasattr(first, "coef_") and not _is_linear(first):
        raise TypeError(f"`models` must predict from `coef_` and `intercept_` alone; {type(first).__name__} does not.")
    for model in models[1:]:
        if type(model) is not type(first):
            raise ValueError(f"`models` must be of one class, got {type(first).__name__} and {type(model).__name__}.")
        for name in ("classes_", "feature_names_in_", "n_features_in_", "activations_", "out_activation_", "loss_"):
            if not np.array_equal(np.asarray(getattr(first, name, None)), np.asarray(getattr(model, name, None))):
                if name == "loss_" and not isinstance(getattr(first, name, None), str):
                    continue  # the value of a network's loss
                raise ValueError(
                    f"`models` must agree in `{name}`, got {getattr(first, name, None)!r} and "
                    f"{getattr(model, name, None)!r}."
                )
        levels = [getattr(getattr(each, "_coder", None), "levels", {}) for each in (first, model)]
        if levels[0].keys() != levels[1].keys() or any(
            not np.array_equal(levels[0][column], levels[1][column]) for column in levels[0]
        ):
            raise ValueError("`models` must have seen the same categories, in every categorical column.")


def _is_linear(model):
    """Whether scores are constant once all averaged parameters are zero, so that no others have a part in them."""
    twin = copy.deepcopy(model)
    try:
        for name in _ARRAYS:
            if hasattr(twin, name):
                value = getattr(twin, name)
                setattr(twin, name, value * 0 if sparse.issparse(value) else np.zeros_like(value)[()])
        score = getattr(twin, "decision_function", twin.predict)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the rows have no column names
            scores = np.asarray(score(np.random.default_rng(0).normal(size=(5, model.n_features_in_))))
    except (AttributeError, ValueError):
        return False
    return bool(np.all(scores == scores[:1]))


def federated_fit(estimator, sites, *, n_rounds=10, n_local=1, callback=None):
    """Rounds of federated averaging, simulated in one process.

    In every round each site starts from the common model, trains it on its rows, and the parameters are averaged with
    the numbers of rows as weights.

    Parameters
    ----------
    estimator : estimator
        Cloned. With `partial_fit` (stochastic gradients, networks), a site takes `n_local` passes over its rows;
        with `warm_start` (logistic regression), `n_local` iterations of its solver.
    sites : sequence of (X, y)
        Rows of every site. All classes need to be known to all: with `warm_start`, every site must have rows of each.
    n_rounds : int, default=10
    n_local : int, default=1
        Local passes or iterations between averages. More passes save communication, but the sites drift apart, and the
        limit is no longer the fit to the pooled rows.
    callback : callable or None, default=None
        Called after every round with the number of the round (from 1) and the common model.

    Returns
    -------
    estimator
        The common model after the last round.

    See Also
    --------
    federated_average : the average alone, for models that come from elsewhere.

    Notes
    -----
    With one site, or with one step on all rows of a site per round (``batch_size`` of at least the rows of the largest
    site, no momentum, no penalty), a round is exactly the step that gradient descent on the pooled rows would take.

    References
    ----------
    McMahan, B., Moore, E., Ramage, D., Hampson, S. and Aguera y Arcas, B. (2017). Communication-efficient learning of
    deep networks from decentralized data. AISTATS.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.ensemble import federated_fit
    >>> from statlearn.svm import SGDRegressor
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> sites = [(X[k::3], X[k::3] @ [1.0, -2.0]) for k in range(3)]
    >>> federated_fit(SGDRegressor(random_state=0), sites, n_rounds=60).coef_.round(2)
    array([ 1., -2.])
    """
    check_arguments(
        federated_fit,
        estimator=(estimator, [HasMethods("fit", "get_params")]),
        n_rounds=(n_rounds, [Int(1, None)]),
        n_local=(n_local, [Int(1, None)]),
        callback=(callback, ["callable", None]),
    )
    sites = [tuple(site) for site in sites]
    if not sites or any(len(site) != 2 for site in sites):
        raise ValueError("`sites` must contain at least one pair (X, y), and nothing else.")
    for X, y in sites:
        check_same_length(X, y)
    rows = [len(y) for _, y in sites]
    classes = np.unique(np.concatenate([np.unique(y) for _, y in sites])) if is_classifier(estimator) else None
    model = clone(estimator)
    parameters = model.get_params(deep=False)
    if "random_state" in parameters and parameters["random_state"] is None:
        model.set_params(random_state=int(np.random.default_rng().integers(2**31)))  # one start for all sites
    for number in range(1, n_rounds + 1):
        model = federated_average([_train(model, X, y, classes, n_local) for X, y in sites], rows)
        if callback is not None:
            callback(number, model)
    restored = {name: parameters[name] for name in ("warm_start", "max_iter", "random_state") if name in parameters}
    return model.set_params(**restored)


def _train(model, X, y, classes, n_local):
    """A copy of the common model after training at a site."""
    model = copy.deepcopy(model)
    if hasattr(model, "partial_fit"):
        options = {} if classes is None else {"classes": classes}
        for _ in range(n_local):
            model.partial_fit(X, y, **options)
        return model
    names = model.get_params(deep=False)
    if "warm_start" not in names or "max_iter" not in names:
        raise TypeError(
            f"`estimator` must have `partial_fit` or `warm_start` and `max_iter`, got {type(model).__name__}."
        )
    if classes is not None and len(np.unique(y)) < len(classes):
        raise ValueError(
            f"Every site must have rows of all {len(classes)} classes for {type(model).__name__}; use an estimator "
            "with `partial_fit`, such as SGDClassifier(loss='log_loss')."
        )
    model.set_params(warm_start=True, max_iter=n_local)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a few iterations are what is asked for
        return model.fit(X, y)
