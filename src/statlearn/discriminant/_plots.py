"""Plots of canonical coordinates and of the classes they separate."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from statlearn._draw.axes import new_axes
from statlearn._draw.style import MARKERS, styled, theme


@styled
def canonical_plot(model, X, y, *, components=(0, 1), coverage=0.95, ax=None):
    """Rows and class means in two canonical coordinates, or densities along one.

    Parameters
    ----------
    model : fitted model with `transform`
        `LinearDiscriminantAnalysis`, `ReducedRankLDA`, `FlexibleDiscriminantAnalysis`, ...
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Class of each row, which selects the colour.
    components : tuple of two ints, default=(0, 1)
        The coordinates to draw. With a single canonical coordinate (two classes) histograms are drawn instead.
    coverage : float or None, default=0.95
        Circles around the class means that contain this share of a Gaussian class: the coordinates have unit variance
        within the classes, so that all classes have circles of the same size. None for no circles.
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.discriminant import LinearDiscriminantAnalysis, canonical_plot
    >>> X, y = load_iris(return_X_y=True)
    >>> ax = canonical_plot(LinearDiscriminantAnalysis().fit(X, y), X, y)  # doctest: +SKIP
    """
    from matplotlib.patches import Circle

    check_is_fitted(model)
    Z, y = np.asarray(model.transform(X), dtype=np.float64), np.asarray(y)
    ax, colours = new_axes(ax), theme()
    classes = np.unique(y)
    shares = getattr(model, "explained_variance_ratio_", None)

    def label(j):
        share = "" if shares is None or j >= len(shares) else f" ({100 * shares[j]:.0f} %)"
        return f"canonical coordinate {j + 1}{share}"

    shades = [colours.cycle[k % len(colours.cycle)] for k in range(len(classes))]
    if Z.shape[1] == 1:
        edges = np.histogram_bin_edges(Z[:, 0], bins=40)
        for shade, each in zip(shades, classes):
            ax.hist(Z[y == each, 0], bins=edges, color=shade, alpha=0.6, label=str(each))
        ax.set(xlabel=label(0), ylabel="rows")
        ax.legend()
        return ax
    a, b = components
    if not (0 <= a < Z.shape[1] and 0 <= b < Z.shape[1]):
        raise ValueError(f"`components`={components} must be two of the {Z.shape[1]} canonical coordinates.")
    for k, (shade, each) in enumerate(zip(shades, classes)):
        part = Z[y == each][:, [a, b]]
        ax.scatter(
            *part.T,
            s=14,
            marker=MARKERS[(k + k // len(colours.cycle)) % len(MARKERS)],
            color=shade,
            alpha=0.7,
            label=str(each),
        )
    for shade, each in zip(shades, classes):
        centre = Z[y == each][:, [a, b]].mean(axis=0)
        ax.plot(*centre, "+", color=colours.ink, ms=10, mew=1.6)
        if len(classes) > len(colours.cycle):
            ax.annotate(str(each), centre, xytext=(5, 5), textcoords="offset points", color=colours.ink, weight="bold")
        if coverage is not None:
            radius = float(np.sqrt(-2.0 * np.log1p(-coverage)))  # of a chi-squared with two degrees of freedom
            ax.add_patch(Circle(tuple(centre), radius, fill=False, color=shade, lw=1.2))
    ax.set(xlabel=label(a), ylabel=label(b))
    ax.set_aspect("equal", adjustable="datalim")
    ax.legend(loc="best", fontsize="small", ncols=2 if len(classes) > 6 else 1)
    return ax
