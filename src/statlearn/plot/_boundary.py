"""Decision and probability regions of classifiers in the plane."""

import numpy as np

from statlearn._draw.axes import new_axes
from statlearn._draw.style import MARKERS, styled, theme

from ._display import Display


class DecisionBoundaryDisplay(Display):
    """Display of the decision or probability regions of a classifier with two features.

    See Also
    --------
    plot_decision_boundary : The same in one call.
    """

    def __init__(self, xx0, xx1, response, classes, points=None, names=("x0", "x1"), regions="class", planes=None):
        self.xx0, self.xx1, self.response, self.classes = xx0, xx1, response, classes
        self.points, self.names, self.regions, self.planes = points, names, regions, planes

    @classmethod
    def from_estimator(
        cls, estimator, X, y=None, *, regions="auto", grid_resolution=200, margin=0.08, half_spaces=False, ax=None
    ):
        """Evaluate the estimator on a grid and plot the regions.

        Parameters
        ----------
        estimator : fitted classifier of two features
        X : array-like of shape (n_samples, 2)
            Points that determine the axis limits.
        y : array-like of shape (n_samples,) or None, default=None
            Classes of the points. None draws no points.
        regions : {"auto", "class", "probability"}, default="auto"
            "class" fills each region with one colour, "probability" shades it by the probability of the predicted
            class. "auto" shades if the estimator provides probabilities.
        grid_resolution : int, default=200
        margin : float, default=0.08
            Margin around the points, as a fraction of their range.
        half_spaces : bool, default=False
            Whether to draw the hyperplanes of a linear classifier, with arrows into the half-space of each class.
        ax : matplotlib Axes or None, default=None

        Returns
        -------
        DecisionBoundaryDisplay
        """
        if regions not in ("auto", "class", "probability"):
            raise ValueError(f"`regions` must be 'auto', 'class' or 'probability', got {regions!r}.")
        names = tuple(str(c) for c in X.columns) if hasattr(X, "columns") else ("x0", "x1")
        points = np.asarray(X, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] != 2:
            raise ValueError(f"X must have two columns to plot decision regions, got shape {points.shape}.")
        shaded = hasattr(estimator, "predict_proba") if regions == "auto" else regions == "probability"
        low, high = points.min(axis=0), points.max(axis=0)
        space = margin * np.where(high > low, high - low, 1.0)
        axes = [np.linspace(low[k] - space[k], high[k] + space[k], grid_resolution) for k in range(2)]
        xx0, xx1 = np.meshgrid(*axes)
        grid = np.column_stack([xx0.ravel(), xx1.ravel()])
        if hasattr(X, "columns"):
            grid = type(X)({name: grid[:, k] for k, name in enumerate(X.columns)})
        classes = np.asarray(estimator.classes_)
        if shaded:
            response = np.asarray(estimator.predict_proba(grid)).reshape(*xx0.shape, len(classes))
        else:
            codes = np.searchsorted(classes, estimator.predict(grid)).reshape(xx0.shape)
            response = np.eye(len(classes))[codes]
        planes = None
        if half_spaces:
            if not hasattr(estimator, "coef_"):
                raise ValueError("`half_spaces`=True requires a linear classifier with `coef_` and `intercept_`.")
            planes = np.column_stack([np.atleast_2d(estimator.coef_), np.ravel(estimator.intercept_)])
        data = None if y is None else (points, np.asarray(y))
        kind = "probability" if shaded else "class"
        return cls(xx0, xx1, response, classes, data, names, kind, planes).plot(ax=ax)

    @styled
    def plot(self, ax=None):
        """Plot the regions, their boundaries and the points.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None

        Returns
        -------
        self
        """
        from matplotlib.colors import to_rgb

        ax = new_axes(ax, figsize=(5.2, 4.4))
        colours = theme()
        palette = np.array([to_rgb(colours.cycle[k % 7]) for k in range(len(self.classes))])
        paper = np.array(to_rgb(colours.background))
        winner = self.response.argmax(axis=-1)
        # The shade runs from the background colour at equal probabilities to the full tint at certainty.
        sure = self.response.max(axis=-1)
        even = 1.0 / len(self.classes)
        tint = 0.10 + 0.38 * (sure - even) / (1 - even) if self.regions == "probability" else np.full(sure.shape, 0.30)
        image = paper + (palette[winner] - paper) * tint[..., None]
        extent = (self.xx0.min(), self.xx0.max(), self.xx1.min(), self.xx1.max())
        ax.imshow(image, extent=extent, origin="lower", aspect="auto", interpolation="bilinear", zorder=0)
        for k in range(len(self.classes)):
            others = np.delete(self.response, k, axis=-1).max(axis=-1)
            gap = self.response[..., k] - others
            if gap.min() < 0 < gap.max():
                ax.contour(self.xx0, self.xx1, gap, levels=[0.0], colors=[colours.ink], linewidths=1.1, zorder=1)
        if self.points is not None:
            X, y = self.points
            for k, label in enumerate(self.classes):
                ax.scatter(
                    *X[y == label].T, s=22, color=palette[k], marker=MARKERS[k % 7], edgecolors=colours.background,
                    linewidths=0.6, label=str(label), zorder=2,
                )  # fmt: skip
            ax.legend(loc="best", frameon=True, framealpha=0.85, facecolor=colours.background, edgecolor=colours.faint)
        if self.planes is not None:
            self._draw_planes(ax, extent, colours, palette)
        ax.set(xlabel=self.names[0], ylabel=self.names[1], xlim=extent[:2], ylim=extent[2:])
        ax.grid(False)
        return self._finish(ax)

    def _draw_planes(self, ax, extent, colours, palette):
        centre = np.array([np.mean(extent[:2]), np.mean(extent[2:])])
        length = 0.14 * np.array([extent[1] - extent[0], extent[3] - extent[2]])
        for k, (a, b, c) in enumerate(self.planes):
            normal = np.array([a, b])
            if not normal.any():
                continue
            foot = centre - (normal @ centre + c) / (normal @ normal) * normal
            ax.axline(foot, foot + [-b, a], color=colours.ink, lw=1.2, ls="--", zorder=1)
            direction = normal / np.linalg.norm(normal / length) if normal.any() else normal
            winner = 1 if len(self.planes) == 1 else k
            ax.annotate(
                "", foot + direction, foot, zorder=3,
                arrowprops={"arrowstyle": "-|>", "color": palette[winner], "lw": 2, "shrinkA": 0, "shrinkB": 0},
            )  # fmt: skip


