"""Plots of data and of cross-validation splits."""

import numpy as np

from statlearn._draw.axes import new_axes
from statlearn._draw.style import MARKERS, require_matplotlib, styled, theme


@styled
def pair_plot(X, y=None, *, names=None, max_columns=6, max_rows=2000, random_state=0, figure=None):
    """Scatter plot matrix coloured by class, with densities on the diagonal.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
    y : array-like of shape (n_samples,) or None, default=None
        Classes or numbers. More than ten distinct numbers are shown on a continuous colour scale.
    names : sequence of str or None, default=None
        Names of the columns. None uses those of the data frame.
    max_columns : int, default=6
        Maximum number of columns. Only the first ones are plotted.
    max_rows : int, default=2000
        Maximum number of rows. If there are more, a random sample is plotted.
    random_state : int, default=0
    figure : matplotlib Figure or None, default=None

    Returns
    -------
    matplotlib Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.plot import pair_plot
    >>> X, y = load_iris(return_X_y=True)
    >>> len(pair_plot(X, y).axes)
    16
    """
    plt = require_matplotlib()
    if names is None:
        names = list(X.columns) if hasattr(X, "columns") else None
    X = np.asarray(X, dtype=np.float64)
    p = min(X.shape[1], max_columns)
    names = [f"x{j}" for j in range(p)] if names is None else [str(n) for n in names][:p]
    rows = np.arange(len(X))
    if len(X) > max_rows:
        rows = np.sort(np.random.default_rng(random_state).choice(len(X), max_rows, replace=False))
    X = X[rows, :p]
    groups, shade = _groups(None if y is None else np.asarray(y)[rows], len(X))
    figure = plt.figure(figsize=(1.75 * p + 0.8, 1.7 * p + 0.3), layout="constrained") if figure is None else figure
    axes = figure.subplots(p, p, squeeze=False)
    colours = theme()
    for i in range(p):
        for j in range(p):
            ax = axes[i, j]
            if i == j:
                _densities(ax, X[:, j], groups, colours)
            elif shade is not None:
                ax.scatter(X[:, j], X[:, i], c=shade, s=9, cmap=colours.sequential, alpha=0.8)
            else:
                for k, (_, member) in enumerate(groups):
                    ax.scatter(
                        X[member, j], X[member, i], s=10, alpha=0.7, color=colours.cycle[k % 7], marker=MARKERS[k % 7]
                    )
            ax.tick_params(labelsize=7, length=2)
            ax.locator_params(nbins=4)
            if i < p - 1:
                ax.set_xticklabels([])
            else:
                ax.set_xlabel(names[j])
            if j > 0 or i == 0:
                ax.set_yticklabels([])
            if j == 0:
                ax.set_ylabel(names[i])
    if len(groups) > 1:
        handles = [
            plt.Line2D([], [], ls="", marker=MARKERS[k % 7], color=colours.cycle[k % 7], label=str(label))
            for k, (label, _) in enumerate(groups)
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=min(len(groups), 6))
    return figure


def _groups(y, n):
    """Classes with their rows, or a colour scale for a numeric target."""
    if y is None:
        return [("", np.ones(n, dtype=bool))], None
    labels = np.unique(y)
    if len(labels) > 10 and y.dtype.kind in "if":
        return [("", np.ones(n, dtype=bool))], y
    return [(label, y == label) for label in labels], None


def _densities(ax, values, groups, colours):
    """Kernel densities on a grid with Silverman's bandwidth, or a histogram if a group does not vary."""
    grid = np.linspace(values.min(), values.max(), 120)
    for k, (_, member) in enumerate(groups):
        x = values[member]
        spread = min(x.std(ddof=1), np.subtract(*np.quantile(x, [0.75, 0.25])) / 1.34) if len(x) > 1 else 0.0
        spread = spread or (x.std() if len(x) > 1 else 0.0)
        if spread == 0:
            continue
        width = 0.9 * spread * len(x) ** -0.2
        density = np.exp(-0.5 * ((grid[:, None] - x) / width) ** 2).sum(axis=1) / (len(values) * width)
        ax.fill_between(grid, density, color=colours.cycle[k % 7], alpha=0.3, lw=0)
        ax.plot(grid, density, color=colours.cycle[k % 7], lw=1.2)
    ax.set_ylim(bottom=0)


@styled
def cv_diagram(cv=5, X=None, y=None, *, groups=None, n=None, ax=None):
    """Diagram of the training and test rows of cross-validation splits.

    Classes and groups are shown as stripes below.

    Parameters
    ----------
    cv : int or splitter, default=5
    X : array-like or None, default=None
        Rows to split. None uses `n` rows.
    y : array-like of shape (n,) or None, default=None
        Classes for stratified splitters, shown as a stripe.
    groups : array-like of shape (n,) or None, default=None
        Groups, shown as a stripe.
    n : int or None, default=None
        Number of rows if X is None. None means 40.
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from statlearn.assess import TimeSeriesSplit
    >>> from statlearn.plot import cv_diagram
    >>> cv_diagram(TimeSeriesSplit(4)).get_xlabel()
    'row'
    """
    from matplotlib.patches import Patch
    from sklearn.model_selection import check_cv

    rows = n or (40 if y is None else len(y)) if X is None else (X.shape[0] if hasattr(X, "shape") else len(X))
    X = np.zeros((rows, 1)) if X is None else X
    splits = list(check_cv(cv, y, classifier=y is not None).split(X, y, groups))
    stripes = [(name, values) for name, values in (("class", y), ("group", groups)) if values is not None]
    ax = new_axes(ax, figsize=(7.0, 0.9 + 0.34 * (len(splits) + len(stripes))))
    colours = theme()
    for k, (train, test) in enumerate(splits):
        for members, colour, alpha in ((train, colours.cycle[0], 0.35), (test, colours.cycle[1], 1.0)):
            for start, length in _runs(members):
                ax.broken_barh([(start - 0.5, length)], (k - 0.36, 0.72), color=colour, alpha=alpha, lw=0)
    for s, (_, values) in enumerate(stripes):
        codes = np.unique(np.asarray(values), return_inverse=True)[1]
        for code in range(codes.max() + 1):
            shade = colours.cycle[(2 + code) % 7]
            for start, length in _runs(np.flatnonzero(codes == code)):
                ax.broken_barh([(start - 0.5, length)], (len(splits) + s - 0.28, 0.56), color=shade, lw=0)
    names = [f"split {k + 1}" for k in range(len(splits))] + [name for name, _ in stripes]
    ax.set_yticks(range(len(names)), names)
    ax.set(xlabel="row", xlim=(-0.5, rows - 0.5), ylim=(len(names) - 0.4, -0.6))
    ax.grid(False)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.legend(
        handles=[Patch(color=colours.cycle[1], label="test"), Patch(color=colours.cycle[0], alpha=0.35, label="train")],
        loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0.2,
    )  # fmt: skip
    return ax


def _runs(members):
    """Start and length of every run of consecutive rows."""
    members = np.sort(np.asarray(members))
    if len(members) == 0:
        return []
    breaks = np.flatnonzero(np.diff(members) > 1)
    starts = members[np.append(0, breaks + 1)]
    ends = members[np.append(breaks, len(members) - 1)]
    return [(int(a), int(b - a + 1)) for a, b in zip(starts, ends)]
