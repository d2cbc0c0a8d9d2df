"""Proximities of rows in a forest, how often they share a leaf, and quantities derived from them."""

import numpy as np

from statlearn._core.frames import cells, declared_categories, missing
from statlearn._core.jobs import jobs
from statlearn._core.native import ensemble as native

from ._out_of_bag import _training_table, bags, require_forest


def proximity_matrix(model, X, *, oob=None):
    """Proximities of rows in a forest: proportion of trees in which two rows share a leaf.

    Parameters
    ----------
    model : fitted forest
    X : array-like of shape (n_rows, n_features)
        With `oob`, the training rows of the forest.
    oob : bool or None, default=None
        Whether to use only trees for which both rows are out of bag. Trees separate their own training rows if they
        differ in y, which biases proximities. None uses out-of-bag trees if the forest was grown on bootstrap samples
        and X has the number of rows it was fitted to.

    Returns
    -------
    proximities : ndarray of shape (n_rows, n_rows)
        Symmetric, with values between 0 and 1 and a diagonal of 1. 0 for two rows that are never out of bag together.

    Notes
    -----
    Costs O(n_rows^2 n_estimators) time and O(n_rows^2) memory.

    References
    ----------
    .. [1] L. Breiman, A. Cutler (2003), Manual on setting up, using, and understanding random forests V4.0.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.ensemble import RandomForestClassifier, proximity_matrix
    >>> X, y = load_iris(return_X_y=True)
    >>> P = proximity_matrix(RandomForestClassifier(random_state=0).fit(X, y), X)
    >>> bool(P[0, 1] > 0.9), bool(P[0, 149] < 0.1)
    (True, True)
    """
    require_forest(model)
    if oob is None:
        oob = bool(model.bootstrap) and np.shape(X)[0] == model._n_samples
    X = _training_table(model, X) if oob else model._dense_table(X)
    n = X.shape[0]
    seen = bags(model) if oob else np.empty((0, 0), np.uint8)
    share = np.empty((n, n))
    with jobs(model.n_jobs):
        leaves = np.ascontiguousarray(model.forest_.apply(X).T)
        native.proximities(leaves, seen, share)
    return share


def _as_matrix(proximities):
    """Proximities as a square matrix."""
    try:
        P = np.asarray(proximities, dtype=np.float64)
    except (TypeError, ValueError):
        P = np.empty(0)
    if P.ndim != 2 or P.shape[0] != P.shape[1]:
        raise ValueError(
            "`proximities` must be a square numeric matrix, as returned by proximity_matrix(forest, X); got "
            f"{type(proximities).__name__}" + (f" of shape {P.shape}." if P.size else ".")
        )
    return P


def proximity_scaling(proximities, n_components=2):
    """Classical multidimensional scaling of forest proximities.

    Finds points whose squared distances approximate one minus the proximities: the leading eigenvectors of the doubly
    centred matrix of proximities, scaled by the square roots of their eigenvalues.

    Parameters
    ----------
    proximities : array-like of shape (n_rows, n_rows)
    n_components : int, default=2

    Returns
    -------
    points : ndarray of shape (n_rows, n_components)

    Examples
    --------
    >>> from statlearn.ensemble import proximity_scaling
    >>> proximity_scaling([[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]], 1).shape
    (3, 1)
    """
    from statlearn._math.linalg.eigen import eigh_between

    P = _as_matrix(proximities)
    n = len(P)
    if not 1 <= n_components <= n:
        raise ValueError(f"`n_components` must be between 1 and {n}, got {n_components}.")
    centred = P - P.mean(axis=0) - P.mean(axis=1)[:, None] + P.mean()
    values, vectors = eigh_between(centred / 2, n - n_components, n - 1)
    points = vectors[:, ::-1] * np.sqrt(np.maximum(values[::-1], 0.0))
    # The sign of an axis is arbitrary; make its largest coordinate positive.
    return points * np.where(points[np.abs(points).argmax(axis=0), np.arange(n_components)] < 0, -1.0, 1.0)


def proximity_plot(model, X, y=None, *, oob=None, ax=None):
    """Plot of forest proximities in two dimensions, where rows that share many leaves are close together.

    Parameters
    ----------
    model : fitted forest
    X : array-like of shape (n_rows, n_features)
    y : array-like of shape (n_rows,) or None, default=None
        Classes or numbers by which to colour the points.
    oob : bool or None, default=None
        See `proximity_matrix`.
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    ax : matplotlib Axes
        The plot is often star-shaped, with one arm for each class that the forest discriminates well. Rows near the
        centre are hard to classify.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.ensemble import RandomForestClassifier, proximity_plot
    >>> X, y = load_iris(return_X_y=True)
    >>> proximity_plot(RandomForestClassifier(20, random_state=0).fit(X, y), X, y).get_xlabel()
    'first coordinate'
    """
    from statlearn._draw.axes import new_axes

    points = proximity_scaling(proximity_matrix(model, X, oob=oob))
    ax = new_axes(ax)
    if y is None:
        ax.scatter(*points.T, s=14)
    elif hasattr(model, "classes_"):
        for label in np.unique(y):
            ax.scatter(*points[np.asarray(y) == label].T, s=14, label=str(label))
        ax.legend(title="class")
    else:
        ax.figure.colorbar(ax.scatter(*points.T, s=14, c=y), ax=ax)
    ax.set_xlabel("first coordinate")
    ax.set_ylabel("second coordinate")
    ax.set_title("Proximities in the forest")
    return ax


