"""Choice of the number of neighbours by cross-validation, with a single search for all candidates."""

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils import get_tags, indexable

from statlearn._core.frames import take_rows
from statlearn._core.params import Int, Options, check_arguments, check_value
from statlearn._core.selection import CVCurve
from statlearn._math.inference import standard_error

_LOSSES = {True: ("zero_one", "brier"), False: ("squared", "absolute")}


def default_candidates(largest):
    """About 40 integers from 1 to at most 200, more closely spaced where they are small."""
    return np.unique(np.round(np.geomspace(1, min(largest, 200), 60)).astype(int))


def _split(estimator, X, rows, columns):
    """Rows of X; of a distance matrix also the columns of the training rows."""
    part = take_rows(X, rows)
    return part[:, columns] if get_tags(estimator).input_tags.pairwise else part


def _point_losses(estimator, X, y, ks, loss):
    """Loss at every row of X for every k, of shape (len(ks), m), from the neighbours of the largest."""
    out = np.empty((len(ks), len(y)))
    predictions = estimator._along_k(*estimator.kneighbors(X), ks, loss, estimator._query_rows(X))
    for i, said in enumerate(predictions):
        if loss == "zero_one":
            wrong = said != y
            out[i] = wrong.any(axis=1) if wrong.ndim > 1 else wrong
        elif loss == "brier":
            out[i] = np.sum((said - (estimator.classes_ == y[:, None])) ** 2, axis=1)
        else:
            gap = np.abs(said - y) ** (2 if loss == "squared" else 1)
            out[i] = gap.mean(axis=1) if gap.ndim > 1 else gap
    return out


def choose_k(estimator, X, y, *, n_neighbors=None, cv=10, average="folds", loss=None, rule="min"):
    """Nearest-neighbour model with the number of neighbours chosen by cross-validation.

    The neighbours of a held-out row are searched only once, for the largest candidate. The results for smaller
    candidates are read off the same sorted list.

    Parameters
    ----------
    estimator : KNeighborsClassifier or KNeighborsRegressor
        Model with metric, weights and aggregation; its `n_neighbors` is replaced.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
    n_neighbors : sequence of int or None, default=None
        Candidates. None tries about 40 values from 1 to 200, or to the size of the smallest training part.
    cv : "loo", int, splitter or iterable of splits, default=10
        "loo" is leave-one-out, which needs a single search in total. Folds are stratified by class.
    average : {"folds", "points"}, default="folds"
        Whether to average the means of the folds, as scikit-learn's searches do, or all held-out points.
    loss : str or None, default=None
        "zero_one" (default) or "brier" for classification, "squared" (default) or "absolute" for regression.
    rule : {"min", "one_se"}, default="min"
        "min" chooses the smallest loss and, among ties, the largest k. "one_se" chooses the largest k within one
        standard error of the smallest loss.

    Returns
    -------
    estimator
        Clone with the chosen `n_neighbors`, fitted to all rows, with the attribute ``cv_curve_``.

    See Also
    --------
    statlearn.assess.GridSearchCV : also tunes the metric and the weights.

    Notes
    -----
    A larger k gives a smoother, simpler model. With "loo" the standard error is that of the mean over points. Duplicate
    rows vote for each other across folds; keep them together with a grouped splitter.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.neighbors import KNeighborsClassifier, choose_k
    >>> X, y = load_iris(return_X_y=True)
    >>> model = choose_k(KNeighborsClassifier(), X, y, cv="loo")
    >>> model.n_neighbors
    21
    """
    from sklearn.model_selection import check_cv

    if not hasattr(estimator, "_along_k"):
        raise TypeError(f"`estimator` must be a KNeighborsClassifier or a KNeighborsRegressor, got {estimator!r}.")
    classes = is_classifier(estimator)
    check_arguments(
        choose_k,
        n_neighbors=(n_neighbors, ["array-like", None]),
        cv=(cv, [Options("loo"), "cv"]),
        average=(average, [Options("folds", "points")]),
        loss=(loss, [Options(*_LOSSES[classes]), None]),
        rule=(rule, [Options("min", "one_se")]),
    )
    loss = loss or _LOSSES[classes][0]
    X, y = indexable(X, y)
    n = len(np.asarray(y))
    whole = np.arange(n)
    if isinstance(cv, str):
        ks = _candidates(n_neighbors, n - 1)
        fold = clone(estimator).set_params(n_neighbors=int(ks.max())).fit(X, y)
        points = _point_losses(fold, None, np.asarray(y), ks, loss)
        error = standard_error(points, axis=1)
        curve = CVCurve(ks[::-1], points.mean(axis=1)[::-1, None], name="n_neighbors", known_std_error=error[::-1])
    else:
        splits = list(check_cv(cv, y, classifier=classes).split(X, y))
        ks = _candidates(n_neighbors, min(len(whole[train]) for train, _ in splits))
        losses, sizes = [], []
        for train, test in splits:
            train, test = whole[train], whole[test]
            fold = clone(estimator).set_params(n_neighbors=int(ks.max()))
            fold.fit(_split(estimator, X, train, train), take_rows(y, train))
            held = _split(estimator, X, test, train)
            losses.append(_point_losses(fold, held, np.asarray(take_rows(y, test)), ks, loss).mean(axis=1))
            sizes.append(len(test))
        weight = np.array(sizes, dtype=np.float64) if average == "points" else None
        curve = CVCurve(ks[::-1], np.array(losses).T[::-1], weight, name="n_neighbors")
    chosen = clone(estimator).set_params(n_neighbors=int(curve.parameter[curve.chosen(rule)])).fit(X, y)
    chosen.cv_curve_ = curve
    return chosen


def _candidates(candidates, limit):
    if limit < 1:
        raise ValueError(
            "choose_k needs at least two rows of X, because each row is held out in turn and compared with the others."
        )
    if candidates is None:
        return default_candidates(limit)
    ks = np.unique(np.asarray(candidates))
    for k in ks.tolist():
        check_value("n_neighbors", k, [Int(1, None)], "choose_k")
    if len(ks) == 0 or ks[-1] > limit:
        raise ValueError(f"`n_neighbors` must be between 1 and {limit}, the number of rows left for training.")
    return ks
