"""Plots of partial dependence, individual conditional expectations and accumulated local effects."""

from dataclasses import dataclass, field

import numpy as np

from statlearn._draw.style import require_matplotlib, styled, theme


@dataclass
class Panel:
    """One panel: a curve along one column, bars over its levels, or a map over two columns."""

    names: list  # column names
    grid_values: list
    average: np.ndarray | None  # along the grid
    individual: np.ndarray | None = None  # one row per row of the table
    categorical: list = field(default_factory=list)
    deciles: list = field(default_factory=list)  # of each numeric column
    method: str = "brute"  # "recursion" for trees averaged over training shares, which the label then says


class PartialDependenceDisplay:
    """Display of partial dependence and individual conditional expectation curves.

    Parameters
    ----------
    panels : list of Panel
    label : str, default="prediction"
        Label of the vertical axis.
    centred : bool, default=False
        Whether every curve starts at 0.

    See Also
    --------
    statlearn.ensemble.partial_dependence : Computes the values.
    """

    _map = "sequential"

    def __init__(self, panels, label="prediction", centred=False):
        self.panels, self.label, self.centred = panels, label, centred

    @classmethod
    def from_estimator(
        cls,
        estimator,
        X,
        features,
        *,
        kind="average",
        centered=False,
        subsample=200,
        target=None,
        feature_names=None,
        categorical_features=None,
        random_state=0,
        n_cols=3,
        ax=None,
        grid_resolution=60,
        **options,
    ):
        """Compute and plot the effects.

        Parameters
        ----------
        estimator : fitted regressor or classifier
        X : array-like or data frame of shape (n_samples, n_features)
        features : sequence of int, str or pairs of them
            One panel each: a curve for one column, a map for a pair.
        kind : {"average", "individual", "both"}, default="average"
            The average curve, the curves of individual rows (ICE), or both.
        centered : bool, default=False
            Whether all curves start at 0. Diverging curves then show that the effect of the column differs between
            rows.
        subsample : int or float or None, default=200
            Number or proportion of individual curves to plot. None plots all.
        target : label, int or None, default=None
            The class to plot if there are more than two, or the index of the target if there are several.
        feature_names : sequence of str or None, default=None
        categorical_features : array-like or None, default=None
        random_state : int, default=0
            Seed for choosing the individual curves.
        n_cols : int, default=3
            Number of panels per row.
        ax : matplotlib Axes, array of them, or None, default=None
        grid_resolution : int, default=60
            Number of grid points along a column; a third of it along each column of a map.
        **options
            Arguments of `statlearn.ensemble.partial_dependence`. Its `method` is "recursion" by default for average
            curves of trees, which the axis then says; pass ``method="brute"`` for means over the rows of X.

        Returns
        -------
        PartialDependenceDisplay
            With `panels`, `axes_` and `figure_`.
        """
        from statlearn.ensemble import partial_dependence

        table = _describe(X, feature_names, categorical_features)
        which = _output_number(estimator, target)
        panels = []
        for wanted in features:
            columns = table.columns(wanted)
            pair = len(columns) > 1
            effects = partial_dependence(
                estimator,
                X,
                columns,
                kind="average" if pair else kind,
                grid_resolution=max(2, grid_resolution // 3) if pair else grid_resolution,
                categorical_features=categorical_features,
                **options,
            )
            average = None if kind == "individual" and not pair else effects.average[which]
            individual = None
            if "individual" in effects:
                individual = _some_rows(effects.individual[which], subsample, random_state)
            panels.append(table.panel(columns, effects.grid_values, average, individual))
            panels[-1].method = effects.method
        return cls(panels, _label(estimator, target, options), centered).plot(ax=ax, n_cols=n_cols)

    @styled
    def plot(self, ax=None, *, n_cols=3):
        """Plot all panels, those of single columns on a common vertical scale.

        Parameters
        ----------
        ax : matplotlib Axes, array of them, or None, default=None
        n_cols : int, default=3

        Returns
        -------
        self
        """
        axes = _axes_for(len(self.panels), ax, n_cols)
        curves = []
        for panel, axis in zip(self.panels, axes):
            if len(panel.names) == 2:
                self._draw_map(axis, panel)
            else:
                self._draw_curve(axis, panel)
                curves.append(axis)
        _share_limits(curves)
        for k, (axis, own_panel) in enumerate(zip(curves, [p for p in self.panels if len(p.names) == 1])):
            axis.set_ylabel(self._label_of(own_panel) if k == 0 or not _left_neighbour(axis, curves[k - 1]) else "")
        self.axes_, self.figure_ = axes, axes[0].figure
        return self

    def _label_of(self, panel):
        return f"{self.label} (recursion)" if panel.method == "recursion" else self.label

    def _draw_curve(self, ax, panel):
        colours = theme()
        levels = panel.categorical[0]
        x = np.arange(len(panel.grid_values[0])) if levels else panel.grid_values[0].astype(float)
        start = self.centred
        if panel.individual is not None:
            lines = panel.individual - panel.individual[:, :1] if start else panel.individual
            shade = max(0.06, min(0.5, 12 / len(lines)))
            ax.plot(x, lines.T, color=colours.cycle[0], lw=0.6, alpha=shade, zorder=1)
        if panel.average is not None:
            mean = panel.average - panel.average[0] if start else panel.average
            over = panel.individual is not None
            colour = colours.cycle[1] if over else colours.cycle[0]
            ax.plot(x, mean, color=colour, marker="o" if levels else None, lw=0.0 if levels else 2.2, zorder=3)
        if levels:
            ax.set_xticks(x, [str(v) for v in panel.grid_values[0]])
        _rug(ax, panel, colours.ink)
        ax.set_xlabel(panel.names[0])

    def _draw_map(self, ax, panel):
        colours = theme()
        x, y = (np.arange(len(v)) if c else v.astype(float) for v, c in zip(panel.grid_values, panel.categorical))
        height = panel.average.T
        if any(panel.categorical) or min(height.shape) < 2:
            image = ax.pcolormesh(
                x, y, height, cmap=getattr(colours, self._map), shading="nearest", **_span(self, height)
            )
        else:
            image = ax.contourf(x, y, height, levels=14, cmap=getattr(colours, self._map), **_span(self, height))
            ax.contour(x, y, height, levels=14, colors=[colours.background], linewidths=0.4, alpha=0.7)
        for axis, c, values in zip("xy", panel.categorical, panel.grid_values):
            if c:
                getattr(ax, f"set_{axis}ticks")(np.arange(len(values)), [str(v) for v in values])
        _rug(ax, panel, colours.background if self._map == "sequential" else colours.ink)  # the colour map starts dark
        ax.set(xlabel=panel.names[0], ylabel=panel.names[1])
        ax.grid(False)
        ax.figure.colorbar(image, ax=ax, label=self._label_of(panel), pad=0.02)


class ALEDisplay(PartialDependenceDisplay):
    """Display of accumulated local effects of one or two columns at a time.

    See Also
    --------
    statlearn.ensemble.accumulated_local_effects : Computes the values.
    """

    _map = "diverging"

    @classmethod
    def from_estimator(
        cls,
        estimator,
        X,
        features,
        *,
        target=None,
        feature_names=None,
        categorical_features=None,
        n_cols=3,
        ax=None,
        **options,
    ):
        """Compute and plot the effects.

        Parameters
        ----------
        estimator : fitted regressor or classifier
        X : array-like or data frame of shape (n_samples, n_features)
        features : sequence of int, str or pairs of them
            One panel each: the effect of one column, or the interaction of a pair.
        target : label, int or None, default=None
            The class to plot if there are more than two, or the index of the target if there are several.
        feature_names : sequence of str or None, default=None
        categorical_features : array-like or None, default=None
        n_cols : int, default=3
        ax : matplotlib Axes, array of them, or None, default=None
        **options
            Arguments of `statlearn.ensemble.accumulated_local_effects`.

        Returns
        -------
        ALEDisplay
        """
        from statlearn.ensemble import accumulated_local_effects

        table = _describe(X, feature_names, categorical_features)
        which = _output_number(estimator, target)
        panels = []
        for wanted in features:
            columns = table.columns(wanted)
            effects = accumulated_local_effects(
                estimator, X, columns, categorical_features=categorical_features, **options
            )
            panels.append(table.panel(columns, effects.grid_values, effects.average[which]))
        return cls(panels, f"effect on {_label(estimator, target, options)}").plot(ax=ax, n_cols=n_cols)


@dataclass
class _GridTable:
    """Properties of a table needed for plotting."""

    X: object
    names: list
    given_names: object
    categorical_features: object

    def columns(self, wanted):
        from statlearn._core.inspection import find_columns

        return find_columns(
            self.X, [wanted] if isinstance(wanted, (str, int, np.integer)) else wanted, self.given_names
        ).tolist()

    def panel(self, columns, grid_values, average, individual=None):
        from statlearn._core.inspection import find_categorical, present_values

        categorical = find_categorical(self.X, columns, self.categorical_features, self.given_names)
        deciles = [
            np.empty(0) if c else np.quantile(present_values(self.X, j).astype(float), np.arange(1, 10) / 10)
            for j, c in zip(columns, categorical)
        ]
        return Panel([self.names[j] for j in columns], grid_values, average, individual, categorical, deciles)


def _describe(X, feature_names, categorical_features):
    from statlearn._core.inspection import check_names

    X = X if hasattr(X, "shape") else np.asarray(X)
    return _GridTable(X, check_names(X, feature_names), feature_names, categorical_features)


def _output_number(estimator, target):
    """Index of the output to plot."""
    classes = getattr(estimator, "classes_", None)
    if classes is None or len(classes) == 2:
        return 0 if target is None or classes is not None else int(target)
    if target is None:
        raise ValueError("target must be specified for multi-class.")
    positions = np.flatnonzero(np.asarray(classes) == target)
    if len(positions) == 0:
        raise ValueError(f"target not in est.classes_, got {target!r}.")
    return int(positions[0])


def _label(estimator, target, options):
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        return "prediction"
    method = options.get("response_method", "auto")
    scores = method == "decision_function" or not hasattr(estimator, "predict_proba")
    trees = method == "auto" and options.get("method", "auto") != "brute" and hasattr(estimator, "start_")
    name = classes[1] if len(classes) == 2 else target
    return f"score of {name}" if scores or trees else f"probability of {name}"


def _some_rows(curves, subsample, random_state):
    n = len(curves)
    n_rows = n if subsample is None else int(subsample * n) if isinstance(subsample, float) else int(subsample)
    if n_rows >= n:
        return curves
    return curves[np.sort(np.random.default_rng(random_state).choice(n, max(1, n_rows), replace=False))]


def _axes_for(n, ax, n_cols):
    """Flat array of axes: the given ones, or a new grid."""
    if ax is not None:
        axes = np.atleast_1d(ax).ravel()
        if len(axes) != n:
            raise ValueError(f"Expected ax to have {n} axes, got {len(axes)}.")
        return axes
    wide = min(n, n_cols)
    high = -(-n // wide)
    figure = require_matplotlib().figure(figsize=(3.5 * wide + 0.5, 3.0 * high + 0.2), layout="constrained")
    return np.array([figure.add_subplot(high, wide, k + 1) for k in range(n)])


def _share_limits(axes):
    if axes:
        low, high = np.min([a.get_ylim() for a in axes], axis=0)[0], np.max([a.get_ylim() for a in axes], axis=0)[1]
        for a in axes:
            a.set_ylim(low, high)


def _left_neighbour(ax, before):
    """Whether `before` is directly to the left of `ax` in the same row of a grid."""
    spec, other = ax.get_subplotspec(), before.get_subplotspec()
    return spec is not None and other is not None and spec.rowspan.start == other.rowspan.start


def _rug(ax, panel, colour):
    """Short lines at the deciles, which show where the data are."""
    for axis, values in zip("xy", panel.deciles):
        if len(values):
            line = ax.vlines if axis == "x" else ax.hlines
            transform = ax.get_xaxis_transform() if axis == "x" else ax.get_yaxis_transform()
            line(values, 0, 0.035, color=colour, lw=1.0, transform=transform, zorder=4)


def _span(display, height):
    """Limits of the colour scale, symmetric around 0 for effects."""
    if display._map != "diverging":
        return {}
    height_limit = float(np.abs(height).max()) or 1.0
    return {"vmin": -height_limit, "vmax": height_limit}