def proximity_outliers(proximities, y):
    """Outlyingness of each row within its class, from forest proximities.

    The number of rows divided by the sum of squared proximities to rows of the same class, minus its median within the
    class, divided by its mean absolute deviation from the median, and at least 0. Values above 10 are suspicious.

    Parameters
    ----------
    proximities : array-like of shape (n_rows, n_rows)
    y : array-like of shape (n_rows,)
        Classes. Pass a constant if there are none.

    Returns
    -------
    outlyingness : ndarray of shape (n_rows,)

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.ensemble import RandomForestClassifier, proximity_matrix, proximity_outliers
    >>> X, y = load_iris(return_X_y=True)
    >>> y[0] = 2  # under a wrong name
    >>> forest = RandomForestClassifier(random_state=0).fit(X, y)
    >>> int(proximity_outliers(proximity_matrix(forest, X), y).argmax())
    0
    """
    P, y = _as_matrix(proximities), np.asarray(y)
    if P.shape != (len(y), len(y)):
        raise ValueError(f"`proximities` must have shape {(len(y), len(y))}, got {P.shape}.")
    outlyingness = np.zeros(len(y))
    for label in np.unique(y):
        members = np.flatnonzero(y == label)
        near = P[np.ix_(members, members)] ** 2
        sums = near.sum(axis=1) - np.diag(near)
        raw = len(y) / np.maximum(sums, 1e-10)
        middle = np.median(raw)
        spread = np.mean(np.abs(raw - middle))
        if spread > 0:
            outlyingness[members] = (raw - middle) / spread
    return np.maximum(outlyingness, 0.0)


def prototypes(X, y, proximities, *, n_prototypes=1, n_neighbors=None):
    """Prototypes of each class from forest proximities.

    The first prototype of a class is found at the row with the most rows of its class among its nearest neighbours. It
    consists of the column medians over these neighbours, or the most frequent level for non-numeric columns. Further
    prototypes are found in the same way among the rows not yet used.

    Parameters
    ----------
    X : array-like or data frame of shape (n_rows, n_features)
    y : array-like of shape (n_rows,)
        Classes.
    proximities : array-like of shape (n_rows, n_rows)
    n_prototypes : int, default=1
        Number of prototypes per class.
    n_neighbors : int or None, default=None
        Number of nearest neighbours. None uses half the size of the smallest class.

    Returns
    -------
    dict of ndarray
        Maps each class to its prototypes, of shape (n_prototypes, n_features); fewer if the rows run out. Missing
        values are ignored.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.ensemble import RandomForestClassifier, proximity_matrix, prototypes
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(random_state=0).fit(X, y)
    >>> prototypes(X, y, proximity_matrix(forest, X))[0]
    array([[5. , 3.4, 1.5, 0.2]])
    """
    P = _as_matrix(proximities)
    columns, y = _columns_of(X), np.asarray(y)
    if P.shape != (len(y), len(y)) or len(columns[0]) != len(y):
        raise ValueError("X, y and proximities must have the same number of rows.")
    labels, sizes = np.unique(y, return_counts=True)
    k = max(1, sizes.min() // 2) if n_neighbors is None else int(n_neighbors)
    nearest = np.argsort(-P, axis=1, kind="stable")[:, :k]
    centres = {}
    for label in labels:
        free, rows = np.ones(len(y), bool), []
        for _ in range(n_prototypes):
            candidates = (y == label) & free
            votes = candidates[nearest].sum(axis=1)
            best = np.argmax(votes)
            if votes[best] == 0:
                break
            members = nearest[best][candidates[nearest[best]]]
            rows.append([_typical(column[members]) for column in columns])
            free[members] = False
        kind = np.float64 if all(column.dtype.kind == "f" for column in columns) else object
        centres[label.item() if hasattr(label, "item") else label] = np.array(rows, kind).reshape(-1, len(columns))
    return centres


def _columns_of(X):
    """The columns of a table, as floats or, if not numeric, as objects."""
    if not hasattr(X, "columns"):
        return list(np.asarray(X, dtype=np.float64).T)
    columns, named = [], declared_categories(X)
    for j in range(X.shape[1]):
        column = cells(X, j)
        columns.append(column.astype(np.float64 if column.dtype.kind in "biuf" and j not in named else object))
    return columns


def _typical(column):
    """The median of numbers or the most frequent of other values, ignoring missing ones."""
    known = column[~missing(column)]
    if column.dtype.kind == "f":
        return np.median(known) if len(known) else np.nan
    levels, counts = np.unique(known, return_counts=True)
    return levels[np.argmax(counts)] if len(known) else None
