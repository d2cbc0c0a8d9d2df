"""Drawings of graphs and heat maps of matrices."""

import numpy as np

from statlearn._draw.axes import new_axes
from statlearn._draw.style import require_matplotlib, styled, theme


@styled
def draw_graph(graph, *, ax=None, layout="auto", labels=True, weights=True):
    """Draw an `UndirectedGraph`; see `UndirectedGraph.plot`."""
    require_matplotlib()
    ax = new_axes(ax)
    points = graph.layout(layout) if isinstance(layout, str) else np.asarray(layout, dtype=float)
    if points.shape != (len(graph.nodes), 2):
        raise ValueError(f"`layout` must have shape {(len(graph.nodes), 2)}, got {points.shape}.")
    largest = max((abs(w) for w in graph.weights.values()), default=1.0) or 1.0
    cycle = theme().cycle
    for a, b in graph.edges():
        (x0, y0), (x1, y1) = points[graph.index[a]], points[graph.index[b]]
        weight = graph.weights.get((a, b)) if weights else None
        width = 1.2 if weight is None else 0.6 + 4.0 * abs(weight) / largest
        colour = "0.5" if weight is None else cycle[0] if weight > 0 else cycle[1]
        ax.plot([x0, x1], [y0, y1], color=colour, lw=width, zorder=1, solid_capstyle="round")
    n = len(graph.nodes)
    size = 500 if n <= 12 else 160 if n <= 40 else 40
    ax.scatter(points[:, 0], points[:, 1], s=size, color="white", edgecolors="0.3", zorder=2)
    if labels:
        for name, (x, y) in zip(graph.nodes, points):
            text = str(name)
            if len(text) <= 3 and n <= 12:
                ax.annotate(text, (x, y), ha="center", va="center", fontsize=9, zorder=3)
            else:
                outwards = 1.0 if y >= 0 else -1.0
                ax.annotate(
                    text,
                    (x, y),
                    xytext=(0, outwards * (0.6 * np.sqrt(size) + 3)),
                    textcoords="offset points",
                    ha="center",
                    va="bottom" if outwards > 0 else "top",
                    fontsize=9 if n <= 25 else 7,
                    zorder=3,
                )
    ax.set_aspect("equal")
    ax.margins(0.2)
    ax.set_axis_off()
    return ax


@styled
def matrix_plot(matrix, *, names=None, digits=2, ax=None, title=None):
    """Heat map of a symmetric matrix, such as partial correlations, with zero in the middle of the colours.

    Parameters
    ----------
    matrix : array-like of shape (n_features, n_features)
    names : list or None, default=None
        Names of the variables.
    digits : int, default=2
        Decimals written into the cells of matrices with up to 12 columns.
    ax : matplotlib Axes or None, default=None
    title : str or None, default=None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from statlearn.graphical import matrix_plot
    >>> ax = matrix_plot([[1.0, 0.4], [0.4, 1.0]], names=["height", "weight"])
    """
    require_matplotlib()
    ax = new_axes(ax)
    M = np.asarray(matrix, dtype=float)
    if M.ndim != 2 or M.shape[0] != M.shape[1]:
        raise ValueError(f"`matrix` must be square, got shape {M.shape}.")
    p = len(M)
    off = np.abs(M[~np.eye(p, dtype=bool)])
    limit = off.max(initial=0.0) or np.abs(M).max(initial=1.0) or 1.0
    ax.grid(False)
    image = ax.imshow(M, cmap="RdBu_r", vmin=-limit, vmax=limit)
    ax.figure.colorbar(image, ax=ax, shrink=0.8)
    if names is not None or p <= 30:
        labels = [f"x{k}" for k in range(p)] if names is None else [str(n) for n in names]
        ax.set_xticks(range(p), labels, rotation=90)
        ax.set_yticks(range(p), labels)
    if p <= 12:
        for i in range(p):
            for j in range(p):
                dark = abs(M[i, j]) > 0.6 * limit
                ax.text(j, i, f"{M[i, j]:.{digits}f}", ha="center", va="center", fontsize=7, color="w" if dark else "k")
    if title:
        ax.set_title(title)
    return ax
