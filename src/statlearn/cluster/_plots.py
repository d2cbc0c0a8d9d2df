"""Plots of partitions and of validity indices."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, check_is_fitted

from statlearn._draw.axes import new_axes
from statlearn._draw.style import require_matplotlib, styled, theme

from ._labels import encode_labels
from ._silhouette import silhouette_samples

_MOST_CELLS = 1000  # of a heat map's side: more rows are averaged, since no screen shows them


def colours_of(n):
    """One colour per cluster; from a colour map if the cycle is too short."""
    cycle = theme().cycle
    if n <= len(cycle):
        return list(cycle[:n])
    import matplotlib

    return list(matplotlib.colormaps["turbo"](np.linspace(0.05, 0.95, n)))


def _whole(ax):
    ax.xaxis.get_major_locator().set_params(integer=True)


def _mark(ax, k, colour, label):
    ax.axvline(k, color=colour, ls="--", lw=1.2, label=label)


@styled
def silhouette_plot(X, labels, *, metric="euclidean", scatter=True, columns=(0, 1), axes=None, **kwds):
    """Silhouette plot of all rows by cluster, next to a scatter plot of the rows.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or distances of shape (n_samples, n_samples)
    labels : array-like of shape (n_samples,), or fitted clusterer
        The cluster of each row, or an estimator with ``labels_`` of these rows.
    metric : str or callable, default="euclidean"
    scatter : bool, default=True
        Whether to also plot two columns of X; never for precomputed distances.
    columns : pair of int, default=(0, 1)
        The two columns to plot.
    axes : matplotlib Axes, pair of them, or None, default=None
    **kwds
        Additional parameters of the metric.

    Returns
    -------
    ndarray of matplotlib Axes
        One, or two with the scatter plot.

    Examples
    --------
    >>> from statlearn.cluster import silhouette_plot
    >>> axes = silhouette_plot([[0.0, 0.0], [0.0, 1.0], [5.0, 5.0], [5.0, 6.0]], [0, 0, 1, 1])
    >>> len(axes)
    2
    """
    if isinstance(labels, BaseEstimator):
        check_is_fitted(labels, "labels_")
        labels = labels.labels_
    values = silhouette_samples(X, labels, metric=metric, **kwds)
    names, codes = encode_labels(labels)
    scatter = scatter and metric != "precomputed" and np.shape(X)[1] > 1
    if axes is None:
        panels = 2 if scatter else 1
        axes = require_matplotlib().subplots(1, panels, figsize=(5.2 * panels, 4.4), layout="constrained")[1]
    axes = np.atleast_1d(axes)
    colours, muted, bottom, gap = colours_of(len(names)), theme().muted, 0, max(2, len(values) // 60)
    places = []
    for c, name in enumerate(names):
        bars = np.sort(values[codes == c])
        at = bottom + np.arange(len(bars))
        axes[0].fill_betweenx(at, 0, bars, color=colours[c], lw=0, step="mid")
        axes[0].hlines(at, 0, bars, color=colours[c], lw=0.8)
        places.append((bottom + len(bars) / 2, f"{name}  ({bars.mean():.2f}, {len(bars)} rows)"))
        bottom += len(bars) + gap
    axes[0].axvline(values.mean(), color=muted, ls="--", lw=1.2)
    axes[0].set_yticks([at for at, _ in places], [text for _, text in places])
    axes[0].tick_params(axis="y", length=0)
    axes[0].grid(axis="y", visible=False)
    axes[0].set(xlabel="silhouette", title=f"Mean silhouette {values.mean():.3f}")
    axes[0].set_xlim(min(-0.1, values.min() - 0.05), 1)
    if scatter and len(axes) > 1:
        rows = np.asarray(X, dtype=float)[:, list(columns)]
        for c, name in enumerate(names):
            axes[1].plot(*rows[codes == c].T, "o", ms=4, mew=0, alpha=0.75, color=colours[c], label=str(name))
        names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
        axes[1].set(**{f"{side}label": names[j] if names else f"column {j}" for side, j in zip("xy", columns)})
    return axes


@styled
def voronoi_plot(model, X=None, labels=None, *, resolution=300, ax=None):
    """Partition of the plane by cluster centres or by a fitted clusterer.

    Parameters
    ----------
    model : fitted clusterer with `predict`, or array-like of shape (n_clusters, 2)
        Centres divide the plane into Voronoi cells. An estimator divides it by its predictions, and its
        `cluster_centers_` are drawn if it has any.
    X : array-like of shape (n_samples, 2) or None, default=None
        Rows to plot.
    labels : array-like of shape (n_samples,) or None, default=None
        Clusters of the rows; None uses the cell that contains each row.
    resolution : int, default=300
        Number of grid points along each side.
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from statlearn.cluster import voronoi_plot
    >>> ax = voronoi_plot([[0.0, 0.0], [1.0, 1.0]])
    """
    predict, centers = _divider(model)
    points = [np.asarray(a, dtype=float) for a in (X, centers) if a is not None]
    if not points or any(a.ndim != 2 or a.shape[1] != 2 for a in points):
        raise ValueError("voronoi_plot draws in the plane, so X and the centres must have two columns.")
    ax = new_axes(ax)
    everything = np.vstack(points)
    low, high = everything.min(axis=0), everything.max(axis=0)
    room = np.where(high > low, 0.08 * (high - low), 1.0)
    sides = [np.linspace(a, b, resolution) for a, b in zip(low - room, high + room)]
    grid = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)
    cells = np.asarray(predict(grid)).reshape(resolution, resolution)
    names = np.unique(cells if labels is None else np.r_[np.unique(cells), np.unique(labels)])
    colours = colours_of(len(names))
    from matplotlib.colors import ListedColormap

    codes = np.searchsorted(names, cells)
    ax.pcolormesh(
        *sides, codes, cmap=ListedColormap(colours), vmin=-0.5, vmax=len(names) - 0.5, alpha=0.22, shading="nearest",
        rasterized=True, lw=0,
    )  # fmt: skip
    for c in range(len(names)):
        if 0 < (codes == c).mean() < 1:
            ax.contour(*sides, codes == c, levels=[0.5], colors=theme().muted, linewidths=0.8)
    if X is not None:
        rows = np.asarray(X, dtype=float)
        of_row = np.searchsorted(names, predict(rows) if labels is None else labels)
        ax.scatter(*rows.T, c=[colours[c] for c in of_row], s=14)
    if centers is not None:
        ax.plot(*np.asarray(centers).T, "X", ms=9, color=theme().ink, mec=theme().background)
    ax.grid(visible=False)
    return ax


def _divider(model):
    """Function from points to cells, and the centres if there are any."""
    if hasattr(model, "predict"):
        return model.predict, getattr(model, "cluster_centers_", None)
    centers = check_array(model, dtype=np.float64, input_name="centres")

    def nearest(points):
        away = np.stack([((points - center) ** 2).sum(axis=1) for center in centers])
        return away.argmin(axis=0)

    return nearest, centers


@styled
def cluster_heatmap(D, labels=None, *, order=None, names=None, ax=None):
    """Heatmap of a dissimilarity matrix with rows ordered by cluster, so that clusters appear as blocks.

    Parameters
    ----------
    D : array-like of shape (n_samples, n_samples)
    labels : array-like of shape (n_samples,) or None, default=None
        Clusters; within each, rows are ordered by their mean dissimilarity to it.
    order : array-like or None, default=None
        Explicit order: a permutation of the rows, or the merges of a hierarchy (n_samples - 1 rows of a linkage
        matrix), whose leaves define it. If labels are passed, too, blocks are outlined where the rows of a cluster are
        contiguous.
    names : sequence of str or None, default=None
        Names of the rows, shown for up to 60 rows.
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes
        ``ax.order`` is the permutation.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.cluster import cluster_heatmap
    >>> x = np.array([0.0, 9.0, 1.0, 8.0])
    >>> ax = cluster_heatmap(np.abs(x[:, None] - x), [0, 1, 0, 1])
    >>> ax.order.tolist()
    [0, 2, 1, 3]
    """
    D = check_array(D, dtype=np.float64, input_name="D")
    n = D.shape[0]
    if D.shape[1] != n:
        raise ValueError(f"`D` must be a square matrix of dissimilarities, got shape {D.shape}.")
    codes = None if labels is None else encode_labels(labels, n)[1]
    rows = _order(D, codes, order)
    ax = new_axes(ax, figsize=(5.8, 5))
    shown = D[np.ix_(rows, rows)]
    step = -(-n // _MOST_CELLS)
    if step > 1:
        starts = np.arange(0, n, step)
        sizes = np.diff(np.r_[starts, n])
        shown = np.add.reduceat(np.add.reduceat(shown, starts, axis=0), starts, axis=1) / np.outer(sizes, sizes)
    picture = ax.imshow(shown, extent=(-0.5, n - 0.5, n - 0.5, -0.5), interpolation="nearest", aspect="equal")
    ax.figure.colorbar(picture, ax=ax, label="dissimilarity", shrink=0.85)
    if codes is not None:
        _outline(ax, codes[rows])
    ax.grid(visible=False)
    if names is not None and n <= 60:
        said = [str(names[i]) for i in rows]
        ax.set_xticks(range(n), said, rotation=90)
        ax.set_yticks(range(n), said)
    ax.order = rows
    return ax


def _order(D, codes, order):
    n = D.shape[0]
    if order is not None:
        order = np.asarray(order)
        rows = _leaves(order) if order.ndim == 2 else order.astype(int)
        if len(rows) != n or not np.array_equal(np.sort(rows), np.arange(n)):
            raise ValueError(
                f"`order` must list each of the {n} rows exactly once, or contain the merges of a "
                "hierarchy of the rows."
            )
        return rows
    if codes is None:
        raise ValueError("cluster_heatmap requires `labels` or `order`.")
    spread = np.array([D[i, codes == codes[i]].mean() for i in range(n)])
    return np.lexsort([spread, codes])


def _leaves(merges):
    """Leaves of a hierarchy from left to right: row t merges two of the clusters 0 .. n + t - 1 into n + t."""
    n = len(merges) + 1
    rows, stack = [], [2 * n - 2]
    while stack:
        node = int(stack.pop())
        if node < n:
            rows.append(node)
        else:
            left, right = merges[node - n][:2]
            stack += [right, left]
    return np.array(rows)


def _outline(ax, codes):
    from matplotlib.patches import Rectangle

    starts = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]])
    for begin, end in zip(starts, np.r_[starts[1:], len(codes)]):
        frame = Rectangle((begin - 0.5, begin - 0.5), end - begin, end - begin, fill=False, ec=theme().bad, lw=1.6)
        ax.add_patch(frame)


@styled
def plot_spectrum(result, *, ax=None):
    """Plot of the smallest eigenvalues of a Laplacian and their largest gap."""
    ax = new_axes(ax)
    at, colours = np.arange(1, len(result.eigenvalues) + 1), theme()
    ax.plot(at, result.eigenvalues, "o", color=colours.cycle[0])
    ax.vlines(at, 0, result.eigenvalues, color=colours.cycle[0], lw=1)
    if len(at) > 1:
        ax.axvspan(result.n_clusters, result.n_clusters + 1, color=colours.good, alpha=0.15, lw=0, label="largest gap")
        ax.legend()
    ax.set(xlabel="index of the eigenvalue", ylabel="eigenvalue of the Laplacian")
    _whole(ax)
    return ax


@styled
def plot_elbow(curve, *, ax=None):
    """Plot of the within-cluster scatter by number of clusters."""
    ax = new_axes(ax)
    ax.plot(curve.k, curve.within, "o-")
    _mark(ax, curve.elbow, theme().good, f"elbow at {curve.elbow}")
    if curve.largest_drop != curve.elbow:
        _mark(ax, curve.largest_drop, theme().muted, f"largest drop, to {curve.largest_drop}")
    ax.set(xlabel="clusters", ylabel="within-cluster scatter W", ylim=(0, None))
    _whole(ax)
    ax.legend()
    return ax


@styled
def plot_gap(result, *, ax=None):
    """Plot of the gap statistic with standard errors."""
    ax = new_axes(ax)
    ax.errorbar(result.k, result.gap, yerr=result.std_error, fmt="o-", capsize=2)
    _mark(ax, result.n_clusters, theme().good, f"smallest k within s' of the next: {result.n_clusters}")
    ax.set(xlabel="clusters", ylabel="gap ± s'")
    _whole(ax)
    ax.legend()
    return ax


@styled
def plot_prediction_strength(result, *, ax=None):
    """Plot of the prediction strength and its threshold."""
    ax = new_axes(ax)
    ax.errorbar(result.k, result.strength, yerr=result.std_error, fmt="o-", capsize=2)
    ax.axhline(result.threshold, color=theme().muted, ls=":", lw=1)
    _mark(
        ax,
        result.n_clusters,
        theme().good,
        f"largest k with strength at least {result.threshold:g}: {result.n_clusters}",
    )
    ax.set(xlabel="clusters", ylabel="prediction strength", ylim=(0, 1.05))
    _whole(ax)
    ax.legend()
    return ax


@styled
def plot_choose_k(result, *, figure=None):
    """Plot of every index by number of clusters, in one figure."""
    from ._choose_k import CHOOSE_K_INDICES

    shown = [name for name in result.table if not name.endswith("_error")]
    columns = min(4, len(shown))
    rows = -(-len(shown) // columns)
    if figure is None:
        figure = require_matplotlib().figure(figsize=(3.3 * columns, 2.7 * rows), layout="constrained")
    axes = np.atleast_1d(figure.subplots(rows, columns, squeeze=False)).ravel()
    colours = theme()
    for ax, name in zip(axes, shown):
        values, errors = result.table[name], result.table.get(f"{name}_error")
        ax.axvline(result.n_clusters, color=colours.faint, lw=7, zorder=0)
        ax.errorbar(result.k, values, yerr=errors, fmt="o-", ms=4, capsize=2, color=colours.cycle[0])
        if name in result.choices:
            at = np.flatnonzero(result.k == result.choices[name])[0]
            ax.plot(result.k[at], values[at], "o", ms=9, color=colours.good)
        ax.set_title(CHOOSE_K_INDICES[name], fontsize=10)
        ax.set_xlim(result.k[0] - 0.5, result.k[-1] + 0.5)
        _whole(ax)
    for ax in axes[len(shown) :]:
        ax.remove()
    figure.suptitle(f"{result.n_clusters} clusters", fontsize=12, fontweight="bold", x=0.01, ha="left")
    figure.supxlabel("clusters; green: chosen by an index, grey: chosen by most indices", fontsize=9)
    return figure
