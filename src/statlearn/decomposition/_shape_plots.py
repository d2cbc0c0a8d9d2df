"""Plots of principal curves and surfaces, and of archetypes."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from statlearn._core.names import input_names
from statlearn._core.params import Options, check_arguments
from statlearn._core.validation import FLOATS, validate_data
from statlearn._draw.axes import new_axes
from statlearn._draw.style import styled, theme


def _chosen_columns(model, columns, ax):
    """Positions and names of the two or three plotted columns."""
    names = input_names(model)
    p = len(names)
    n_axes = 3 if ax is None or ax.name == "3d" else 2
    columns = tuple(range(min(n_axes, p))) if columns is None else tuple(columns)
    places = []
    for column in columns:
        place = names.index(column) if column in names else column
        if isinstance(place, (bool, np.bool_)) or not isinstance(place, (int, np.integer)) or not 0 <= place < p:
            raise ValueError(f"`columns` must be names of columns or positions from 0 to {p - 1}, got {column!r}.")
        places.append(int(place))
    if len(places) not in (2, 3):
        raise ValueError(f"`columns` must name two or three of the {p} columns, got {len(places)}.")
    if len(places) > n_axes:
        raise ValueError("`ax` must have projection='3d' for three columns.")
    return places, [str(names[place]) for place in places]


def _rows(model, X):
    return None if X is None else np.asarray(validate_data(model, X, dtype=FLOATS, reset=False), dtype=np.float64)


def _axes_of(n, ax):
    """Given or new axes for a plot of two or three columns."""
    return new_axes(ax, figsize=(5.4, 4.4), subplot_kw={"projection": "3d"} if n == 3 else None)


def _label(ax, names):
    for axis, name in zip("xyz", names):
        getattr(ax, f"set_{axis}label")(name)


@styled
def plot_curve(model, X, columns, projections, ax):
    """Draw a principal curve, with rows and their nearest points on it."""
    check_is_fitted(model)
    check_arguments("plot", projections=(projections, ["boolean"]))
    places, names = _chosen_columns(model, columns, ax)
    X = _rows(model, X)
    ax = _axes_of(len(places), ax)
    colours = theme()
    points = model.points_ if X is None else model.project(X)
    if X is not None:
        ax.plot(*X[:, places].T, "o", ms=3.5, mew=0, alpha=0.5, color=colours.cycle[0], label="rows")
        for row, point in zip(X[:, places], points[:, places]) if projections else ():
            ax.plot(*np.array([row, point]).T, color=colours.muted, lw=0.6)
    elif projections:
        ax.plot(*points[:, places].T, "o", ms=3.5, mew=0, color=colours.cycle[0], label="projections")
    ax.plot(*model.curve_[:, places].T, color=colours.bad, lw=2, label="principal curve")
    _label(ax, names)
    ax.legend()
    return ax


@styled
def plot_surface(model, X, columns, ax):
    """Draw a principal surface as a net, with rows coloured by their first coordinate."""
    check_is_fitted(model)
    places, names = _chosen_columns(model, columns, ax)
    X = _rows(model, X)
    ax = _axes_of(len(places), ax)
    colours = theme()
    net = model.surface_[..., places]
    step = max(1, len(net) // 10)
    lines = [*net[::step], *net[:, ::step].transpose(1, 0, 2)]
    for line in lines:
        ax.plot(*line.T, color=colours.muted, lw=0.6)
    rows, at = (model.points_, model.coordinates_) if X is None else (X, model.transform(X))
    ax.scatter(*rows[:, places].T, c=at[:, 0], cmap=colours.sequential, s=12)
    _label(ax, names)
    return ax


@styled
def plot_archetypes(model, X, kind, ax):
    """Draw archetypes as profiles over the columns, or rows between the archetypes as corners of a polygon."""
    check_is_fitted(model)
    check_arguments("plot", kind=(kind, [Options("profiles", "simplex"), None]))
    if kind is None:
        kind = "profiles" if X is None else "simplex"
    ax = new_axes(ax, figsize=(5.4, 4.4))
    k = len(model.archetypes_)
    if kind == "profiles":
        names = input_names(model)
        at = np.arange(len(names))
        if X is not None:
            ax.plot(at, _rows(model, X).T, color=theme().muted, lw=0.4, alpha=0.4)
        for number, profile in enumerate(model.archetypes_):
            ax.plot(at, profile, "o-", ms=4, label=f"archetype {number}")
        if len(names) <= 20:
            ax.set_xticks(at, names, rotation=0 if len(names) <= 6 else 60)
        ax.set(ylabel="value")
        ax.legend()
        return ax
    if k < 3:
        raise ValueError(f"`kind`='simplex' needs at least 3 archetypes, got {k}; use kind='profiles'.")
    if X is None:
        raise ValueError("`kind`='simplex' needs the rows: pass them as `X`.")
    angle = np.pi / 2 + 2 * np.pi * np.arange(k) / k
    corners = np.column_stack([np.cos(angle), np.sin(angle)])
    ax.plot(*np.vstack([corners, corners[:1]]).T, color=theme().muted, lw=1)
    ax.plot(*(model.transform(X) @ corners).T, "o", ms=4, mew=0, alpha=0.6)
    for number, corner in enumerate(corners):
        side = "center" if abs(corner[0]) < 0.3 else "left" if corner[0] > 0 else "right"
        ax.annotate(f"archetype {number}", 1.08 * corner, ha=side, va="center")
    ax.set(aspect="equal", xlim=(-1.7, 1.7), ylim=(-1.3, 1.3))
    ax.set_axis_off()
    return ax
