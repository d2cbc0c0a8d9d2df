"""Out-of-bag estimates of forests: each row is predicted by the trees that have not seen it."""

import warnings

import numpy as np
from scipy.sparse import issparse
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.frames import column_mask, monotone_signs, take_columns
from statlearn._core.jobs import jobs
from statlearn._core.native import ensemble as native
from statlearn._core.standard_error import standard_error

CELLS = 20_000_000  # leaf numbers held at a time


def bags(model, used=None):
    """The bits of the rows that each tree has seen, (n_trees, ceil(n_rows / 8)); `used` marks rows of weight > 0."""
    n = model._n_samples
    found = np.empty((len(model.forest_), -(-n // 8)), np.uint8)
    native.bootstrap_bags(model.seeds_, model._n_samples_bootstrap, model._cumulative(), n, found)
    if used is None:
        return found
    bits = np.zeros((len(found), len(used)), np.uint8)
    bits[:, used] = np.unpackbits(found, axis=1, bitorder="little", count=n)
    return np.packbits(bits, axis=1, bitorder="little")


def mean_values(model, X, used=None):
    """Mean leaf values over the trees that have not seen a row, and how many these are. X is encoded."""
    forest, n = model.forest_, X.shape[0]
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
            "OOB estimates.",
            UserWarning,
            stacklevel=4,
        )
    sums /= np.maximum(trees, 1)[:, None]
    return sums, trees


def set_classifier_attributes(model, X, codes, used):
    """`oob_decision_function_` and `oob_score_`."""
    from sklearn.metrics import accuracy_score

    sums, _ = mean_values(model, model._coder.encode(X), used)
    outputs = codes.shape[1]
    shares = np.moveaxis(sums.reshape(len(sums), outputs, -1), 1, 2)  # (n, classes, outputs)
    model.oob_decision_function_ = shares[:, :, 0] if outputs == 1 else shares
    score = model.oob_score if callable(model.oob_score) else accuracy_score
    truth = codes[:, 0] if outputs == 1 else codes
    model.oob_score_ = score(truth, np.argmax(model.oob_decision_function_, axis=1))


def set_regressor_attributes(model, X, y, used):
    """`oob_prediction_` and `oob_score_`."""
    from sklearn.metrics import r2_score

    sums, _ = mean_values(model, model._coder.encode(X), used)
    model.oob_prediction_ = sums[:, 0] if y.shape[1] == 1 else sums
    score = model.oob_score if callable(model.oob_score) else r2_score
    model.oob_score_ = score(y, model.oob_prediction_)


def require_forest(model):
    """Refuse anything but a fitted forest."""
    if not hasattr(model, "_dense_table"):
        raise TypeError(
            f"A random forest or extra trees of statlearn are needed, which know the rows of each tree; got "
            f"{type(model).__name__}."
        )
    check_is_fitted(model)


def _training_table(model, X, y=None):
    """The training rows again, encoded, and y as the trees know it."""
    require_forest(model)
    if not model.bootstrap:
        raise ValueError("Out-of-bag rows exist only with bootstrap=True.")
    X = model._dense_table(X)
    if X.shape[0] != model._n_samples:
        raise ValueError(
            f"X has {X.shape[0]} rows, but the forest was grown on {model._n_samples}: give the training rows, in "
            "their order and without rows of weight 0."
        )
    if y is None:
        return X
    y = np.asarray(y)
    if len(y) != X.shape[0]:
        raise ValueError(f"y has {len(y)} rows, X has {X.shape[0]}.")
    y = y.reshape(len(y), -1)
    if not isinstance(model, ClassifierMixin):
        return X, np.ascontiguousarray(y, np.float64)
    classes = [model.classes_] if model.n_outputs_ == 1 else model.classes_
    codes = np.column_stack([np.searchsorted(c, y[:, k]) for k, c in enumerate(classes)])
    if any(np.any(np.asarray(c).take(codes[:, k], mode="clip") != y[:, k]) for k, c in enumerate(classes)):
        raise ValueError("y has a label that the forest has not seen.")
    return X, np.ascontiguousarray(codes, np.float64)


def _decisions(model):
    """What every node predicts for each output: a label number or a mean."""
    values = model.forest_.value
    if not isinstance(model, ClassifierMixin):
        return values
    return np.argmax(values.reshape(len(values), model.n_outputs_, -1), axis=2).astype(np.float64)


def oob_error_curve(model, X, y):
    """The out-of-bag error after 1, 2, ... trees, from one fit: where it is flat, more trees are of no use.

    Parameters
    ----------
    model : RandomForestClassifier, RandomForestRegressor, or extra trees with bootstrap=True
        Fitted.
    X, y : array-like
        The rows that it was fitted on.

    Returns
    -------
    errors : ndarray of shape (n_estimators,)
        Share of wrong classes, or mean squared error, over the rows that at least one of the first trees has not
        seen (and over outputs). NaN as long as there is no such row.

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
    forest, n = model.forest_, X.shape[0]
    unseen = np.unpackbits(bags(model), axis=1, bitorder="little", count=n) == 0
    classify = isinstance(model, ClassifierMixin)
    sums, trees = np.zeros((n, forest.value.shape[1])), np.zeros(n, np.int64)
    loss = np.zeros(n)
    errors = np.full(len(forest), np.nan)
    with jobs(model.n_jobs):
        for t in range(len(forest)):
            rows = np.flatnonzero(unseen[t])
            tree = forest.tree(t)
            own = np.zeros((len(rows), sums.shape[1]))
            tree.add_predictions(X[rows], own)
            sums[rows] += own
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
    found = np.empty((len(forest), X.shape[1]))
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
            importance=found,
        )
    return found


def _standardised(by_tree, scaled):
    """Mean over the trees, divided by its standard error where asked for; 0 where no tree ever tells."""
    mean = by_tree.mean(axis=0)
    if not scaled:
        return mean
    error = standard_error(by_tree, axis=0)
    return np.divide(mean, error, out=np.zeros_like(mean), where=error > 0)


def oob_permutation_importance(model, X, y, *, scaled=False, random_state=None):
    """How much worse each tree predicts the rows it has not seen after a column is permuted among them.

    Parameters
    ----------
    model : RandomForestClassifier, RandomForestRegressor, or extra trees with bootstrap=True
        Fitted.
    X, y : array-like
        The rows that it was fitted on.
    scaled : bool, default=False
        Divide the mean over the trees by its standard error.
    random_state : int, RandomState or None

    Returns
    -------
    importances : ndarray of shape (n_features,)
        Mean over the trees of the fall of the accuracy, or of the rise of the mean squared error. Exactly 0 for a
        column that no tree splits on.

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
    """How much worse the forest predicts unseen rows when it cannot use a column.

    Parameters
    ----------
    model : RandomForestClassifier, RandomForestRegressor, or extra trees with bootstrap=True
        Fitted.
    X, y : array-like
        The rows that it was fitted on.
    method : {"random_side", "refit"}
        "random_side": every test of the column sends an out-of-bag row left with the share of the training rows that
        went left. "refit": the forest is grown anew without the column, so that others can stand in for it.
    scaled : bool, default=False
        With "random_side", divide the mean over the trees by its standard error.
    random_state : int, RandomState or None

    Returns
    -------
    importances : ndarray of shape (n_features,)
        Rise of the out-of-bag error: mean over the trees of the single trees' errors for "random_side", error of the
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
        raise ValueError(f"method must be 'random_side' or 'refit'. Got {method!r} instead.")
    X = X if hasattr(X, "columns") or issparse(X) else np.asarray(X)
    if X.shape[1] < 2:
        raise ValueError("Without its only column there is nothing left to learn from: method='refit' needs two.")
    seed = check_random_state(random_state).randint(np.iinfo(np.int32).max)
    error = oob_error_curve(model, X, y)[-1]
    found = np.empty(X.shape[1])
    for j in range(X.shape[1]):
        rest = take_columns(X, np.delete(np.arange(X.shape[1]), j))
        again = _for_other_columns(model, j).set_params(random_state=seed, oob_score=False, warm_start=False)
        found[j] = oob_error_curve(again.fit(rest, y), rest, y)[-1] - error
    return found


def _for_other_columns(model, j):
    """An unfitted copy of a forest for tables without column j, about which its settings say nothing any more."""
    p, names = model.n_features_in_, getattr(model, "feature_names_in_", None)
    again, settings = clone(model), {}
    if model.categorical_features is not None and not isinstance(model.categorical_features, str):
        mask = np.delete(column_mask(model.categorical_features, p, names, "categorical_features"), j)
        settings["categorical_features"] = np.flatnonzero(mask).tolist() or None
    if model.monotonic_cst is not None:
        signs = np.delete(monotone_signs(model.monotonic_cst, p, names), j) if np.any(model.monotonic_cst) else []
        settings["monotonic_cst"] = signs.tolist() if np.any(signs) else None
    return again.set_params(**settings)
