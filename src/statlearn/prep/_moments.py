"""Covariance and correlation matrices, and a heat map."""

import numpy as np
from sklearn.utils.validation import check_array

from statlearn._core.params import Int, check_arguments
from statlearn._core.validation import FLOATS, check_weights
from statlearn._draw.style import styled, theme


def covariance_matrix(X, *, ddof=1, sample_weight=None):
    r"""Covariance matrix of the columns, with divisor n (``ddof=0``) or n - 1 (``ddof=1``).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    ddof : int, default=1
        Subtracted from the number of rows, or from the sum of the weights, in the divisor.
    sample_weight : array-like of shape (n_samples,), default=None
        A weight of k is equivalent to k copies of the row.

    Returns
    -------
    ndarray of shape (n_features, n_features)

    Examples
    --------
    >>> from statlearn.prep import covariance_matrix
    >>> covariance_matrix([[1, 2], [2, 4], [3, 9]]).tolist()
    [[1.0, 3.5], [3.5, 13.0]]
    """
    check_arguments(covariance_matrix, ddof=(ddof, [Int(0, None)]))
    X = check_array(X, dtype=FLOATS, input_name="X")
    weights = check_weights(sample_weight, X)
    weights = np.ones(X.shape[0], X.dtype) if weights is None else weights
    total = weights.sum(dtype=np.float64)
    if total <= ddof:
        raise ValueError(f"`ddof`={ddof} requires more than {ddof} rows, got n_samples={total:g}.")
    centred = X - np.average(X, axis=0, weights=weights).astype(X.dtype)
    return (centred * weights[:, None]).T @ centred / X.dtype.type(total - ddof)


def correlation_matrix(X, *, sample_weight=None):
    r"""Pearson correlation matrix of the columns.

    Equal to :math:`Z^\top Z / n` for columns Z scaled by :class:`StandardScaler` with ``ddof=0``. A constant column has
    correlation 0 with the others and 1 with itself.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    sample_weight : array-like of shape (n_samples,), default=None

    Returns
    -------
    ndarray of shape (n_features, n_features)

    Examples
    --------
    >>> from statlearn.prep import correlation_matrix
    >>> correlation_matrix([[1, 2], [2, 4], [3, 9]]).round(4).tolist()
    [[1.0, 0.9707], [0.9707, 1.0]]
    """
    covariance = covariance_matrix(X, ddof=0, sample_weight=sample_weight)
    deviation = np.sqrt(np.diag(covariance))
    unit = np.where(deviation == 0, 1, deviation)
    correlation = np.clip(covariance / np.outer(unit, unit), -1, 1)
    np.fill_diagonal(correlation, 1)
    return correlation


@styled
def correlation_heatmap(X, *, names=None, annotate=None, ax=None):
    """Heat map of the correlations of the columns of a table.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
    names : list of str or None, default=None
        Names of the columns; None uses those of the data frame, or their indices.
    annotate : bool or None, default=None
        Whether to write the numbers into the cells; None does so for up to 12 columns.
    ax : matplotlib axes or None, default=None
        Axes to draw on; None creates a new figure.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from statlearn.prep import correlation_heatmap
    >>> ax = correlation_heatmap([[1, 2], [2, 4], [3, 9]], names=["a", "b"])
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['a', 'b']
    """
    from statlearn._draw.axes import new_axes

    correlation = correlation_matrix(X)
    k = correlation.shape[0]
    if names is None:
        names = [str(name) for name in getattr(X, "columns", range(k))]
    if len(names) != k:
        raise ValueError(f"`names` has {len(names)} entries, but there are {k} columns.")
    ax = new_axes(ax)
    image = ax.imshow(correlation, cmap=theme().diverging, vmin=-1, vmax=1)
    ax.set(xticks=range(k), yticks=range(k))
    ax.set_xticklabels(names, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_yticklabels(names)
    ax.grid(False)
    ax.figure.colorbar(image, ax=ax, label="correlation")
    if annotate or (annotate is None and k <= 12):
        for (i, j), value in np.ndenumerate(correlation):
            colour = "white" if abs(value) > 0.6 else "black"
            ax.text(j, i, f"{value:.2f}", ha="center", va="center", color=colour, fontsize="small")
    return ax
