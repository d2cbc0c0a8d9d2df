"""Quality of recommendations: lists of N items, and splits of ratings by time."""

import numpy as np

from statlearn._core.frames import cells, column_names, n_rows
from statlearn._core.params import Int, Options, Real, check_arguments
from statlearn._core.warnings import StatlearnWarning, warn

_METRICS = ("precision", "recall", "ndcg", "hit_rate")


def _hits(recommended, relevant, n):
    """For each user a boolean array: whether each of the first n recommended items is relevant."""
    recommended, relevant = list(recommended), list(relevant)
    if len(recommended) != len(relevant):
        raise ValueError(
            f"recommended and relevant must have one entry per user, got {len(recommended)} and {len(relevant)}."
        )
    if n is not None:
        check_arguments("metric at N", n=(n, [Int(1, None)]))
    hits = []
    for items, wanted in zip(recommended, relevant):
        wanted = {_plain(item) for item in np.ravel(np.asarray(list(wanted), dtype=object))}
        items = [_plain(item) for item in np.ravel(np.asarray(list(items), dtype=object))][:n]
        if len(set(items)) < len(items):
            raise ValueError("`recommended` contains an item twice in one list.")
        hits.append((np.array([item in wanted for item in items], dtype=bool), len(wanted)))
    return hits


def _plain(item):
    return item.item() if isinstance(item, np.generic) else item


def _mean_over_users(values):
    """Mean over the users with relevant items; NaN if there are none."""
    values = np.array(values, dtype=float)
    return float(np.nanmean(values)) if np.isfinite(values).any() else float("nan")


def precision_at_n(recommended, relevant, n=None):
    """Mean share of relevant items among the first n recommended ones.

    Parameters
    ----------
    recommended : sequence of sequences
        The items recommended to each user, the best first.
    relevant : sequence of collections
        The items that are relevant for each user. Users without any are left out of the mean.
    n : int or None, default=None
        Length of the lists; None means their full length. A list shorter than n counts as filled up with irrelevant
        items.

    Returns
    -------
    float

    See Also
    --------
    recall_at_n, ndcg_at_n, recommender_report

    Examples
    --------
    >>> from statlearn.assess import precision_at_n
    >>> precision_at_n([["a", "b", "c", "d"]], [{"a", "d", "e"}], n=4)
    0.5
    """
    return _mean_over_users(
        [
            hits.sum() / max(1, len(hits) if n is None else n) if count else np.nan
            for hits, count in _hits(recommended, relevant, n)
        ]
    )


def recall_at_n(recommended, relevant, n=None):
    """Mean share of the relevant items that are among the first n recommended ones.

    Parameters
    ----------
    recommended : sequence of sequences
        The items recommended to each user, the best first.
    relevant : sequence of collections
        The items that are relevant for each user. Users without any are left out of the mean.
    n : int or None, default=None
        Length of the lists; None means their full length.

    Returns
    -------
    float

    Examples
    --------
    >>> from statlearn.assess import recall_at_n
    >>> recall_at_n([["a", "b", "c", "d"]], [{"a", "d", "e", "f"}], n=4)
    0.5
    """
    return _mean_over_users(
        [hits.sum() / count if count else np.nan for hits, count in _hits(recommended, relevant, n)]
    )


def ndcg_at_n(recommended, relevant, n=None):
    r"""Mean normalised discounted cumulative gain of the first n recommended items.

    A relevant item at position k counts :math:`1 / \log_2(k + 1)`; the sum is divided by that of a perfect list.

    Parameters
    ----------
    recommended : sequence of sequences
        The items recommended to each user, the best first.
    relevant : sequence of collections
        The items that are relevant for each user. Users without any are left out of the mean.
    n : int or None, default=None
        Length of the lists; None means their full length.

    Returns
    -------
    float

    References
    ----------
    Jarvelin & Kekalainen (2002), Cumulated gain-based evaluation of IR techniques.

    Examples
    --------
    >>> from statlearn.assess import ndcg_at_n
    >>> round(ndcg_at_n([["x", "a"]], [{"a"}]), 4)
    0.6309
    """
    values = []
    for hits, count in _hits(recommended, relevant, n):
        discount = 1.0 / np.log2(np.arange(max(len(hits), count)) + 2)
        best = discount[: min(count, len(hits) if n is None else n)].sum() if count else 0.0
        values.append(float(discount[: len(hits)] @ hits) / best if best > 0 else np.nan)
    return _mean_over_users(values)


