"""The smooth terms of an additive model, drawn."""

import numpy as np

from statlearn._core.term_curves import TermCurve

from ._panels import draw_levels, grid_rows, panels


def drawable(model, most=2):
    """The smooth terms of up to `most` features, with the places of their coefficients and degrees of freedom."""
    return [
        (term, at, edf)
        for term, at, edf in zip(model.terms_, model._slices, model.edf_, strict=True)
        if not term.parametric and len(term.places) <= most and term.term.basis != "re"
    ]


def curves(model, grid_size, quantile):
    """The smooth terms of one feature with their bands, as numbers."""
    found = []
    for term, at, edf in drawable(model, 1):
        x, value, band = _on_grid(model, term, at, grid_size, quantile)
        label = f"{term.label}, {edf:.1f} df"
        found.append(TermCurve(label, model.column_names_[term.places[0]], x[0], value, value - band, value + band))
    return found


def _on_grid(model, term, at, grid_size, quantile):
    lines, X = grid_rows(term.places, *model.feature_range_, model.feature_middle_, grid_size)
    if term.by_place is not None:
        X[:, term.by_place] = 1.0 if term.level is None else term.level
    B = term.design(X)
    band = quantile * np.sqrt(np.einsum("ij,jk,ik->i", B, model.covariance_[at, at], B))
    return lines, B @ model.coef_[at], band


def plot_terms(model, axes, grid_size, quantile):
    """One panel for each smooth term of one feature (a curve with its band) or of two (a map of levels)."""
    terms = drawable(model)
    if not terms:
        raise ValueError("The model has no smooth term of one or two features to draw.")
    axes = panels(axes, len(terms))
    for ax, (term, at, edf) in zip(axes, terms, strict=True):
        lines, values, band = _on_grid(model, term, at, grid_size, quantile)
        names = [model.column_names_[j] for j in term.places]
        if len(term.places) == 1:
            ax.fill_between(lines[0], values - band, values + band, alpha=0.25, linewidth=0)
            ax.plot(lines[0], values)
            ax.set(xlabel=names[0], ylabel=f"{term.label}, {edf:.1f} df")
        else:
            draw_levels(ax, lines, values)
            ax.set(xlabel=names[0], ylabel=names[1], title=term.label)
    return axes
