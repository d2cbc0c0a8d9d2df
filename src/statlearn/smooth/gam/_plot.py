"""Plots of the smooth terms of an additive model."""

import numpy as np

from statlearn._draw.style import styled, theme
from statlearn.smooth._function_plots import draw_levels, grid_rows, panels
from statlearn.smooth._term_curves import TermCurve

from ._predict import standard_errors


def drawable(model, limit=2):
    """Smooth terms of at most `most` features, with their coefficient slices and degrees of freedom."""
    return [
        (term, at, edf)
        for term, at, edf in zip(model.terms_, model._slices, model.edf_, strict=True)
        if not term.parametric and len(term.places) <= limit and term.term.basis != "re"
    ]


def curves(model, grid_size, quantile):
    """Smooth terms of one feature with their bands, as arrays."""
    lines = []
    for term, at, edf in drawable(model, 1):
        x, value, band = _on_grid(model, term, at, grid_size, quantile)
        label = f"{term.label}, {edf:.1f} df"
        lines.append(TermCurve(label, model._column_labels[term.places[0]], x[0], value, value - band, value + band))
    return lines


def _on_grid(model, term, at, grid_size, quantile):
    lines, X = grid_rows(term.places, *model._column_range, model._column_middle, grid_size)
    if term.by_place is not None:
        X[:, term.by_place] = 1.0 if term.level is None else term.level
    B = term.design(X)
    band = quantile * standard_errors(B, model.covariance_[at, at])
    return lines, B @ model.coef_[at], band


@styled
def plot_terms(model, axes, grid_size, quantile, X=None, y=None):
    """One panel per smooth term of one feature (a curve with its band) or two (filled contours)."""
    terms = drawable(model)
    if not terms:
        raise ValueError("There is no smooth term of one or two features to plot.")
    if y is not None and X is None:
        raise ValueError("`y` requires `X`, the rows it belongs to.")
    axes = panels(axes, len(terms))
    rows = None if X is None else model._rows(X)
    residuals = None if y is None else _working_residuals(model, rows, y)
    for ax, (term, at, edf) in zip(axes, terms, strict=True):
        lines, values, band = _on_grid(model, term, at, grid_size, quantile)
        names = [model._column_labels[j] for j in term.places]
        if len(term.places) == 1:
            ax.fill_between(lines[0], values - band, values + band, alpha=0.25, linewidth=0)
            ax.plot(lines[0], values)
            ax.set(xlabel=names[0], ylabel=f"{term.label}, {edf:.1f} df")
        else:
            draw_levels(ax, lines, values)
            ax.set(xlabel=names[0], ylabel=names[1], title=f"{term.label}, {edf:.1f} df")
        if rows is not None:
            _draw_rows(ax, term, rows, model.coef_[at], residuals)
    return axes


def _working_residuals(model, rows, y):
    """Residuals on the scale of the linear predictor."""
    y = np.asarray(y, np.float64)
    if y.shape != (len(rows),):
        raise ValueError(f"`y` must have shape ({len(rows)},), got {y.shape}.")
    eta = model._linear(rows, None)
    return (y - model._link.inverse(eta)) / model._link.slopes(eta)[0]


def _draw_rows(ax, term, rows, coef, residuals):
    """Mark each row on the axis, or by its partial residual; draw points on contours."""
    if term.level is not None:
        at_level = rows[:, term.by_place] == term.level
        rows, residuals = rows[at_level], None if residuals is None else residuals[at_level]
    elif term.by_place is not None:
        residuals = None  # of a slope that varies: the curve is not what the term adds
    x = rows[:, term.places]
    if len(term.places) == 2:
        ax.plot(*x.T, ".", color="white", markersize=2, alpha=0.6)
    elif residuals is None:
        ax.plot(x[:, 0], np.zeros(len(x)), "|", color=theme().muted, markersize=6, transform=ax.get_xaxis_transform())
    else:
        ax.plot(x[:, 0], term.design(rows) @ coef + residuals, ".", color=theme().muted, markersize=3, zorder=0)