def user_time_split(X, times=None, *, user=0, n_test=1, test_size=None, min_train=1):
    """Split of ratings that keeps the latest ratings of each user for testing.

    A random split lets a model learn from ratings that were given after those it is tested on.

    Parameters
    ----------
    X : table of shape (n_ratings, n_columns)
        A long table with a row per rating.
    times : array-like of shape (n_ratings,), str or None, default=None
        Times of the ratings, the name of their column, or None for the order of the rows.
    user : int or str, default=0
        The column of users.
    n_test : int, default=1
        Number of ratings per user for testing.
    test_size : float or None, default=None
        Share of each user's ratings for testing, rounded down; replaces `n_test`.
    min_train : int, default=1
        Users are not tested unless this number of their ratings is left for training.

    Returns
    -------
    train, test : ndarray of int
        Row numbers. For each user, no rating of `train` is later than one of `test`.

    See Also
    --------
    recommender_report, TimeSeriesSplit

    Examples
    --------
    >>> from statlearn.assess import user_time_split
    >>> X = [["A", "x"], ["B", "x"], ["A", "y"], ["A", "z"], ["B", "z"]]
    >>> train, test = user_time_split(X)
    >>> test
    array([3, 4])
    """
    check_arguments(
        user_time_split,
        n_test=(n_test, [Int(1, None)]),
        test_size=(test_size, [Real(0, 1, closed="neither"), None]),
        min_train=(min_train, [Int(0, None)]),
    )
    X = X if hasattr(X, "columns") else np.asarray(X, dtype=object)
    n = n_rows(X)
    users = _column(X, user, "user")
    if times is None:
        when = np.arange(n)
    else:
        when = _column(X, times, "times") if isinstance(times, str) else np.asarray(times)
    if len(when) != n:
        raise ValueError(f"times has {len(when)} entries, but X has {n} rows.")
    if when.dtype.kind in "fM" and (when != when).any():
        raise ValueError("`times` contains missing values.")
    codes = np.unique(users.astype(str) if users.dtype == object else users, return_inverse=True)[1].ravel()
    order = np.lexsort((np.arange(n), when, codes))
    counts = np.bincount(codes)
    ends = np.cumsum(counts)
    wanted = np.full(len(counts), n_test) if test_size is None else (counts * test_size).astype(int)
    wanted = np.where(counts - wanted >= min_train, wanted, 0)
    # The rank of a rating from the end of its user's.
    from_end = np.repeat(ends, counts) - np.arange(n)
    held = np.empty(n, dtype=bool)
    held[order] = from_end <= np.repeat(wanted, counts)
    return np.flatnonzero(~held), np.flatnonzero(held)


def _column(X, column, name):
    names = column_names(X)
    if isinstance(column, str):
        if column not in names:
            raise ValueError(f"`{name}`: X has no column {column!r}; its columns are {names}.")
        column = names.index(column)
    return np.asarray(cells(X, int(column)))


def recommender_report(model, X, y=None, *, n=10, threshold=None, metric_names=_METRICS):
    """Quality of a fitted recommender on held-out ratings.

    Lists of n items that the users had not rated in the training data are compared with the items of the test data.
    The root mean squared error is that of the predicted ratings of known users and items; it is NaN for models that
    predict preferences or other scores, whose scale is not that of the ratings.

    Parameters
    ----------
    model : recommender
        A fitted recommender of :mod:`statlearn.decomposition`.
    X : table
        Held-out ratings as a long table, in the form that `fit` took.
    y : array-like of shape (n_ratings,) or None, default=None
        Ratings, if X has none.
    n : int, default=10
        Length of the lists.
    threshold : float or None, default=None
        Smallest rating of a relevant item; None means that all items of the test data are relevant.
    metric_names : sequence of {"precision", "recall", "ndcg", "hit_rate"}
        What to report in addition to the error.

    Returns
    -------
    dict
        Means over the users with relevant items, the root mean squared error `rmse`, and `n_users`, the number of these
        users. Users without training data are left out.

    See Also
    --------
    user_time_split : splits that keep later ratings for testing.

    Examples
    --------
    >>> from statlearn.assess import recommender_report
    >>> from statlearn.decomposition import ItemKNNRecommender
    >>> X = [["A", "x", 5], ["A", "y", 5], ["B", "x", 4], ["B", "y", 4], ["C", "x", 5], ["D", "z", 1]]
    >>> model = ItemKNNRecommender().fit(X)
    >>> round(recommender_report(model, [["C", "y", 4]], n=1)["recall"], 3)
    1.0
    """
    check_arguments(recommender_report, n=(n, [Int(1, None)]), threshold=(threshold, [Real(None, None), None]))
    for name in metric_names:
        check_arguments(recommender_report, metric_names=(name, [Options(*_METRICS)]))
    rows, cols, values = model.read_known(X, y)
    wanted = np.ones(len(values), dtype=bool) if threshold is None else values >= threshold
    if len(values) and not wanted.any():
        warn(
            f"None of the {len(values)} held-out ratings reaches `threshold`={threshold:g} (the largest is "
            f"{values.max():g}), so no item is relevant and the lists cannot be judged. Lower `threshold`; if the "
            "model reads no ratings from X, pass them as y.",
            StatlearnWarning,
        )
    users = np.unique(rows[wanted])
    report = {}
    if len(users):
        items, scores = model.recommend(model.users_[users], n)
        lists = [row[~np.isnan(score)] for row, score in zip(items, scores)]
        order = np.argsort(rows[wanted], kind="stable")
        ends = np.searchsorted(rows[wanted][order], users, side="right")
        relevant = [set(group.tolist()) for group in np.split(model.items_[cols[wanted][order]], ends[:-1])]
        functions = {
            "precision": precision_at_n,
            "recall": recall_at_n,
            "ndcg": ndcg_at_n,
            "hit_rate": lambda a, b, k: float(np.mean([hits.any() for hits, _ in _hits(a, b, k)])),
        }
        report = {name: functions[name](lists, relevant, n) for name in metric_names}
    else:
        report = dict.fromkeys(metric_names, float("nan"))
    report["rmse"] = float("nan")
    if len(values) and getattr(model, "predicts_ratings", True):
        report["rmse"] = float(np.sqrt(np.mean((model.predict_codes(rows, cols) - values) ** 2)))
    report["n_users"] = len(users)
    return report
