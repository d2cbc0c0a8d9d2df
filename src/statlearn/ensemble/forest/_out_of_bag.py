"""Out-of-bag estimates for forests: each row is predicted by the trees that were not grown on it."""

import warnings

import numpy as np
from scipy.sparse import issparse
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.frames import column_mask, monotone_signs, take_columns
from statlearn._core.jobs import jobs
from statlearn._core.native import ensemble as native
from statlearn._core.validation import class_codes
from statlearn._math.inference import standard_error

CELLS = 20_000_000  # leaf indices held in memory at a time


def bags(model, used=None):
    """In-bag rows of each tree as bits, (n_trees, ceil(n_rows / 8)); `used` marks rows of positive weight."""
    n = model._n_samples
    in_bag = np.empty((len(model.forest_), -(-n // 8)), np.uint8)
    native.bootstrap_bags(model.seeds_, model._n_samples_bootstrap, model._cumulative(), n, in_bag)
    if used is None:
        return in_bag
    bits = np.zeros((len(in_bag), len(used)), np.uint8)
    bits[:, used] = np.unpackbits(in_bag, axis=1, bitorder="little", count=n)
    return np.packbits(bits, axis=1, bitorder="little")


def mean_values(model, X, used=None):
    """Mean leaf values over the trees for which a row is out of bag, and the number of these. X is encoded."""
    forest, n = model._voting_forest(), X.shape[0]
    seen = bags(model, used)
    sums, trees = np.zeros((n, forest.value.shape[1])), np.zeros(n, np.int64)
    block = max(1, CELLS // len(forest))
    with jobs(model.n_jobs):
        for start in range(0, n, block):
            part = slice(start, min(n, start + block))
            leaves = forest.apply(X[part]) + forest.roots
            native.oob_add(leaves, seen, start, forest.value, sums[part], trees[part])
    if np.any(trees == 0):
        warnings.warn(
            "Some inputs do not have OOB scores. This probably means too few trees were used to compute any reliable "
            "OOB estimates. Increase `n_estimators`.",
            UserWarning,
            stacklevel=4,
        )
    sums /= np.maximum(trees, 1)[:, None]
    return sums, trees


def require_forest(model):
    """Raise unless the model is a fitted forest."""
    if not hasattr(model, "_dense_table"):
        raise TypeError(
            f"`model` must be a statlearn random forest or extra-trees model, which records the training rows of each "
            f"tree; got {type(model).__name__}."
        )
    check_is_fitted(model)


def _training_table(model, X, y=None):
    """The encoded training rows, and y as used by the trees."""
    require_forest(model)
    if not model.bootstrap:
        raise ValueError("`model` has no out-of-bag rows, because it was fitted with bootstrap=False.")
    X = model._dense_table(X)
    if X.shape[0] != model._n_samples:
        raise ValueError(
            f"X has {X.shape[0]} rows, but the forest was fitted to {model._n_samples}. Pass the training rows in the "
            "same order, without rows of weight 0."
        )
    if y is None:
        return X
    y = np.asarray(y)
    if len(y) != X.shape[0]:
        raise ValueError(f"X and y must have the same number of rows, got {X.shape[0]} and {len(y)}.")
    y = y.reshape(len(y), -1)
    if not isinstance(model, ClassifierMixin):
        return X, np.ascontiguousarray(y, np.float64)
    classes = [model.classes_] if model.n_outputs_ == 1 else model.classes_
    codes = np.column_stack([class_codes(c, y[:, k]) for k, c in enumerate(classes)])
    return X, np.ascontiguousarray(codes, np.float64)


def _decisions(model):
    """Prediction of every node for each output: a class index or a mean."""
    values = model.forest_.value
    if not isinstance(model, ClassifierMixin):
        return values
    return np.argmax(values.reshape(len(values), model.n_outputs_, -1), axis=2).astype(np.float64)


def oob_error_curve(model, X, y):
    """Out-of-bag error of a forest as a function of the number of trees, from one fit.

    Once the curve is flat, more trees do not help.

    Parameters
    ----------
    model : RandomForestClassifier, RandomForestRegressor, or extra trees with bootstrap=True
        A fitted forest.
    X, y : array-like
        The training data of the forest.

    Returns
    -------
    errors : ndarray of shape (n_estimators,)
        Misclassification rate or mean squared error, over the rows (and outputs) that are out of bag for at least one
        of the trees so far. NaN if there are no such rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.ensemble import RandomForestClassifier, oob_error_curve
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(n_estimators=30, random_state=0).fit(X, y)
    >>> oob_error_curve(forest, X, y).shape
    (30,)
    """
    X, y = _training_table(model, X, y)
    forest, n = model._voting_forest(), X.shape[0]
    unseen = np.unpackbits(bags(model), axis=1, bitorder="little", count=n) == 0
    classify = isinstance(model, ClassifierMixin)
    sums, trees = np.zeros((n, forest.value.shape[1])), np.zeros(n, np.int64)
    loss = np.zeros(n)
    errors = np.full(len(forest), np.nan)
    with jobs(model.n_jobs):
        for t in range(len(forest)):
            rows = np.flatnonzero(unseen[t])
            tree = forest.tree(t)
            values = np.zeros((len(rows), sums.shape[1]))
            tree.add_predictions(X[rows], values)
            sums[rows] += values
            trees[rows] += 1
            if classify:
                shares = sums[rows].reshape(len(rows), y.shape[1], -1)
                loss[rows] = np.mean(np.argmax(shares, axis=2) != y[rows], axis=1)
            else:
                loss[rows] = np.mean((sums[rows] / trees[rows, None] - y[rows]) ** 2, axis=1)
            known = trees > 0
            if np.any(known):
                errors[t] = loss[known].mean()
    return errors


def _importance(model, X, y, random_side, random_state):
    X, y = _training_table(model, X, y)
    forest = model.forest_
    seed = check_random_state(random_state).randint(np.iinfo(np.int32).max)
    importance = np.empty((len(forest), X.shape[1]))
    with jobs(model.n_jobs):
        native.oob_importance(
            X,
            *forest._walk(),
            node_rows=forest.rows,
            decision=_decisions(model),
            labels=isinstance(model, ClassifierMixin),
            y=y,
            bags=bags(model),
            random_side=random_side,
            seed=seed,
            importance=importance,
        )
    return importance


def _standardised(by_tree, scaled):
    """Mean over the trees, optionally divided by its standard error; 0 for columns that no tree uses."""
    mean = by_tree.mean(axis=0)
    if not scaled:
        return mean
    error = standard_error(by_tree, axis=0)
    return np.divide(mean, error, out=np.zeros_like(mean), where=error > 0)


def oob_permutation_importance(model, X, y, *, scaled=False, random_state=None):
    """Out-of-bag permutation importances of a forest.

    For each tree, the increase in error on its out-of-bag rows after a column is permuted among them.

    Parameters
    ----------
    model : RandomForestClassifier, RandomForestRegressor, or extra trees with bootstrap=True
        A fitted forest.
    X, y : array-like
        The training data of the forest.
    scaled : bool, default=False
        Whether to divide the mean over the trees by its standard error.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    importances : ndarray of shape (n_features,)
        Mean over the trees of the decrease in accuracy or the increase in mean squared error. Exactly 0 for columns
        that no tree splits on.

    References
    ----------
    .. [1] L. Breiman (2001), Random forests, Machine Learning 45.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.ensemble import RandomForestClassifier, oob_permutation_importance
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(random_state=0).fit(X, y)
    >>> oob_permutation_importance(forest, X, y, random_state=0).argmax() in (2, 3)
    True
    """
    return _standardised(_importance(model, X, y, False, random_state), scaled)


def voided_importance(model, X, y, *, method="random_side", scaled=False, random_state=None):
    """Importances of the columns of a forest by disabling one column at a time.

    Parameters
    ----------
    model : RandomForestClassifier, RandomForestRegressor, or extra trees with bootstrap=True
        A fitted forest.
    X, y : array-like
        The training data of the forest.
    method : {"random_side", "refit"}, default="random_side"
        "random_side" sends out-of-bag rows left at random at every split on the column, with the proportion of training
        rows that went left as probability. "refit" refits the forest without the column, so that other columns can
        replace it.
    scaled : bool, default=False
        With "random_side", whether to divide the mean over the trees by its standard error.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    importances : ndarray of shape (n_features,)
        Increase in the out-of-bag error, averaged over the errors of the individual trees for "random_side", of the
        whole forest for "refit".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.ensemble import RandomForestClassifier, voided_importance
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(random_state=0).fit(X, y)
    >>> voided_importance(forest, X, y, random_state=0).argmax() in (2, 3)
    True
    """
    if method == "random_side":
        return _standardised(_importance(model, X, y, True, random_state), scaled)
    if method != "refit":
        raise ValueError(f"`method` must be 'random_side' or 'refit', got {method!r}.")
    X = X if hasattr(X, "columns") or issparse(X) else np.asarray(X)
    if X.shape[1] < 2:
        raise ValueError("method='refit' requires at least two columns, because each is left out in turn.")
    seed = check_random_state(random_state).randint(np.iinfo(np.int32).max)
    error = oob_error_curve(model, X, y)[-1]
    increases = np.empty(X.shape[1])
    for j in range(X.shape[1]):
        rest = take_columns(X, np.delete(np.arange(X.shape[1]), j))
        again = _for_other_columns(model, j).set_params(random_state=seed, oob_score=False, warm_start=False)
        increases[j] = oob_error_curve(again.fit(rest, y), rest, y)[-1] - error
    return increases


def _for_other_columns(model, j):
    """An unfitted copy of a forest for tables without column j, with its parameters adapted accordingly."""
    p, names = model.n_features_in_, getattr(model, "feature_names_in_", None)
    again, settings = clone(model), {}
    if model.categorical_features is not None and not isinstance(model.categorical_features, str):
        mask = np.delete(column_mask(model.categorical_features, p, names, "categorical_features"), j)
        settings["categorical_features"] = np.flatnonzero(mask).tolist() or None
    if model.monotonic_cst is not None:
        signs = np.delete(monotone_signs(model.monotonic_cst, p, names), j) if np.any(model.monotonic_cst) else []
        settings["monotonic_cst"] = signs.tolist() if np.any(signs) else None
    return again.set_params(**settings)
