"""Pictures of a self-organising map."""

import numpy as np

from statlearn._draw.axes import new_axes
from statlearn._draw.style import MARKERS, styled, theme


@styled
def som_plot(som, X=None, y=None, *, kind=None, column=0, columns=(0, 1), random_state=0, ax=None):
    """Picture of a self-organising map.

    Parameters
    ----------
    som : SelfOrganizingMap
        A fitted map.
    X : array-like or data frame of shape (n_samples, n_features) or None, default=None
        Rows to show, on the grid for "rows" and in the plane of two columns for "net".
    y : array-like of shape (n_samples,) or None, default=None
        Classes that colour the rows.
    kind : {"u_matrix", "component", "rows", "net"} or None, default=None
        "u_matrix" shows the mean distance of each prototype to its neighbours. "component" shows a column of the
        prototypes. "rows" scatters the rows within their units, over the U-matrix. "net" draws the prototypes, joined
        to their neighbours, in the plane of two columns. None means "rows" if X is given, and else "u_matrix".
    column : int or str, default=0
        Column for "component", a number or a name.
    columns : pair of ints or str, default=(0, 1)
        Columns for "net".
    random_state : int, default=0
        Seed of the positions within the units.
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.cluster import SelfOrganizingMap
    >>> from statlearn.plot import som_plot
    >>> X, y = load_iris(return_X_y=True)
    >>> ax = som_plot(SelfOrganizingMap((6, 6), topology="hex").fit(X), X, y)
    """
    kind = ("u_matrix" if X is None else "rows") if kind is None else kind
    if kind not in ("u_matrix", "component", "rows", "net"):
        raise ValueError(f"`kind` must be 'u_matrix', 'component', 'rows' or 'net', got {kind!r}.")
    if kind == "rows" and X is None:
        raise ValueError("`kind`='rows' requires `X`.")
    ax = new_axes(ax, figsize=(5.6, 4.6))
    if kind == "net":
        return _net(som, X, y, [_column(som, c) for c in columns], ax)
    colours = theme()
    if kind == "component":
        j = _column(som, column)
        _cells(som, som.prototypes_[:, j], _name(som, j), colours.sequential, ax)
    else:
        # Borders dark, so that points remain visible inside the clusters.
        shades = "Greys" if colours.name == "light" else "Greys_r"
        _cells(som, som.u_matrix().ravel(), "distance to neighbours", shades, ax)
    if kind == "rows":
        units = som.predict(X)
        rng = np.random.default_rng(random_state)
        angle, length = 2 * np.pi * rng.random(len(units)), 0.36 * np.sqrt(rng.random(len(units)))
        places = som.positions_[units] + length[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
        _scatter(places, y, ax)
    ax.set_aspect("equal")
    ax.set_axis_off()
    return ax


def _column(som, column):
    """Index of a column by number or name."""
    names = list(getattr(som, "feature_names_in_", ()))
    if isinstance(column, str) and column in names:
        return names.index(column)
    if isinstance(column, (int, np.integer)) and 0 <= column < som.n_features_in_:
        return int(column)
    raise ValueError(f"`column` must be a column name or a number below {som.n_features_in_}, got {column!r}.")


def _name(som, j):
    return str(som.feature_names_in_[j]) if hasattr(som, "feature_names_in_") else f"x{j}"


def _cells(som, values, label, cmap, ax):
    """The units as coloured squares or hexagons."""
    from matplotlib.collections import PolyCollection

    if som.topology_ == "hex":
        angles = np.pi / 6 + np.arange(6) * np.pi / 3
        outline = np.column_stack([np.cos(angles), np.sin(angles)]) / np.sqrt(3)
    else:
        outline = 0.5 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    cells = PolyCollection(
        som.positions_[:, None, :] + outline, array=np.asarray(values, float), cmap=cmap, edgecolors="face", lw=0.3
    )
    ax.add_collection(cells)
    ax.autoscale_view()
    ax.figure.colorbar(cells, ax=ax, label=label, shrink=0.8)


def _scatter(places, y, ax):
    colours = theme()
    if y is None:
        ax.scatter(*places.T, s=9, color=colours.cycle[0], alpha=0.8)
        return
    y = np.asarray(y)
    if len(y) != len(places):
        raise ValueError(f"`y` must have one entry per row of X, got {len(y)} for {len(places)} rows.")
    for k, label in enumerate(np.unique(y)):
        ax.scatter(
            *places[y == label].T, s=12, color=colours.cycle[k % 7], marker=MARKERS[k % 7], label=str(label), alpha=0.8
        )
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=3, fontsize=8)


def _net(som, X, y, columns, ax):
    """Prototypes in the plane of two columns, joined along the grid."""
    from matplotlib.collections import LineCollection

    colours = theme()
    if X is not None:
        _scatter(np.asarray(X, dtype=np.float64)[:, columns], y, ax)
    points = som.prototypes_[:, columns]
    positions = som.positions_
    pairs = [
        (i, j)
        for i in range(len(positions))
        for j in _following(i, som.shape_)
        if np.sum((positions[i] - positions[j]) ** 2) < 1.01
    ]
    ax.add_collection(LineCollection([points[list(pair)] for pair in pairs], colors=colours.ink, lw=0.9))
    ax.plot(*points.T, "o", ms=3.5, color=colours.ink)
    ax.set(xlabel=_name(som, columns[0]), ylabel=_name(som, columns[1]))
    return ax


def _following(i, shape):
    """Units with larger numbers that may be at distance 1 from unit i: on its right, and below it."""
    row, column = divmod(i, shape[1])
    if column + 1 < shape[1]:
        yield i + 1
    if row + 1 < shape[0]:
        yield from (i + shape[1] + d for d in (-1, 0, 1) if 0 <= column + d < shape[1])
