"""The functions of a MARS model, drawn."""

import numpy as np

from statlearn._core.term_curves import TermCurve

from ._panels import draw_levels, grid_rows, panels


def plot_functions(model, axes, grid_size):
    """One panel for each function of one feature (a curve with its knots) or of two (a map of levels)."""
    names, terms = model._column_names(), model.forward_terms_
    groups = [(features, at) for features, at in model._groups().items() if len(features) <= 2]
    if not groups:
        raise ValueError("The model has no term of one or two features to draw.")
    axes = panels(axes, len(groups))
    coef = np.atleast_2d(model.coef_)[0]
    for ax, (features, at) in zip(axes, groups, strict=True):
        lines, X = grid_rows(features, *model.feature_range_, model.feature_median_, grid_size)
        part = terms.basis(model._design_columns(X), model.terms_[at]) @ coef[at]
        if len(features) == 1:
            ax.plot(lines[0], part - part.mean(), color="C0")
            for k in model.terms_[at]:
                if terms.factor[k] in (-1, 1) and terms.feature[k] == features[0]:
                    ax.axvline(terms.knot[k], color="0.8", linewidth=0.8, zorder=0)
            ax.set(xlabel=names[features[0]], ylabel="f")
        else:
            draw_levels(ax, lines, part)
            ax.set(xlabel=names[features[0]], ylabel=names[features[1]])
    return axes


def curves(model, grid_size):
    """The functions of one feature, centred, as numbers."""
    names, terms, coef = model._column_names(), model.forward_terms_, np.atleast_2d(model.coef_)[0]
    found = []
    for features, at in model._groups().items():
        if len(features) == 1:
            (x,), X = grid_rows(features, *model.feature_range_, model.feature_median_, grid_size)
            part = terms.basis(model._design_columns(X), model.terms_[at]) @ coef[at]
            found.append(TermCurve(names[features[0]], names[features[0]], x, part - part.mean()))
    return found