@styled
def plot_decision_boundary(
    estimator, X, y=None, *, regions="auto", grid_resolution=200, margin=0.08, half_spaces=False, ax=None
):
    """Plot of the decision or probability regions of a classifier with two features.

    Parameters
    ----------
    estimator : fitted classifier of two features
    X : array-like of shape (n_samples, 2)
        Points that determine the axis limits.
    y : array-like of shape (n_samples,) or None, default=None
        Classes of the points. None draws no points.
    regions : {"auto", "class", "probability"}, default="auto"
        "class" fills each region with one colour, "probability" shades it by the probability of the predicted class.
        "auto" shades if the estimator provides probabilities.
    grid_resolution : int, default=200
    margin : float, default=0.08
    half_spaces : bool, default=False
        Whether to draw the hyperplanes of a linear classifier, with arrows into the half-space of each class.
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from statlearn.linear import LogisticRegression
    >>> from statlearn.plot import plot_decision_boundary
    >>> X, y = [[0.0, 0.0], [1.0, 0.2], [0.1, 1.0], [1.0, 1.1]], [0, 0, 1, 1]
    >>> plot_decision_boundary(LogisticRegression().fit(X, y), X, y).get_xlabel()
    'x0'
    """
    return DecisionBoundaryDisplay.from_estimator(
        estimator, X, y, regions=regions, grid_resolution=grid_resolution, margin=margin, half_spaces=half_spaces, ax=ax
    ).ax_
