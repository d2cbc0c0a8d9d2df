"""The smooth terms of an additive model, drawn."""

import numpy as np

from ._panels import draw_levels, grid_rows, panels


def plot_terms(model, axes, grid_size, quantile):
    """One panel for each smooth term of one feature (a curve with its band) or of two (a map of levels)."""
    terms = [
        (term, at, edf)
        for term, at, edf in zip(model.terms_, model._slices, model.edf_, strict=True)
        if not term.parametric and len(term.places) <= 2 and term.term.basis != "re"
    ]
    if not terms:
        raise ValueError("The model has no smooth term of one or two features to draw.")
    axes = panels(axes, len(terms))
    for ax, (term, at, edf) in zip(axes, terms, strict=True):
        lines, X = grid_rows(term.places, *model.feature_range_, model.feature_middle_, grid_size)
        if term.by_place is not None:
            X[:, term.by_place] = 1.0 if term.level is None else term.level
        B = term.design(X)
        values = B @ model.coef_[at]
        names = [model.column_names_[j] for j in term.places]
        if len(term.places) == 1:
            band = quantile * np.sqrt(np.einsum("ij,jk,ik->i", B, model.covariance_[at, at], B))
            ax.fill_between(lines[0], values - band, values + band, alpha=0.25, linewidth=0)
            ax.plot(lines[0], values)
            ax.set(xlabel=names[0], ylabel=f"{term.label}, {edf:.1f} df")
        else:
            draw_levels(ax, lines, values)
            ax.set(xlabel=names[0], ylabel=names[1], title=term.label)
    return axes
